"""How expressions are written in Python: as in C++, with `|` between an array and what is done to it.

    xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1) | lift.map(lambda w: (w[0] + w[1] + w[2]) / 3)

Primitives take their array last, or, without it, give a `Partial` that `|` applies. Types are checked where an
expression is made; messages name the line of the script.
"""

import builtins
import inspect

from . import _core
from .errors import UserError

Expr, Nat, Type, Boundary = _core.Expr, _core.Nat, _core.Type, _core.Boundary
f32, f64, i32, boolean = _core.f32, _core.f64, _core.i32, _core.boolean
clamp, wrap, mirror, reflect = Boundary.clamp, Boundary.wrap, Boundary.mirror, Boundary.reflect
odd, constant, undefined = Boundary.odd, Boundary.constant, Boundary.undefined


# ---- sizes and types


def nat(name, lower=1, modulus=1, residue=0):
    """A size: a length that is known when a kernel is called. Sizes of one name are one."""
    return _core.size(name, lower, modulus, residue)


def array(first, *more):
    """array(f32, n, m) and array([n, m], f32) are n.m.f32: n arrays of m numbers."""
    if isinstance(first, Type):
        return _core.array_type(list(more), first)
    shape, element = (first, more[0]) if len(more) == 1 else (None, None)
    if shape is None or not isinstance(element, Type):
        raise UserError("array: write array(f32, n, m) or array([n, m], f32)")
    return _core.array_type(list(shape) if isinstance(shape, (list, builtins.tuple)) else [shape], element)


def tuple_type(*parts):
    """The type of a tuple."""
    return _core.tuple_type(list(parts))


param = _core.param
index_param = _core.index_param
param_name = _core.param_name
literal = _core.literal
nat_value = _core.nat_value


# ---- functions


class Partial:
    """A primitive, or several one after the other, without its array."""

    def __init__(self, apply):
        self._apply = apply
        self._where = _core.here()

    def __call__(self, xs):
        return self._apply(_expr(xs), self._where)

    def __ror__(self, xs):
        return self(xs) if isinstance(xs, Expr) else NotImplemented

    def __or__(self, after):
        if not callable(after):
            return NotImplemented
        return Partial(lambda xs, _: after(self(xs)))


def _pipe(xs, after):
    """xs | f; between truth values it is `or`."""
    if isinstance(after, Expr) and after.type.is_scalar:
        return _core.binary("|", xs, after, None)
    if isinstance(after, Expr) and after.is_function:
        return _core.apply(after, [xs], None)
    return after(xs) if callable(after) else NotImplemented


def _no_truth(_):
    raise TypeError("an expression has no truth value; write lift.select(c, a, b), and a & b, a | b, ~a for truth "
                    "values (a < b < c is (a < b) & (b < c))")


def _equal(a, b):
    if isinstance(b, (Expr, Nat)):
        return isinstance(b, Expr) and _core.same(a, b)
    if isinstance(b, (int, float)):
        raise TypeError("== says whether two expressions are one and the same; write lift.eq(a, b)")
    return NotImplemented


def _parts(e):
    if not e.type.is_tuple:
        raise TypeError(f"an expression of type {e.type} cannot be taken apart in Python; only tuples can")
    return iter(_core.components(e))


_UFUNCS = {"add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "divide": "/", "less": "<", "less_equal": "<=",
           "greater": "<", "greater_equal": "<="}


def _ufunc(_, ufunc, method, *inputs, **__):
    """What numpy does beside an expression: its scalars are numbers, its functions are not of expressions."""
    name, operator = ufunc.__name__, _UFUNCS.get(ufunc.__name__)
    if any(getattr(x, "ndim", 0) > 0 for x in inputs):
        raise TypeError("an expression has no elements yet to combine with those of a numpy array; make the array an argument "
                        "of the program")
    if method == "__call__" and operator:
        a, b = (x if isinstance(x, Expr) else x.item() if hasattr(x, "item") else x for x in inputs)
        return _core.binary(operator, *((b, a) if name.startswith("greater") else (a, b)), None)
    known = name in globals() and not name.startswith("_")
    raise TypeError(f"numpy's {name} is of numbers" + (f"; of expressions write lift.{name}" if known else ", not of expressions"))


