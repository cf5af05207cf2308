"""Pickles and copies: programs travel as their text, kernels and what was tuned as programs and derivations.

Expressions, sizes and types are values that do not change, so that a copy is the same object. In another process they
are made again from a program's text; sizes and parameters are known by their names there, as everywhere.
"""

import itertools

from . import _core
from ._errors import ArgumentError
from ._expressions import Boundary, Expr, Nat, Type, array, tuple_type
from ._kernels import Device, Kernel, Queue, compile, device_array
from ._programs import Program


def _program(text, name, directory):
    return _core.parse_in(text, name, directory)


def _of_program(p):
    text, directory = p._text()
    return _program, (text, p.name, directory)


def _body(text):
    return _core.parse_in(text, "expression", "").body


def _function(text, count):
    p = _core.parse_in(text, "function", "")
    return _core.function(p.arguments[len(p.arguments) - count:], p.body, None)


def _refuse(what, remedy):
    def refused(x, *_):
        raise ArgumentError(f"{what} cannot be pickled; {remedy} {_core.here()}")
    return refused


def _of_expr(e):
    free = list(_core.params_of(e))
    if not e.is_function:
        return _body, (str(Program("travels", free, e)),)
    taken = {_core.param_name(p) for p in free}
    names = (name for i in itertools.count() if (name := f"x{i}") not in taken)
    bound = [_core.param(name, t) for name, t in zip(names, _core.parameter_types(e))]
    return _function, (str(Program("travels", [*free, *bound], _core.instantiate(e, bound))), len(bound))


def _scalar(name):
    return getattr(_core, "boolean" if name == "bool" else name)


def _of_type(t):
    if t.is_scalar:
        return _scalar, (str(t),)
    if t.is_array:
        return array, (t.shape, t.element(t.rank))
    if t.is_tuple:
        return tuple_type, tuple(_core.type_parts(t))
    raise ArgumentError(f"the type of a function cannot be pickled; pickle the function {_core.here()}")


def _length(text):
    return _core.parse_in(text, "length", "").body.type.shape[0]


def _of_nat(n):
    if n.number is not None:
        return Nat, (n.number,)
    x = _core.param("x", array([n], _core.f32))
    return _length, (str(Program("travels", [x], x)),)


def _emulated():
    return Device.emulated_cuda()


def _of_device(d):
    return (_emulated, ()) if d.is_emulated else (Device, (d.backend, d.index))


def _kernel(program, options):
    return _core.compile(program, **options)


def _of_kernel(k):
    return _kernel, k._options()


def _boundary(name):
    return getattr(Boundary, name)


for _class, _reduced in ((Program, _of_program), (Expr, _of_expr), (Type, _of_type), (Nat, _of_nat), (Device, _of_device),
                         (Kernel, _of_kernel), (Boundary, lambda b: (_boundary, (b.name,))),
                         (Queue, _refuse("a lift.Queue", "make one where it is used")),
                         (device_array, _refuse("a lift.device_array", "pass a.download()"))):
    _class.__reduce__ = _reduced
    _class.__reduce_ex__ = lambda self, _protocol, _reduced=_reduced: _reduced(self)
for _class in (Program, Expr, Type, Nat, Device, Kernel, Boundary, Queue):  # they do not change, or are what they stand for
    _class.__copy__ = lambda self: self
    _class.__deepcopy__ = lambda self, _memo: self
device_array.__copy__ = lambda self: self.copy()
device_array.__deepcopy__ = lambda self, _memo: self.copy()
