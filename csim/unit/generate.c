// SPDX-License-Identifier: Apache-2.0
// Writes the vocabulary of a unit.
#include "generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "generate_parts.h"

enum { NameSize = 128 };

bool generate_c(const page_t *page, const char *folder, err_t *err) {
  static const struct {
    const char *suffix;
    generate_fn *write;
  } Files[] = {
      {".h", generate_header}, {"_table.c", generate_table}, {"_fields.h", generate_fields}};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof Files / sizeof *Files; i++) {
    char *path = text_make("%s/%s%s", folder, page->name, Files[i].suffix);
    ok = path ? generate_file(page, path, Files[i].write, err) : err_memory(err, folder);
    free(path);
  }
  return ok;
}

// ---- The header ----

static void put_values(FILE *f, const page_t *page, const page_values_t *values) {
  char unit[NameSize], name[NameSize];
  page_camel(page->name, unit, sizeof unit);
  page_camel(values->name, name, sizeof name);
  fprintf(f, "typedef enum {\n");
  for (uint32_t v = 0; v < values->count; v++) {
    fprintf(f, "  %s%s%s,\n", unit, name, values->values[v]);
  }
  fprintf(f, "} %s_%s_e;\nenum { %s%ss = %u };\n\n", page->name, values->name, unit, name,
          values->count);
}

static void put_params(FILE *f, const page_t *page) {
  fprintf(f, "typedef struct {\n");
  uint32_t members = 0;
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    members += p->in_c;
    if (p->in_c && p->is_bool) {
      fprintf(f, "  bool %s;  // %s\n", p->name, p->top);
    } else if (p->in_c && p->values) {
      fprintf(f, "  uint32_t %s;  // %s: %s_%s_e\n", p->name, p->top, page->name, p->values->name);
    } else if (p->in_c) {
      fprintf(f, "  uint32_t %s;  // %s, %" PRId64 " to %" PRId64 "%s\n", p->name, p->top, p->low,
              p->high, p->power_of_two ? ", a power of two" : "");
    }
  }
  fprintf(f, "%s} %s_params_t;\n\n", members ? "" : "  char none;\n", page->name);
  fprintf(f, "static inline %s_params_t %s_defaults(void) {\n  return (%s_params_t){", page->name,
          page->name, page->name);
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (page->params[i].in_c) {
      fprintf(f, ".%s = %" PRId64 ", ", page->params[i].name, page->params[i].initial);
    }
  }
  fprintf(f, "%s};\n}\n\n", members ? "" : "0");
}

// The largest array that a parameter or derived name sizes: "PixelDistributorMaxPixels".
static void put_maximum(FILE *f, const page_t *page, const char *name, uint32_t max) {
  char unit[NameSize], camel[NameSize];
  page_camel(page->name, unit, sizeof unit);
  page_camel(name, camel, sizeof camel);
  fprintf(f, "enum { %sMax%s = %u };\n", unit, camel, max);
}

static void put_maxima(FILE *f, const page_t *page) {
  const page_field_t *const structs[] = {page->in, page->out, page->state};
  const uint32_t counts[] = {page->in_count, page->out_count, page->state_count};
  const char *seen[PageMaxParams];
  uint32_t n = 0;
  for (int s = 0; s < 3; s++) {
    for (uint32_t i = 0; i < counts[s]; i++) {
      const page_field_t *field = &structs[s][i];
      const page_stream_t *stream = field->stream >= 0 ? &page->streams[field->stream] : NULL;
      const page_expr_t *count = field->each_lane ? stream->lanes : field->count;
      const char *name = field->is_array ? page_expr_name(page, count) : NULL;
      uint32_t k = 0;
      while (name && k < n && seen[k] != name) {
        k++;
      }
      if (name && k == n && n < PageMaxParams) {
        seen[n++] = name;
        put_maximum(f, page, name, field->count_max / (field->each_lane ? field->per_lane : 1));
      }
    }
  }
}

