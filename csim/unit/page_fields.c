// SPDX-License-Identifier: Apache-2.0
// The types, streams, events, pins, peek port, error and state of a page as the fields of the
// C structs and the ports.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_internal.h"

// A struct that is being built: fields and members in order.
typedef struct {
  page_reader_t *reader;
  page_field_t *fields;
  page_member_t *members;
  uint32_t field_count, member_count;
} builder_t;

// The properties that all fields of a stream share.
typedef struct {
  page_role_e role;
  bool is_output;
  const char *stream;       // or NULL
  int32_t index;            // of the stream, or -1
  const page_expr_t *each;  // lanes with a payload each, or NULL
} place_t;

static builder_t begin(page_reader_t *r) {
  return (builder_t){r, page_alloc(r, PageMaxFields * sizeof(page_field_t)),
                     page_alloc(r, PageMaxFields * sizeof(page_member_t)), 0, 0};
}

static page_field_t *new_field(builder_t *b, const yaml_node_t *node) {
  if (b->field_count == PageMaxFields || b->member_count == PageMaxFields) {
    page_fail(b->reader, node, "expected at most %d fields", PageMaxFields);
  }
  page_field_t *f = &b->fields[b->field_count++];
  f->stream = -1;
  f->line = (uint32_t)node->start_mark.line + 1;
  return f;
}

static void add_member(builder_t *b, const char *name, const page_spec_t *spec, uint32_t field) {
  page_member_t *m = &b->members[b->member_count++];
  *m = (page_member_t){.name = name, .field = field, .gap = m->gap};
  if (spec && spec->type) {
    m->type_page = spec->owner->name;
    m->type = spec->type->name;
  }
}

// ---- Fields ----

static const char *port_name(page_reader_t *r, const place_t *at, const char *stem) {
  const char *suffix = at->is_output ? "o" : "i";
  return !at->stream ? page_format(r, "%s_%s", stem, suffix)
         : !stem[0]  ? page_format(r, "%s_%s", at->stream, suffix)
                     : page_format(r, "%s_%s_%s", at->stream, stem, suffix);
}

// Elements of all lanes.
static void set_count(builder_t *b, const page_spec_t *s, page_field_t *f, const page_expr_t *count,
                      const place_t *at) {
  page_reader_t *r = b->reader;
  int64_t inner = 1;
  f->is_array = count != NULL || at->each;
  f->count = count ? count : page_expr_number(r, 1);
  if (at->each) {
    if (!page_is_constant(f->count, &inner)) {
      page_fail(r, s->node, "%s: the elements of a lane depend on a parameter, expected a number",
                f->path);
    }
    f->each_lane = true;
    f->per_lane = (uint32_t)inner;
    f->count = page_expr_times(r, at->each, f->count);
  }
  page_size_in_c(r, s->node, f);
}

static void place_field(page_field_t *f, const place_t *at, const char *name) {
  f->role = at->role;
  f->is_output = at->is_output;
  f->name = name;
  f->stream = at->index;
}

// The fields of a type, below `prefix` in C.
static void add_typed(builder_t *b, const page_spec_t *s, const char *prefix, const place_t *at,
                      bool is_in_type) {
  page_reader_t *r = b->reader;
  if (at->each) {
    page_fail(r, s->node, "%s: a type with a payload each, expected fields", prefix);
  }
  for (uint32_t i = 0; i < s->type->field_count; i++) {
    const page_field_t *of = &s->type->fields[i];
    page_field_t *f = new_field(b, s->node);
    const uint32_t stream = (uint32_t)f->stream, line = f->line;
    *f = *of;
    f->stream = (int32_t)stream;
    f->line = line;
    place_field(f, at, of->name);
    f->path = page_format(r, "%s.%s", prefix, of->path);
    f->port = is_in_type ? of->port : port_name(r, at, of->port);
    const char *own = is_in_type ? NULL : page_doc(r, f->port);
    f->doc = own ? own : of->doc;
    if (s->owner != r->page) {
      f->bits = page_expr_import(r, s->node, s->owner, of->bits);
      f->count = page_expr_import(r, s->node, s->owner, of->count);
      page_size_in_c(r, s->node, f);
      if (f->c_bytes != of->c_bytes || f->count_max != of->count_max || f->is_bool != of->is_bool) {
        page_fail(r, s->node,
                  "%s: another size in C here than in %s, expected the same largest one", f->path,
                  s->owner->name);
      }
    }
  }
}

