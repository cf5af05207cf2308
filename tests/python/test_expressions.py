"""Expressions written in Python are the very nodes that the same text gives."""

import linecache

import liftgen as lift
import numpy as np
import pytest
from liftgen import f32, f64, i32

n, m = lift.nat("n"), lift.nat("m")
xs, ys = lift.param("xs", lift.array(f64, n)), lift.param("ys", lift.array(f64, n))
a, b = lift.param("a", lift.array(f64, n, m)), lift.param("b", lift.array([n, m], f64))
ks = lift.param("ks", lift.array(i32, n))
whole = lift.param("whole", lift.array(f64, 4 * n))
k = lift.index_param("k", 0, 1)

CASES = {
    "xs |> map(\\x. x + 1)": lambda: xs | lift.map(lambda x: x + 1),
    "xs |> map(\\x. 1 - x * 2)": lambda: lift.map(lambda x: 1 - x * 2, xs),
    "a |> map2(\\x. -x / 3)": lambda: a | lift.map2(lambda x: -x / 3),
    "a |> map(\\row. row |> reduce(add, 0))": lambda: a | lift.map(lambda row: row | lift.sum()),
    "xs |> reduce(\\s x. max(s, x), 0)": lambda: xs | lift.reduce(lift.max, 0),
    "xs |> scan(\\s x. s * 0.5 + x, 1)": lambda: xs | lift.scan(lambda s, x: s * 0.5 + x, 1),
    "xs |> scan_back(\\s x. s + x, 0)": lambda: xs | lift.scan_back(lambda s, x: s + x, 0),
    "iterate(3, \\v. v |> map(\\x. x * x), xs)":
        lambda: lift.iterate(3, lambda v: v | lift.map(lambda x: x * x), xs),
    "zip(xs, ys) |> map(\\(x, y). x * y)": lambda: lift.zip(xs, ys) | lift.map(lambda x, y: x * y),
    "zip2(a, b) |> map2(\\(x, y). min(x, y))": lambda: lift.zip2(a, b) | lift.map2(lambda x, y: lift.min(x, y)),
    "unzip(zip(xs, ks))": lambda: lift.zip([xs, ks]) | lift.unzip(),
    "{xs, a}": lambda: lift.tuple(xs, a),
    "zip(xs, ks) |> map(\\p. p.0 * f64(p.1))":
        lambda: lift.zip(xs, ks) | lift.map(lambda p: lift.get(0, p) * lift.cast(f64, lift.get(1, p))),
    "a |> map(\\row. row[0] + row[m - 1])": lambda: a | lift.map(lambda row: row[0] + row[m - 1]),
    "whole |> split(4) |> map(\\p. p[3])": lambda: whole | lift.split(4) | lift.map(lambda p: p[3]),
    "join(a)": lambda: a | lift.join(),
    "xs |> pad(1, 2, wrap) |> slide(4, 1) |> map(\\w. w[3])":
        lambda: xs | lift.pad(1, 2, lift.wrap) | lift.slide(4, 1) | lift.map(lambda w: w[3]),
    "a |> pad2(1, (0, 1), mirror)": lambda: a | lift.pad2(1, [0, 1], lift.mirror),
    "whole |> pad(1, 2, reflect)": lambda: whole | lift.pad(1, 2, lift.reflect),
    "xs |> pad(1, 1, constant 7)": lambda: xs | lift.pad(1, 1, lift.constant, 7),
    "a |> slide2((3, 1), (1, 1))": lambda: a | lift.slide2([3, 1], 1),
    "whole |> drop(2, 1)": lambda: whole | lift.drop(2, 1),
    "whole |> drop(0, 3 * n)": lambda: whole | lift.take(n),
    "transpose(a)": lambda: a | lift.transpose(),
    "reverse(xs)": lambda: lift.reverse(xs),
    "ks |> map(\\k. xs |> gather(k, clamp))": lambda: ks | lift.map(lambda k: xs | lift.gather(k, lift.clamp)),
    "a |> gather2(ks, ks, constant 7)": lambda: a | lift.gather([ks, ks], lift.constant, 7),
    "xs |> gather(ks, wrap)": lambda: lift.gather(ks, lift.wrap, xs=xs),
    "ks |> map(\\k. xs[k % n] + a[k % n, min(max(k, 0), m - 1)])":
        lambda: ks | lift.map(lambda k: xs[k % lift.nat_value(n)]
                              + a[k % lift.nat_value(n), lift.min(lift.max(k, 0), lift.nat_value(m) - 1)]),
    "generate(n, m, \\i j. i * 2 + j)": lambda: lift.generate([n, m], lambda i, j: i * 2 + j),
    "concat(xs, ys)": lambda: lift.concat(xs, ys),
    "interleave(xs, ys)": lambda: lift.interleave(xs, ys),
    "update(whole, 1, xs)": lambda: lift.update(whole, 1, xs),
    "let s = xs[0] in xs |> map(\\x. x - s)":
        lambda: lift.let(xs[0], lambda s: xs | lift.map(lambda x: x - s)),
    "xs |> map(\\x. select(x < 1 && 0 < x || x == 4, sqrt(x), abs(x)))":
        lambda: xs | lift.map(lambda x: lift.select((x < 1) & (x > 0) | lift.eq(x, 4), lift.sqrt(x), abs(x))),
    "xs |> map(\\x. select(!(x <= 1), x, 2))":
        lambda: xs | lift.map(lambda x: lift.select(~(x <= 1), x, 2)),
    "xs |> map(\\x. pow(exp(x), 2) + atan2(x, 1) - floor(x))":
        lambda: xs | lift.map(lambda x: lift.pow(lift.exp(x), 2) + lift.atan2(x, 1) - lift.floor(x)),
    "xs |> map(\\x. x * f64(k))": lambda: xs | lift.map(lambda x: x * lift.cast(f64, k)),
}


