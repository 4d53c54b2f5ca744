// SPDX-License-Identifier: Apache-2.0
#include "liberty_function.h"

#include <ctype.h>
#include <string.h>

enum { MaxNodes = 128, MaxDepth = 32 };

typedef enum { NodePin, NodeConstant, NodeNot, NodeXor, NodeAnd, NodeOr } node_e;

typedef struct {
  node_e kind;
  int a, b;  // nodes; of a pin its number among all, of a constant its value
} node_t;

typedef struct {
  const char *at;
  const liberty_cell_t *cell;
  node_t nodes[MaxNodes];
  int count, depth;
  bool ok;
} parser_t;

static int add(parser_t *p, node_e kind, int a, int b) {
  if (p->count == MaxNodes) {
    p->ok = false;
    return 0;
  }
  p->nodes[p->count] = (node_t){kind, a, b};
  return p->count++;
}

static char next(parser_t *p) {
  while (isspace((unsigned char)*p->at)) {
    p->at++;
  }
  return *p->at;
}

static int any_of(parser_t *p);

static int name(parser_t *p) {
  size_t length = 0;
  while (isalnum((unsigned char)p->at[length]) ||
         (p->at[length] && strchr("_[].$", p->at[length]))) {
    length++;
  }
  for (uint32_t i = 0; i < p->cell->pin_count; i++) {
    const liberty_pin_t *pin = &p->cell->pins[i];
    if (!pin->is_output && strlen(pin->name) == length && memcmp(pin->name, p->at, length) == 0) {
      p->at += length;
      return add(p, NodePin, (int)i, 0);
    }
  }
  if (length == 1 && (*p->at == '0' || *p->at == '1')) {
    return add(p, NodeConstant, *p->at++ == '1', 0);
  }
  p->ok = false;
  return 0;
}

static int operand(parser_t *p) {
  int node;
  if (next(p) == '!') {
    p->at++;
    return add(p, NodeNot, operand(p), 0);
  }
  if (*p->at == '(' && p->depth < MaxDepth) {
    p->at++;
    p->depth++;
    node = any_of(p);
    p->depth--;
    p->ok = p->ok && next(p) == ')';
    p->at += p->ok;
  } else {
    node = name(p);
  }
  while (p->ok && next(p) == '\'') {
    p->at++;
    node = add(p, NodeNot, node, 0);
  }
  return node;
}

static int one_of(parser_t *p) {
  int node = operand(p);
  while (p->ok && next(p) == '^') {
    p->at++;
    node = add(p, NodeXor, node, operand(p));
  }
  return node;
}

static int all_of(parser_t *p) {
  int node = one_of(p);
  while (p->ok && next(p) && !strchr(")+|", *p->at)) {
    p->at += *p->at == '*' || *p->at == '&';
    node = add(p, NodeAnd, node, one_of(p));
  }
  return node;
}

static int any_of(parser_t *p) {
  int node = all_of(p);
  while (p->ok && (next(p) == '+' || *p->at == '|')) {
    p->at++;
    node = add(p, NodeOr, node, all_of(p));
  }
  return node;
}

static bool parse(parser_t *p, const char *text, const liberty_cell_t *cell, int *root) {
  *p = (parser_t){.at = text, .cell = cell, .ok = true};
  *root = any_of(p);
  return p->ok && next(p) == '\0';
}

static bool value(const parser_t *p, int node, uint32_t inputs, const uint32_t *places) {
  const node_t *n = &p->nodes[node];
  switch (n->kind) {
    case NodePin: return inputs >> places[n->a] & 1;
    case NodeConstant: return n->a != 0;
    case NodeNot: return !value(p, n->a, inputs, places);
    case NodeXor: return value(p, n->a, inputs, places) != value(p, n->b, inputs, places);
    case NodeAnd: return value(p, n->a, inputs, places) && value(p, n->b, inputs, places);
    default: return value(p, n->a, inputs, places) || value(p, n->b, inputs, places);
  }
}

bool liberty_function_table(const char *text, const liberty_cell_t *cell, uint64_t *table) {
  parser_t p;
  int root;
  uint32_t places[LibertyMaxPins] = {0}, inputs = 0;
  *table = 0;
  for (uint32_t i = 0; i < cell->pin_count; i++) {
    places[i] = inputs;
    inputs += !cell->pins[i].is_output;
  }
  if (inputs > LibertyMaxInputs || !parse(&p, text, cell, &root)) {
    return false;
  }
  for (uint32_t i = 0; i < 1u << inputs; i++) {
    *table |= (uint64_t)value(&p, root, i, places) << i;
  }
  return true;
}

static void print(const parser_t *p, int node, text_t *out) {
  const node_t *n = &p->nodes[node];
  if (n->kind == NodePin) {
    text_put(out, p->cell->pins[n->a].name);
  } else if (n->kind == NodeConstant) {
    text_put(out, n->a ? "1'b1" : "1'b0");
  } else if (n->kind == NodeNot) {
    text_put(out, "(~");
    print(p, n->a, out);
    text_put(out, ")");
  } else {
    text_put(out, "(");
    print(p, n->a, out);
    text_put(out, n->kind == NodeXor ? " ^ " : n->kind == NodeAnd ? " & " : " | ");
    print(p, n->b, out);
    text_put(out, ")");
  }
}

bool liberty_function_verilog(const char *text, const liberty_cell_t *cell, text_t *out) {
  parser_t p;
  int root;
  if (!parse(&p, text, cell, &root)) {
    return false;
  }
  print(&p, root, out);
  return !out->failed;
}
