// SPDX-License-Identifier: Apache-2.0
#include "generate_skeleton.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/place.h"
#include "csim/unit/generate_file.h"
#include "generate_sides.h"

static void put_declaration(FILE *f, const page_t *page, const page_field_t *field) {
  char range[WidthSize];
  range_text(page, field, range);
  fprintf(f, ",\n  %s logic %s%s", field->is_output ? "output" : "input ", range, field->port);
}

static void put_zero(FILE *f, const page_t *page, const page_field_t *field) {
  (void)page;
  if (field->is_output) {
    fprintf(f, "  assign %s = '0;\n", field->port);
  }
}

static void put_input(FILE *f, const page_t *page, const page_field_t *field) {
  (void)page;
  if (!field->is_output) {
    fprintf(f, ", %s", field->port);
  }
}

static void write_rtl(FILE *f, const page_t *page) {
  fprintf(f,
          "// TEXT: what it is, what is illegal and what then happens. The contract is %s.md.\n"
          "module %s",
          page->name, page->name);
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    fprintf(f, "%s  parameter %s %s = %s%" PRId64, i ? ",\n" : " #(\n", p->is_bool ? "bit" : "int",
            p->rtl, p->is_bool ? "1'b" : "", p->initial);
  }
  for (uint32_t i = 0; i < page->derive_count; i++) {
    char name[PageTextSize], text[PageTextSize];
    page_camel(page->derives[i].name, name, sizeof name);
    page_expr_text(page, page->derives[i].is, PageTextRtl, text);
    fprintf(f, "%s  localparam int %s = %s", page->param_count + i ? ",\n" : " #(\n", name, text);
  }
  fprintf(f, "%s (\n  input  logic clk_i,\n  input  logic rst_ni",
          page->param_count + page->derive_count ? "\n)" : "");
  each_port(f, page, put_declaration);
  fprintf(f, "\n);\n\n");
  each_port(f, page, put_zero);
  fprintf(f, "\n  wire unused = &{1'b0, clk_i, rst_ni");
  each_port(f, page, put_input);
  fprintf(f, "};\n\nendmodule\n");
}

static void write_golden(FILE *f, const page_t *page) {
  const char *n = page->name;
  fprintf(f,
          "// Cycle-exact reference of %s, written from %s.md.\n#include <stdlib.h>\n"
          "#include <string.h>\n\n#include \"unit/%s/%s.h\"\n\n"
          "const uint64_t %s_golden_page = %s_page;  // a model of another page is refused\n\n"
          "typedef struct {\n  %s_params_t p;\n} golden_t;\n\n"
          "// NULL: out of memory.\nvoid *%s_golden_create(const %s_params_t *params) {\n"
          "  golden_t *g = calloc(1, sizeof *g);\n  if (g) {\n    g->p = *params;\n  }\n"
          "  return g;\n}\n\n"
          "void %s_golden_destroy(void *self) { free(self); }\n\n",
          n, n, n, n, n, n, n, n, n, n);
  fprintf(f,
          "// The state that rst_ni leaves; out gets its outputs.\n"
          "void %s_golden_reset(void *self, %s_out_t *out) {\n  (void)self;\n"
          "  memset(out, 0, sizeof *out);\n}\n\n"
          "// One clock: applies the inputs; out gets the outputs after it.\n"
          "unit_status_e %s_golden_step(void *self, const %s_in_t *in, %s_out_t *out) {\n"
          "  (void)self;\n  (void)in;\n  memset(out, 0, sizeof *out);\n  return UnitOk;\n}\n",
          n, n, n, n, n);
  if (page->state_count) {
    fprintf(f,
            "\nvoid %s_golden_observe(void *self, %s_state_t *state) {\n  (void)self;\n"
            "  memset(state, 0, sizeof *state);\n}\n",
            n, n);
  }
}

static void write_contract(FILE *f, const page_t *page) {
  fprintf(
      f,
      "# %s: cycle contract\n\nTEXT: what each cycle does, in which order, and what is "
      "refused. Every output depends on state\nonly, `quiescent_o` excepted: it may be 1 when "
      "another clock under the same inputs would change\nnothing. The payload of an output is 0 "
      "while it is not valid.\n\n",
      page->name);
  generate_ports(f, page);
}

