// SPDX-License-Identifier: Apache-2.0
// The display of a system on a chip: 60 times a second it fetches a picture into its buffer, ahead
// of the beam, and gives a refresh up when the beam finds nothing (docs/model/soc.md).
//
// In each cycle that the SoC evaluates call soc_display_step, before the memory's step.
#ifndef NOCTURNE_MACHINE_SOC_DISPLAY_H
#define NOCTURNE_MACHINE_SOC_DISPLAY_H

#include "../base/err.h"
#include "../base/text.h"
#include "../memory/memory_port.h"

enum {
  SocBurst = 128,       // bytes of a fetch
  SocBursts = 16,       // under way
  SocBatch = 32,        // pixels that the beam takes at once
  SocLinesBefore = 22,  // of a refresh without pixels
  SocPixelsAside = 160  // of a line without a picture, behind it
};

typedef struct {
  uint64_t refreshes, aborted, bytes, requests;
} soc_display_stats_t;

typedef struct {
  memory_port_t port;
  uint32_t buffer;
  uint64_t address, pitch;  // of the picture
  uint32_t width, height;   // of the picture, from the next refresh on
  uint64_t begin;           // of this refresh
  bool alive;               // it is not over, nor given up
  uint32_t columns, rows;   // of this refresh
  uint64_t next;            // refresh, by number
  uint64_t fetched, taken;  // bytes of the picture, in order: asked for, gone to the beam
  uint64_t ready;           // of the picture, in order: here
  uint64_t batch;           // next one of the beam
  uint32_t under_way;
  bool blocked;       // a fetch finds no room
  uint8_t *lengths;   // bytes of the burst that begins at a place of the buffer and is here
  bool began, ended;  // in this step; the SoC takes note
  soc_display_stats_t stats;
} soc_display_t;

// False: out of memory.
bool soc_display_init(soc_display_t *display, uint32_t buffer, memory_port_t port);
void soc_display_free(soc_display_t *display);

// The picture that refreshes show from the next one on: rows of `pitch` bytes from `address`.
void soc_display_show(soc_display_t *display, uint32_t width, uint32_t height, uint64_t address,
                      uint64_t pitch);

void soc_display_step(soc_display_t *display, uint64_t now);

// Returns the next cycle after now in which it does something by itself.
uint64_t soc_display_next(const soc_display_t *display, uint64_t now);

// Adds to the report of a hang what it waits for.
void soc_display_describe(const soc_display_t *display, text_t *text);

#endif
