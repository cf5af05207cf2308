"""How expressions are written in Python: as in C++, with `|` between an array and what is done to it.

    xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1) | lift.map(lambda w: (w[0] + w[1] + w[2]) / 3)

Primitives take their array last, or, without it, give a `Partial` that `|` applies. Types are checked where an
expression is made; messages name the line of the script.
"""

import builtins
import inspect

from . import _core
from ._errors import ArgumentError, UserError

__all__ = [
    # sizes, types, leaves
    "Boundary", "Expr", "Nat", "Partial", "Type", "array", "boolean", "clamp", "constant", "f32", "f64", "i32", "i64", "index_param",
    "literal", "mirror", "nat", "nat_value", "odd", "param", "param_name", "reflect", "tuple_type", "u8", "undefined", "wrap",
    # functions
    "apply", "compose", "fun", "function_of", "let", "user_fun",
    # arrays
    "at", "concat", "drop", "drop2", "drop3", "drop_n", "gather", "generate", "get", "interleave", "iota", "iterate", "join", "join_n",
    "map", "map2", "map3", "map_n", "pad", "pad2", "pad3", "pad_n", "positions", "reduce", "reverse", "reverse_n", "scan",
    "scan_back", "slide", "slide2", "slide3", "slide_n", "split", "sum", "take", "transpose", "tuple", "unzip", "unzip_n",
    "update", "zip", "zip2", "zip3", "zip_n",
    # numbers
    "abs", "acos", "asin", "atan", "atan2", "cast", "cbrt", "ceil", "cos", "cosh", "eq", "erf", "exp", "exp2", "floor",
    "hypot", "log", "log10", "log2", "logical_and", "logical_not", "logical_or", "max", "min", "ne", "pow", "round", "select",
    "sin", "sinh", "sqrt", "tan", "tanh", "unary"]

Expr, Nat, Type, Boundary = _core.Expr, _core.Nat, _core.Type, _core.Boundary
f32, f64, i32, i64, u8, boolean = _core.f32, _core.f64, _core.i32, _core.i64, _core.u8, _core.boolean
clamp, wrap, mirror, reflect = Boundary.clamp, Boundary.wrap, Boundary.mirror, Boundary.reflect
odd, constant, undefined = Boundary.odd, Boundary.constant, Boundary.undefined


# ---- sizes and types


def nat(name, lower=1, modulus=1, residue=0):
    """A size: a length that is known when a kernel is called. Sizes of one name are one.

    lower             its least value (elements)
    modulus, residue  it is `residue` modulo `modulus`: nat("n", modulus=2) is even
    UserError: a name that is none, a lower bound below 0."""
    return _core.size(name, lower, modulus, residue)


def array(first, *more):
    """The type of an array: array(f32, n, m) and array([n, m], f32) are n.m.f32, n arrays of m numbers.

    first, *more  a type and lengths (numbers, or of lift.nat), outermost first; or a list of them and a type
    UserError: neither of the two."""
    if isinstance(first, Type):
        return _core.array_type(list(more), first)
    shape, element = (first, more[0]) if len(more) == 1 else (None, None)
    if shape is None or not isinstance(element, Type):
        raise UserError("array: write array(f32, n, m) or array([n, m], f32)")
    return _core.array_type(list(shape) if isinstance(shape, (list, builtins.tuple)) else [shape], element)


def tuple_type(*parts):
    """The type of a tuple of these parts (types): tuple_type(f64, i32) is {f64, i32}."""
    return _core.tuple_type(list(parts))


def param(name, type):
    """An argument of a program, or a variable that stays free: an expression of that type. UserError: no name."""
    return _core.param(name, type)


def index_param(name, lower, upper):
    """An argument that is a whole number (i32) from `lower` to `upper`, both included: such as a sweep's color.

    Kernels refuse calls with other values of `name`."""
    return _core.index_param(name, lower, upper)


