#!/bin/bash
# What a command writes and the repository holds is what the command writes today.
set -u
. tests/lib.sh
current() { # name committed written
  if cmp -s "$2" "$3"; then
    good "$1"
  else
    diff "$2" "$3" >"$t/log"
    bad "$1" "$2 is not what the command writes" "$t/log"
  fi
}
"$n" config --markdown >"$t/configuration.md" && current configuration docs/configuration.md "$t/configuration.md"

# Keys stay few; entries of sets and constants are none.
keys=$(grep -c '^| `' "$t/configuration.md")
if [ "$keys" -le 110 ] && [ "$keys" -ge 50 ]; then good "keys: $keys"; else bad "keys: $keys"; fi