@pytest.mark.parametrize("text", CASES)
def test_it_is_what_the_text_says(text):
    declared = ("size n\nsize m\nparam xs, ys : n.f64\nparam a, b : n.m.f64\nparam ks : n.i32\n"
                "param whole : (4 * n).f64\nindex k in 0 .. 1\n")
    assert CASES[text]() == lift.parse(declared + "result = " + text, "text").body


def test_a_program_prints_and_parses():
    from programs import red_black
    assert lift.parse(str(red_black), "again").body == red_black.body
    assert red_black.overwrites == ["u"]
    assert [name for name, _ in red_black.results] == ["u"] or len(red_black.results) == 1
    assert list(red_black.sizes) == ["m", "n"] and set(red_black.sizes.values()) == {None}


def test_partials_compose():
    windows = lift.pad(1, 1, lift.clamp) | lift.slide(3, 1)
    middle = windows | lift.map(lambda w: w[1])
    assert xs | middle == xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1) | lift.map(lambda w: w[1])


def test_functions_of_the_c_compiler():
    square = lift.user_fun("square", {"x": f64}, f64, "return x * x;")
    assert "square" in str(xs | lift.map(square))


def refused(action):
    with pytest.raises(lift.UserError) as e:
        action()
    return str(e.value)


def test_errors_name_the_line_of_the_script():
    text = refused(lambda: a | lift.slide2(3, 1)
                   | lift.map(lambda w: w + 1))
    assert text.startswith("literal: a number beside (m - 2).3.3.f64") and f"[{__file__}:" in text
    line = int(text.rsplit(":", 1)[1].rstrip("]"))
    assert "w + 1" in linecache.getline(__file__, line)
    text = refused(lambda: xs | lift.pad2(1, 1, lift.clamp))
    assert "pad: needs an array of rank 2, got n.f64; apply it inside map" in text


def test_what_python_would_do_otherwise_is_refused():
    x = xs[0]
    with pytest.raises(TypeError, match="no truth value; write lift.select"):
        bool(x < 1)
    with pytest.raises(TypeError, match="write lift.eq"):
        x == 0  # noqa: B015
    with pytest.raises(TypeError, match="cannot be taken apart"):
        list(xs)
    assert "the condition is the Python value False" in refused(lambda: lift.select(x is None, x, 1))
    assert "2 types for a function of 1 arguments" in refused(lambda: lift.fun([f32, f32], lambda x: x))
    assert "a function of 2 arguments is given for elements of type f64" in refused(
        lambda: xs | lift.map(lambda x, y: x))
    assert "a lift expression is needed, but a Python str" in refused(lambda: xs | lift.map(lambda x: "x"))
    assert "an operand is a Python str" in refused(lambda: x + "1")


def test_usual_mistakes_are_answered_in_words():
    x = xs[0]
    assert "pad: 'clamp' is no boundary; write lift.clamp [" in refused(lambda: xs | lift.pad(1, 1, "clamp"))
    assert "pad: 'edge' is no boundary; there are lift.clamp, lift.wrap, lift.mirror, lift.reflect, " in refused(
        lambda: lift.pad2(1, 1, "edge"))
    assert "an array is given (ndarray); compile a program" in refused(lambda: lift.slide(3, 1)(np.zeros(4)))
    assert "an array is given (ndarray); compile a program" in refused(lambda: lift.slide(3, 1, np.zeros(4)))
    with pytest.raises(TypeError, match="numpy's rint is of numbers, not of expressions"):
        np.rint(x)
    with pytest.raises(TypeError, match="numpy's sqrt is of numbers, not of expressions with options"):
        np.sqrt(x, where=True)
    with pytest.raises(TypeError, match="numpy's roll is of arrays of numbers, not of expressions"):
        np.roll(xs, 1)
    with pytest.raises(TypeError, match="numpy's add is of numbers, not of expressions"):
        np.add.reduce(x)
    with pytest.raises(TypeError, match="make the array an argument of the program"):
        np.zeros(4) + x
    with pytest.raises(TypeError, match="make the array an argument of the program"):
        np.zeros(4) * xs


