#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The site of README.md and docs/ (tb/site): its links, and in headless Chromium, as desktop and phone, every page and
# the search. Small sites with a fault each are refused. Without LONG only that links are checked; without the tools nothing is tested, and says so.
set -u
. tests/scripts/lib.sh

missing=
for tool in mkdocs linkchecker chromium chromedriver curl jq; do command -v $tool >/dev/null || missing+=" $tool"; done
if [ -n "$missing" ]; then
  good "site: SKIPPED, this machine lacks$missing (tb/setup.sh site)"
  exit 0
fi

# A site of one page more than the first: TEXT, which goes wrong.
small() { # NAME TEXT
  local tree=$t/$1
  mkdir -p "$tree/docs" "$tree/tests" "$tree/tb"
  cp -r tb/site "$tree/tb/"
  printf '# One\n\n[pages](docs/README.md)\n' >"$tree/README.md"
  printf '# All\n\n| you want to | read |\n|---|---|\n| read | [first](first.md), [tests](../tests/README.md) |\n| propose | [how](../CONTRIBUTING.md), [what](../CHANGELOG.md) |\n' >"$tree/docs/README.md"
  for page in tests/README CONTRIBUTING CHANGELOG; do printf '# %s\n' $page >"$tree/$page.md"; done
  cp docs/images/area-gpus.svg "$tree/docs/"
  printf '# First\n\n## A part\n\nwords\n\n%s\n' "$2" >"$tree/docs/first.md"
  (cd "$tree" && tb/site/site.sh build/site) >"$t/$1.log" 2>&1
}
refused() { # NAME TEXT PATTERN: by site.sh
  small "$1" "$2"
  local status=$?
  [ $status -eq 1 ] && grep -qE "$3" "$t/$1.log" && good "refused: $1" || bad "refused: $1" "status $status" "$t/$1.log"
}
found() { # NAME TEXT PATTERN [QUERY]: by look.sh
  small "$1" "$2" || { bad "found: $1" "no site" "$t/$1.log"; return; }
  [ -z "${5:-}" ] || sed -i "$5" "$t/$1/build/site/html/docs/first.html"
  tb/site/look.sh "$t/$1/build/site/html" "$t/$1/look" "${4:-first part}" >"$t/$1.log" 2>&1
  local status=$?
  [ $status -eq 1 ] && [ "$(grep -cE "$3" "$t/$1.log")" -ge 1 ] && ! grep -vE "$3" "$t/$1.log" >/dev/null &&
    good "found: $1" || bad "found: $1" "status $status" "$t/$1.log"
}
small right '[part](#a-part), ![picture](area-gpus.svg), [code](../tb/site/look.sh)' && good "small and right" ||
  bad "small and right" "" "$t/right.log"
[ -s "$t/right/build/site/html/tb/site/look.sh.html" ] && good "a file of the tree is a page" || bad "a file of the tree is a page"
for scheme in default slate; do
  check "palette $scheme" grep -q "data-md-color-media=\"(prefers-color-scheme: [a-z]*)\" data-md-color-scheme=\"$scheme\"" \
    "$t/right/build/site/html/index.html"
done
refused anchor '[part](#another-part)' 'another-part'
[ -n "${LONG:-}" ] || exit 0

check "small and right, in Chromium" tb/site/look.sh "$t/right/build/site/html" "$t/right/look" "first part"
refused page '[page](second.md)' 'second\.md'
refused picture '![picture](missing.svg)' 'missing\.svg'
refused file '[code](../tb/missing.sh)' 'missing\.sh'
echo '# Lost' >"$t/right/docs/lost.md"
(cd "$t/right" && tb/site/site.sh build/site) >"$t/lost.log" 2>&1
check "refused: a page that stands in no list" has "$t/lost.log" 'does not name: docs/lost\.md'
found elsewhere '<img src="http://elsewhere.invalid/x.png">' \
  'docs/first.html: (request elsewhere: http://elsewhere.invalid/x.png|console: http://elsewhere.invalid/x.png|not shown: http://elsewhere)'
found wide '<div style="width: 900px; height: 1px"></div>' 'phone: docs/first.html: [0-9]+ wide in a window of 390'
found damaged '![picture](area-gpus.svg)' 'docs/first.html: (not shown: area-gpus\.svg\.gone|console: .*area-gpus\.svg\.gone)' \
  '' 's|src="area-gpus\.svg"|src="area-gpus.svg.gone"|'
found silent 'words' 'search: nothing is found' zyzzogeton

check "every link and anchor" tb/site/site.sh "$t/site"
check "every page and picture in Chromium, nothing from elsewhere" tb/site/look.sh "$t/site/html" "$t/look" "draw scheduler"
pages=$(find docs -name '*.md' | wc -l)
for width in desktop phone; do
  [ "$(grep -c '^docs/' "$t/look/$width.pages")" -ge "$pages" ] && good "$width: all $pages pages of docs" ||
    bad "$width: all $pages pages of docs" "" "$t/look/$width.pages"
  check "$width: search" has "$t/look/$width.found" '^/docs/units/draw_scheduler\.html$'
  size=$(od -An -j 16 -N 8 -t u1 "$t/look/$width.png" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')
  case $width in desktop) expected='1280 ' ;; phone) expected='780 1688' ;; esac
  [[ $size == "$expected"* ]] && good "$width: window" || bad "$width: window" "$size"
done
# Lists, tables, pictures and code are those that GitHub shows.
if command -v cmark-gfm >/dev/null; then
  elements() { grep -oE '<(li|ol|ul|table|tr|td|pre|img|h[1-6]|em|strong)[ >]' | tr -d '> ' | sort | uniq -c; }
  differ=
  for page in $(git ls-files 'docs/*.md' CONTRIBUTING.md 2>/dev/null | grep -v 'README\.md$'); do
    diff <(cmark-gfm -e table "$page" | elements) \
      <(sed -n '/<article/,/<\/article>/p' "$t/site/html/${page%.md}.html" | sed 's/<div class="highlight"><pre>/<pre>/' |
        elements) >"$t/differ" || differ+=" $page: $(grep -c '^[<>]' "$t/differ")"
  done
  [ -z "$differ" ] && good "read as GitHub does" || bad "read as GitHub does" "$differ"
else
  echo "left out: cmark-gfm is missing: whether pages are read as on GitHub"
fi
