"""Figures, where matplotlib is installed."""

import numpy as _numpy

from . import _core
from ._errors import ArgumentError, EnvironmentError


def axes(what, given):
    """The axes that are given, or those of a new figure."""
    if given is not None:
        return given
    try:
        import matplotlib.pyplot as plot  # type: ignore[import]
    except ImportError:
        raise EnvironmentError(f"{what}: matplotlib is not installed, which draws figures; pip install matplotlib, or "
                               f"apt-get install python3-matplotlib {_core.here()}") from None
    return plot.subplots(figsize=(7, 4), layout="constrained")[1]


def show(array, title=None, axes=None):
    """Draws an array: of one dimension as a line, of two as an image, of more the middle of the outer ones.

    array  of numpy, of a shape of 1 or more dimensions; or a lift.device_array, which is downloaded
    title  above it; its shape and dtype without
    axes   of matplotlib, into which it is drawn; those of a new figure without
    Returns the axes: axes.figure.savefig("a.png"), or matplotlib.pyplot.show(). EnvironmentError: no matplotlib.
    """
    a = _numpy.asarray(array.download() if isinstance(array, _core.DeviceArray) else array)
    if a.ndim == 0 or a.size == 0 or a.dtype.kind not in "biuf":
        raise ArgumentError(f"lift.show: {'x'.join(str(n) for n in a.shape) or 'a number'} of {a.dtype} is no array of numbers to "
                            f"draw {_core.here()}")
    to = _new_axes("lift.show", axes)
    middle = tuple(n // 2 for n in a.shape[:-2]) if a.ndim > 2 else ()
    shape = "x".join(map(str, a.shape))
    to.set_title(title if title is not None else
                 f"{shape} {a.dtype}" + (f", [{', '.join(map(str, middle))}]" if middle else ""))
    if a.ndim == 1:
        to.plot(a)
        to.set_xlabel("index")
    else:
        to.figure.colorbar(to.imshow(a[middle], interpolation="nearest", aspect="equal"), ax=to)
        to.set_xlabel("index of the last dimension")
        to.set_ylabel("of the one before")
    return to


def plot(results, given):
    """The variants of an exploration by their times: those of `results` (docs/json.md) that were right, the best first."""
    to = axes("Tuned.plot", given)
    best = results["best"]
    timed = sorted((v for v in results["variants"] if v["status"] == "ok" and v.get("ms")), key=lambda v: v["ms"])[:20]
    bars = [(v["name"], v["ms"]) for v in timed]
    names = [name if len(name) <= 60 else name[:57] + "..." for name, _ in bars]
    at = range(len(bars))
    to.barh(at, [ms for _, ms in bars], color=["C0" if v["name"] == best["name"] and v["ms"] == best["ms"] else "C7" for v in timed])
    to.set_yticks(at, names, fontsize=6)
    to.invert_yaxis()
    for line, word in (("baseline", "plain loops"), ("twin", "traffic twin")):
        if results.get(line, {}).get("ms"):
            to.axvline(results[line]["ms"], color="C1" if line == "baseline" else "C2", label=word)
    if to.get_legend_handles_labels()[1]:
        to.legend()
    to.set_xlabel("ms")
    to.set_title(f"{results['operator']}: {len(bars)} fastest variants of {results['counts']['timed']} timed")
    return to


_new_axes = axes
