"""Solvers from Python: the solution, its report, SciPy's iterations around it, interrupts, and what is refused."""

import os
import signal
import sqlite3
import threading
import time

import liftgen as lift
import numpy as np
import pytest
from liftgen import gmg


def five_points(n, m):
    """-div grad as a matrix: u = 0 at the faces of j, no flux through those of i."""
    a = np.zeros((n * m, n * m))
    for j in range(n):
        for i in range(m):
            for dj, di in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                row, y, x = j * m + i, j + dj, i + di
                if 0 <= x < m:
                    a[row, row] += 1 if 0 <= y < n else 2
                    if 0 <= y < n:
                        a[row, y * m + x] -= 1
    return a


def box_of(n, m):
    box = gmg.Domain((n, m), spacing=1)
    box["i_low"] = box["i_high"] = gmg.neumann()
    return box


def five_point_solver(n=12, m=10, **plan):
    return lift.Solver(gmg.helmholtz(box_of(n, m), variable=False), bottom_cells=30, **plan)


def test_a_solution_and_its_report():
    rng = np.random.default_rng(3)
    f = rng.random((12, 10))
    solver = five_point_solver()
    report = solver.solve(f, relative=1e-11)
    assert report.converged and report.status == "converged" and "Converged after" in str(report)
    np.testing.assert_allclose(report.u.ravel(), np.linalg.solve(five_points(12, 10), f.ravel()), rtol=1e-8)
    assert len(report.history) == report.cycles + 1 and report.history[-1] <= 1e-11 * report.reference
    assert {row["leg"] for row in report.table} >= {"down", "up", "bottom"}
    assert abs(sum(row["share"] for row in report.table) - 1) < 1e-9
    again = solver.solve(f, report.u)
    assert again.cycles == 0 and again.u is report.u
    late = solver.solve(f, cycles=1, relative=0.0)
    assert not late.converged and late.status == "cycles used up"


def test_own_operators_are_what_the_library_has():
    n, m = 10, 12
    rng = np.random.default_rng(4)
    f, bj, bi = rng.random((n, m)), rng.random((n + 1, m)) + 0.5, rng.random((n, m + 1)) + 0.5
    box = gmg.Domain((n, m))
    box["j_low"] = gmg.dirichlet(rng.random(m))

    def a(at):
        q, p = at.per_spacing("j"), at.per_spacing("i")
        return (q * q * (at.face("bj", 1) * (at.u() - at.u(1, 0)) + at.face("bj", 0) * (at.u() - at.u(-1, 0)))
                + p * p * (at.face("bi", 1) * (at.u() - at.u(0, 1)) + at.face("bi", 0) * (at.u() - at.u(0, -1))))
    own = lift.solve(gmg.equation(box, a, faces={"bj": "j", "bi": "i"}), f, coefficients={"bj": bj, "bi": bi})
    library = lift.solve(gmg.helmholtz(box), f, coefficients={"beta_j": bj, "beta_i": bi})
    assert own.converged and library.converged
    np.testing.assert_allclose(own.u, library.u, rtol=1e-6)
    mixed = lift.solve(gmg.equation(box, a, faces={"bj": "j", "bi": "i"}), f, coefficients={"bj": bj, "bi": bi}, mixed=True,
                       bottom_cells=20)
    np.testing.assert_allclose(mixed.u, library.u, rtol=1e-6)


def test_a_program_is_an_operator_and_functions_are_coefficients():
    program = lift.parse("""
        size n, m
        param u : n.m.f64
        param b : n.(m + 1).f64
        param per_h_i, c : f64
        result r : n.m.f64 = zip2(u |> pad2((0, 1), 0, odd) |> pad2(0, (0, 1), mirror) |> slide2((1, 3), 1), b |> slide2((1, 2), 1))
          |> map2(\\(w, b). c * w[0, 1] + per_h_i * per_h_i * (b[0, 0] * (w[0, 1] - w[0, 0]) + b[0, 1] * (w[0, 1] - w[0, 2])))
        """)
    equation = gmg.equation(gmg.Domain((4, 16)), program, numbers={"c": 2.0})
    assert equation.coefficients == {"b": "i"} and equation.numbers == {"c": 2.0}
    solver = lift.Solver(equation)
    j, i = np.meshgrid((np.arange(4) + 0.5) / 16, np.arange(17) / 16, indexing="ij")
    x = np.random.default_rng(5).random((4, 16))
    by_function = solver.set("b", lambda j, i: 1 + j * i).apply(x)
    np.testing.assert_array_equal(by_function, solver.set("b", 1 + j * i).apply(x))
    assert np.any(by_function != solver.set("b", 1).apply(x))


def test_iterations_of_scipy():
    linalg = pytest.importorskip("scipy.sparse.linalg", reason="SciPy is not installed")
    f = np.random.default_rng(6).random((12, 10))
    box = box_of(12, 10)
    box["j_low"] = gmg.dirichlet(3.0)
    solver = lift.Solver(gmg.helmholtz(box, variable=False), bottom_cells=30)
    b = solver.homogeneous(f).ravel()
    x, status = linalg.gmres(solver.linear_operator(), b, M=solver.preconditioner())
    assert status == 0
    np.testing.assert_allclose(x.reshape(12, 10), solver.solve(f).u, rtol=1e-3)


