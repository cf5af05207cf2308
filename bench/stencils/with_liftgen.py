"""liftgen, through its Python package: what `explore` finds for the text of a case, on the caller's arrays."""

from .harness import Absent, Contender, timed


def contenders(case, data, expected, budget, threads, log):
    try:
        import liftgen as lift
    except ImportError as e:
        raise Absent(f"{e}; pip install . in the checkout, or PYTHONPATH=build/release/python") from e
    program = lift.parse(case.text, name=case.name)
    explored = lift.explore(program, sizes={"n": case.n}, data=data, budget=budget, threads=threads, rivals=False,
                            progress=None)
    best = explored.results["best"]
    log(explored.leaderboard(6))
    kernel = explored.kernel()
    arrays = {name: a.copy() for name, a in data.items()}
    u = arrays[case.source]
    if "overwrite u" in case.text:
        def call():
            kernel(**arrays)
        result = u
    else:
        scalar = lift.f64 if u.dtype.itemsize == 8 else lift.f32
        whole = "after : (n + 2)" in case.text
        result = lift.empty([case.n + 2 * whole] * case.rank, scalar)

        def call():
            kernel(**arrays, out=result)
    counts = explored.results["counts"]
    yield Contender("liftgen", best["name"], lambda: timed(call), lambda: u.__setitem__(..., data[case.source]),
                    lambda: case.inside(result) if result.shape == u.shape else result, counts["timed"])
