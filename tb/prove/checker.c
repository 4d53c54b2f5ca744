// SPDX-License-Identifier: Apache-2.0
#include "checker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnf.h"

enum { MostLeaves = 16, NameSize = 32 };

// A register: a bit of the golden model's state, an output that is kept, or whether it says
// anything.
typedef struct {
  lit_t is, made, clock, reset;  // its variable; its value after create, a clock, a reset
  bool is_used;
} cell_t;

typedef struct {
  const transition_t *t;
  aig_t *aig;
  cell_t *cells;  // the state, then the outputs, then `known`
  uint32_t count, known;
  lit_t *out;       // what it says of each output; AigNone: nothing
  bool is_told;     // outputs are a function of state and inputs
  bool has_starts;  // a reset keeps something: registers have values before the first one
  uint8_t *needed, *holds_state;  // by node; by object
  uint32_t *uses;                 // by node
  char (*variable)[NameSize];
  uint8_t *leaves;  // of its expression; 0: it has a name
  FILE *f;
} checker_t;

static lit_t state_bit(const transition_t *t, const memory_t *memory, uint32_t i) {
  return memory->objects[t->state[i].object].bits[t->state[i].bit];
}

// Only this output depends on inputs (lint.test.sh): it is another one when the next inputs come.
static void forget_quiescent(checker_t *c) {
  uint32_t at = 0;
  for (const unit_field_t *f = c->t->info->out; f->name; f++) {
    c->out[at] = f->role == UnitRoleQuiescent ? (lit_t)AigNone : c->out[at];
    at += unit_dim(c->t->dims, f->bits) * unit_dim(c->t->dims, f->elements);
  }
}

static void tell_outputs(checker_t *c) {
  transition_t *t = (transition_t *)c->t;
  c->out = fault_calloc(t->out_bits + 1, sizeof *c->out);
  c->is_told = transition_run(t, &t->before, "prove_outputs");
  if (c->is_told) {
    transition_outputs(t, bitcode_memory(t->program), c->out);
    return;
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    c->out[i] = c->cells[t->state_count + i].is;
  }
  forget_quiescent(c);
}

// All functions: of each register after a clock and a reset, and of the outputs.
static uint32_t get_roots(const checker_t *c, lit_t *roots) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    roots[n++] = c->cells[i].clock;
    roots[n++] = c->cells[i].reset;
  }
  for (uint32_t i = 0; i < c->t->out_bits; i++) {
    roots[n++] = c->out[i] == AigNone ? (lit_t)AigFalse : c->out[i];
  }
  return n;
}

static void set_roots(checker_t *c, const lit_t *roots) {
  for (uint32_t i = 0; i < c->count; i++) {
    c->cells[i].clock = *roots++;
    c->cells[i].reset = *roots++;
  }
  for (uint32_t i = 0; i < c->t->out_bits; i++, roots++) {
    c->out[i] = c->out[i] == AigNone ? c->out[i] : *roots;
  }
}

// All products multiply. What an output had before is 0: that a clock writes it under every
// condition is owed, but not always seen in the graph.
static void simplify(checker_t *c) {
  const transition_t *t = c->t;
  lit_t *roots = fault_calloc(2 * c->count + t->out_bits, sizeof *roots);
  uint32_t unknown = 0;
  const uint32_t count = get_roots(c, roots);
  products_work_out(t->products, roots, count);
  const uint32_t nodes = aig_count(c->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  lit_t *from = fault_calloc(nodes, sizeof *from), *to = fault_calloc(nodes, sizeof *to);
  aig_cone(c->aig, roots, count, needed);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    needed[t->in[i] / 2] = 0;
  }
  for (uint32_t i = 0; i < c->count; i++) {
    needed[c->cells[i].is / 2] = 0;
  }
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && aig_is_variable(c->aig, i)) {
      from[unknown++] = 2 * i;
    }
  }
  aig_substitute(c->aig, from, to, unknown, roots, count);
  set_roots(c, roots);
  free(needed);
  free(from);
  free(to);
  free(roots);
}

