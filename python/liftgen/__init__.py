"""liftgen: fast kernels from compositions of functional primitives.

    import liftgen as lift

    n = lift.nat("n")

    @lift.program(xs=lift.array(lift.f32, n))
    def blur(xs):
        return xs | lift.pad(1, 1, lift.clamp) | lift.slide(3, 1) | lift.map(lambda w: (w[0] + w[1] + w[2]) / 3)

    kernel = lift.compile(blur)
    smooth = kernel(signal)                                          # numpy arrays
    tuned = lift.explore(blur, sizes={"n": 1 << 24}, budget=30)      # search, verify, measure
    fast = tuned.kernel()
"""

import os as _os

import numpy as _numpy

from . import _core

if int(_numpy.__version__.split(".")[0]) >= 2 and not _core.knows_numpy_2:
    raise ImportError(f"this liftgen was built for numpy 1, but numpy {_numpy.__version__} is here; install liftgen into this "
                      "environment (pip install . in the checkout builds it for numpy 2, too), or numpy below 2")
_core.set_package_directory(_os.path.dirname(__file__))
from . import _binding  # noqa: E402

_binding.tidy(_core, _core.here)

from ._errors import ArgumentError, EnvironmentError, Error, InternalError, UserError  # noqa: E402,A004
from ._expressions import *  # noqa: E402,F403
from ._expressions import __all__ as _expressions_all  # noqa: E402
from ._figures import show  # noqa: E402
from ._kernels import (Bar, Device, Kernel, Queue, Tuned, compile, device_array, devices, empty,  # noqa: E402,A004
                       explore)
from ._programs import Program, load, parse, program  # noqa: E402
from . import _pickles, gmg, operators  # noqa: E402
from .gmg import Solver, solve  # noqa: E402

__version__ = _core.version
__all__ = ["ArgumentError", "Bar", "Device", "EnvironmentError", "Error", "InternalError", "Kernel", "Program", "Queue",
           "Solver", "Tuned", "UserError", "__version__", "compile", "device_array", "devices", "empty", "explore", "gmg",
           "operators",
           "load", "parse", "program", "show", "solve", *_expressions_all]

for _name in __all__:  # help() and messages say where they are found
    if getattr(globals()[_name], "__module__", "").startswith("liftgen._"):
        globals()[_name].__module__ = "liftgen"
del _name


def __dir__():
    return sorted(__all__)
