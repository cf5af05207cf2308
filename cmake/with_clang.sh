#!/bin/sh
# with_clang.sh FOLDERS COMPILER ARGUMENT...: sources of these folders (a|b/c) are compiled by clang, which counts conditions, others
# as they were to be; both compilers have the same binary interface.
folders=$(printf %s "$1" | tr / _)
shift
ccache=$(command -v ccache)
case " $* " in *" -o "*) object=${*##* -o } object=$(printf %s "${object%% *}" | sed 's,.*\.dir/,,; s,Unity/unity_,,' | tr / _) ;; esac
printf %s "$object" | grep -qE "^($folders)_" || exec $ccache "$@"
shift
exec $ccache clang++-15 "$@" -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic -Wno-error -Wno-unknown-warning-option
