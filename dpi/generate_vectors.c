// SPDX-License-Identifier: Apache-2.0
// Writes the tops without DPI: packed vectors for replay and synthesis, and one port a field for
// the benchmark.
#include <inttypes.h>

#include "generate_sides.h"

static void put_sum(FILE *file, const page_t *page, const char *name, const page_field_t *fields,
                    uint32_t count, const char *first) {
  int64_t constant = 0, width;
  fprintf(file, ",\n  localparam int %s = %s", name, first);
  for (uint32_t i = 0; i < count; i++) {
    char text[WidthSize];
    if (width_constant(&fields[i], &width)) {
      constant += width;
    } else {
      width_text(page, &fields[i], text);
      fprintf(file, "%s + ", text);
    }
  }
  fprintf(file, "%" PRId64, constant);
}

static void declare(FILE *file, const page_t *page, const page_field_t *f) {
  char range[WidthSize];
  range_text(page, f, range);
  fprintf(file, "  logic %s%s;\n", range, f->port);
}

// The first field lies lowest. What an event says while it is not valid means nothing: 0.
static void put_list(FILE *file, const page_t *page, const page_field_t *fields, uint32_t count,
                     bool comma) {
  for (uint32_t i = count; i > 0; i--) {
    const page_field_t *f = &fields[i - 1];
    const page_stream_t *s = f->stream >= 0 ? &page->streams[f->stream] : NULL;
    fprintf(file, comma ? ",\n    " : "\n    ");
    comma = true;
    if (s && s->is_event && f->role == PagePayload) {
      char width[WidthSize];
      width_text(page, f, width);
      fprintf(file, "%s & {%s{%s}}", f->port, width, valid_port(page, s));
    } else {
      fprintf(file, "%s", f->port);
    }
  }
}

void generate_vectors(FILE *file, const page_t *page) {
  fprintf(file,
          "// Generated from %s. The unit with its inputs and its outputs as one packed vector\n"
          "// each, the observed state above the outputs: for the replay of recorded vectors and\n"
          "// for synthesis. The fields lie in the page's order, the first lowest.\n"
          "module vectors_%s #(\n",
          page->file, page->name);
  put_parameters(file, page, true);
  put_sum(file, page, "InWidth", page->in, page->in_count, "");
  put_sum(file, page, "StateWidth", page->state, page->state_count, "");
  put_sum(file, page, "OutWidth", page->out, page->out_count, "StateWidth + ");
  fprintf(file,
          "\n) (\n  input  logic clk_i,\n  input  logic rst_ni,\n"
          "  input  logic [InWidth-1:0] in_i,\n  output logic [OutWidth-1:0] out_o\n);\n\n");
  each_port(file, page, declare);
  fprintf(file, "\n  assign {");
  put_list(file, page, page->in, page->in_count, false);
  fprintf(file, "} = in_i;\n  assign out_o = {");
  put_list(file, page, page->state, page->state_count, false);
  put_list(file, page, page->out, page->out_count, page->state_count > 0);
  fprintf(file, "};\n");
  put_instance(file, page);
  fprintf(file, "\nendmodule\n");
}

static void put_port(FILE *file, const page_t *page, const page_field_t *f) {
  char range[WidthSize];
  range_text(page, f, range);
  fprintf(file, ",\n  %s logic %s%s", f->is_output ? "output" : "input ", range, f->port);
}

void generate_bare(FILE *file, const page_t *page) {
  fprintf(file,
          "// Generated from %s. The unit under the parameters of its tops, nothing else: how\n"
          "// fast it could be.\nmodule bare_%s #(\n",
          page->file, page->name);
  put_parameters(file, page, true);
  fprintf(file, "\n) (\n  input  logic clk_i,\n  input  logic rst_ni");
  each_port(file, page, put_port);
  fprintf(file, "\n);\n");
  put_instance(file, page);
  fprintf(file, "\nendmodule\n");
}

void generate_bare_access(FILE *file, const page_t *page) {
  fprintf(file,
          "// Generated from %s. The ports of bare_%s.sv from recorded inputs. MODEL is the\n"
          "// model's class; the parameters come as -DP_NAME=VALUE.\n"
          "#include <type_traits>\n\n#include \"%s.h\"\n#include \"csim/unit/table.h\"\n"
          "#include \"dpi/dpi_bits.h\"\n\n",
          page->file, page->name, page->name);
  put_c_parameters(file, page);
  fprintf(file, "using bare_in_t = %s_in_t;\n\nstruct bare_ports_t {\n", page->name);
  for (uint32_t i = 0; i < page->in_count; i++) {
    const char *const port = page->in[i].port;
    fprintf(file, "  std::remove_reference_t<decltype(MODEL::%s)> %s;\n", port, port);
  }
  fprintf(file,
          "};\n\n// Each array as its port: words, lowest first.\n"
          "static void bare_pack(const bare_in_t *in, bare_ports_t *ports) {\n  (void)p;\n");
  for (uint32_t i = 0; i < page->in_count; i++) {
    const page_field_t *f = &page->in[i];
    char bits[PageTextSize], count[PageTextSize];
    if (!f->is_array) {
      fprintf(file, "  ports->%s = in->%s;\n", f->port, f->path);
      continue;
    }
    page_expr_text(page, f->bits, PageTextC, bits);
    page_expr_text(page, f->count, PageTextC, count);
    fprintf(file,
            "  {\n    uint32_t words[(sizeof in->%s + 3) / 4 + 1] = {0};\n"
            "    dpi_pack(words, in->%s, %" PRIu32
            ", (uint32_t)(%s), (uint32_t)(%s));\n"
            "    std::memcpy(static_cast<void *>(&ports->%s), words, sizeof ports->%s);\n  }\n",
            f->path, f->path, f->c_bytes, bits, count, f->port, f->port);
  }
  fprintf(file, "}\n\nstatic inline void bare_write(MODEL *top, const bare_ports_t *ports) {\n");
  for (uint32_t i = 0; i < page->in_count; i++) {
    fprintf(file, "  top->%s = ports->%s;\n", page->in[i].port, page->in[i].port);
  }
  fprintf(file, "}\n");
}
