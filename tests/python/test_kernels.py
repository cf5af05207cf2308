"""Kernels compute what numpy does, on the caller's memory."""

import os
import subprocess
import sys
import threading

import liftgen as lift
import numpy as np
import pytest
from liftgen import f32, f64, i32, i64, u8
from programs import blur, blur_of, blurred, red_black, red_black_numpy

n, m = lift.nat("n"), lift.nat("m")
rng = np.random.default_rng(1)


def refused(action):
    with pytest.raises(lift.UserError) as e:
        action()
    assert str(e.value).endswith("]") and __file__ in str(e.value), e.value
    return str(e.value)


def address(a):
    return a.__array_interface__["data"][0]


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (64, 100), (203, 131)])
def test_blur(shape):
    image = rng.random(shape, np.float32)
    kept = image.copy()
    smooth = lift.compile(blur)(image)
    assert smooth.dtype == np.float32 and smooth.shape == shape
    np.testing.assert_allclose(smooth, blurred(image), rtol=1e-6)
    assert (image == kept).all()


def test_elements_at_positions_that_are_computed():
    @lift.program(image=lift.array(f32, n, m), j=lift.array(i32, n), i=lift.array(i32, n))
    def taken(image, j, i):
        return image | lift.gather([j, i], lift.wrap)

    image = rng.random((13, 21), np.float32)
    j, i = (rng.integers(-100, 100, 13).astype(np.int32) for _ in range(2))
    np.testing.assert_array_equal(lift.compile(taken)(image, j, i), image[j % 13, i % 21])

    @lift.program(image=lift.array(f32, n, m), j=lift.array(i32, n))
    def unproved(image, j):
        return j | lift.map(lambda k: image[k])
    assert "nothing proves that the position" in refused(lambda: lift.compile(unproved)(image, j))


def test_positions_are_those_of_numpy():
    values, order = lift.param("values", lift.array(f32, n)), lift.param("order", lift.array(i64, m))
    taken = lift.compile(lift.Program("taken", [values, order], values | lift.gather(order, lift.clamp)))
    x = np.random.default_rng(1).random(50, np.float32)
    np.testing.assert_array_equal(taken(x, np.argsort(x)), np.sort(x))
    far = np.array([-(1 << 40), 1 << 40, 3])
    np.testing.assert_array_equal(taken(x, far), x[[0, -1, 3]])


def test_an_element_at_a_position_that_is_proved_to_be_within():
    @lift.program(image=lift.array(f32, n, m), j=lift.array(i32, n))
    def taken(image, j):
        return j | lift.map(lambda k: image[k % lift.nat_value(n), lift.min(lift.max(k, 0), lift.nat_value(m) - 1)])

    image, j = rng.random((13, 21), np.float32), rng.integers(-100, 100, 13).astype(np.int32)
    np.testing.assert_array_equal(lift.compile(taken)(image, j), image[j % 13, np.clip(j, 0, 20)])


def test_steps_are_counted_at_run_time():
    @lift.program(x=lift.array(f64, n), steps=lift.index_param("steps", 0, 100))
    def sums(x, steps):
        return x | lift.iterate(steps, lambda y: y | lift.pad(1, 0, lift.wrap) | lift.slide(2, 1)
                                | lift.map(lambda w: w[0] + w[1]))

    kernel, x = lift.compile(sums), rng.integers(0, 9, 30).astype(np.float64)
    for steps in [0, 1, 2, 5, 8]:
        expected = x
        for _ in range(steps):
            expected = expected + np.roll(expected, 1)
        np.testing.assert_array_equal(kernel(x, steps), expected)
    t, xs = lift.param("t", i32), lift.param("xs", lift.array(f64, n))
    assert "the number of steps is computed, t; " in refused(lambda: lift.iterate(t, lift.map(lambda v: v), xs))


def test_one_kernel_for_all_sizes():
    kernel = lift.compile(blur, symbolic=True)
    for shape in [(3, 4), (17, 33)]:
        image = rng.random(shape, np.float32)
        np.testing.assert_allclose(kernel(image), blurred(image), rtol=1e-6)
    assert kernel.source({"n": 3, "m": 4}) == kernel.source({"n": 17, "m": 33})