static void write_makefile(FILE *f, const page_t *page) {
  char tree[PATH_MAX];
  const char *n = page->name, *data = place_data();
  // Installed, it is a link in the data folder.
  const char *generator = data ? "$(NOCTURNE)/build/unit_generator" : "build/unit_generator";
  const char *program = data ? place_program() : "build/nocturne";
  if (!data) {
    data = getcwd(tree, sizeof tree) ? tree : ".";
  }
  fprintf(f,
          "NOCTURNE ?= %s\n\n"
          "# cover/%s.so counts its lines.\n"
          "%s.so cover/%s.so: %s_golden.c %s.yaml\n"
          "\t@mkdir -p $(@D)\n"
          "\tcd \"$(NOCTURNE)\" && \"%s\" \"$(CURDIR)/unit\" \"$(CURDIR)/%s.yaml\"\n"
          "\tgcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -I. -I\"$(NOCTURNE)\" "
          "-I\"$(NOCTURNE)/build\" $(if $(filter cover/%%,$@),-O0 --coverage) $< -o $@\n\n",
          data, n, n, n, n, n, generator, n);
  fprintf(f,
          "# What the tests of list.yaml cover: cover/html/index.html.\n"
          "cover: %s.so cover/%s.so\n"
          "\t\"$(NOCTURNE)/tb/cover_unit.sh\" \"%s\" %s\n.PHONY: cover\n",
          n, n, program, n);
}

static void put_meaning(FILE *f, const page_t *page, const page_field_t *field) {
  (void)page;
  if (field->role != PageReady && field->role != PageError && field->role != PageQuiescent &&
      field->role != PagePeekInput && field->role != PagePeekData) {
    fprintf(f, "  %s: TEXT\n", field->port);
  }
}

// The page; one without meanings gets a place for each.
static void write_page(FILE *f, const page_t *page) {
  FILE *from = fopen(page->file, "rb");
  int c;
  while (from && (c = fgetc(from)) != EOF) {
    fputc(c, f);
  }
  if (from) {
    fclose(from);
  }
  if (!page->in[0].doc) {
    fprintf(f, "doc:  # what each parameter and port means: the tables of %s.md\n", page->name);
    for (uint32_t i = 0; i < page->param_count; i++) {
      fprintf(f, "  %s: TEXT\n", page->params[i].rtl);
    }
    each_port(f, page, put_meaning);
  }
}

// Its paths are those of the new folder, wherever the regression is started.
static bool write_list(const page_t *page, const char *folder, err_t *err) {
  const char *n = page->name;
  char *path = text_make("%s/list.yaml", folder), *there = realpath(folder, NULL);
  FILE *f = path && there ? fopen(path, "wx") : NULL;
  if (!f) {
    err_set(err, ErrInput, "%s/list.yaml: %s", folder, strerror(errno));
    free(path);
    free(there);
    return false;
  }
  fprintf(f,
          "# Random tests of %s: nocturne regress '%s'\n"
          "defaults: {unit: %s, page: %s/%s.yaml, golden: %s/%s.so, cycles: 20000}\n"
          "tests:\n  - {name: %s, seeds: 1..20}\n",
          n, path, n, there, n, there, n, n);
  free(path);
  free(there);
  return fclose(f) == 0;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool generate_skeleton(const page_t *page, const char *folder, err_t *err) {
  static const struct {
    const char *form;
    generate_fn *fn;
  } Files[] = {{"%s.sv", write_rtl},
               {"%s_golden.c", write_golden},
               {"%s.md", write_contract},
               {"Makefile", write_makefile},
               {"%s.yaml", write_page}};
  enum { Count = sizeof Files / sizeof *Files };
  if (!place_make_folder(folder)) {
    err_set(err, ErrInput, "%s: %s", folder, strerror(errno));
    return false;
  }
  text_t path[Count] = {0};
  bool ok = true;
  for (size_t i = 0; i < Count; i++) {
    text_format(&path[i], "%s/", folder);
    text_format(&path[i], Files[i].form, page->name);
    if (ok && access(text_string(&path[i]), F_OK) == 0 && Files[i].fn != write_page) {
      ok = err_set(err, ErrInput, "%s: is there already, expected a new folder",
                   text_string(&path[i]));
    }
  }
  for (size_t i = 0; i < Count; i++) {
    ok = ok && (is_same_file(page->file, text_string(&path[i])) ||
                generate_file(page, text_string(&path[i]), Files[i].fn, err));
    text_free(&path[i]);
  }
  return ok && write_list(page, folder, err);
}
