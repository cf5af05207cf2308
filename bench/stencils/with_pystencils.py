"""pystencils: OpenMP and vectors, on numpy arrays and on its own aligned arrays, blocked or not."""

import functools
import itertools

import numpy as np

from .harness import Absent, Contender, search, timed


def contenders(case, data, expected, budget, threads, log):
    try:
        import pystencils
    except ImportError as e:
        raise Absent(f"{e}; pip install pystencils") from e
    yield search(case, expected, budget, makers(pystencils, case, Data(data), threads), log)


def makers(ps, case, data, threads):
    """Settings, the usual ones first. Red-black in place needs guards, which have no vectors, or one pass for each
    parity of planes and rows."""
    blocks = [None, (None, 64, None), (32, 32, None), (8, 8, None), (16, 64, None), (4, 128, None)]
    if case.rank == 2:
        blocks = [None, (64, 1024), (32, 4096), (256, 512), (None, 2048)]
    layouts = ["numpy's arrays", "aligned arrays", "aligned arrays, streaming stores"]
    if case.colours:
        kinds = ["in place, guarded", "in place, a pass for each parity", "two arrays, guarded, vectors",
                 "in place, guarded, vectors"]
        for block, kind in itertools.product(blocks, kinds):
            vectors = kind.endswith("vectors")
            yield f"{kind}{blocked(block)}", maker(ps, case, data, threads, block, kind, layouts[0], vectors)
        return
    for block, layout in itertools.product(blocks, layouts):
        yield f"{layout}, vectors{blocked(block)}", maker(ps, case, data, threads, block, "", layout, True)


def blocked(block):
    return "" if block is None else ", blocks " + " x ".join("all" if b is None else str(b) for b in block)


def aligned(ps, array):
    """The array with its first inner cell, and every row, at a multiple of 64 bytes."""
    from pystencils.alignedarray import aligned_empty
    made = aligned_empty(array.shape, byte_alignment=64, dtype=array.dtype, byte_offset=array.dtype.itemsize,
                         order="C", align_inner_coordinate=True)
    made[...] = array
    return made


@functools.lru_cache(maxsize=2)
def arrays_of(ps, own, data):
    """Copies of the data, and a second array of the one that changes: shared by all settings."""
    copied = functools.partial(aligned, ps) if own else np.copy
    return {name: copied(a) for name, a in data.of.items()}, copied(data.of["u"])


@functools.lru_cache(maxsize=1)
def jit_of(ps):
    """Its compiler, which finds the headers of this numpy before those of another that the system has."""
    from pystencils.jit.cpu.compiler_info import CompilerInfo
    return ps.jit.CpuJit(CompilerInfo.get_default(extra_cxxflags=[f"-I{np.get_include()}"]))


class Data:
    """Arrays by name, as a key of a cache: the same object, the same arrays."""

    def __init__(self, of):
        self.of = of


def maker(ps, case, data, threads, block, kind, layout, vectors):
    def make():
        own = layout.startswith("aligned")
        arrays, second = arrays_of(ps, own, data)
        in_place = kind.startswith("in place")
        config = ps.CreateKernelConfig(target=ps.Target.CurrentCPU, default_dtype=np.dtype(case.dtype).name)
        config.cpu.openmp.enable, config.cpu.openmp.num_threads = True, threads
        config.jit = jit_of(ps)
        if block is not None:
            sizes = [case.n if b is None else b for b in block]
            config.cpu.loop_blocking = tuple(sizes)
        if vectors:
            config.cpu.vectorize.enable = config.cpu.vectorize.assume_inner_stride_one = True
            config.cpu.vectorize.assume_aligned = own
            config.cpu.vectorize.use_nontemporal_stores = "streaming" in layout
        config.skip_independence_check = in_place
        calls = kernels(ps, case, config, kind)
        fixed = {k: v for k, v in arrays.items() if k != case.source}
        pair = [arrays[case.source], second]

        def all_steps():
            for step in range(case.steps):
                now, new = (pair[0], pair[0]) if in_place else (pair[step % 2], pair[(step + 1) % 2])
                for call, needs_colour in calls[step % 2 if "pass" in kind else 0]:
                    more = {"colour": step % 2} if needs_colour else {}
                    if in_place:
                        call(u=now, **fixed, **more)
                    else:
                        call(u=now, after=new, **fixed, **more)

        last = pair[0] if in_place else pair[case.steps % 2]
        return Contender("pystencils", f"{kind + ', ' if kind else ''}{layout}{', vectors' if vectors and not kind else ''}"
                         f"{blocked(block)}", lambda: timed(all_steps),
                         lambda: [a.__setitem__(..., data.of[case.source]) for a in pair], lambda: case.inside(last))
    return make


def kernels(ps, case, config, kind):
    """For each parity of the step, kernels to call one after the other, and whether they want the colour."""
    import sympy as sp
    scalar = "double" if case.dtype == np.float64 else "float32"
    names = list(data_names(case)) + ([] if kind.startswith("in place") else ["after"])
    fields = dict(zip(names, ps.fields(f"{', '.join(names)}: {scalar}[{case.rank}D]")))

    def at(name, *offsets):
        return fields[name][tuple(case.in_three(offsets))]

    target = fields["u" if kind.startswith("in place") else "after"]
    center = target[(0,) * case.rank]
    value = case.cell(at, sp.Float)
    if not case.colours:
        return [[(ps.create_kernel(ps.Assignment(center, value), config).compile(), False)]]
    if "pass" in kind:
        made = []
        for colour in (0, 1):
            passes = []
            for k, j in itertools.product((0, 1), (0, 1)):
                first = (1 + k, 1 + j, 1 + (k + j + colour) % 2)
                own = config.copy()
                own.iteration_slice = tuple(slice(f, -1, 2) for f in first)
                passes.append((ps.create_kernel(ps.Assignment(center, value), own).compile(), False))
            made.append(passes)
        return made
    from pystencils.defaults import DEFAULTS
    from pystencils.sympyextensions.integer_functions import int_rem
    colour = ps.TypedSymbol("colour", "int64")
    # Counters begin at 1, the first cell behind the ghost layer: three of them add what is odd.
    mine = sp.Eq(int_rem(sum(DEFAULTS.spatial_counters[:3]) + colour, 2), 1)
    guarded = sp.Piecewise((value, mine), (at("u", 0, 0, 0), True))
    return [[(ps.create_kernel(ps.Assignment(center, guarded), config).compile(), True)]]


def data_names(case):
    return case.inputs.keys()
