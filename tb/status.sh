#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Keeps what verification commands found of each unit, and writes docs/hardware/status.md from it.
#   tb/status.sh record KIND [FILE]    after the command: its rows in docs/hardware/status.csv, then the page
#   tb/status.sh rows KIND FILE        the rows of a file, without date and revision
#   tb/status.sh merged FILE           the table with the rows of a file in place of older ones
#   tb/status.sh page                  the page, to standard output
# KIND, its command and FILE: cover, make cover, build/cover/summary.json; mutate, make mutate, build/mutate; flaws, make
# mutate MUTATE=--flaws, build/mutate/flaws; prove, make prove, build/proofs/journal.jsonl; fuzz, make fuzz, build/fuzz;
# gates, make gates, build/gates/results.json; area, make area-tables TABLES=units, build/area-tables/units.csv.
# Rows: unit, what, value, of how many, size (;), date and revision. Exit status 2: bad usage, or FILE is missing.
set -u -o pipefail
table=${STATUS_TABLE:-docs/hardware/status.csv}
n=${NOCTURNE:-build/nocturne}

# unit,what,value,of,size
rows() { # kind file
  local folder unit
  case $1 in
    cover)
      jq -r '.units[] | .name as $u | ("lines", "toggles", "points") as $k |
        .[{lines: "line", toggles: "toggle", points: "points"}[$k]] | "\($u),\($k),\(.hit),\(.total),\(.excluded)"' "$2" ;;
    mutate)
      for folder in "$2"/*/; do
        unit=$(basename "$folder")
        [ -s "$folder/results" ] || continue
        awk -v unit="$unit" '
          { n++; for (i = 1; i <= NF; i++) if ($i ~ /^(killed|equivalent|gap)/) { sub(/[^a-z].*/, "", $i); count[$i]++; break } }
          END {
            count["open"] = n - count["killed"] - count["equivalent"]
            for (k = split("killed equivalent open", name); k; k--) printf "%s,%s,%d,%d,\n", unit, name[k], count[name[k]], n
          }' "$folder/results"
      done ;;
    flaws)
      cat "$2"/*/summary | awk -F, '{
        printf "%s,flaws killed,%d,%d,%s\n%s,flaws equivalent,%d,%d,\n%s,flaws open,%d,%d,%.1f\n", $1, $3, $2, $7, $1, $4, $2, $1, $5, $2, $6 / 60 }' ;;
    prove)
      jq -r '(.command | capture("--size \u0027?(?<size>[^\u0027]+?)\u0027? --shows \u0027?(?<shows>[a-z]*).* (?<unit>[a-z_]+)$")) as $c |
        "\($c.unit),\(if .verdict != "passed" then "refuted" elif $c.shows == "hunt" then "searched" else "proved" end),\(.cpu | floor),,\($c.size | sub(" Observe=1"; ""))"' "$2" ;;
    fuzz)
      for folder in "$2"/*/; do
        sed -nE 's/^(ok|FAILED): ([a-z_]+)[^:]*: ([0-9]+) inputs, [0-9]+ steps, ([0-9.]+) s of CPU.*/\2,fuzz,\4,\3,\1/p' "$folder/log" | tail -n 1
      done | awk -F, '{ s[$1] += $3; n[$1] += $4; if ($5 != "ok") bad[$1] = 1 } END { for (u in s) printf "%s,fuzz,%d,%d,%s\n", u, s[u], n[u], u in bad ? "differs" : "" }' ;;
    gates)
      jq -r '.tests[] | "\(.id) \(.verdict)"' "$2" | awk -v units="$(sed -n 's/^unit: //p' csim/units/*/page.yaml | paste -sd' ')" '
        BEGIN { n = split(units, unit, " ") }
        { for (i = 1; i <= n; i++) if ($1 ~ "^" unit[i] "[-_]") { all[unit[i]]++; passed[unit[i]] += $2 == "passed" } }
        END { for (u in all) printf "%s,netlist,%d,%d,\n", u, passed[u], all[u] }' ;;
    area) tail -n +2 "$2" | awk -F, '{ printf "%s,cells,%d,,\n%s,MHz,%.0f,,28 nm\n", $1, $6, $1, $13 }' ;;
  esac
}

# The table with new rows in place of those of the same unit and kind: of a proof those of the same size, and those from
# before this page whose size a new one names more closely.
merged() { # rows
  head -n 1 "$table"
  { tail -n +2 "$table" | awk -F, '
      function proof(kind) { return kind ~ /^(proved|searched|refuted)$/ }
      NR == FNR { new[$1, $2, proof($2) ? $5 : ""]; if (proof($2)) sizes[$1] = sizes[$1] " " $5 " ;"; next }
      proof($2) && $7 ~ /\*$/ {
        n = split(sizes[$1], size, ";")
        m = split($5, word, " ")
        for (i = 1; i < n; i++) {
          for (k = 1; k <= m && index(size[i], " " word[k] " "); k++) {}
          if (k > m) next
        }
      }
      !(($1, $2, proof($2) ? $5 : "") in new)' "$1" -
    cat "$1"; } | LC_ALL=C sort
}

