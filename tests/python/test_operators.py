"""The library's operators as functions, against plain loops of C++ and the command."""

import inspect
import os
import pathlib
import subprocess

import liftgen as lift
import numpy as np
import pytest
from liftgen import _core, operators

LIFTGEN = pathlib.Path(lift.__file__).parents[2] / "liftgen"


def case(name, cells, boxes=2, **options):
    """(arguments by name, in the program's order; the results that plain loops give)"""
    p = operators.program(name, cells=cells, boxes=boxes, **options)
    boundary, ghost = options.pop("boundary", "ghost"), options.pop("ghost", 1)
    given, expected = _core.operator_case(name, list(cells), boxes, ghost, options.pop("type", lift.f64), boundary,
                                          {n.replace("_", "-"): v for n, v in options.items()})
    values = [a if x.type.is_array else a[0] for x, a in zip(p.arguments, given)]
    return dict(zip([_core.param_name(x) for x in p.arguments], values)), expected


def compared(name, cells, **options):
    values, expected = case(name, cells, **options)
    order = operators._order(operators.program(name, cells=cells, boxes=2, **options))
    f = getattr(operators, name)
    got = f(*(values[n.rstrip("_") if n == "lambda_" else n] for n in order), **{n: v for n, v in options.items() if n != "type"})
    got = got if isinstance(got, tuple) else (got,)
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        np.testing.assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-5 if options.get("type") == lift.f32 else 1e-11, atol=1e-6 if
                                   options.get("type") == lift.f32 else 1e-12)
    return values, got


@pytest.mark.parametrize("name", operators.names)
def test_each_computes_what_plain_loops_do(name):
    dimensions = operators._LIST[name][0]
    compared(name, (8,) * dimensions)


@pytest.mark.parametrize("options", [{"coefficients": "constant"}, {"smoother": "jacobi"}, {"boundary": "periodic"},
                                     {"type": lift.f32}, {"ghost": 2}], ids=str)
def test_options_are_those_of_the_command(options):
    compared("smooth3d", (8, 8, 8), **options)


def test_boxes_need_not_be_cubes():
    compared("residual3d", (4, 6, 8))
    compared("restriction2d", (4, 8))


def test_what_is_written_may_be_left_out_and_dimensions_follow_from_the_arrays(tmp_path):
    values, (expected,) = compared("residual2d", (6, 6))
    written = values.pop("res")
    new = operators.residual(*values.values())
    np.testing.assert_array_equal(new[:, 1:-1, 1:-1], expected[:, 1:-1, 1:-1])
    assert new[0, 0, 0] == 0 and new is not written
    named = operators.residual(values.pop("phi"), **values)
    np.testing.assert_array_equal(named, new)


def test_the_command_computes_the_same(tmp_path):
    values, (mine,) = compared("residual2d", (8, 8))
    made = subprocess.run([LIFTGEN, "run", "residual2d", "--box", "8", "--boxes", "2", "--output", f"out={tmp_path}/r.npy", "--quiet",
                           "--out", str(tmp_path)], capture_output=True, text=True, env={**os.environ, "LIFTGEN_DB": "none"})
    assert made.returncode == 0, made.stderr
    np.testing.assert_allclose(np.load(tmp_path / "r.npy").reshape(mine.shape), mine, rtol=1e-12)


@pytest.mark.parametrize("name", [n for n in operators.__all__ if n not in ("names", "program")])
def test_each_says_its_arguments_with_shapes(name):
    f = getattr(operators, name)
    text = inspect.getdoc(f)
    p = operators.program(f._names[-1])
    for x in p.arguments:
        assert operators._spelled(_core.param_name(x)) in text
        assert not x.type.is_array or str(x.type) in text
    assert list(inspect.signature(f).parameters)[:len(p.arguments)] == operators._order(p)
    for choice, values in operators._LIST[f._names[-1]][3].items():
        assert choice.replace("-", "_") + "=" in text and all(repr(v) in text for v in values)


def test_what_does_not_fit_is_refused():
    def refused(text, action):
        with pytest.raises(lift.UserError) as e:
            action()
        assert text in str(e.value) and f"[{__file__}:" in str(e.value), e.value

    values, _ = case("residual2d", (6, 6))
    phi = values["phi"]
    refused("residual: the first argument is an array of numpy of 2 to 4 dimensions, boxes first, but a Python int is given",
            lambda: operators.residual(3))
    refused("residual2d: the first argument is an array of numpy of 3 dimensions, boxes first, but one of 2 is given",
            lambda: operators.residual2d(phi[0]))
    refused("residual2d: the argument 'rhs' is missing; it takes phi, rhs, alpha, beta_i, beta_j, a, b_h2inv, res",
            lambda: operators.residual2d(phi))
    refused("residual2d: there is no argument 'b'; it takes phi, ", lambda: operators.residual2d(phi, b=1))
    refused("restriction2d: arrays of 1x7x7, 5x5 cells: --box 5: the coarse grid has half", lambda: operators.restriction2d(np.zeros((1, 7, 7))))
    with pytest.raises(lift.UserError, match="smooth2d: there is no choice 'smother'; there are coefficients, degree"):
        operators.program("smooth2d", smother="jacobi")
    with pytest.raises(lift.UserError, match="smooth2d: smoother = 'sor'; use one of gsrb, jacobi, chebyshev"):
        operators.program("smooth2d", smoother="sor")
