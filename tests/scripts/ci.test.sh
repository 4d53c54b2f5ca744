#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Regressions in pipelines (docs/how-to/ci.md): the commands of both example files, what they tell the services,
# and the container file's packages.
set -u
. tests/scripts/lib.sh
examples=docs/examples/ci
for service in github gitlab; do
  check "$service.yaml is YAML" eval '"$build/tests/yaml_json" "$examples/$service.yaml" >"$t/$service.json"'
done

# What each file would run. Installing is left out: the machine has it, and a test takes no network.
jq -r '.jobs.regress.steps[].run // empty' "$t/github.json" >"$t/github.all"
jq -r '.regress | .before_script[], .script[]' "$t/gitlab.json" >"$t/gitlab.all"
cat >"$t/list.yaml" <<'EOF'
tests:
  - {name: good, command: ["true"]}
  - {name: planted, command: [sh, -c, "echo rtl/chopin/draw_scheduler.sv:33:1: wrong, by 100%; exit 1"]}
  - {name: again, command: [sh, -c, "exit 1"]}
EOF
mkdir -p "$t/bin"
printf '#!/bin/sh\necho "apt-get $*" >>"%s"\n' "$root/$t/apt" >"$t/bin/apt-get"
chmod +x "$t/bin/apt-get"
pipeline() { # service LIST: all commands, one after the other, as the service runs them
  rm -rf "$t/$1"
  (unset MAKEFLAGS MFLAGS MAKELEVEL
    export LIST=$2 FOLDER=$t/$1 GITHUB_STEP_SUMMARY=$root/$t/$1.summary PATH=$root/$t/bin:$PATH NOCTURNE_NO_WAVES=1
    : >"$GITHUB_STEP_SUMMARY"
    sed -E "s|build/nocturne|$n|g; s/(^|&& )make /\1make -n /" "$t/$1.all" | bash -e) >"$t/$1.log" 2>&1
}
for service in github gitlab; do
  [ "$(grep -c "regress .* --ci $service" "$t/$service.all")" -eq 1 ] && [ "$(wc -l <"$t/$service.all")" -ge 4 ] &&
    good "$service: its commands, one of them the regression" || bad "$service: its commands" "" "$t/$service.all"
  pipeline $service "$t/list.yaml"
  code=$?
  [ $code -eq 1 ] && tail -n 1 "$t/$service.log" | grep -qx '1 passed, 2 failed' && good "$service: a failure fails the pipeline" ||
    bad "$service: a failure fails the pipeline" "status $code" "$t/$service.log"
  check "$service: JUnit" eval 'xmllint --noout "$t/$service/junit.xml" && [ "$(xmllint --xpath "count(//failure)" "$t/$service/junit.xml")" = 2 ]'
  jq -r "$([ $service = github ] && echo '.jobs.regress.steps[].with.path // empty' || echo '.regress.artifacts | .paths[], .reports[]')" "$t/$service.json" |
    grep '^build/ci/' | grep -v cache | sed "s|^build/ci|$t/$service|" | while read -r f; do [ -e "$f" ] || echo "$f"; done >"$t/missing"
  [ -s "$t/missing" ] && bad "$service: its artifacts are there" "" "$t/missing" || good "$service: its artifacts are there"
done
check "github: an annotation at the line" has "$t/github.log" \
  '^::error title=planted,file=rtl/chopin/draw_scheduler.sv,line=33::exit status 1%0A2 tests; reproduce: sh -c .*100%25'
[ "$(grep -c '^::error' "$t/github.log")" -eq 1 ] && good "github: one for each cause" || bad "github: one for each cause" "" "$t/github.log"
check "github: the table" has "$t/github.summary" '^\| <code>exit status 1</code> \| 2 \| <code>planted</code> \|$'
check "gitlab: Code Quality" eval '[ "$(jq -r ".[] | [.location.path, .location.lines.begin, .severity, (.fingerprint | length)] | @csv" \
  "$t/gitlab/codequality.json")" = "\"rtl/chopin/draw_scheduler.sv\",33,\"major\",64" ]'
printf 'tests:\n  - {name: good, command: ["true"]}\n' >"$t/passes.yaml"
check "github: all passed" pipeline github "$t/passes.yaml"
check "gitlab: all passed" eval 'pipeline gitlab "$t/passes.yaml" && [ "$(jq -c . "$t/gitlab/codequality.json")" = "[]" ]'
if "$n" regress "$t/passes.yaml" --folder "$t/x" --ci jenkins >"$t/said" 2>&1 || [ $? -ne 2 ]; then bad "another service"; else
  check "another service" has "$t/said" 'ci jenkins: expected github or gitlab'; fi

# Lint as SARIF: the findings of the three tools, and what names no place.
cat >"$t/wide.sv" <<'EOF'
module wide (input logic [3:0] x_i, output logic [2:0] y_o);
  assign y_o = x_i;
endmodule
EOF
printf 'module broken;\n  assign y = ;\nendmodule\n' >"$t/broken.sv"
{ verilator --lint-only -Wall -Wno-UNUSED "$t/wide.sv"
  iverilog -g2012 -tnull "$t/broken.sv"
  yosys -q -p "read_verilog -sv $t/broken.sv"
  echo "not ok a check without a place"
  echo "ok another"; } >"$t/lint.log" 2>&1
jq -Rn -f tb/lint_sarif.jq "$t/lint.log" >"$t/lint.sarif"
jq -r '.version, (.runs[].results[] | "\(.level) \(.ruleId) \(.locations[0].physicalLocation |
  "\(.artifactLocation.uri):\(.region.startLine)") \(.message.text)")' "$t/lint.sarif" >"$t/findings"
check "lint as SARIF" diff - "$t/findings" <<EOF
2.1.0
warning WIDTH $t/wide.sv:2 Operator ASSIGNW expects 3 bits on the Assign RHS, but Assign RHS's VARREF 'x_i' generates 4 bits.
error lint $t/broken.sv:2 syntax error
error lint $t/broken.sv:2 error: syntax error in continuous assignment
error lint $t/broken.sv:2 ERROR: syntax error, unexpected ';'
error lint null:null a check without a place
EOF

# The container's packages exist in Debian 12, where its lists are here.
packages=$(sed 's/\\$//' "$examples/Containerfile" | tr '\n' ' ' | grep -oE -- '--no-install-recommends [a-z0-9 +.-]*' | sed 's/--[a-z-]*//g')
if apt-cache show make >/dev/null 2>&1; then
  # shellcheck disable=SC2086
  check "the container's packages" apt-cache show --no-all-versions $packages
else
  good "the container's packages: SKIPPED, apt has no lists"
fi
