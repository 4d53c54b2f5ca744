#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the tables of parameters and ports, made from the units' pages (build/unit/NAME/NAME_ports.md),
# into the contracts, docs/units/NAME.md, between two marks, and the package of each unit beside its RTL.
#   tb/docs_ports.sh [BUILD]         writes them
#   tb/docs_ports.sh BUILD check     changes nothing; names each contract that is not current, status 1
set -u
build=${1:-build}
status=0
for page in csim/units/*/page.yaml; do
  unit=$(basename "$(dirname "$page")")
  contract=docs/units/$unit.md
  new=$build/unit/$unit/contract.md
  awk -v made="$build/unit/$unit/${unit}_ports.md" '
    function both(a, b, between) {
      return b == "" || a == b || substr(a, length(a) - length(between b) + 1) == between b ? a : a == "" ? b : a between b
    }
    # Puts row a before row b if both are of one port that only benches look at, or say the same of one stream, or are
    # payload of one stream (up to four ports, a meaning each).
    function joined(a, b,   x, y, of, same) {
      if (split(row[a], x, / \| ?/) < 6 || split(row[b], y, / \| ?/) < 6 || row[b] !~ /^\| `[a-z]/) return 0
      of = x[1]
      sub(/^\| `/, "", of)
      sub(/`.*/, "", of)
      same = y[1] !~ /`, `/ && x[3] x[5] == y[3] y[5] && x[2] == y[2] && x[4] y[4] == ""
      if (match(of, /^(peek|insert|close|[a-z_]*_write)_/)) of = substr(of, 1, RLENGTH)
      else if (x[5] == y[5] && x[2] == y[2] && x[4] y[4] == "" && match(of, /^[a-z]+_/) && of !~ /_valid_/) of = substr(of, 1, RLENGTH)
      else if (index(of, stream) == 1 && x[2] == y[2] && x[4] y[4] == "" && of !~ /_valid_/ && y[5] != "" && x[5] != y[5] && y[1] !~ /, / &&
        y[5] !~ /;/ && gsub(/;/, ";", x[5]) == gsub(/, /, ", ", x[1]) && length(x[1] x[5] y[5]) < 150) of = stream
      else return 0
      if (index(y[1], "| `" of) != 1 || y[1] ~ /_valid_/) return 0
      row[b] = x[1] ", " substr(y[1], 3) " | " both(x[2], y[2], ", ") " | " x[3] ", " y[3] " | " both(x[4], y[4], "; ") " | " both(x[5], y[5], "; ") " |"
      return 1
    }
    /^<!-- Written by .make docs. from csim\/units/ { print; inside = 1; found++
      print ""
      # The two handshakes of a stream are one row.
      while ((getline line < made) > 0) {
        if (split(line, part, "`") == 5 && part[3] ~ /takes what $/) ready[part[4]] = part[2]
        else row[++rows] = line
      }
      for (i = 1; i <= rows; i++) {
        split(row[i], part, "`")
        if (part[2] in ready) sub(/` \|/, "`, `" ready[part[2]] "` |", row[i])
        # Ports that differ in their name only are one row, all widths one paragraph.
        rest = row[i + 1]
        split(rest, next_part, "`")
        if (sub(/^\| `[a-z0-9_]+` \|/, "", rest) && !(next_part[2] in ready)) {
          at = length(row[i]) - length(rest) - 2
          if (at > 0 && substr(row[i], at) == "` |" rest) {
            sub(/^\| /, substr(row[i], 1, at) ", ", row[i + 1])
            continue
          }
        }
        if (row[i] ~ /^- /) {
          widths = widths (widths == "" ? "" : ", ") substr(row[i], 3)
          if (row[i + 1] ~ /^- /) continue
          while (length(widths) > 118) {
            for (k = 118; substr(widths, k, 1) != " "; k--) {}
            print substr(widths, 1, k - 1)
            widths = substr(widths, k + 1)
          }
          row[i] = widths "."
        }
        if (match(row[i], /`[a-z0-9_]+_valid_/)) stream = substr(row[i], RSTART + 1, RLENGTH - 7)
        if (!joined(i, i + 1)) print row[i]
      }
      print "" }
    /^<!-- End of what is written/ { inside = 0; found++ }
    !inside { print }
    END { exit found != 2 }' "$contract" >"$new" || {
    echo "docs: $contract: the two marks of what is written from $page are missing" >&2
    exit 1
  }
  package=$(echo rtl/*/"$unit.sv")
  package=${package%.sv}_pkg.sv
  if ! cmp -s "$build/unit/$unit/${unit}_pkg.sv" "$package"; then
    [ "${2:-}" = check ] && echo "$package: not as $page says; make docs" && status=1 ||
      cp "$build/unit/$unit/${unit}_pkg.sv" "$package"
  fi
  cmp -s "$new" "$contract" && continue
  if [ "${2:-}" = check ]; then
    echo "$contract: not as $page says; make docs"
    status=1
  else
    cp "$new" "$contract"
  fi
done
exit $status
