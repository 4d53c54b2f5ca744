#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages of README.md and docs/ as a site with search, that asks nothing of another host.
#   tb/site/site.sh [FOLDER]
# FOLDER (build/site):
#   pages/         what the site is made from: the pages, where they stand in the tree, so that their links hold. A file
#                  of the tree that a page links to is a page of its own; the order is that of docs/README.md
#   html/          the site. Any server of files serves it
#   log, links     what mkdocs and linkchecker say
# Exit status: 1 a link or picture leads nowhere, or a page stands in no list; 3 a tool is missing.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
site=${1:-build/site}
for tool in mkdocs linkchecker; do
  command -v $tool >/dev/null || { echo "site: $tool is missing; install it with: tb/setup.sh site" >&2; exit 3; }
done
pages=$site/pages
rm -rf "$site"
mkdir -p "$pages/tests" || exit 1

cp -r docs README.md CONTRIBUTING.md CHANGELOG.md "$pages/" && cp tests/README.md "$pages/tests/" || exit 1
cp tb/site/site.css "$pages/"
find "$pages" -name '*.json' -delete

# Links to what is no page, picture or table: FILE becomes the page FILE.md.
language() {
  case $1 in
    *.sv | *.svh) echo systemverilog ;;
    *.[ch]) echo c ;;
    *.yaml | *.cff) echo yaml ;;
    *.sh) echo bash ;;
    *) echo text ;;
  esac
}
find "$pages" -name '*.md' | while read -r page; do
  here=$(dirname "${page#"$pages"/}")
  grep -oE '\]\([^):#]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '\.(md|svg|png|csv)$' | sort -u |
    while read -r link; do
      file=$(realpath -m --relative-to=. "$here/$link")
      [ -f "$file" ] || continue  # mkdocs says so
      mkdir -p "$pages/$(dirname "$file")"
      { printf '# %s\n\n```%s\n' "$file" "$(language "$file")"; cat "$file"; printf '```\n'; } >"$pages/$file.md"
      sed -i "s|](${link//./\\.})|]($link.md)|g" "$page"
    done
  awk -f tb/site/dialect.awk "$page" >"$site/page" && mv "$site/page" "$page" || exit 1
done || exit 1

# docs/README.md's rows are the parts of the navigation, in its order. A page stands where it is named first.
navigation() {
  awk '
    function part(text) { gsub(/"/, "", text); printf "  - \"%s\":\n", toupper(substr(text, 1, 1)) substr(text, 2) }
    function links(text, indent,    page, any) {
      while (match(text, /\]\([^)#:]+\.md/)) {
        page = "docs/" substr(text, RSTART + 2, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        while (sub(/[^\/]+\/\.\.\//, "", page)) {}
        if (!seen[page]++) printf "%s- %s\n", indent, page
      }
    }
    BEGIN { print "nav:\n  - Overview: README.md\n  - All pages: docs/README.md"; seen["README.md"]++; seen["docs/README.md"]++ }
    /^\|/ { split($0, cell, "|"); if (cell[3] ~ /\]\(/) { gsub(/^ +| +$/, "", cell[2]); part(cell[2]); links(cell[3], "    ") } }
    /^## / { part(substr($0, 4)) }
    # A bullet with a name before its links is a part of the part.
    /^- / { inner = "    "; if (match($0, /^- [^\[(:]+[(:]/)) { printf "    - \"%s\":\n", substr($0, 3, RLENGTH - 3 - (substr($0, RLENGTH - 1, 1) == " ")); inner = "      " } }
    /^(- |  )/ { links($0, inner) }' "$pages/docs/README.md"
}
{
  printf 'INHERIT: %s\ndocs_dir: pages\nsite_dir: html\n' "$(realpath --relative-to="$site" tb/site/mkdocs.yaml)"
  navigation
} >"$site/mkdocs.yaml"

mkdocs build --strict --config-file "$site/mkdocs.yaml" >"$site/log" 2>&1 ||
  { grep -E '(WARNING|ERROR|Error)' "$site/log" >&2; exit 1; }
# Old addresses lead on.
sed 's/\.md/.html/g; /^#/d' tb/site/moved.txt | while read -r old new; do
  [ ! -f "$site/html/$new" ] || printf '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>%s</title><meta http-equiv="refresh" content="0; url=%s"><a href="%s">%s</a>\n' \
    "$new" "${new#docs/}" "${new#docs/}" "$new" >"$site/html/$old"
done
# Every page is in the navigation, files of the tree that are pages excepted.
left=$(find "$pages" -name '*.md' -printf '%P\n' | sort | comm -23 - <(grep -oE '[^ ]+\.md$' "$site/mkdocs.yaml" | sort) |
  while read -r page; do [ -f "${page%.md}" ] || echo "$page"; done)
[ -z "$left" ] || { echo "site: docs/README.md does not name: $left" >&2; exit 1; }

linkchecker --config=tb/site/links.ini "$site/html/index.html" >"$site/links" 2>&1 || {
  grep -A 9 '^URL  ' "$site/links" >&2
  echo "site: links that lead nowhere: $site/links" >&2
  exit 1
}
tail -n 2 "$site/links" | head -n 1 | sed "s|^That's it\.|site: $site/html;|"
