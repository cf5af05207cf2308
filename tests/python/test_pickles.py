"""What travels to another process or is copied: programs, expressions, kernels, what was tuned."""

import copy
import pickle

import liftgen as lift
import numpy as np
import pytest
from programs import blur, blurred, red_black, red_black_numpy
from test_exploring import searched
from test_host import run

n, m = lift.nat("n"), lift.nat("m", modulus=2)
xs, a = lift.param("xs", lift.array(lift.f64, n)), lift.param("a", lift.array(lift.f64, n, m))
cube = lift.user_fun("cube", {"x": lift.f64}, lift.f64, "return x * x * x;")
rng = np.random.default_rng(4)


def again(x):
    return pickle.loads(pickle.dumps(x))


EXPRESSIONS = [xs, xs[0] * 2.5, a | lift.map2(lambda v: v + xs[0]), xs | lift.map(cube), lift.zip(xs, xs),
               lift.fun([xs.type, a.type], lambda x, y: x | lift.map(lambda v: v * y[0, 0])),
               lift.fun([lift.f64], lambda v: v * xs[0]), lift.index_param("k", 0, 3) + 1,
               lift.fun([a.type], lambda y: y | lift.pad2(1, 1, lift.wrap) | lift.slide2(3, 1) | lift.map2(lambda w: w[1, 1]))]


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_expressions_are_the_same_again(e):
    assert again(e) == e and again(e).type == e.type
    assert copy.copy(e) == e and copy.deepcopy([e])[0] == e


def test_sizes_and_types_are_the_same_again():
    for length in (n, m, 2 * n + 1, n * m, lift.Nat(7)):
        assert again(length) == length
    for t in (lift.f32, xs.type, lift.array(lift.tuple_type(lift.f64, lift.i32), n, 2 * m)):
        assert again(t) == t and copy.deepcopy(t) == t
    assert again(lift.clamp) == lift.clamp and again({"n": n})["n"] == n


def test_programs_are_the_same_again(tmp_path):
    for p in (blur, red_black):
        q = again(p)
        assert q.body == p.body and q.name == p.name and q.overwrites == p.overwrites and q.results == p.results
        assert q.arguments == p.arguments and copy.deepcopy(p) is p
    file = tmp_path / "mean.lift"
    np.save(tmp_path / "x.npy", rng.random(8))
    file.write_text('size n = 8\nparam x : n.f64 = npy "x.npy"\nresult y : n.f64 = x |> map(\\v. v / 2)\n')
    p = lift.load(file)
    assert again(p).sizes == p.sizes == {"n": 8} and again(p).results == p.results and again(p).body == p.body
    assert "0 wrong" in str(searched(again(p), sizes=None))  # with the file's data


def test_kernels_compute_the_same_again():
    image = rng.random((9, 14), np.float32)
    np.testing.assert_array_equal(again(lift.compile(blur))(image), lift.compile(blur)(image))
    sizes = {"n": 9, "m": 14}
    symbolic = lift.compile(blur, symbolic=True)
    assert again(symbolic).source(sizes) == symbolic.source(sizes) != lift.compile(blur).source(sizes)
    u, f = rng.random((8, 9)), rng.random((6, 7))
    expected = u.copy()
    red_black_numpy(expected, f, 1 + f, 1)
    again(lift.compile(red_black))(u, f, 1 + f, 1)
    np.testing.assert_allclose(u, expected)


def test_what_was_tuned_is_the_same_in_another_process(tmp_path):
    tuned = searched()
    file = tmp_path / "tuned.pickle"
    file.write_bytes(pickle.dumps(tuned))
    there = again(tuned)
    for name in ("derivation", "steps", "source", "origin", "sizes", "interrupted", "results"):
        assert getattr(there, name) == getattr(tuned, name), name
    for rows in (0, 1, 2, 10, 10000):
        assert there.leaderboard(rows) == tuned.leaderboard(rows)
    assert str(again(there)) == str(tuned) and repr(copy.deepcopy(tuned)) == repr(tuned)
    there.report(tmp_path / "page.html")
    tuned.report(tmp_path / "same.html")
    assert (tmp_path / "page.html").stat().st_size == (tmp_path / "same.html").stat().st_size
    made = run(f"""
import pickle, numpy as np
tuned = pickle.loads(open({str(file)!r}, "rb").read())
print(float(tuned.kernel()(np.ones((40, 60), np.float32)).sum()), tuned.kernel().derivation({{"n": 40, "m": 60}}) == tuned.derivation)
""")
    assert made.returncode == 0 and made.stdout.split() == ["2400.0", "True"], made
    image = rng.random((40, 60), np.float32)
    np.testing.assert_allclose(there.kernel()(image), blurred(image), rtol=1e-6)


def test_what_was_taken_from_the_database_has_no_report(database):
    searched(database=database)
    known = again(searched(unless_known=True, database=database))
    assert known.origin and known.kernel()
    with pytest.raises(lift.UserError, match="nothing was searched, so that there is no report"):
        known.results  # noqa: B018


def test_errors_travel():
    e = again(lift.UserError("what was asked [here:1]"))
    assert type(e) is lift.UserError and str(e) == "what was asked [here:1]"


def test_what_lies_on_a_device_is_copied_there_and_not_pickled(device):
    there = lift.device_array(device, np.arange(6.0))
    twice = copy.deepcopy(there)
    there.upload(np.zeros(6))
    np.testing.assert_array_equal(twice.download(), np.arange(6.0))
    with pytest.raises(lift.UserError, match="a lift.device_array cannot be pickled; pass a.download"):
        pickle.dumps(there)
    assert again(device) == device
    n = lift.nat("n")
    doubled = lift.compile(lift.fun([lift.array(lift.f64, n)], lambda x: x | lift.map(lambda v: 2 * v)), device=device)
    np.testing.assert_array_equal(again(doubled)(np.arange(6.0)), 2 * np.arange(6.0))