record() { # kind file
  local date revision
  [ -e "$2" ] || { echo "status: $2 is missing; the command that writes it is in the head of tb/status.sh" >&2; exit 2; }
  date=$(date -r "$2" +%F) revision=$(git rev-parse --short=8 HEAD)
  git diff --quiet HEAD -- rtl csim tb tests || revision+=+
  rows "$1" "$2" | sed "s/\$/,$date,$revision/" >build/status.rows || exit
  [ -s build/status.rows ] || { echo "status: $2 has no rows" >&2; exit 2; }
  merged build/status.rows >build/status.csv && cp build/status.csv "$table" && page >build/status.md && cp build/status.md docs/hardware/status.md
}

page() {
  local unit
  # What the sizes used are: the defaults in the contracts.
  for unit in $(sed -n 's/^unit: //p' csim/units/*/page.yaml); do
    awk -F ' *[|] *' -v unit="$unit" '/^\| `[A-Z][A-Za-z]*` \| [0-9]+ \|/ { gsub(/`/, "", $2); print unit, $2, $3 }
      END { print unit }' "docs/units/$unit.md"
  done | awk -v table="$table" '
    function of(unit, what) { return (unit, what) in value ? value[unit, what] " of " total[unit, what] : "-" }
    function add(list, text) { lack[list] = lack[list] (lack[list] ? ", " : "") text }
    NF == 1 { units[++n] = $1 }
    NF == 3 { used[$1, $2] = $3 }
    END {
      FS = ","
      getline line <table
      while ((getline line <table) > 0) {
        split(line, c, ",")
        u = c[1]; k = c[2]
        value[u, k] = c[3]; total[u, k] = c[4]; note[u, k] = c[5]; revision[u, k] = c[7]
        if (k == "refuted") bad[u]++
        if (k == "proved" || k == "searched") {
          count[u, k]++
          sizes[u, k] = sizes[u, k] (sizes[u, k] ? "; " : "") c[5]
          m = split(c[5], part, " ")
          for (i = 1; i <= m; i++) { sub(/=.*/, "", part[i]); if (!((u, part[i]) in named)) { named[u, part[i]]; names[u] = names[u] (names[u] ? " " : "") part[i] } }
          if (first[u] == "" || c[6] < first[u]) { first[u] = c[6]; revision[u, "proof"] = c[7] }
        }
      }
      print "# Verification status\n"
      print "Written by `tb/status.sh` from [status.csv](status.csv); each row there is from a file that a command wrote.\n"
      print "| unit | lines | toggles | cover points | mutants killed | equivalent | open | sizes proved | fuzzed | netlist | cells | MHz at 28 nm |"
      print "|---|---|---|---|---|---|---|---|---|---|---|---|"
      for (i = 1; i <= n; i++) {
        u = units[i]
        t = of(u, "toggles")
        if (t != "-") t = sprintf("%.1f %%, %d excluded", 100 * value[u, "toggles"] / total[u, "toggles"], note[u, "toggles"])
        p = count[u, "proved"] ? count[u, "proved"] (bad[u] ? ", " bad[u] " refuted" : "") : "-"
        f = (u, "fuzz") in value ? sprintf("%.0f min%s", value[u, "fuzz"] / 60, note[u, "fuzz"] ? ", " note[u, "fuzz"] : "") : "-"
        printf "| [%s](../units/%s.md) | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", u, u, of(u, "lines"), t, of(u, "points"),
          of(u, "killed"), (u, "equivalent") in value ? value[u, "equivalent"] : "-", (u, "open") in value ? value[u, "open"] : "-",
          p, f, of(u, "netlist"), (u, "cells") in value ? value[u, "cells"] : "-", (u, "MHz") in value ? value[u, "MHz"] : "-"
      }
      print "\nA `-` is not recorded. `tests/coverage/exclusions.yaml` has the reason of each excluded toggle. A mutant is killed by a"
      print "test, proved equivalent, or open. Fuzzing is in minutes of processor time. The netlist column counts the passed runs in"
      print "lockstep with the golden model. Cells are of 0.18 um, the clock is scaled to 28 nm without wires ([how](area.md)).\n"
      print "## Not covered\n| what | units |\n|---|---|"
      for (i = 1; i <= n; i++) {
        u = units[i]
        if (!((u, "lines") in value)) add("coverage", u)
        if (!((u, "killed") in value)) add("mutation", u)
        if (!((u, "flaws killed") in value)) add("fate of all flaws", u)
        if (!count[u, "proved"]) add("proof", u)
        if (!((u, "fuzz") in value)) add("fuzzing", u)
        if (!((u, "netlist") in value)) add("netlist in lockstep", u)
        if (value[u, "open"] > 0) add("open", u " " value[u, "open"])
        m = total[u, "toggles"] - value[u, "toggles"] - note[u, "toggles"]
        if (m > 0) add("toggles", u " " m)
      }
      m = split("coverage|mutation|fate of all flaws|proof|fuzzing|netlist in lockstep", part, "|")
      for (i = 1; i <= m; i++) if (part[i] in lack) printf "| no %s recorded | %s |\n", part[i], split(lack[part[i]], c, ",") == n ? "all units" : lack[part[i]]
      if ("open" in lack) print "| mutants neither killed nor proved equivalent | " lack["open"] " |"
      if ("toggles" in lack) print "| toggles missed and not excluded | " lack["toggles"] " |"
      print "\nA proof says nothing about other sizes than its own. Random traffic, directed programs and the machine test the sizes"
      print "that are used. Golden model and RTL could share a misreading of the contract, which no comparison of the two finds."
      print "One clock, two states (four in Icarus, by replay), no wires, no power-up other than random registers.\n"
      print "## All single-bit flaws of the graph"
      print "Each bit of the graph of one proved size stuck at 0, stuck at 1 and inverted ([how](../how-to/mutation.md)). Minutes are"
      print "elapsed time on a machine that did other work too.\n"
      print "| unit | size | flaws | killed | equivalent | open | minutes |"
      print "|---|---|---|---|---|---|---|"
      for (i = 1; i <= n; i++) {
        u = units[i]
        if (!((u, "flaws killed") in value)) continue
        printf "| %s | %s | %d | %d | %d | %d (%.2f %%) | %s |\n", u, note[u, "flaws killed"], total[u, "flaws killed"],
          value[u, "flaws killed"], value[u, "flaws equivalent"], value[u, "flaws open"],
          100 * value[u, "flaws open"] / total[u, "flaws open"], note[u, "flaws open"]
      }
      print ""
      print "## Sizes proved beside sizes used"
      print "Searched sizes are simulated at random in the graphs of the prover; nothing is proved there. The\nlargest one of coarse_depth is proved by abstraction of its memories ([how](proved.md)).\n"
      print "| unit | used | proved | searched only |"
      print "|---|---|---|---|"
      for (i = 1; i <= n; i++) {
        u = units[i]; x = ""
        m = split(names[u], part, " ")
        for (k = 1; k <= m; k++) x = x (x ? " " : "") part[k] "=" ((u, part[k]) in used ? used[u, part[k]] : "(derived)")
        printf "| %s | %s | %s | %s |\n", u, x ? x : "-", count[u, "proved"] ? sizes[u, "proved"] : "-", count[u, "searched"] ? sizes[u, "searched"] : "-"
      }
      m = split("lines coverage|killed mutants|proof proof|fuzz fuzzing|netlist netlist|cells area", part, "|")
      copied = ""
      for (k = 1; k <= m; k++) {
        split(part[k], c, " ")
        x = 0
        for (i = 1; i <= n; i++) x += revision[units[i], c[1]] ~ /\*$/
        if (x) copied = copied (copied ? ", " : "") c[2] " of " x " units"
      }
      print "\n## Date and revision of each figure"
      print "[status.csv](status.csv) has them for each figure. The revision is that of the tree when the command ran, and `+`"
      print "marks a tree with changes that were not committed. A `*` marks a copied figure: the command printed it before this"
      print "page recorded files, and a page of that revision had it."
      print "Copied are " (copied ? copied : "none") "."
      print "\n`make cover KEEP=1`, `make mutate KEEP=1`, `make mutate MUTATE=--flaws KEEP=1`, `make prove KEEP=1`, `make fuzz KEEP=1`,"
      print "`make gates KEEP=1` and `make area-tables TABLES=units` renew the rows."
    }'
}

case ${1:-} in
  page) page ;;
  rows) rows "$2" "$3" ;;
  merged) merged "$2" ;;
  record)
    case ${2:-} in
      cover) default=build/cover/summary.json ;;
      mutate) default=build/mutate ;;
      flaws) default=build/mutate/flaws ;;
      prove) default=build/proofs/journal.jsonl ;;
      fuzz) default=build/fuzz ;;
      gates) default=build/gates/results.json ;;
      area) default=build/area-tables/units.csv ;;
      *) echo "status: ${2:-nothing}: no such kind; expected cover, mutate, flaws, prove, fuzz, gates or area" >&2; exit 2 ;;
    esac
    record "$2" "${3:-$default}" ;;
  *) sed -n '3,10s/^# *//p' "$0" >&2; exit 2 ;;
esac