def param_name(e):
    """The name of a parameter e."""
    return _core.param_name(e)


def literal(value, type):
    """The number `value` as an expression of the scalar type. UserError: one that the type cannot hold."""
    return _core.literal(value, type)


def nat_value(n):
    """A length as a number of expressions: an i32."""
    return _core.nat_value(n)


# ---- functions


class Partial:
    """A primitive, or several one after the other (`p | q`), without its array: what lift.slide(3, 1) is in xs | lift.slide(3, 1).

    apply  a function of the array and the line of the script
    """

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
    raise ArgumentError("an expression has no truth value; write lift.select(c, a, b), and a & b, a | b, ~a for truth "
                    "values (a < b < c is (a < b) & (b < c))")


def _equal(a, b):
    if isinstance(b, (Expr, Nat)):
        return isinstance(b, Expr) and _core.same(a, b)
    if isinstance(b, (int, float)):
        raise ArgumentError("== says whether two expressions are one and the same; write lift.eq(a, b)")
    return NotImplemented


def _parts(e):
    if not e.type.is_tuple:
        raise ArgumentError(f"an expression of type {e.type} cannot be taken apart in Python; only tuples can")
    return iter(_core.components(e))


# numpy's functions of numbers that are functions of expressions. Others differ in what they mean, or are not there:
# numpy's rint and round take halves to even numbers, its remainder has the divisor's sign, its fmin skips NaNs.
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "divide": "/", "less": "<", "less_equal": "<=",
          "greater": "<", "greater_equal": "<=", "equal": "==", "not_equal": "!=", "logical_and": "&", "logical_or": "|",
          "bitwise_and": "&", "bitwise_or": "|", "power": "pow", "float_power": "pow", "arctan2": "atan2", "hypot": "hypot",
          "maximum": "max", "minimum": "min"}
_UNARY = {"absolute": "abs", "fabs": "abs", "negative": "neg", "logical_not": "!", "invert": "!", "arcsin": "asin",
          "arccos": "acos", "arctan": "atan",
          **{name: name for name in ("sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh",
                                     "tanh", "floor", "ceil")}}


def _ufunc(self, ufunc, method, *inputs, **options):
    """What numpy's functions of numbers are of expressions: numpy.sqrt(x) is lift.sqrt(x)."""
    name = ufunc.__name__
    if any(getattr(x, "ndim", 0) > 0 for x in inputs):
        raise ArgumentError("an expression has no elements yet to combine with those of a numpy array; make the array an argument "
                            "of the program")
    if method == "__call__" and not options:
        xs = [x if isinstance(x, Expr) else x.item() if hasattr(x, "item") else x for x in inputs]
        if name in _SIGNS:
            return _core.binary(_SIGNS[name], *(reversed(xs) if name.startswith("greater") else xs), None)
        if name in _UNARY:
            return _core.unary(_UNARY[name], xs[0], None)
        if name == "square":
            return _core.binary("*", xs[0], xs[0], None)
        if name == "positive":
            return xs[0]
        if name == "clip":
            return _core.binary("min", _core.binary("max", xs[0], xs[1], None), xs[2], None)
    known = name if name in __all__ else None
    raise ArgumentError(f"numpy's {name} is of numbers" + (f"; of expressions write lift.{known}" if known and not options else
                                                           ", not of expressions" + " with options" * bool(options)))


def _array_function(self, function, types, arguments, named):
    """numpy.where and numpy.clip of expressions; numpy's other functions are of arrays."""
    if function.__name__ == "where" and len(arguments) == 3 and not named:
        return select(*arguments)
    if function.__name__ == "clip" and len(arguments) == 3 and not named:
        return min(max(arguments[0], arguments[1]), arguments[2])
    raise ArgumentError(f"numpy's {function.__name__} is of arrays of numbers, not of expressions; of expressions there are the "
                        f"primitives of lift {_core.here()}")


# ---- elements and blocks: xs[i, j], xs[1:-1, ::2]


