// SPDX-License-Identifier: Apache-2.0
// Cost of a unit on FPGAs, from the log of rtl/synth/fpga.sh.
#ifndef NOCTURNE_AREA_FPGA_H
#define NOCTURNE_AREA_FPGA_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  Ice40Luts,
  Ice40Ffs,
  Ice40Brams,
  XilinxLuts,
  XilinxFfs,
  XilinxBrams,
  XilinxLutrams,
  XilinxDsps,
  FpgaCounts
} fpga_count_e;

typedef struct {
  uint32_t count[FpgaCounts];
} fpga_t;

// Reads FOLDER/fpga.log. False: it names no cell.
bool fpga_read(fpga_t *fpga, const char *folder);

#endif