def test_scalars_of_numpy_are_numbers():
    x = xs[0]
    for number in (np.float64(2), np.float32(2), np.int64(2)):
        assert number * x == 2 * x and x * number == x * 2
        assert number - x == 2 - x and number / x == 2 / x and number + x == 2 + x
        assert (number < x) == (x > 2) and (number >= x) == (x <= 2) and (x < number) == (x < 2)


UNARY = {"absolute": "abs", "fabs": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
         **{f: f for f in "sqrt cbrt exp exp2 log log2 log10 sin cos tan sinh cosh tanh floor ceil".split()}}
BINARY = {"maximum": "max", "minimum": "min", "power": "pow", "float_power": "pow", "arctan2": "atan2", "hypot": "hypot",
          "equal": "eq", "not_equal": "ne"}


def test_functions_of_numpy_are_those_of_expressions():
    x, y = xs[0], ys[0]
    for numpys, ours in UNARY.items():
        assert getattr(np, numpys)(x) == getattr(lift, ours)(x), numpys
    for numpys, ours in BINARY.items():
        assert getattr(np, numpys)(x, y) == getattr(lift, ours)(x, y), numpys
        assert getattr(np, numpys)(2, y) == getattr(lift, ours)(2, y), numpys
    assert np.square(x) == x * x and np.negative(x) == -x and np.positive(x) == x
    assert np.greater(x, y) == (y < x) and np.less_equal(x, np.float64(1)) == (x <= 1)
    assert np.logical_and(x < 1, y < 1) == (x < 1) & (y < 1) and np.logical_not(x < 1) == ~(x < 1)
    assert np.where(x < y, x, 0) == lift.select(x < y, x, 0) and np.clip(x, 0, y) == lift.min(lift.max(x, 0), y)


def test_functions_of_numpy_compute_what_they_do_of_numbers():
    kernel = lift.compile(lift.fun([lift.array(f64, n)], lambda v: v | lift.map(
        lambda x: np.where(x > 0.5, np.sqrt(x) + x ** 2, np.maximum(np.sin(x), 0.2) - np.abs(-x)))))
    x = np.linspace(0.01, 1, 33)
    np.testing.assert_allclose(kernel(x), np.where(x > 0.5, np.sqrt(x) + x ** 2, np.maximum(np.sin(x), 0.2) - np.abs(-x)))


SLICES = [np.s_[1:-1], np.s_[:4], np.s_[3:], np.s_[2:6], np.s_[-5:-2], np.s_[::2], np.s_[1::3], np.s_[1:-1:2], np.s_[::-1], np.s_[:]]


@pytest.mark.parametrize("cut", SLICES, ids=str)
def test_slices_are_those_of_numpy(cut):
    x, y = np.arange(11.0), np.arange(11.0 * 9).reshape(11, 9)
    of_one, of_two = lift.array(f64, n), lift.array(f64, n, m)
    for types in ((of_one, of_two), (lift.array(f64, 11), lift.array(f64, 11, 9))):
        run = lift.compile(lift.fun([types[0]], lambda v: v[cut] | lift.map(lambda a: a + 1)))
        np.testing.assert_array_equal(run(x), x[cut] + 1)
        for position in ((cut, 0), (-1, cut), (cut, cut), (slice(1, -2), cut), (Ellipsis, cut), (cut,)):
            def body(v, position=position):
                block = v[position]
                return block | lift.map_n(block.type.rank, lambda a: a + 1)
            np.testing.assert_array_equal(lift.compile(lift.fun([types[1]], body))(y), y[position] + 1)


def test_slices_are_drop_and_take():
    assert xs[1:-1] == lift.drop(1, 1, xs) and whole[:n] == lift.take(n, whole) and whole[n:] == lift.drop(n, 0, whole)
    assert a[1:-1, 2:] == lift.drop2([1, 2], [1, 0], a) and a[1:-1] == a[1:-1, :] == lift.drop(1, 1, a) and a[...] == a
    assert xs[::-1] == lift.reverse(xs) and xs[-1] == xs[n - 1] and a[-1, -2] == a[n - 1, m - 2] and xs[:] == xs
    text = refused(lambda: xs[::-2])
    assert "[None:None:-2]: a step is a number above 0, or -1 of a whole dimension" in text and f"[{__file__}:" in text
    assert "a position of 2 indices in n.f64, which has 1 dimensions" in refused(lambda: xs[1:-1, 0])


def test_powers_are_pow():
    x = xs[0]
    assert x ** 2 == lift.pow(x, 2) and 2 ** x == lift.pow(2, x) and x ** x == lift.pow(x, x)


def test_text_has_the_messages_of_the_command_line():
    text = refused(lambda: lift.parse("size n\nparam x : n.f64\nresult = y", "s.lift"))
    assert text.startswith("s.lift:3:10: unknown name 'y'")


def test_a_mistake_in_a_notebook_names_the_cell():
    code = compile("x | lift.pad2(1, 1, lift.clamp)", "/tmp/ipykernel_1/23.py", "exec")
    with pytest.raises(lift.UserError, match=r"\[this cell:1\]$"):
        exec(code, {"lift": lift, "x": lift.param("x", lift.array(lift.f64, lift.nat("n")))})
