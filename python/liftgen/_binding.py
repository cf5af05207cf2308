"""The extension module's functions as Python's own: errors in words instead of C++ signatures, and signatures for help().

pybind11 answers arguments that do not fit with all signatures of C++. Here the same is said as the rest of liftgen says it:
which argument, what it is, what is needed, and the line of the script.
"""

import builtins
import functools
import inspect
import re

from ._errors import ArgumentError

# What scripts call them.
_TITLES = {"size": "nat", "array_type": "array", "function": "fun", "DeviceArray": "device_array", "new_array": "empty",
           "binary": "an operation"}
_WORDS = {"str": "a text", "int": "a whole number", "float": "a number", "bool": "True or False", "function": "a function",
          "Nat": "a length: a whole number, or made of lift.nat(\"n\")", "Expr": "a lift expression",
          "Type": "a lift type, such as lift.f64 or lift.array(lift.f64, n)", "Device": "a lift.Device",
          "Boundary": "a boundary, such as lift.clamp", "Program": "a lift.Program", "Queue": "a lift.Queue"}


def _parts(text, separator=","):
    """The text cut at separators that no bracket encloses."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[({") - (c in "])}")
        if c == separator and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [*parts, text[begin:].strip()] if text.strip() else []


def _signature(line):
    """(name, type, default or None) of each parameter in pybind11's "f(a: int, b: str = 'x') -> int"."""
    inside = line[line.index("(") + 1:line.rindex(") ->")] if ") ->" in line else line[line.index("(") + 1:line.rindex(")")]
    parameters = []
    for part in _parts(inside):
        name, _, rest = part.partition(":")
        kind, equals, default = rest.partition(" = ")
        parameters.append((name.strip(), kind.strip().rsplit("liftgen._core.", 1)[-1] if kind.count("[") == 0
                           else kind.strip().replace("liftgen._core.", ""), default.strip() if equals else None))
    return parameters


def _inner(kind):
    return _parts(kind[kind.index("[") + 1:-1])


def _fits(x, kind):
    """Whether pybind11 takes x for a parameter of this type; what is not known here does."""
    if kind.startswith("Optional["):
        return x is None or _fits(x, _inner(kind)[0])
    if kind.startswith("List["):
        return hasattr(x, "__getitem__") and not isinstance(x, (str, bytes, dict)) and all(_fits(y, _inner(kind)[0]) for y in x)
    if kind.startswith("Dict["):
        return isinstance(x, dict) and all(_fits(k, _inner(kind)[0]) and _fits(v, _inner(kind)[1]) for k, v in x.items())
    if kind == "str":
        return isinstance(x, str)
    if kind == "bool":
        return isinstance(x, bool)
    if kind in ("int", "Nat"):
        return hasattr(x, "__index__") or kind == "Nat" and type(x).__name__ == "Nat"
    if kind == "float":
        return hasattr(x, "__float__") or hasattr(x, "__index__")
    if kind == "function" or kind.startswith("Callable"):
        return callable(x)
    if kind in ("object", "handle") or not re.fullmatch(r"[\w.]+", kind):
        return True
    return any(t.__name__ == kind.rsplit(".", 1)[-1] for t in type(x).__mro__)


def _needed(kind):
    if kind.startswith("Optional["):
        return f"{_needed(_inner(kind)[0])}, or None"
    if kind.startswith("List["):
        return f"a list, each element of it {_needed(_inner(kind)[0])}"
    if kind.startswith("Dict["):
        return f"a dict from {' to '.join(_needed(k) for k in _inner(kind))}"
    return _WORDS.get(kind, f"a {kind}" if re.fullmatch(r"[\w.]+", kind) else kind)


def _given(x):
    text = repr(x)
    return f"a Python {type(x).__name__}, {text if len(text) <= 60 else text[:57] + '...'}"


