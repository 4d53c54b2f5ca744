#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Types the commands of README.md, docs/start and docs/how-to into a fresh copy of the tree, page by page, and compares
# the shown output, which follows a command with "$ " before it. "..." stands for any lines. A line of typed.cases says
# how each command is typed; every command has one, and every line has a command.
# `make test` types the quick ones; LONG=1 all of them, in a clone that has built itself.
set -u
. tests/scripts/lib.sh
tree=$root/$t/tree
cases=$root/tests/scripts/typed.cases
typed_pages=${PAGES:-README.md docs/start/*.md docs/how-to/*.md}

# PAGE, TAB, command, TAB, shown lines (joined by \r): continued lines are one command, comments are gone.
commands() { # page...
  awk '
    function flush() { if (command != "") print page "\t" command "\t" shown; command = shown = "" }
    FNR == 1 { flush(); fence = 0; page = FILENAME }
    /^ *```/ { fence = !fence; flush(); next }
    {
      line = fence ? $0 : /^    / ? substr($0, 5) : ""
      if (line == "") { if (!fence) { if (!open) flush(); next_blank = 1 } ; if (command != "" && prompt && $0 == "") shown = shown; else flush(); next }
      if (more) { sub(/^ +/, "", line); command = command " " line }
      else if (line ~ /^\$ /) { flush(); prompt = 1; command = substr(line, 3) }
      else if (prompt && command != "") { shown = shown line "\r"; next }
      else if (line ~ /^(make|build\/[a-z_\/]+|tb\/[a-z_\/.]+|tests\/[a-z_\/.]+|rtl\/[a-z_\/.]+|[a-z]+="[^"]*"|sed|git|cd|cp|nocturne|gtkwave|verilator|fusesoc|python3|sudo|apt-get|\$EDITOR)( |$)/ && line !~ /^nocturne: /) { flush(); prompt = 0; command = line }
      else { flush(); next }
      more = sub(/ *\\$/, "", command)
      if (!more) sub(/ +# .*$/, "", command)
    }
    END { flush() }' "$@"
}

# Returns 0 if the shown lines are in the output, in their order; with `numbers` any number is another's equal.
shows() { # numbers shown output
  awk -v how="$1" -v shown="$2" '
    function plain(text) { sub(/ +$/, "", text); if (how == "numbers") gsub(/[0-9]+(\.[0-9]+)?/, "N", text); return text }
    BEGIN { n = split(shown, line, "\r") - 1; at = 1; any = 1 }
    {
      while (at <= n && line[at] == "...") { any = 1; at++ }
      if (at > n) next
      if (plain($0) == plain(line[at])) { at++; any = 0 }
      else if (!any) { print "expected: " line[at] "\ninstead:  " $0; bad = 1; exit }
    }
    END { while (at <= n && line[at] == "...") at++; if (!bad && at <= n) { print "not shown: " line[at]; bad = 1 } exit bad }' "$3"
}

# shellcheck disable=SC2086
commands $typed_pages >"$t/commands"
# Each command with the first line of the cases that fits: HOW STATUS PAGE: BEGINNING.
awk -F '\t' -v cases="$cases" '
  BEGIN {
    while ((getline line <cases) > 0) {
      if (line ~ /^#/ || line == "") continue
      split(line, part, " ")
      how[++n] = part[1]; status[n] = part[2]
      where[n] = substr(line, length(part[1] part[2]) + 3)
    }
  }
  {
    for (i = 1; i <= n; i++) if (index($1 ": " $2, where[i]) == 1 && !(how[i] ~ /once/ && i in used)) break
    if (i > n) { print "not in typed.cases: " $1 ": " $2 >"/dev/stderr"; next }
    used[i]
    print how[i] "\t" status[i] "\t" $0
  }
  END { for (i = 1; i <= n; i++) if (!(i in used) && ENVIRON["PAGES"] == "") print "fits no command: " where[i] >"/dev/stderr" }' \
  "$t/commands" >"$t/plan" 2>"$t/left"
[ -s "$t/left" ] && bad "each command has its case" "" "$t/left" || good "each command has its case: $(wc -l <"$t/plan")"

mkdir -p "$tree"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print; } |
  while read -r file; do [ -f "$file" ] && printf '%s\0' "$file"; done | xargs -0 cp -p --parents -t "$tree"
cd "$tree" || exit 1
git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm copy >/dev/null
if [ -z "${LONG:-}" ]; then
  mkdir -p build
  cp -rp "$root/build/unit" build/
  share_units build/units
  ln -sfn "$(realpath "$root/$n")" "$root/build/unit_generator" build/
fi
export NOCTURNE_NO_WAVES=1 EDITOR=true

typed=0 at=""
while IFS=$'\t' read -r how status page command shown; do
  case $how in
    never*) continue ;;
    long* ) [ -n "${LONG:-}" ] || continue ;;
  esac
  typed=$((typed + 1))
  # Each page begins a folder of its own.
  [ "$page" = "$at" ] || rm -rf DIR
  at=$page
  # A command may set a variable for those after it.
  eval "$command" >"$root/$t/log" 2>&1 </dev/null
  code=$?
  if [ $code -ne "$status" ]; then
    bad "$page: $command" "status $code, expected $status" "$root/$t/log"
  elif [ -n "$shown" ] && ! shows "${how#*-}" "$shown" "$root/$t/log" >"$root/$t/differ"; then
    bad "$page: $command" "the page shows something else" "$root/$t/differ"
  else
    good "$page: $command"
  fi
  cd "$tree" || exit 1
done <"$root/$t/plan"
cd "$root" || exit 1
[ $typed -gt 10 ] || [ -n "${PAGES:-}" ] && good "$typed typed" || bad "$typed typed"

# Another output, another number, a missing line are found.
printf 'cycles 12\nother 3\n' >"$t/output"
if shows numbers $'cycles 13\rother 4\r' "$t/output" >/dev/null && ! shows quick $'cycles 13\rother 3\r' "$t/output" >/dev/null &&
  shows quick $'...\rother 3\r' "$t/output" >/dev/null && ! shows quick $'cycles 12\rother 3\rmore\r' "$t/output" >/dev/null; then
  good "other output is found"
else
  bad "other output is found"
fi
