// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a unit.
#include <inttypes.h>
#include <string.h>

#include "generate_parts.h"
#include "table.h"

// Expressions that depend on a parameter, each once: the dimensions of an instance.
typedef struct {
  FILE *file;
  const page_t *page;
  const char *prefix;  // of the tables' names
  char text[UnitMaxDims][PageTextSize];
  uint32_t count;
} tables_t;

// A number, or the dimension as "UnitDim + i".
static void put_number(tables_t *t, const page_expr_t *e) {
  int64_t value;
  char text[PageTextSize];
  if (!e || page_is_constant(e, &value)) {
    fprintf(t->file, "%" PRId64, e ? value : 0);
    return;
  }
  page_expr_text(t->page, e, PageTextC, text);
  uint32_t i = 0;
  while (i < t->count && strcmp(t->text[i], text) != 0) {
    i++;
  }
  if (i < UnitMaxDims) {
    memcpy(t->text[i], text, sizeof text);
    t->count += i == t->count;
  }
  fprintf(t->file, "UnitDim + %u", i);
}

static void put_names(FILE *f, const page_values_t *values) {
  if (values) {
    fprintf(f, "%s_%s_names", values->page, values->name);
  } else {
    fprintf(f, "NULL");
  }
}

// Each set of names once, also of imported pages.
static void put_value_names(FILE *f, const page_t *page) {
  const page_values_t *seen[256];
  uint32_t count = 0;
  const page_field_t *const structs[] = {page->in, page->out, page->state};
  const uint32_t counts[] = {page->in_count, page->out_count, page->state_count};
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (page->params[i].values) {
      seen[count++] = page->params[i].values;
    }
  }
  for (int s = 0; s < 3; s++) {
    for (uint32_t i = 0; i < counts[s]; i++) {
      const page_values_t *v = structs[s][i].values;
      uint32_t k = 0;
      while (v && k < count && seen[k] != v) {
        k++;
      }
      if (v && k == count && count < 256) {
        seen[count++] = v;
      }
    }
  }
  for (uint32_t k = 0; k < count; k++) {
    fprintf(f, "static const char *const %s_%s_names[] = {\n    ", seen[k]->page, seen[k]->name);
    for (uint32_t v = 0; v < seen[k]->count; v++) {
      fprintf(f, "\"%s\", ", seen[k]->values[v]);
    }
    fprintf(f, "NULL};\n");
  }
}

static const char *role_name(page_role_e role) {
  static const char *const Names[] = {"Quiescent", "Error",    "Pin",  "Valid",
                                      "Ready",     "Payload",  "Back", "PeekValid",
                                      "PeekInput", "PeekData", "State"};
  return Names[role];
}

// The stream that the log shows the field with.
static int32_t stream_of(const page_t *page, const page_field_t *fields,
                         const page_field_t *field) {
  for (uint32_t s = 0; field->role == PagePin && s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    if (stream->log_pin == field - fields && stream->is_output == field->is_output) {
      return (int32_t)s;
    }
  }
  return field->stream;
}

static void put_fields(tables_t *t, const char *name, const page_field_t *fields, uint32_t count) {
  FILE *f = t->file;
  fprintf(f, "static const unit_field_t %s%s_fields[] = {\n", t->prefix, name);
  for (uint32_t i = 0; i < count; i++) {
    const page_field_t *p = &fields[i];
    const char *element = p->each_lane && p->per_lane > 1 ? "[0][0]" : p->is_array ? "[0]" : "";
    fprintf(f,
            "    {\"%s\", offsetof(%s_%s_t, %s), sizeof(((%s_%s_t *)0)->%s%s),\n     "
            "sizeof(((%s_%s_t *)0)->%s) / sizeof(((%s_%s_t *)0)->%s%s), ",
            p->path, t->page->name, name, p->path, t->page->name, name, p->path, element,
            t->page->name, name, p->path, t->page->name, name, p->path, element);
    put_number(t, p->bits);
    fprintf(f, ", ");
    put_number(t, p->count);
    fprintf(f, ", \"%s\", ", p->port);
    put_names(f, p->values);
    fprintf(f, ",\n     UnitRole%s, %d, %u, %d, %d, ", role_name(p->role),
            stream_of(t->page, fields, p), p->per_lane, p->is_mask, p->constant);
    put_number(t, p->limit);
    fprintf(f, "},\n");
  }
  fprintf(f, "    {0}};\n");
}

