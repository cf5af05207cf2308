#!/bin/bash
# Fails when a source is not formatted as .clang-format says, and names the command that mends it. Versions format
# differently, so that it has to be 14, Debian 12's. Run by ctest; $1 is the repository root.
cd "$1" || exit 2
command -v clang-format-14 >/dev/null || {
  echo "clang-format-14 is missing: install the Debian package clang-format-14"
  exit 1
}
# Tracked files, and new ones; in a tree without git everything but what was built.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
else
  mapfile -t files < <(find . -path ./build -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print)
fi
[ ${#files[@]} -gt 100 ] || { echo "only ${#files[@]} sources found"; exit 1; }
said=$(printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 16 clang-format-14 --dry-run -Werror 2>&1) || {
  mapfile -t wrong < <(sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: code should be clang-formatted.*/\1/p' <<<"$said" | sort -u)
  [ ${#wrong[@]} -gt 0 ] || { echo "clang-format-14 failed: $said"; exit 1; }
  echo "not formatted as .clang-format says; to mend it: clang-format-14 -i ${wrong[*]}"
  exit 1
}
echo "${#files[@]} sources are formatted"