def test_results_are_written_where_the_caller_wants_them():
    image = rng.random((20, 30), np.float32)
    kernel = lift.compile(blur)
    out = np.zeros_like(image)
    assert kernel(image, out=out) is out
    np.testing.assert_allclose(out, blurred(image), rtol=1e-6)
    new = kernel(image=image)
    assert address(new) % 64 == 0 and new is not out
    aligned = lift.empty([20, 30], f32)
    assert aligned.dtype == np.float32 and address(aligned) % 64 == 0


def test_red_black_on_the_callers_arrays():
    u, f, a = rng.random((19, 24)), rng.random((17, 22)), 1 + rng.random((17, 22))
    expected, where = u.copy(), address(u)
    kernel = lift.compile(red_black)
    for sweep in range(6):
        assert kernel(u, f, a, sweep % 2) is None
        red_black_numpy(expected, f, a, sweep % 2)
    assert address(u) == where
    np.testing.assert_allclose(u, expected, rtol=1e-13)
    assert "restrict out" not in kernel.source({"n": 17, "m": 22})


def test_an_update_and_a_value_together():
    u = lift.param("u", lift.array(f64, n))
    p = lift.Program("halve", [u], lift.tuple(lift.update(u, 0, u | lift.map(lambda x: 0.5 * x)), u | lift.sum(),
                                              u | lift.map(lambda x: x + 1)), overwrites=["u"])
    x = np.arange(9.0)
    total, more = lift.compile(p)(x)
    assert total == 36.0 and isinstance(total, float)
    np.testing.assert_array_equal(more, np.arange(9.0) + 1)
    np.testing.assert_array_equal(x, np.arange(9.0) / 2)
    copying = lift.compile(p, overwrites=[])
    y = np.arange(9.0)
    half, total, more = copying(y)
    assert (y == np.arange(9.0)).all() and (half == y / 2).all()


def test_several_results_numbers_and_out():
    x = lift.param("x", lift.array(f64, n))
    p = lift.Program("both", [x], lift.tuple(x | lift.sum(), x | lift.map(lambda e: 2 * e), x | lift.drop(1, 1)))
    kernel = lift.compile(p)
    data = np.arange(5.0)
    total, twice, inside = kernel(data)
    assert total == 10.0 and (twice == 2 * data).all() and (inside == data[1:-1]).all()
    to = np.zeros(5)
    assert kernel(data, out=(None, to, None))[1] is to and (to == twice).all()
    assert "out has 1 arrays for 3 returned results" in refused(lambda: kernel(data, out=to))
    assert "is a number, which is returned" in refused(lambda: kernel(data, out=(to, to, None)))
    assert "out of result 3 has the shape (5,), but the result (3,)" in refused(
        lambda: kernel(data, out=(None, None, to)))


def test_numbers_and_truth_values():
    a, k = lift.param("a", f32), lift.param("k", i32)
    x, color = lift.param("x", lift.array(f32, n)), lift.index_param("color", 0, 3)
    p = lift.Program("mixed", [a, x, k, color],
                     x | lift.map(lambda e: lift.tuple(a * e + lift.cast(f32, k), e < a, color)))
    x = rng.random(37, np.float32)
    scaled, less, color = lift.compile(p)(0.5, x, np.int64(3), 2)
    np.testing.assert_allclose(scaled, np.float32(0.5) * x + 3, rtol=1e-6)
    assert less.dtype == np.bool_ and (less == (x < 0.5)).all()
    assert color.dtype == np.int32 and (color == 2).all()


def test_bytes_and_long_integers():
    image, shift, scale = lift.param("image", lift.array(u8, n, m)), lift.param("shift", u8), lift.param("scale", i64)
    brighter = image | lift.map2(lambda p: lift.tuple(lift.select(255 < p + shift, 255, lift.cast(u8, p + shift)), lift.cast(i64, p) * scale))
    kernel = lift.compile(lift.Program("brighter", [image, shift, scale], brighter))
    x = rng.integers(0, 256, (19, 37), np.uint8)
    bright, scaled = kernel(x, 100, 3_000_000_000)
    assert bright.dtype == np.uint8 and (bright == np.minimum(x.astype(int) + 100, 255)).all()
    assert scaled.dtype == np.int64 and (scaled == x.astype(np.int64) * 3_000_000_000).all()
    total = lift.compile(lift.Program("total", [image], image | lift.join | lift.sum))(x)
    assert total == x.sum() and isinstance(total, int)
    assert "is u8, which 256 does not fit into" in refused(lambda: kernel(x, 256, 1))
    assert "is n.m.u8, but an array of int32 is passed; pass a.astype(numpy.uint8)" in refused(
        lambda: kernel(x.astype(np.int32), 1, 1))


