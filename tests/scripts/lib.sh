# SPDX-License-Identifier: Apache-2.0
# Sourced first by every test script: where its files are, what it prints and how it ends. A
# script that has printed `not ok` never ends with status 0.
#   build, n, t           the folder of the build (the script's first argument), the nocturne in
#                         it, and the script's own folder there, empty at the start
#   units                 the names of all units, from their pages
#   value KEY FILE        a value in a file of JSON, by its dotted key; nothing if it has none
#   result FILE...        runs' JSON without what only the engine and the clock can tell
#   good NAME             the test passed
#   bad NAME [WHY [LOG]]  it failed; the file LOG follows, the whole of it, indented
#                         With TIMES=1 each says the processor time since the one before it.
#   check NAME COMMAND    it passes if the command ends with status 0
#   has FILE PATTERN      true if a line matches; otherwise says what the file has instead
#   says PATTERN STATUS COMMAND...     true if it ends so and says so, in $t/said
#   refused STATUS PATTERN COMMAND...  the same in one line of its errors, in $t/err
#   share_units FOLDER    a copy's folder of units takes Verilator's library and compiled units from here: without them
#                         each copy would compile these again
#   plant FOLDER FILE SED a copy of the sources with a line changed and a build folder of its own
#   wrong_tie             prints a change of rtl/chopin/draw_scheduler.sv: of equal GPUs the later one wins
#   MORE                  set in the lists that CI runs beside `make test`
# shellcheck shell=bash disable=SC2034
build=${1:-build}
build=${build%/}
n=$build/nocturne
# LONG has all that MORE has.
MORE=${MORE:-${LONG:-}}
t=$build/test/$(basename "$0" | cut -d . -f 1)${LONG:+-long}
[ -n "${LONG:-}" ] || t+=${MORE:+-more}
root=$PWD
units=$(cd csim/units 2>/dev/null && ls)
failures=0
# What a regression sets for its own tests: a script's have reports and waves of their own.
unset NOCTURNE_REPORT NOCTURNE_NO_WAVES
# Most run units for a few seconds; those that render large frames unset it.
export NOCTURNE_QUICK=1

# (A script that runs parts of itself gives them more arguments; they share the folder.)
[ $# -gt 1 ] || rm -rf "$t"
mkdir -p "$t" || { echo "not ok $t: cannot be made; the argument is the folder of the build"; exit 1; }

cleanup() { :; }  # for the script to replace
finish() {
  local code=$?
  cleanup
  [ "$failures" -eq 0 ] || [ "$code" -ne 0 ] || code=1
  exit "$code"
}
trap finish EXIT

cpu_seconds() { # of processor time of what has ended
  awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($14 + $15) / hz }' "/proc/$$/stat"
}
cpu_before=0

good() {
  local now
  echo "ok $1"
  [ -n "${TIMES:-}" ] || return 0
  now=$(cpu_seconds)
  echo "  $(awk "BEGIN { print $now - $cpu_before }") s of CPU"
  cpu_before=$now
}

bad() {
  echo "not ok $1${2:+: $2}"
  [ -z "${3:-}" ] || sed 's/^/  /' "$3"
  failures=$((failures + 1))
}

check() {
  local name=$1
  shift
  if "$@" >"$t/log" 2>&1; then
    good "$name"
  else
    bad "$name" "status $?" "$t/log"
  fi
}

value() { jq -r ".$1 // empty" "$2"; }

result() { jq 'del(.engine, .timing)' "$@"; }

has() {
  grep -qE "$2" "$1" || {
    echo "no '$2' in $1"
    head -n 3 "$1"
    return 1
  }
}

says() {
  "${@:3}" >"$t/said" 2>&1
  local code=$?
  [ $code -eq "$2" ] || { echo "status $code, expected $2"; cat "$t/said"; return 1; }
  has "$t/said" "$1"
}

refused() {
  "${@:3}" >"$t/out" 2>"$t/err"
  [ $? -eq "$1" ] && has "$t/err" "$2" && [ "$(grep -vc '^Try ' "$t/err")" -eq 1 ]
}

wrong_tie() { "$root/tests/scripts/wrong.sh" change draw_scheduler "ties go to the wrong GPU"; }

share_units() {
  mkdir -p "$1" "$root"/build/units/{store,library-{plain,trace,cover}}
  ln -sfn "$root"/build/units/{store,library-*} "$1/"
}

plant() {
  unset NOCTURNE_COVERAGE  # wrong lines count for nothing, and the folder is named from the root
  mkdir -p "$1/build" "$1/csim"
  cp -rp "$root"/{rtl,dpi,tb,waves} "$1/"
  cp -rp "$root"/csim/{base,unit,units} "$1/csim/"
  cp -rp "$root/build/unit" "$1/build/"
  : >"$1/build/new"  # (Nobody looks for headers of C++ there.)
  share_units "$1/build/units"
  ln -sfn "$(realpath "$root/$n")" "$1/build/nocturne"
  ln -sfn "$root/vectors" "$1/vectors"
  sed -i "$3" "$1/$2"
  ! cmp -s "$root/$2" "$1/$2"
}
