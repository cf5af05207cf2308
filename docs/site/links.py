#!/usr/bin/env python3
"""docs/site/links.py [PAGE...]: links of pages that lead nowhere: files that are not there, headings that are not. Without pages all
that the repository has. Links to the web are not followed. Exit status 1 when one is found."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {"build", ".git", "corpus"}
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)\)")


def pages():
    return sorted(p for p in ROOT.rglob("*.md") if not SKIPPED & set(p.relative_to(ROOT).parts))


def prose(text):
    """Without blocks and spans of code, in which brackets are no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]), text)


def anchors(text):
    """Of the headings, as GitHub and mkdocs make them."""
    made = {}
    for title in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        made[name] = made.get(name, -1) + 1
    return {f"{name}-{i}" if i else name for name, count in made.items() for i in range(count + 1)}


def broken(page):
    text = page.read_text()
    for link in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists():
            yield link, "is not there"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text()):
            yield link, "has no such heading"


def main(arguments):
    found = [(page, *b) for page in ([pathlib.Path(a).resolve() for a in arguments] or pages()) for b in broken(page)]
    for page, link, why in found:
        print(f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}: {link} {why}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