// Registers on which no output depends, however late, are left out.
static void find_used(checker_t *c) {
  c->needed = fault_calloc(aig_count(c->aig), 1);
  c->needed[c->cells[c->known].is / 2] = 1;
  for (uint32_t i = 0; i < c->t->out_bits; i++) {
    if (c->out[i] != AigNone) {
      aig_cone(c->aig, &c->out[i], 1, c->needed);
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < c->count; i++) {
      cell_t *cell = &c->cells[i];
      if (!cell->is_used && c->needed[cell->is / 2]) {
        again = cell->is_used = true;
        c->has_starts |= cell->reset > AigTrue;
        aig_cone(c->aig, &cell->clock, 1, c->needed);
        aig_cone(c->aig, &cell->reset, 1, c->needed);
      }
    }
  }
}

static void make(checker_t *c, const transition_t *t) {
  *c = (checker_t){.t = t, .aig = t->aig};
  c->known = t->state_count + t->out_bits;
  c->count = c->known + 1;
  c->cells = fault_calloc(c->count, sizeof *c->cells);
  c->holds_state = fault_calloc(t->created.memory.count, 1);
  for (uint32_t i = 0; i < t->state_count; i++) {
    c->holds_state[t->state[i].object] = 1;
    c->cells[i] =
        (cell_t){t->state[i].variable, state_bit(t, &t->created.memory, i),
                 state_bit(t, &t->stepped.memory, i), state_bit(t, &t->reset.memory, i), false};
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    c->cells[t->state_count + i] = (cell_t){aig_variable(c->aig), t->created.out[i],
                                            t->stepped.out[i], t->reset.out[i], false};
  }
  const lit_t known = aig_variable(c->aig);
  c->cells[c->known] =
      (cell_t){known, AigFalse, aig_and(c->aig, known, t->stepped.legal), AigTrue, false};
  tell_outputs(c);
  simplify(c);
  find_used(c);
}

static void unmake(checker_t *c) {
  free(c->cells);
  free(c->out);
  free(c->needed);
  free(c->holds_state);
  free(c->uses);
  free(c->variable);
  free(c->leaves);
}

// ---- Expressions ----

// A node that chooses: ~(~(c & t) & ~(~c & e)) inverted. Its operands' nodes serve nothing else.
static bool is_choice(const checker_t *c, uint32_t node, lit_t *condition, lit_t *then,
                      lit_t *otherwise) {
  lit_t p, q, a[2], b[2];
  aig_operands(c->aig, node, &p, &q);
  if (!(p & 1) || !(q & 1) || aig_is_variable(c->aig, p / 2) || aig_is_variable(c->aig, q / 2) ||
      p / 2 == 0 || q / 2 == 0) {
    return false;
  }
  aig_operands(c->aig, p / 2, &a[0], &a[1]);
  aig_operands(c->aig, q / 2, &b[0], &b[1]);
  for (uint32_t i = 0; i < 4; i++) {
    if (a[i / 2] == (b[i % 2] ^ 1)) {
      *condition = a[i / 2];
      *then = a[1 - i / 2];
      *otherwise = b[1 - i % 2];
      return true;
    }
  }
  return false;
}

static void each_root(checker_t *c, void (*visit)(checker_t *, lit_t)) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->cells[i].is_used) {
      visit(c, c->cells[i].clock);
      visit(c, c->cells[i].reset);
    }
  }
  for (uint32_t i = 0; i < c->t->out_bits; i++) {
    if (c->out[i] != AigNone) {
      visit(c, c->out[i]);
    }
  }
}

static void use(checker_t *c, lit_t l) { c->uses[l / 2]++; }

static uint32_t operands(const checker_t *c, uint32_t node, lit_t o[3]) {
  if (is_choice(c, node, &o[0], &o[1], &o[2])) {
    return 3;
  }
  aig_operands(c->aig, node, &o[0], &o[1]);
  return 2;
}