def _power(a, b):
    return _core.binary("pow", a, b, None)


Expr.__or__ = _pipe
Expr.__bool__ = _no_truth
Expr.__eq__ = _equal
Expr.__iter__ = _parts
Expr.__pow__ = _power
Expr.__rpow__ = lambda b, a: _core.binary("pow", a, b, None)
Expr.__array_ufunc__ = _ufunc


def _arity(f):
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        raise UserError("a function of expressions takes a known number of arguments, not *args" + f" {_core.here()}")
    return builtins.sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
                        for p in parameters)


def _expr(x, like=None):
    """An expression as it is; a number as one of the scalar type `like`."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, Nat):
        return _core.nat_value(x)
    if isinstance(x, (builtins.tuple, list)):
        return _core.tuple([_expr(part) for part in x], None)
    if like is not None and like.is_scalar and not isinstance(x, bool) and hasattr(x, "__float__"):
        return _core.literal(float(x), like)
    if getattr(x, "ndim", 0) > 0:
        raise UserError(f"a lift expression is needed, but an array is given ({type(x).__name__}); compile a program of "
                        f"lift.param(...), and call it with the array {_core.here()}")
    raise UserError(f"a lift expression is needed, but a Python {type(x).__name__} is given: {x!r}; "
                    f"write lift.literal(value, type) for a number {_core.here()}")


def fun(parameters, body):
    """A function from a Python one of as many expressions as there are types (a type, or a list of types)."""
    where = _core.here()
    types = list(parameters) if isinstance(parameters, (list, builtins.tuple)) else [parameters]
    if _arity(body) != len(types):
        raise UserError(f"fun: {len(types)} types for a function of {_arity(body)} arguments; give each its type "
                        f"{where}")
    xs = [_core.fresh_param(f"x{i}", t) for i, t in enumerate(types)]
    return _core.function(xs, _expr(body(*xs)), where)


def function_of(t, f, where=None):
    """A function of one argument of type t: an expression as it is, or a Python function. One of several
    arguments takes the components of a tuple apart."""
    if isinstance(f, Expr):
        return f
    if not callable(f):
        raise UserError(f"a function is needed, but a Python {type(f).__name__} is given {_core.here()}")
    x = _core.fresh_param("x", t)
    arguments = [x] if _arity(f) == 1 else [_core.components(x)[i] for i in range(_arity(f))] if (
        t.is_tuple and _arity(f) <= len(_core.components(x))) else None
    if arguments is None:
        raise UserError(f"a function of {_arity(f)} arguments is given for elements of type {t}; it takes one, or "
                        f"the components of a tuple {where or _core.here()}")
    return _core.function([x], _expr(f(*arguments), t), where)


def apply(f, *arguments):
    """A function expression applied."""
    return _core.apply(f, list(arguments), None)


def compose(f, g):
    """The function \\x. f (g x)."""
    return _core.compose(f, g, None)


def let(value, body):
    """body(value), computed once."""
    return _core.let(_expr(value), lambda x: _expr(body(x)), None)


# ---- arrays


def _over(xs, apply):
    """apply(xs, where) now, or as a Partial."""
    return Partial(apply) if xs is None else apply(_expr(xs), None)


def _axes(x, rank=1):
    return list(x) if isinstance(x, (list, builtins.tuple)) else [x] * rank


def map_n(rank, f, xs=None):
    """f of every element of the outer `rank` dimensions."""
    def applied(ys, where):
        return _core.map(rank, function_of(ys.type.element(rank), f, where), ys, where)
    return _over(xs, applied)


def map(f, xs=None):
    """f of every element."""
    return map_n(1, f, xs)


def map2(f, xs=None):
    return map_n(2, f, xs)


def map3(f, xs=None):
    return map_n(3, f, xs)


def _fold(primitive, f, init, xs):
    def applied(ys, where):
        element = ys.type.element()
        start = _expr(init, element)
        g = f if isinstance(f, Expr) else fun([start.type, element], f)
        return primitive(g, start, ys, where)
    return _over(xs, applied)


def reduce(f, init, xs=None):
    """f(accumulator, element) from the left, beginning with init."""
    return _fold(_core.reduce, f, init, xs)


def sum(xs=None):
    """The sum of the elements."""
    return reduce(lambda a, x: a + x, 0, xs)


def scan(f, init, xs=None):
    """Element k is f(element k - 1, xs[k]), the first one f(init, xs[0])."""
    return _fold(_core.scan, f, init, xs)


def scan_back(f, init, xs=None):
    """The same from the last element to the first."""
    return _fold(_core.scan_back, f, init, xs)


def iterate(times, f, x=None):
    """f applied `times` times: a number, or an index_param, which is known when the kernel runs."""
    return _over(x, lambda y, where: _core.iterate(times, function_of(y.type, f, where), y, where))


def zip_n(rank, *arrays):
    """An array of tuples, over the outer `rank` dimensions, from arrays of one shape."""
    return _core.zip(rank, [_expr(x) for x in _listed(arrays)], None)


def _listed(arrays):
    return arrays[0] if len(arrays) == 1 and isinstance(arrays[0], (list, builtins.tuple)) else arrays


def zip(*arrays):
    return zip_n(1, *arrays)


def zip2(*arrays):
    return zip_n(2, *arrays)


def zip3(*arrays):
    return zip_n(3, *arrays)


def unzip_n(rank, xs=None):
    """An array of tuples as a tuple of arrays."""
    return _over(xs, lambda ys, where: _core.unzip(rank, ys, where))


def unzip(xs=None):
    return unzip_n(1, xs)


def tuple(*parts):
    """Several values; as the result of a program, several results."""
    return _core.tuple([_expr(x) for x in _listed(parts)], None)


def get(i, t=None):
    """A component."""
    return _over(t, lambda y, where: _core.get(i, y, where))


def at(position, xs=None):
    """An element; xs[i, j] is at([i, j], xs)."""
    return _over(xs, lambda ys, where: _core.at(_axes(position), ys, where))


def split(k, xs=None):
    """Pieces of k elements; a list splits as many dimensions, outer indices first."""
    return _over(xs, lambda ys, where: _core.split(_axes(k), ys, where))


def join_n(rank, xs=None):
    return _over(xs, lambda ys, where: _core.join(rank, ys, where))


def join(xs=None):
    """The inverse of split."""
    return join_n(1, xs)


def slide_n(rank, size, step, xs=None):
    """Windows of `size` every `step`: all positions first, then the dimensions of a window."""
    return _over(xs, lambda ys, where: _core.slide(_axes(size, rank), _axes(step, rank), ys, where))


def slide(size, step, xs=None):
    return slide_n(1, size, step, xs)


def slide2(size, step, xs=None):
    return slide_n(2, size, step, xs)


def slide3(size, step, xs=None):
    return slide_n(3, size, step, xs)


def _need_boundary(primitive, boundary):
    if isinstance(boundary, Boundary):
        return
    names = list(Boundary.__members__)
    remedy = f"write lift.{boundary}" if boundary in names else "there are lift." + ", lift.".join(names)
    raise UserError(f"{primitive}: {boundary!r} is no boundary; {remedy} {_core.here()}")


def pad_n(rank, low, high, boundary, value=0, xs=None):
    """Elements added before and after: what they are says the boundary; `value` is used by constant and odd."""
    _need_boundary("pad", boundary)

    def applied(ys, where):
        return _core.pad(_axes(low, rank), _axes(high, rank), boundary, ys, value, where)
    return _over(xs, applied)


def pad(low, high, boundary, value=0, xs=None):
    return pad_n(1, low, high, boundary, value, xs)


def pad2(low, high, boundary, value=0, xs=None):
    return pad_n(2, low, high, boundary, value, xs)


def pad3(low, high, boundary, value=0, xs=None):
    return pad_n(3, low, high, boundary, value, xs)


def drop_n(rank, low, high, xs=None):
    """Elements removed at both ends."""
    return _over(xs, lambda ys, where: _core.drop(_axes(low, rank), _axes(high, rank), ys, where))


def drop(low, high, xs=None):
    return drop_n(1, low, high, xs)


def drop2(low, high, xs=None):
    return drop_n(2, low, high, xs)


def drop3(low, high, xs=None):
    return drop_n(3, low, high, xs)


def gather(positions, boundary=Boundary.undefined, value=0, xs=None):
    """The element at a position that is computed, an i32, or at positions of several dimensions, [j, i]; or one for
    each of the positions that arrays of i32 hold. `boundary` says what is beyond the ends, however far: clamp, wrap,
    mirror, reflect, or constant, whose `value` it is. Without one, positions must be proved to be within, as
    min(max(i, 0), n - 1) and i % n are."""
    _need_boundary("gather", boundary)
    at = list(positions) if isinstance(positions, (list, builtins.tuple)) else [positions]
    return _over(xs, lambda ys, where: _core.gather(at, boundary, ys, value, where))


def take(n, xs=None):
    """The first n elements."""
    return _over(xs, lambda ys, where: _core.drop([0], [ys.type.shape[0] - n], ys, where))


def transpose(order=None, xs=None):
    """Dimension d of the result is dimension order[d] of the argument; without an order the first two change
    places."""
    if isinstance(order, Expr):
        order, xs = None, order
    return _over(xs, lambda ys, where: _core.transpose(list(order or (1, 0)), ys, where))


def reverse_n(rank, xs=None):
    """From the last element to the first."""
    return _over(xs, lambda ys, where: _core.reverse(rank, ys, where))


def reverse(xs=None):
    return reverse_n(1, xs)


def generate(shape, f):
    """The element at (i, j, ...) is f(i, j, ...), the indices being i32."""
    axes = _axes(shape)
    return _core.generate(axes, f if isinstance(f, Expr) else fun([i32] * len(axes), f), None)


def iota(n):
    """0, 1, ..., n - 1."""
    return generate(n, lambda i: i)


def positions(shape, offsets=()):
    """Tuples of indices, each plus its offset."""
    return _core.positions(_axes(shape), list(offsets), None)


def concat(a, b):
    """One array after the other."""
    return _core.concat(a, b, None)


def interleave(*arrays):
    """Element m*i + p is element i of array p."""
    return _core.interleave(list(_listed(arrays)), None)


def update(base, offsets, block):
    """`base` with the block at `offsets` replaced: what is written in place where `base` may be overwritten."""
    return _core.update(base, _axes(offsets), block, None)


# ---- scalars


def select(c, a, b):
    """a where c, else b."""
    if not isinstance(c, Expr):
        raise UserError(f"select: the condition is the Python value {c!r}; write lift.eq(a, b) or a < b "
                        f"{_core.here()}")
    return _core.select(c, a, b, None)


def cast(t, a):
    """A number of another type."""
    return _core.cast(t, a, None)


def _binary(op):
    def apply_operator(a, b):
        return _core.binary(op, a, b, None)
    return apply_operator


eq, ne, min, max = _binary("=="), _binary("!="), _binary("min"), _binary("max")
logical_and, logical_or = _binary("&"), _binary("|")


def unary(name, a):
    """A scalar operation of one operand, by its name in the language: unary("sqrt", x)."""
    return _core.unary(name, _expr(a), None)


def logical_not(a):
    return unary("!", a)


def abs(a):
    return unary("abs", a)


def sqrt(a):
    return unary("sqrt", a)


def _elementary(name, arity):
    def one(a):
        return unary(name, a)

    f = one if arity == 1 else _binary(name)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"`{name}` of C's math.h, of f32 or f64."
    return f


cbrt, exp, exp2, log, log2, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, erf, floor, ceil, round = (
    _elementary(n, 1) for n in ("cbrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
                                "sinh", "cosh", "tanh", "erf", "floor", "ceil", "round"))
pow, atan2, hypot = (_elementary(n, 2) for n in ("pow", "atan2", "hypot"))


def user_fun(name, parameters, result, body):
    """A scalar function with a C body, the text between its braces:
    user_fun("square", {"x": f64}, f64, "return x * x;")."""
    f = _core.user_fun(name, list(parameters.items()), result, body)

    def call(*xs):
        return f.call([_expr(x) for x in xs], None)
    call.__signature__ = inspect.Signature([inspect.Parameter(p, inspect.Parameter.POSITIONAL_ONLY) for p in parameters])
    return call
