"""The package's names: what each says of itself, and to type checkers; what arguments that do not fit are answered."""

import inspect
import os
import pathlib
import subprocess
import sys

import liftgen as lift
import pytest

HERE = pathlib.Path(__file__).parent
VALUES = (lift.Type, lift.Boundary, str)  # which say what they are themselves


def members(cls):
    for name in dir(cls):
        if not name.startswith("_") and not (isinstance(getattr(cls, name), cls) or name in ("name", "value")):
            yield name, inspect.getattr_static(cls, name)


def named():
    """(name, object) of all that is public."""
    for module in (lift, lift.gmg):
        for name in module.__all__:
            x = getattr(module, name)
            if isinstance(x, VALUES) or inspect.ismodule(x):
                continue
            yield f"{module.__name__}.{name}", x
            if inspect.isclass(x) and not issubclass(x, Exception):
                yield from ((f"{module.__name__}.{name}.{n}", m) for n, m in members(x))


def parameters(x):
    if isinstance(x, property) or inspect.isclass(x) and issubclass(x, Exception):
        return []
    function = x.__func__ if isinstance(x, staticmethod) else x
    try:
        return [p for p in inspect.signature(function).parameters if p not in ("self", "args", "kwargs", "arguments", "arg0")]
    except ValueError:
        return []


def test_every_name_says_what_it_is_and_names_its_arguments():
    all_names = dict(named())
    assert len(all_names) > 200
    silent = [name for name, x in all_names.items() if not (inspect.getdoc(x) or "").strip()]
    assert not silent, f"without a docstring: {silent}"
    unnamed = [f"{name}({p})" for name, x in all_names.items() for p in parameters(x) if p not in inspect.getdoc(x)]
    assert not unnamed, f"arguments of which docstrings say nothing: {unnamed}"
    binding = [name for name, x in all_names.items() if "_core" in inspect.getdoc(x) or "arg0" in inspect.getdoc(x)]
    assert not binding, f"docstrings with names of the extension module: {binding}"


SHAPED = ("map map2 map3 map_n reduce scan scan_back iterate zip zip2 zip3 zip_n unzip unzip_n at split join join_n slide "
          "slide2 slide3 slide_n pad pad2 pad3 pad_n drop drop2 drop3 drop_n take transpose reverse reverse_n generate iota "
          "positions concat interleave update sum").split()


@pytest.mark.parametrize("name", SHAPED)
def test_primitives_say_shapes(name):
    text = inspect.getdoc(getattr(lift, name))
    assert "n." in text or "a -> a" in text, text


def test_nothing_internal_is_among_the_names():
    for module in (lift, lift.gmg):
        assert dir(module) == sorted(module.__all__)
        for name in module.__all__:
            x = getattr(module, name)
            assert not inspect.ismodule(x) or x in (lift.gmg, lift.operators)
            assert getattr(x, "__module__", None) in (None, "liftgen", "liftgen.gmg", "builtins", "liftgen._core"), name
    star = {}
    exec("from liftgen import *", star)
    assert set(star) - {"__builtins__"} == set(lift.__all__)


def test_the_version_is_the_projects():
    text = (HERE.parents[1] / "CMakeLists.txt").read_text()
    assert f"VERSION {lift.__version__} " in text
    assert f'version = "{lift.__version__}"' in (HERE.parents[1] / "pyproject.toml").read_text()


def mypy(module, *arguments):
    """Its exit status and output. The package is found as scripts find it."""
    made = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": "", "PYTHONPATH": str(pathlib.Path(lift.__file__).parents[1])},
                          timeout=300)
    return made.returncode, made.stdout + made.stderr


def test_stubs_have_the_names_and_signatures_of_the_module(tmp_path):
    pytest.importorskip("mypy")
    assert (pathlib.Path(lift.__file__).parent / "py.typed").exists()
    made = mypy("mypy.stubtest", "liftgen", "--allowlist", str(HERE / "stubs_allowed.txt"), "--ignore-unused-allowlist")
    assert made[0] == 0, made[1]


SCRIPT = """
import liftgen as lift
import numpy as np
n = lift.nat("n")
@lift.program(xs=lift.array(lift.f32, n))
def blur(xs: lift.Expr) -> lift.Expr:
    windows: lift.Expr = xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1)
    return windows | lift.map(lambda w: (w[0] + w[1] + w[2]) / 3)
kernel = lift.compile(blur{mistake})
kernel(np.zeros(4))
solver: lift.Solver = lift.gmg.Solver(lift.gmg.helmholtz(lift.gmg.Domain((8, 8))))
"""


def test_type_checkers_know_the_package(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(mistake=""))
    made = mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script))
    assert made[0] == 0, made[1]
    script.write_text(SCRIPT.format(mistake=", sizes=3"))
    made = mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script))
    assert made[0] == 1 and 'Argument "sizes" to "compile" has incompatible type "int"' in made[1], made[1]


xs = lift.param("xs", lift.array(lift.f64, lift.nat("n")))
LENGTH = 'a length: a whole number, or made of lift.nat("n")'
MISTAKES = {
    "nat: name is a Python int, 3; it has to be a text": lambda: lift.nat(3),
    f"split: k is a Python list, ['a']; it has to be a list, each element of it {LENGTH}": lambda: lift.split("a", xs),
    "param: type is a Python int, 3; it has to be a lift type, such as lift.f64": lambda: lift.param("x", 3),
    "parse: text is a Python int, 3; it has to be a text": lambda: lift.parse(3),
    "array: shape is a Python list, ['n']; it has to be a list": lambda: lift.array(lift.f64, "n"),
    "Device: backend is a Python int, 3; it has to be a text": lambda: lift.Device(3),
    "Device: the argument 'backend' is missing; call Device(backend, which=-1)": lambda: lift.Device(),
    "Device: 3 arguments are given; call Device(backend, which=-1)": lambda: lift.Device("cuda", 1, 2),
    "Type: not made by scripts, but by functions of lift": lambda: lift.Type(),
    f"at: position is a Python list, ['a']; it has to be a list, each element of it {LENGTH}": lambda: xs["a"],
    "compile: sizes is a Python int, 3; it has to be a dict from a text to a whole number":
        lambda: lift.compile(lift.fun([lift.f64], lambda x: x), sizes=3),
    "Kernel.source: there is no argument 'size'; call Kernel.source(sizes={})":
        lambda: lift.compile(lift.fun([lift.f64], lambda x: x)).source(size={}),
    "gmg.helmholtz: domain is a Python int, 3; it has to be a gmg.Domain": lambda: lift.gmg.helmholtz(3),
    "gmg: a condition's value is the Python str 'x'; it has to be a number": lambda: lift.gmg.dirichlet("x"),
    "gmg: alpha is f64, but a Python str is passed; pass a number of that type": lambda: lift.gmg.Solver(lift.gmg.helmholtz(lift.gmg.Domain(8))).set("alpha", "x"),
    "kernel: the data of x is 4.f64, but a Python str is passed; pass a numpy array": lambda: lift.explore(lift.fun([lift.array(lift.f64, 4)], lambda x: x), data={"x": "a"}, budget=1),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_arguments_that_do_not_fit_are_answered_in_words(text):
    with pytest.raises(lift.UserError) as e:
        MISTAKES[text]()
    said = str(e.value)
    assert text in said, said
    assert f"[{__file__}:" in said and "liftgen._core" not in said and "->" not in said, said
