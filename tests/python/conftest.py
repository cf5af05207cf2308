import os

import liftgen as lift
import pytest

os.environ.setdefault("LIFTGEN_TRUST_TIMES", "1")  # what runs beside tests is none of their business


@pytest.fixture
def database(tmp_path):
    """A database of a test's own: the user's is left out of all tests."""
    return tmp_path / "found.db"


@pytest.fixture
def opencl():
    """A device of OpenCL."""
    try:
        return lift.Device("opencl")
    except lift.EnvironmentError as e:
        pytest.skip(f"OpenCL not run: {e}")


@pytest.fixture(params=["emulated CUDA", "OpenCL"])
def device(request):
    """Each kind of device that there is here."""
    return lift.Device.emulated_cuda() if request.param == "emulated CUDA" else request.getfixturevalue("opencl")