// Gives a name to what is used more than once, and to what would make a line too long.
static void name_nodes(checker_t *c) {
  const uint32_t nodes = aig_count(c->aig);
  lit_t o[3];
  c->uses = fault_calloc(nodes, sizeof *c->uses);
  c->leaves = fault_calloc(nodes, 1);
  each_root(c, use);
  for (uint32_t i = nodes; i-- > 1;) {
    const uint32_t count = c->uses[i] && !aig_is_variable(c->aig, i) ? operands(c, i, o) : 0;
    for (uint32_t k = 0; k < count; k++) {
      c->uses[o[k] / 2] += k == 0 && count == 3 ? 2 : 1;
    }
  }
  for (uint32_t i = 1; i < nodes; i++) {
    const uint32_t count = c->uses[i] == 1 && !aig_is_variable(c->aig, i) ? operands(c, i, o) : 0;
    uint32_t leaves = 0;
    for (uint32_t k = 0; k < count; k++) {
      leaves += c->leaves[o[k] / 2] ? c->leaves[o[k] / 2] : 1;
    }
    c->leaves[i] = leaves <= MostLeaves ? (uint8_t)leaves : 0;
  }
}

// The register of a cell: by the place of its bit among the objects that hold state, which is the
// same however clang compiles the golden model.
static void name_cell(const checker_t *c, uint32_t i, char name[NameSize]) {
  const transition_t *t = c->t;
  if (i >= t->state_count) {
    snprintf(name, NameSize, i == c->known ? "known_o" : "o%u", i - t->state_count);
    return;
  }
  uint32_t before = 0;
  for (uint32_t k = 0; k < t->state[i].object; k++) {
    before += c->holds_state[k];
  }
  snprintf(name, NameSize, "s%u_%u", before, t->state[i].bit);
}

static void name_variables(checker_t *c) {
  const transition_t *t = c->t;
  c->variable = fault_calloc(aig_count(c->aig), sizeof *c->variable);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    snprintf(c->variable[t->in[i] / 2], NameSize, "in_i[%u]", i);
  }
  for (uint32_t i = 0; i < c->count; i++) {
    name_cell(c, i, c->variable[c->cells[i].is / 2]);
  }
}

static void put_node(checker_t *c, uint32_t node);

static void put(checker_t *c, lit_t l) {
  const uint32_t node = l / 2;
  if (node == 0) {
    fprintf(c->f, "1'b%u", l & 1);
  } else if (aig_is_variable(c->aig, node)) {
    fprintf(c->f, "%s%s", l & 1 ? "~" : "", c->variable[node]);
  } else if (!c->leaves[node]) {
    fprintf(c->f, "%sn%u", l & 1 ? "~" : "", node);
  } else {
    fputs(l & 1 ? "~(" : "(", c->f);
    put_node(c, node);
    fputc(')', c->f);
  }
}

static void put_node(checker_t *c, uint32_t node) {
  lit_t o[3];
  const bool chooses = operands(c, node, o) == 3;
  fputs(chooses ? "~(" : "", c->f);
  put(c, o[0]);
  fputs(chooses ? " ? " : " & ", c->f);
  put(c, o[1]);
  if (chooses) {
    fputs(" : ", c->f);
    put(c, o[2]);
    fputc(')', c->f);
  }
}

// ---- The golden model ----

static void put_cells(checker_t *c, bool is_reset) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->cells[i].is_used) {
      fprintf(c->f, "      %s <= ", c->variable[c->cells[i].is / 2]);
      put(c, is_reset ? c->cells[i].reset : c->cells[i].clock);
      fputs(";\n", c->f);
    }
  }
}

