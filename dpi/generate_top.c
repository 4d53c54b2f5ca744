// SPDX-License-Identifier: Apache-2.0
// Writes the test bench top: DPI-C imports, the unit, one exchange of values a clock.
#include <ctype.h>
#include <string.h>

#include "generate_sides.h"

// ---- Imports ----

// An argument of an import: a scalar, or a bit vector of the port's width.
static void put_formal(FILE *file, const page_t *page, const page_field_t *f, bool is_vector,
                       bool by_lane) {
  char width[WidthSize];
  fprintf(file, ",\n    %s ", f->is_output ? "input" : "output");
  if (!is_vector) {
    fprintf(file, "%s %s", sv_scalar(f), f->port);
    return;
  }
  if (by_lane) {
    lane_width_text(page, f, width);
  } else {
    width_text(page, f, width);
  }
  fprintf(file, "bit [%s-1:0] %s", width, f->port);
}

static void put_narrow_formals(FILE *file, const page_t *page, const page_field_t *fields,
                               uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (cut_of(page, &fields[i]) == CutNarrow) {
      put_formal(file, page, &fields[i], false, false);
    }
  }
}

static void put_imports(FILE *file, const page_t *page) {
  const char *const name = page->name;
  fprintf(file,
          "\n  // The context that the harness set for the model being built.\n"
          "  import \"DPI-C\" function chandle %s_dpi_context();\n"
          "  import \"DPI-C\" function void %s_dpi_get(\n    input chandle context_h",
          name, name);
  put_narrow_formals(file, page, page->in, page->in_count);
  fprintf(file, ");\n  import \"DPI-C\" function void %s_dpi_put(\n    input chandle context_h",
          name);
  put_narrow_formals(file, page, page->out, page->out_count);
  put_narrow_formals(file, page, page->state, page->state_count);
  fprintf(file, ");\n");
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const cut_e cut = cut_of_stream(page, stream);
    const page_field_t *fields = stream_fields(page, stream) + stream->first;
    if (cut == CutNarrow) {
      continue;
    }
    fprintf(file, "  import \"DPI-C\" function void %s_dpi_%s_%s(\n    input chandle context_h%s",
            name, stream->is_output ? "put" : "get", stream->name,
            cut == CutLane ? ", input int unsigned lane" : "");
    for (uint32_t i = 0; i < stream->count; i++) {
      put_formal(file, page, &fields[i], fields[i].is_array, cut == CutLane);
    }
    fprintf(file, ");\n");
  }
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (cut_of(page, &page->in[i]) == CutChange) {
      fprintf(file, "  import \"DPI-C\" function void %s_dpi_get_%s(\n    input chandle context_h",
              name, page->in[i].port);
      put_formal(file, page, &page->in[i], true, false);
      fprintf(file, ");\n");
    }
  }
  for (uint32_t i = 0; i < page->out_count + page->state_count; i++) {
    const page_field_t *f = i < page->out_count ? &page->out[i] : &page->state[i - page->out_count];
    if (cut_of(page, f) == CutChange) {
      fprintf(file, "  import \"DPI-C\" function void %s_dpi_put_%s(\n    input chandle context_h",
              name, f->port);
      put_formal(file, page, f, true, false);
      fprintf(file, ");\n");
    }
  }
}

// ---- Inputs ----

static bool fits_exactly(const page_field_t *f) {
  int64_t width;
  return width_constant(f, &width) && width == scalar_bits(f);
}

// A scalar that is not as wide as its argument comes in through a variable.
static void put_actual(FILE *file, const page_field_t *f) {
  fprintf(file, ", %s%s", fits_exactly(f) ? "" : "get_", f->port);
}

static void put_taken(FILE *file, const page_t *page, const page_field_t *f, const char *indent) {
  char width[WidthSize];
  if (!fits_exactly(f)) {
    width_text(page, f, width);
    fprintf(file, "%s%s = get_%s[%s-1:0];\n", indent, f->port, f->port, width);
  }
}

static void declare_input(FILE *file, const page_t *page, const page_field_t *f) {
  char text[WidthSize];
  range_text(page, f, text);
  const cut_e cut = cut_of(page, f);
  fprintf(file, "  %s %s%s;\n", cut == CutLane ? "wire" : "bit", text, f->port);
  if (cut == CutLane) {
    lane_width_text(page, f, text);
    fprintf(file, "  bit [%s-1:0] lane_%s [$bits(%s)];\n", text, f->port,
            page->in[page->streams[f->stream].valid].port);
  } else if (!f->is_array && !fits_exactly(f)) {
    fprintf(file, "  %s get_%s;\n", sv_scalar(f), f->port);
  }
}

