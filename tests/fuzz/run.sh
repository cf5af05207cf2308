#!/bin/bash
# Builds the parser's fuzzer with libFuzzer and AddressSanitizer and runs it.
# usage: run.sh CLANG++ BUILD_DIRECTORY SECONDS
# Texts that it finds worth keeping stay in BUILD_DIRECTORY/corpus; one that breaks the parser is BUILD_DIRECTORY/crash-*.
set -eu
compiler=$1 build=$2 seconds=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$build/corpus"
flags="-std=c++20 -O1 -g1 -fno-omit-frame-pointer -I$root -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
objects=
{
  printf 'rule compile\n  command = %s %s -MD -MF $out.d -c -o $out $in\n  depfile = $out.d\n  deps = gcc\n' "$compiler" "$flags"
  printf 'rule link\n  command = %s -fsanitize=fuzzer,address,undefined -o $out $in\n' "$compiler"
  for source in "$root"/ir/*.cpp "$root"/ir/*/*.cpp "$root/tests/fuzz/parse_fuzz.cpp"; do
    object=$(basename "$source").o
    echo "build $object: compile $source"
    objects="$objects $object"
  done
  echo "build fuzz_parse: link$objects"
} >"$build/build.ninja"
ninja -C "$build" fuzz_parse >"$build/build.log" || { cat "$build/build.log"; exit 1; }
cd "$build"
exec ./fuzz_parse -max_total_time="$seconds" -timeout=20 -rss_limit_mb=8192 -max_len=3000 -print_final_stats=1 -verbosity=0 \
  -dict="$root/tests/fuzz/lift.dict" corpus "$root/tests/fuzz/corpus" "$root/examples"
