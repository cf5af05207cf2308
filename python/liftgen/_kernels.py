"""Kernels as Python functions of arrays, and the search for fast ones."""

import json
import os
import sys
import time
import zlib

from . import _core, _figures
from ._errors import UserError
from ._programs import as_program

Kernel = _core.Kernel
Device = _core.Device
Queue = _core.Queue
device_array = _core.DeviceArray
device_array.__name__ = device_array.__qualname__ = "device_array"
for _class in (Kernel, Device, Queue, device_array):
    _class.__module__ = "liftgen"


def devices(backend):
    """All devices of a `backend`, "opencl" or "cuda": a list of lift.Device. UserError: no such backend."""
    return _core.devices(backend)


def compile(program, *, name="", names=(), overwrites=None, sizes=None, symbolic=False, derivation=None, tuned=False,
            database="", device=None):
    """A kernel of a `program` (or a function expression): a function of arrays, of numpy or of any package whose arrays have
    __dlpack__.

    Arguments and results are passed as they lie, never copied or converted: what does not fit is refused. Results
    are returned, new arrays or those passed as out=; those that update an argument named in `overwrites` are
    written into it. For every set of lengths met, a kernel is generated and compiled once; symbolic=True makes one
    for all. Calls from several threads are safe.

    name, names  of a function expression: what messages call it, and its arguments
    overwrites   names of arguments that results are written into, instead of the program's
    sizes        numbers (elements) by the names of sizes that are known already
    symbolic     one kernel for all lengths, which may be slower
    derivation   how it is computed, as Tuned.derivation and the command line's --derivation have it
    tuned        begins with what exploring has found for these sizes, or near them; nothing is searched
    database     in which `tuned` looks; '' for the user's
    device       a lift.Device that it runs on, instead of the processors. Arrays of the host are copied there and
                 back for each call; where all arrays are a lift.device_array, nothing is, and so are the results
    UserError: what does not fit, at the call with the shapes. EnvironmentError: no compiler.
    """
    p = as_program(program, name, names, overwrites, device)
    return _core.compile(p, sizes=sizes or {}, symbolic=symbolic, derivation=derivation, tuned=tuned,
                         database=os.fspath(database), device=device)


class _Kept:
    """What an exploration found, as it travels to another process: tables as text, the rest as it was."""

    def __init__(self, found):
        self.program, self.device, self.sizes = found.program, found.device, found.sizes
        self.derivation, self.prose, self.source = found.derivation, found.prose, found.source
        self.origin, self.interrupted = found.origin, found.interrupted
        self.json = None if self.origin else found.json
        self._boards, self._summary = [found.leaderboard(0)], found.summary()
        while len(self._boards) < 1000:
            board = found.leaderboard(len(self._boards))
            if len(self._boards) > 1 and board == self._boards[-1]:
                break
            self._boards.append(board)
        self._boards = zlib.compress(json.dumps(self._boards).encode())

    def leaderboard(self, rows):
        boards = json.loads(zlib.decompress(self._boards))
        return boards[min(max(rows, 0), len(boards) - 1)]

    def summary(self):
        return self._summary


class Tuned:
    """What an exploration found: made by lift.explore. str(tuned) is a table and the fastest variant."""

    def __init__(self, found):
        self._found = found

    def kernel(self):
        """The fastest variant as a kernel; at other sizes it takes the same decisions where it can. See lift.Kernel."""
        f = self._found
        return _core.compile(f.program, derivation=f.derivation, or_default=True, device=f.device)

    @property
    def derivation(self):
        """How it is computed, a step a line: for compile(derivation=...)."""
        return self._found.derivation

    @property
    def steps(self):
        """How it is computed as sentences, a line each, as people read it."""
        return self._found.prose

    @property
    def source(self):
        """Its C text (or that of its device's language)."""
        return self._found.source

    @property
    def origin(self):
        """With unless_known=True, what was taken from the database; '' when it was searched for."""
        return self._found.origin

    @property
    def sizes(self):
        """The numbers of elements, by the names of sizes, at which it was searched for: a dict."""
        return self._found.sizes

    @property
    def interrupted(self):
        """Whether a signal ended the search; the best until then is kept."""
        return self._found.interrupted

    @property
    def results(self):
        """All that was measured, as `liftgen explore --json` writes it (docs/json.md): a dict; times in ms, rates in GB/s.

        UserError: nothing was searched, see `origin`."""
        return json.loads(self._json())

    def _json(self):
        if self._found.json is None:  # it came from another process
            raise UserError(f"{self._found.program.name}: nothing was searched, so that there is no report; what is known was "
                            f"taken: {self.origin}")
        return self._found.json

    def __reduce__(self):
        return Tuned, (self._found if isinstance(self._found, _Kept) else _Kept(self._found),)

    def leaderboard(self, rows=10):
        """The best variants beside plain loops and other compilers, as a table of so many `rows`; ms and GB/s."""
        return self._found.leaderboard(rows)

    def report(self, path):
        """Writes one HTML page that needs nothing else to `path`: charts, derivation, code. UserError as `results`."""
        _core.write_page(self._json(), os.fspath(path))

    def plot(self, axes=None):
        """Draws the fastest variants by their times (ms), beside plain loops and the traffic twin.

        axes  of matplotlib, into which it is drawn; those of a new figure without
        Returns the axes. UserError as `results`. EnvironmentError: no matplotlib."""
        return _figures.plot(self.results, axes)

    def _repr_html_(self):
        from html import escape
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self):
        return self.origin or self.leaderboard(5) + "\n" + self._found.summary()

    def __repr__(self):
        return f"<liftgen.Tuned: {self.origin or self._found.summary().splitlines()[0]}>"


