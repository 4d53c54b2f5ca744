# SPDX-License-Identifier: Apache-2.0
# Puts the cells' functions in place of their instances, one assignment for each output pin: a netlist
# of 100,000 instances costs Verilator minutes and gigabytes, the same assignments a fraction.
#   awk -f rtl/synth/inline_cells.awk rtl/synth/cells.v NETLIST.v
# Nothing is merged or simplified; the functions are read from the models that prove_cells.sh proves.
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
  match(text, /module +[A-Z0-9]+/)
  cell = substr(text, RSTART, RLENGTH)
  sub(/module +/, "", cell)
  if (text ~ /always @\(posedge CLK\) Q <= D;/) {
    kind[cell] = "flip-flop"
  } else {
    kind[cell] = "gate"
    while (match(text, /assign [A-Z]+ = [^;]*;/)) {
      function_text = substr(text, RSTART + 7, RLENGTH - 8)
      text = substr(text, RSTART + RLENGTH)
      pin = function_text
      sub(/ .*/, "", pin)
      sub(/^[A-Z]+ = /, "", function_text)
      value[cell, pin] = function_text
      outputs[cell] = outputs[cell] " " pin
    }
  }
  text = cell = ""
  next
}

/^  [A-Z][A-Z0-9]* [^ ]+ +\($/ {
  cell = $1
  if (!(cell in kind)) fail(cell ": no model of this cell")
  split("", net)
  next
}

cell && /^    \.[A-Z]+\(.*\),?$/ {
  pin = $0
  sub(/^    \./, "", pin)
  bit = pin
  sub(/\(.*/, "", pin)
  sub(/^[A-Z]+\(/, "", bit)
  sub(/\),?$/, "", bit)
  net[pin] = bit
  next
}

cell && /^  \);$/ {
  if (kind[cell] == "flip-flop") {
    flip_flops++
    print "  reg flip_flop_" flip_flops ";"
    print "  always @(posedge " net["CLK"] ") flip_flop_" flip_flops " <= " net["D"] ";"
    print "  assign " net["Q"] " = flip_flop_" flip_flops ";"
  } else {
    n = split(outputs[cell], pins, " ")
    for (p = 1; p <= n; p++) {
      if (!(pins[p] in net) || net[pins[p]] == "") continue
      line = ""
      rest = value[cell, pins[p]]
      while (match(rest, /[A-Z]+/)) {
        line = line substr(rest, 1, RSTART - 1) net[substr(rest, RSTART, RLENGTH)]
        rest = substr(rest, RSTART + RLENGTH)
      }
      print "  assign " net[pins[p]] " = " line rest ";"
    }
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