static void put_streams(tables_t *t) {
  const page_t *page = t->page;
  fprintf(t->file, "static const unit_stream_t Streams[] = {\n");
  for (uint32_t i = 0; i < page->stream_count; i++) {
    const page_stream_t *s = &page->streams[i];
    const page_field_t *ours = s->is_output ? page->out : page->in;
    const page_field_t *theirs = s->is_output ? page->in : page->out;
    fprintf(t->file, "    {\"%s\", %d, %d, \"%s\", ", s->name, s->is_output, s->is_event,
            ours[s->valid].path);
    if (s->ready >= 0) {
      fprintf(t->file, "\"%s\", ", theirs[s->ready].path);
    } else {
      fprintf(t->file, "NULL, ");
    }
    if (s->lanes) {
      put_number(t, s->lanes);
    } else {
      fprintf(t->file, "1");
    }
    fprintf(t->file, "},\n");
  }
  fprintf(t->file, "    {0}};\nstatic const unit_peek_t Peeks[] = {\n");
  for (uint32_t i = 0; i < page->peek_count; i++) {
    fprintf(t->file, "    {\"%s\", ", page->peeks[i].name);
    put_number(t, page->peeks[i].limit);
    fprintf(t->file, "},\n");
  }
  fprintf(t->file, "    {0}};\n");
}

static void put_params(tables_t *t) {
  FILE *f = t->file;
  const page_t *page = t->page;
  const char *n = page->name;
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->in_c && p->of) {
      fprintf(f, "static const int64_t %s_of[] = {", p->name);
      for (uint32_t k = 0; k < p->of_count; k++) {
        fprintf(f, "%" PRId64 ", ", p->of[k]);
      }
      fprintf(f, "};\n");
    }
  }
  fprintf(f, "static const unit_param_t Params[] = {\n");
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (!p->in_c) {
      continue;
    }
    fprintf(f,
            "    {\"%s\", \"%s\", offsetof(%s_params_t, %s), sizeof(((%s_params_t *)0)->%s),\n"
            "     %" PRId64 ", %" PRId64 ", ",
            p->name, p->top, n, p->name, n, p->name, p->low, p->high);
    if (p->of) {
      fprintf(f, "%s_of, %u, ", p->name, p->of_count);
    } else {
      fprintf(f, "NULL, 0, ");
    }
    fprintf(f, "%d, ", p->power_of_two);
    put_names(f, p->values);
    fprintf(f, "},\n");
  }
  fprintf(f, "    {0}};\n");
}

// One struct of parameters, {.gpus = 8, }.
static void put_param_values(FILE *f, const page_t *page, const int64_t *values) {
  bool any = false;
  fputc('{', f);
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (page->params[i].in_c) {
      fprintf(f, ".%s = %" PRId64 ", ", page->params[i].name, values[i]);
      any = true;
    }
  }
  fprintf(f, "%s}", any ? "" : "0");
}

static void put_sets(FILE *f, const page_t *page) {
  int64_t defaults[PageMaxParams];
  page_defaults(page, defaults);
  fprintf(f, "static const %s_params_t Defaults = ", page->name);
  put_param_values(f, page, defaults);
  fprintf(f, ";\nstatic const unit_set_t Sets[] = {\n");
  for (uint32_t i = 0; i < page->set_count; i++) {
    fprintf(f, "    {\"%s\", &(const %s_params_t)", page->sets[i].name, page->name);
    put_param_values(f, page, page->sets[i].values);
    fprintf(f, "},\n");
  }
  fprintf(f, "    {0}};\nstatic const uint8_t RandomSets[] = {");
  for (uint32_t i = 0; i < page->random_count; i++) {
    fprintf(f, "%u, ", page->random_sets[i]);
  }
  fprintf(f, "%s};\n\n", page->random_count ? "" : "0");
}

static void put_dims(const tables_t *t) {
  fprintf(t->file,
          "static void %sdims(const void *params, uint32_t dims[UnitMaxDims]) {\n"
          "  const %s_params_t *p = params;\n  (void)p;\n"
          "  memset(dims, 0, UnitMaxDims * sizeof dims[0]);\n",
          t->prefix, t->page->name);
  for (uint32_t i = 0; i < t->count; i++) {
    fprintf(t->file, "  dims[%u] = (uint32_t)(%s);\n", i, t->text[i]);
  }
  fprintf(t->file, "}\n\n");
}