def _end(k, length):
    """A place in a dimension; numbers below 0 count from its end."""
    return length + int(k) if hasattr(k, "__index__") and k < 0 else k


def _cut(s, length):
    """How many elements a slice leaves out before and after."""
    if length.number is not None and all(k is None or hasattr(k, "__index__") for k in (s.start, s.stop)):
        start, stop, _ = slice(s.start, s.stop).indices(length.number)
        return start, length.number - builtins.max(start, stop)
    low = 0 if s.start is None else _end(s.start, length)
    if s.stop is None or hasattr(s.stop, "__index__") and s.stop < 0:
        return low, -int(s.stop or 0)
    return low, length - s.stop


def _step(s, where):
    step = 1 if s.step is None else s.step
    if hasattr(step, "__index__") and (step > 0 or step == -1 and s.start is None and s.stop is None):
        return step
    raise UserError(f"[{s.start}:{s.stop}:{step}]: a step is a number above 0, or -1 of a whole dimension, [::-1] {where}")


def _along(xs, s, where):
    """The slice of the outermost dimension."""
    step = _step(s, where)
    if step == -1:
        return _core.reverse(1, xs, where)
    low, high = _cut(s, xs.type.shape[0])
    cut = xs if low == 0 and high == 0 else _core.drop([low], [high], xs, where)
    if step == 1:
        return cut
    over = (cut.type.shape[0] - 1) % step  # after the last one that is taken
    rows = _core.slide([1], [step], cut if over == Nat(0) else _core.drop([0], [over], cut, where), where)
    return map(lambda row: row[0], rows)


def _element(xs, position, where):
    """At a position that is known, or computed."""
    if any(isinstance(i, Expr) for i in position):
        return _core.gather([_expr(i, i32) for i in position], Boundary.undefined, xs, 0, where)
    return _core.at(position, xs, where)


def _item(xs, position, where):
    if isinstance(position, builtins.tuple):
        position = list(position)
    position = list(position) if isinstance(position, list) else [position]
    rank = xs.type.rank
    if any(p is Ellipsis for p in position):
        i = [p is Ellipsis for p in position].index(True)
        position[i:i + 1] = [slice(None)] * (rank - len(position) + 1)
    while position and isinstance(position[-1], slice) and position[-1] == slice(None):
        position.pop()
    shape = xs.type.shape
    if len(position) > rank:
        raise UserError(f"a position of {len(position)} indices in {xs.type}, which has {rank} dimensions {where}")
    if not any(isinstance(p, slice) for p in position):
        return _element(xs, [_end(p, n) for p, n in builtins.zip(position, shape)], where) if position else xs
    if all(isinstance(p, slice) and p.step in (None, 1) for p in position):
        low, high = builtins.zip(*(_cut(p, n) for p, n in builtins.zip(position, shape)))
        return _core.drop(list(low), list(high), xs, where)
    first, rest = position[0], position[1:]
    if not isinstance(first, slice):
        return _item(_element(xs, [_end(first, shape[0])], where), rest, where)
    rows = _along(xs, first, where)
    return rows if not rest else map(lambda row: _item(row, rest, where), rows)


def _getitem(self, position):
    """xs[i, j] is an element, numbers below 0 counting from the end; xs[1:-1, ::2] a block, as numpy has it."""
    indices = position if isinstance(position, (builtins.tuple, list)) else (position,)
    if any(isinstance(i, slice) or i is Ellipsis or hasattr(i, "__index__") and i < 0 for i in indices):
        return _item(self, position, _core.here())
    return _element(self, list(indices), None)


def _power(a, b):
    return _core.binary("pow", a, b, None)


