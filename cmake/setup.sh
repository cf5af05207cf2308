# shellcheck shell=bash
# Shared by ./liftgen and ./run-tests: packages, configuration and build. Sourced by bash with `root` set to the
# repository root. Everything it says goes to stderr, so that a command's own output stays clean.

: "${root:?}"
setup_log=$root/build/setup.log
[ -t 2 ] && setup_terminal=1 || setup_terminal=

say() { printf '%s\n' "liftgen: $*" >&2; }

# One line that is rewritten in place on a terminal and left out elsewhere.
progress() {
  [ -n "$setup_terminal" ] && printf '\r\033[Kliftgen: %s' "$*" >&2
  return 0
}
progress_done() {
  [ -n "$setup_terminal" ] && printf '\r\033[K' >&2
  say "$*"
}

# Only one process sets up a checkout at a time; the others wait for it and find the work done.
setup_lock() {
  if ! mkdir -p "$root/build" 2>/dev/null || [ ! -w "$root/build" ]; then
    say "cannot write to $root/build: make the checkout writable, or clone it where you can write"
    exit 3
  fi
  exec {setup_lock_fd}>"$root/build/.setup.lock"
  if ! flock -n "$setup_lock_fd"; then
    say "waiting for another set-up of this checkout to finish"
    flock "$setup_lock_fd"
  fi
}
setup_unlock() { exec {setup_lock_fd}>&-; }

# Runs "$@" with its output in the log; fails with its status. $1 says what is being done, $2 is a bash pattern whose
# first group is shown as progress.
logged() {
  local what=$1 pattern=$2 line
  shift 2
  printf '\n== %s: %s\n' "$what" "$*" >>"$setup_log"
  progress "$what …"
  # The lock must not outlive us in a daemon that a package starts.
  "$@" 2>&1 {setup_lock_fd}>&- </dev/null | while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ $pattern ]] && progress "$what … ${BASH_REMATCH[1]}"
  done >>"$setup_log"
  return "${PIPESTATUS[0]}"
}

# Stops the set-up: $1 what failed, $2 what to do about it, $3 the exit status.
setup_failed() {
  [ -n "$setup_terminal" ] && printf '\r\033[K' >&2
  # From the first error on; the end of the log may be about what ran beside it.
  local excerpt
  excerpt=$(grep -m 1 -A 24 -E '^FAILED: |^CMake Error|^E: |error: ' "$setup_log") || excerpt=$(tail -n 25 "$setup_log")
  printf '%s\n' "$excerpt" | cut -c 1-300 | sed 's/^/  | /' >&2
  say "$1; the whole log is build/setup.log"
  say "$2"
  exit "$3"
}

# Packages of the groups "$@" that are listed in cmake/packages.txt and not installed.
missing_packages() {
  local installed group package _
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' 2>/dev/null)"
  while read -r group package _; do
    [[ " $* " == *" $group "* ]] || continue
    [[ $installed == *" installed:$package "* ]] || printf '%s ' "$package"
  done <"$root/cmake/packages.txt"
}

install_packages() {
  local as_root=() apt
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    # Without a terminal a password cannot be asked for.
    [ -t 0 ] || as_root=(sudo -n)
    "${as_root[@]}" true 2>>"$setup_log" || return 1
  fi
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold)
  local steps='^(Get:[0-9]+|Unpacking [^ ]+|Setting up [^ ]+)'
  local install=("${apt[@]}" install --no-install-recommends "$@")
  # Package lists may be absent (a fresh system) or name versions that are gone (an old one).
  if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    logged "installing $# packages" "$steps" "${install[@]}" && return 0
  fi
  logged "reading package lists" '^(Get:[0-9]+)' "${apt[@]}" update &&
    logged "installing $# packages" "$steps" "${install[@]}"
}

# Makes the packages of the groups "$@" present. Those of group `run` may stay absent: their devices and rivals are
# then reported as missing where they are asked for.
ensure_packages() {
  # Elsewhere than on Debian the configuration step names what it does not find.
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  local missing needed answer start=$SECONDS
  read -ra missing <<<"$(missing_packages "$@")"
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ -t 0 ] && [ -t 2 ] && [ -z "${CI:-}" ] && [ "${LIFTGEN_YES:-}" != 1 ]; then
    say "needs these Debian packages: ${missing[*]}"
    read -rp 'liftgen: install them now? [Y/n] ' answer || answer=n
    [[ ${answer:-y} == [yY]* ]] || answer=n
  fi
  if [ "${answer:-y}" != n ] && install_packages "${missing[@]}"; then
    progress_done "installed ${#missing[@]} packages and what they need in $((SECONDS - start)) s"
    return 0
  fi
  read -ra missing <<<"$(missing_packages "$@")"
  read -ra needed <<<"$(missing_packages "${@/#run/}")"
  [ -n "$setup_terminal" ] && printf '\r\033[K' >&2
  local remedy="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  if [ ${#needed[@]} -gt 0 ]; then
    say "${#needed[@]} Debian packages are missing and were not installed; as root run: $remedy"
    exit 3
  fi
  say "goes on without some devices and rivals; to add them, as root run: $remedy"
}

# Build directories remember their place: one that came along with a moved or copied checkout is configured afresh.
configure() {
  local preset=$1 cache=$root/build/$1/CMakeCache.txt fresh=()
  shift
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    fresh=(--fresh)
  fi
  (cd "$root" && logged "configuring" '^-- (.*)' cmake --preset "$preset" "${fresh[@]}" "$@") ||
    setup_failed "the configuration failed" "if a package is missing, install it as named above; else remove build/ and try again" 3
}

# $1 preset, then targets (all when none is given). Leaves the time it took in build_seconds.
build() {
  local preset=$1 start=$SECONDS jobs by_memory targets=()
  shift
  [ $# -gt 0 ] && targets=(--target "$@")
  # A compilation of this code takes up to 1 GB.
  jobs=$(nproc)
  by_memory=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) / 1000000))
  [ "$by_memory" -lt "$jobs" ] && jobs=$((by_memory > 0 ? by_memory : 1))
  (cd "$root" && logged "building" '^\[([0-9]+/[0-9]+)\]' \
    cmake --build --preset "$preset" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}" "${targets[@]}") ||
    setup_failed "the build failed" "if you changed sources, correct the first error; else remove build/ and try again" 1
  # shellcheck disable=SC2034  # read by the caller
  build_seconds=$((SECONDS - start))
}
