#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Wrong lines of the golden models of A-TFIM (tests/units/NAME/wrong.cases): tests/programs/test_atfim_chain.c finds
# each, and its report has what the case says. Without LONG the first three.
set -u
. tests/scripts/lib.sh

# The command that links the program, as make has it: what stands before its source, and behind.
program=$build/tests/test_atfim_chain
source=tests/programs/test_atfim_chain.c
link=$(make -n -W $source B="$build" "$program" 2>&1 | grep -e " -o $program\$")
flags=${link%% "$source"*}
objects=${link##*"$source "}
objects=${objects% -o *}
# shellcheck disable=SC2086
$flags -MF "$t/made" -c $source -o "$t/chain.o" || { bad "building $source"; exit 1; }

found() { # name file pattern sed
  local dir=$t/$1
  mkdir -p "$dir"
  sed "$4" "$2" >"$dir/wrong.c"
  if cmp -s "$2" "$dir/wrong.c"; then
    bad "$1" "the wrong line no longer applies to $2"
    return
  fi
  # shellcheck disable=SC2086
  if ! { $flags -MF "$dir/made" -iquote "$(dirname "$2")" -c "$dir/wrong.c" -o "$dir/wrong.o" &&
    $flags -MF "$dir/made" "$t/chain.o" "$dir/wrong.o" $objects -o "$dir/chain"; } >"$dir/log" 2>&1; then
    bad "$1" building "$dir/log"
  elif "$dir/chain" >"$dir/log" 2>&1; then
    bad "$1" "a wrong line was not found"
  elif grep -qE "ERROR.*($3)" "$dir/log"; then
    good "$1: $(grep -m 1 -oE "ERROR.*($3)" "$dir/log" | cut -c 1-90)"
  else
    bad "$1" "the report has no $3" "$dir/log"
  fi
}

while IFS=$'\037' read -r _ name file change pattern _ long; do
  [ "$long" -eq 1 ] && [ -z "${LONG:-}" ] || found "${name// /-}" "$file" "$pattern" "$change"
done < <(tests/scripts/wrong.sh chain)