Expr.__or__ = _pipe
Expr.__bool__ = _no_truth
Expr.__eq__ = _equal
Expr.__iter__ = _parts
Expr.__pow__ = _power
Expr.__rpow__ = lambda b, a: _core.binary("pow", a, b, None)
Expr.__array_ufunc__ = _ufunc
Expr.__array_function__ = _array_function
Expr.__getitem__ = _getitem


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
        raise ArgumentError(f"a lift expression is needed, but an array is given ({type(x).__name__}); compile a program of "
                        f"lift.param(...), and call it with the array {_core.here()}")
    raise ArgumentError(f"a lift expression is needed, but a Python {type(x).__name__} is given: {x!r}; "
                    f"write lift.literal(value, type) for a number {_core.here()}")


def fun(parameters, body):
    """A function of expressions, from a Python one.

    parameters  its types: a type, or a list with one for each argument
    body        a Python function of as many expressions
    UserError: another number of types than of arguments; what `body` raises."""
    where = _core.here()
    types = list(parameters) if isinstance(parameters, (list, builtins.tuple)) else [parameters]
    if _arity(body) != len(types):
        raise UserError(f"fun: {len(types)} types for a function of {_arity(body)} arguments; give each its type "
                        f"{where}")
    xs = [_core.fresh_param(f"x{i}", t) for i, t in enumerate(types)]
    return _core.function(xs, _expr(body(*xs)), where)


def function_of(t, f, where=None):
    """A function of one argument of type `t`: the expression `f` as it is, or a Python function `f`. One of several
    arguments takes the components of a tuple apart. `where`: the line that errors name, of the script without it."""
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
    """The function expression `f` applied to `arguments`, one for each parameter. UserError: types that do not fit."""
    return _core.apply(f, list(arguments), None)


def compose(f, g):
    """The function \\x. f (g x): `g` first. UserError: `f` is not of what `g` gives."""
    return _core.compose(f, g, None)


def let(value, body):
    """body(value), `value` being computed once, however often `body` reads it."""
    return _core.let(_expr(value), lambda x: _expr(body(x)), None)


# ---- arrays


def _over(xs, apply):
    """apply(xs, where) now, or as a Partial."""
    return Partial(apply) if xs is None else apply(_expr(xs), None)


def _axes(x, rank=1):
    return list(x) if isinstance(x, (list, builtins.tuple)) else [x] * rank


def map_n(rank, f, xs=None):
    """f of every element of the outer `rank` dimensions.

    xs : n. ... .a, f : a -> b, gives n. ... .b. A function of several arguments takes tuples apart.
    UserError: fewer dimensions; types that do not fit."""
    def applied(ys, where):
        return _core.map(rank, function_of(ys.type.element(rank), f, where), ys, where)
    return _over(xs, applied)


def map(f, xs=None):
    """f of every element: xs : n.a, f : a -> b, gives n.b. UserError: no array; types that do not fit."""
    return map_n(1, f, xs)


def map2(f, xs=None):
    """f of every element of two dimensions: xs : n.m.a, f : a -> b, gives n.m.b. UserError as map."""
    return map_n(2, f, xs)


def map3(f, xs=None):
    """f of every element of three dimensions: xs : n.m.l.a, f : a -> b, gives n.m.l.b. UserError as map."""
    return map_n(3, f, xs)


def _fold(primitive, f, init, xs):
    def applied(ys, where):
        element = ys.type.element()
        start = _expr(init, i32 if element == u8 else element)  # what bytes are computed as
        g = f if isinstance(f, Expr) else fun([start.type, element], f)
        return primitive(g, start, ys, where)
    return _over(xs, applied)


def reduce(f, init, xs=None):
    """f(accumulator, element) from the first to the last, beginning with `init`.

    xs : n.a, init : b, f : (b, a) -> b, gives b. A number as `init` is of the elements' type, for u8 an i32.
    UserError: f gives another type than init has."""
    return _fold(_core.reduce, f, init, xs)


def sum(xs=None):
    """The sum of the elements: xs : n.a, a of numbers, gives a (of u8 an i32); 0 where there are none."""
    return reduce(lambda a, x: a + x, 0, xs)