class Bar:
    """A line that shows how far an exploration is; rewritten in place on a terminal, one line a phase elsewhere.

    stream  a text file; standard error without it
    """

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.terminal = self.stream.isatty()
        self._drawn = 0.0
        self._phase = ""

    def text(self, phase, fraction, timed, best_ms, best_name, width=79):
        """The line, of at most `width` characters: the `phase`, the `fraction` of the budget that has gone, how many variants were
        `timed`, the fastest one's `best_ms` (ms) and `best_name`."""
        filled = int(20 * min(max(fraction, 0.0), 1.0))
        text = f"[{'#' * filled}{'.' * (20 - filled)}] {phase}, {timed} timed"
        if best_ms > 0:
            text += f", best {best_ms:.4g} ms: {best_name}"
        return text if len(text) <= width else text[:width - 3] + "..."

    def __call__(self, phase, fraction, timed, best_ms, best_name):
        """Shows it; what lift.explore calls as progress=."""
        now = time.monotonic()
        changed = phase != self._phase
        self._phase = phase
        if self.terminal and (changed or now - self._drawn > 0.1):
            self._drawn = now
            self.stream.write("\r\033[K" + self.text(phase, fraction, timed, best_ms, best_name))
            self.stream.flush()
        elif changed and not self.terminal:
            self.stream.write(f"liftgen: {phase}\n")

    def close(self):
        """Clears the line."""
        if self.terminal and self._phase:
            self.stream.write("\r\033[K")
            self.stream.flush()


def rules_text(rules):
    """The text of rules, and what messages call it: "fuse: map(f) |> map(g) = map(f |> g)", or a file's path."""
    if isinstance(rules, str):
        return rules, "rules"
    path = os.fspath(rules)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), path
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"rules={path}: cannot be read: {error}") from None


def explore(program, *, sizes=None, budget=60, data=None, name="", names=(), overwrites=None, progress=True, threads=0,
            configurations=0, search="forest", seed=1, rivals=True, unless_known=False, database="", device=None,
            rules=""):
    """Searches the variants of a `program`, or of a function, for the fastest: derives, compiles, verifies and measures
    them within `budget` seconds. What is found is remembered. Returns a lift.Tuned.

    An interrupt (Ctrl-C) ends the search soon and keeps the best so far (Tuned.interrupted); a second one, or one before
    anything was found, is a KeyboardInterrupt.

    name, names     of a function expression: what messages call it, and its arguments
    overwrites      names of arguments that results are written into, instead of the program's
    sizes           a number for each size; those that the arrays in `data` give, or the file, may be left out
    data            arrays (and numbers) by argument, on which variants are compared; pseudo-random ones otherwise
    progress        True: a bar on standard error; a function of (phase, fraction, timed, best_ms, best_name); None
    threads         that kernels run with; 0: one a core
    search, seed    the technique (docs/ADDING_A_SEARCH.md) and its seed
    configurations  at most so many are tried; 0: no limit
    rivals          also what other compilers make of plain loops, for comparison
    unless_known    takes what was found before for just this program, sizes and machine, without searching
    database        that remembers; '' for the user's
    device          a lift.Device whose kernels are explored, in a process of their own unless this one has used it
    rules           of your own, each a decision where it applies: a text, or the pathlib.Path of a file
    UserError: a size without a number, a budget of 0, data that does not fit. EnvironmentError: no compiler, a forked child.
    """
    rules, rules_file = rules_text(rules)
    p = as_program(program, name, names, overwrites, device)
    if budget <= 0:
        raise UserError(f"{p.name}: the budget is {budget} s; give it some seconds")
    listener = Bar() if progress is True else progress or None
    try:
        return Tuned(_core.explore(p, sizes=sizes or {}, budget=float(budget), data=data or {}, threads=threads,
                                   configurations=configurations, search=search, seed=seed, rivals=rivals,
                                   unless_known=unless_known, database=os.fspath(database), device=device,
                                   rules=rules, rules_file=rules_file, listener=listener))
    finally:
        if isinstance(listener, Bar):
            listener.close()


def empty(shape, dtype):
    """A numpy array whose elements are not set, aligned to 64 bytes as kernels like it. From 32 MB on it lies on huge pages, which
    the threads of kernels have touched first, and begins elsewhere in a page than other arrays.

    shape  lengths, or one; dtype  lift.f32, f64, i32, i64, u8 or boolean. UserError: a negative length, no memory.
    """
    return _core.new_array(list(shape) if isinstance(shape, (list, tuple)) else [shape], dtype)
