#!/usr/bin/env python3
"""All figures: docs/figures/make.py [--liftgen FILE] [--check]. Those of ideas are in ideas.py, those of schedules here.

Schedules are drawn from themselves. Derivations are replayed by `liftgen show --stage low`; lags, widths, margins and planes
of rings are read from the programs that result. --check draws nothing and fails when a figure is not as it would be drawn."""
import argparse, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from drawing import COLOURS, PALE, Drawing
from ideas import colour_split, derivation, roofline, window_and_slide

HERE = pathlib.Path(__file__).resolve().parent
STAGES = 4
ROWS = """program rows
size n = {n} where n >= 3
param u : n.f64 = wave
def mean(w) = w[0] + w[1] + w[2]
def step(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(mean)
result r : n.f64 = let a = step(u) in let b = step(a) in let c = step(b) in step(c)
"""
PLATE = """program plate
size n = {n} where n >= 3
param u : n.n.f64 = wave
def mean(w) = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]
def step(x) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(mean)
result r : n.n.f64 = let a = step(u) in let b = step(a) in let c = step(b) in step(c)
"""


def schedule(liftgen, program, n, *steps):
    """What the derivation made: of each construct (axis, width, numbers of the stages), and the planes of rings."""
    with tempfile.TemporaryDirectory() as folder:
        source, derivation = pathlib.Path(folder) / "chain.lift", pathlib.Path(folder) / "derivation"
        source.write_text(program.format(n=n))
        derivation.write_text("".join(f"{s} at body\n" for s in steps))
        shown = subprocess.run([liftgen, "show", source, "--stage", "low", "--derivation", derivation], capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(shown.stderr)
    text = shown.stdout.split("// derivation")[0]
    found = {"ring": [int(m) for m in re.findall(r"ring\((\d+)\)", text)]}
    for name, axis, width, numbers in re.findall(r"band<([\w, ]+)>\((\d+), (\d+), \(([\d, -]+)\)\)", text):
        found[name, int(axis)] = int(width), [int(x) for x in numbers.split(",")]
    return found


def ceildiv(a, b):
    return -(-a // b)


def in_steps(width, lags, n):
    """Of each step, of each stage: its positions."""
    last = max(lags) + n - 1
    return [[[k for k in range(width * s - lag, width * (s + 1) - lag) if 0 <= k < n] for lag in lags]
            for s in range(last // width + 1)]


def drawn_in_order(n, instances):
    """One row an instance."""
    cell, row = 340 / n, 256 / len(instances)
    d = Drawing(400, 310)
    d.axes(36, 40, 340, 256)
    d.legend(14)
    for at, (stage, k) in enumerate(instances):
        d.box(36 + k * cell + 0.5, 40 + at * row, cell - 1, row - 0.4, COLOURS[stage])
    return d.svg()


def one_after_the_other(liftgen):
    return drawn_in_order(16, [(s, k) for s in range(STAGES) for k in range(16)])


def in_step(liftgen):
    width, lags = schedule(liftgen, ROWS, 16, "rings", "in-step 0 1")["skewed", 0]
    return drawn_in_order(16, [(s, k) for step in in_steps(width, lags, 16) for s, ks in enumerate(step) for k in ks])


def skewed_tiles(liftgen):
    n = 24
    width, lags = schedule(liftgen, PLATE, n, "two-arrays", "in-step 1 6", "in-step 0 1")["skewed", 1]
    tiles = in_steps(width, lags, n)
    cell, row, gap, y = 340 / n, 11, 5, 40
    d = Drawing(400, 54 + len(tiles) * (STAGES * row + gap))
    d.axes(36, 40, 340, len(tiles) * (STAGES * row + gap), "row", "tiles, all planes of each")
    d.legend(14)
    for t, tile in enumerate(tiles):
        for stage, rows in enumerate(tile):
            for j in rows:
                d.box(36 + j * cell + 0.5, y + 3 + stage * row, cell - 1, row - 1, COLOURS[stage])
        y += STAGES * row + gap
    return d.svg()


def rings(liftgen):
    n, first, shown = 16, 0, 13
    found = schedule(liftgen, ROWS, n, "rings", "in-step 0 1")
    width, lags = found["skewed", 0]
    planes = found["ring"]
    steps, row, cell, gap = in_steps(width, lags, n), 19, 27, 22
    d = Drawing(400, 66 + shown * row)
    x, columns = 56, []
    for stage, slots in enumerate(planes):
        d.text(x + slots * cell / 2, 34, f"ring({slots})")
        for slot in range(slots):
            d.text(x + (slot + 0.5) * cell, 50, str(slot), "middle", ' fill="#777"')
        columns.append(x)
        x += slots * cell + gap
    d.text(x + 6, 50, "result", "middle")
    d.text(26, 50, "step")
    d.legend(14)
    held = [{} for _ in planes]
    for s, step in enumerate(steps[first:first + shown]):
        y = 56 + s * row
        d.text(26, y + 14, str(s))
        for stage, ks in enumerate(step):
            if stage == len(planes):
                for k in ks:
                    d.box(x - 8, y + 1, cell, row - 2, COLOURS[stage])
                    d.text(x - 8 + cell / 2, y + 14, str(k), "middle", ' fill="#fff"')
                continue
            for k in ks:
                held[stage][k % planes[stage]] = k
            # The next stage reads up to one beside each position: what lies before its next one is read no more.
            following = s + 1 - lags[stage + 1]
            for slot, k in held[stage].items():
                new, live = k in ks, k >= following - 1 and k < n
                px = columns[stage] + slot * cell
                d.box(px + 1, y + 1, cell - 2, row - 2, COLOURS[stage] if new else PALE[stage] if live else "#fff",
                      "" if new or live else ' stroke="#ccc"')
                d.text(px + cell / 2, y + 14, str(k), "middle", ' fill="#fff"' if new else "" if live else ' fill="#999"')
    return d.svg()


def strips(liftgen):
    n = 18
    found = schedule(liftgen, ROWS, n, "rings", "in-tiles 0 6", "in-step 0 1")
    (tile, margins), (width, lags) = found["overlapped", 0], found["skewed", 0]
    parts = []
    for t in range(ceildiv(n, tile)):
        begin, end = t * tile, min(n, (t + 1) * tile)
        parts.append((begin, end, [(s, k) for step in in_steps(width, lags, n) for s, ks in enumerate(step) for k in ks
                                   if begin - margins[s] <= k < end + margins[s]]))
    widths = [max(k for _, k in p) - min(k for _, k in p) + 1 for _, _, p in parts]
    gap, tallest = 14, max(len(p) for _, _, p in parts)
    cell, row = (346 - gap * (len(parts) - 1)) / sum(widths), 240 / tallest
    d = Drawing(400, 318)
    d.legend(14, "pale: done twice")
    d.text(0, 0, "order of execution &#8594;", "middle", ' transform="translate(17 180) rotate(90)"')
    x = 36
    for (begin, end, p), columns in zip(parts, widths):
        lowest = min(k for _, k in p)
        d.text(x + (begin - lowest + (end - begin) / 2) * cell, 40, f"{begin} &#8230; {end - 1}")
        d.line(x + (begin - lowest) * cell, 46, x + (end - lowest) * cell, 46, "#222", 2)
        for edge in (begin, end):
            d.line(x + (edge - lowest) * cell, 46, x + (edge - lowest) * cell, 56 + tallest * row, "#aaa", 0.8)
        for at, (stage, k) in enumerate(p):
            d.box(x + (k - lowest) * cell + 0.3, 54 + at * row, cell - 0.6, row - 0.4, (COLOURS if begin <= k < end else PALE)[stage])
        x += columns * cell + gap
    d.text(200, 312, "position &#8594;, one thread a strip")
    return d.svg()


def team(liftgen):
    n = 24
    width, lags = schedule(liftgen, ROWS, n, "rings", "in-step 0 4", "wait-once")["skewed, team", 0]
    steps = in_steps(width, lags, n)
    cell, row = 340 / n, 22
    d = Drawing(400, 58 + len(steps) * row)
    d.axes(36, 40, 340, len(steps) * row, down="steps, a barrier after each")
    d.legend(14, "dots: thread 2")
    for s, step in enumerate(steps):
        y = 40 + s * row
        d.line(36, y + row, 376, y + row, "#222", 1.2)
        for stage, ks in enumerate(step):
            for at, k in enumerate(ks):
                d.box(36 + k * cell + 0.5, y + 4, cell - 1, row - 8, COLOURS[stage])
                if at >= ceildiv(len(ks), 2):
                    d.parts.append(f'<circle cx="{36 + (k + 0.5) * cell:g}" cy="{y + row / 2:g}" r="2.2" fill="#fff"/>')
    return d.svg()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--liftgen", default=str(HERE.parents[1] / "build/release/liftgen"))
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    old = []
    for draw in (window_and_slide, colour_split, derivation, roofline, one_after_the_other, in_step, skewed_tiles, rings, strips, team):
        file, svg = HERE / (draw.__name__.replace("_", "-") + ".svg"), draw(a.liftgen)
        if a.check and (not file.exists() or file.read_text() != svg):
            old.append(file.name)
        elif not a.check:
            file.write_text(svg)
    if old:
        sys.exit(f"docs/figures: {', '.join(old)}: not as make.py draws them; run docs/figures/make.py")


main()
