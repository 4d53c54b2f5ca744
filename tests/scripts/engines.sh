# SPDX-License-Identifier: Apache-2.0
# Sourced. One result from golden, rtl and lockstep, the same but for "engine" and "timing".
# shellcheck shell=bash disable=SC2154
engines() { # name, arguments of `nocturne run`...
  local name=$1 e
  shift
  for e in golden rtl lockstep; do
    if ! "$n" run "$@" --engine "$e" --json "$t/$name.$e.json" >"$t/$name.$e.log" 2>&1; then
      bad "$name, engine $e" "" "$t/$name.$e.log"
      return 1
    fi
    result "$t/$name.$e.json" >"$t/$name.$e.stripped"
  done
  if [ -s "$t/$name.golden.stripped" ] && cmp -s "$t/$name.golden.stripped" "$t/$name.rtl.stripped" &&
    cmp -s "$t/$name.golden.stripped" "$t/$name.lockstep.stripped"; then
    good "$name: three engines, one result"
  else
    bad "$name: the engines' results differ" \
      "$(diff "$t/$name.golden.stripped" "$t/$name.rtl.stripped" | head -n 4)"
    return 1
  fi
}
