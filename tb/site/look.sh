#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reads every page of a site in headless Chromium, as a desktop (1280 wide) and as a phone (390 wide), and types into
# its search. Names of other hosts lead nowhere; what asks for one is named.
#   tb/site/look.sh HTML OUT [QUERY]
# HTML: the folder of the site. OUT gets desktop.png and phone.png (the first page), desktop-search.png and
# phone-search.png, and the lists desktop.pages and phone.pages. QUERY (composition scheduler): what is typed.
# Prints a line for each fault: a request elsewhere, an error in the console, a picture that is not shown, a page wider
# than its window, a query that finds nothing. Exit status: 1 faults; 3 a tool is missing or Chromium does not start.
set -u -o pipefail
html=$1 out=$2 query=${3:-composition scheduler}
for tool in chromium chromedriver curl jq python3; do
  command -v $tool >/dev/null || { echo "site: $tool is missing; install it with: tb/setup.sh site" >&2; exit 3; }
done
mkdir -p "$out" || exit 1
rm -f "$out"/*.{png,pages,faults,log}
jobs=()
session=''
finish() {
  [ -z "$session" ] || call DELETE "/$session" >/dev/null
  kill "${jobs[@]}" 2>/dev/null
}
trap finish EXIT

# Starts a server that says its port: LOG PATTERN COMMAND...
serve() {
  local log=$1 pattern=$2
  shift 2
  "$@" >"$log" 2>&1 &
  jobs+=($!)
  for ((i = 0; i < 600; i++)); do
    port=$(grep -oE "$pattern [0-9]+" "$log" | grep -oE '[0-9]+$') && return
    sleep 0.1
  done
  echo "site: $1 does not start" >&2
  exit 3
}
serve "$out/server.log" '127\.0\.0\.1 port' python3 -u -m http.server --bind 127.0.0.1 --directory "$html" 0
here=http://127.0.0.1:$port
serve "$out/driver.log" 'successfully on port' chromedriver --port=0
driver=http://127.0.0.1:$port

# WebDriver: METHOD PATH [BODY], prints the value.
call() {
  curl -s -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} "$driver/session$2" | jq -c .value
}
begin() { # OPTIONS of Chromium, as JSON
  session=$(call POST '' "$(jq -n --argjson more "$1" '{capabilities: {alwaysMatch: {
    "goog:loggingPrefs": {performance: "ALL", browser: "ALL"},
    "goog:chromeOptions": ({args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
      "--window-size=1280,940", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]} + $more)}}}')" |
    jq -r .sessionId)
  [ -n "$session" ] && [ "$session" != null ] || { session=''; echo "site: Chromium does not start" >&2; exit 3; }
}
end() { call DELETE "/$session" >/dev/null; session=''; }
visit() { call POST "/$session/url" "{\"url\": \"$here/$1\"}" >/dev/null; }
run() { call POST "/$session/execute/sync" "$(jq -n --arg s "$1" '{script: $s, args: []}')"; }
picture() { call GET "/$session/screenshot" | jq -r . | base64 -d >"$1"; }
# What the console and the network saw since the last call.
heard() {
  call POST "/$session/se/log" '{"type": "browser"}' |
    jq -r '.[] | select(.level == "SEVERE") | "console: " + .message'
  call POST "/$session/se/log" '{"type": "performance"}' |
    jq -r '.[].message | fromjson.message | select(.method == "Network.requestWillBeSent") | .params.request.url' |
    grep -vE "^(data:|blob:$here/|about:|$here/)" | sed 's/^/request elsewhere: /'
}
seen() { # WIDTH of the window: on a phone, innerWidth grows with what is too wide
  run "const window_width = $1;"' const faults = [];
    const width = document.documentElement.scrollWidth;
    if (width > window_width) faults.push(`${width} wide in a window of ${window_width}`);
    for (const i of document.images)
      if (!i.complete || !i.naturalWidth) faults.push("not shown: " + i.getAttribute("src"));
    return faults;' | jq -r '.[]'
}
search() { # NAME
  local element word found
  visit index.html
  run 'document.querySelector(`label[for="__search"]`).click(); document.querySelector(".md-search__input").focus()' >/dev/null
  element=$(call POST "/$session/element" '{"using": "css selector", "value": ".md-search__input"}' | jq -r '.[]')
  for ((i = 0; i < 100; i++)); do # the index comes after the page
    sleep 0.1
    if [ $((i % 20)) -eq 0 ]; then
      call POST "/$session/element/$element/clear" '{}' >/dev/null
      call POST "/$session/element/$element/value" "$(jq -n --arg t "$query" '{text: $t}')" >/dev/null
    fi
    found=$(run 'return [...document.querySelectorAll("a.md-search-result__link")].map(a => a.pathname)')
    [ "$found" = "[]" ] || break
  done
  sleep 0.5
  picture "$out/$1-search.png"
  jq -r '.[]' <<<"$found" >"$out/$1.found"
  [ -s "$out/$1.found" ] || echo "search: nothing is found for '$query'"
  heard
}
pages() { # NAME WIDTH: all of them
  local page
  (cd "$html" && find . -name '*.html' ! -name 404.html -printf '%P\n' | sort) >"$out/$1.pages"
  while read -r page; do
    visit "$page"
    [ "$page" != index.html ] || picture "$out/$1.png"
    { seen "$2"; heard; } | sed "s|^|$1: $page: |"
  done <"$out/$1.pages"
}

for name in desktop phone; do
  case $name in
    desktop) width=1280; begin '{}' ;;
    phone) width=390; begin '{"mobileEmulation": {"deviceMetrics": {"width": 390, "height": 844, "pixelRatio": 2, "mobile": true}}}' ;;
  esac
  pages $name $width
  search $name | sed "s|^|$name: |"
  end
done >"$out/faults"
cat "$out/faults"
[ ! -s "$out/faults" ]
