#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What docs/ holds and a command made of something else: pictures, and the tables of docs/hardware/area.md. The
# command that makes one records the hash of what it was made of; tests/scripts/current.test.sh compares.
#   tb/products.sh record NAME...   docs/products.txt gets their lines: NAME, hash
#   tb/products.sh mark             rows of docs/hardware/area.md that are of an older RTL get a mark, others lose it
#   tb/products.sh check            names each that is not current and does not say so; status 1
#   tb/products.sh hash NAME        of what it is made of today
# NAME: a picture's path, or area/TABLE/UNIT: the row or rows of a unit in a table of docs/hardware/area.md. A
# row takes up to an hour of synthesis, so an older one may stay if it says so.
set -u
n=${NOCTURNE:-build/nocturne}
list=docs/products.txt page=docs/hardware/area.md
work=build/products
mark=' (older)'

units() { sed -n 's/^unit: //p' csim/units/*/page.yaml; }
tables="units sweep"

# Files without comments and blanks, which change no figure.
code() { # file...
  local file
  for file in "$@"; do
    case $file in
      *.sh) grep -vE '^ *#' "$file" ;;
      *) sed -E 's|//.*||; s/[[:space:]]+//g; /^$/d' "$file" ;;
    esac
  done
}
# shellcheck disable=SC2046
rtl() { code $(rtl/synth/files.sh "$1"); } # unit
# What Yosys is told, without what only says where things stand.
script() { sed -n '/^read_verilog/,/^END/p' rtl/synth/"$1"; }

# Of a unit: inputs and outputs of its first cycles, by the golden model.
vectors() { # unit cycles seed
  rm -rf "$work/vectors"
  "$n" unit "$1" --engine golden --seed "$3" --cycles "$2" --set "$(tb/waves.sh set "$1")" --record "$work/vectors" \
    >"$work/log" 2>&1 && cat "$work/vectors/$1"-*.vec
}

# The names of units' streams.
streams() { # unit...
  local unit
  for unit in "$@"; do awk '/^[a-z]/ { on = /^streams:/ } on && /^ ? ?[a-z_]+:|^streams: [a-z]/ { sub(/^streams: */, "  "); print $1 }' "csim/units/$unit/page.yaml"; done
}

# Modules inside a unit.
# shellcheck disable=SC2046
instances() { grep -hoE '\bu_[a-z_]+ \(' $(rtl/synth/files.sh "$1"); } # unit

# The machine's result, which holds its picture's hash: tests/scripts/digests.test.sh compares it with the model.
digest() { # arguments of run
  grep -E "^[0-9a-f]+ (quick|long) $1\$" tests/digests.txt
}