static void put_golden(checker_t *c) {
  const transition_t *t = c->t;
  fprintf(c->f,
          "module %s_golden (\n  input wire clk_i,\n  input wire rst_ni,\n"
          "  input wire [%u:0] in_i,\n  output wire [%u:0] out_o,\n  output reg known_o\n);\n",
          t->info->name, t->in_bits - 1, t->out_bits - 1);
  for (uint32_t i = 0; i < c->known; i++) {
    if (c->cells[i].is_used) {
      fprintf(c->f, "  reg %s;\n", c->variable[c->cells[i].is / 2]);
    }
  }
  for (uint32_t i = 1; i < aig_count(c->aig); i++) {
    if (c->uses[i] && !aig_is_variable(c->aig, i) && !c->leaves[i]) {
      fprintf(c->f, "  wire n%u = ", i);
      put_node(c, i);
      fputs(";\n", c->f);
    }
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    fprintf(c->f, "  assign out_o[%u] = ", i);
    put(c, c->out[i] == AigNone ? (lit_t)AigFalse : c->out[i]);
    fputs(";\n", c->f);
  }
  fputs("  initial begin\n    known_o = 1'b0;\n", c->f);
  for (uint32_t i = 0; i < c->known && c->has_starts; i++) {
    if (c->cells[i].is_used) {
      fprintf(c->f, "    %s = 1'b%u;\n", c->variable[c->cells[i].is / 2], c->cells[i].made & 1);
    }
  }
  fputs("  end\n  always @(posedge clk_i)\n    if (!rst_ni) begin\n", c->f);
  put_cells(c, true);
  fputs("    end else begin\n", c->f);
  put_cells(c, false);
  fputs("    end\nendmodule\n", c->f);
}

// ---- The comparison ----

typedef void (*port_f)(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits);

static void each_port(checker_t *c, const unit_field_t *fields, uint32_t *from, port_f put_port) {
  for (const unit_field_t *f = fields; f->name; f++) {
    const uint32_t bits = unit_dim(c->t->dims, f->bits) * unit_dim(c->t->dims, f->elements);
    if (bits) {
      put_port(c, f, *from, bits);
    }
    *from += bits;
  }
}

static void put_port(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits) {
  (void)from;
  fprintf(c->f, "  input wire ");
  fprintf(c->f, bits > 1 ? "[%u:0] %s,\n" : "%.0u%s,\n", bits > 1 ? bits - 1 : 0, f->port);
}

static void put_input(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits) {
  fprintf(c->f, "  assign in[%u:%u] = %s;\n", from + bits - 1, from, f->port);
}

static bool is_compared(const checker_t *c, uint32_t from, uint32_t bits) {
  for (uint32_t i = from; i < from + bits; i++) {
    if (c->out[i] == AigNone) {
      return false;
    }
  }
  return true;
}

static void put_difference(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits) {
  if (is_compared(c, from, bits)) {
    fprintf(c->f, "    || %s !== expected[%u:%u]\n", f->port, from + bits - 1, from);
  } else {
    fprintf(c->f, "    // %s depends on inputs, and is not compared.\n", f->port);
  }
}

static void put_report(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits) {
  const uint32_t to = from + bits - 1;
  if (is_compared(c, from, bits)) {
    fprintf(c->f,
            "      if (%s !== expected[%u:%u])\n        $display(\"CHECKER: %s cycle %%0d: signal "
            "%s: expected 0x%%h, actual 0x%%h\",\n          cycle, expected[%u:%u], %s);\n",
            f->port, to, from, c->t->info->name, f->port, to, from, f->port);
  }
}

// The size of the checker as parameters, and their refusal where the unit has another one.
static void put_parameters(checker_t *c, const char *params, bool refuses) {
  int name, value;
  for (const char *at = params; *at; at += strcspn(at, " "), at += *at == ' ') {
    name = (int)strcspn(at, "=");
    value = (int)strcspn(at + name, " ") - 1;
    if (refuses) {
      fprintf(c->f, "%s%.*s != %.*s", at == params ? "" : " || ", name, at, value, at + name + 1);
    } else {
      fprintf(c->f, ",\n  parameter %.*s = %.*s", name, at, value, at + name + 1);
    }
  }
}