static void add_field(builder_t *b, const page_spec_t *s, const place_t *at) {
  page_reader_t *r = b->reader;
  const char *path = s->c          ? s->c
                     : !at->stream ? s->name
                     : !s->name[0] ? at->stream
                                   : page_format(r, "%s_%s", at->stream, s->name);
  page_check_c(r, s->node, path);
  if (s->type) {
    add_member(b, path, s, 0);
    add_typed(b, s, path, at, false);
    return;
  }
  page_field_t *f = new_field(b, s->node);
  place_field(f, at, s->name);
  f->path = path;
  f->port = port_name(r, at, s->port ? s->port : s->name);
  f->doc = page_doc(r, f->port);
  f->bits = s->bits;
  f->values = s->values;
  f->is_mask = s->is_mask;
  set_count(b, s, f, s->count, at);
  add_member(b, path, NULL, b->field_count - 1);
}

static void add_fields(builder_t *b, const yaml_node_t *map, const place_t *at) {
  page_reader_t *r = b->reader;
  page_is_mapping(r, map, at->stream ? at->stream : "fields");
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const bool is_own = key->type == YAML_SCALAR_NODE && key->data.scalar.length == 0;
    const char *name = is_own ? "" : page_name(r, key, "field");
    const page_spec_t s = page_read_spec(r, name, yaml_file_node(&r->file, pair->value));
    add_field(b, &s, at);
  }
}

// ---- Types ----

static void read_type(page_reader_t *r, const yaml_node_t *map, page_type_t *type) {
  const place_t at = {.role = PagePayload, .index = -1};
  builder_t b = begin(r);
  page_is_mapping(r, map, type->name);
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const bool is_own = key->type == YAML_SCALAR_NODE && key->data.scalar.length == 0;
    const char *name = is_own ? "" : page_name(r, key, type->name);
    const page_spec_t s = page_read_spec(r, name, yaml_file_node(&r->file, pair->value));
    const char *path = is_own ? type->name : name;
    page_check_c(r, s.node, path);
    if (s.c) {
      page_fail(r, s.node, "%s: c in a type, expected it in a stream's fields only", name);
    }
    if (s.type) {
      add_member(&b, path, &s, 0);
      add_typed(&b, &s, path, &at, true);
      continue;
    }
    page_field_t *f = new_field(&b, s.node);
    place_field(f, &at, name);
    f->path = path;
    f->port = s.port ? s.port : name;
    f->doc = page_doc(r, page_format(r, "%s.%s", type->name, f->port));
    f->bits = s.bits;
    f->values = s.values;
    f->is_mask = s.is_mask;
    set_count(&b, &s, f, s.count, &at);
    add_member(&b, path, NULL, b.field_count - 1);
  }
  type->fields = b.fields;
  type->field_count = b.field_count;
  type->members = b.members;
  type->member_count = b.member_count;
}

