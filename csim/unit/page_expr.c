// SPDX-License-Identifier: Apache-2.0
// Expressions on pages: + - * / << >> with C's precedence, brackets, min, max, clog2.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_internal.h"

typedef struct {
  page_reader_t *reader;
  const yaml_node_t *node;
  const char *text, *at;
} parser_t;

static _Noreturn void expected(parser_t *p, const char *what) {
  page_fail(p->reader, p->node, "%s: expected %s at \"%s\"", p->text, what, p->at);
}

static void skip_blanks(parser_t *p) {
  while (isspace((unsigned char)*p->at)) {
    p->at++;
  }
}

static bool take(parser_t *p, const char *token) {
  skip_blanks(p);
  size_t length = strlen(token);
  if (strncmp(p->at, token, length) != 0) {
    return false;
  }
  p->at += length;
  return true;
}

static page_expr_t *new_expr(page_reader_t *r, int op, const page_expr_t *a, const page_expr_t *b) {
  page_expr_t *e = page_alloc(r, sizeof *e);
  *e = (page_expr_t){.op = op, .a = a, .b = b};
  return e;
}

const page_expr_t *page_expr_number(page_reader_t *r, int64_t value) {
  page_expr_t *e = new_expr(r, ExprNumber, NULL, NULL);
  e->value = value;
  return e;
}

const page_expr_t *page_expr_times(page_reader_t *r, const page_expr_t *a, const page_expr_t *b) {
  int64_t x, y;
  if (page_is_constant(a, &x) && page_is_constant(b, &y)) {
    return page_expr_number(r, x * y);
  }
  return page_is_constant(b, &y) && y == 1   ? a
         : page_is_constant(a, &x) && x == 1 ? b
                                             : new_expr(r, ExprMul, a, b);
}

// A parameter, a derived name or the number of some values; NULL: none of them.
static const page_expr_t *named(page_reader_t *r, const char *name, size_t length) {
  const page_t *page = r->page;
  page_expr_t *e = new_expr(r, ExprParam, NULL, NULL);
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (strlen(page->params[i].name) == length && !strncmp(page->params[i].name, name, length)) {
      e->value = i;
      return e;
    }
  }
  for (uint32_t i = 0; i < page->derive_count; i++) {
    if (strlen(page->derives[i].name) == length && !strncmp(page->derives[i].name, name, length)) {
      *e = (page_expr_t){.op = ExprDerive, .value = i, .a = page->derives[i].is};
      return e;
    }
  }
  for (uint32_t i = 0; i < page->value_count; i++) {
    if (strlen(page->values[i].name) == length && !strncmp(page->values[i].name, name, length)) {
      return page_expr_number(r, page->values[i].count);
    }
  }
  return NULL;
}

static const page_expr_t *shifted(parser_t *p);

static void needs(parser_t *p, const char *token) {
  if (!take(p, token)) {
    char what[8];
    snprintf(what, sizeof what, "'%s'", token);
    expected(p, what);
  }
}

static const page_expr_t *function(parser_t *p, int op) {
  const page_expr_t *b = NULL;
  needs(p, "(");
  const page_expr_t *a = shifted(p);
  if (op != ExprClog2) {
    needs(p, ",");
    b = shifted(p);
  }
  needs(p, ")");
  return new_expr(p->reader, op, a, b);
}

static const page_expr_t *operand(parser_t *p) {
  static const struct {
    const char *name;
    int op;
  } Functions[] = {{"min", ExprMin}, {"max", ExprMax}, {"clog2", ExprClog2}};
  skip_blanks(p);
  if (isdigit((unsigned char)*p->at)) {
    char *end;
    long long value = strtoll(p->at, &end, 10);
    p->at = end;
    if (value > UINT32_MAX) {
      expected(p, "a number below 2^32");
    }
    return page_expr_number(p->reader, value);
  }
  if (take(p, "(")) {
    const page_expr_t *e = shifted(p);
    needs(p, ")");
    return e;
  }
  size_t length = 0;
  while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_') {
    length++;
  }
  for (size_t f = 0; f < 3; f++) {
    if (strlen(Functions[f].name) == length && !strncmp(Functions[f].name, p->at, length)) {
      p->at += length;
      return function(p, Functions[f].op);
    }
  }
  const page_expr_t *e = length ? named(p->reader, p->at, length) : NULL;
  if (!e) {
    expected(p, "a number, a parameter, a derived name or a type");
  }
  p->at += length;
  return e;
}

