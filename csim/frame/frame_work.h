// SPDX-License-Identifier: Apache-2.0
// The most work of rendering a frame, from its commands and the bounds of its triangles, before
// anything is rendered.
#ifndef NOCTURNE_FRAME_FRAME_WORK_H
#define NOCTURNE_FRAME_FRAME_WORK_H

#include "frame.h"

typedef struct {
  uint64_t geometry;       // indices, vertices and triangles submitted
  uint64_t pixels;         // inside the bounds of triangles, cut by their scissors; cleared
  uint64_t instructions;   // of the programs of these vertices and pixels; UINT64_MAX: or more
  uint64_t surface_bytes;  // of one GPU's surfaces, in whole tiles, with all targets' sub-images
} frame_work_t;

// One number: geometry, pixels, and thousands of instructions, which take a model less than they
// take a GPU. Millions, rounded up.
uint64_t frame_work_millions(const frame_work_t *work);

void frame_work(const frame_t *frame, frame_work_t *work);

#endif
