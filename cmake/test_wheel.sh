#!/bin/bash
# A wheel of the Python package, installed into a fresh environment: it needs nothing of this checkout, brings the
# libraries that it links, and a C compiler only where kernels are made. Run by ctest: $1 the checkout, $2 the build, $3 Python.
set -e
source=$1 build=$2 python=$3
fail() { echo "$1"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" "$source/cmake/wheel.py" "$build" "$scratch/dist"
wheel=$(ls "$scratch"/dist/*.whl)
# numpy is the system's: the test does without the network.
"$python" -m venv --system-site-packages "$scratch/env"
begin=$SECONDS
"$scratch/env/bin/pip" install -q --no-index --no-deps --disable-pip-version-check "$wheel"
[ $((SECONDS - begin)) -lt 60 ] || fail "installing took $((SECONDS - begin)) s"
cd "$scratch"
unset PYTHONPATH
cat > use.py <<'P'
import sys
import numpy as np
import liftgen as lift
assert lift.__file__.startswith(sys.argv[1]), lift.__file__
n = lift.nat("n")
doubled = lift.compile(lift.fun([lift.array(lift.f64, n)], lambda x: x | lift.map(lambda v: 2 * v)))
try:
    print(doubled(np.arange(3.0)).tolist(), lift.__version__)
except lift.EnvironmentError as e:
    print("refused:", e)
P
export LIFTGEN_DB=none
run() { "$@" "$scratch/env/bin/python" use.py "$scratch/env"; }
said=$(run env LIFTGEN_CACHE="$scratch/cache")
grep -q '^\[0.0, 2.0, 4.0\]' <<<"$said" || fail "it computes $said"
said=$(run env PATH=/nowhere LIFTGEN_CACHE="$scratch/cache")
grep -q '^\[0.0, 2.0, 4.0\]' <<<"$said" || fail "without a compiler a kernel that is there computes $said"
said=$(run env PATH=/nowhere LIFTGEN_CACHE="$scratch/other")
grep -q '^refused: .*no C compiler' <<<"$said" || fail "without a compiler: $said"
package=$("$scratch/env/bin/python" -c 'import liftgen; print(liftgen.__path__[0])')
[ -e "$package/py.typed" ] && [ -e "$package/__init__.pyi" ] || fail "the wheel has no types"
ldd "$package"/_core*.so | grep -E 'fmt|hwloc|sqlite|udev' > linked
grep -v "$package/libs/" linked && fail "libraries of the system are linked: the wheel has to bring them"
[ "$(wc -l < linked)" -ge 3 ] || fail "too few libraries are linked: $(cat linked)"
"$scratch/env/bin/pip" uninstall -q -y liftgen
[ ! -e "$package" ] || [ -z "$(find "$package" -type f ! -name '*.pyc')" ] || fail "files stay after uninstalling: $(ls "$package")"
echo "installs, computes, and needs a compiler only to make kernels"
