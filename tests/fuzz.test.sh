#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What fuzzing found (tests/corpus) runs again: readers of files under gcc's sanitizers (docs/fuzz.md).
set -u
. tests/lib.sh
san=$build/sanitize
unset MAKEFLAGS MFLAGS MAKELEVEL
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS=max_allocation_size_mb=2048:allocator_may_return_null=1

# (The sanitize and mutated tests build there, too.)
if ! flock "$build/sanitize.lock" make -s -j2 SAN=1 B="$san" "$san/fuzz_parsers" >"$t/build.log" 2>&1; then
  bad build "" "$t/build.log"
  exit 1
fi
for target in $("$san/fuzz_parsers" --targets | cut -d ' ' -f 1); do
  [ -d "tests/corpus/$target" ] || continue
  if "$san/fuzz_parsers" "$target" "tests/corpus/$target" >"$t/$target.log" 2>&1 && has "$t/$target.log" '^ok '; then
    good "readers: $(tail -n 1 "$t/$target.log" | cut -c 4-)"
  else
    bad "readers: $target" "" "$t/$target.log"
  fi
done
# Any file of the tree is such an input, too; what is none is refused.
convert() { "$san/fuzz_parsers" "$1" --convert "$2" "$t/input" && "$san/fuzz_parsers" "$1" "$t/input"; }
"$n" frame generate gen:test-1 "$t/test.nframe" >"$t/log"
check "a frame as an input" convert frame "$t/test.nframe"
refused() { "$san/fuzz_parsers" "$@" >"$t/log" 2>&1; [ $? -eq 2 ]; }
check "no such target" refused nothing "$t/input"
check "no such file" refused frame "$t/nowhere"
check "no frame" refused frame --convert Makefile "$t/input"
