#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a user reads: no line of prose over 120 columns, links, pictures and files that are there, and only
# targets of make, commands, options, keys, schemes, designs and variables that exist; numbers that are anchored to a
# table's cell; the papers' figures and tables. The same on copies with a fault each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/lib.sh

pages=$(git ls-files --cached --others --exclude-standard '*.md' 2>/dev/null || find . -name '*.md')

# Tables, blocks of code and lines that cannot be broken may be longer.
wide() {
  local page
  for page in $pages; do
    awk -v page="$page" '
      /^ *```/ { code = !code; next }
      code || /^\|/ || /^    / || /^ *!?\[[^]]*\]\([^)]*\)$/ || $0 !~ / / { next }
      { gsub(/<!--[^>]*-->/, "") }
      length($0) > 120 { print page ":" NR ": " length($0) " columns" }' "$page"
  done
}
targets() {
  local page folder target
  for page in $pages; do
    folder=$(dirname "$page")
    awk '/^ *```/ { code = !code } !code && !/^    /' "$page" | grep -oE '\]\([^)#]+' | cut -c 3- |
      grep -vE '^[a-z]+:' | while read -r target; do
      [ -e "$folder/${target%% *}" ] || echo "$page: $target is missing"
    done
  done
}
# Words like `tb/waves.sh`: files of the tree, with capitals for any name. Pages that sources name; the site's redirects.
files() {
  local page word
  [ "$pages" = "$t/page.md" ] || git grep -hoE '\bdocs/[a-z_/-]+\.md\b' -- Makefile csim dpi rtl tb tests vectors ':!tb/site/moved.txt' 2>/dev/null |
    sort -u | while read -r page; do
    [ -e "$page" ] || [[ $page =~ ^docs/(other|nowhere|first|lost|second|results/page)\.md$ ]] || echo "sources: $page is missing"
  done
  [ "$pages" = "$t/page.md" ] || sed '/^#/d' tb/site/moved.txt | while read -r page word; do
    if [ -e "$page" ] || [ ! -e "$word" ]; then echo "tb/site/moved.txt: $page $word"; fi
  done
  for page in $pages; do
    grep -oE '`(csim|dpi|rtl|tb|tests|vectors|waves|docs)/[A-Za-z0-9_./*-]+' "$page" | cut -c 2- | sort -u |
      while read -r word; do
        # shellcheck disable=SC2086
        compgen -G "$(sed -E 's/[A-Z]{3,}/*/g' <<<"${word/%./.*}")" >/dev/null || echo "$page: $word is missing"
      done
  done
}
makes() {
  local target
  # shellcheck disable=SC2086
  for target in $(grep -ohE '(^    (\$ )?|`)make [a-z][a-z-]*' $pages | sed 's/.*make //' | sort -u); do
    cat Makefile tb/install/install.mk | grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" || echo "make $target: no such target"
  done
}
# A number before <!-- TABLE.csv:ROW:COLUMN --> is the cell's, rounded as it stands there. TABLE is of
# docs/results/tables, ROW the labels of its first columns.
numbers() {
  # shellcheck disable=SC2086
  grep -oHE -- '-?[0-9][0-9,]*(\.[0-9]+)?[ x%]*<!-- [a-z0-9-]+\.csv:[^:]+:[^>]+ -->' $pages | awk '
    {
      page = substr($0, 1, index($0, ":") - 1)
      split(substr($0, length(page) + 2), half, /<!-- | -->/)
      number = half[1]
      gsub(/[ ,x%]/, "", number)
      split(half[2], part, ":")
      file = "docs/results/tables/" part[1]
      column = 0
      value = "no such cell"
      if ((getline line <file) > 0) {
        n = split(line, head, ",")
        for (i = 1; i <= n; i++) if (head[i] == part[3]) column = i
        while (column && (getline line <file) > 0)
          if (index(line, part[2] ",") == 1) { split(line, cell, ","); value = cell[column] }
      }
      close(file)
      digits = index(number, ".") ? length(number) - index(number, ".") : 0
      if (value !~ /^-?[0-9]/ || sprintf("%.*f", digits, value) != number)
        print page ": " number " is not " part[1] ", row " part[2] ", column " part[3] ": " value
    }'
}
# Commands and their options, keys of configuration and results, schemes, designs, variables of the environment.
names() {
  local word command
  { "$n" config --markdown | awk '/^\| `[a-z0-9_]+\.?[a-z0-9_]*` \|/ { gsub(/`/, ""); print $2 }'; "$n" config --csv | cut -d, -f2; } >"$t/keys"
  "$n" run --list-keys | awk '{ print $1 }' | sed 's/\[\]//g' >"$t/results"
  cut -d. -f1 "$t/keys" | sort -u >"$t/groups"
  # shellcheck disable=SC2086
  grep -ohE -- '--set [a-z][a-z0-9_.]*=' $pages | sed 's/--set //; s/=//' | sort -u | grep -vxFf "$t/keys" |
    sed 's/$/: no such configuration key/'
  # shellcheck disable=SC2086
  grep -ohE '`[a-z0-9_]+\.[a-z0-9_]+[`=]' $pages | tr -d '`=' | sort -u | grep -E "^($(paste -sd'|' "$t/groups"))\." |
    grep -vE '\.(c|h|sv|md|yaml|sh|cases|core|f|vlt|xml)$' | while read -r word; do
    grep -qxF -e "$word" "$t/keys" || grep -qE "(^|\.)${word//./\\.}(\.|$)" "$t/results" || echo "$word: no such key"
  done
  for word in scheme texture.design; do
    # shellcheck disable=SC2086
    grep -ohE "\b${word/./\\.}[= ]\`?[a-z_]+" $pages | grep = | sed 's/.*=`\?//' | sort -u |
      grep -vxFf <("$n" config --markdown | grep "^| .$word. " | grep -oE '[a-z_]+') | sed "s/\$/: no such $word/"
  done
  "$n" help | awk '/^  [a-z]/ { print $1 }' >"$t/commands"
  # shellcheck disable=SC2086
  grep -ohE '(^    (\$ )?|`)(build/)?nocturne [a-z|]+' $pages | sed 's/.*nocturne //' | tr '|' '\n' | sort -u |
    grep -vxFf "$t/commands" | sed 's/$/: no such command/'
  while read -r command; do
    # shellcheck disable=SC2086
    grep -ohE "(^    (\\$ )?|\`)(build/)?nocturne $command [^\`]*" $pages | sed "s/'[^']*'//g" | grep -oE -- '(^| |\[)--[a-z-]+' | tr -d ' [' | sort -u |
      grep -vxFf <("$n" help "$command" | grep -oE -- '--[a-z-]+') -e --help -e --version | sed "s/^/nocturne $command: no such option /"
  done <"$t/commands"
  # shellcheck disable=SC2086
  for word in $(grep -ohE '\bNOCTURNE_[A-Z_]+[A-Z]' $pages | sort -u); do
    grep -rqE --exclude=docs.test.sh "\b$word" Makefile .ci csim dpi tb tests/scripts tests/programs || echo "$word: nothing reads it"
  done
}
# Openings that leave the subject out: of a page's lines, of comments in headers, of messages.
openings() {
  # shellcheck disable=SC2086
  grep -nE '^(- )?(What of|Of the|Whether|Said|Told)\b' $pages /dev/null
  [ "$pages" = "$t/page.md" ] || {
    git ls-files '*.h' '*.svh' 2>/dev/null | xargs grep -nE '(^|[;{}] ) *// (What of|Of the|Whether|Said|Told)\b'
    git ls-files '*.c' '*.h' 2>/dev/null | xargs grep -nE '"(What of|Of the|Whether|Said|Told)\b'
  } | grep -v '^tests/'
}
contracts() { tb/docs_ports.sh "$build" check; }
# Every figure and table of the two papers stands on the page of their sections, and every sweep that it names is there.
papers() {
  awk '/^## / { paper = $2 }
    /^\| [IVX]/ {
      split($0, cell, "|")
      text = cell[2]
      while (match(text, /(Figs?\.|Tables?) [0-9IVX]+((,| to| and)* [0-9IVX]+)*/)) {
        item = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        kind = item ~ /^Fig/ ? "Fig." : "Table"
        gsub(/Figs?\. |Tables? |,|and/, "", item)
        n = split(item, part, " +")
        for (i = 1; i <= n; i++)
          if (part[i] == "to") for (j = part[i - 1]; j <= part[i + 1]; j++) print paper, kind, j
          else print paper, kind, part[i]
      }
    }' docs/reference/papers.md | sort -u >"$t/papers.has"
  {
    for i in $(seq 22); do echo "CHOPIN Fig. $i"; done
    for i in $(seq 16); do echo "A-TFIM Fig. $i"; done
    printf 'CHOPIN Table %s\n' I II III
    printf 'A-TFIM Table %s\n' I II
  } | sort -u | comm -23 - "$t/papers.has" | sed 's|^|docs/reference/papers.md lacks |'
  grep -oE '`[a-z0-9-]+\.yaml`' docs/reference/papers.md | tr -d '`' | sort -u | while read -r sweep; do
    [ -f "vectors/sweeps/$sweep" ] || echo "vectors/sweeps/$sweep is missing"
  done
}
for rule in wide targets files makes names numbers openings contracts papers; do
  found=$($rule)
  case $rule in
    wide) name='prose within 120 columns' ;;
    targets) name='links and pictures' ;;
    files) name='files that are named' ;;
    makes) name='targets of make' ;;
    names) name='names of commands, options, keys, schemes, variables' ;;
    numbers) name='numbers that are anchored to a table' ;;
    openings) name='openings of lines, comments, messages' ;;
    papers) name='the papers, section by section' ;;
    contracts) name='parameters and ports in the contracts are those of the pages' ;;
  esac
  if [ -z "$found" ]; then
    good "$name"
  else
    bad "$name" "$(echo "$found" | wc -l) in all"
    echo "$found" | head -n 20
  fi
