// What the pipeline computes, without time: coverage, depth, shading and blending
// of one 8x8 block of one triangle. The single-GPU reference picture and the timed
// GPU share it, so that a fragment has the same value wherever it is drawn.
// Every value depends on the triangle and the pixel alone, not on the block's or
// tile's neighbours: no incremental interpolation.
#ifndef NOCTURNE_GPU_RENDER_H
#define NOCTURNE_GPU_RENDER_H

#include "../frame/frame.h"
#include "surface.h"

// Renders commands first .. last - 1 of the frame in order into surfaces, as one GPU
// does, and nothing else. targets and depths are arrays of the frame's counts,
// allocated by render_surfaces_create.
//
// layers, if not NULL: one byte for each pixel of each target (layers[t], in surface
// order, may be NULL): bumped (saturating at 255) by each fragment of a draw for which
// layered[command] is set that reaches the blend.
void render_commands(const frame_t *frame, uint32_t first, uint32_t last, surface_t *targets,
                     surface_t *depths, const bool *layered, uint8_t **layers);

// Allocates surfaces for all of the frame's targets and depth buffers, colour 0,
// depth FrameMaxDepth. False: out of memory.
bool render_surfaces_create(const frame_t *frame, surface_t **targets, surface_t **depths);
void render_surfaces_destroy(const frame_t *frame, surface_t *targets, surface_t *depths);

#endif
