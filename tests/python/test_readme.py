"""README.md's Python, as it is written, on an image."""
import pathlib
import re

import numpy as np


def test_the_program_of_the_readme():
    page = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "lift.explore" in block)
    image = np.random.default_rng(1).random((40, 60), np.float32)
    code, changed = re.subn(r'\{"n": 4000, "m": 6000\}, budget=60', '{"n": 40, "m": 60}, configurations=2', code)
    assert changed == 1
    names = {"image": image}
    exec(compile(code, "README.md", "exec"), names)
    wide = np.pad(image, 1, "edge")
    expected = (wide[:-2, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 1:-1] + wide[1:-1, 2:] + wide[2:, 1:-1]) / np.float32(5)
    np.testing.assert_allclose(names["smooth"], expected, rtol=1e-6)