def scan(f, init, xs=None):
    """Every intermediate value of a reduction: element k is f(element k - 1, xs[k]), the first one f(init, xs[0]).

    xs : n.a, init : b, f : (b, a) -> b, gives n.b. UserError as reduce."""
    return _fold(_core.scan, f, init, xs)


def scan_back(f, init, xs=None):
    """scan from the last element to the first: element k is f(element k + 1, xs[k]), the last one f(init, xs[n - 1]).

    xs : n.a, init : b, f : (b, a) -> b, gives n.b. UserError as reduce."""
    return _fold(_core.scan_back, f, init, xs)


def iterate(times, f, x=None):
    """f applied `times` times to x: a number, or an index_param, which is known when the kernel runs.

    x : a, f : a -> a (or (i32, a) -> a, with the step's number from 0), gives a.
    UserError: f changes the type."""
    return _over(x, lambda y, where: _core.iterate(times, function_of(y.type, f, where), y, where))


def zip_n(rank, *arrays):
    """One array of tuples over the outer `rank` dimensions: arrays of n. ... .a and n. ... .b give n. ... .{a, b}.

    UserError: arrays of different lengths there."""
    return _core.zip(rank, [_expr(x) for x in _listed(arrays)], None)


def _listed(arrays):
    return arrays[0] if len(arrays) == 1 and isinstance(arrays[0], (list, builtins.tuple)) else arrays


def zip(*arrays):
    """One array of tuples: arrays of n.a, n.b, ... give n.{a, b, ...}. UserError: different lengths."""
    return zip_n(1, *arrays)


def zip2(*arrays):
    """zip over two dimensions: arrays of n.m.a, n.m.b, ... give n.m.{a, b, ...}. UserError: different lengths."""
    return zip_n(2, *arrays)


def zip3(*arrays):
    """zip over three dimensions: arrays of n.m.l.a, n.m.l.b, ... give n.m.l.{a, b, ...}. UserError: different lengths."""
    return zip_n(3, *arrays)


def unzip_n(rank, xs=None):
    """xs : n. ... .{a, b}, over the outer `rank` dimensions, gives {n. ... .a, n. ... .b}. UserError: no tuples there."""
    return _over(xs, lambda ys, where: _core.unzip(rank, ys, where))


def unzip(xs=None):
    """An array of tuples as a tuple of arrays: xs : n.{a, b} gives {n.a, n.b}. UserError: no array of tuples."""
    return unzip_n(1, xs)


def tuple(*parts):
    """Several values (`parts`) as one, of type {a, b, ...}; as the result of a program, several results."""
    return _core.tuple([_expr(x) for x in _listed(parts)], None)


def get(i, t=None):
    """Component `i`, from 0: t : {a, b} gives a for 0, b for 1. UserError: no tuple, or one without it."""
    return _over(t, lambda y, where: _core.get(i, y, where))


def at(position, xs=None):
    """The element at a position: xs : n.m.a at([i, j], xs), which is xs[i, j], gives a.

    position  an index for each dimension (numbers or sizes), or one index
    UserError: an index outside."""
    return _over(xs, lambda ys, where: _core.at(_axes(position), ys, where))


def split(k, xs=None):
    """Pieces of `k` elements: xs : (n * k).a gives n.k.a.

    A list splits as many dimensions, their outer indices first: n.m.k1.k2.a. UserError: k does not divide the length."""
    return _over(xs, lambda ys, where: _core.split(_axes(k), ys, where))


def join_n(rank, xs=None):
    """The inverse of split in `rank` dimensions: xs : n.m.k1.k2.a gives (n * k1).(m * k2).a for 2."""
    return _over(xs, lambda ys, where: _core.join(rank, ys, where))


def join(xs=None):
    """Pieces side by side: xs : n.k.a gives (n * k).a. UserError: fewer than two dimensions."""
    return join_n(1, xs)