static void each_output(checker_t *c, port_f put_port) {
  uint32_t at = 0;
  each_port(c, c->t->info->out, &at, put_port);
  each_port(c, c->t->info->state, &at, put_port);
}

static void put_checker(checker_t *c, const char *params) {
  const transition_t *t = c->t;
  const char *name = t->info->name;
  uint32_t at = 0;
  fprintf(c->f, "\nmodule %s_checker #(\n  parameter Stops = 1", name);
  put_parameters(c, params, false);
  fputs("\n) (\n  input wire clk_i,\n  input wire rst_ni,\n", c->f);
  each_port(c, t->info->in, &at, put_port);
  each_output(c, put_port);
  fprintf(c->f,
          "  output reg mismatch_o\n);\n  wire [%u:0] in;\n  wire [%u:0] expected;\n"
          "  wire known;\n  reg [63:0] cycle;\n",
          t->in_bits - 1, t->out_bits - 1);
  at = 0;
  each_port(c, t->info->in, &at, put_input);
  fprintf(c->f,
          "  %s_golden u_golden (.clk_i(clk_i), .rst_ni(rst_ni), .in_i(in), .out_o(expected), "
          ".known_o(known));\n  wire differs = known & (1'b0\n",
          name);
  each_output(c, put_difference);
  fputs(
      "  );\n  initial begin\n    mismatch_o = 1'b0;\n    cycle = 64'd0;\n"
      "`ifndef SYNTHESIS\n    if (",
      c->f);
  put_parameters(c, params, true);
  fprintf(c->f, ") $fatal(1, \"%s_checker: it is of %s\");\n`endif\n  end\n", name, params);
  fputs(
      "  always @(posedge clk_i) begin\n    cycle <= cycle + 64'd1;\n"
      "    mismatch_o <= mismatch_o | differs;\n"
      "`ifndef SYNTHESIS\n    if (differs && !mismatch_o) begin\n",
      c->f);
  each_output(c, put_report);
  fputs(
      "      if (Stops != 0) $fatal(1, \"CHECKER: an output is not the golden model's\");\n"
      "    end\n`endif\n  end\nendmodule\n",
      c->f);
}

static void put_connection(checker_t *c, const unit_field_t *f, uint32_t from, uint32_t bits) {
  (void)from, (void)bits;
  fprintf(c->f, "    .%s(`CHECKED.%s),\n", f->port, f->port);
}

// For simulators without `bind`: a second top, which looks into the first.
static void put_look(checker_t *c) {
  const char *name = c->t->info->name;
  uint32_t at = 0;
  fprintf(c->f,
          "\n`ifdef CHECKED\nmodule %s_look;\n  %s_checker u_checker (\n"
          "    .clk_i(`CHECKED.clk_i),\n    .rst_ni(`CHECKED.rst_ni),\n",
          name, name);
  each_port(c, c->t->info->in, &at, put_connection);
  each_output(c, put_connection);
  fputs("    .mismatch_o()\n  );\nendmodule\n`endif\n", c->f);
}

void checker_write(const transition_t *t, const char *params, const char *path) {
  checker_t c;
  make(&c, t);
  name_variables(&c);
  name_nodes(&c);
  c.f = fopen(path, "w");
  if (!c.f) {
    fault(FaultLacking, "%s: %s", path, strerror(errno));
  }
  fprintf(c.f,
          "// SPDX-License-Identifier: Apache-2.0\n"
          "// The golden model of %s, %s, and its comparison with the unit's outputs.\n",
          t->info->name, params);
  put_golden(&c);
  put_checker(&c, params);
  put_look(&c);
  const bool ok = !ferror(c.f);
  if (fclose(c.f) != 0 || !ok) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
  unmake(&c);
}

// ---- Its proof ----

