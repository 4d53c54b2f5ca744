// SPDX-License-Identifier: Apache-2.0
// Writes the C that answers the imports of the generated top.
#include <inttypes.h>

#include "generate_sides.h"

static void put_head(FILE *file, const page_t *page, const char *verb, const char *what) {
  fprintf(file, "\nvoid %s_dpi_%s%s%s(void *context_h", page->name, verb, what ? "_" : "",
          what ? what : "");
}

static void put_argument(FILE *file, const page_field_t *f, bool is_vector) {
  if (is_vector) {
    fprintf(file, ",\n    %ssvBitVecVal *%s", f->is_output ? "const " : "", f->port);
  } else {
    fprintf(file, ",\n    %s %s%s", c_scalar(f), f->is_output ? "" : "*", f->port);
  }
}

// bytes, bits and elements of a packed array.
static void put_shape(FILE *file, const page_t *page, const page_field_t *f, bool by_lane) {
  char bits[PageTextSize], count[PageTextSize];
  page_expr_text(page, f->bits, PageTextC, bits);
  page_expr_text(page, f->count, PageTextC, count);
  if (by_lane) {
    snprintf(count, sizeof count, "%" PRIu32, f->per_lane);
  }
  fprintf(file, "%" PRIu32 ", (uint32_t)(%s), (uint32_t)(%s)", f->c_bytes, bits, count);
}

static void put_get(FILE *file, const page_t *page, const page_field_t *f, bool by_lane) {
  if (!f->is_array) {
    fprintf(file, "  *%s = in->%s;\n", f->port, f->path);
    return;
  }
  fprintf(file, "  dpi_pack(%s, (const uint8_t *)in->%s", f->port, f->path);
  if (by_lane) {
    fprintf(file, " + (size_t)lane * %" PRIu32, f->per_lane * f->c_bytes);
  }
  fprintf(file, ", ");
  put_shape(file, page, f, by_lane);
  fprintf(file, ");\n");
}

static void put_put(FILE *file, const page_t *page, const page_field_t *f) {
  const char *const base = f->role == PageState ? "state" : "out";
  if (!f->is_array) {
    fprintf(file, "  %s->%s = %s;\n", base, f->path, f->port);
    return;
  }
  fprintf(file, "  dpi_unpack(%s, %s->%s, ", f->port, base, f->path);
  put_shape(file, page, f, false);
  fprintf(file, ");\n");
}

static void put_in(FILE *file, const page_t *page) {
  fprintf(file, "  const %s_in_t *const in = ((const dpi_context_t *)context_h)->in;\n",
          page->name);
}

static void put_out(FILE *file, const page_t *page, bool is_state) {
  const char *const base = is_state ? "state" : "out";
  fprintf(file, "  %s_%s_t *const %s = ((const dpi_context_t *)context_h)->%s;\n", page->name, base,
          base, base);
}

static void put_gets(FILE *file, const page_t *page) {
  put_head(file, page, "get", NULL);
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (cut_of(page, &page->in[i]) == CutNarrow) {
      put_argument(file, &page->in[i], false);
    }
  }
  fprintf(file, ") {\n");
  put_in(file, page);
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (cut_of(page, &page->in[i]) == CutNarrow) {
      put_get(file, page, &page->in[i], false);
    }
  }
  fprintf(file, "}\n");
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const cut_e cut = cut_of_stream(page, stream);
    const page_field_t *fields = page->in + stream->first;
    if (stream->is_output || cut == CutNarrow) {
      continue;
    }
    put_head(file, page, "get", stream->name);
    fprintf(file, cut == CutLane ? ", unsigned int lane" : "");
    for (uint32_t i = 0; i < stream->count; i++) {
      put_argument(file, &fields[i], fields[i].is_array);
    }
    fprintf(file, ") {\n");
    put_in(file, page);
    for (uint32_t i = 0; i < stream->count; i++) {
      put_get(file, page, &fields[i], cut == CutLane);
    }
    fprintf(file, "}\n");
  }
}

