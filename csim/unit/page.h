// SPDX-License-Identifier: Apache-2.0
// A unit's page (csim/unit/NAME.yaml) as plain data: what the generators, the harness and lint
// know of the unit. docs/reference/description.md has the notation.
//
// Sizes in C follow from the largest value an expression can take over the ranges of the
// parameters; in hardware they follow from a parameter set.
//
// Rules of names. A field of a stream `s` with its own fields is s_FIELD in C and on the port
// (s_FIELD_i or s_FIELD_o); of a type it is s.FIELD in C. The field "" is named as its stream
// on the port, in C as its stream, or as its type inside one. Ports of arrays are packed, the
// first element lowest; of a stream with lanes, lane 0 lowest.
//
// The order within a struct, also that of packed vectors, lowest first:
//   in     pins, then each stream's valid and payload (dir in), ready and back (dir out), peek
//   out    quiescent, error, pins, then each stream's ready and back (dir in), valid and
//          payload (dir out), each event's valid and payload, peek_data
//   state  as on the page
#ifndef NOCTURNE_UNIT_PAGE_H
#define NOCTURNE_UNIT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"

enum { PageMaxParams = 32, PageTextSize = 512 };

typedef struct page page_t;
typedef struct page_expr page_expr_t;  // of integers and names; never NULL in a page that was read

// Names for the numbers from 0. C: enum PAGE_NAME_e, values PageNameVALUE; their number PageNames.
typedef struct {
  const char *name;
  const char *page;  // of the page that defines them
  const char *const *values;
  uint32_t count;
} page_values_t;

typedef struct {
  const char *name;   // in C; params in the parameter struct
  const char *rtl;    // of the unit's parameter
  const char *top;    // of the generated top's parameter; as rtl unless the page says otherwise
  const char *is;     // SystemVerilog: the unit's parameter from the top's; NULL: the same
  bool in_c;          // false (c: none): no member in C and no parameter of the top but a default
  bool is_bool;       // range 0..1
  int64_t low, high;  // range, ends included
  bool power_of_two;
  const int64_t *of;  // the only values allowed, or NULL
  uint32_t of_count;
  const page_values_t *values;  // names of its values, or NULL
  int64_t initial;              // default
  uint32_t line;                // of the page
  const char *doc;              // its meaning; NULL: the page has no doc
} page_param_t;

// A named parameter set: the defaults but for what the page says.
typedef struct {
  const char *name;
  const int64_t *values;  // one for each of page->params
} page_set_t;

// A name for an expression.
typedef struct {
  const char *name;
  const page_expr_t *is;
  int64_t max;  // over all parameter sets
} page_derive_t;

typedef enum {
  PageQuiescent,
  PageError,
  PagePin,
  PageValid,
  PageReady,
  PagePayload,
  PageBack,
  PagePeekValid,
  PagePeekInput,
  PagePeekData,
  PageState,
} page_role_e;

// A field of the in, out or state struct: one or more elements of one width.
typedef struct {
  page_role_e role;
  bool is_output;               // of the unit; true for state
  const char *name;             // on the page, "" for the one named as its stream
  const char *port;             // whole: "beat_in_mask_i"
  const char *path;             // in the C struct: "beat_in.pieces.mask"
  const page_expr_t *bits;      // of an element in hardware, 1 to 64
  const page_expr_t *count;     // elements in hardware, all lanes together; 1 if not an array
  bool is_array;                // in C (a width x count, or a field of each lane)
  bool each_lane;               // one element or one group of elements for each lane
  uint32_t per_lane;            // elements of a lane with each_lane; else 0
  uint32_t bits_max;            // over all parameter sets
  uint32_t count_max;           // elements of the C array, all lanes together; 1 if none
  uint32_t c_bytes;             // of an element: 1, 2, 4 or 8
  bool is_bool;                 // bool in C: one bit, no names of values
  const page_values_t *values;  // or NULL
  bool is_mask;                 // shown in hexadecimal: each bit stands for itself
  bool constant;                // a pin: from one reset to the next
  const page_expr_t *limit;     // peek_index, if one limit holds for all: indices below it; or NULL
  int32_t stream;               // index into page_t.streams; -1: of none
  uint32_t line;                // of the page
  const char *doc;              // its meaning; NULL: the page has no doc
} page_field_t;

