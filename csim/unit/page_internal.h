// SPDX-License-Identifier: Apache-2.0
// Shared parts of the reader of unit descriptions. An error ends the reading by a jump: everything
// that was allocated belongs to the page.
#ifndef NOCTURNE_UNIT_PAGE_INTERNAL_H
#define NOCTURNE_UNIT_PAGE_INTERNAL_H

#include <setjmp.h>

#include "csim/base/yaml_file.h"
#include "page.h"

struct page_expr {
  enum {
    ExprNumber,
    ExprParam,
    ExprDerive,
    ExprAdd,
    ExprSub,
    ExprMul,
    ExprDiv,
    ExprShl,
    ExprShr,
    ExprMin,
    ExprMax,
    ExprClog2,
  } op;
  int64_t value;             // a number; the index of a parameter or derived name
  const page_expr_t *a, *b;  // operands; a of a derived name: what it stands for
};

enum { PageMaxImports = 8, PageMaxFields = 256, PageMaxStreams = 64 };

typedef struct block {
  struct block *next;
} page_block_t;

// The first of page_t.memory is the imported pages, then blocks.
typedef struct {
  page_block_t *blocks;
  page_t *imported[PageMaxImports];
} page_memory_t;

typedef struct {
  page_t *page;
  yaml_file_t file;
  jmp_buf broken;
  const page_t *imported[PageMaxImports];
  uint32_t depth;           // of imports
  const yaml_node_t *docs;  // or NULL
  size_t docs_line;         // of the key, from 0
} page_reader_t;

_Noreturn void page_fail(page_reader_t *r, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Zeroed; freed with the page.
void *page_alloc(page_reader_t *r, size_t size);
const char *page_format(page_reader_t *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The node of a key, or NULL.
const yaml_node_t *page_find(const page_reader_t *r, const yaml_node_t *map, const char *key);
const char *page_text(page_reader_t *r, const yaml_node_t *node, const char *what);
const char *page_name(page_reader_t *r, const yaml_node_t *node, const char *what);
int64_t page_number(page_reader_t *r, const yaml_node_t *node, const char *what, int64_t low,
                    int64_t high);
bool page_flag(page_reader_t *r, const yaml_node_t *node, const char *what);
// A value of a parameter: a number, or one of its names.
int64_t page_param_value(page_reader_t *r, const yaml_node_t *node, const char *what,
                         const page_param_t *param);

// Complains of a node that is no mapping or has other keys than these, "dir ready lanes".
void page_keys(page_reader_t *r, const yaml_node_t *map, const char *what, const char *keys);
void page_is_mapping(page_reader_t *r, const yaml_node_t *map, const char *what);
const page_values_t *page_find_values(const page_t *page, const char *name);

// ---- Expressions, page_expr.c ----

// "A x B" gives B in *count, which is else NULL; without count it is a complaint.
const page_expr_t *page_expr_read(page_reader_t *r, const yaml_node_t *node, const char *text,
                                  const page_expr_t **count);
const page_expr_t *page_expr_number(page_reader_t *r, int64_t value);
const page_expr_t *page_expr_times(page_reader_t *r, const page_expr_t *a, const page_expr_t *b);
// The least and the largest value over all parameter sets.
void page_expr_range(const page_t *page, const page_expr_t *expr, int64_t *low, int64_t *high);
// An imported page's expression with the names of the page that is read.
const page_expr_t *page_expr_import(page_reader_t *r, const yaml_node_t *node, const page_t *owner,
                                    const page_expr_t *expr);

// ---- Widths, page_width.c ----

// A field's entry in the unit description.
typedef struct {
  const yaml_node_t *node;
  const char *name;
  const page_expr_t *bits, *count;  // count: NULL if not an array
  const page_values_t *values;
  const page_type_t *type;  // NULL: not a struct
  const page_t *owner;      // of the type
  const char *c, *port;     // as given, or NULL
  bool is_mask;
} page_spec_t;

void page_size_in_c(page_reader_t *r, const yaml_node_t *node, page_field_t *f);
const page_type_t *page_find_type(page_reader_t *r, const char *text, const page_t **owner);
int64_t page_bits_for(uint32_t count);
void page_read_width(page_reader_t *r, const yaml_node_t *node, page_spec_t *s);
page_spec_t page_read_spec(page_reader_t *r, const char *name, const yaml_node_t *node);

// ---- Meanings, page_doc.c ----

// Finds the meanings; before parameters and types are read.
void page_find_docs(page_reader_t *r, const yaml_node_t *root);
// The meaning of a port, a parameter or TYPE.FIELD; NULL if the page gives none.
const char *page_doc(page_reader_t *r, const char *key);
// Complains of a port or parameter without a meaning, and of a meaning of nothing.
void page_check_docs(page_reader_t *r);

// ---- Words of the languages, page_words.c ----

// Complain of a name that C or SystemVerilog reserves.
void page_check_c(page_reader_t *r, const yaml_node_t *node, const char *name);
void page_check_rtl(page_reader_t *r, const yaml_node_t *node, const char *name);
// Complains of what is no expression of constants and parameters.
void page_check_text(page_reader_t *r, const yaml_node_t *node, const char *text);

// ---- Parameter sets, page_sets.c ----

void page_read_sets(page_reader_t *r, const yaml_node_t *root);

// ---- Streams, events, pins, peek, error, state: page_fields.c ----

void page_read_types(page_reader_t *r, const yaml_node_t *root);
void page_read_fields(page_reader_t *r, const yaml_node_t *root);

#define PAGE_PAIRS(r, map, pair)                                       \
  for (const yaml_node_pair_t *pair = (map)->data.mapping.pairs.start; \
       pair < (map)->data.mapping.pairs.top; pair++)

#endif
