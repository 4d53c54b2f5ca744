# SPDX-License-Identifier: Apache-2.0
# Puts the cells' functions in place of their instances, one assignment for each output pin: a netlist
# of 100,000 instances costs Verilator minutes and gigabytes, the same assignments a fraction.
#   awk -f rtl/synth/inline_cells.awk CELLS.v NETLIST.v
# Nothing is merged or simplified; the functions are read from the models of models.c, which prove_cells.sh proves.
# A memory word is read into one vector, of which Verilator would otherwise read each bit by itself.
function fail(text) {
  print "ERROR: " FILENAME ":" FNR ": " text >"/dev/stderr"
  failed = 1
  exit 1
}

# The models: kind[CELL] is "gate" or "flip-flop", outputs[CELL] the pins, value[CELL, PIN] the function.
FNR == NR {
  sub(/\/\/.*/, "")
  text = text " " $0
  if (text !~ /endmodule/) next
  match(text, /module +[^ ]+/)
  cell = substr(text, RSTART, RLENGTH)
  sub(/module +/, "", cell)
  kind[cell] = "gate"
  if (match(text, /always @\(posedge [^)]*\) kept <= [^;]*;/)) {
    kind[cell] = "flip-flop"
    next_value[cell] = clock[cell] = substr(text, RSTART + 17, RLENGTH - 18)
    sub(/\).*/, "", clock[cell])
    sub(/.* <= /, "", next_value[cell])
    text = substr(text, RSTART + RLENGTH)
  }
  while (match(text, /assign [^ ]+ = [^;]*;/)) {
    function_text = substr(text, RSTART + 7, RLENGTH - 8)
    text = substr(text, RSTART + RLENGTH)
    pin = function_text
    sub(/ .*/, "", pin)
    sub(/^[^ ]+ = /, "", function_text)
    value[cell, pin] = function_text
    outputs[cell] = outputs[cell] " " pin
  }
  text = cell = ""
  next
}

/^  [A-Za-z_][A-Za-z0-9_]* [^ ]+ +\($/ {
  cell = $1
  if (!(cell in kind)) fail(cell ": no model of this cell")
  split("", net)
  next
}

cell && /^    \.[A-Za-z_][A-Za-z0-9_]*\(.*\),?$/ {
  pin = $0
  sub(/^    \./, "", pin)
  bit = pin
  sub(/\(.*/, "", pin)
  sub(/^[A-Za-z0-9_]+\(/, "", bit)
  sub(/\),?$/, "", bit)
  net[pin] = bit
  next
}

# A function with nets in place of pins; a constant such as 1'b1 stays.
function with_nets(rest, line, name) {
  line = ""
  while (match(rest, /[0-9]+'b[01]|[A-Za-z_][A-Za-z0-9_]*/)) {
    name = substr(rest, RSTART, RLENGTH)
    line = line substr(rest, 1, RSTART - 1) (name ~ /'/ ? name : name == "kept" ? "flip_flop_" flip_flops : net[name])
    rest = substr(rest, RSTART + RLENGTH)
  }
  return line rest
}

cell && /^  \);$/ {
  if (kind[cell] == "flip-flop") {
    flip_flops++
    print "  reg flip_flop_" flip_flops ";"
    print "  always @(posedge " net[clock[cell]] ") flip_flop_" flip_flops " <= " with_nets(next_value[cell]) ";"
  }
  n = split(outputs[cell], pins, " ")
  for (p = 1; p <= n; p++) {
    if (!(pins[p] in net) || net[pins[p]] == "") continue
    print "  assign " net[pins[p]] " = " with_nets(value[cell, pins[p]]) ";"
  }
  cell = ""
  next
}

cell { fail("unexpected line in an instance: " $0) }

# reg [27:0] NAME [63:0];
/^  reg \[[0-9]+:0\] .* \[[0-9]+:0\];$/ {
  width = $2
  memory[$3] = $2
}

/^  assign \{ .* \} = [^ ]+ ?\[.*\];$/ {
  name = word = $0
  sub(/^.* \} = /, "", word)
  name = word
  sub(/ ?\[.*/, "", name)
  if (name in memory) {
    reads++
    print "  wire " memory[name] " word_read_" reads " = " word
    sub(/ \} = .*/, " } = word_read_" reads ";")
  }
}

{ print }

END {
  if (!failed && cell) fail("a netlist that ends in an instance")
}
