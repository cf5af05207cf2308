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


@pytest.mark.parametrize("work", ["k(x)", "lift.explore(scaled, sizes={'n': 1000000}, budget=100, database='none')",
                                  "lift.explore(scaled, sizes={'n': 1000}, budget=100, progress=lambda *_: None)"])
def test_a_thread_that_is_at_work_when_the_interpreter_ends_does_not_end_the_process(work):
    for wait in (0.3, 0.5, 0.7):
        made = run(FORKED + f"""
import threading, time
def go():
    while True: {work}
threading.Thread(target=go, daemon=True).start()
time.sleep({wait})
print("done")
""")
        prints(made, "done")


def explored_with(progress, after=""):
    return run(SCALED + f"""
import os, signal, time
def progress(phase, *_):
{progress}
try:
    tuned = lift.explore(scaled, sizes={{"n": 1000}}, budget=20, progress=progress, database="none")
    print("kept", tuned.interrupted)
except KeyboardInterrupt:
    print("KeyboardInterrupt")
""")


def test_a_second_interrupt_is_pythons():
    made = explored_with("""
    if phase == "exploring":
        os.kill(os.getpid(), signal.SIGINT); time.sleep(0.7); os.kill(os.getpid(), signal.SIGINT)
""")
    prints(made, "KeyboardInterrupt")


def test_an_interrupt_before_anything_was_found_is_a_keyboard_interrupt():
    prints(explored_with("""
    os.kill(os.getpid(), signal.SIGINT)
"""), "KeyboardInterrupt")