void page_read_types(page_reader_t *r, const yaml_node_t *root) {
  const yaml_node_t *map = page_find(r, root, "types");
  if (!map) {
    return;
  }
  page_is_mapping(r, map, "types");
  const size_t count = (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
  page_type_t *types = page_alloc(r, (count + 1) * sizeof *types);
  r->page->types = types;
  PAGE_PAIRS(r, map, pair) {
    page_type_t *type = &types[r->page->type_count];
    type->name = page_name(r, yaml_file_node(&r->file, pair->key), "types");
    read_type(r, yaml_file_node(&r->file, pair->value), type);
    r->page->type_count++;
  }
}

// ---- Streams ----

typedef struct {
  builder_t in, out, state;
  page_stream_t *streams;
  uint32_t stream_count;
} fields_t;

// One field that is not on the page as such: valid, ready, error and so on.
static int32_t add_plain(builder_t *b, const yaml_node_t *node, page_role_e role, bool is_output,
                         int32_t stream, const char *name, const page_expr_t *bits) {
  const place_t at = {.role = role, .is_output = is_output, .index = stream};
  const page_spec_t s = {.node = node,
                         .name = name,
                         .bits = bits ? bits : page_expr_number(b->reader, 1),
                         .is_mask = bits != NULL};
  add_field(b, &s, &at);
  return (int32_t)b->field_count - 1;
}

static void read_payload(fields_t *f, const yaml_node_t *map, page_stream_t *s, int32_t index,
                         const char *keys) {
  builder_t *b = s->is_output ? &f->out : &f->in;
  page_reader_t *r = b->reader;
  const yaml_node_t *type = page_find(r, map, "type"),
                    *fields = keys ? page_find(r, map, "fields") : map;
  const place_t at = {PagePayload, s->is_output, s->name, index, s->each ? s->lanes : NULL};
  s->first = b->field_count;
  if (keys && type) {
    page_spec_t spec = {.node = type, .name = ""};
    spec.type = page_find_type(r, page_text(r, type, "type"), &spec.owner);
    if (!spec.type) {
      page_fail(r, type, "type: %s, expected a type of this page or one that import names",
                page_text(r, type, "type"));
    }
    s->type = s->name;
    add_field(b, &spec, &at);
  }
  if (fields) {
    add_fields(b, fields, &at);
  }
  s->count = b->field_count - s->first;
}

static bool word_is(page_reader_t *r, const yaml_node_t *map, const char *key, const char *yes,
                    const char *no, bool otherwise) {
  const yaml_node_t *node = page_find(r, map, key);
  if (!node) {
    return otherwise;
  }
  const char *text = page_text(r, node, key);
  if (strcmp(text, yes) != 0 && strcmp(text, no) != 0) {
    page_fail(r, node, "%s: %s, expected %s or %s", key, text, yes, no);
  }
  return strcmp(text, yes) == 0;
}

static page_stream_t *new_stream(fields_t *f, const yaml_node_t *key) {
  page_reader_t *r = f->in.reader;
  page_stream_t *s = &f->streams[f->stream_count];
  if (f->stream_count + 1 == PageMaxStreams) {
    page_fail(r, key, "expected at most %d streams and events", PageMaxStreams - 1);
  }
  s->name = page_name(r, key, "stream");
  s->valid = s->ready = s->log_pin = -1;
  s->line = (uint32_t)key->start_mark.line + 1;
  for (uint32_t i = 0; i < f->stream_count; i++) {
    if (strcmp(f->streams[i].name, s->name) == 0) {
      page_fail(r, key, "%s stands twice, expected once", s->name);
    }
  }
  f->stream_count++;
  return s;
}

static void read_stream(fields_t *f, const yaml_node_t *key, const yaml_node_t *map) {
  page_reader_t *r = f->in.reader;
  page_stream_t *s = new_stream(f, key);
  const int32_t index = (int32_t)f->stream_count - 1;
  page_keys(r, map, s->name, "dir ready valid lanes payload type fields back");
  const yaml_node_t *valid = page_find(r, map, "valid"), *lanes = page_find(r, map, "lanes");
  const yaml_node_t *ready = page_find(r, map, "ready"), *back = page_find(r, map, "back");
  if (!page_find(r, map, "dir")) {
    page_fail(r, map, "%s: expected dir, in or out", s->name);
  }
  s->is_output = word_is(r, map, "dir", "out", "in", false);
  s->has_ready = ready && page_flag(r, ready, "ready");
  s->lanes = lanes ? page_expr_read(r, lanes, page_text(r, lanes, "lanes"), NULL) : NULL;
  s->each = word_is(r, map, "payload", "each", "shared", false);
  if (page_find(r, map, "payload") && !lanes) {
    page_fail(r, page_find(r, map, "payload"), "payload: expected lanes too");
  }
  builder_t *ours = s->is_output ? &f->out : &f->in, *theirs = s->is_output ? &f->in : &f->out;
  ours->members[ours->member_count].gap = 1;
  s->valid = add_plain(ours, map, PageValid, s->is_output, index,
                       valid ? page_name(r, valid, "valid") : page_format(r, "%s_valid", s->name),
                       s->lanes);
  read_payload(f, map, s, index, "fields");
  theirs->members[theirs->member_count].gap = s->has_ready || back;
  if (s->has_ready) {
    s->ready = add_plain(theirs, map, PageReady, !s->is_output, index,
                         page_format(r, "%s_ready", s->name), s->lanes);
  }
  s->back_first = theirs->field_count;
  if (back) {
    const place_t at = {PageBack, !s->is_output, s->name, index, s->each ? s->lanes : NULL};
    add_fields(theirs, back, &at);
  }
  s->back_count = theirs->field_count - s->back_first;
}

static void read_event(fields_t *f, const yaml_node_t *key, const yaml_node_t *map) {
  page_reader_t *r = f->in.reader;
  page_stream_t *s = new_stream(f, key);
  const int32_t index = (int32_t)f->stream_count - 1;
  s->is_output = s->is_event = true;
  f->out.members[f->out.member_count].gap = 1;
  s->valid =
      add_plain(&f->out, map, PageValid, true, index, page_format(r, "%s_valid", s->name), NULL);
  read_payload(f, map, s, index, NULL);
}

// ---- Pins, peek, error, state ----

static void read_pins(fields_t *f, const yaml_node_t *root, bool outputs) {
  page_reader_t *r = f->in.reader;
  const yaml_node_t *pins = page_find(r, root, "pins");
  if (!pins) {
    return;
  }
  page_is_mapping(r, pins, "pins");
  PAGE_PAIRS(r, pins, pair) {
    const yaml_node_t *map = yaml_file_node(&r->file, pair->value);
    const char *name = page_name(r, yaml_file_node(&r->file, pair->key), "pins");
    page_keys(r, map, name, "dir bits constant log show");
    if (!page_find(r, map, "dir") || !page_find(r, map, "bits")) {
      page_fail(r, map, "%s: expected dir and bits", name);
    }
    const place_t at = {
        .role = PagePin, .is_output = word_is(r, map, "dir", "out", "in", false), .index = -1};
    const yaml_node_t *constant = page_find(r, map, "constant"), *show = page_find(r, map, "show");
    if (at.is_output == outputs) {
      page_spec_t s = {.node = map, .name = name, .is_mask = show != NULL};
      page_read_width(r, page_find(r, map, "bits"), &s);
      builder_t *b = outputs ? &f->out : &f->in;
      add_field(b, &s, &at);
      b->fields[b->field_count - 1].constant = constant && page_flag(r, constant, "constant");
    }
  }
}

// `log: cmd` of a pin: the log shows it with the transactions of that stream.
static void read_pin_logs(fields_t *f, const yaml_node_t *root) {
  page_reader_t *r = f->in.reader;
  const yaml_node_t *pins = page_find(r, root, "pins");
  if (!pins) {
    return;
  }
  PAGE_PAIRS(r, pins, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const yaml_node_t *log = page_find(r, yaml_file_node(&r->file, pair->value), "log");
    const char *name = log ? page_text(r, log, "log") : "";
    page_stream_t *found = NULL;
    for (uint32_t i = 0; log && i < f->stream_count; i++) {
      found = strcmp(f->streams[i].name, name) == 0 ? &f->streams[i] : found;
    }
    const builder_t *b = found && found->is_output ? &f->out : &f->in;
    for (uint32_t i = 0; found && i < b->field_count; i++) {
      if (b->fields[i].role == PagePin && !strcmp(b->fields[i].path, page_text(r, key, "pins"))) {
        found->log_pin = (int32_t)i;
      }
    }
    if (log && (!found || found->log_pin < 0)) {
      page_fail(r, log, "log: %s, expected a stream of the pin's direction", name);
    }
  }
}

static void read_limits(page_reader_t *r, const yaml_node_t *map) {
  page_t *page = r->page;
  page_peek_t *peeks = page_alloc(
      r, (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start) * sizeof *peeks);
  page->peeks = peeks;
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *limit = yaml_file_node(&r->file, pair->value);
    peeks[page->peek_count].name = page_find_values(page, "peek")->values[page->peek_count];
    peeks[page->peek_count++].limit = page_expr_read(r, limit, page_text(r, limit, "limit"), NULL);
  }
}