// -1: Yosys has found that nothing depends on it.
static int64_t latch_of(const checker_t *c, uint32_t i) {
  char name[NameSize];
  name_cell(c, i, name);
  return c->cells[i].is_used ? aiger_latch(&c->t->rtl, name, 0, 1, 1, 0) : -1;
}

typedef struct {
  lit_t *list;
  uint32_t count;
} questions_t;

// Adds for each register that it is something else after a clock or a reset.
static void ask_registers(const checker_t *c, const lit_t *before, bool is_reset, questions_t *q) {
  const transition_t *t = c->t;
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  aiger_apply(&t->rtl, c->aig, t->products, is_reset ? AigFalse : AigTrue, t->in, before, NULL,
              next);
  for (uint32_t i = 0; i < c->count; i++) {
    const int64_t latch = latch_of(c, i);
    if (latch >= 0) {
      q->list[q->count++] =
          aig_xor(c->aig, is_reset ? c->cells[i].reset : c->cells[i].clock, next[latch]);
    }
  }
  free(next);
}

static void ask_outputs(const checker_t *c, const lit_t *before, questions_t *q) {
  const transition_t *t = c->t;
  const lit_t known = c->cells[c->known].is;
  lit_t *out = fault_calloc(t->out_bits + 1, sizeof *out);
  aiger_apply(&t->rtl, c->aig, t->products, AigTrue, t->in, before, out, NULL);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    const lit_t told = c->out[i] == AigNone ? (lit_t)AigFalse : c->out[i];
    q->list[q->count++] = aig_xor(c->aig, aig_and(c->aig, known, told), out[i]);
  }
  free(out);
}

// Adds for each register that a reset before all others leads elsewhere than the making.
static void ask_start(const checker_t *c, questions_t *q) {
  lit_t *from = fault_calloc(c->count, sizeof *from), *to = fault_calloc(c->count, sizeof *to);
  const uint32_t first = q->count;
  for (uint32_t i = 0; i < c->count; i++) {
    from[i] = c->cells[i].is;
    to[i] = c->cells[i].made;
    if (c->cells[i].is_used && i != c->known) {
      q->list[q->count++] = aig_xor(c->aig, c->cells[i].reset, c->cells[i].made);
    }
  }
  aig_substitute(c->aig, from, to, c->count, q->list + first, q->count - first);
  free(from);
  free(to);
}

// Asks in order; a proved question helps with the later ones.
static bool is_impossible(const checker_t *c, const questions_t *q) {
  cnf_t *cnf = cnf_create_confirmed(c->aig);
  bool ok = true;
  for (uint32_t i = 0; i < q->count && ok; i++) {
    ok = cnf_solve(cnf, q->list[i], 0) == CnfUnsatisfiable;
    if (ok && q->list[i] != AigFalse) {
      cnf_require_proved(cnf, aig_not(q->list[i]));
    }
  }
  cnf_destroy(cnf);
  return ok;
}

bool checker_prove(const transition_t *t) {
  checker_t c;
  uint32_t registers = 0, outputs = 0;
  make(&c, t);
  questions_t q = {fault_calloc(3 * c.count + t->out_bits, sizeof *q.list), 0};
  lit_t *before = fault_calloc(t->rtl.latches + 1, sizeof *before);
  memcpy(before, t->latches, t->rtl.latches * sizeof *before);
  for (uint32_t i = 0; i < c.count; i++) {
    const int64_t latch = latch_of(&c, i);
    if (latch >= 0) {
      before[latch] = c.cells[i].is;
      registers++;
    }
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    outputs += c.out[i] != AigNone;
  }
  ask_registers(&c, before, false, &q);
  ask_registers(&c, before, true, &q);
  ask_outputs(&c, before, &q);
  ask_start(&c, &q);
  const bool ok = is_impossible(&c, &q);
  printf("  checker: %s, %u registers, %u of %u bits of outputs\n",
         ok ? "proved" : "refuted: it is not the golden model", registers, outputs, t->out_bits);
  free(before);
  free(q.list);
  unmake(&c);
  return ok;
}
