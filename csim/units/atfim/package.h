// SPDX-License-Identifier: Apache-2.0
// The package that a GPU's offloading unit sends to the cube for a line of 16 parents, and the
// response (A-TFIM, VI: a package is four times a read request, a response as large as a read
// response). 32-bit words, word 0 lowest; header as in HMC 2.x packets. The units carry the words
// that hold something; the link adds what fills the last flits, its tail among it. The bit map is
// in docs/units/offload_unit.md.
#ifndef NOCTURNE_UNIT_ATFIM_PACKAGE_H
#define NOCTURNE_UNIT_ATFIM_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  AtfimPackageWords = 4,  // that units carry
  AtfimRequestWords = 3,  // words 1 to 3 of a package
  AtfimResponseWords = 18,
  AtfimFlitBytes = 16,
  AtfimPackageFlits = 4,  // on the link; 2 as a parameter of the offloading unit
  AtfimResponseFlits = 5,
  AtfimParents = 16,  // of a package, a tile of 4x4, y x 4 + x
  AtfimPackageCommand = 0x70,
  AtfimResponseCommand = 0x71,
};

typedef struct {
  uint16_t id;  // 11 bits, the offloading unit's slot
  uint8_t epoch;
  uint8_t flits;            // 5 bits, length on the link
  uint16_t descriptor;      // of the texture
  uint8_t level;            // of the children, 0 to 15
  uint8_t reading;          // 0 lattice, 1 isotropic
  uint8_t extent;           // k, 3 bits: 2^k children of a parent
  bool along_y;             // the major axis
  int8_t slope;             // q, 3 bits: half texels across for each texel along
  uint16_t tile_x, tile_y;  // 12 bits each
  uint8_t angle;            // camera angle, 7 bits; the cube does not use it
  uint32_t offset;          // lines of 64 bytes from the texture's base to the level, 28 bits
} atfim_package_t;

typedef struct {
  uint16_t id;
  uint8_t epoch;
  uint16_t failed;               // bit p: a child read of parent p failed; texel[p] is 0
  bool refused;                  // the package could not be served; all texels are 0
  uint32_t texel[AtfimParents];  // RGBA8, red lowest; 0 of parents outside the virtual texture
} atfim_response_t;

// Fields wider than their place in the package are cut to it.
void atfim_package_pack(const atfim_package_t *package, uint32_t words[AtfimPackageWords]);
void atfim_package_unpack(const uint32_t words[AtfimPackageWords], atfim_package_t *package);
void atfim_response_pack(const atfim_response_t *response, uint32_t words[AtfimResponseWords]);
void atfim_response_unpack(const uint32_t words[AtfimResponseWords], atfim_response_t *response);

#endif