// A quotient by 0 ends the program that the expression is written into.
static const page_expr_t *divisor(page_reader_t *r, const yaml_node_t *node, const char *text,
                                  const page_expr_t *e) {
  int64_t low, high;
  page_expr_range(r->page, e, &low, &high);
  if (low < 1) {
    page_fail(r, node,
              "%s: a divisor of %" PRId64 " to %" PRId64
              ", expected at least 1 at all parameters (as max(1, ...) is)",
              text, low, high);
  }
  return e;
}

static const page_expr_t *product(parser_t *p) {
  const page_expr_t *e = operand(p);
  for (;;) {
    if (take(p, "*")) {
      e = new_expr(p->reader, ExprMul, e, operand(p));
    } else if (take(p, "/")) {
      e = new_expr(p->reader, ExprDiv, e, divisor(p->reader, p->node, p->text, operand(p)));
    } else {
      return e;
    }
  }
}

static const page_expr_t *sum(parser_t *p) {
  const page_expr_t *e = product(p);
  for (;;) {
    if (take(p, "+")) {
      e = new_expr(p->reader, ExprAdd, e, product(p));
    } else if (take(p, "-")) {
      e = new_expr(p->reader, ExprSub, e, product(p));
    } else {
      return e;
    }
  }
}

static const page_expr_t *shifted(parser_t *p) {
  const page_expr_t *e = sum(p);
  for (;;) {
    if (take(p, "<<")) {
      e = new_expr(p->reader, ExprShl, e, sum(p));
    } else if (take(p, ">>")) {
      e = new_expr(p->reader, ExprShr, e, sum(p));
    } else {
      return e;
    }
  }
}

const page_expr_t *page_expr_read(page_reader_t *r, const yaml_node_t *node, const char *text,
                                  const page_expr_t **count) {
  parser_t p = {r, node, text, text};
  const page_expr_t *e = shifted(&p);
  if (count) {
    *count = take(&p, "x ") ? shifted(&p) : NULL;
  }
  skip_blanks(&p);
  if (*p.at) {
    expected(&p, count ? "an operator, or ' x ' and a number of elements" : "an operator");
  }
  return e;
}

bool page_is_constant(const page_expr_t *e, int64_t *value) {
  *value = e->value;
  return e->op == ExprNumber;
}

const char *page_expr_name(const page_t *page, const page_expr_t *e) {
  return e->op == ExprParam    ? page->params[e->value].name
         : e->op == ExprDerive ? page->derives[e->value].name
                               : NULL;
}

// ---- Values ----

static int64_t clog2(int64_t n) {
  int64_t bits = 0;
  while (bits < 62 && (int64_t)1 << bits < n) {
    bits++;
  }
  return bits;
}

// All is defined, also what no page has at an allowed value: a divisor is at least 1, and a range
// that does not fit 64 bits wraps.
static int64_t apply(int op, int64_t a, int64_t b) {
  const int64_t shift = b < 0 ? 0 : b > 62 ? 62 : b;
  switch (op) {
    case ExprAdd: return (int64_t)((uint64_t)a + (uint64_t)b);
    case ExprSub: return (int64_t)((uint64_t)a - (uint64_t)b);
    case ExprMul: return (int64_t)((uint64_t)a * (uint64_t)b);
    case ExprDiv: return b > 0 ? a / b : 0;
    case ExprShl: return (int64_t)((uint64_t)a << shift);
    case ExprShr: return a >> shift;
    case ExprMin: return a < b ? a : b;
    case ExprMax: return a > b ? a : b;
    default: return clog2(a);
  }
}

int64_t page_value(const page_t *page, const page_expr_t *e, const int64_t params[PageMaxParams]) {
  switch (e->op) {
    case ExprNumber: return e->value;
    case ExprParam: return params[e->value];
    case ExprDerive: return page_value(page, e->a, params);
    default:
      return apply(e->op, page_value(page, e->a, params),
                   e->b ? page_value(page, e->b, params) : 0);
  }
}

// Every operation is monotone in each operand where operands are not negative: the ends of the
// result are among those of the operands.
void page_expr_range(const page_t *page, const page_expr_t *e, int64_t *low, int64_t *high) {
  int64_t a[2], b[2] = {0, 0};
  if (e->op == ExprNumber) {
    *low = *high = e->value;
    return;
  }
  if (e->op == ExprParam) {
    *low = page->params[e->value].low;
    *high = page->params[e->value].high;
    return;
  }
  page_expr_range(page, e->a, &a[0], &a[1]);
  if (e->op == ExprDerive) {
    const int64_t max = page->derives[e->value].max;
    *low = a[0];
    *high = a[1] < max ? a[1] : max;
    return;
  }
  if (e->b) {
    page_expr_range(page, e->b, &b[0], &b[1]);
  }
  *low = INT64_MAX;
  *high = INT64_MIN;
  for (int i = 0; i < 4; i++) {
    const int64_t v = apply(e->op, a[i & 1], b[i >> 1]);
    *low = v < *low ? v : *low;
    *high = v > *high ? v : *high;
  }
}