def slide_n(rank, size, step, xs=None):
    """Windows of `size`, each `step` after the one before, in `rank` dimensions: all positions first, then the dimensions of a window.

    size, step  in elements; a number for all dimensions, or a list with one for each
    xs : n.m.a gives ((n - size + step) / step).((m - size + step) / step).size.size.a for 2.
    UserError: fewer dimensions, windows larger than the array."""
    return _over(xs, lambda ys, where: _core.slide(_axes(size, rank), _axes(step, rank), ys, where))


def slide(size, step, xs=None):
    """Windows of `size` elements, each `step` after the one before: xs : n.a gives ((n - size + step) / step).size.a.

    UserError: no array, windows larger than it."""
    return slide_n(1, size, step, xs)


def slide2(size, step, xs=None):
    """Windows of `size` x `size`, each `step` after the one before: xs : n.m.a gives (n - size + 1).(m - size + 1).size.size.a for step 1.

    size, step  in elements; lists have a number for each dimension. UserError as slide."""
    return slide_n(2, size, step, xs)


def slide3(size, step, xs=None):
    """Windows in three dimensions, see slide2: xs : n.m.l.a gives ... .size.size.size.a.

    size, step  in elements; lists have a number for each dimension. UserError as slide."""
    return slide_n(3, size, step, xs)


def _need_boundary(primitive, boundary):
    if isinstance(boundary, Boundary):
        return
    names = list(Boundary.__members__)
    remedy = f"write lift.{boundary}" if boundary in names else "there are lift." + ", lift.".join(names)
    raise UserError(f"{primitive}: {boundary!r} is no boundary; {remedy} {_core.here()}")


def pad_n(rank, low, high, boundary, value=0, xs=None):
    """Elements added before and after in `rank` dimensions: xs : n.m.a gives (low + n + high).(low + m + high).a for 2.

    low, high  how many elements; lists have a number for each dimension
    boundary   what they are: lift.clamp, wrap, mirror, reflect, odd, constant, undefined
    value      of which constant's are (and odd's about it)
    UserError: no boundary, fewer dimensions."""
    _need_boundary("pad", boundary)

    def applied(ys, where):
        return _core.pad(_axes(low, rank), _axes(high, rank), boundary, ys, value, where)
    return _over(xs, applied)


def pad(low, high, boundary, value=0, xs=None):
    """Elements added before and after: xs : n.a gives (low + n + high).a.

    low, high  how many elements before and after
    boundary   what they are: lift.clamp, wrap, mirror, reflect, odd, constant, undefined
    value      of which constant's are (and odd's about it)
    UserError: no boundary, fewer dimensions."""
    return pad_n(1, low, high, boundary, value, xs)


def pad2(low, high, boundary, value=0, xs=None):
    """pad in two dimensions: xs : n.m.a gives (low + n + high).(low + m + high).a.

    low, high  how many elements; lists have a number for each dimension
    boundary   what they are: lift.clamp, wrap, mirror, reflect, odd, constant, undefined
    value      of which constant's are (and odd's about it)
    UserError: no boundary, fewer dimensions."""
    return pad_n(2, low, high, boundary, value, xs)


def pad3(low, high, boundary, value=0, xs=None):
    """pad in three dimensions: xs : n.m.l.a gives (low + n + high).(low + m + high).(low + l + high).a.

    low, high  how many elements; lists have a number for each dimension
    boundary   what they are: lift.clamp, wrap, mirror, reflect, odd, constant, undefined
    value      of which constant's are (and odd's about it)
    UserError: no boundary, fewer dimensions."""
    return pad_n(3, low, high, boundary, value, xs)


def drop_n(rank, low, high, xs=None):
    """Without `low` elements before and `high` after, in `rank` dimensions; lists have a number for each.

    xs : n.m.a gives (n - low - high).(m - low - high).a for 2. UserError: more than there are."""
    return _over(xs, lambda ys, where: _core.drop(_axes(low, rank), _axes(high, rank), ys, where))


