"""What liftgen meets, and leaves alone, in the process that it is imported into."""

import os
import subprocess
import sys

import pytest

SCALED = """
import numpy as np
import liftgen as lift
n = lift.nat("n")
scaled = lift.fun([lift.array(lift.f64, n)], lambda x: x | lift.map(lambda v: v * 1234.5 + 0.25))
"""


def run(script, timeout=300, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "LIFTGEN_DB": "none", **variables}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout,
                          env=environment)


def prints(made, text):
    assert made.returncode == 0 and made.stdout.strip() == text, made


def test_a_locale_with_a_decimal_comma_changes_no_number(tmp_path):
    subprocess.run(["localedef", "--no-archive", "-c", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], check=True,
                   capture_output=True)
    made = run(SCALED + """
import locale
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
x = np.arange(7.0)
y = lift.compile(scaled)(x)
tuned = lift.explore(scaled, sizes={"n": 100000}, budget=2)
print((y == x * 1234.5 + 0.25).all(), (tuned.kernel()(x) == y).all(), "1234.5" in str(scaled))
""", LOCPATH=str(tmp_path))
    prints(made, "True True True")


def test_exploring_leaves_the_environment_as_it_is():
    made = run(SCALED + """
import os, subprocess
before = dict(os.environ), subprocess.run(["env"], capture_output=True).stdout
lift.explore(scaled, sizes={"n": 100000}, budget=1)
print(before == (dict(os.environ), subprocess.run(["env"], capture_output=True).stdout))
""")
    prints(made, "True")


FORKED = SCALED + """
k = lift.compile(scaled)
x = np.ones(1000000)
k(x)
"""


def test_kernels_run_in_a_forked_child():
    made = run(FORKED + """
import os, signal
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if (k(x) == 1234.75).all() else 1)
print(os.waitpid(child, 0)[1])
""")
    prints(made, "0")


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_kernels_run_in_a_pool_of_processes(tmp_path, method):
    script = tmp_path / "pool.py"
    script.write_text(FORKED + f"""
import multiprocessing as mp
def total(_): return float(k(x).sum())
if __name__ == "__main__":
    with mp.get_context("{method}").Pool(2) as pool:
        print(pool.map_async(total, range(4)).get(60) == [1234.75 * 1000000] * 4)
""")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=200, env=environment)
    prints(made, "True")


def test_exploring_in_a_forked_child_is_refused():
    made = run(FORKED + """
import os
child = os.fork()
if child == 0:
    try:
        lift.explore(scaled, sizes={"n": 100000}, budget=1)
    except lift.EnvironmentError as e:
        os._exit(7 if "spawn" in str(e) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    prints(made, "7")
