# SPDX-License-Identifier: Apache-2.0
# SARIF 2.1.0 of what lint printed: jq -Rn -f tb/lint_sarif.jq LOG. A finding is a line of Verilator, Icarus,
# Yosys or page_lint that names a place, or a check that failed without one.
def place: capture("(%(?<kind>Warning|Error)(-(?<rule>[A-Z0-9_]+))?: )?(?<file>[A-Za-z0-9_./-]+\\.(svh?|yaml)):(?<line>[0-9]+):"
  + "((?<column>[0-9]+):)? *(?<text>.*)");
def result($level; $rule; $text): {ruleId: $rule, level: $level, message: {text: $text}};
[inputs
  | (place
      | (if .kind == "Warning" or (.text | test("^warning:|^Warning:")) then "warning" else "error" end) as $level
      | result($level; .rule // "lint"; .text)
        + {locations: [{physicalLocation: {artifactLocation: {uri: .file},
            region: ({startLine: (.line | tonumber)} + (if .column then {startColumn: (.column | tonumber)} else {} end))}}]})
    // (select(startswith("not ok ")) | result("error"; "lint"; .[7:]))] as $results
| {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0",
   runs: [{tool: {driver: {name: "Nocturne lint", rules: ($results | map({id: .ruleId}) | unique)}}, results: $results}]}
