#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program away from its tree: bundled files by their names, own ones before them, RTL built in the
# user's cache folder (docs/install.md).
set -u
. tests/lib.sh
away=$t/away
mkdir -p "$away"
from_away() { # STATUS COMMAND...: in another folder; what it says is in $t/said
  local expected=$1
  shift
  (cd "$away" && "$@") >"$t/said" 2>&1
  local code=$?
  [ $code -eq "$expected" ] || { echo "status $code, expected $expected"; cat "$t/said"; return 1; }
}

# ---- The data in the folder that the environment names.
program=$root/$n
small="--frame gen:test-3 --set gpus=2"
result() { awk '/^  "engine": \{/ { exit } /^\{/, 0' "$1"; }
# shellcheck disable=SC2086
"$n" run vectors/config/chopin.yaml $small --engine golden --json - >"$t/json" 2>"$t/log"
result "$t/json" >"$t/here"
export NOCTURNE_DATA=$root XDG_CACHE_HOME=$root/$t/cache
# shellcheck disable=SC2086
check 'a bundled machine' from_away 0 "$program" run vectors/config/chopin.yaml $small --engine golden --json -
result "$t/said" | cmp - "$t/here" >"$t/log" 2>&1 && [ -s "$t/here" ] && good 'its result is as in the tree' ||
  bad 'its result is as in the tree' "" "$t/log"
check 'no folder is left behind' test -z "$(ls "$away")" -a ! -e "$t/cache"
mkdir -p "$away/vectors/config"
echo 'gpus: many' >"$away/vectors/config/chopin.yaml"
# shellcheck disable=SC2086
check 'a file of the working folder goes first' from_away 2 "$program" run vectors/config/chopin.yaml $small
has "$t/said" '^nocturne: vectors/config/chopin.yaml:1:7:' >/dev/null && good 'it is named' || bad 'it is named' "" "$t/said"
check 'a unit in lockstep' from_away 0 "$program" unit draw_scheduler --cycles 500
found=$(find "$t/cache" -name unit.so | wc -l)
[ "$found" -ge 1 ] && good 'its hardware is in the cache folder' || bad 'its hardware is in the cache folder' "$found"
export XDG_CACHE_HOME=/proc/none
check 'no cache folder: one line' from_away 1 "$program" unit draw_scheduler --cycles 500
[ "$(wc -l <"$t/said")" -eq 1 ] && has "$t/said" 'RTL cannot be built there' >/dev/null && good 'it says where' ||
  bad 'it says where' "" "$t/said"
export XDG_CACHE_HOME=$root/$t/cache
check 'no simulator: one line' from_away 3 env PATH=/none "$program" unit draw_scheduler --cycles 500
has "$t/said" 'verilator is missing; .*apt-get install verilator g\+\+ make$' >/dev/null && good 'it says what to install' ||
  bad 'it says what to install' "" "$t/said"
unset NOCTURNE_DATA

# ---- Installed.
where=$root/$t/usr
program=$where/bin/nocturne
make_quietly() { (unset MAKEFLAGS MFLAGS MAKELEVEL; make --no-print-directory B="$build" "$@") >"$t/log" 2>&1; }
if make_quietly install PREFIX="$where"; then good 'make install'; else bad 'make install' "" "$t/log"; fi
mv "$where" "$t/stage" 2>/dev/null
make_quietly install DESTDIR="$root/$t/root" PREFIX="$where"
diff -r "$t/stage" "$t/root$where" >"$t/log" 2>&1 && good 'DESTDIR stands in front' || bad 'DESTDIR stands in front' "" "$t/log"
rm -rf "$t/root"
mv "$t/stage" "$where"
rm -rf "${away:?}"/*
# shellcheck disable=SC2086
check 'it runs from any folder' from_away 0 "$program" run vectors/config/chopin.yaml $small --engine golden --json -
result "$t/said" | cmp - "$t/here" >"$t/log" 2>&1 && good 'with the same result' || bad 'with the same result' "" "$t/log"
check 'it knows its revision' from_away 0 "$program" --version
has "$t/said" "^nocturne [0-9.]*, $("$n" --version | sed -n 's/^[^,]*, \([a-z]*\).*/\1/p')" >/dev/null ||
  bad 'its revision is that of the tree' "" "$t/said"
check 'what belongs to it stands nowhere else' test -z "$(grep -rlI "$root/$build/\|$root/rtl" "$where" | head -n 1)"

check "the runs of a bundled sweep" from_away 0 "$program" sweep vectors/sweeps/designs.yaml --list
check 'a unit of its own: what to begin with' from_away 0 "$program" unit --new "$root/tests/outside/arbiter/arbiter.yaml" own
check 'its golden model' from_away 0 make -C own
check 'it runs in lockstep' from_away 0 "$program" unit --page own/arbiter.yaml --golden own/arbiter.so --cycles 200
