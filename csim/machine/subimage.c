// SPDX-License-Identifier: Apache-2.0
#include "subimage.h"

#include <string.h>

const plan_group_t *subimage_group(const site_t *site, uint32_t composed) {
  return &site->plan->groups[site->plan->composed[composed]];
}

subimage_t subimage_of(const site_t *site, gpu_t *gpu, uint32_t composed) {
  const plan_group_t *g = subimage_group(site, composed);
  return (subimage_t){
      .state = &site->frame->commands[g->first].state,
      .color = g->color_target == FrameNone ? NULL : gpu_target(gpu, g->color_target),
      .depth = g->depth_buffer == FrameNone ? NULL : gpu_depth(gpu, g->depth_buffer),
      .transparent = g->kind == DrawSchedulerGroupTransparent,
      .order_tag = site->params->order_tag,
      .early = machine_early(site->params) > 0,
      .mark = composed + 1};
}

static void touch(const subimage_t *image, subimage_place_t at) {
  surface_touch(image->depth, at.depth / SurfaceTilePixels);
  if (image->color) {
    surface_touch(image->color, at.color / SurfaceTilePixels);
  }
}

uint32_t subimage_read(const subimage_t *image, subimage_place_t at, uint32_t count,
                       uint64_t *data) {
  if (image->transparent) {
    memcpy(data, image->color->subimage + at.color, count * sizeof *data);
    return (uint32_t)(image->color->subimage_written[at.color >> 6] >> (at.color & 63)) &
           (uint32_t)((1ull << count) - 1);
  }
  touch(image, at);
  // Marks of a block that this group has not written are those of an older one.
  bool valid = image->depth->mark_group[at.depth >> 6] == image->mark;
  uint32_t written = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t word = image->depth->depth[at.depth + i];
    word = valid ? word : word & ~(1u << SurfaceMarkBit);
    data[i] = (image->color ? image->color->color[at.color + i] : 0) | (uint64_t)word << 32;
    written |= (word >> SurfaceMarkBit & 1) << i;
  }
  return written;
}

static void first_write(const subimage_t *image, size_t block) {
  if (image->depth->mark_group[block] == image->mark) {
    return;
  }
  image->depth->mark_group[block] = image->mark;
  uint32_t *words = image->depth->depth + block * SurfaceBlockPixels;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    words[i] &= ~(1u << SurfaceMarkBit);
  }
}

void subimage_write(const subimage_t *image, subimage_place_t at, uint32_t mask,
                    const uint64_t *pixels) {
  surface_t *color = image->color;
  if (!mask) {
    return;
  }
  if (image->transparent) {
    color->subimage_written[at.color >> 6] |= (uint64_t)mask << (at.color & 63);
    for (; mask; mask &= mask - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(mask);
      color->subimage[at.color + i] = pixels[i];
    }
    return;
  }
  touch(image, at);
  first_write(image, at.depth >> 6);
  for (; mask; mask &= mask - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(mask);
    image->depth->depth[at.depth + i] = (uint32_t)(pixels[i] >> 32);
    if (color) {
      color->color[at.color + i] = (uint32_t)pixels[i];
    }
  }
}

// As far as the picture is concerned: a nearer pixel that comes later settles it. written: the
// local one is the group's.
static void note_tie(const subimage_t *image, size_t place, uint64_t incoming, uint64_t local,
                     bool written) {
  surface_t *color = image->color;
  const frame_state_t *s = image->state;
  bool less = s->depth_func == FrameFuncLess || s->depth_func == FrameFuncLessEqual;
  uint32_t in = (uint32_t)(incoming >> 32), own = (uint32_t)(local >> 32);
  uint32_t d_in = in & SurfaceDepthMask, d_own = own & SurfaceDepthMask;
  bool same_tag = in >> SurfaceTagShift == own >> SurfaceTagShift;
  bool tie = image->early ? !same_tag : !image->order_tag || same_tag;
  if (written && d_in == d_own) {
    if (tie) {
      surface_tie(color, place, SurfaceTied);
    }
  } else if (color->tied_tiles[place / SurfaceTilePixels] && s->color_mask == 0xf &&
             (less ? d_in < d_own : d_in > d_own)) {
    color->tied[place] = 0;
  }
}

void subimage_note_arrivals(const subimage_t *image, subimage_place_t at, uint32_t mask,
                            const uint64_t *incoming, const uint64_t *local, uint32_t written) {
  if (image->transparent || !mask) {
    return;
  }
  surface_soil(image->depth, at.depth, SurfaceDirtyValues);
  if (image->color) {
    surface_soil(image->color, at.color, SurfaceDirtyValues);
  }
  if (!image->color || !image->color->tied) {
    return;
  }
  touch(image, at);
  for (; mask; mask &= mask - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(mask);
    note_tie(image, at.color + i, incoming[i], local[i], written >> i & 1);
  }
}

void subimage_rule(const site_t *site, uint32_t composed, bool front, pixel_distributor_in_t *in) {
  const plan_group_t *group = subimage_group(site, composed);
  const frame_state_t *s = &site->frame->commands[group->first].state;
  in->begin_front = front;
  in->begin_transparent = group->kind == DrawSchedulerGroupTransparent;
  in->begin_operator = group->op == PlanOperatorAdd        ? PixelDistributorOperatorAdd
                       : group->op == PlanOperatorMultiply ? PixelDistributorOperatorMultiply
                                                           : PixelDistributorOperatorOver;
  in->begin_depth_func = s->depth_func;
  in->begin_color_mask = s->color_mask;
  in->begin_depth_write = true;
  in->begin_tag_enable = site->params->order_tag;
  in->begin_test_base = true;
}
