#!/usr/bin/env python3
"""docs/site/links.py [PAGE...]: links of pages that lead nowhere: files that are not there, headings that are not; and files of this
repository that pages name (`lower/lower.cpp`) and that are not there. Without pages all that the repository has. Links to the web are
not followed. Exit status 1 when one is found."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {"build", ".git", "corpus"}
HISTORY = {"results", "decisions", "CHANGELOG.md"}  # say what was so when they were written
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


def expanded(path):
    """lower/a.{hpp,cpp} as two."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [e for word in braces[1].split(",") for e in expanded(path[:braces.start()] + word + path[braces.end():])]


def named(text):
    """Files and folders in spans of code; those that a reader is to make are called NAME."""
    folders = {p.name for p in ROOT.iterdir() if p.is_dir()} - SKIPPED
    for span in re.findall(r"`([^`\n]+)`", text):
        for word in span.split():
            path = word.strip(".,;:()")
            if re.fullmatch(r"[\w./{},*-]+", path) and "/" in path and path.split("/")[0] in folders and "NAME" not in path:
                yield from expanded(path)


def broken(page):
    text = page.read_text()
    for path in [] if HISTORY & set(page.parts) else named(text):
        if not next(ROOT.glob(path.rstrip("/")), None):
            yield path, "is named, and is not there"
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