const page_expr_t *page_expr_import(page_reader_t *r, const yaml_node_t *node, const page_t *owner,
                                    const page_expr_t *e) {
  if (e->op == ExprNumber) {
    return page_expr_number(r, e->value);
  }
  if (e->op == ExprParam || e->op == ExprDerive) {
    const char *name =
        e->op == ExprParam ? owner->params[e->value].name : owner->derives[e->value].name;
    const page_expr_t *own = named(r, name, strlen(name));
    if (!own) {
      page_fail(r, node, "a type of %s needs %s, expected a parameter or derived name of this page",
                owner->name, name);
    }
    return own;
  }
  const page_expr_t *a = page_expr_import(r, node, owner, e->a);
  const page_expr_t *b = e->b ? page_expr_import(r, node, owner, e->b) : NULL;
  return new_expr(r, e->op, a, e->op == ExprDiv ? divisor(r, node, owner->name, b) : b);
}

// ---- Text ----

void page_camel(const char *name, char *text, size_t size) {
  size_t n = 0;
  bool start = true;
  for (; *name && n + 1 < size; name++) {
    if (*name == '_') {
      start = true;
    } else {
      text[n++] = start ? (char)toupper((unsigned char)*name) : *name;
      start = false;
    }
  }
  text[n] = '\0';
}

typedef struct {
  const page_t *page;
  page_text_e style;
  char *text;
  size_t used;
} writer_t;

static void put(writer_t *w, const char *text) {
  int n = snprintf(w->text + w->used, PageTextSize - w->used, "%s", text);
  w->used += (size_t)n < PageTextSize - w->used ? (size_t)n : PageTextSize - 1 - w->used;
}

static void put_expr(writer_t *w, const page_expr_t *e, bool is_inner);

static void put_call(writer_t *w, const char *function, const page_expr_t *e) {
  put(w, function);
  put(w, "(");
  put_expr(w, e->a, false);
  if (e->b) {
    put(w, ", ");
    put_expr(w, e->b, false);
  }
  put(w, ")");
}

// SystemVerilog has no min and max.
static void put_choice(writer_t *w, const page_expr_t *e) {
  put(w, "((");
  put_expr(w, e->a, true);
  put(w, e->op == ExprMin ? " < " : " > ");
  put_expr(w, e->b, true);
  put(w, ") ? ");
  put_expr(w, e->a, true);
  put(w, " : ");
  put_expr(w, e->b, true);
  put(w, ")");
}

static void put_name(writer_t *w, const page_expr_t *e) {
  char text[128];
  if (e->op == ExprParam && w->style == PageTextC) {
    snprintf(text, sizeof text, "p->%s", w->page->params[e->value].name);
  } else if (e->op == ExprParam) {
    snprintf(text, sizeof text, "%s", w->page->params[e->value].rtl);
  } else {
    page_camel(w->page->derives[e->value].name, text, sizeof text);
  }
  put(w, text);
}

static void put_expr(writer_t *w, const page_expr_t *e, bool is_inner) {
  static const char *const Signs[] = {" + ", " - ", " * ", " / ", " << ", " >> "};
  char number[32];
  switch (e->op) {
    case ExprNumber:
      snprintf(number, sizeof number, w->style == PageTextC ? "%" PRId64 "u" : "%" PRId64,
               e->value);
      put(w, number);
      break;
    case ExprDerive:
      if (w->style == PageTextC) {
        put_expr(w, e->a, is_inner);
        break;
      }
      put_name(w, e);
      break;
    case ExprParam: put_name(w, e); break;
    case ExprMin:
    case ExprMax:
      if (w->style == PageTextRtl) {
        put_choice(w, e);
      } else {
        put_call(w, e->op == ExprMin ? "unit_min" : "unit_max", e);
      }
      break;
    case ExprClog2: put_call(w, w->style == PageTextRtl ? "$clog2" : "unit_clog2", e); break;
    default:
      put(w, is_inner ? "(" : "");
      put_expr(w, e->a, true);
      put(w, Signs[e->op - ExprAdd]);
      put_expr(w, e->b, true);
      put(w, is_inner ? ")" : "");
  }
}

void page_expr_text(const page_t *page, const page_expr_t *expr, page_text_e style,
                    char text[PageTextSize]) {
  writer_t w = {page, style, text, 0};
  text[0] = '\0';
  put_expr(&w, expr, false);
}
