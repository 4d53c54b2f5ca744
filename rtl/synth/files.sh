#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RTL files that a module needs, one a line: itself, what it instantiates, what these include.
#   rtl/synth/files.sh MODULE
# A file holds the module of its name. Names in comments count too: a file too many does no harm.
set -eu
found=
add() { # file
  case " $found " in *" $1 "*) return ;; esac
  found="$found $1"
  local name path
  for name in $(grep -oE '^ *[a-z_0-9]+ (#\(|u_[a-z_0-9]+)|`include "[a-z_0-9./]+"|[a-z_0-9]+::' "$1" |
      sed -E 's/^ *`include "(.*)"$/\1/; s/ (#\(|u_).*//; s/::$//; s/^ *//' | sort -u); do
    for path in rtl/*/"$name" rtl/*/"$name".sv; do
      [ -f "$path" ] && add "$path"
    done
  done
  return 0
}
path=$(echo rtl/*/"$1".sv)
[ -f "$path" ] || { echo "files: $1: no such module" >&2; exit 2; }
add "$path"
printf '%s\n' $found | LC_ALL=C sort