made_of() { # name
  local name=${1##*/}
  case $1 in
    area/units/*) rtl "$name"; script synth.sh; code tb/area/scaling.[ch] tb/area/timing.c ;;
    area/sweep/*) rtl "$name"; script synth.sh; code tb/area/scaling.[ch] tb/area/timing.c tb/area/area_sweep.sh ;;
    docs/images/area-tradeoff.svg)
      rtl atfim; script synth.sh; code tb/area/scaling.[ch]
      cat docs/results/tables/atfim-layers.csv; grep mean,a_tfim docs/results/tables/atfim-fig11.csv ;;
    docs/images/area-*.svg) sed -n '/<!-- sweep -->/,/<!-- end -->/p' "$page" | sed "s/$mark//" ;;
    docs/images/stated-*.svg) name=${name#stated-}; grep '^| ' "docs/results/${name%.svg}.md"; code tb/plots.sh ;;
    docs/images/gpu-time.svg) grep ^mean docs/results/tables/chopin-fig14.csv; code tb/plots.sh ;;
    docs/images/soc-bytes.svg)
      digest "vectors/config/soc.yaml --frames gen:m1 --count 3 --set gddr5.timing=lpddr3_133 --set soc.scheduler=frfcfs"
      digest "vectors/config/soc.yaml --frames gen:m1 --count 3 --set gddr5.timing=lpddr3_133 --set soc.scheduler=dash_all"
      code tb/plots.sh ;;
    # Drawn by hand: the units' streams and modules, after a change of which somebody looks at the picture and records it.
    docs/images/block-*.svg) name=${name#block-} name=${name%.svg}; streams "$name"; instances "$name" ;;
    docs/images/system.svg) streams draw_scheduler ;;
    docs/images/chopin-machine.svg | docs/images/group-life.svg) streams draw_scheduler composition_scheduler pixel_distributor coarse_depth ;;
    docs/images/atfim-machine.svg | docs/images/package.svg | docs/images/parents.svg)
      streams offload_unit texel_generator child_consolidation parent_texel_buffer combination_unit atfim ;;
    docs/images/failure.svg) code tb/harness/failure_report.c ;;
    docs/images/policy-random-*.svg) cat docs/examples/policies/random/* ;;
    docs/images/peers.svg) grep '^| ' docs/results/peers.md; code tb/peers/peers.c ;;
    docs/images/regress.png) code tb/regress/test_report_html.c ;;
    docs/images/nexuiz-chopin.png) digest vectors/config/chopin.yaml ;;
    docs/images/openarena-a_tfim.png) digest "vectors/config/atfim.yaml --frame vectors/frames/openarena/demo088_test1_1300.nframe" ;;
    docs/images/waves/planted.*) rtl draw_scheduler; code <(tests/scripts/wrong.sh picture draw_scheduler); vectors draw_scheduler 300 1 ;;
    docs/images/waves/refuted.png) rtl lookahead_scheduler; code <(tests/scripts/wrong.sh picture lookahead_scheduler) tests/units/lookahead_scheduler/proof.c ;;
    docs/images/waves/system.png)
      "$n" run vectors/config/combined.yaml --engine golden --frame gen:test-1 --set driver.threshold=20 \
        --system-waves "$work/system.vcd" --from 2556 --to 2700 >"$work/log" 2>&1
      grep ' system$' waves/digests.txt; cat "$work/system.vcd" ;;
    *) echo "products: $1: nothing is known of it" >&2; return 1 ;;
  esac
}
hash() { # name
  local sum
  sum=$(set -o pipefail; made_of "$1" | sha256sum) && echo "${sum%% *}"
}

pictures() {
  # Timing diagrams hold the hash of what they are made of, and have a test of their own.
  find docs/images -maxdepth 1 -type f \( -name '*.svg' -o -name '*.png' \) | LC_ALL=C sort
  echo docs/images/waves/*
}
# The table's units in docs/hardware/area.md, each once, with its mark if it has one.
shown() { # table
  sed -n "/^<!-- $1 -->\$/,/^<!-- end -->\$/p" "$page" |
    sed -nE "s/^(\| ([0-9]+ \| )?)?([a-z_]+)( \(older\))?( \|.*|: .*)/\3\4/p" | sort -u |
    grep -E "^($(units | paste -sd'|'))( |$)"
}
recorded() { awk -v name="$1" '$1 == name { print $2 }' "$list"; }

record() {
  local name sum
  for name in "$@"; do
    sum=$(hash "$name") || return
    { grep -vE "^$name " "$list" 2>/dev/null; echo "$name $sum"; } | LC_ALL=C sort >"$work/list"
    cp "$work/list" "$list"
  done
}

# Each row of the tables: TABLE UNIT, whether it is current, whether it says that it is older.
rows() {
  local table row unit current
  for table in $tables; do
    shown "$table" | while read -r unit row; do
      current=older
      [ "$(hash "area/$table/$unit")" = "$(recorded "area/$table/$unit")" ] && current=current
      echo "$table $unit $current ${row:+marked}"
    done
  done
}

check() {
  local status=0 name unit
  for name in $(pictures); do
    [ "$(hash "$name")" = "$(recorded "$name")" ] && continue
    echo "$name: older than what it is made of; make docs, for area-*.svg make area-tables TABLES="sweep tradeoff""
    status=1
  done
  for unit in $(units); do
    shown units | grep -qE "^$unit( |\$)" || { echo "$page: units: no $unit; make area-tables TABLES=units UNIT=$unit"; status=1; }
  done
  rows >"$work/rows"
  while read -r table unit current marked; do
    case $current$marked in
      older) echo "$page: $table: $unit is of an older RTL; make area-tables TABLES=$table UNIT=$unit, or tb/products.sh mark" ;;
      currentmarked) echo "$page: $table: $unit is current, and says that it is older; tb/products.sh mark" ;;
      *) continue ;;
    esac
    status=1
  done <"$work/rows"
  return $status
}

put_marks() {
  rows | while read -r table unit current _; do
    sed -i -E "/^<!-- $table -->\$/,/^<!-- end -->\$/ s/^((\| ([0-9]+ \| )?)?$unit)( \(older\))?( \||: )/\1$([ "$current" = older ] && echo "$mark")\5/" "$page"
  done
}

mkdir -p "$work"
case ${1:-} in
  record) shift; record "$@" ;;
  mark) put_marks ;;
  check) check ;;
  hash) hash "${2:-}" ;;
  *)
    sed -n '3,/^# row/s/^# *//p' "$0" >&2
    exit 2 ;;
esac
