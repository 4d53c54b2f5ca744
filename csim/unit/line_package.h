// SPDX-License-Identifier: Apache-2.0
// The package that a GPU's offloading unit sends to the cube for a line of 16 parents, and the
// response (A-TFIM, VI: a package is four times a read request, a response as large as a read
// response). 32-bit words, word 0 lowest; header as in HMC 2.x packets. The units carry the words
// that hold something; the link adds what fills the last flits, its tail among it. The bit map is
// in docs/units/line_offload.md.
#ifndef NOCTURNE_UNIT_LINE_PACKAGE_H
#define NOCTURNE_UNIT_LINE_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  LinePackageWords = 4,    // that units carry
  LineRequestWords = 3,    // words 1 to 3 of a package
  LineResponseWords = 18,
  LineFlitBytes = 16,
  LinePackageFlits = 4,    // on the link; 2 as a parameter of the offloading unit
  LineResponseFlits = 5,
  LineParents = 16,        // of a package, a tile of 4x4, y x 4 + x
  LinePackageCommand = 0x70,
  LineResponseCommand = 0x71,
};

typedef struct {
  uint16_t id;          // 11 bits, the offloading unit's slot
  uint8_t epoch;
  uint8_t flits;        // 5 bits, length on the link
  uint16_t descriptor;  // of the texture
  uint8_t level;        // of the children, 0 to 15
  uint8_t reading;      // 0 lattice, 1 isotropic
  uint8_t extent;       // k, 3 bits: 2^k children of a parent
  bool along_y;         // the major axis
  int8_t slope;         // q, 3 bits: half texels across for each texel along
  uint16_t tile_x, tile_y;  // 12 bits each
  uint8_t angle;        // camera angle, 7 bits; the cube does not use it
  uint32_t offset;      // lines of 64 bytes from the texture's base to the level, 28 bits
} line_package_t;

typedef struct {
  uint16_t id;
  uint8_t epoch;
  uint16_t failed;              // bit p: a child read of parent p failed; texel[p] is 0
  bool refused;                 // the package could not be served; all texels are 0
  uint32_t texel[LineParents];  // RGBA8, red lowest; 0 of parents outside the virtual texture
} line_response_t;

// Fields wider than their place in the package are cut to it.
void line_package_pack(const line_package_t *package, uint32_t words[LinePackageWords]);
void line_package_unpack(const uint32_t words[LinePackageWords], line_package_t *package);
void line_response_pack(const line_response_t *response, uint32_t words[LineResponseWords]);
void line_response_unpack(const uint32_t words[LineResponseWords], line_response_t *response);

#endif
