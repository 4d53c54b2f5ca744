# SPDX-License-Identifier: Apache-2.0
# A unit from outside the tree (docs/add-a-unit.md), for tb/prove/prove.sh and tb/mutate/mutate.sh to source.
#   outside_read TOOL BUILD OPTIONS...  reads what stands behind --, and makes in build/outside what the page makes.
#       Sets page, rtl, library, wrapper, size, covers, vectors; unit (its name), place (what `nocturne unit` takes),
#       tables (of the unit, compiled). Ends TOOL with one line and status 2 for what cannot be found or does not fit,
#       3 for a tool that is missing.
#   outside_knobs TOOL SIZE             "Inputs=2" as `nocturne unit` takes it: "--knob param.inputs=2"
# shellcheck shell=bash disable=SC2034

outside_end() { # tool status line
  echo "$1: $3" >&2
  exit "$2"
}

outside_read() {
  local tool=$1 build=$2 path said status folder
  shift 2
  page='' rtl='' library='' wrapper='' size='' covers=covers vectors=- place=() tables=''
  while [ $# -gt 0 ]; do
    case $tool$1 in
      prove--no-covers) covers=-; shift; continue ;;
      *--page | *--rtl | *--golden | *--wrapper | *--size | mutate--vectors)
        [ $# -gt 1 ] || outside_end "$tool" 2 "$1: expected a value" ;;
      *) outside_end "$tool" 2 "$1: expected an option that is listed at the head of tb/$tool/$tool.sh" ;;
    esac
    case $1 in
      --page) page=$2 ;;
      --rtl) rtl=$2 ;;
      --golden) library=$2 ;;
      --wrapper) wrapper=$2 ;;
      --size) size=$2 ;;
      --vectors) vectors=$2 ;;
    esac
    shift 2
  done
  [ -n "$page" ] || outside_end "$tool" 2 "expected --page P.yaml"
  rtl=${rtl:-$(dirname "$page")}
  [ -x "$build/nocturne" ] || outside_end "$tool" 3 "$build/nocturne is missing; make builds it"
  for path in "$page" "$rtl" "$library" "$wrapper" "$vectors"; do
    [[ $path != *[[:space:]]* ]] || outside_end "$tool" 2 "$path: a path with blanks, which make and Yosys do not take"
  done
  place=(--page "$page" --rtl "$rtl")
  [ -z "$library" ] || place+=(--golden "$library")
  # The program finds what is wrong with page, RTL and golden model, and compiles the tables.
  said=$("$build/nocturne" unit "${place[@]}" --knobs 2>&1 >/dev/null)
  status=$?
  [ $status -eq 0 ] || outside_end "$tool" "$status" "$(tail -n 1 <<<"${said#nocturne: }")"
  [ "$vectors" = - ] || [ -d "$vectors" ] || outside_end "$tool" 2 "--vectors $vectors: no such folder"
  [ -z "$wrapper" ] || [ -f "$wrapper" ] || outside_end "$tool" 2 "--wrapper $wrapper: no such file"
  unit=$(sed -n 's/^unit: *\([a-z0-9_]*\).*/\1/p' "$page")
  folder=build/outside/unit/$unit
  tables=$folder/tables-$(sed -n "s/^#define ${unit}_page 0x\([0-9a-f]*\)ull/\1/p" "$folder/$unit.h").so
  [ -f "$tables" ] || outside_end "$tool" 2 "$tables is missing: run from the root of the tree"
}

outside_knobs() { # tool size
  local tool=$1 given name
  for given in $2; do
    name=$(sed -n "s/^    {\"\([a-z0-9_]*\)\", \"${given%%=*}\", offsetof(.*/\1/p" \
      "build/outside/unit/$unit/${unit}_table.c")
    [[ -n "$name" && $given = *=* ]] ||
      outside_end "$tool" 2 "--size $given: expected NAME=VALUE, a parameter of $unit as the RTL names it"
    echo "--knob param.$name=${given#*=}"
  done
}
