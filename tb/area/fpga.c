// SPDX-License-Identifier: Apache-2.0
#include "fpga.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"

// Cells by the first letters of their names; the first row that fits counts.
static const struct {
  const char *prefix;
  fpga_count_e count;
} Cells[] = {{"SB_LUT4", Ice40Luts}, {"SB_DFF", Ice40Ffs},   {"SB_RAM40", Ice40Brams},
             {"LUT", XilinxLuts},    {"INV", XilinxLuts},    {"FD", XilinxFfs},
             {"RAMB", XilinxBrams},  {"RAM", XilinxLutrams}, {"DSP48", XilinxDsps}};

bool fpga_read(fpga_t *fpga, const char *folder) {
  char line[256], cell[64];
  unsigned count;
  bool any = false;
  char *path = text_make("%s/fpga.log", folder);
  FILE *f = path ? fopen(path, "r") : NULL;
  *fpga = (fpga_t){{0}};
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, " %63[A-Z0-9_a-z$] %u", cell, &count) != 2) {
      continue;
    }
    any = true;
    for (size_t i = 0; i < sizeof Cells / sizeof *Cells; i++) {
      if (strncmp(cell, Cells[i].prefix, strlen(Cells[i].prefix)) == 0) {
        fpga->count[Cells[i].count] += count;
        break;
      }
    }
  }
  if (f) {
    fclose(f);
  }
  free(path);
  return any;
}