// A payload that comes by a call of its own is 0 from when its stream is no longer valid.
static void put_clearing(FILE *file, const page_t *page) {
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const page_field_t *fields = page->out + stream->first;
    if (!stream->is_output || cut_of_stream(page, stream) == CutNarrow) {
      continue;
    }
    fprintf(file, "  if (out->%s && !%s) {\n", page->out[stream->valid].path,
            page->out[stream->valid].port);
    for (uint32_t i = 0; i < stream->count; i++) {
      if (fields[i].is_array) {
        fprintf(file, "    memset(out->%s, 0, sizeof out->%s);\n", fields[i].path, fields[i].path);
      } else {
        fprintf(file, "    out->%s = 0;\n", fields[i].path);
      }
    }
    fprintf(file, "  }\n");
  }
}

static void put_narrow_puts(FILE *file, const page_t *page) {
  put_head(file, page, "put", NULL);
  bool has_state = false;
  for (uint32_t i = 0; i < page->out_count; i++) {
    if (cut_of(page, &page->out[i]) == CutNarrow) {
      put_argument(file, &page->out[i], false);
    }
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    if (cut_of(page, &page->state[i]) == CutNarrow) {
      put_argument(file, &page->state[i], false);
      has_state = true;
    }
  }
  fprintf(file, ") {\n");
  put_out(file, page, false);
  if (has_state) {
    put_out(file, page, true);
  }
  put_clearing(file, page);
  for (uint32_t i = 0; i < page->out_count; i++) {
    if (cut_of(page, &page->out[i]) == CutNarrow) {
      put_put(file, page, &page->out[i]);
    }
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    if (cut_of(page, &page->state[i]) == CutNarrow) {
      put_put(file, page, &page->state[i]);
    }
  }
  fprintf(file, "}\n");
}

static void put_changes(FILE *file, const page_t *page, const page_field_t *fields,
                        uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (cut_of(page, &fields[i]) == CutChange) {
      put_head(file, page, fields[i].is_output ? "put" : "get", fields[i].port);
      put_argument(file, &fields[i], true);
      fprintf(file, ") {\n");
      if (fields[i].is_output) {
        put_out(file, page, fields[i].role == PageState);
        put_put(file, page, &fields[i]);
      } else {
        put_in(file, page);
        put_get(file, page, &fields[i], false);
      }
      fprintf(file, "}\n");
    }
  }
}

void generate_answers(FILE *file, const page_t *page) {
  fprintf(file,
          "// Generated from %s. Answers the imports of tb_%s.sv; their prototypes are those\n"
          "// that Verilator generates. The parameters come as -DP_NAME=VALUE.\n"
          "#include <string.h>\n\n#include \"Vtb_%s__Dpi.h\"\n#include \"%s.h\"\n"
          "#include \"csim/unit/table.h\"\n#include \"dpi/dpi_bits.h\"\n"
          "#include \"dpi/dpi_context.h\"\n\n",
          page->file, page->name, page->name, page->name);
  put_c_parameters(file, page);
  fprintf(file, "void *%s_dpi_context(void) {\n  (void)p;\n  return dpi_context_current;\n}\n",
          page->name);
  put_gets(file, page);
  put_narrow_puts(file, page);
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const page_field_t *fields = page->out + stream->first;
    if (!stream->is_output || cut_of_stream(page, stream) == CutNarrow) {
      continue;
    }
    put_head(file, page, "put", stream->name);
    for (uint32_t i = 0; i < stream->count; i++) {
      put_argument(file, &fields[i], fields[i].is_array);
    }
    fprintf(file, ") {\n");
    put_out(file, page, false);
    for (uint32_t i = 0; i < stream->count; i++) {
      put_put(file, page, &fields[i]);
    }
    fprintf(file, "}\n");
  }
  put_changes(file, page, page->in, page->in_count);
  put_changes(file, page, page->out, page->out_count);
  put_changes(file, page, page->state, page->state_count);
}
