# SPDX-License-Identifier: Apache-2.0
# From a unit's packed top (build/unit/NAME/vectors_NAME.sv): a module with the unit's ports that
# stands for any unit with these ports, where only what joins units is proved (docs/hardware/proved.md). What it
# gives is a register that may hold anything, what it takes goes into another one, so that both are
# state. Of a stream only what is taken counts: payload while valid and ready. quiescent also tells the
# parity of all inputs but payloads.
function name_of(text) { sub(/^.* /, "", text); sub(/[;,}].*$/, "", text); return text }

/^module / { unit = $2; sub(/^vectors_/, "", unit) }
/^  (parameter|localparam) / { sub(/,$/, ""); params[++param_count] = $0 }
/^  logic .*_i;$/ { port = name_of($0); width[port] = $0; sub(/^  logic/, "", width[port])
  sub(/[a-z_0-9]*;$/, "", width[port]); ins[++in_count] = port; is_in[port] = 1 }
/^  logic .*_o;$/ { port = name_of($0); width[port] = $0; sub(/^  logic/, "", width[port])
  sub(/[a-z_0-9]*;$/, "", width[port]); outs[++out_count] = port; is_out[port] = 1 }

function shorter(name) { return name ~ /_/ ? substr(name, 1, match(name, /_[^_]*$/) - 1) : "" }

# When an input counts: always, or while the stream that it is the payload of is taken.
function condition(port,    stem, stream, when) {
  stem = substr(port, 1, length(port) - 2)
  if (stem ~ /_(valid|ready)$/) return ""
  for (stream = stem; stream != ""; stream = shorter(stream)) {
    if (("" stream "_valid_i") in is_in) {
      when = stream "_valid_i"
      return (stream "_ready_o") in is_out ? when " && " stream "_ready_o" : when
    }
  }
  return ""
}

END {
  printf "module %s #(\n", unit
  for (i = 1; i <= param_count; i++) print params[i] (i < param_count ? "," : "")
  print ") (\n  input logic clk_i,\n  input logic rst_ni"
  for (i = 1; i <= in_count; i++) printf "  , input logic%s%s\n", width[ins[i]], ins[i]
  for (i = 1; i <= out_count; i++) printf "  , output logic%s%s\n", width[outs[i]], outs[i]
  print ");\n  logic [InWidth-1:0] seen_q, seen;"
  print "  logic [OutWidth-1:0] answer_q, more;\n  logic is_quiet;"
  for (i = 1; i <= in_count; i++) {
    when = condition(ins[i])
    printf "  logic%sseen_%s;\n  assign seen_%s = %s%s%s;\n", width[ins[i]], ins[i], ins[i],
           when == "" ? "" : "(" when ") ? ", ins[i], when == "" ? "" : " : '0"
  }
  printf "  assign seen = {"
  for (i = in_count; i >= 1; i--) printf "seen_%s%s", ins[i], (i > 1 ? ", " : "};\n")
  printf "  assign {"
  for (i = out_count; i >= 1; i--) {
    printf "%s%s", (outs[i] == "quiescent_o" ? "is_quiet" : outs[i]),
           (i > 1 ? ", " : "} = answer_q;\n")
  }
  printf "  assign quiescent_o = is_quiet"
  for (i = 1; i <= in_count; i++) if (condition(ins[i]) == "") printf " ^ (^%s)", ins[i]
  print ";"
  print "  for (genvar n = 0; n < OutWidth; n = n + 1) begin : gen_more"
  print "    assign more[n] = seen_q[n % InWidth];\n  end"
  print "  always_ff @(posedge clk_i) begin\n    if (!rst_ni) begin\n      seen_q <= '0;"
  print "      answer_q <= '0;"
  print "    end else begin"
  print "      seen_q <= ~{seen_q[InWidth-2:0], seen_q[InWidth-1]} ^ seen;"
  print "      answer_q <= ~{answer_q[OutWidth-2:0], answer_q[OutWidth-1]} ^ more;"
  print "    end\n  end\nendmodule"
}
