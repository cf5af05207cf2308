"""What the figures are drawn with: boxes, lines and words of an SVG on a white ground, which stays readable on a dark page."""

COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"]
PALE = ["#b8d9ee", "#f9e3b8", "#b5e3d3", "#f1d6e3"]
RED, BLACK = "#d55e00", "#444"


def escaped(words):
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Drawing:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def box(self, x, y, w, h, fill, more=""):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}"{more}/>')

    def line(self, x1, y1, x2, y2, colour="#888", width=1):
        self.parts.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{colour}" stroke-width="{width:g}"/>')

    def text(self, x, y, words, anchor="middle", more=""):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{words}</text>')

    def code(self, x, y, words, more=""):
        self.text(x, y, escaped(words), "start", f' font-family="monospace" xml:space="preserve"{more}')

    def cell(self, x, y, side, fill, words="", colour="#222"):
        self.box(x + 0.5, y + 0.5, side - 1, side - 1, fill, ' stroke="#888"')
        if words:
            self.text(x + side / 2, y + side / 2 + 4, words, "middle", f' fill="{colour}"')

    def legend(self, y, last="", names=("stage 1", "stage 2", "stage 3", "stage 4")):
        for i, name in enumerate(names):
            self.box(30 + 62 * i, y - 9, 10, 10, COLOURS[i])
            self.text(43 + 62 * i, y, name, "start")
        if last:
            self.text(self.width - 8, y, last, "end")

    def axes(self, x, y, w, h, along="position", down="order of execution"):
        self.line(x, y, x + w, y)
        self.line(x, y, x, y + h)
        self.text(x + w / 2, y - 6, along + " &#8594;")
        self.text(0, 0, down + " &#8594;", "middle", f' transform="translate({x - 17:g} {y + h / 2:g}) rotate(90)"')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}" '
                f'font-family="sans-serif" font-size="12" fill="#222">\n<rect width="100%" height="100%" fill="#fff"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")
