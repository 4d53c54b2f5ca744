// SPDX-License-Identifier: Apache-2.0
#include "generate_simulator.h"

#include "csim/unit/generate_file.h"
#include "generate_sides.h"

bool generate_simulator(const page_t *page, const char *folder, err_t *err) {
  static const struct {
    const char *form;
    generate_fn *fn;
  } Files[] = {{"tb_%s.sv", generate_top},          {"%s_dpi.c", generate_answers},
               {"vectors_%s.sv", generate_vectors}, {"bare_%s.sv", generate_bare},
               {"bare_%s.h", generate_bare_access}, {"%s_ports.md", generate_ports},
               {"%s_pkg.sv", generate_package}};
  for (size_t i = 0; i < sizeof Files / sizeof *Files; i++) {
    text_t path = {0};
    text_format(&path, "%s/", folder);
    text_format(&path, Files[i].form, page->name);
    const bool ok = generate_file(page, text_string(&path), Files[i].fn, err);
    text_free(&path);
    if (!ok) {
      return false;
    }
  }
  return true;
}
