#!/usr/bin/env bash
# Fails when liftgen converts numbers or sorts characters by the locale that its host program has set: printf and strtod
# with their kin, <cctype>, and streams that numbers go into or come out of. ir/number_text.hpp and ir/ascii.hpp have
# what to use. Emitted text may print as it likes, in a program of its own; the command sets no locale, so that CLI11
# may read numbers.
#   bash check_locale.sh REPOSITORY BUILD
set -euo pipefail
cd "$1"
sources=$(find ir rewrite lower emit patterns runtime tuning compare embed gmg report cli python include \
  -name '*.cpp' -o -name '*.hpp' | sort)
pattern='std::(v?sn?printf|strto[dfl][a-z]*|ato[fil]l?|sto[fd]|stold|to(upper|lower)|is(alnum|alpha|digit|space|upper|lower|punct)|ostringstream|stringstream|setprecision|locale)\b'
pattern+='|\b(snprintf|vsnprintf|strtod|setlocale)\(|printf\((stderr, *)?"[^"]*%[-+ #0-9.*]*[aefgAEFG]|:L}'
found=$(grep -nE "$pattern" $sources || true)

# What looks like text of whole numbers, std::to_string(x) and in >> x, only a compiler can tell apart.
streams='__to_xstring.*__va_list|istream::_M_extract<(double|float|bool)>|istream::operator>>|ostream::_M_insert<(double|long|unsigned long|bool)>|ostream::operator<<\((int|short)\)'
for archive in "$2"/libliftgen_*.a; do
  case $archive in *fuzz_programs*) continue ;; esac  # a test's
  found+=$(nm -C "$archive" 2> /dev/null | awk '/\.o:$/ { file = $1 } { print file, $0 }' | grep -E "$streams" || true)$'\n'
done

if [ -n "${found//[[:space:]]/}" ]; then
  echo "by the locale of the host program; use ir/number_text.hpp and ir/ascii.hpp:"
  echo "$found"
  exit 1
fi
