#!/bin/bash
# Tests ./liftgen and cmake/setup.sh in a scratch checkout, with stand-ins for apt-get, dpkg-query and cmake, so that
# nothing is installed or compiled. Run by ctest; $1 is the repository root.
set -u
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/checkout bin=$scratch/bin
failures=0

fail() {
  echo "FAILED $case_name: $*"
  sed 's/^/  out| /' "$scratch/out"
  sed 's/^/  err| /' "$scratch/err"
  failures=$((failures + 1))
}
expect() { # $1 status, $2 stdout, $3 a pattern for stderr; then the command
  local status=$1 out=$2 err=$3
  shift 3
  "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  local got=$?
  [ "$got" = "$status" ] || fail "exit status $got, expected $status"
  [ "$(cat "$scratch/out")" = "$out" ] || fail "stdout is not '$out'"
  [[ "$(cat "$scratch/err")" == $err ]] || fail "stderr does not match '$err'"
}
calls() { grep -c "^$1" "$scratch/calls"; }
expect_calls() { [ "$(calls "$1")" = "$2" ] || fail "$(calls "$1") calls of '$1', expected $2"; }

stub() { printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1" && chmod +x "$bin/$1"; }
# Sources carry an old date, as a checkout does; the first argument is a list of packages that are not installed.
begin() {
  case_name=$1
  rm -rf "$root" "$bin"
  mkdir -p "$root"/{cmake,ir,cli,report} "$bin"
  cp "$source_root/liftgen" "$root/"
  cp "$source_root"/cmake/{setup.sh,packages.txt} "$root/cmake/"
  touch "$root"/{CMakePresets.json,ir/a.cpp,cli/main.cpp,report/a.cpp}
  grep "^set(LIFTGEN_LAYERS" "$source_root/CMakeLists.txt" >"$root/CMakeLists.txt"
  find "$root" -exec touch -d '1 hour ago' {} +
  : >"$scratch/calls"
  : >"$scratch/installed"
  awk '!/^#/ && NF { printf "installed:%s ", $2 }' "$root/cmake/packages.txt" >"$scratch/installed"
  local package
  for package in ${2:-}; do sed -i "s/installed:$package /not-installed:$package /" "$scratch/installed"; done
  export scratch
  stub id 'echo 0'
  stub sudo 'exit 1'
  stub dpkg-query 'cat "$scratch/installed"'
  stub apt-get 'echo "apt-get $*" >>"$scratch/calls"
    [[ " $* " == *" install "* ]] && sed -i s/not-installed:/installed:/g "$scratch/installed"; exit 0'
  stub cmake 'echo "cmake $*" >>"$scratch/calls"; sleep 0.2
    mkdir -p build/release; touch build/release/build.ninja
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
    [[ $1 == --build ]] || exit 0
    echo "[1/2] compiling"; [ -f broken ] && { echo "error: broken"; exit 1; }
    printf "#!/bin/bash\necho ran \$*\nexit \${1:-0}\n" >build/release/liftgen; chmod +x build/release/liftgen'
}
export PATH=$bin:$PATH
unset CI LIFTGEN_YES

begin "first use builds, later use does not"
expect 7 "ran 7 x" "*built in*" "$root/liftgen" 7 x
expect_calls cmake 2
expect_calls apt-get 0
expect 7 "ran 7 x" "" "$root/liftgen" 7 x
expect_calls cmake 2

begin "any directory, through a symbolic link"
ln -s "$root/liftgen" "$scratch/link"
cd /
expect 0 "ran 0" "*built in*" "$scratch/link" 0
rm "$scratch/link"

begin "a changed, a new and a deleted source rebuild without configuring"
expect 0 "ran 0" "*" "$root/liftgen" 0
for change in "touch $root/ir/a.cpp" "touch $root/report/a.cpp" "touch $root/ir/b.cpp" "rm $root/ir/b.cpp"; do
  sleep 0.02
  : >"$scratch/calls"
  $change
  expect 0 "ran 0" "*built in*" "$root/liftgen" 0
  expect_calls "cmake --build" 1
  expect_calls cmake 1
done

begin "a moved checkout is configured afresh"
expect 0 "ran 0" "*" "$root/liftgen" 0
mv "$root" "$root.moved"
touch "$root.moved/ir/a.cpp"
expect 0 "ran 0" "*built in*" "$root.moved/liftgen" 0
expect_calls "cmake --preset release --fresh" 1
rm -rf "$root.moved"

begin "missing packages are installed when nobody can be asked" "cmake pocl-opencl-icd doctest-dev"
expect 0 "ran 0" "*installed 2 packages*built in*" "$root/liftgen" 0
grep -q 'install --no-install-recommends cmake pocl-opencl-icd$' "$scratch/calls" || fail "wrong packages installed"

begin "neither root nor sudo" "cmake libfmt-dev pocl-opencl-icd"
stub id 'echo 1000'
expect 3 "" "*2 Debian packages are missing*as root run: apt-get update && apt-get install*cmake libfmt-dev pocl*" \
  "$root/liftgen" 0
expect_calls cmake 0

begin "apt-get fails" "cmake"
stub apt-get 'echo "E: no network"; exit 100'
expect 3 "" "*missing*as root run:*cmake*" "$root/liftgen" 0
grep -q 'E: no network' "$root/build/setup.log" || fail "apt-get's words are not in the log"

begin "rivals may stay absent" "clang-14"
stub id 'echo 1000'
expect 0 "ran 0" "*goes on without*clang-14*built in*" "$root/liftgen" 0
expect 0 "ran 0" "" "$root/liftgen" 0

begin "a failing build"
touch "$root/broken"
expect 1 "" "*error: broken*the build failed*build/setup.log*" "$root/liftgen" 0
rm "$root/broken"
expect 0 "ran 0" "*built in*" "$root/liftgen" 0

begin "two at once build once"
"$root/liftgen" 0 >/dev/null 2>&1 &
expect 0 "ran 0" "*" "$root/liftgen" 0
wait
expect_calls "cmake --build" 1

# Without /dev/pts, as in a bare chroot, there is no terminal to test on.
if ! script -qec true /dev/null >"$scratch/out" 2>&1 </dev/null; then
  echo "not run: the launcher on a terminal, as \`script\` makes none here: $(head -n 1 "$scratch/out")"
else
  begin "on a terminal: declined" "cmake"
  echo n | script -qec "$root/liftgen 0" /dev/null >"$scratch/out" 2>"$scratch/err"
  [ "${PIPESTATUS[1]}" = 3 ] || fail "declining does not exit with 3"
  grep -q 'install them now?' "$scratch/out" || fail "did not ask"
  expect_calls apt-get 0
  begin "on a terminal: accepted" "cmake"
  echo y | script -qec "$root/liftgen 0" /dev/null >"$scratch/out" 2>"$scratch/err"
  [ "${PIPESTATUS[1]}" = 0 ] || fail "accepting does not run the command"
  expect_calls "apt-get.*install.*cmake" 1
  begin "on a terminal: LIFTGEN_YES" "cmake"
  LIFTGEN_YES=1 script -qec "$root/liftgen 0" /dev/null >"$scratch/out" 2>"$scratch/err" </dev/null
  grep -q 'install them now?' "$scratch/out" && fail "asked in spite of LIFTGEN_YES=1"
  expect_calls "apt-get.*install.*cmake" 1
fi

[ "$failures" = 0 ] && echo "launcher: all cases passed"
exit "$((failures > 0))"
