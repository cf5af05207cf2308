"""Figures, with matplotlib and without."""

import builtins

import liftgen as lift
import numpy as np
import pytest
from test_exploring import searched


@pytest.fixture
def drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plot
    plot.close("all")


def test_arrays_are_shown(drawn, tmp_path):
    line = lift.show(np.arange(5.0) ** 2)
    np.testing.assert_array_equal(line.lines[0].get_ydata(), np.arange(5.0) ** 2)
    assert line.get_title() == "5 float64"
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    image = lift.show(a)
    np.testing.assert_array_equal(image.images[0].get_array(), a[1])
    assert image.get_title() == "2x3x4 float32, [1]"
    again = lift.show(a[0], title="first", axes=line)
    assert again is line and again.get_title() == "first" and len(again.images) == 1
    image.figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    with pytest.raises(lift.ArgumentError, match="a number of float64 is no array of numbers to draw"):
        lift.show(2.0)
    with pytest.raises(lift.ArgumentError, match="2 of <U1 is no array of numbers"):
        lift.show(np.array(["a", "b"]))


def test_arrays_of_a_device_are_shown(drawn, device):
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(lift.show(lift.device_array(device, a)).images[0].get_array(), a)


def test_what_was_tuned_is_plotted(drawn):
    tuned = searched(rivals=True)
    plot = tuned.plot()
    ok = [v["ms"] for v in tuned.results["variants"] if v["status"] == "ok" and v.get("ms")]
    assert sorted(ok)[:20] == [bar.get_width() for bar in plot.patches]
    assert plot.get_xlabel() == "ms" and plot.get_title().startswith("blur: ")
    assert [t.get_text() for t in plot.get_legend().get_texts()] == ["plain loops", "traffic twin"]


def test_without_matplotlib_it_is_said_how_to_get_it(monkeypatch):
    imported = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(lift.EnvironmentError, match="lift.show: matplotlib is not installed.*pip install matplotlib"):
        lift.show(np.zeros(3))
