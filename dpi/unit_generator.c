// SPDX-License-Identifier: Apache-2.0
// Writes all that is made from the units' pages: unit_generator FOLDER [--list] PAGE.yaml ...
// --list: in FOLDER also units.c, the table of the units with their golden models and stimulus, and
// units.h, their vocabulary.
// Exit status 2 with one line: a broken page, or a file that cannot be written.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "csim/unit/generate.h"
#include "csim/unit/generate_file.h"
#include "generate_simulator.h"

static page_t *Pages[256];
static int page_count;

static bool generate(const char *folder, const char *path, err_t *err) {
  char unit[512];
  page_t *page = page_read(path, err);
  if (!page) {
    return false;
  }
  Pages[page_count++] = page;
  snprintf(unit, sizeof unit, "%s/%s", folder, page->name);
  mkdir(unit, 0777);
  return generate_c(page, unit, err) && generate_simulator(page, unit, err);
}

static void put_list(FILE *f, const page_t *none) {
  (void)none;
  fprintf(f,
          "// The units with their golden models and stimulus, written from their descriptions.\n");
  for (int i = 0; i < page_count; i++) {
    fprintf(f, "#include \"csim/units/%s/golden.h\"\n", Pages[i]->name);
  }
  for (int i = 0; i < page_count; i++) {
    const char *n = Pages[i]->name;
    fprintf(f,
            "\nextern const struct stimulus_unit %s_stimulus __attribute__((weak));\n"
            "static bool %s_make(const void *params, void *typed) {\n"
            "  return %s_golden_create(params, typed);\n}\n"
            "static void %s_free(void *typed) { %s_golden_destroy(typed); }\n",
            n, n, n, n, n);
  }
  fprintf(f, "\nconst unit_model_t UnitModels[] = {\n");
  for (int i = 0; i < page_count; i++) {
    const char *n = Pages[i]->name;
    fprintf(f, "    {&%s_info, %s_make, %s_free, &%s_stimulus},\n", n, n, n, n);
  }
  fprintf(f, "    {0}};\n");
}

static void put_vocabulary(FILE *f, const page_t *none) {
  (void)none;
  fprintf(f,
          "// The vocabulary of all units, and X(NAME) for each of them.\n"
          "#ifndef UNIT_UNITS_H\n#define UNIT_UNITS_H\n\n");
  for (int i = 0; i < page_count; i++) {
    fprintf(f, "#include \"unit/%s/%s.h\"\n", Pages[i]->name, Pages[i]->name);
  }
  fprintf(f, "\n#define UNITS(X)");
  for (int i = 0; i < page_count; i++) {
    fprintf(f, " X(%s)", Pages[i]->name);
  }
  fprintf(f, "\n\n#endif\n");
}

int main(int argc, char **argv) {
  err_auto_t err = {0};
  err_set(&err, ErrMachine, "expected unit_generator FOLDER [--list] PAGE.yaml ...");
  char list[512];
  const bool has_list = argc > 2 && strcmp(argv[2], "--list") == 0;
  bool ok = argc > 2 + has_list && argc < 256;
  if (ok) {
    mkdir(argv[1], 0777);
  }
  for (int i = 2 + has_list; ok && i < argc; i++) {
    ok = generate(argv[1], argv[i], &err);
  }
  if (ok && has_list) {
    snprintf(list, sizeof list, "%s/units.c", argv[1]);
    ok = generate_file(NULL, list, put_list, &err);
    snprintf(list, sizeof list, "%s/units.h", argv[1]);
    ok = ok && generate_file(NULL, list, put_vocabulary, &err);
  }
  for (int i = 0; i < page_count; i++) {
    page_free(Pages[i]);
  }
  if (!ok) {
    fprintf(stderr, "%s\n", err_text(&err));
  }
  return ok ? 0 : 2;
}
