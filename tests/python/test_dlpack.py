"""Arrays of others by the DLPack protocol, and the package's own for others."""

import ctypes

import liftgen as lift
import numpy as np
import pytest
from liftgen import i32
from programs import blur, blurred, red_black, red_black_numpy

rng = np.random.default_rng(2)

HOST, CUDA, OPENCL = 1, 2, 4


class Producer:
    """Somebody's array, which speaks DLPack and nothing else; counts what is asked of it."""

    def __init__(self, array, device=(HOST, 0)):
        self.array, self.device, self.asked = array, device, 0

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.asked += 1
        return self.array.__dlpack__()


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    pass


Managed._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))), ("flags", ctypes.c_uint64),
                    ("tensor", Tensor)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Versioned:
    """An array of f64 by version 1 of the protocol, without numpy's help: maybe read-only, with an offset."""

    def __init__(self, array, read_only=False, version=1, ahead=0):
        self.array = array
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // 8 for s in array.strides))
        self.managed = Managed(version, 0, None, Managed._fields_[3][1](), 1 if read_only else 0,
                               Tensor(array.ctypes.data - ahead, Device(HOST, 0), array.ndim, 2, 64, 1, self.shape,
                                      self.strides, ahead))

    def __dlpack_device__(self):
        return (HOST, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert max_version is not None and max_version[0] == 1 and copy is False
        return new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)


def test_arrays_of_others_are_taken_without_a_copy():
    image = rng.random((20, 30), np.float32)
    kernel = lift.compile(blur)
    theirs = Producer(image)
    np.testing.assert_allclose(kernel(theirs), blurred(image), rtol=1e-6)
    assert theirs.asked == 1
    out = Producer(np.zeros_like(image))
    assert kernel(theirs, out=out) is out
    np.testing.assert_allclose(out.array, blurred(image), rtol=1e-6)


def test_what_is_updated_is_theirs():
    u, f, a = rng.random((19, 24)), rng.random((17, 22)), 1 + rng.random((17, 22))
    expected = u.copy()
    kernel = lift.compile(red_black)
    for color in (0, 1):
        kernel(Producer(u), Producer(f), a, color)
        red_black_numpy(expected, f, a, color)
    np.testing.assert_allclose(u, expected, rtol=1e-13)


def test_views_and_offsets_are_theirs_too():
    whole, f = rng.random((30, 40)), rng.random((9, 11))
    expected = whole.copy()
    kernel = lift.compile(red_black)
    for color in (0, 1):
        kernel(Versioned(whole[2:13, 4:17], ahead=16), Versioned(f), Producer(1 + f), color)
        red_black_numpy(expected[2:13, 4:17], f, 1 + f, color)
    np.testing.assert_allclose(whole, expected, rtol=1e-13)
    np.testing.assert_array_equal(np.from_dlpack(Producer(whole)), whole)


def test_results_speak_the_protocol():
    image = rng.random((6, 7), np.float32)
    smooth = lift.compile(blur)(image)
    again = np.from_dlpack(smooth)
    assert again.__array_interface__["data"][0] == smooth.__array_interface__["data"][0]


def refused(action, error=lift.UserError):
    with pytest.raises(error) as e:
        action()
    return str(e.value)


def test_what_does_not_fit_is_refused():
    kernel, u, f = lift.compile(blur), rng.random((5, 5)), rng.random((3, 3))
    image = rng.random((8, 9), np.float32)
    text = refused(lambda: kernel(Producer(image.astype(np.float64))))
    assert "but an array of float64 is passed" in text and __file__ in text
    assert "but an array of shape (72,) is passed" in refused(lambda: kernel(Producer(image.reshape(-1))))
    assert "would have to be copied" in refused(lambda: kernel(Producer(image[:, ::2])))
    assert "argument 1 (image) lies on a device (2, 1 in DLPack's terms)" in refused(
        lambda: kernel(Producer(image, (CUDA, 1))))
    half_sweep = lift.compile(red_black)
    assert "is written, but the array that is passed is read-only" in refused(
        lambda: half_sweep(Versioned(u, read_only=True), f, f, 0))
    assert "comes by version 2 of DLPack" in refused(lambda: half_sweep(Versioned(u, version=2), f, f, 0))
    fixed = image.copy()
    fixed.flags.writeable = False
    with pytest.raises(Exception, match="readonly"):  # numpy's own words, not ours
        kernel(Producer(fixed))


def test_arrays_are_let_go_when_the_call_is_done():
    import gc
    import weakref

    class Mine(np.ndarray):
        pass

    image = rng.random((8, 9), np.float32).view(Mine)
    gone = weakref.ref(image)
    kernel = lift.compile(blur)
    kernel(Producer(image))
    with pytest.raises(lift.UserError):
        kernel(Producer(image), out=Producer(np.zeros((1, 1), np.float32)))
    del image
    gc.collect()
    assert gone() is None


def tensor_of(capsule):
    return ctypes.cast(pointer_of(capsule, b"dltensor"), ctypes.POINTER(Tensor)).contents


def test_arrays_of_a_device_are_exported_where_its_driver_has_memory(opencl):
    a = rng.random((3, 4))
    x = lift.device_array(opencl, a)
    assert x.__dlpack_device__() == (OPENCL, opencl.index)
    capsule = x.__dlpack__()
    t = tensor_of(capsule)
    assert (t.device.type, t.device.index) == (OPENCL, opencl.index)
    assert (t.ndim, t.shape[0], t.shape[1], t.code, t.bits, t.lanes) == (2, 3, 4, 2, 64, 1)
    assert t.data and not t.strides and t.offset == 0
    versioned = x.__dlpack__(max_version=(1, 1))
    managed = ctypes.cast(pointer_of(versioned, b"dltensor_versioned"), ctypes.POINTER(Managed)).contents
    assert managed.major == 1 and managed.tensor.data == t.data
    whole_numbers = lift.device_array(opencl, [5], i32).__dlpack__()  # which keeps the array
    k = tensor_of(whole_numbers)
    assert (k.code, k.bits) == (0, 32)
    pixels = lift.device_array(opencl, [5], lift.u8).__dlpack__()
    k = tensor_of(pixels)
    assert (k.code, k.bits) == (1, 8)
    assert "no copy is made for others" in refused(lambda: x.__dlpack__(copy=True), BufferError)
    assert "lies on a device (4, " in refused(lambda: lift.compile(red_black)(Foreign(x), a, a, 0))


class Foreign:
    """An array of a device in somebody else's clothes."""

    def __init__(self, x):
        self.__dlpack__, self.__dlpack_device__ = x.__dlpack__, x.__dlpack_device__


def test_emulated_memory_is_not_exported():
    x = lift.device_array(lift.Device.emulated_cuda(), np.arange(4.0))
    assert x.__dlpack_device__()[0] == CUDA
    assert "is emulated: no driver knows its memory; download the array instead" in refused(
        x.__dlpack__, BufferError)
