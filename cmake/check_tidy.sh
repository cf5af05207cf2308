#!/bin/bash
# Fails when clang-tidy finds something of what .clang-tidy lists. It reads the folders' batches of a unity build, in
# which a file's headers are read once for all its neighbours. Run by ctest; $1 is the repository root, $2 the build,
# $3 `all`, or `changed`: the batches with files that differ from main, or at main's head from three commits before.
root=$1 build=$2 which=$3 most=4
cd "$root" || exit 2
command -v clang-tidy-15 >/dev/null || {
  echo "clang-tidy-15 is missing: install the Debian package clang-tidy-15"
  exit 1
}
batches=("$build"/CMakeFiles/liftgen*.dir/Unity/*.cxx)
[ -f "${batches[0]}" ] || { echo "no batches of a unity build in $build"; exit 1; }

changed() {
  local base=
  for base in main origin/main; do base=$(git merge-base HEAD "$base" 2>/dev/null) && break; done
  [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~3
  git rev-parse -q --verify "$base^{commit}" >/dev/null || return 1
  { git diff --name-only "$base" -- '*.cpp' '*.hpp'; git ls-files --others --exclude-standard -- '*.cpp' '*.hpp'; } | sort -u
}
if [ "$which" = changed ]; then
  # Without git, or its history, nothing is known to have changed.
  files=$(changed 2>/dev/null) || { echo "not run: clang-tidy on what has changed: no history of main here"; exit 0; }
  all=("${batches[@]}") batches=()
  for batch in "${all[@]}"; do
    while read -r file; do
      case $file in
        '') ;;
        *.cpp) grep -qF "\"$root/$file\"" "$batch" ;;
        *) grep -qF "\"$root/$(dirname "$file")/" "$batch" ;;  # a header: its folder
      esac && { batches+=("$batch"); break; }
    done <<<"$files"
  done
  if [ ${#batches[@]} -gt $most ]; then
    echo "not run: clang-tidy on $((${#batches[@]} - most)) of ${#batches[@]} changed batches; ./run-tests --tidy reads all"
    batches=("${batches[@]:0:$most}")
  fi
fi
[ ${#batches[@]} -gt 0 ] || { echo "nothing has changed"; exit 0; }
printf '%s\n' "${batches[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-15 -p "$build" --quiet --warnings-as-errors='*' 2>&1 |
  grep -v '^[0-9]* warnings\? generated\.$\|^Suppressed \|^Use -header-filter'
[ "${PIPESTATUS[1]}" = 0 ] && echo "clang-tidy: ${#batches[@]} batches, nothing found"
