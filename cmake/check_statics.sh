#!/bin/bash
# Fails when an object file has statics that are destroyed when the process ends, and names the functions that have them.
# A thread may still be at work then (a daemon's in Python, any in C++): what it reads has to stay. Write
#   static const auto& words = *new std::set<std::string>{...};
# Run by ctest; the arguments are archives and object files.
[ $# -gt 0 ] || { echo "no object files"; exit 2; }
seen=0 found=
for file in "$@"; do
  [ -f "$file" ] || { echo "$file is missing"; exit 2; }
  seen=$((seen + 1))
  nm --undefined-only "$file" 2>/dev/null | grep -q __cxa_atexit || continue
  # The destructor is the last one that was loaded before the call. Streams are flushed, and stay.
  found+=$(objdump -dr --no-show-raw-insn "$file" | awk -v file="${file##*/}" '
    /^[0-9a-f]+ <.*>:$/ { function_ = $2; gsub(/[<>:]/, "", function_); destructor = "a destructor" }
    /<[A-Za-z0-9_]+D[12]Ev>/ { destructor = $0; sub(/.*</, "", destructor); sub(/>.*/, "", destructor) }
    / R_[A-Z0-9_]+/ && $3 ~ /D[12]Ev/ { destructor = $3; sub(/[-+]0x[0-9a-f]+$/, "", destructor) }
    / R_[A-Z0-9_]+/ && /__cxa_atexit/ && destructor !~ /^_ZNSt8ios_base4InitD/ { print file ": " function_ ": " destructor }' |
    c++filt)$'\n'
done
found=$(grep . <<<"$found" | sort -u)
[ -z "$found" ] || { echo "$found"; echo 'statics above are destroyed while threads may still read them; write static const auto& x = *new T{...}'; exit 1; }
echo "$seen files have no statics that are destroyed"