def _why(title, parameters, arguments, named):
    """What does not fit, in words; None where this signature has nothing against the arguments."""
    public = [p for p in parameters if p[0] not in ("self", "where")]
    written = f"{title}({', '.join(n if d is None else f'{n}={d}' for n, _, d in public)})"
    names = [n for n, _, _ in parameters if not n.startswith("*")]
    if len(arguments) > len(names):
        return f"{len(arguments) - (len(names) - len(public))} arguments are given; call {written}"
    values = dict(zip(names, arguments))
    for name, value in named.items():
        if name not in names:
            return f"there is no argument {name!r}; call {written}"
        if name in values:
            return f"the argument {name!r} is given twice; call {written}"
        values[name] = value
    for name, kind, default in parameters:
        if name in values and not _fits(values[name], kind):
            return f"{name} is {_given(values[name])}; it has to be {_needed(kind)}"
        if name not in values and default is None and not name.startswith("*"):
            return f"the argument {name!r} is missing; call {written}"
    return None


def _in_words(f, title, here):
    """f with its errors in words. `here` gives the line of the script."""
    text = inspect.getdoc(f) or ""
    lines = [line.strip() for line in text.splitlines()]
    overloads = [line.split(". ", 1)[1] for line in lines if re.match(r"\d+\. \w+\(", line)]
    signatures = [_signature(line) for line in overloads or lines[:1] if re.match(r"\w+\(.*\) -> ", line)]

    @functools.wraps(f)
    def call(*arguments, **named):
        try:
            return f(*arguments, **named)
        except builtins.TypeError as e:
            if str(e).endswith(": No constructor defined!"):
                raise ArgumentError(f"{title}: not made by scripts, but by functions of lift {here()}") from None
            if ": incompatible " not in str(e):
                raise
        whys = [why for why in (_why(title, s, arguments, named) for s in signatures) if why]
        raise ArgumentError(f"{title}: {whys[0] if whys else 'the arguments do not fit; see help()'} {here()}")

    call.__doc__ = text if not signatures else "\n".join(text.splitlines()[1:]).strip() if not overloads else ""
    if len(signatures) == 1:
        call.__signature__ = _python_signature(signatures[0])
    return call


def _python_signature(parameters):
    kinds, seen_star = [], False
    for name, _, default in parameters:
        if name == "*":
            seen_star = True
            continue
        kind = (inspect.Parameter.VAR_POSITIONAL if name.startswith("*") and not name.startswith("**") else
                inspect.Parameter.VAR_KEYWORD if name.startswith("**") else
                inspect.Parameter.KEYWORD_ONLY if seen_star else inspect.Parameter.POSITIONAL_OR_KEYWORD)
        value = inspect.Parameter.empty if default is None else _default(default)
        kinds.append(inspect.Parameter(name.lstrip("*"), kind, default=value))
    return inspect.Signature(kinds)


def _default(text):
    import ast
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def tidy(module, here, prefix=""):
    """All functions and classes of the extension module, and of its modules."""
    for name, x in list(vars(module).items()):
        if inspect.isclass(x):
            _tidy_class(x, prefix + _TITLES.get(name, name), here)
        elif inspect.ismodule(x) and x.__name__.startswith(module.__name__):
            tidy(x, here, f"{name}.")
        elif callable(x) and not name.startswith("_") and name != "here":
            setattr(module, name, _in_words(x, prefix + _TITLES.get(name, name), here))


def _tidy_class(cls, title, here):
    for name, x in list(vars(cls).items()):
        ours = name == "__init__" or name == "__getitem__" or not name.startswith("_")
        if not ours or isinstance(x, property) or not callable(getattr(cls, name)) or isinstance(getattr(cls, name), cls):
            continue
        spelled = title if name == "__init__" else f"{title}[...]" if name == "__getitem__" else f"{title}.{name}"
        called = _in_words(getattr(cls, name), spelled, here)
        setattr(cls, name, staticmethod(called) if isinstance(x, staticmethod) else called)