static void read_peek(fields_t *f, const yaml_node_t *root) {
  page_reader_t *r = f->in.reader;
  const yaml_node_t *map = page_find(r, root, "peek");
  if (!map) {
    return;
  }
  page_stream_t *s = &f->streams[f->stream_count];
  const int32_t index = (int32_t)f->stream_count++;
  const yaml_node_t *data = page_find(r, map, "data"), *of = page_find(r, map, "of");
  *s = (page_stream_t){
      .name = "peek", .ready = -1, .log_pin = -1, .line = (uint32_t)map->start_mark.line + 1};
  if (!data || !page_find(r, map, "index")) {
    page_fail(r, map, "peek: expected index and data, widths");
  }
  f->in.members[f->in.member_count].gap = 1;
  s->valid = add_plain(&f->in, map, PagePeekValid, false, index, "peek_valid", NULL);
  s->first = f->in.field_count;
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *value = yaml_file_node(&r->file, pair->value);
    if (value == data || value == of) {
      continue;
    }
    const char *name = page_name(r, yaml_file_node(&r->file, pair->key), "peek");
    page_spec_t spec = {.node = value, .name = name};
    if (value->type == YAML_MAPPING_NODE) {
      read_limits(r, value);
      spec.values = page_find_values(r->page, "peek");
      spec.bits = page_expr_number(r, page_bits_for(spec.values->count));
    } else {
      page_read_width(r, value, &spec);
    }
    const place_t at = {PagePeekInput, false, "peek", index, NULL};
    add_field(&f->in, &spec, &at);
    if (of && strcmp(name, "index") == 0) {
      f->in.fields[f->in.field_count - 1].limit =
          page_expr_read(r, of, page_text(r, of, "of"), NULL);
    }
  }
  s->count = f->in.field_count - s->first;
  const page_spec_t answer = {.node = data,
                              .name = "data",
                              .bits = page_expr_read(r, data, page_text(r, data, "data"), NULL)};
  const place_t at = {PagePeekData, true, "peek", index, NULL};
  f->out.members[f->out.member_count].gap = 1;
  add_field(&f->out, &answer, &at);
  r->page->has_peek = true;
}