def test_what_iterations_around_it_call():
    a, rng = five_points(12, 10), np.random.default_rng(7)
    solver = five_point_solver()
    x = rng.random((12, 10))
    ax = solver.apply(x)
    np.testing.assert_allclose(ax.ravel(), a @ x.ravel(), rtol=1e-12)
    z = solver.precondition(ax)
    assert np.linalg.norm(z - x) < 0.1 * np.linalg.norm(x)
    assert np.linalg.norm(solver.precondition(ax, cycles=3) - x) < 1e-3 * np.linalg.norm(x)
    np.testing.assert_allclose(solver.precondition(2 * ax), 2 * z, rtol=1e-12)
    box = box_of(12, 10)
    box["j_low"] = gmg.dirichlet(3.0)
    shifted = lift.Solver(gmg.helmholtz(box, variable=False)).homogeneous(np.zeros((12, 10)))
    assert (shifted[0] == 6).all() and (shifted[1:] == 0).all()


def test_without_scipy_its_operators_say_so():
    try:
        import scipy  # noqa: F401
    except ImportError:
        with pytest.raises(lift.EnvironmentError, match="pip install scipy"):
            five_point_solver().linear_operator()


def test_an_interrupt_during_a_solve_is_pythons_and_the_best_iterate_stays():
    solver = lift.Solver(gmg.helmholtz(gmg.Domain((512, 512)), variable=False), smoother="jacobi", down=400, up=400)
    f, u = np.ones((512, 512)), np.zeros((512, 512))
    solver.solve(f, u, cycles=0)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() < started + 60:
            u[:] = 0
            solver.solve(f, u, relative=1e-15)
    timer.join()
    assert u.max() > 0


def remembered(database):
    """How many finds a database has."""
    if not database.exists():
        return 0
    with sqlite3.connect(database) as found:
        there = found.execute("select count(*) from sqlite_master where name = 'found'").fetchone()[0]
        return found.execute("select count(*) from found").fetchone()[0] if there else 0


def test_an_interrupt_ends_tuning_and_keeps_what_was_found(database):
    solver = lift.Solver(gmg.helmholtz(gmg.Domain((256, 256)), variable=False))
    interrupted = []

    def interrupt_when_something_was_found():
        for _ in range(1200):
            time.sleep(0.1)
            if remembered(database):
                break
        interrupted.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt_when_something_was_found)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        solver.tune(1000, database=str(database))
    thread.join()
    assert time.monotonic() - interrupted[0] < 60  # of 1000 s
    assert remembered(database) > 0
    f = np.ones((256, 256))
    assert solver.solve(f).converged


def test_what_does_not_fit_is_refused():
    solver = five_point_solver()

    def refused(text, action):
        with pytest.raises(lift.UserError) as e:
            action()
        assert text in str(e.value), e.value
    refused("12.10.f64", lambda: solver.solve(np.ones((10, 12))))
    refused("numpy.float64", lambda: solver.solve(np.ones((12, 10), np.float32)))
    refused("ascontiguousarray", lambda: solver.solve(np.ones((12, 20))[:, ::2]))
    frozen = np.zeros((12, 10))
    frozen.flags.writeable = False
    refused("read-only", lambda: solver.solve(np.ones((12, 10)), frozen))
    refused("no coefficient 'beta_i'", lambda: solver.set("beta_i", 1.0))
    refused("V, W, F", lambda: five_point_solver(cycle="X"))
    refused("no choice 'sweeps'", lambda: five_point_solver(sweeps=2))
    refused("no face 'k'", lambda: gmg.Domain((4, 4)).__setitem__("k", gmg.neumann()))
    refused("no axis k", lambda: gmg.Domain((4, 4)).__setitem__("k_low", gmg.neumann()))
    assert solver.solve(np.full((12, 10), np.nan)).status == "not finite"
    with pytest.raises(ZeroDivisionError):
        gmg.equation(gmg.Domain((4, 4)), lambda at: at.u() * (1 / 0))


def test_what_tuning_found_is_taken_by_a_solver_that_asks(tmp_path):
    file = str(tmp_path / "found.db")
    f = np.ones((12, 10))
    tuning = five_point_solver(down=1, up=3)
    assert tuning.tune(1.0, file)
    report = five_point_solver(tuned=True, database=file).solve(f)
    assert report.converged and report.plan.startswith("V(1,3)") and "tuned on" in report.notes[0]
    assert five_point_solver(tuned=True, database=file, up=1).solve(f).plan.startswith("V(1,1)")
    assert five_point_solver(database=file).solve(f).plan.startswith("V(2,2)")
    assert five_point_solver(14, tuned=True, database=file).solve(np.ones((14, 10))).plan.startswith("V(2,2)")
