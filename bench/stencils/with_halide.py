"""Halide: hand schedules whose tiles, strips and unrolling are searched, and its autoschedulers.

Buffers are the caller's arrays. A half-sweep selects among old and new values, in place (the output buffer is the input's
memory) or into a second array, or it updates the cells of one colour. Several steps are fused in tiles, or called one by one."""

import itertools
import os
import pathlib

import numpy as np

from .harness import Absent, Contender, search, timed


def contenders(case, data, expected, budget, threads, log):
    try:
        import halide
    except ImportError as e:
        raise Absent(f"{e}; pip install halide") from e
    os.environ["HL_NUM_THREADS"] = str(threads)
    yield search(case, expected, budget, makers(Build(halide, case, data)), log)


def makers(build):
    case = build.case
    lanes = 64 // np.dtype(case.dtype).itemsize
    for kind in kinds_of(case):
        # The colours of a row's cells alternate: an update of one colour takes every second element.
        yield f"{kind}rows, vectors of {lanes}", build.maker(kind, lanes=lanes)
    for scheduler in ("Mullapudi2016", "Adams2019") if not case.colours else ():
        yield f"autoscheduler {scheduler}", build.maker("fused, ", autoscheduler=scheduler)
    tiles = ([(8, 8), (16, 16), (32, 8), (64, 8), (64, 64), (256, 1), (256, 4), (16, 4)] if case.rank == 3
             else [(64, 512), (32, 0), (128, 1024), (128, 0), (8, 0), (128, 512), (512, 0), (256, 512)])
    tiles = [t for t in tiles if max(t) <= case.n]
    for unrolled, tile, kind in itertools.product((1, 2, 4), tiles, kinds_of(case)):
        if case.rank == 3 and tile[0] % unrolled or "one colour" in kind and unrolled > 1:
            continue
        yield (f"{kind}tiles {tile[0]} x {tile[1] or 'row'}, vectors of {lanes}" + (f", unrolled by {unrolled}" if unrolled > 1 else ""),
               build.maker(kind, tile, lanes, unrolled))
    for tile, wide in itertools.product(tiles, (lanes // 2, lanes * 2)):
        yield f"{kinds_of(case)[0]}tiles {tile[0]} x {tile[1] or 'row'}, vectors of {wide}", build.maker(kinds_of(case)[0], tile, wide)


def kinds_of(case):
    if case.colours:
        return ["in place, ", "in place, one colour, ", "two arrays, "] + (["fused, "] if case.steps > 1 else [])
    if case.steps > 1:
        return ["fused, ", "a call for each step, "]
    return ["", "rows summed first, "] if case.name == "blur" else [""]


class Build:
    def __init__(self, hl, case, data):
        self.hl, self.case, self.data = hl, case, data
        self.names = [hl.Var(v) for v in "ijk"[:case.rank]]
        self.type = hl.Float(np.dtype(case.dtype).itemsize * 8)
        self.arrays = {name: a.copy() for name, a in data.items()}
        self.second = data[case.source].copy()

    def number(self, x):
        return self.hl.f64(x) if self.case.dtype == np.float64 else self.hl.f32(x)

    def buffer(self, array, ghosts=True):
        b = self.hl.Buffer(array if ghosts else self.case.inside(array))
        b.set_min([-1 if ghosts else 0] * self.case.rank)
        return b

    def accessor(self, inputs, source, where):
        """`at` over Halide's expressions, whose first variable is the innermost."""
        def at(name, *offsets):
            f = source if name == self.case.source else inputs[name]
            place = [w + o for w, o in zip(where, reversed(self.case.in_three(offsets)))]
            return f[place[0], place[1], place[2]] if len(place) == 3 else f[place[0], place[1]]
        return at

    def call(self, f, where):
        return f[where[0], where[1], where[2]] if len(where) == 3 else f[where[0], where[1]]

    def maker(self, kind, tile=None, lanes=8, unrolled=1, autoscheduler=None):
        return lambda: self.make(kind, tile, lanes, unrolled, autoscheduler)

    def make(self, kind, tile, lanes, unrolled, autoscheduler):
        hl, case = self.hl, self.case
        params = {name: hl.ImageParam(self.type, case.rank, name) for name in case.inputs}
        for p in params.values():
            for d in range(1, case.rank):
                p.dim(d).set_stride((case.n + 2) ** d)
        colour = hl.Param(hl.Int(32), "colour")
        fused = kind.startswith("fused") and case.steps > 1
        # Fused stages compute more than their interior; what lies outside is masked, and must not be read beyond the arrays.
        read_from = ({name: hl.BoundaryConditions.repeat_edge(p, [(-1, case.n + 2)] * case.rank) for name, p in params.items()}
                     if fused else params)
        stages = self.stages(read_from, colour, case.steps if fused else 1, kind)
        out = stages[-1]
        if autoscheduler:
            self.by_itself(out, params, autoscheduler)
        else:
            self.schedule(stages, kind, tile, lanes, unrolled)
        call = out.compile_to_callable([*params.values(), colour], hl.get_jit_target_from_environment())
        buffers = {name: self.buffer(a) for name, a in self.arrays.items()}
        others = [buffers[name] for name in params if name != case.source]
        pair = [self.arrays[case.source], self.arrays[case.source] if kind.startswith("in place") else self.second]
        read = [self.buffer(a) for a in pair]
        written = [self.buffer(a, ghosts=False) for a in pair]
        calls = 1 if fused else case.steps
        order = list(params)
        assert order[0] == case.source

        def all_steps():
            for step in range(calls):
                call(read[step % 2], *others, step % 2, written[(step + 1) % 2])

        last = pair[calls % 2]
        words = f"autoscheduler {autoscheduler}" if autoscheduler else (
            kind + (f"tiles {tile[0]} x {tile[1] or 'row'}" if tile else "rows") + f", vectors of {lanes}"
            + (f", unrolled by {unrolled}" if unrolled > 1 else ""))
        return Contender("Halide", words, lambda: timed(all_steps),
                         lambda: [a.__setitem__(..., self.data[case.source]) for a in pair], lambda: case.inside(last))

    def stages(self, params, colour, steps, kind):
        hl, case, where = self.hl, self.case, self.names
        source, made = params[case.source], []
        if "rows summed" in kind:
            rows, out = hl.Func("rows"), hl.Func("after")
            i, j = where
            rows[i, j] = source[i - 1, j] + self.number(2) * source[i, j] + source[i + 1, j]
            out[i, j] = self.number(0.0625) * (rows[i, j - 1] + self.number(2) * rows[i, j] + rows[i, j + 1])
            return [rows, out]
        if "one colour" in kind:
            return [self.of_one_colour(params, colour)]
        for step in range(steps):
            f, at = hl.Func(f"step{step}"), self.accessor(params, source, where)
            value = case.cell(at, self.number)
            if case.colours:
                mine = (sum(where[1:], where[0]) + (colour if steps == 1 else step)) % 2 == 0
                value = hl.select(mine, value, self.call(source, where))
            if step + 1 < steps:
                # The ring of ghost cells keeps its values; loops are split where this changes.
                inside = [hl.likely(w >= 0) & hl.likely(w < case.n) for w in where]
                all_inside = inside[0]
                for x in inside[1:]:
                    all_inside = all_inside & x
                value = hl.select(all_inside, value, self.call(params[case.source], where))
            self.define(f, where, value)
            made.append(f)
            source = f
        return made

    def define(self, f, where, value):
        if len(where) == 3:
            f[where[0], where[1], where[2]] = value
        else:
            f[where[0], where[1]] = value

    def of_one_colour(self, params, colour):
        hl, case = self.hl, self.case
        f = hl.Func("one_colour")
        i, j, k = self.names
        f[i, j, k] = hl.undef(self.type)
        r = hl.RDom([(0, case.n // 2), (0, case.n), (0, case.n)])
        place = [2 * r.x + (r.y + r.z + colour) % 2, r.y, r.z]
        f[place[0], place[1], place[2]] = case.cell(self.accessor(params, params[case.source], place), self.number)
        self.update = r
        return f

    def schedule(self, stages, kind, tile, lanes, unrolled):
        hl, case, out = self.hl, self.case, stages[-1]
        for d in range(case.rank):
            out.output_buffer().dim(d).set_bounds(0, case.n)
            if d:
                out.output_buffer().dim(d).set_stride((case.n + 2) ** d)
        if "one colour" in kind:
            r, u = self.update, out.update()
            u.allow_race_conditions()
            yo, zo, yi, zi = hl.RVar("yo"), hl.RVar("zo"), hl.RVar("yi"), hl.RVar("zi")
            if tile:
                u.split(r.y, yo, yi, tile[0]).split(r.z, zo, zi, max(tile[1], 1)).reorder(r.x, yi, zi, yo, zo).parallel(zo)
            else:
                u.parallel(r.z)
            u.vectorize(r.x, lanes)
            return
        where = self.names
        jo, ko, ji, ki, io, ii = (hl.Var(v) for v in ("jo", "ko", "ji", "ki", "io", "ii"))
        tiles = None
        if not tile:
            out.parallel(where[-1])
        elif case.rank == 3:
            out.tile(where[1], where[2], jo, ko, ji, ki, tile[0], tile[1])
            out.reorder(where[0], ji, ki, jo, ko).parallel(ko)
            tiles = jo
        else:
            out.split(where[1], jo, ji, tile[0])
            if tile[1]:
                out.split(where[0], io, ii, tile[1]).reorder(ii, ji, io, jo)
            out.parallel(jo)
            tiles = io if tile[1] else jo
        inner = ii if case.rank == 2 and tile and tile[1] else where[0]
        if unrolled > 1:
            # Rows side by side, in the innermost loop: they share what they load.
            row, lane, vector = hl.Var("row"), hl.Var("lane"), hl.Var("vector")
            out.split(ji, ji, row, unrolled).split(inner, vector, lane, lanes)
            around = [ki, jo, ko] if case.rank == 3 else [io, jo] if tile[1] else [jo]
            out.reorder(lane, row, vector, ji, *around).vectorize(lane).unroll(row)
        else:
            out.vectorize(inner, lanes)
        for f in stages[:-1]:
            f.vectorize(where[0], lanes)
            if tiles is None:
                f.compute_root().parallel(where[-1])
            elif "rows summed" in kind:
                f.store_at(out, tiles).compute_at(out, ji)
            else:
                f.compute_at(out, tiles)

    def by_itself(self, out, params, scheduler):
        hl, case = self.hl, self.case
        plugin = f"libautoschedule_{scheduler.lower()}.so"
        hl.load_plugin(next((str(f) for f in pathlib.Path(hl.__file__).parent.rglob(plugin)), plugin))
        for d in range(case.rank):
            out.set_estimate(self.names[d], 0, case.n)
            for p in params.values():
                p.dim(d).set_estimate(-1, case.n + 2)
        hl.Pipeline(out).apply_autoscheduler(hl.get_jit_target_from_environment(),
                                             hl.AutoschedulerParams(scheduler, {"parallelism": os.environ["HL_NUM_THREADS"]}))
