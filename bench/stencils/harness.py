"""What all tools have in common: a search among settings, checking of results, and the interleaved run."""

import dataclasses
import time
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Contender:
    """A tool's kernel for a case."""
    tool: str
    setting: str                 #: what its search chose, in words
    run: Callable                #: computes all steps once more; the seconds it took
    reset: Callable              #: puts the first values back
    result: Callable             #: the interior, in the order of numpy
    tried: int = 1
    note: str = ""


class Absent(Exception):
    """The tool is not here; the message says how to get it."""


class NotExpressible(Exception):
    """The tool cannot express the case; the message says why."""


def timed(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def error_of(contender, expected):
    """The largest difference from numpy, by the largest element."""
    contender.reset()
    contender.run()
    return float(np.abs(contender.result() - expected).max() / np.abs(expected).max())


def bound(case):
    return 1e-12 if case.dtype == np.float64 else 1e-5


def seconds_of(contender, best):
    """The least of three runs; less are made where the first shows that it is far from the best."""
    contender.run()
    least = contender.run()
    if best is not None and least > 1.5 * best:
        return least
    return min(least, contender.run(), contender.run())


def search(case, expected, budget, makers, log):
    """The fastest of what `makers` make, tried in their order until the budget is spent. A wrong one is out."""
    begin, best, best_seconds, tried = time.monotonic(), None, None, 0
    for setting, make in makers:
        if tried and time.monotonic() - begin > budget:
            break
        try:
            candidate = make()
            error = error_of(candidate, expected)
        except Exception as e:  # A tool that refuses one setting may take the next.
            log(f"{setting}: {type(e).__name__}: {str(e).strip().splitlines()[0] if str(e).strip() else ''}")
            continue
        tried += 1
        if not error <= bound(case):
            log(f"{setting}: wrong, error {error:.1e}")
            continue
        seconds = seconds_of(candidate, best_seconds)
        log(f"{setting}: {seconds * 1e3:.2f} ms")
        if best is None or seconds < best_seconds:
            best, best_seconds = candidate, seconds
    if best is None:
        raise NotExpressible(f"none of {tried} settings gave the right result")
    best.tried = tried
    return best


def turn(contender, awake=0.03):
    """The median of three runs. Runs that are not timed come first, until the tool's threads, asleep after the pause, have
    been at work for a while."""
    begin = time.perf_counter()
    contender.run()
    while time.perf_counter() - begin < awake:
        contender.run()
    return sorted(contender.run() for _ in range(3))[1]


def in_turns(contenders, rounds, pause=0.02):
    """Medians and quartiles of seconds, the contenders taking turns (A B C, A B C, ...).

    The pause lets the threads of the one before go to sleep: pools of different tools would share the processors."""
    times = [[] for _ in contenders]
    for _ in range(rounds):
        for c, t in zip(contenders, times):
            time.sleep(pause)
            t.append(turn(c))
    return [(float(np.median(t)), float(np.percentile(t, 25)), float(np.percentile(t, 75))) for t in times]
