#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RTL files that a module needs, one a line: itself, what it instantiates, what these include.
#   rtl/synth/files.sh MODULE
# NOCTURNE_RTL in the environment: one more folder to look in, of a unit from outside the tree.
# A file holds the module of its name. Names in comments count too: a file too many does no harm.
set -eu
found=
add() { # file
  case " $found " in *" $1 "*) return ;; esac
  found="$found $1"
  local name path
  for name in $(grep -oE '^ *[a-z_0-9]+ (#\(|u_[a-z_0-9]+)|`include "[a-z_0-9./]+"|[a-z_0-9]+::' "$1" |
      sed -E 's/^ *`include "(.*)"$/\1/; s/ (#\(|u_).*//; s/::$//; s/^ *//' | sort -u); do
    for path in rtl/*/"$name" rtl/*/"$name".sv ${NOCTURNE_RTL:+"$NOCTURNE_RTL/$name" "$NOCTURNE_RTL/$name".sv}; do
      [ -f "$path" ] && add "$path"
    done
  done
  return 0
}
path=$(echo rtl/*/"$1".sv)
[ -f "$path" ] || path=${NOCTURNE_RTL:-rtl}/$1.sv
[ -f "$path" ] || { echo "files: $1: no such module" >&2; exit 2; }
add "$path"
printf '%s\n' $found | LC_ALL=C sort
