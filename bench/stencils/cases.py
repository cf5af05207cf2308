"""The stencils: arrays, the arithmetic of a cell, and what numpy makes of them.

The arithmetic of a cell is written once, as a function of accessors: `at(array, k, j, i)` is the neighbour at that
offset, and a tool's module passes accessors that make its own expressions. liftgen gets the same as text.
Every array has one layer of ghost cells around `n` cells a dimension. It holds values and is never written.
"""

import dataclasses
import functools
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Case:
    name: str
    title: str
    n: int                    #: cells a dimension
    rank: int
    inputs: dict              #: array -> (lowest, highest value)
    cell: Callable            #: (at, number) -> the new value of a cell
    text: str                 #: the program for liftgen
    arrays_moved: int         #: arrays that one application reads or writes at least once
    source: str = "u"         #: the array that `cell` gives new values of
    steps: int = 1            #: applications in a row; the result of one is the input of the next
    colours: bool = False     #: of red-black order: only cells of one colour change, in place
    dtype: type = np.float64
    unit: str = "one application"

    @property
    def gigabytes(self):
        """What all steps of a call have to move at least, if every step goes through memory."""
        return self.arrays_moved * self.steps * self.n ** self.rank * np.dtype(self.dtype).itemsize / 1e9

    def data(self, seed=1):
        rng = np.random.default_rng(seed)
        shape = (self.n + 2,) * self.rank
        return {name: (low + (high - low) * rng.random(shape)).astype(self.dtype)
                for name, (low, high) in self.inputs.items()}

    def inside(self, array):
        return array[(slice(1, -1),) * self.rank]

    def in_three(self, offsets):
        """(k, j, i), of which those beyond the rank are left out."""
        return offsets[3 - self.rank:]


def shifted(array, offsets):
    return array[tuple(slice(1 + o, array.shape[d] - 1 + o) for d, o in enumerate(offsets))]


def with_numpy(case, data):
    """The expected result: the interior after all steps. Planes are taken apart, so that little memory is needed."""
    now = data[case.source].copy()
    number = case.dtype
    for step in range(case.steps):
        new = now.copy()
        for first in range(0, case.n, 32):
            last = min(case.n, first + 32)
            part = (slice(first, last + 2),)

            def at(name, *offsets):
                return shifted((now if name == case.source else data[name])[part], case.in_three(offsets))

            value = case.cell(at, number)
            target = case.inside(new)[first:last]
            if case.colours:
                position = np.indices(value.shape, sparse=True)
                mine = (sum(position) + first + step) % 2 == 0
                value = np.where(mine, value, target)
            target[...] = value
        now = new
    return case.inside(now)


def operator(at, number, u):
    """a alpha u - b / h^2 div(beta grad u), beta at the lower faces of cells."""
    beta_terms = (at("beta_i", 0, 0, 1) * (at(u, 0, 0, 1) - at(u, 0, 0, 0))
                  - at("beta_i", 0, 0, 0) * (at(u, 0, 0, 0) - at(u, 0, 0, -1))
                  + at("beta_j", 0, 1, 0) * (at(u, 0, 1, 0) - at(u, 0, 0, 0))
                  - at("beta_j", 0, 0, 0) * (at(u, 0, 0, 0) - at(u, 0, -1, 0))
                  + at("beta_k", 1, 0, 0) * (at(u, 1, 0, 0) - at(u, 0, 0, 0))
                  - at("beta_k", 0, 0, 0) * (at(u, 0, 0, 0) - at(u, -1, 0, 0)))
    return number(A) * at("alpha", 0, 0, 0) * at(u, 0, 0, 0) - number(B_H2INV) * beta_terms


def relaxed(at, number):
    return at("u", 0, 0, 0) + at("lambda_", 0, 0, 0) * (at("rhs", 0, 0, 0) - operator(at, number, "u"))


def residual(at, number):
    return at("rhs", 0, 0, 0) - operator(at, number, "u")


def jacobi(at, number):
    neighbours = (at("u", -1, 0, 0) + at("u", 1, 0, 0) + at("u", 0, -1, 0) + at("u", 0, 1, 0) + at("u", 0, 0, -1)
                  + at("u", 0, 0, 1))
    return number(0.4) * at("u", 0, 0, 0) + number(0.1) * neighbours


def row_of_blur(at, number, j):
    return at("u", 0, j, -1) + number(2) * at("u", 0, j, 0) + at("u", 0, j, 1)


def blur(at, number):
    return number(0.0625) * (row_of_blur(at, number, -1) + number(2) * row_of_blur(at, number, 0)
                             + row_of_blur(at, number, 1))


def heat(at, number):
    around = at("u", 0, -1, 0) + at("u", 0, 1, 0) + at("u", 0, 0, -1) + at("u", 0, 0, 1)
    return at("u", 0, 0, 0) + number(0.2) * (around - number(4) * at("u", 0, 0, 0))


A, B_H2INV = 0.5, 0.25

VARIABLE = {"u": (0, 1), "rhs": (0, 1), "alpha": (0.7, 1.3), "beta_i": (0.7, 1.3), "beta_j": (0.7, 1.3),
            "beta_k": (0.7, 1.3), "lambda_": (0.2, 0.3)}

