"""Rules of one's own from Python: explored, refused, and as docs/own-rules.md shows it."""

import pathlib
import re

import liftgen as lift
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEW = {"budget": 3600, "configurations": 8, "rivals": False, "database": "none", "progress": None}
RULE = "py-fuse: map(f) |> map(g) = map(f |> g)"


@lift.program(xs=lift.array(lift.f64, lift.nat("n")))
def twice(xs):
    return xs | lift.map(lambda x: x + 1) | lift.map(lambda x: x * 2)


def test_a_rule_is_a_decision():
    tuned = lift.explore(twice, sizes={"n": 64}, rules=RULE, **FEW)
    used = {v["params"]["rule py-fuse"] for v in tuned.results["variants"]}
    assert "nowhere" in used and used <= {"nowhere", "everywhere"}  # those that are one kernel are listed once
    np.testing.assert_array_equal(tuned.kernel()(np.arange(64.0)), (np.arange(64.0) + 1) * 2)
    plain = lift.explore(twice, sizes={"n": 64}, **FEW)
    assert all("rule py-fuse" not in v["params"] for v in plain.results["variants"])


def test_wrong_and_misspelt_rules_are_refused(tmp_path):
    with pytest.raises(lift.UserError, match="rule py-wrong does not hold"):
        lift.explore(twice, sizes={"n": 64}, rules="py-wrong: map(f) |> map(g) = map(g |> f)", **FEW)
    file = tmp_path / "own.rules"
    file.write_text("py-slip: mpa(f) |> map(g) = map(f |> g)")
    with pytest.raises(lift.UserError, match="own.rules:1:10: .*did you mean 'map'"):
        lift.explore(twice, sizes={"n": 64}, rules=file, **FEW)
    with pytest.raises(lift.UserError, match="missing.rules: cannot be read"):
        lift.explore(twice, sizes={"n": 64}, rules=tmp_path / "missing.rules", **FEW)


def test_the_page_is_right(monkeypatch, capsys):
    page = (ROOT / "docs" / "own-rules.md").read_text()
    (text,) = re.findall(r"```python\n(.*?)```", page, re.S)
    monkeypatch.chdir(ROOT / "examples" / "own_rules")
    monkeypatch.setenv("LIFTGEN_DB", "none")
    exec(text.replace("budget=20", "budget=5"), {})
    assert " at " in capsys.readouterr().out