// A stream, an event (is_event: an output without ready, 0 while not valid) or the log's view
// of the peek port. Its fields are the indices below, -1 for none.
typedef struct {
  const char *name;
  bool is_output;  // valid and payload come from the unit
  bool is_event;
  bool has_ready;
  bool each;                 // a payload for each lane; else one for all
  const page_expr_t *lanes;  // NULL: one lane, valid is a bit; else valid and ready are masks
  const char *type;          // of the C member that holds the payload: "beat"; NULL: none
  int32_t valid, ready;      // in page_t.in or .out by direction: valid in `is_output ? out : in`,
                             // ready in the other
  uint32_t first, count;     // payload: a range of the struct that has valid
  uint32_t back_first, back_count;  // back: a range of the struct that has ready
  int32_t log_pin;  // pin (page_t.in or .out, as valid) that the log shows with it, or -1
  uint32_t line;
} page_stream_t;

// A member of a C struct: a field or a struct of a type.
typedef struct {
  const char *name;
  const char *type_page, *type;  // a struct of that type of that page; NULL: a field
  uint32_t field;                // index into the struct's fields, if a field
  uint32_t gap;                  // 1: begins a stream; for the layout of the header
} page_member_t;

// A struct type of the page: the C type PAGE_NAME_t.
typedef struct {
  const char *name;
  const page_field_t *fields;  // of the type alone: path and port relative to the type
  uint32_t field_count;
  const page_member_t *members;
  uint32_t member_count;
} page_type_t;

// One of the things that peek_select names: `limit` indices.
typedef struct {
  const char *name;
  const page_expr_t *limit;
} page_peek_t;

struct page {
  const char *file, *name, *contract;
  uint64_t hash;  // of the page's text without doc, and of the pages that it imports
  const page_param_t *params;
  uint32_t param_count;
  const page_set_t *sets;
  uint32_t set_count;
  const uint32_t *random_sets;  // indices of the sets that a seed chooses from; one may repeat
  uint32_t random_count;
  const page_derive_t *derives;
  uint32_t derive_count;
  const page_values_t *values;  // of this page; peek and error are among them
  uint32_t value_count;
  const page_type_t *types;  // of this page
  uint32_t type_count;
  const char *const *imports;  // pages, each once
  uint32_t import_count;
  const page_stream_t *streams;  // streams, then events
  uint32_t stream_count;
  const page_field_t *in, *out, *state;
  uint32_t in_count, out_count, state_count;
  const page_member_t *in_members, *out_members, *state_members;
  uint32_t in_member_count, out_member_count, state_member_count;
  const page_peek_t *peeks;  // empty without a select
  uint32_t peek_count;
  bool has_peek;
  const char *const *parts;  // error: 4 bits for each of these units, the first lowest
  uint32_t part_count;
  void *memory;
};

// Reads a page; those that it imports are looked for beside it, then in csim/unit. NULL with
// "file:line:column: what, expected ..." in error.
page_t *page_read(const char *path, err_t *err);
void page_free(page_t *page);

// The defaults: one value for each of page->params.
void page_defaults(const page_t *page, int64_t params[PageMaxParams]);

// The value of an expression for a parameter set.
int64_t page_value(const page_t *page, const page_expr_t *expr,
                   const int64_t params[PageMaxParams]);

// Returns true if the value is allowed; if not, one line "NAME=VALUE, expected ..." in error.
bool page_param_allows(const page_param_t *param, int64_t value, err_t *err);

bool page_is_constant(const page_expr_t *expr, int64_t *value);

// The parameter or derived name that the expression is, or NULL.
const char *page_expr_name(const page_t *page, const page_expr_t *expr);

// An expression as text. Rtl: parameters by their RTL name, derived ones as localparams
// (UpperCamelCase of their name), $clog2. C: params as "p->NAME", derived ones written out,
// functions unit_clog2, unit_min, unit_max (table.h).
typedef enum { PageTextRtl, PageTextC } page_text_e;
void page_expr_text(const page_t *page, const page_expr_t *expr, page_text_e style,
                    char text[PageTextSize]);

// "beat_kind" as "BeatKind".
void page_camel(const char *name, char *text, size_t size);

#endif
