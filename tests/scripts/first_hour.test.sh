#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/start/first-hour.md as they stand there, in a copy of the sources: right, a bug
# planted, found, counted, cut down, played again, mended.
set -u
. tests/scripts/lib.sh

page=$root/docs/start/first-hour.md
tree=$t/tree
plant "$tree" rtl/chopin/draw_scheduler.sv "$(wrong_tie)" || bad "planted bug" "no longer applies"
ln -s "$root/tests" "$tree/"
cp "$root/rtl/chopin/draw_scheduler.sv" "$tree/rtl/chopin/"
cd "$tree" || exit 1
export NOCTURNE_NO_WAVES=1

# Each command of nocturne, and how it must end.
expected=(0 1 1 1 1 0 0)
number=0
while read -r command; do
  case $command in
    sed*) eval "$command" ;;
    "git checkout"*) cp "$root/rtl/chopin/draw_scheduler.sv" rtl/chopin/ ;;
    build/nocturne*)
      eval "$command" >"$root/$t/log" 2>&1 </dev/null
      code=$?
      if [ $code -eq "${expected[$number]:-9}" ]; then
        good "$command: status $code"
      else
        bad "$command" "status $code, expected ${expected[$number]:-none}" "$root/$t/log"
      fi
      number=$((number + 1))
      ;;
  esac
done < <(sed -n 's/^    \([a-z]\)/\1/p' "$page")
[ $number -eq ${#expected[@]} ] && good "all commands" || bad "all commands" "$number of ${#expected[@]}"