def test_tuples_are_taken_apart():
    p = lift.fun([lift.array(f64, n), lift.array(i32, n)],
                 lambda x, k: lift.zip(x, k) | lift.map(lambda x, k: x * lift.cast(f64, k)))
    x, k = rng.random(10), np.arange(10, dtype=np.int32)
    np.testing.assert_allclose(lift.compile(p, names=["x", "k"])(x=x, k=k), x * k)


def test_threads_call_one_kernel():
    kernel = lift.compile(blur)
    images = [rng.random((40 + i % 3, 50), np.float32) for i in range(8)]
    wrong = []

    def work(image):
        for _ in range(10):
            if not np.allclose(kernel(image), blurred(image), rtol=1e-6):
                wrong.append(1)

    threads = [threading.Thread(target=work, args=(image,)) for image in images]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_views_of_rows_with_gaps_are_passed_as_they_lie():
    kernel = lift.compile(blur)
    wide = rng.random((40, 90), np.float32)
    np.testing.assert_allclose(kernel(wide[3:20, 5:60]), blurred(wide[3:20, 5:60]), rtol=1e-6)
    whole, f = rng.random((30, 40)), rng.random((9, 11))
    expected = whole.copy()
    sweep = lift.compile(red_black)
    for color in (0, 1):
        sweep(whole[2:13, 4:17], f, 1 + f, color)
        red_black_numpy(expected[2:13, 4:17], f, 1 + f, color)
    np.testing.assert_allclose(whole, expected, rtol=1e-13)
    assert "would have to be copied" in refused(lambda: kernel(wide[::2, ::2]))
    assert "out of result 1 is a view" in refused(lambda: kernel(wide[:, :9], out=wide[:, 20:29]))


def test_column_major_arrays_are_passed_transposed():
    """What the refusal of such an array says."""
    columns = np.asfortranarray(rng.random((40, 30), np.float32))
    wide = np.asfortranarray(rng.random((50, 30), np.float32))[3:43]
    stored = lift.param("image", lift.array(f32, m, n))
    kernel = lift.compile(lift.Program("blur_columns", [stored], blur_of(stored | lift.transpose())))
    for image in (columns, wide):
        assert "a.T, which lies row by row" in refused(lambda image=image: lift.compile(blur)(image))
        np.testing.assert_allclose(kernel(image.T), blurred(image), rtol=1e-6)


def test_what_does_not_fit_is_refused_and_never_copied():
    kernel = lift.compile(blur)
    image = rng.random((8, 9), np.float32)
    assert "blur: argument 1 (image) is n.m.f32, but an array of float64 is passed; pass a.astype(numpy.float32)" \
        in refused(lambda: kernel(image.astype(np.float64)))
    assert "an array of >f4" in refused(lambda: kernel(image.astype(">f4")))
    assert "a Python list is passed; pass a numpy array" in refused(lambda: kernel([[1, 2], [3, 4]]))
    assert "an array of shape (72,) is passed; one of 2 dimensions is needed" in refused(
        lambda: kernel(image.reshape(-1)))
    assert ("would have to be copied; pass numpy.ascontiguousarray(a), or a.T, which lies row by row"
            in refused(lambda: kernel(image.T)))
    assert "a.T" not in refused(lambda: kernel(image[:, ::2]))
    bytes_ = np.zeros(8 * 9 * 4 + 1, np.uint8)[1:].view(np.float32)
    assert "lie at no multiples of their size; pass a.copy()" in refused(lambda: kernel(bytes_.reshape(8, 9)))
    assert "shares memory with argument 1; pass separate arrays" in refused(lambda: kernel(image, out=image))
    assert "out of result 1 has the shape (8, 8), but the result (8, 9)" in refused(
        lambda: kernel(image, out=np.zeros((8, 8), np.float32)))
    fixed = np.zeros((8, 9), np.float32)
    fixed.flags.writeable = False
    assert "is read-only; pass a.copy()" in refused(lambda: kernel(image, out=fixed))
    assert "there is no argument 'picture'" in refused(lambda: kernel(picture=image))
    assert "argument 1 (image) is missing; call blur(image: n.m.f32)" in refused(lambda: kernel())
    assert "2 arguments are passed; pass arrays for results as out=" in refused(lambda: kernel(image, image))
    assert "is passed twice" in refused(lambda: kernel(image, image=image))