static void put_engine(FILE *f, const page_t *page) {
  const char *n = page->name;
  const bool has_state = page->state_count > 0;
  fprintf(f,
          "static unit_status_e step(void *typed, const void *in, void *out) {\n"
          "  const %s_t *e = typed;\n  return e->step(e->self, in, out);\n}\n"
          "static void reset(void *typed, void *out) {\n"
          "  const %s_t *e = typed;\n  e->reset(e->self, out);\n}\n",
          n, n);
  fprintf(f,
          "static unit_status_e bound_step(void *self, const %s_in_t *in, %s_out_t *out) {\n"
          "  const unit_engine_t *e = self;\n  return e->step(e->self, in, out);\n}\n"
          "static void bound_reset(void *self, %s_out_t *out) {\n"
          "  const unit_engine_t *e = self;\n  e->reset(e->self, out);\n}\n",
          n, n, n);
  if (has_state) {
    fprintf(f,
            "static void observe(void *typed, void *state) {\n"
            "  const %s_t *e = typed;\n  e->observe(e->self, state);\n}\n"
            "static void bound_observe(void *self, %s_state_t *state) {\n"
            "  const unit_engine_t *e = self;\n  e->observe(e->self, state);\n}\n",
            n, n);
  }
  fprintf(f,
          "static void bind(void *typed, const unit_engine_t *engine) {\n"
          "  *(%s_t *)typed = (%s_t){(void *)engine, bound_step, bound_reset%s};\n}\n\n",
          n, n, has_state ? ", bound_observe" : "");
}

static void put_members(FILE *f, const page_t *page) {
  static const char *const Structs[] = {"in", "out", "state"};
  fprintf(f, "static void members(void *in, void *out, void *state) {\n");
  for (int i = 0; i < 2 + (page->state_count > 0); i++) {
    fprintf(f,
            "  %s_%s_t %s_members;\n  UNIT_MEMBERS(&%s_members);\n"
            "  memcpy(%s, &%s_members, sizeof %s_members);\n",
            page->name, Structs[i], Structs[i], Structs[i], Structs[i], Structs[i], Structs[i]);
  }
  fprintf(f, "%s}\n\n", page->state_count ? "" : "  (void)state;\n");
}

static void put_head(FILE *f, const page_t *page, const char *what) {
  fprintf(f,
          "// %s of %s, written from %s.\n#include <stddef.h>\n#include <string.h>\n\n"
          "#include \"unit/%s/%s.h\"\n\n",
          what, page->name, page->file, page->name, page->name);
}

void generate_fields(FILE *f, const page_t *page) {
  static tables_t t;
  char prefix[PageTextSize];
  snprintf(prefix, sizeof prefix, "%s_", page->name);
  t = (tables_t){.file = f, .page = page, .prefix = prefix};
  put_head(f, page, "Fields");
  put_value_names(f, page);
  put_fields(&t, "in", page->in, page->in_count);
  put_fields(&t, "out", page->out, page->out_count);
  put_dims(&t);
}

void generate_table(FILE *f, const page_t *page) {
  static tables_t t;
  const char *n = page->name;
  t = (tables_t){.file = f, .page = page, .prefix = ""};
  put_head(f, page, "Tables");
  put_value_names(f, page);
  put_fields(&t, "in", page->in, page->in_count);
  put_fields(&t, "out", page->out, page->out_count);
  if (page->state_count) {
    put_fields(&t, "state", page->state, page->state_count);
  } else {
    fprintf(f, "static const unit_field_t state_fields[] = {{0}};\n");
  }
  put_streams(&t);
  put_params(&t);
  put_sets(f, page);
  put_dims(&t);
  put_engine(f, page);
  put_members(f, page);
  fprintf(f,
          "const unit_info_t %s_info = {\n    .name = \"%s\", .page = %s_page,\n"
          "    .in_size = sizeof(%s_in_t), .out_size = sizeof(%s_out_t), ",
          n, n, n, n, n);
  if (page->state_count) {
    fprintf(f, ".state_size = sizeof(%s_state_t),\n", n);
  } else {
    fprintf(f, ".state_size = 0,\n");
  }
  fprintf(f,
          "    .params_size = sizeof(%s_params_t), .engine_size = sizeof(%s_t),\n"
          "    .in = in_fields, .out = out_fields, .state = state_fields, .streams = Streams,\n"
          "    .peeks = Peeks, .params = Params, .defaults = &Defaults, .sets = Sets,\n"
          "    .random_sets = RandomSets, .random_count = %u,\n"
          "    .quiescent = offsetof(%s_out_t, quiescent), .dims = dims, .step = step,\n"
          "    .reset = reset, .observe = %s, .bind = bind, .members = members};\n",
          n, n, page->random_count, n, page->state_count ? "observe" : "NULL");
}