def drop(low, high, xs=None):
    """Without the first `low` and the last `high` elements: xs : n.a gives (n - low - high).a, as xs[low:-high].

    UserError: more than there are."""
    return drop_n(1, low, high, xs)


def drop2(low, high, xs=None):
    """drop in two dimensions, `low` and `high` for both or as lists: xs : n.m.a gives (n - low - high).(m - low - high).a."""
    return drop_n(2, low, high, xs)


def drop3(low, high, xs=None):
    """drop in three dimensions, see drop2; `low` and `high` for all, or as lists with one for each: of xs : n.m.l.a."""
    return drop_n(3, low, high, xs)


def gather(positions, boundary=Boundary.undefined, value=0, xs=None):
    """The element at a position that is computed, an i32 or i64, or at positions of several dimensions, [j, i]; or one for
    each of the positions that arrays of these hold: xs : n.a gives a, or m.a for `positions` of m.i32.

    `boundary` says what is beyond the ends, however far: clamp, wrap, mirror, reflect, or constant, whose `value` it is.
    UserError: no boundary; without one, positions that are not proved to be within, as min(max(i, 0), n - 1) and i % n are."""
    _need_boundary("gather", boundary)
    at = list(positions) if isinstance(positions, (list, builtins.tuple)) else [positions]
    return _over(xs, lambda ys, where: _core.gather(at, boundary, ys, value, where))


def take(n, xs=None):
    """The first elements: xs : m.a gives n.a, as xs[:n]. UserError: `n` is more than there are."""
    return _over(xs, lambda ys, where: _core.drop([0], [ys.type.shape[0] - n], ys, where))


def transpose(order=None, xs=None):
    """The dimensions in another order: dimension d of the result is dimension order[d] of xs.

    Without an order the first two change places: xs : n.m.a gives m.n.a. UserError: no permutation."""
    if isinstance(order, Expr):
        order, xs = None, order
    return _over(xs, lambda ys, where: _core.transpose(list(order or (1, 0)), ys, where))


def reverse_n(rank, xs=None):
    """From the last element to the first in `rank` dimensions: xs : n.m.a gives n.m.a."""
    return _over(xs, lambda ys, where: _core.reverse(rank, ys, where))


def reverse(xs=None):
    """From the last element to the first: xs : n.a gives n.a, as xs[::-1]."""
    return reverse_n(1, xs)


def generate(shape, f):
    """An array from a function of the index: the element at (i, j, ...) is f(i, j, ...), the indices being i32.

    shape  n or [n, m, ...]; f : (i32, ...) -> a; gives n.m. ... .a"""
    axes = _axes(shape)
    return _core.generate(axes, f if isinstance(f, Expr) else fun([i32] * len(axes), f), None)


def iota(n):
    """0, 1, ..., n - 1: n.i32."""
    return generate(n, lambda i: i)


def positions(shape, offsets=()):
    """Tuples of indices, each plus its offset: n.m.{i32, i32}.

    shape, offsets  a number (or size) for each dimension; no offsets are 0"""
    return _core.positions(_axes(shape), list(offsets), None)


def concat(a, b):
    """One array after the other: a : n.t and b : m.t give (n + m).t. UserError: elements of different types."""
    return _core.concat(a, b, None)


def interleave(*arrays):
    """Elements of arrays in turn: m arrays of n.a give (m * n).a, element m*i + p being element i of array p.

    UserError: `arrays` of different types."""
    return _core.interleave(list(_listed(arrays)), None)


def update(base, offsets, block):
    """`base` with the block at `offsets` replaced: what is written in place where `base` may be overwritten.

    base : n.m.a, block : k.l.a, offsets [i, j], a number for each dimension, gives n.m.a.
    UserError: a block that lies outside."""
    return _core.update(base, _axes(offsets), block, None)


# ---- scalars


