// SPDX-License-Identifier: Apache-2.0
#include "ideal.h"

#include "subimage.h"

enum { Chunk = 32, PixelBytes = 8 };

typedef struct {
  merge_pixels_t merge;
  pixel_distributor_in_t rule;
  subimage_t from, to;
} job_t;

static uint64_t merge_chunk(const job_t *job, subimage_place_t at) {
  uint64_t incoming[Chunk], local[Chunk], result[Chunk];
  uint32_t sent = subimage_read(&job->from, at, Chunk, incoming);
  if (!sent) {
    return 0;
  }
  uint32_t written = subimage_read(&job->to, at, Chunk, local);
  uint32_t won = job->merge(&job->rule, sent, incoming, local, written, result);
  subimage_note_arrivals(&job->to, at, sent, incoming, local, written);
  subimage_write(&job->to, at, won, result);
  return PixelBytes * (uint32_t)__builtin_popcount(sent);
}

uint64_t ideal_merge(const site_t *site, merge_pixels_t merge, uint32_t source, uint32_t g,
                     bool front, uint32_t composed) {
  const plan_group_t *group = subimage_group(site, composed);
  const owner_map_t *map = owners_drawn(site->owners, group->color_target, group->depth_buffer);
  job_t job = {.merge = merge,
               .from = subimage_of(site, site->nodes[source].gpu, composed),
               .to = subimage_of(site, site->nodes[g].gpu, composed)};
  subimage_rule(site, composed, front, &job.rule);
  // Beyond the smaller of the two surfaces nothing was drawn.
  const surface_t *other = job.to.depth ? job.to.depth : job.to.color;
  uint64_t bytes = 0;
  for (uint32_t y = 0; y < map->tiles_y && y < other->tiles_y; y++) {
    for (uint32_t x = 0; x < map->tiles_x && x < other->tiles_x; x++) {
      for (uint32_t i = 0; map->tiles[y * map->tiles_x + x] == g && i < SurfaceTilePixels;
           i += Chunk) {
        bytes += merge_chunk(&job, subimage_at(&job.to, x, y, i));
      }
    }
  }
  return bytes;
}
