"""The examples run, the notebook's cells one after the other: in this process, which knows the machine by then."""

import json
import runpy
import sys
import tempfile
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("script", sorted(p.name for p in EXAMPLES.glob("*.py")))
def test_script(script, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [script])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")


@pytest.mark.parametrize("notebook", sorted(p.name for p in EXAMPLES.glob("*.ipynb")))
def test_notebook(notebook):
    cells = json.loads((EXAMPLES / notebook).read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in shown)  # pictures are stored
    names = {"__name__": "__main__"}
    for number, text in enumerate(code):
        exec(compile(text, f"{notebook}, code cell {number + 1}", "exec"), names)  # noqa: S102
