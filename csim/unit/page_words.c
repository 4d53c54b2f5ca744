// SPDX-License-Identifier: Apache-2.0
// Words that the languages reserve: no name of the generated C or SystemVerilog can be one.
#include <string.h>

#include "page_internal.h"

static const char InC[] =
    "auto bool break case char const continue default do double else enum extern false float for "
    "goto if inline int long register restrict return short signed sizeof static struct switch "
    "true "
    "typedef union unsigned void volatile while";

// IEEE 1800-2017, annex B.
static const char InRtl[] =
    "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic "
    "before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle "
    "checker class clocking cmos config const constraint context continue cover covergroup "
    "coverpoint cross deassign default defparam design disable dist do edge else end endcase "
    "endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface "
    "endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable "
    "endtask enum event eventually expect export extends extern final first_match for force "
    "foreach "
    "forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins "
    "illegal_bins implements implies import incdir include initial inout input inside instance int "
    "integer interconnect interface intersect join join_any join_none large let liblist library "
    "local localparam logic longint macromodule matches medium modport module nand negedge nettype "
    "new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed "
    "parameter "
    "pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup "
    "pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real "
    "realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 "
    "s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal "
    "showcancelled signed small soft solve specify specparam static string strong strong0 strong1 "
    "struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout "
    "time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type "
    "typedef "
    "union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void "
    "wait "
    "wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

static bool holds(const char *words, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = words; (at = strstr(at, name)); at += length) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
      return true;
    }
  }
  return false;
}

void page_check_c(page_reader_t *r, const yaml_node_t *node, const char *name) {
  if (holds(InC, name)) {
    page_fail(r, node, "%s: a word of C, expected another name", name);
  }
}

void page_check_rtl(page_reader_t *r, const yaml_node_t *node, const char *name) {
  if (holds(InRtl, name)) {
    page_fail(r, node, "%s: a word of SystemVerilog, expected another name", name);
  }
}

// The text is put into the generated test bench as it is.
void page_check_text(page_reader_t *r, const yaml_node_t *node, const char *text) {
  static const char Function[] = "$clog2(";
  for (const char *c = text; *c; c++) {
    if (strchr(";`\"\\", *c) || (*c == '$' && strncmp(c, Function, sizeof Function - 1) != 0)) {
      page_fail(r, node,
                "%s: '%c' in an expression of SystemVerilog, expected operators and $clog2", text,
                *c);
    }
  }
}