// The payload of the streams that have a call of their own.
static void put_stream_gets(FILE *file, const page_t *page) {
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const cut_e cut = cut_of_stream(page, stream);
    const page_field_t *fields = page->in + stream->first;
    const char *const valid = stream->is_output ? NULL : valid_port(page, stream);
    if (stream->is_output || cut == CutNarrow) {
      continue;
    }
    if (cut == CutLane) {
      fprintf(file, "    for (int n = 0; n < $bits(%s); n = n + 1) begin\n      if (%s[n]) begin\n",
              valid, valid);
    } else {
      fprintf(file, "    if (%s != '0) begin\n", valid);
    }
    const char *const indent = cut == CutLane ? "        " : "      ";
    fprintf(file, "%s%s_dpi_get_%s(context_h%s", indent, page->name, stream->name,
            cut == CutLane ? ", n" : "");
    for (uint32_t i = 0; i < stream->count; i++) {
      if (cut == CutLane) {
        fprintf(file, ", lane_%s[n]", fields[i].port);
      } else if (fields[i].is_array) {
        fprintf(file, ", %s", fields[i].port);
      } else {
        put_actual(file, &fields[i]);
      }
    }
    fprintf(file, ");\n");
    for (uint32_t i = 0; cut == CutStream && i < stream->count; i++) {
      if (!fields[i].is_array) {
        put_taken(file, page, &fields[i], indent);
      }
    }
    fprintf(file, cut == CutLane ? "      end\n    end\n" : "    end\n");
  }
}

static void put_lane_wires(FILE *file, const page_t *page) {
  for (uint32_t i = 0; i < page->in_count; i++) {
    const page_field_t *f = &page->in[i];
    if (cut_of(page, f) == CutLane) {
      char width[WidthSize];
      lane_width_text(page, f, width);
      const char *const valid = page->in[page->streams[f->stream].valid].port;
      fprintf(file,
              "  for (genvar n = 0; n < $bits(%s); n = n + 1) begin : gen_%s\n"
              "    assign %s[n*(%s) +: %s] = lane_%s[n];\n  end\n",
              valid, f->port, f->port, width, width, f->port);
    }
  }
}

static void put_inputs(FILE *file, const page_t *page) {
  fprintf(file,
          "\n  chandle context_h;\n  initial context_h = %s_dpi_context();\n\n"
          "  // The low phase fetches the inputs.\n",
          page->name);
  for (uint32_t i = 0; i < page->in_count; i++) {
    declare_input(file, page, &page->in[i]);
  }
  fprintf(file, "\n  always @(negedge clk_i) begin\n    %s_dpi_get(context_h", page->name);
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (cut_of(page, &page->in[i]) == CutNarrow) {
      put_actual(file, &page->in[i]);
    }
  }
  fprintf(file, ");\n");
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (cut_of(page, &page->in[i]) == CutNarrow) {
      put_taken(file, page, &page->in[i], "    ");
    } else if (cut_of(page, &page->in[i]) == CutChange) {
      fprintf(file, "    %s_dpi_get_%s(context_h, %s);\n", page->name, page->in[i].port,
              page->in[i].port);
    }
  }
  put_stream_gets(file, page);
  fprintf(file, "  end\n");
  put_lane_wires(file, page);
}

// ---- Outputs ----

static void declare_output(FILE *file, const page_t *page, const page_field_t *f) {
  char range[WidthSize];
  range_text(page, f, range);
  fprintf(file, "  logic %s%s;\n", range, f->port);
  if (cut_of(page, f) == CutChange) {
    fprintf(file, "  bit %sseen_%s;\n", range, f->port);
  }
}

// Writes the value of a field; 0 while its event is not valid, as it means nothing then.
static void put_value(FILE *file, const page_t *page, const page_field_t *f) {
  char width[WidthSize], value[WidthSize + 200];
  const page_stream_t *s = f->stream >= 0 ? &page->streams[f->stream] : NULL;
  const uint32_t bits = scalar_bits(f);
  width_text(page, f, width);
  if (s && s->is_event && f->role == PagePayload) {
    snprintf(value, sizeof value, "{%s & {%s{%s}}}", f->port, width, valid_port(page, s));
  } else {
    snprintf(value, sizeof value, "%s", f->port);
  }
  if (fits_exactly(f)) {
    fprintf(file, ", %s", value);
  } else {
    fprintf(file, ", %u'(%s)", bits, value);
  }
}

static void put_stream_puts(FILE *file, const page_t *page) {
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    const page_field_t *fields = page->out + stream->first;
    if (!stream->is_output || cut_of_stream(page, stream) == CutNarrow) {
      continue;
    }
    fprintf(file, "    if (%s != '0) begin\n      %s_dpi_put_%s(context_h",
            valid_port(page, stream), page->name, stream->name);
    for (uint32_t i = 0; i < stream->count; i++) {
      if (fields[i].is_array) {
        fprintf(file, ", %s", fields[i].port);
      } else {
        put_value(file, page, &fields[i]);
      }
    }
    fprintf(file, ");\n    end\n");
  }
}