// Derived names as functions: "pixel_distributor_pixels".
static void put_derives(FILE *f, const page_t *page) {
  for (uint32_t i = 0; i < page->derive_count; i++) {
    char text[PageTextSize];
    page_expr_text(page, page->derives[i].is, PageTextC, text);
    fprintf(f,
            "\nstatic inline uint32_t %s_%s(const %s_params_t *p) {\n  (void)p;\n"
            "  return (uint32_t)(%s);\n}\n",
            page->name, page->derives[i].name, page->name, text);
  }
  fprintf(f, "\n");
}

static void put_member(FILE *f, const page_t *page, const page_member_t *m,
                       const page_field_t *field) {
  char bits[PageTextSize];
  if (m->gap) {
    fputc('\n', f);
  }
  if (m->type) {
    fprintf(f, "  %s_%s_t %s;\n", m->type_page, m->type, m->name);
    return;
  }
  fprintf(f, "  %s %s", field->is_bool ? "bool" : generate_c_type(field), m->name);
  const uint32_t lanes = field->each_lane ? field->count_max / field->per_lane : 0;
  if (lanes && field->per_lane > 1) {
    fprintf(f, "[%u][%u]", lanes, field->per_lane);
  } else if (field->is_array) {
    fprintf(f, "[%u]", field->count_max);
  }
  page_expr_text(page, field->bits, PageTextRtl, bits);
  fprintf(f, ";  // %s bit%s", bits, strcmp(bits, "1") == 0 ? "" : "s");
  if (field->values) {
    fprintf(f, ", %s_%s_e", field->values->page, field->values->name);
  }
  fputc('\n', f);
}

static void put_struct(FILE *f, const page_t *page, const char *name, const page_member_t *members,
                       uint32_t count, const page_field_t *fields) {
  fprintf(f, "typedef struct {\n");
  for (uint32_t i = 0; i < count; i++) {
    put_member(f, page, &members[i], &fields[members[i].field]);
  }
  fprintf(f, "} %s_%s_t;\n\n", page->name, name);
}

static void put_engine(FILE *f, const page_t *page) {
  const char *n = page->name;
  fprintf(f,
          "// An engine of the unit: golden, rtl or lockstep. `self` comes first in each call.\n"
          "typedef struct {\n  void *self;\n"
          "  unit_status_e (*step)(void *self, const %s_in_t *in, %s_out_t *out);\n"
          "  // Returns to the documented reset state; out gets its outputs.\n"
          "  void (*reset)(void *self, %s_out_t *out);\n",
          n, n, n);
  if (page->state_count) {
    fprintf(f, "  void (*observe)(void *self, %s_state_t *state);\n", n);
  }
  fprintf(f, "} %s_t;\n\n", n);
}

void generate_header(FILE *f, const page_t *page) {
  const char *n = page->name;
  char guard[NameSize];
  snprintf(guard, sizeof guard, "%s", n);
  for (char *c = guard; *c; c++) {
    *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
  }
  fprintf(f, "// Vocabulary of %s, written from %s.\n", n, page->file);
  if (page->contract) {
    fprintf(f, "// The cycle contract is %s.\n", page->contract);
  }
  fprintf(f, "#ifndef UNIT_%s_H\n#define UNIT_%s_H\n\n#include \"csim/unit/table.h\"\n", guard,
          guard);
  for (uint32_t i = 0; i < page->import_count; i++) {
    fprintf(f, "#include \"unit/%s/%s.h\"\n", page->imports[i], page->imports[i]);
  }
  fprintf(f,
          "\n// The hash of the unit description that this was written from.\n#define %s_page "
          "0x%016" PRIx64 "ull\n\n",
          n, page->hash);
  for (uint32_t i = 0; i < page->value_count; i++) {
    put_values(f, page, &page->values[i]);
  }
  put_params(f, page);
  put_maxima(f, page);
  put_derives(f, page);
  for (uint32_t i = 0; i < page->type_count; i++) {
    const page_type_t *t = &page->types[i];
    put_struct(f, page, t->name, t->members, t->member_count, t->fields);
  }
  put_struct(f, page, "in", page->in_members, page->in_member_count, page->in);
  put_struct(f, page, "out", page->out_members, page->out_member_count, page->out);
  if (page->state_count) {
    put_struct(f, page, "state", page->state_members, page->state_member_count, page->state);
  }
  put_engine(f, page);
  fprintf(f, "extern const unit_info_t %s_info;\n\n#endif\n", n);
}
