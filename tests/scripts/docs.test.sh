#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a user reads: no line of prose over 120 columns, links, pictures and files that are there, and only
# targets of make that exist; the papers' figures and tables.
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
# Words like `tb/waves.sh`: files of the tree, with capitals for any name.
files() {
  local page word
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
  for target in $(grep -ohE '(^    |`)make [a-z][a-z-]*' $pages | sed 's/.*make //' | sort -u); do
    cat Makefile tb/install/install.mk | grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" || echo "make $target: no such target"
  done
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
    }' docs/papers.md | sort -u >"$t/papers.has"
  {
    for i in $(seq 22); do echo "CHOPIN Fig. $i"; done
    for i in $(seq 16); do echo "A-TFIM Fig. $i"; done
    printf 'CHOPIN Table %s\n' I II III
    printf 'A-TFIM Table %s\n' I II
  } | sort -u | comm -23 - "$t/papers.has" | sed 's|^|docs/papers.md lacks |'
  grep -oE '`[a-z0-9-]+\.yaml`' docs/papers.md | tr -d '`' | sort -u | while read -r sweep; do
    [ -f "vectors/sweeps/$sweep" ] || echo "vectors/sweeps/$sweep is missing"
  done
}
for rule in wide targets files makes contracts papers; do
  found=$($rule)
  case $rule in
    wide) name='prose within 120 columns' ;;
    targets) name='links and pictures' ;;
    files) name='files that are named' ;;
    makes) name='targets of make' ;;
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
