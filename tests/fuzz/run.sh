#!/bin/bash
# Builds the parser's fuzzer with libFuzzer and AddressSanitizer and runs it.
# usage: run.sh CLANG++ BUILD_DIRECTORY SECONDS
# Texts that it finds worth keeping stay in BUILD_DIRECTORY/corpus; one that breaks the parser is BUILD_DIRECTORY/crash-*.
set -eu
compiler=$1 build=$2 seconds=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$build/corpus"
flags=(-std=c++20 -O1 -g1 -fno-omit-frame-pointer -I"$root" "-fsanitize=fuzzer-no-link,address,undefined" -fno-sanitize-recover=undefined)
{
  echo "CXXFLAGS = ${flags[*]}"
  echo "objects ="
  echo "$build/fuzz_parse:"
  printf '\t%s -fsanitize=fuzzer,address,undefined -o $@ $^\n' "$compiler"
  for source in "$root"/ir/*.cpp "$root/tests/fuzz/parse_fuzz.cpp"; do
    object=$build/$(basename "$source").o
    echo "$build/fuzz_parse: $object"
    printf '%s: %s\n\t%s $(CXXFLAGS) -MD -c -o $@ %s\n' "$object" "$source" "$compiler" "$source"
    echo "-include ${object%.o}.d"
  done
} >"$build/Makefile"
make -s -f "$build/Makefile" -j "$(nproc)" "$build/fuzz_parse"
cd "$build"
exec ./fuzz_parse -max_total_time="$seconds" -timeout=20 -rss_limit_mb=8192 -max_len=3000 -print_final_stats=1 -verbosity=0 \
  -dict="$root/tests/fuzz/lift.dict" corpus "$root/tests/fuzz/corpus" "$root/examples"