static void read_error(fields_t *f, const yaml_node_t *root) {
  page_reader_t *r = f->in.reader;
  page_t *page = r->page;
  const yaml_node_t *error = page_find(r, root, "error"), *bits = page_find(r, root, "error_bits");
  const yaml_node_t *parts = page_find(r, root, "parts");
  if ((error != NULL) == (parts != NULL)) {
    page_fail(r, root, "page: expected error, the names of the error codes, or parts");
  }
  const place_t at = {.role = PageError, .is_output = true, .index = -1};
  page_spec_t s = {.node = error ? error : parts, .name = "error"};
  if (parts) {
    if (parts->type != YAML_SEQUENCE_NODE) {
      page_fail(r, parts, "parts: expected a list of units");
    }
    const size_t count =
        (size_t)(parts->data.sequence.items.top - parts->data.sequence.items.start);
    const char **names = page_alloc(r, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++) {
      names[i] =
          page_name(r, yaml_file_node(&r->file, parts->data.sequence.items.start[i]), "parts");
    }
    page->parts = names;
    page->part_count = (uint32_t)count;
    s.bits = page_expr_number(r, 4 * (int64_t)count);
  } else {
    s.values = page_find_values(page, "error");
    const int64_t least = page_bits_for(s.values->count);
    s.bits = page_expr_number(r, bits ? page_number(r, bits, "error_bits", least, 64) : least);
  }
  add_field(&f->out, &s, &at);
}

