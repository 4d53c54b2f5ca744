#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tables of docs/hardware/area.md between <!-- NAME --> and <!-- end -->; tb/products.sh gets to know what they
# were made of.
#   tb/area/area_tables.sh NOCTURNE OUT [NAME...]      NAME: units sweep tradeoff (all)
# UNITS in the environment: only the rows of these; sweep and tradeoff are made as a whole.
set -eu
nocturne=$1 out=$2 page=docs/hardware/area.md
shift 2
names=${*:-units sweep tradeoff}
wanted=${UNITS:-$(sed -n 's/^unit: //p' csim/units/*/page.yaml)}
for name in $names; do
  case $name in
    units | sweep | tradeoff) ;;
    *) echo "area-tables: $name: no such table; expected units, sweep or tradeoff" >&2; exit 2 ;;
  esac
done
for unit in $wanted; do
  [ -f "csim/units/$unit/page.yaml" ] || { echo "area-tables: $unit: no such unit" >&2; exit 2; }
done
mkdir -p "$out"

# Not behind a decimal point.
thousands() { sed -E ':a; s/(^|[^0-9.])([0-9]+)([0-9]{3})(,|[^0-9]|$)/\1\2,\3\4/; ta'; }

units() {
  "$nocturne" area $wanted --csv "$out/units.csv" --json "$out/units.json" >&2
  tail -n +2 "$out/units.csv" | awk -F, '{
    printf "%s:\n  paper_bits: [%d, %d]\n  storage_bits: [%d, %d]\n  flip_flops: [%d, %d]\n", $1, $4, $4, $5, $5,
      $7, $7
    printf "  area_um2_osu018: [%d, %d]\n  clock_mhz_osu018: [%.1f, %.0f]\n", $10, 1.03 * $10, $12, 0.92 * $12
  }' >"$out/budget.yaml"
  echo "| unit | bits, paper's fields | other bits | cells | flip-flops | memory bits | mm2 at 0.18 um | of it memories | memories as flip-flops | mm2 at 28 nm | MHz at 0.18 um | MHz at 28 nm | depth |"
  echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  tail -n +2 "$out/units.csv" | awk -F, '{
    printf "| %s | %d | %d | %d | %d | %d | %.3f | %.3f | %.2f | %.4f | %.0f | %.0f | %d |\n", $1, $4, $5 - $4, $6,
      $7, $8, $10 / 1e6, $14 / 1e6, $15 / 1e6, $11 / 1e6, $12, $13, $9 }' | thousands
  printf '\natfim against its four parts: \n'  # filled in at the end
}

sweep() {
  WIDTHS='' tb/area/area_sweep.sh "$nocturne" "$out/sweep" 2,4,8,16 >&2
  cp "$out/sweep/area.svg" docs/images/area-gpus.svg
  echo "![area and clock against the number of GPUs](../images/area-gpus.svg)"
  echo
  echo "| unit | GPUs | bits, paper's fields | other bits | cells | mm2 at 28 nm | MHz at 28 nm |"
  echo "|---|---|---|---|---|---|---|"
  tail -n +2 "$out/sweep/area.csv" | sort -t, -k1,1 -k3,3n | awk -F, '
    function add(i, text) { cell[i] = cell[i] (cell[i] == "" ? "" : "; ") text }
    function row(  i) { if (unit) { printf "| %s", unit; for (i = 1; i <= 6; i++) { printf " | %s", cell[i]; cell[i] = "" } print " |" } }
    $1 != unit { row(); unit = $1 }
    { add(1, $3); add(2, $4); add(3, $5 - $4); add(4, $6); add(5, sprintf("%.5f", $11 / 1e6)); add(6, sprintf("%.0f", $13)) }
    END { row() }' | thousands
}

# Rendering speed over area: layers and packages a layer, the paper's figures and those of all of Table II beside.
tradeoff() {
  local tables=docs/results/tables figures=vectors/paper-figures.yaml stated
  stated() { sed -nE "s/.*\{id: $1,.* value: ([0-9.]+).*/\1/p" "$figures"; }
  "$nocturne" area atfim --set Slots=16,32,64 --csv "$out/tradeoff-area.csv" >&2
  # layers, packages, mm2, rendering, filtering
  awk -F, '
    NR == FNR { if (match($2, /Slots=[0-9]+/)) area[substr($2, RSTART + 6, RLENGTH - 6)] = $11 / 1e6; next }
    $1 == "mean" && split($2, of, "x") == 2 { printf "%d %d %.4f %.3f %.3f\n", of[1], of[2], of[1] * area[of[2]], $4, $5 }
  ' "$out/tradeoff-area.csv" "$tables/atfim-layers.csv" >"$out/tradeoff.rows"
  [ "$(wc -l <"$out/tradeoff.rows")" -eq 12 ] ||
    { echo "area-tables: $tables/atfim-layers.csv: rows of 12 machines expected; nocturne sweep vectors/sweeps/atfim-layers.yaml" >&2; return 1; }
  local all_area all_rendering paper_area paper_rendering
  all_area=$(awk '$1 == 4 && $2 == 32 { print $3 }' "$out/tradeoff.rows")
  all_rendering=$(awk -F, '$1 == "mean" && $2 == "a_tfim" { printf "%.3f", $4 }' "$tables/atfim-fig11.csv")
  paper_area=$(awk "BEGIN { print $(stated logic_mm2) + $(stated storage_mm2) }")
  paper_rendering=$(awk "BEGIN { print 1 + $(stated a_tfim_rendering) / 100 }")
  gnuplot <<END
set terminal svg size 760,420 font "sans,11" background "white"
set output "docs/images/area-tradeoff.svg"
set logscale x
set xlabel "mm^2 at 28 nm, all layers of a cube"
set ylabel "rendering over the baseline, mean of four frames"
set xrange [0.08:12]
set yrange [0.4:1.6]
set grid xtics ytics
set key bottom right
set style data linespoints
plot "< awk '\$2 == 16' $out/tradeoff.rows" using 3:4 title "16 packages a layer" pt 7 ps 0.5, \
  "< awk '\$2 == 32' $out/tradeoff.rows" using 3:4 title "32" pt 5 ps 0.5, \
  "< awk '\$2 == 64' $out/tradeoff.rows" using 3:4 title "64" pt 9 ps 0.5, \
  "< awk '\$2 == 64' $out/tradeoff.rows" using 3:4:(sprintf("%d", \$1)) with labels offset 0,-1 notitle, \
  "< echo $all_area $all_rendering" using 1:2 with points pt 3 lc "black" title "4 layers of 32, all of Table II", \
  "< echo $paper_area $paper_rendering" using 1:2 with points pt 2 lc "red" title "stated", 1 notitle dt 2 lc "gray"
END
  echo "![rendering over area](../images/area-tradeoff.svg)"
  echo
  {
    echo "layers,packages in each,parents in each,mm2 at 28 nm,rendering,filtering"
    awk '{ printf "%d,%d,%d,%.3f,%.3f,%.3f\n", $1, $2, 16 * $2, $3, $4, $5 }' "$out/tradeoff.rows"
  } >docs/hardware/tradeoff.csv
  echo "With all of Table II, 4 layers of 32 packages take $(printf %.3f "$all_area") mm2 at 28 nm and render $all_rendering times as fast as the baseline."
  echo "The paper states $paper_area mm2 and $paper_rendering ([all values](tradeoff.csv))."
}

# The rows of FILE in the place of the same units' on the page: a unit's line, and those indented below it.
replace() { # name file
  awk -v name="$1" -v file="$2" '
    function unit_of(line,  part) {
      if (!match(line, /^(\| ([0-9]+ \| )?)?[a-z_]+( \(older\))?( \||: )/)) return ""
      part = substr(line, RSTART, RLENGTH)
      sub(/^(\| ([0-9]+ \| )?)?/, "", part); sub(/( \(older\))?( \||: )$/, "", part)
      return part == "unit" ? "" : part
    }
    function rest(  u) { for (u in fresh) if (!(u in put)) { printf "%s", fresh[u]; put[u] } }
    BEGIN {
      while ((getline line < file) > 0) {
        if (unit_of(line) != "") { unit = unit_of(line); if (!(unit in fresh)) fresh[unit] = "" }
        else if (line !~ /^ / || unit == "") { unit = ""; continue }
        fresh[unit] = fresh[unit] line "\n"
      }
    }
    $0 == "<!-- " name " -->" { inside = 1; print; next }
    $0 == "<!-- end -->" { inside = 0 }
    !inside { print; next }
    {
      unit = unit_of($0)
      if (unit != "") skip = unit in fresh
      else if ($0 !~ /^ /) skip = 0
      if (unit in fresh && !(unit in put)) { printf "%s", fresh[unit]; put[unit] }
      if (skip) next
      # New units behind the last.
      if (unit == "" && (row || $0 == "```" && fence++)) rest()
      row = unit != "" && /^\|/
      print
    }' "$page"
}

# Of the page, all of it.
between() { # name file
  awk -v name="$1" -v file="$2" '
    $0 == "<!-- " name " -->" { print; print ""; while ((getline line < file) > 0) print line; print ""; skip = 1 }
    $0 == "<!-- end -->" { skip = 0 }
    !skip' "$page"
}

for name in $names; do
  "$name" >"$out/$name.md"
  if [ "$name" = sweep ] || [ "$name" = tradeoff ] || [ -z "${UNITS:-}" ]; then
    between "$name" "$out/$name.md" >"$out/page.md"
  else
    replace "$name" "$out/$name.md" >"$out/page.md"
  fi
  cp "$out/page.md" "$page"
  # shellcheck disable=SC2046
  NOCTURNE=$nocturne tb/products.sh record $(sed -n "/^<!-- $name -->\$/,/^<!-- end -->\$/p" "$page" |
    sed -nE "s/^(\| ([0-9]+ \| )?)?($(echo $wanted | tr ' ' '|'))( \||: ).*/\3/p" | sort -u | sed "s|^|area/$name/|")
  [ "$name" != units ] || tb/status.sh record area "$out/units.csv"
  [ "$name" != sweep ] || tb/products.sh record docs/images/area-gpus.svg
  [ "$name" != tradeoff ] || tb/products.sh record docs/images/area-tradeoff.svg
done
# Of the parts' rows and the top's.
sed -n '/^<!-- units -->$/,/^<!-- end -->$/p' "$page" | tr -d , | awk -F ' *[|] *' '
  { sub(/ \(older\)/, "", $2) }
  $2 ~ /^(texel_generator|child_consolidation|parent_texel_buffer|combination_unit)$/ { cells += $5; area += $8; small += $11 }
  $2 == "atfim" { top = $5; top_area = $8; top_small = $11 }
  END { printf "atfim against its four parts: %d cells to %d, %.3f mm2 at 0.18 um to %.3f, %.4f mm2 at 28 nm to %.4f.\n",
    top, cells, top_area, area, top_small, small }' | thousands >"$out/sum.md"
sed -i "s/^atfim against its four parts:.*/$(cat "$out/sum.md")/" "$page"
tb/products.sh mark
