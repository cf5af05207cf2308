"""Kernels on devices, arrays that stay there, and queues."""

import liftgen as lift
import numpy as np
import pytest
from liftgen import f64
from programs import blur, blurred, red_black, red_black_numpy

n = lift.nat("n")
rng = np.random.default_rng(3)


def refused(action):
    with pytest.raises(lift.UserError) as e:
        action()
    return str(e.value)


def moved(device, action):
    """What an action copies between host and device, in bytes there and back."""
    before = device.transfers
    action()
    after = device.transfers
    return after["written_bytes"] - before["written_bytes"], after["read_bytes"] - before["read_bytes"]


def test_arrays_of_the_host_are_copied_for_each_call(device):
    kernel = lift.compile(blur, device=device)
    image = rng.random((9, 13), np.float32)
    out = np.zeros_like(image)
    np.testing.assert_allclose(kernel(image), blurred(image), rtol=1e-6)
    assert moved(device, lambda: kernel(image, out=out)) == (image.nbytes, image.nbytes)
    np.testing.assert_allclose(out, blurred(image), rtol=1e-6)
    assert kernel.device == device and lift.compile(blur).device is None
    wide = rng.random((9, 30), np.float32)
    np.testing.assert_allclose(kernel(wide[:, 3:16]), blurred(wide[:, 3:16]), rtol=1e-6)


def test_arrays_of_the_device_stay_there(device):
    kernel = lift.compile(red_black, device=device)
    u, f, a = rng.random((9, 10)), rng.random((7, 8)), 1 + rng.random((7, 8))
    du, df, da = (lift.device_array(device, x) for x in (u, f, a))
    assert moved(device, lambda: [kernel(du, df, da, color) for color in (0, 1)]) == (0, 0)
    for color in (0, 1):
        red_black_numpy(u, f, a, color)
    np.testing.assert_allclose(du.download(), u, rtol=1e-13)
    kernel(du, f, da, 0)  # an array of the host among them is copied there
    red_black_numpy(u, f, a, 0)
    np.testing.assert_allclose(du.download(), u, rtol=1e-13)


def test_results_stay_where_the_arguments_are(device):
    x = lift.param("x", lift.array(f64, n))
    p = lift.Program("both", [x], lift.tuple(x | lift.sum(), x | lift.map(lambda e: 2 * e)))
    kernel = lift.compile(p, device=device)
    data = np.arange(50.0)
    dx = lift.device_array(device, data)
    total, twice = kernel(dx)
    assert total == data.sum() and isinstance(total, float)
    assert isinstance(twice, lift.device_array) and twice.shape == (50,) and twice.device == device
    np.testing.assert_array_equal(twice.download(), 2 * data)
    to = lift.device_array(device, [50], f64)
    assert kernel(dx, out=(None, to))[1] is to
    np.testing.assert_array_equal(to.download(), 2 * data)
    assert "out of result 2 is argument 1" in refused(lambda: kernel(dx, out=(None, dx)))
    assert "is an array of the host, but all arguments are on" in refused(lambda: kernel(dx, out=(None, data)))
    assert "of the shape (3,), but the result one of float64 of the shape (50,)" in refused(
        lambda: kernel(dx, out=(None, lift.device_array(device, [3], f64))))
    assert "out of result 1 is a number" in refused(lambda: kernel(dx, out=(to, None)))


def test_queues_do_what_they_are_asked_for_in_order(device):
    kernel = lift.compile(red_black, device=device)
    u, f = rng.random((9, 10)), rng.random((7, 8))
    du, df = lift.device_array(device, (9, 10), f64), lift.device_array(device, f)
    queue, expected = lift.Queue(device), u.copy()
    du.upload(u, queue=queue)
    for color in (0, 1, 0):
        assert kernel.enqueue(queue, du, df, df, color) is None
        red_black_numpy(expected, f, f, color)
    result = du.download(queue=queue)
    queue.wait()
    np.testing.assert_allclose(result, expected, rtol=1e-13)


