#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every source file says its licence in its first line, or in its second behind #!; no line of C or
# SystemVerilog has more than 100 columns, no file of them more than 600 lines, no function of C more than 60.
#   tests/scripts/sources.test.sh [BUILD [missing]]     missing: prints the files that do not, and their line
set -u
. tests/scripts/lib.sh
tag=SPDX-License
line="$tag-Identifier: Apache-2.0"

# Captured frames have their own licence; save files and what is under docs are written by programs.
sources() {
  find csim dpi rtl tb tests vectors docs/examples .ci Makefile -type f \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sv' -o -name '*.svh' -o -name '*.v' -o -name '*.vlt' \
    -o -name '*.sh' -o -name '*.yaml' -o -name '*.mk' -o -name '*.sed' -o -name '*.awk' -o -name '*.cases' \
    -o -name Makefile -o -path .ci/run \) | sort
}

# Of the files that are read: those without the line, each with its mark of a comment.
missing() {
  awk -v line="$line" '{
    first = second = ""
    getline first <$0; getline second <$0; close($0)
    mark = $0 ~ /\.([ch]|cpp|svh?|v|vlt)$/ ? "//" : "#"
    if ((first ~ /^#!/ ? second : first) != mark " " line) print $0, mark
  }'
}

if [ "${2:-}" = missing ]; then
  sources | missing
  exit
fi
count=$(sources | wc -l)
[ "$count" -gt 400 ] && good "$count source files" || bad "$count source files"
sources | missing >"$t/missing"
if [ -s "$t/missing" ]; then bad "licences" "$(wc -l <"$t/missing") files without it" "$t/missing"; else good licences; fi

# What is not a licence is found.
# REUSE-IgnoreStart
printf '// SPDX-License-Identifier: Apache-2.0\n' >"$t/good.c"
printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n' >"$t/good.sh"
printf '\n// SPDX-License-Identifier: Apache-2.0\n' >"$t/late.c"
printf '// SPDX-License-Identifier: MIT\n' >"$t/other.c"
printf '# SPDX-License-Identifier: Apache-2.0\n' >"$t/mark.c"
printf '#!/bin/sh\necho\n' >"$t/none.sh"
: >"$t/empty.yaml"
found=$(printf '%s\n' "$t"/{empty.yaml,good.c,good.sh,late.c,mark.c,none.sh,other.c} | missing | cut -d ' ' -f 1)
expected=$(printf '%s\n' "$t"/{empty.yaml,late.c,mark.c,none.sh,other.c})
# REUSE-IgnoreEnd
[ "$found" = "$expected" ] && good "missing ones are found" || bad "missing ones are found" "$found"

# Every file, data and pictures too, has a licence and a holder (.reuse/dep5), and the texts are in LICENSES.
reuse_says() { # FOLDER
  reuse --root "$1" lint >"$t/reuse.log" 2>&1 && ! grep -q ERROR "$t/reuse.log"
}
if command -v reuse >/dev/null && [ -e .git ]; then
  check "REUSE" reuse_says .
  mkdir -p "$t/reuse" && sed "s/Apache-2.0/MIT/" "$t/good.c" >"$t/reuse/a.c"
  cp -r .reuse LICENSES "$t/reuse/"
  if reuse_says "$t/reuse"; then bad "a licence without its text"; else good "a licence without its text is found"; fi
else
  good "REUSE: SKIPPED, reuse is missing (tb/setup.sh deb)"
fi

# Of the files that are read: lines of more than 100 columns.
wide() { xargs awk 'length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns" }'; }
code() { sources | grep -E '\.([ch]|cpp|svh?)$'; }
found=$(code | wide)
if [ -z "$found" ]; then good "code within 100 columns"; else bad "code within 100 columns" "$found"; fi
printf '%101s\n' '// x' >"$t/wide.c"
printf '%100s\n' '// x' >"$t/narrow.c"
[ "$(printf '%s\n' "$t"/{narrow,wide}.c | wide)" = "$t/wide.c:1: 101 columns" ] && good "wide lines are found" ||
  bad "wide lines are found"

# Of the files that are read: those that `make format` would change.
unformatted() { xargs clang-format-14 --dry-run -Werror 2>&1 | sed -n 's/^\([^:]*\):.*clang-format-violations.*/\1/p' | sort -u; }
found=$(code | grep -vE '\.svh?$' | unformatted)
if [ -z "$found" ]; then good "code is formatted"; else bad "code is formatted" "$found
remedy: make format"; fi
printf 'int  f(void) { return 1; }\n' >"$t/unformatted.c"
printf 'int f(void) { return 1; }\n' >"$t/formatted.c"
found=$(printf '%s\n' "$t"/{formatted,unformatted}.c | unformatted)
[ "$found" = "$t/unformatted.c" ] && good "unformatted code is found" || bad "unformatted code is found" "$found"

# Comments name the thing (CONTRIBUTING.md): none opens with a clause in place of a noun.
clauses() { xargs grep -nE '//[[:space:]]*(Of|What|Said|Told|Whether it is)[[:space:]]' /dev/null; }
found=$(sources | grep -E '\.[ch]$' | clauses)
if [ -z "$found" ]; then good "comments name the thing"; else bad "comments name the thing" "$found
remedy: begin with a noun or a verb: \"Per-GPU state\", \"Returns\", \"Counts\""; fi
printf '// What of a GPU is the assembly\047s.\nint f(void);  // Of the parts.\n// Told by g.\n// A noun of the parts. What it is.\n' >"$t/clause.h"
[ "$(echo "$t/clause.h" | clauses | cut -d : -f 2 | tr '\n' ' ')" = "1 2 3 " ] && good "clauses are found" ||
  bad "clauses are found" "$(echo "$t/clause.h" | clauses)"

# Errors are err_t and texts grow: no array of fixed size for a message, no cut, nothing that reads one.
# (yaml_file serves callers that have no err_t yet.)
clipped() { xargs grep -nE '[A-Z][A-Za-z]*ErrorSize|%\.[0-9]+s|str(str|ncmp)\((error|err_text)' /dev/null; }
grown() { sources | grep -E '^(csim|tb/(result|library|stimulus|units|prove|mutate))/.*\.[ch]$' | grep -v '/yaml_file\.'; }
found=$(grown | clipped)
if [ -z "$found" ]; then good "messages of any length"; else bad "messages of any length" "$found"; fi
printf 'char e[PageErrorSize];\nf("%%s");\nf("%%.40s");\nif (strstr(error, "memory"))\n' >"$t/cut.c"
[ "$(printf '%s\n' "$t/cut.c" | clipped | cut -d : -f 2 | tr '\n' ' ')" = "1 3 4 " ] && good "cut messages are found" ||
  bad "cut messages are found"

# No file is longer than a reader keeps in mind.
long() { xargs awk 'FNR == 601 { print FILENAME }' | sort; }
found=$(code | long)
if [ -z "$found" ]; then good "files within 600 lines"; else bad "files within 600 lines" "$found"; fi
seq 601 >"$t/long.c"
seq 601 >"$t/long.sv"
seq 600 >"$t/short.c"
[ "$(printf '%s\n' "$t"/{long.c,long.sv,short.c} | long)" = "$t/long.c
$t/long.sv" ] && good "long files are found" || bad "long files are found"

# Functions that may have more than 60 lines, and why: the proof's says the relation of a whole state.
# One that has become short enough leaves the list.
long_functions='tests/units/pixel_distributor/proof.c:prove_relate'
# Of the files that are read: FILE:FUNCTION; of a test, the name in brackets behind TEST.
long_function() {
  ctags -L - --output-format=json --fields=+ne --kinds-C=f --languages=C --langmap=C:.c.h -f - |
    jq -r 'select(.end - .line >= 60) | .path + ":" +
      (if .name | test("TEST") then .pattern | capture("\\((?<test>\\w+)").test else .name end)' | sort
}
found=$(sources | grep -E '\.[ch]$' | long_function)
expected=$(printf '%s\n' $long_functions | sort)
if [ "$found" = "$expected" ]; then good "functions within 60 lines"; else
  bad "functions within 60 lines" "$(diff <(echo "$expected") <(echo "$found") | grep '^[<>]')"
fi
{ echo 'static int more(void) {'; for ((i = 0; i < 59; i++)); do echo '  f();'; done; echo '}'; } >"$t/function.c"
{ echo 'static int most(void) {'; for ((i = 0; i < 58; i++)); do echo '  f();'; done; echo '}'; } >>"$t/function.c"
{ echo 'TEST(tested) {'; for ((i = 0; i < 59; i++)); do echo '  f();'; done; echo '}'; } >>"$t/function.c"
[ "$(echo "$t/function.c" | long_function | cut -d : -f 2 | tr '\n' ' ')" = 'more tested ' ] && good "long functions are found" ||
  bad "long functions are found"

# Verilator counts `A |=> B` in a cover property also where A is false: points write B && $past(A).
vacuous() { xargs grep -nE '\|[=-]>' /dev/null; }
found=$(sources | grep '/cover\.svh$' | vacuous)
if [ -z "$found" ]; then good "cover points are met by something"; else bad "cover points are met by something" "$found"; fi
printf 'a |=> b\n' >"$t/cover_a.svh"
printf 'b && $past(a)\n' >"$t/cover_b.svh"
[ "$(printf '%s\n' "$t"/cover_[ab].svh | vacuous)" = "$t/cover_a.svh:1:a |=> b" ] && good "implications are found" ||
  bad "implications are found"
