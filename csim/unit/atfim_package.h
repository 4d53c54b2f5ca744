// SPDX-License-Identifier: Apache-2.0
// The package that a GPU's offloading unit sends to the cube, and the response (A-TFIM, V,
// VI: a package is four times a read request, a response as large as a read response).
// 32-bit words, word 0 lowest; header as in HMC 2.x packets. The units carry the words that
// hold something; the link adds what fills the last flits, its tail among it. The bit map is
// in docs/units/atfim.md.
#ifndef NOCTURNE_UNIT_ATFIM_PACKAGE_H
#define NOCTURNE_UNIT_ATFIM_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  AtfimPackageWords = 10,   // that units carry
  AtfimRequestWords = 9,    // words 1 to 9 of a package
  AtfimResponseWords = 10,
  AtfimFlitBytes = 16,
  AtfimPackageFlits = 4,    // on the link
  AtfimResponseFlits = 5,
  AtfimLineWords = 16,      // 64 bytes, the largest line of child data
  AtfimParents = 8,         // of a package: 0 to 3 on the finer level, 4 to 7 on the coarser
  AtfimMaxRatio = 16,
  AtfimPackageCommand = 0x70,
  AtfimResponseCommand = 0x71,
};

typedef struct {
  uint16_t id;              // 11 bits, the offloading unit's slot
  uint8_t epoch;
  uint16_t descriptor;      // of the texture
  uint8_t level;            // the finer one, 0 to 15
  uint8_t ratio;            // children of a parent, 1 to 16
  uint8_t angle;            // camera angle, 7 bits; the cube does not use it
  uint8_t mask;             // bit k: parent k is wanted
  int16_t step_x, step_y;   // between children, 8.8 texels of the finer level
  int16_t x[2], y[2];       // texel of the first parent on the finer and the coarser level
  uint32_t offset[2];       // lines of 64 bytes from the texture's base to the level, 28 bits
  int8_t dx[AtfimParents], dy[AtfimParents];  // to the level's first parent, -8 to 7
} atfim_package_t;

typedef struct {
  uint16_t id;
  uint8_t epoch;
  uint8_t mask;                  // as in the package
  uint8_t failed;                // bit k: a child read of parent k failed; texel[k] is 0
  bool refused;                  // the package could not be served; all texels are 0
  uint32_t texel[AtfimParents];  // RGBA8, red lowest; 0 outside the mask
} atfim_response_t;

// Fields wider than their place in the package are cut to it.
void atfim_package_pack(const atfim_package_t *package, uint32_t words[AtfimPackageWords]);
void atfim_package_unpack(const uint32_t words[AtfimPackageWords], atfim_package_t *package);
void atfim_response_pack(const atfim_response_t *response, uint32_t words[AtfimResponseWords]);
void atfim_response_unpack(const uint32_t words[AtfimResponseWords], atfim_response_t *response);

#endif
