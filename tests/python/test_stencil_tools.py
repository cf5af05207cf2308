"""bench/stencil_tools: liftgen is given the same stencils as the others, and what is absent is named with its remedy."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import liftgen as lift
import numpy as np
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
from stencils import harness  # noqa: E402
from stencils.cases import all_cases, with_numpy  # noqa: E402

CASES = {c.name: c for c in all_cases(6, 10)}


@pytest.mark.parametrize("name", CASES)
def test_the_text_for_liftgen_says_what_numpy_computes(name):
    case = CASES[name]
    data = case.data()
    arrays = {k: a.copy() for k, a in data.items()}
    result = lift.compile(lift.parse(case.text, name="case"))(**arrays)
    if "overwrite u" in case.text:
        assert result is None
        result = arrays["u"]
    if result.shape == data["u"].shape:
        ring = np.ones(result.shape, bool)
        case.inside(ring)[...] = False
        assert (result[ring] == data["u"][ring]).all(), "ghost cells keep their values"
        result = case.inside(result)
    expected = with_numpy(case, data)
    assert np.abs(result - expected).max() <= harness.bound(case) * np.abs(expected).max()
    assert np.abs(case.inside(data["u"]) - expected).max() > 1e-3, "a kernel that does nothing would be noticed"


def contender(values, seconds):
    return harness.Contender("x", "", lambda: seconds, lambda: None, lambda: np.array(values))


def test_a_wrong_setting_is_out_however_fast():
    said = []
    makers = [("right", lambda: contender([1.0, 2.0], 0.2)), ("wrong", lambda: contender([1.0, 2.1], 0.1)),
              ("refused", lambda: 1 / 0), ("nan", lambda: contender([1.0, np.nan], 0.1))]
    best = harness.search(CASES["heat"], np.array([1.0, 2.0]), 10, makers, said.append)
    assert best.run() == 0.2 and best.tried == 3
    assert [line.split(":")[1].split(",")[0].strip() for line in said] == ["200.00 ms", "wrong", "ZeroDivisionError", "wrong"]
    with pytest.raises(harness.NotExpressible, match="none of 1 settings gave the right result"):
        harness.search(CASES["heat"], np.array([1.0, 2.0]), 10, makers[1:2], said.append)


def run_script(*options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, BENCH / "stencil_tools", *options], capture_output=True, text=True, env=environment)


def test_the_script_measures_who_is_here_and_names_who_is_not():
    made = run_script("--case", "jacobi", "--cells", "8", "--budget", "1", "--rounds", "1", "--with", "liftgen,halide")
    assert made.returncode == 0, made.stderr
    rows = [line.split() for line in made.stdout.splitlines()]
    assert any(r and r[0] == "liftgen" and float(r[1]) > 0 and r[4] == "1.00x" for r in rows), made.stdout
    if importlib.util.find_spec("halide") is None:
        assert "absent: No module named 'halide'; pip install halide" in made.stdout


@pytest.mark.parametrize("options, words", [
    (["--with", "halid"], "--with: 'halid' is no tool; there are liftgen, halide, devito, pystencils"),
    (["--case", "jacobbi"], "there is no case 'jacobbi'; there are jacobi, residual, half-sweep, half-sweeps, blur, heat"),
    (["--cells", "7"], "--cells: an even number from 8 on is needed")])
def test_mistakes_are_named(options, words):
    made = run_script(*options)
    assert made.returncode != 0 and words in made.stderr, made.stderr
