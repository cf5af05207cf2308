"""Explorations from Python: the search, what it remembers, what it reports."""

import io

import liftgen as lift
import numpy as np
import pytest
from programs import blur, blurred, red_black

rng = np.random.default_rng(2)
FEW = {"budget": 3600, "configurations": 3, "rivals": False, "database": "none"}


def searched(program=blur, **options):
    return lift.explore(program, **{**FEW, "progress": None, "sizes": {"n": 40, "m": 60}, **options})


def test_the_fastest_becomes_a_kernel_and_a_page(tmp_path, database):
    told = []
    tuned = searched(progress=lambda *what: told.append(what), database=database)
    image = rng.random((40, 60), np.float32)
    np.testing.assert_allclose(tuned.kernel()(image), blurred(image), rtol=1e-6)
    assert {phase for phase, *_ in told} >= {"exploring"}
    results = tuned.results
    assert results["operator"] == "blur" and results["best"]["verified"] and results["counts"]["wrong"] == 0
    assert "void blur(" in tuned.source and "variant" in tuned.leaderboard()
    assert not tuned.interrupted and tuned.origin == ""
    tuned.report(tmp_path / "blur.html")
    assert "blur" in (tmp_path / "blur.html").read_text()[:2000]

    again = lift.compile(blur, derivation=tuned.derivation)
    assert again.derivation({"n": 40, "m": 60}) == tuned.derivation
    np.testing.assert_allclose(again(image), blurred(image), rtol=1e-6)

    # What was found is known to a later start, and to compile.
    known = searched(unless_known=True, database=database)
    assert known.origin and known.derivation == tuned.derivation
    with pytest.raises(lift.UserError, match="nothing was searched, so that there is no report"):
        known.results  # noqa: B018
    kernel = lift.compile(blur, tuned=True, database=database)
    assert kernel.origin({"n": 40, "m": 60}) and kernel.derivation({"n": 40, "m": 60}) == tuned.derivation
    assert lift.compile(blur, tuned=True, database=tmp_path / "empty.db").origin({"n": 40, "m": 60}) == ""


def test_sizes_follow_from_the_data():
    f = rng.random((30, 21))
    tuned = searched(red_black, sizes=None, data={"u": np.zeros((32, 23)), "f": f, "a": 1 + f, "color": 1})
    assert tuned.sizes == {"n": 30, "m": 21} and tuned.results["counts"]["wrong"] == 0
    with pytest.raises(lift.UserError, match="data is given for 'g', which is no argument"):
        searched(data={"g": f})
    with pytest.raises(lift.UserError, match="the data of image is n.m.f32, but an array of float64"):
        searched(data={"image": f})
    with pytest.raises(lift.UserError, match="dimension 2"):
        searched(data={"image": np.zeros((40, 61), np.float32)})


def test_functions_of_the_c_compiler_are_explored():
    n = lift.nat("n")
    cube = lift.user_fun("cube", {"x": lift.f64}, lift.f64, "return x * x * x;")
    x = lift.param("x", lift.array(lift.f64, n))
    tuned = searched(lift.Program("cubes", [x], x | lift.map(cube)), sizes={"n": 1000})
    data = rng.random(1000)
    np.testing.assert_allclose(tuned.kernel()(data), data**3)
    assert tuned.results["counts"]["wrong"] == 0


def test_what_the_listener_raises_ends_the_search():
    def listener(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        searched(progress=listener)


def test_a_budget_is_needed():
    with pytest.raises(lift.UserError, match="the budget is 0 s"):
        searched(budget=0)
    with pytest.raises(lift.UserError, match="size"):
        searched(sizes={"n": 40})


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar():
    stream = Terminal()
    bar = lift.Bar(stream)
    bar("exploring", 0.5, 12, 0.25, "tile 64 8, parallel, vectors of 8, and a name that does not fit into the line")
    bar.close()
    line = stream.getvalue()
    assert line.startswith("\r\033[K[##########..........] exploring, 12 timed, best 0.25 ms: tile 64 8")
    assert line.endswith("\r\033[K") and len(line.split("\033[K")[1]) <= 80
    plain = io.StringIO()
    bar = lift.Bar(plain)
    for fraction in (0.1, 0.2):
        bar("exploring", fraction, 1, 0, "")
    assert plain.getvalue() == "liftgen: exploring\n"
