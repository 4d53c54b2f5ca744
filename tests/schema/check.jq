# SPDX-License-Identifier: Apache-2.0
# Checks JSON by a JSON Schema: jq -r --slurpfile schema S.json -f check.jq FILE prints a line for each fault.
# Of draft 7: type, minimum, required, properties, additionalProperties, items. Any other word that constrains is an error.
def kind: if type == "number" and . == floor then "integer" else type end;
def is($t): kind as $k | $k == $t or ($t == "number" and $k == "integer");
def faults($s; $path):
  . as $v
  | (($s | keys) - ["$schema", "title", "description", "type", "minimum", "required", "properties", "additionalProperties", "items"])
      as $other
  | (if $other != [] then error("the schema has \($other)") else empty end),
    (if $s.type and (is($s.type) | not) then "\($path): is \(kind), expected \($s.type)" else empty end),
    (if $s.minimum and type == "number" and . < $s.minimum then "\($path): \(.) is below \($s.minimum)" else empty end),
    (if type == "object" then
      (($s.required // [])[] | select(. as $k | $v | has($k) | not) | "\($path): lacks \(.)"),
      (keys[] as $k
        | if ($s.properties // {}) | has($k) then $v[$k] | faults($s.properties[$k]; "\($path).\($k)")
          elif $s.additionalProperties == false then "\($path): has \($k)"
          elif ($s.additionalProperties | type) == "object" then $v[$k] | faults($s.additionalProperties; "\($path).\($k)")
          else empty end)
    elif type == "array" and $s.items then
      range(length) as $i | $v[$i] | faults($s.items; "\($path)[\($i)]")
    else empty end);
faults($schema[0]; "")