def test_what_a_queue_uses_lives_as_long_as_it(device):
    x = lift.param("x", lift.array(f64, n))
    kernel = lift.compile(lift.Program("both", [x], lift.tuple(x | lift.sum(), x | lift.map(lambda e: 2 * e))),
                          device=device)
    queue = lift.Queue(device)

    def later():
        dx = lift.device_array(device, (1000,), f64)
        dx.upload(np.full(1000, 3.0), queue=queue)  # which nobody else has
        return kernel.enqueue(queue, dx)

    total, twice = later()
    assert total.shape == (1,)  # a number, when it is done
    queue.wait()
    assert total.download()[0] == 3000 and (twice.download() == 6).all()


def test_mistakes_name_what_is_where(device):
    kernel, image = lift.compile(blur, device=device), rng.random((4, 5), np.float32)
    on_device = lift.device_array(device, image)
    text = refused(lambda: lift.compile(blur)(on_device))
    assert "blur: argument 1 (image) is on" in text and "compile it with device=a.device" in text
    assert __file__ in text
    queue = lift.Queue(device)
    assert "pass each as a lift.device_array" in refused(lambda: kernel.enqueue(queue, image))
    assert "compile it with device=queue.device" in refused(lambda: lift.compile(blur).enqueue(queue, image))
    assert "but a lift.device_array of numpy.float64 is passed" in refused(
        lambda: kernel(lift.device_array(device, image.astype(np.float64))))
    assert "one of 2 dimensions is needed" in refused(
        lambda: kernel(lift.device_array(device, image.reshape(-1))))
    assert "20 elements are on the device, the host's array has 5x4" in refused(
        lambda: lift.device_array(device, image.reshape(-1)).upload(image.reshape(5, 4)))
    assert "has elements of numpy.float64, the one on the device of numpy.float32" in refused(
        lambda: on_device.upload(image.astype(np.float64)))
    assert "the array of the host is a Python list" in refused(lambda: lift.device_array(device, [1.0]))
    assert "is an array of complex128" in refused(lambda: lift.device_array(device, np.zeros(3, complex)))
    assert "the host's array has gaps" in refused(lambda: on_device.upload(np.zeros((4, 9), np.float32)[:, :5],
                                                                             queue=queue))
    assert "symbolic is for openmp" in refused(lambda: lift.compile(blur, device=device, symbolic=True))
    assert "there is no backend 'metal'; take 'opencl' or 'cuda'" in refused(lambda: lift.Device("metal"))


def test_two_devices_are_told_apart(opencl):
    cuda = lift.Device.emulated_cuda()
    assert cuda != opencl and cuda == lift.Device.emulated_cuda() and opencl in lift.devices("opencl")
    assert opencl == lift.Device("opencl", opencl.index) and opencl == lift.Device("opencl", opencl.name[:20])
    image = rng.random((4, 5), np.float32)
    kernel = lift.compile(blur, device=opencl)
    assert "but the kernel runs on " + opencl.name in refused(lambda: kernel(lift.device_array(cuda, image)))
    assert f"is on {cuda.name}" in refused(
        lambda: kernel(lift.device_array(opencl, image), out=lift.device_array(cuda, image)))
    a, b = lift.device_array(opencl, image), lift.device_array(opencl, image)
    b.upload(a.copy().download() + 1)
    np.testing.assert_array_equal(a.download(), image)
    np.testing.assert_array_equal(b.download(), image + 1)


def test_explored_on_a_device(opencl, database):
    tuned = lift.explore(blur, sizes={"n": 40, "m": 50}, budget=60, configurations=3, rivals=False, progress=None,
                         database=database, device=opencl)
    image = rng.random((40, 50), np.float32)
    kernel = tuned.kernel()
    assert kernel.device == opencl and tuned.results["backend"] == "opencl"
    np.testing.assert_allclose(kernel(image), blurred(image), rtol=1e-6)
