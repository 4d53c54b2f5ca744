// SPDX-License-Identifier: Apache-2.0
#include "generate_sides.h"

#include <inttypes.h>
#include <string.h>

const page_field_t *stream_fields(const page_t *page, const page_stream_t *stream) {
  return stream->is_output ? page->out : page->in;
}

const char *valid_port(const page_t *page, const page_stream_t *stream) {
  return stream_fields(page, stream)[stream->valid].port;
}

cut_e cut_of_stream(const page_t *page, const page_stream_t *s) {
  const page_field_t *fields = stream_fields(page, s) + s->first;
  cut_e cut = CutNarrow;
  for (uint32_t i = 0; i < s->count; i++) {
    if (!s->is_output && fields[i].each_lane && fields[i].bits_max * fields[i].per_lane > 64) {
      return CutLane;
    }
    if (fields[i].is_array) {
      cut = CutStream;
    }
  }
  return cut;
}

cut_e cut_of(const page_t *page, const page_field_t *field) {
  if (field->role == PagePayload) {
    return cut_of_stream(page, &page->streams[field->stream]);
  }
  return field->is_array ? CutChange : CutNarrow;
}

uint64_t width_max(const page_field_t *field) {
  return (uint64_t)field->bits_max * field->count_max;
}

bool width_constant(const page_field_t *field, int64_t *width) {
  int64_t bits, count;
  if (!page_is_constant(field->bits, &bits) || !page_is_constant(field->count, &count)) {
    return false;
  }
  *width = bits * count;
  return true;
}

static bool is_plain(const char *text) {
  return strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") ==
         strlen(text);
}

// a * b, without what a constant makes needless.
static void product_text(const page_t *page, const page_expr_t *a, const page_expr_t *b,
                         char text[WidthSize]) {
  char first[PageTextSize], second[PageTextSize];
  int64_t x = 0, y = 0;
  const bool a_constant = page_is_constant(a, &x), b_constant = page_is_constant(b, &y);
  page_expr_text(page, a, PageTextRtl, first);
  page_expr_text(page, b, PageTextRtl, second);
  if (a_constant && b_constant) {
    snprintf(text, WidthSize, "%" PRId64, x * y);
  } else if (b_constant && y == 1) {
    snprintf(text, WidthSize, "%s", first);
  } else if (a_constant && x == 1) {
    snprintf(text, WidthSize, "%s", second);
  } else {
    const bool f = is_plain(first), s = is_plain(second);
    snprintf(text, WidthSize, "%s%s%s*%s%s%s", f ? "" : "(", first, f ? "" : ")", s ? "" : "(",
             second, s ? "" : ")");
  }
}

void width_text(const page_t *page, const page_field_t *field, char text[WidthSize]) {
  product_text(page, field->bits, field->count, text);
}

void lane_width_text(const page_t *page, const page_field_t *field, char text[WidthSize]) {
  char bits[PageTextSize];
  int64_t width;
  page_expr_text(page, field->bits, PageTextRtl, bits);
  if (page_is_constant(field->bits, &width)) {
    snprintf(text, WidthSize, "%" PRId64, width * field->per_lane);
  } else if (field->per_lane == 1) {
    snprintf(text, WidthSize, "%s", bits);
  } else {
    snprintf(text, WidthSize, "(%s)*%" PRIu32, bits, field->per_lane);
  }
}

void range_text(const page_t *page, const page_field_t *field, char text[WidthSize]) {
  char width[WidthSize];
  int64_t constant;
  if (!width_constant(field, &constant)) {
    width_text(page, field, width);
    snprintf(text, WidthSize, "[%.*s-1:0] ", WidthSize - 10, width);
  } else if (constant == 1 && !field->is_array) {
    text[0] = '\0';
  } else {
    snprintf(text, WidthSize, "[%" PRId64 ":0] ", constant - 1);
  }
}

uint32_t scalar_bits(const page_field_t *field) {
  const uint64_t most = width_max(field);
  int64_t constant;
  if (width_constant(field, &constant) && constant == 1) {
    return 1;
  }
  return most <= 8 ? 8 : most <= 16 ? 16 : most <= 32 ? 32 : 64;
}

const char *c_scalar(const page_field_t *field) {
  switch (scalar_bits(field)) {
    case 1:
    case 8: return "unsigned char";
    case 16: return "unsigned short";
    case 32: return "unsigned int";
    default: return "unsigned long long";
  }
}

const char *sv_scalar(const page_field_t *field) {
  switch (scalar_bits(field)) {
    case 1: return "bit";
    case 8: return "byte unsigned";
    case 16: return "shortint unsigned";
    case 32: return "int unsigned";
    default: return "longint unsigned";
  }
}

void each_port(FILE *file, const page_t *page, field_fn *fn) {
  for (uint32_t i = 0; i < page->in_count; i++) {
    fn(file, page, &page->in[i]);
  }
  for (uint32_t i = 0; i < page->out_count; i++) {
    fn(file, page, &page->out[i]);
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    fn(file, page, &page->state[i]);
  }
}

void put_parameters(FILE *file, const page_t *page, bool derived_as_ports) {
  bool first = true;
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->in_c) {
      // A value given on the command line has 32 bits.
      fprintf(file, "%s  parameter %s %s = %s%" PRId64,
              first ? "  // verilator lint_off WIDTH\n" : ",\n", p->is_bool ? "bit" : "int", p->top,
              p->is_bool ? "1'b" : "", p->initial);
      first = false;
    }
  }
  if (!first && !derived_as_ports) {
    fprintf(file, "\n  // verilator lint_on WIDTH");
  }
  const char *const between = derived_as_ports ? ",\n" : ";\n";
  if (!derived_as_ports) {
    fprintf(file, "\n) (\n  input logic clk_i,\n  input logic rst_ni\n);\n\n");
  }
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (!p->in_c) {
      fprintf(file, "%s  localparam int %s = %" PRId64 "%s", derived_as_ports ? between : "",
              p->top, p->initial, derived_as_ports ? "" : between);
    }
  }
  for (uint32_t i = 0; i < page->derive_count; i++) {
    char name[PageTextSize], text[PageTextSize];
    page_camel(page->derives[i].name, name, sizeof name);
    page_expr_text(page, page->derives[i].is, PageTextRtl, text);
    fprintf(file, "%s  localparam int %s = %s%s", derived_as_ports ? between : "", name, text,
            derived_as_ports ? "" : between);
  }
}

static void put_pin(FILE *file, const page_t *page, const page_field_t *field) {
  (void)page;
  fprintf(file, ",\n    .%s(%s)", field->port, field->port);
}

void put_instance(FILE *file, const page_t *page) {
  bool first = true;
  fprintf(file, "\n  %s #(", page->name);
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->in_c) {
      fprintf(file, "%s\n    .%s(%s)", first ? "" : ",", p->rtl, p->is ? p->is : p->top);
      first = false;
    }
  }
  fprintf(file, "\n  ) u_dut (\n    .clk_i(clk_i),\n    .rst_ni(rst_ni)");
  each_port(file, page, put_pin);
  fprintf(file, "\n  );\n");
}

void put_c_parameters(FILE *file, const page_t *page) {
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->in_c) {
      fprintf(file, "#ifndef P_%s\n#define P_%s %" PRId64 "\n#endif\n", p->top, p->top, p->initial);
    }
  }
  fprintf(file, "\nstatic const %s_params_t Parameters = {", page->name);
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->in_c) {
      fprintf(file, "\n    .%s = P_%s,", p->name, p->top);
    }
  }
  fprintf(file, "\n};\nstatic const %s_params_t *const p = &Parameters;\n\n", page->name);
}
