#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every assertion of the RTL fires: for each there is a wrong line (assertions.cases) under which
# the unit fails by that assertion's label. With LONG=1 all are planted, otherwise four.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh
cases=tests/scripts/assertions.cases

# A label may stand in several files, so a rule is a label and its file.
grep -oE '`NOCTURNE_ASSERT(_NOW)?\([A-Za-z0-9]+' rtl/*/*.sv | sed -E 's/(.*):.*\(/\1 /; s/(.*) (.*)/\2 \1/' |
  sort -u >"$t/rules"
sed -nE 's/^([A-Z][A-Za-z0-9]*) (rtl[^ ]*) .*/\1 \2/p' $cases | sort -u >"$t/planted"
left=$(comm -3 "$t/rules" "$t/planted")
[ -z "$left" ] && good "$(wc -l <"$t/rules") assertions, a wrong line for each" ||
  bad "assertions and wrong lines differ" "$left"

fires() { # label file unit-and-options changed-file sed
  local many= name="$1 of ${2##*/}" tree=$t/$1-$(basename "$2" .sv)
  if ! plant "$tree" "$4" "$5"; then
    bad "$name" "the wrong line no longer applies to $4"
    return
  fi
  [[ $3 == --play* ]] || many='--seeds 40 --cycles 20000'
  # shellcheck disable=SC2086
  (cd "$tree" && NOCTURNE_NO_WAVES=1 build/nocturne unit ${3/--play /--play $root/} --engine rtl $many) >"$tree.log" 2>&1
  if grep -qE "^  assertion $1 $2:|^ *\[0\] %Error: ${2##*/}:.* Assertion failed .*: $1\$" "$tree.log"; then
    good "$name fires"
    rm -rf "$tree"
  else
    bad "$name" "did not fire" "$tree.log"
  fi
}
few='^(PushHasRoom|StartHolds|SourceIsOne|BeginWhileIdle)$'
while read -r label file options; do
  read -r changed line
  [ -n "${LONG:-}" ] || [[ $label =~ ${ONLY:-$few} ]] || continue
  fires "$label" "$file" "$options" "$changed" "$line"
done < <(grep -v '^#' $cases)