done

# Each rule finds its fault, and only that, on a page of its own.
pages=$t/page.md
faults() { # rule fault line
  printf '# Page\n\n%s\n' "$3" >"$t/page.md"
  found=$($1)
  if [ "$(grep -c . <<<"$found")" -eq 1 ] && grep -qF -- "$2" <<<"$found"; then good "found: $2"; else bad "found: $2" "$found"; fi
}
faults numbers '1.357 is not atfim-fig11.csv' 'It is 1.357<!-- atfim-fig11.csv:mean,a_tfim:rendering --> and 1.200<!-- atfim-fig11.csv:mean,b_pim:rendering -->.'
faults numbers 'no such cell' 'It is 1.356<!-- atfim-fig11.csv:mean,a_tfim:no column -->.'
faults names 'gpu.lane: no such key' 'Set `gpu.lane`, not `gpu.lanes`.'
faults names 'gpux: no such configuration key' '    build/nocturne run C.yaml --set gpux=3 --set gpus=3'
faults names 'duplicate: no such scheme' 'With `scheme=duplicate` or `scheme=duplication`.'
faults names 'c_pim: no such texture.design' 'With `texture.design=c_pim` or `texture.design=b_pim`.'
faults names 'waves: no such command' '    build/nocturne waves'
faults names 'repeat: no such command' '    $ build/nocturne repeat'
faults names 'nocturne run: no such option --image-of' '    build/nocturne run C.yaml --image-of F --image F'
faults names 'NOCTURNE_NOTHING: nothing reads it' 'Set NOCTURNE_NOTHING or NOCTURNE_BUILD.'
faults targets 'nowhere.md is missing' 'See [a page](nowhere.md).'
faults openings 'Said before' 'Said before all units.'
faults targets 'nowhere.png is missing' '![a picture](nowhere.png)'
faults files 'docs/nowhere.md is missing' 'See `docs/nowhere.md`.'
faults makes 'make nothing: no such target' '    make nothing'