def test_numbers_that_do_not_fit_are_refused():
    kernel = lift.compile(red_black)
    u, f = np.zeros((5, 5)), np.zeros((3, 3))
    assert "argument 4 (color) is 2, but lies in 0..1" in refused(lambda: kernel(u, f, f, 2))
    assert "is i32, but a Python float is passed" in refused(lambda: kernel(u, f, f, 0.5))
    assert "does not fit into; pass a smaller number" in refused(lambda: kernel(u, f, f, 2**40))
    text = refused(lambda: kernel(u, f, np.zeros((3, 4)), 0))
    assert "red_black: argument 3 (a), dimension 2" in text and "pass arrays of lengths that agree" in text
    u.flags.writeable = False
    assert "is written, but the array that is passed is read-only" in refused(lambda: kernel(u, f, f, 0))


def test_what_cannot_be_compiled_is_said():
    x = lift.param("x", lift.array(f64, n))
    doubled = x | lift.map(lambda e: 2 * e)
    assert "'x' is to be overwritten, but no result updates it" in refused(
        lambda: lift.compile(lift.Program("p", [x], doubled), overwrites=["x"]))
    assert "'y' is to be overwritten, but is no array among the arguments" in refused(
        lambda: lift.compile(lift.Program("p", [x], doubled), overwrites=["y"]))
    assert "the expression mentions 'x'" in refused(lambda: lift.compile(doubled))
    assert "there is no size 'width'; its sizes are n" in refused(
        lambda: lift.compile(lift.Program("p", [x], doubled), sizes={"width": 3}))
    with pytest.raises(lift.UserError, match="rule 'map-vek' does not exist; did you mean map-vec"):
        lift.compile(lift.Program("p", [x], doubled), derivation="map-vek 8 at 0.0").prepare({"n": 8})
    with pytest.raises(lift.UserError, match="a lift program or function is needed, but a Python int"):
        lift.compile(3)


def test_text_becomes_a_kernel(tmp_path):
    path = tmp_path / "scale.lift"
    path.write_text("size n = 64\nparam x : n.f64 = wave\nresult y : n.f64 = x |> map(\\e. 3 * e)\n")
    program = lift.load(path)
    assert program.sizes == {"n": 64} and program.results[0][0] == "y"
    x = rng.random(10)
    np.testing.assert_allclose(lift.compile(program)(x), 3 * x)


def test_a_numpy_that_it_was_not_built_for_is_named_at_the_import():
    script = ("import numpy, liftgen._core as core\n"
              "import sys; del sys.modules['liftgen']\n"
              "numpy.__version__ = '2.4.3'; core.knows_numpy_2 = False\n"
              "import liftgen")
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    assert made.returncode == 1
    assert "ImportError: this liftgen was built for numpy 1, but numpy 2.4.3 is here; install liftgen into this" in made.stderr


def test_arrays_that_are_empty_misaligned_or_masked_are_refused_for_what_they_are():
    kernel = lift.compile(lift.fun([lift.array(lift.f64, n)], lambda x: x | lift.map(lambda v: 2 * v)))
    with pytest.raises(lift.UserError, match="n = 0|length 0"):
        kernel(np.zeros(0))
    with pytest.raises(lift.UserError, match="n = 0|length 0"):
        kernel(np.zeros(10)[3:3])
    odd = np.frombuffer(bytearray(8 * 4 + 1), np.uint8)[1:].view(np.float64)
    with pytest.raises(lift.UserError, match=r"multiples of their size; pass a.copy\(\)"):
        kernel(odd)
    assert (kernel(odd.copy()) == 0).all()
    masked = np.ma.masked_array(np.arange(4.0), [0, 1, 0, 0])
    with pytest.raises(lift.UserError, match=r"mask.*a.filled\(value\)"):
        kernel(masked)
    assert (kernel(masked.filled(7)) == [0, 14, 4, 6]).all()
    with pytest.raises(lift.UserError, match="mask"):
        kernel(np.arange(4.0), out=masked)