OPERATOR_TEXT = """
def faces_i(b) = b |> drop3(1, (1, 1, 0)) |> slide3((1, 1, 2), 1)
def faces_j(b) = b |> drop3(1, (1, 0, 1)) |> slide3((1, 2, 1), 1)
def faces_k(b) = b |> drop3(1, (0, 1, 1)) |> slide3((2, 1, 1), 1)
def operator(u, alpha, beta_i, beta_j, beta_k) =
  0.5 * alpha * u[1, 1, 1]
    - 0.25 * (beta_i[0, 0, 1] * (u[1, 1, 2] - u[1, 1, 1]) - beta_i[0, 0, 0] * (u[1, 1, 1] - u[1, 1, 0])
      + beta_j[0, 1, 0] * (u[1, 2, 1] - u[1, 1, 1]) - beta_j[0, 0, 0] * (u[1, 1, 1] - u[1, 0, 1])
      + beta_k[1, 0, 0] * (u[2, 1, 1] - u[1, 1, 1]) - beta_k[0, 0, 0] * (u[1, 1, 1] - u[0, 1, 1]))
"""

SMOOTH_TEXT = OPERATOR_TEXT + """
def half_sweep(u, colour) =
  update3(u, 1,
    zip3(positions(n, n, n), u |> slide3(3, 1), rhs |> drop3(1, 1), alpha |> drop3(1, 1), faces_i(beta_i),
         faces_j(beta_j), faces_k(beta_k), lambda_ |> drop3(1, 1))
    |> map3(\\((k, j, i), u, rhs, alpha, beta_i, beta_j, beta_k, lambda_).
      select((i + j + k + colour) % 2 == 0,
        u[1, 1, 1] + lambda_ * (rhs - operator(u, alpha, beta_i, beta_j, beta_k)), u[1, 1, 1])))
"""


def program(name, inputs, rank, n, scalar, body, result):
    array = ".".join(["(n + 2)"] * rank) + "." + scalar
    params = "".join(f"param {x} : {array} = random({seed}, {low}, {high})\n"
                     for seed, (x, (low, high)) in enumerate(inputs.items(), 1))
    return f"program {name}\nsize n = {n} where n >= 2\n{params}{body}\nresult {result}\n"


def in_a_row(steps):
    """Named stages: what is read several times is computed once."""
    text, last = "", "u"
    for number, step in enumerate(steps[:-1], 1):
        text += f"let u{number} = {step.format(last)} in "
        last = f"u{number}"
    return text + steps[-1].format(last)


def all_cases(n3=256, n2=4096):
    u = {"u": (0, 1)}
    cells3, cells2 = "n.n.n.f64", "n.n.f32"
    residual_inputs = {k: v for k, v in VARIABLE.items() if k != "lambda_"}
    smooth = functools.partial(Case, n=n3, rank=3, inputs=VARIABLE, cell=relaxed, arrays_moved=8, colours=True)
    return [
        Case("jacobi", f"Jacobi, 7 points, constant coefficients, {n3}^3, f64", n3, 3, u, jacobi,
             program("jacobi", u, 3, n3, "f64", """
def cell(w) =
  0.4 * w[1, 1, 1] + 0.1 * (w[0, 1, 1] + w[2, 1, 1] + w[1, 0, 1] + w[1, 2, 1] + w[1, 1, 0] + w[1, 1, 2])
""", f"after : {cells3} = u |> slide3(3, 1) |> map3(cell)"), 2),
        Case("residual", f"residual, variable coefficients, {n3}^3, f64", n3, 3, residual_inputs, residual,
             program("residual", residual_inputs, 3, n3, "f64", OPERATOR_TEXT, f"""after : {cells3} =
  zip3(u |> slide3(3, 1), rhs |> drop3(1, 1), alpha |> drop3(1, 1), faces_i(beta_i), faces_j(beta_j), faces_k(beta_k))
  |> map3(\\(u, rhs, alpha, beta_i, beta_j, beta_k). rhs - operator(u, alpha, beta_i, beta_j, beta_k))"""), 7),
        smooth("half-sweep", f"red-black Gauss-Seidel, variable coefficients, a half-sweep, {n3}^3, f64",
               text=program("half_sweep_alone", VARIABLE, 3, n3, "f64",
                            "overwrite u\n" + SMOOTH_TEXT, "= half_sweep(u, 0)")),
        smooth("half-sweeps", f"four such half-sweeps, {n3}^3, f64", steps=4, unit="all four",
               text=program("half_sweeps", VARIABLE, 3, n3, "f64", "overwrite u\n" + SMOOTH_TEXT,
                            "= " + in_a_row([f"half_sweep({{}}, {s % 2})" for s in range(4)]))),
        Case("blur", f"blur, 9 points, {n2}^2, f32", n2, 2, u, blur, program("blur", u, 2, n2, "f32", """
def row(w) = w[0] + 2 * w[1] + w[2]
def cell(w) = 0.0625 * (row(w[0]) + 2 * row(w[1]) + row(w[2]))
""", f"after : {cells2} = u |> slide2(3, 1) |> map2(cell)"), 2, dtype=np.float32),
        Case("heat", f"heat, 5 points, fixed border, eight time steps, {n2}^2, f64", n2, 2, u, heat,
             program("heat", u, 2, n2, "f64", """
def cell(w) = w[1, 1] + 0.2 * (w[0, 1] + w[2, 1] + w[1, 0] + w[1, 2] - 4 * w[1, 1])
def step(u) = update2(u, 1, u |> slide2(3, 1) |> map2(cell))
""", "after : (n + 2).(n + 2).f64 = " + in_a_row(["step({})"] * 8)), 2, steps=8, unit="all eight"),
    ]
