// SPDX-License-Identifier: Apache-2.0
#include "generate_simulator.h"

#include "csim/base/place.h"
#include "csim/unit/generate_file.h"
#include "generate_sides.h"

bool generate_simulator(const page_t *page, const char *folder, char error[PageErrorSize]) {
  static const struct {
    const char *form;
    generate_fn *fn;
  } Files[] = {{"tb_%s.sv", generate_top},         {"%s_dpi.c", generate_answers},
               {"vectors_%s.sv", generate_vectors}, {"bare_%s.sv", generate_bare},
               {"bare_%s.h", generate_bare_access}, {"%s_ports.md", generate_ports},
               {"%s_pkg.sv", generate_package}};
  for (size_t i = 0; i < sizeof Files / sizeof *Files; i++) {
    char name[128], path[PlaceSize];
    snprintf(name, sizeof name, Files[i].form, page->name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!generate_file(page, path, Files[i].fn, error)) {
      return false;
    }
  }
  return true;
}
