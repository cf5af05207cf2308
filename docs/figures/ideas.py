"""Figures of ideas: windows, the colour-split layout, a derivation as liftgen prints it, a roofline as it was measured."""
import json, math, pathlib, re, subprocess, sys, tempfile

from drawing import BLACK, COLOURS, PALE, RED, Drawing

HERE = pathlib.Path(__file__).resolve().parent
BLUR = """program blur
size n = 4096
param image : n.n.f32 = wave
def blur(w) = (w[0, 1] + w[1, 0] + w[1, 1] + w[1, 2] + w[2, 1]) / 5
result smooth : n.n.f32 = image |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(blur)
"""
# As `liftgen show` gives it where vectors have 64 bytes; it is replayed, so that the figure is the same everywhere.
STEPS = ["map-nest at body", "map-par at body", "map-vec 16 at 0.0", "late-store at 0.0"]


def shown(liftgen, program, *options, derivation=""):
    with tempfile.TemporaryDirectory() as folder:
        source, steps = pathlib.Path(folder) / "blur.lift", pathlib.Path(folder) / "derivation"
        source.write_text(program)
        steps.write_text(derivation)
        more = ["--derivation", steps] if derivation else []
        result = subprocess.run([liftgen, "show", source, *options, *more], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return result.stdout


def window_and_slide(_):
    """A row of five numbers, the edge repeated; windows of three; their means."""
    values, side, left = [0, 3, 6, 3, 0], 28, 192
    padded = [values[0], *values, values[-1]]
    d = Drawing(440, 246)
    d.code(8, 25, "xs")
    for i, v in enumerate(values):
        d.cell(left + side * i, 6, side, "#fff", str(v))
    d.code(8, 67, "|> pad(1, 1, clamp)")
    for i, v in enumerate(padded):
        d.cell(left + side * (i - 1), 48, side, "#eee" if i in (0, len(padded) - 1) else "#fff", str(v))
    d.code(8, 105, "|> slide(3, 1)")
    for w in range(len(values)):
        y, x = 90 + 25 * w, left + side * (w - 1)
        for at, v in enumerate(padded[w:w + 3]):
            d.cell(x + side * at + 3, y, 22, PALE[w % 4], str(v))
        d.line(x + 3 * side + 2, y + 11, 400, y + 11, "#bbb")
        d.cell(404, y, 22, COLOURS[w % 4], f"{sum(padded[w:w + 3]) / 3:g}", "#fff")
    d.code(8, 230 - 25, "|> map(mean)")
    d.text(8, 236, "No window is copied: windows are a way to compute an index.", "start", ' fill="#666"')
    return d.svg()


def colour_split(_):
    """Where the cells of an 8 x 4 array lie, in the caller's order and in `split 2 1`."""
    w, h, side = 8, 4, 18
    d = Drawing(440, 214)

    def colour(j, i):
        return RED if (j + i) % 2 == 0 else BLACK

    def memory(y, order, read):
        for at, (j, i) in enumerate(order):
            used = (j + i) % 2 == 0 or not read
            d.box(8 + at * 12, y, 11, 16, colour(j, i), "" if used else ' opacity="0.35"')
        for line in range(len(order) // 8):
            wanted = any((j + i) % 2 == 0 for j, i in order[8 * line:8 * line + 8])
            d.box(7 + 96 * line, y - 3, 95, 22, "none", f' stroke="{"#222" if wanted else "#bbb"}"')

    d.text(8, 16, "an array in 2D", "start")
    for j in range(h):
        for i in range(w):
            d.cell(8 + side * i, 24 + side * j, side, colour(j, i))
    for at, words in enumerate(("A half-sweep updates the red cells.", "Of an array with a value for each cell,", "it needs the red half only.")):
        d.text(176, 52 + 17 * at, words, "start")
    rows = [(j, i) for j in range(h) for i in range(w)]
    d.text(8, 122, "caller's order: all cache lines are read, for half of what they hold", "start")
    memory(132, rows, True)
    # index = half p + row + i div 2, p the parity of j + i (ir/expr/layout.hpp)
    split = sorted(rows, key=lambda c: ((c[0] + c[1]) % 2 * (w * h // 2) + c[0] * (w // 2) + c[1] // 2))
    d.text(8, 174, "colours apart: the red lines are read whole, the black ones never", "start")
    memory(184, split, True)
    return d.svg()


def body_of(text):
    body = text.split("result smooth =")[1].split("// derivation")[0]
    return " ".join(body.split())


def derivation(liftgen):
    """A derivation of the blur, replayed step by step."""
    low = shown(liftgen, BLUR, "--stage", "low", derivation="\n".join(STEPS) + "\n")
    steps = re.findall(r"^//   (\S.*)\n//       (.*)", low, re.M)
    bodies = [body_of(shown(liftgen, BLUR, "--stage", "high"))]
    for count in range(1, len(steps) + 1):
        text = "".join(f"{s}\n" for s, _ in steps[:count])
        bodies.append(body_of(shown(liftgen, BLUR, "--stage", "low", derivation=text)))
    # What a cell computes is the same in all: it is shortened, so that what changes can be read.
    bodies = [re.sub(r"\(\w+\[0, 1\].*?/ 5\.0f", "mean", b).replace("image |> pad2(1, 1, clamp) |> slide2(3, 1) |> ", "windows |> ")
              for b in bodies]
    d = Drawing(516, 24 + 58 * len(bodies))
    d.text(12, 18, "windows = image |&gt; pad2(1, 1, clamp) |&gt; slide2(3, 1)", "start", ' fill="#666"')
    for at, body in enumerate(bodies):
        y = 34 + 58 * at
        if at:
            rule, words = steps[at - 1]
            words = words.replace("a map over several dimensions becomes ", "").replace(" around a map over one dimension less", " around a map")
            d.text(28, y - 13, f"&#8595; <tspan font-weight=\"bold\">{rule.split(' at ')[0]}</tspan>: {words}", "start",
                   f' fill="{COLOURS[0]}"')
        d.box(8, y - 6, 500, 26, "#f4f4f4")
        d.code(16, y + 11, body)
    return d.svg()


def roofline(_):
    """Of explorations that roofline.json keeps: speed over flops a byte; the roof is what the memory delivers."""
    measured = json.loads((HERE / "roofline.json").read_text())
    d = Drawing(480, 390)
    left, top, width, height = 52, 20, 416, 290
    x_from, x_to, y_from, y_to = 0.07, 0.8, 1.6, 70

    def x(v):
        return left + width * math.log(v / x_from) / math.log(x_to / x_from)

    def y(v):
        return top + height * (1 - math.log(v / y_from) / math.log(y_to / y_from))

    for v in (0.1, 0.2, 0.4):
        d.line(x(v), top, x(v), top + height, "#ddd")
        d.text(x(v), top + height + 16, f"{v:g}")
    for v in (2, 4, 8, 16, 32):
        d.line(left, y(v), left + width, y(v), "#ddd")
        d.text(left - 6, y(v) + 4, f"{v:g}", "end")
    d.text(left + width / 2, top + height + 34, "flops a byte that has to move")
    d.text(0, 0, "Gflop/s", "middle", f' transform="translate(14 {top + height / 2:g}) rotate(-90)"')
    best = max(measured["triads_gbs"])
    d.line(left, y(x_from * best), left + width, y(x_to * best), "#222", 2)
    d.text(x(0.5) - 8, y(0.5 * best) - 6, f"memory: {best:.0f} GB/s (triad)", "end")
    for at, m in enumerate(measured["explored"]):
        flops = m["flops"] / m["bytes"]
        place, plain, twin, fastest = x(flops), *(y(m[k + "_gbs"] * flops) for k in ("plain", "twin", "best"))
        d.line(place, plain, place, fastest, "#222")
        d.line(place - 12, twin, place + 12, twin, "#222", 3)
        for where, colours in ((plain, PALE), (fastest, COLOURS)):
            d.parts.append(f'<circle cx="{place:g}" cy="{where:g}" r="6" fill="{colours[at % 4]}" stroke="#222"/>')
        if m["label"] == "below":
            d.text(place, plain + 26, m["name"])
        else:
            d.text(place + (18 if m["label"] == "right" else -18), (plain + fastest) / 2 + 4, m["name"], "start" if m["label"] == "right" else "end")
    for at, words in enumerate(("pale: plain OpenMP loops; full: the best explored; bar: the traffic twin,",
                                "each three timed in turns. " + measured["machine"])):
        d.text(8, top + height + 54 + 17 * at, words, "start", ' fill="#666"')
    return d.svg()
