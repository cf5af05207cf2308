#!/bin/bash
# Fails when clang-tidy finds something of what .clang-tidy lists. It reads the folders' batches of a unity build, in
# which a file's headers are read once for all its neighbours. Run by ctest; $1 is the repository root, $2 the build,
# $3 `all`, or `some`: a few batches, those with the newest files first. A batch that was found clean is not read again
# until it, a header of it, .clang-tidy or clang-tidy changes: $2/tidy has a hash of what was read for each.
root=$1 build=$2 which=$3 most=5
cd "$root" || exit 2
command -v clang-tidy-15 >/dev/null || {
  echo "clang-tidy-15 is missing: install the Debian package clang-tidy-15"
  exit 1
}
batches=("$build"/CMakeFiles/liftgen*.dir/Unity/*.cxx)
[ -f "${batches[0]}" ] || { echo "no batches of a unity build in $build"; exit 1; }
mkdir -p "$build/tidy"
common=$({ cat .clang-tidy; clang-tidy-15 --version; } | sha256sum)

# "batch file": what each batch includes of this repository, as the compiler has recorded it.
read_by=$build/tidy/read_by
ninja -C "$build" -t deps 2>/dev/null | awk -v root="$root/" '
  /^[^ ].*: #deps/ { batch = ""; if (match($1, /Unity\/[^:]*\.cxx/)) batch = substr($1, RSTART + 6, RLENGTH - 6) }
  /^ / && batch != "" { f = $1; if (index(f, root) == 1) f = substr(f, length(root) + 1); if (f !~ /^\//) print batch, f }
' >"$read_by"

# Of batch $1; empty where it is not known what the batch reads.
hash_of() {
  local files
  mapfile -t files < <(sed -n "s|^$(basename "$1") ||p" "$read_by" | sort -u)
  [ ${#files[@]} -gt 0 ] && { echo "$common"; sha256sum "$1" "${files[@]}"; } 2>/dev/null | sha256sum
}
newest_of() {
  sed -n 's|^#include "\(.*\)"|\1|p' "$1" | xargs -r stat -c %Y 2>/dev/null | sort -n | tail -n 1
}

stale=()
for batch in "${batches[@]}"; do
  hash=$(hash_of "$batch")
  [ -n "$hash" ] && [ "$hash" = "$(cat "$build/tidy/$(basename "$batch").clean" 2>/dev/null)" ] || stale+=("$(newest_of "$batch") $batch")
done
[ ${#stale[@]} -gt 0 ] || { echo "clang-tidy: all ${#batches[@]} batches are known to be clean"; exit 0; }
mapfile -t stale < <(printf '%s\n' "${stale[@]}" | sort -rn | cut -d' ' -f2-)
if [ "$which" = some ] && [ ${#stale[@]} -gt $most ]; then
  echo "not run: clang-tidy on $((${#stale[@]} - most)) of ${#stale[@]} batches that are not known to be clean; ./run-tests --tidy reads all"
  stale=("${stale[@]:0:$most}")
fi

tidy() {
  local hash said
  hash=$(hash_of "$1")  # before it is read
  said=$(clang-tidy-15 -p "$build" --quiet --warnings-as-errors='*' "$1" 2>&1) && {
    echo "$hash" >"$build/tidy/$(basename "$1").clean"
    return 0
  }
  grep -v '^[0-9]* warnings\? \(and [0-9]* errors\? \)\?generated\.$\|^Suppressed \|^Use -header-filter' <<<"$said"
  return 1
}
export -f tidy hash_of
export build common read_by
printf '%s\n' "${stale[@]}" | xargs -P "$(nproc)" -I{} nice -n 5 bash -c 'tidy {}' &&
  echo "clang-tidy: ${#stale[@]} of ${#batches[@]} batches read, nothing found"