// Two fields of one name would be one member of a struct or one port.
static void check_names(fields_t *f, const yaml_node_t *root) {
  const builder_t *const structs[] = {&f->in, &f->out, &f->state};
  for (int a = 0; a < 3; a++) {
    for (uint32_t i = 0; i < structs[a]->field_count; i++) {
      const page_field_t *x = &structs[a]->fields[i];
      if (strcmp(x->port, "clk_i") == 0) {
        yaml_node_t at = *root;  // fields keep their line, not their node
        at.start_mark.line = x->line - 1;
        page_fail(f->in.reader, &at, "clk_i: the name of the clock, expected another");
      }
      for (int b = 0; b <= a; b++) {
        for (uint32_t k = 0; k < (a == b ? i : structs[b]->field_count); k++) {
          const page_field_t *y = &structs[b]->fields[k];
          if (strcmp(x->port, y->port) == 0 || (a == b && strcmp(x->path, y->path) == 0)) {
            page_fail(f->in.reader, root,
                      "%s: two fields of this name, on lines %u and %u, expected one",
                      strcmp(x->port, y->port) == 0 ? x->port : x->path, y->line, x->line);
          }
        }
      }
    }
  }
}

static void read_all(page_reader_t *r, fields_t *f, const yaml_node_t *root) {
  const yaml_node_t *streams = page_find(r, root, "streams"),
                    *events = page_find(r, root, "events");
  const yaml_node_t *state = page_find(r, root, "state");
  add_plain(&f->out, root, PageQuiescent, true, -1, "quiescent", NULL);
  read_error(f, root);
  read_pins(f, root, false);
  read_pins(f, root, true);
  if (streams) {
    page_is_mapping(r, streams, "streams");
    PAGE_PAIRS(r, streams, pair) {
      read_stream(f, yaml_file_node(&r->file, pair->key), yaml_file_node(&r->file, pair->value));
    }
  }
  if (events) {
    page_is_mapping(r, events, "events");
    PAGE_PAIRS(r, events, pair) {
      read_event(f, yaml_file_node(&r->file, pair->key), yaml_file_node(&r->file, pair->value));
    }
  }
  read_peek(f, root);
  read_pin_logs(f, root);
  if (state) {
    const place_t at = {.role = PageState, .is_output = true, .index = -1};
    add_fields(&f->state, state, &at);
  }
  if (f->in.field_count == 0) {
    page_fail(r, root, "page: expected at least one input");
  }
}

void page_read_fields(page_reader_t *r, const yaml_node_t *root) {
  page_t *page = r->page;
  fields_t f = {begin(r), begin(r), begin(r), page_alloc(r, PageMaxStreams * sizeof(page_stream_t)),
                0};
  read_all(r, &f, root);
  check_names(&f, root);
  page->streams = f.streams;
  page->stream_count = f.stream_count;
  page->in = f.in.fields;
  page->in_count = f.in.field_count;
  page->in_members = f.in.members;
  page->in_member_count = f.in.member_count;
  page->out = f.out.fields;
  page->out_count = f.out.field_count;
  page->out_members = f.out.members;
  page->out_member_count = f.out.member_count;
  page->state = f.state.fields;
  page->state_count = f.state.field_count;
  page->state_members = f.state.members;
  page->state_member_count = f.state.member_count;
}