// C keeps the payload of such a stream at 0 while it is not valid; so must the unit.
static void put_idle_checks(FILE *file, const page_t *page) {
  bool any = false;
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    if (!stream->is_output || stream->is_event || cut_of_stream(page, stream) == CutNarrow) {
      continue;
    }
    if (!any) {
      fprintf(file, "    if (rst_ni && reset_seen) begin\n");
      any = true;
    }
    fprintf(file, "      idle_%s_is_0: assert (%s != '0 || {", stream->name,
            valid_port(page, stream));
    for (uint32_t i = 0; i < stream->count; i++) {
      fprintf(file, "%s%s", i ? ", " : "", page->out[stream->first + i].port);
    }
    fprintf(file, "} == '0);\n");
  }
  fprintf(file, any ? "    end\n" : "");
}

static void put_changes(FILE *file, const page_t *page, const page_field_t *fields,
                        uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const char *const port = fields[i].port;
    if (cut_of(page, &fields[i]) == CutChange) {
      fprintf(file,
              "    if (%s != seen_%s) begin\n      %s_dpi_put_%s(context_h, %s);\n"
              "      seen_%s = %s;\n    end\n",
              port, port, page->name, port, port, port, port);
    }
  }
}

static bool has_idle_checks(const page_t *page) {
  for (uint32_t s = 0; s < page->stream_count; s++) {
    const page_stream_t *stream = &page->streams[s];
    if (stream->is_output && !stream->is_event && cut_of_stream(page, stream) != CutNarrow) {
      return true;
    }
  }
  return false;
}

static void put_outputs(FILE *file, const page_t *page) {
  fprintf(
      file,
      "\n  // After the rising edge, quiescence with the same inputs still applied. The C side\n"
      "  // starts with all 0, too.\n  bit after_clock;\n");
  if (has_idle_checks(page)) {
    fprintf(file,
            "  bit reset_seen;\n  always @(posedge clk_i) if (!rst_ni) reset_seen <= 1'b1;\n");
  }
  fprintf(file,
          "  always @(posedge clk_i) after_clock <= ~after_clock;\n\n"
          "  always @(after_clock) begin\n    %s_dpi_put(context_h",
          page->name);
  for (uint32_t i = 0; i < page->out_count; i++) {
    if (cut_of(page, &page->out[i]) == CutNarrow) {
      put_value(file, page, &page->out[i]);
    }
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    if (cut_of(page, &page->state[i]) == CutNarrow) {
      put_value(file, page, &page->state[i]);
    }
  }
  fprintf(file, ");\n");
  put_stream_puts(file, page);
  put_changes(file, page, page->out, page->out_count);
  put_changes(file, page, page->state, page->state_count);
  put_idle_checks(file, page);
  fprintf(file, "  end\n");
}

// A cover point for each error code: error_send_data of ErrSendData.
static void put_error_covers(FILE *file, const page_t *page) {
  const page_values_t *errors = NULL;
  for (uint32_t i = 0; i < page->out_count; i++) {
    errors = page->out[i].role == PageError ? page->out[i].values : errors;
  }
  for (uint32_t i = 1; errors && i < errors->count; i++) {
    fprintf(file, "error");
    for (const char *c = errors->values[i]; *c; c++) {
      fprintf(file, "%s%c", isupper((unsigned char)*c) ? "_" : "", tolower((unsigned char)*c));
    }
    fprintf(file,
            ": cover property (@(posedge clk_i) disable iff (!rst_ni)\n"
            "  error_o == $bits(error_o)'(%s_pkg::Err%s));\n",
            page->name, errors->values[i]);
  }
}

void generate_top(FILE *file, const page_t *page) {
  fprintf(file,
          "// Generated from %s. The unit under the harness: exchanges one clock's values\n"
          "// through DPI. Each port's net has the port's name.\n`ifdef COVER\n"
          "`include \"%s_pkg.sv\"\n`endif\nmodule tb_%s #(\n",
          page->file, page->name, page->name);
  put_parameters(file, page, false);
  put_imports(file, page);
  put_inputs(file, page);
  fprintf(file, "\n");
  for (uint32_t i = 0; i < page->out_count; i++) {
    declare_output(file, page, &page->out[i]);
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    declare_output(file, page, &page->state[i]);
  }
  put_instance(file, page);
  put_outputs(file, page);
  fprintf(file, "\n`ifdef COVER\n");
  put_error_covers(file, page);
  fprintf(file, "`include `COVER\n`endif\n\nendmodule\n");
}