def select(c, a, b):
    """a where c, else b: c : boolean, a and b numbers of one type, which a Python number takes on.

    UserError: c is a Python value."""
    if not isinstance(c, Expr):
        raise UserError(f"select: the condition is the Python value {c!r}; write lift.eq(a, b) or a < b "
                        f"{_core.here()}")
    return _core.select(c, a, b, None)


def cast(t, a):
    """The number `a` as one of type `t`: cast(f64, k). From floating to whole numbers towards 0, as C does."""
    return _core.cast(t, a, None)


def _operator(name, sign, text):
    def applied(a, b):
        return _core.binary(sign, a, b, None)

    applied.__name__ = applied.__qualname__ = name
    applied.__doc__ = text + " UserError: types that differ; a Python number takes the other's."
    return applied


eq = _operator("eq", "==", "Whether a equals b: a truth value of two numbers.")
ne = _operator("ne", "!=", "Whether a differs from b: a truth value of two numbers.")
min = _operator("min", "min", "The smaller of a and b, of their type.")
max = _operator("max", "max", "The larger of a and b, of their type.")
logical_and = _operator("logical_and", "&", "a and b: a truth value of two, as a & b.")
logical_or = _operator("logical_or", "|", "a or b: a truth value of two, as a | b.")


def unary(name, a):
    """A scalar operation of one operand `a`, by its name in the language: unary("sqrt", x). UserError: there is no such `name`."""
    return _core.unary(name, _expr(a), None)


def logical_not(a):
    """not a: a truth value of one, as ~a."""
    return unary("!", a)


def abs(a):
    """The absolute value of a number a, of its type."""
    return unary("abs", a)


_ELEMENTARY = {  # of C's math.h
    "sqrt": "The square root", "cbrt": "The cube root", "exp": "e to the power", "exp2": "2 to the power",
    "log": "The natural logarithm", "log2": "The logarithm to base 2", "log10": "The logarithm to base 10",
    "sin": "The sine, in radians,", "cos": "The cosine, in radians,", "tan": "The tangent, in radians,",
    "asin": "The arc sine, in radians,", "acos": "The arc cosine, in radians,", "atan": "The arc tangent, in radians,",
    "sinh": "The hyperbolic sine", "cosh": "The hyperbolic cosine", "tanh": "The hyperbolic tangent",
    "erf": "The error function", "floor": "The greatest whole number below", "ceil": "The least whole number above",
    "round": "The nearest whole number, halves away from 0,"}


def _elementary(name):
    def applied(a):
        return unary(name, a)

    applied.__name__ = applied.__qualname__ = name
    applied.__doc__ = f"{_ELEMENTARY[name]} of a, an f32 or f64, of its type; C's {name}. UserError: another type."
    return applied


(sqrt, cbrt, exp, exp2, log, log2, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, erf, floor, ceil,
 round) = (_elementary(name) for name in _ELEMENTARY)
pow = _operator("pow", "pow", "a to the power b, of f32 or f64; C's pow.")
atan2 = _operator("atan2", "atan2", "The angle, in radians, of the point with the ordinate a and the abscissa b; C's atan2.")
hypot = _operator("hypot", "hypot", "The root of the sum of the squares of a and b, of f32 or f64; C's hypot.")


def user_fun(name, parameters, result, body):
    """A scalar function with a C body, to be called with expressions, or mapped.

        user_fun("square", {"x": f64}, f64, "return x * x;")

    name        of the C function
    parameters  names and scalar types
    result      its scalar type
    body        the text between its braces, C99; it has no effects
    UserError: a name that C does not take; a call with other types."""
    f = _core.user_fun(name, list(parameters.items()), result, body)

    def call(*xs):
        return f.call([_expr(x) for x in xs], None)
    call.__signature__ = inspect.Signature([inspect.Parameter(p, inspect.Parameter.POSITIONAL_ONLY) for p in parameters])
    return call
