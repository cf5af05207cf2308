#!/bin/bash
# Builds the parser's fuzzer with libFuzzer and AddressSanitizer and runs it.
# usage: run.sh CLANG++ BUILD_DIRECTORY [RUNS]
# With RUNS it tries that many texts, the same ones every time; without, it goes on until it is interrupted. Texts that
# it finds worth keeping are then in BUILD_DIRECTORY/corpus; one that breaks the parser is BUILD_DIRECTORY/crash-*.
set -eu
compiler=$1 build=$2 runs=${3:-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$build/corpus"
flags="-std=c++20 -O1 -g1 -fno-omit-frame-pointer -I$root -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
objects=
{
  printf 'rule compile\n  command = %s %s -MD -MF $out.d -c -o $out $in\n  depfile = $out.d\n  deps = gcc\n' "$compiler" "$flags"
  printf 'rule link\n  command = %s -fsanitize=fuzzer,address,undefined -o $out $in -lfmt\n' "$compiler"
  # The files of a folder are compiled together, as in the release preset.
  for folder in ir ir/nat ir/expr ir/text tests/fuzz; do
    together=$build/$(tr / _ <<<"$folder").cpp
    ls "$root/$folder"/*.cpp | grep -v _test.cpp | sed 's/.*/#include "&"/' >"$together.new"
    cmp -s "$together.new" "$together" || mv "$together.new" "$together"
    echo "build $together.o: compile $together"
    objects="$objects $together.o"
  done
  echo "build fuzz_parse: link$objects"
} >"$build/build.ninja"
ninja -C "$build" fuzz_parse >"$build/build.log" || { cat "$build/build.log"; exit 1; }
cd "$build"
limits=()
if [ -n "$runs" ]; then
  rm -rf corpus && mkdir corpus
  limits=(-runs="$runs" -seed=1)
fi
exec ./fuzz_parse "${limits[@]}" -timeout=600 -rss_limit_mb=8192 -max_len=3000 -print_final_stats=1 -verbosity=0 \
  -dict="$root/tests/fuzz/lift.dict" corpus "$root/tests/fuzz/corpus" "$root/examples"
