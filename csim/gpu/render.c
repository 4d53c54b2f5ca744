// SPDX-License-Identifier: Apache-2.0
#include "render.h"

#include <stdlib.h>
#include <string.h>

#include "blend.h"
#include "depth.h"
#include "lanes.h"

// ---- Surfaces ----

void surface_copy(const surface_t *to, const surface_t *from, size_t start, size_t pixels) {
  memcpy((to->color ? to->color : to->depth) + start,
         (from->color ? from->color : from->depth) + start, pixels * sizeof *to->color);
  if (to->stencil) {
    memcpy(to->stencil + start, from->stencil + start, pixels);
  }
}

void surface_fill(const surface_t *s, size_t tile) {
  surface_clear_t *c = &s->clears[tile];
  size_t start = tile * SurfaceTilePixels;
  uint32_t *words = (s->color ? s->color : s->depth) + start;
  const uint32_t word = c->word;
  if (c->waits & SurfaceWaitsCopy) {
    surface_copy(s, s->shared, start, SurfaceTilePixels);
  }
  for (uint32_t i = 0; (c->waits & SurfaceWaitsWords) && i < SurfaceTilePixels; i++) {
    words[i] = word;
  }
  if (c->waits & SurfaceWaitsStencil) {
    memset(s->stencil + start, c->stencil, SurfaceTilePixels);
  }
  if ((c->waits & SurfaceWaitsTies) && s->tied_tiles[tile]) {
    s->tied_tiles[tile] = 0;
    memset(s->tied + start, 0, SurfaceTilePixels);
  }
  c->waits = 0;
}

static bool surface_create(surface_t *s, frame_surface_t size, bool depth, bool waits) {
  *s = (surface_t){.width = size.width,
                   .height = size.height,
                   .tiles_x = (size.width + SurfaceTile - 1) / SurfaceTile,
                   .tiles_y = (size.height + SurfaceTile - 1) / SurfaceTile};
  size_t tiles = (size_t)s->tiles_x * s->tiles_y, pixels = tiles * SurfaceTilePixels;
  s->dirty = calloc(tiles, 1);
  s->dirty_blocks = calloc(tiles, sizeof *s->dirty_blocks);
  s->clears = waits ? calloc(tiles, sizeof *s->clears) : NULL;
  if (depth) {
    s->depth = malloc(pixels * sizeof *s->depth);
    s->stencil = calloc(pixels, 1);
    s->mark_group = calloc(pixels / SurfaceBlockPixels, sizeof *s->mark_group);
    for (size_t i = 0; s->depth && !waits && i < pixels; i++) {
      s->depth[i] = SurfaceDepthMask;
    }
    for (size_t i = 0; s->clears && i < tiles; i++) {
      s->clears[i] = (surface_clear_t){.word = SurfaceDepthMask,
                                       .waits = SurfaceWaitsWords | SurfaceWaitsStencil};
    }
    return s->depth && s->stencil && s->mark_group && s->dirty && s->dirty_blocks &&
           (s->clears || !waits);
  }
  s->color = calloc(pixels, sizeof *s->color);
  s->tied = calloc(pixels, 1);
  s->tied_tiles = calloc(tiles, 1);
  s->failed = calloc(pixels, 1);
  return s->color && s->tied && s->tied_tiles && s->failed && s->dirty && s->dirty_blocks &&
         (s->clears || !waits);
}

static void surfaces_free(surface_t *s, uint32_t count) {
  for (uint32_t i = 0; s && i < count; i++) {
    free(s[i].color);
    free(s[i].depth);
    free(s[i].stencil);
    free(s[i].mark_group);
    free(s[i].subimage);
    free(s[i].subimage_written);
    free(s[i].dirty);
    free(s[i].dirty_blocks);
    free(s[i].tied);
    free(s[i].tied_tiles);
    free(s[i].clears);
    free(s[i].failed);
  }
  free(s);
}

void render_surfaces_destroy(const frame_t *frame, surface_t *targets, surface_t *depths) {
  surfaces_free(targets, frame->target_count);
  surfaces_free(depths, frame->depth_count);
}

static bool surfaces_create(const frame_t *frame, surface_t **targets, surface_t **depths,
                            bool waits) {
  *targets = calloc(frame->target_count + 1, sizeof **targets);
  *depths = calloc(frame->depth_count + 1, sizeof **depths);
  bool ok = *targets && *depths;
  for (uint32_t i = 0; ok && i < frame->target_count; i++) {
    ok = surface_create(&(*targets)[i], frame->targets[i], false, waits);
  }
  for (uint32_t i = 0; ok && i < frame->depth_count; i++) {
    ok = surface_create(&(*depths)[i], frame->depths[i], true, waits);
  }
  if (!ok) {
    render_surfaces_destroy(frame, *targets, *depths);
    *targets = *depths = NULL;
  }
  return ok;
}

bool render_surfaces_create(const frame_t *frame, surface_t **targets, surface_t **depths) {
  return surfaces_create(frame, targets, depths, false);
}

bool render_surfaces_create_waiting(const frame_t *frame, surface_t **targets, surface_t **depths) {
  return surfaces_create(frame, targets, depths, true);
}

// ---- Pixels ----

static inline size_t block_start(const surface_t *s, uint32_t bx, uint32_t by) {
  return surface_index(s->tiles_x, bx * 8, by * 8);
}

// ---- Depth and stencil ----

// The first write of a group to a block drops the marks of older groups there.
static void begin_block(const render_draw_t *d, size_t start) {
  uint32_t *group = &d->depth->mark_group[start / SurfaceBlockPixels];
  if (*group == d->mode.group) {
    return;
  }
  *group = d->mode.group;
  uint32_t *words = d->depth->depth + start;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    words[i] &= ~(1u << SurfaceMarkBit);
  }
}

// Another GPU has brought the depth that a pixel has: which of the two wins is chance. A pixel that
// passes replaces the note when its colour is written.
static void note_ties(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask, size_t start) {
  const uint32_t *words = d->depth->depth + start;
  uint64_t others = 0;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    const bool other = words[i] >> SurfaceMarkBit & 1 && words[i] >> SurfaceTagShift != d->mode.tag;
    others |= (uint64_t)other << i;
  }
  const size_t color = block_start(d->color, bx, by);
  surface_touch(d->color, color / SurfaceTilePixels);
  const uint8_t note = d->state->depth_func & 2 ? SurfaceTiedWhenWritten : SurfaceTied;
  for (uint64_t rest = depth_equal(r, bx, by, mask & others, words); rest; rest &= rest - 1) {
    surface_tie(d->color, color + (size_t)__builtin_ctzll(rest), note);
  }
}

void render_draw_make(render_draw_t *d, const frame_t *frame, const frame_state_t *s,
                      surface_t *targets, surface_t *depths, shade_sampling_t sampling) {
  *d = (render_draw_t){
      .frame = frame,
      .state = s,
      .color = s->color_target == FrameNone ? NULL : &targets[s->color_target],
      .depth = s->depth_buffer == FrameNone ? NULL : &depths[s->depth_buffer],
  };
  shade_state_make(&d->shade, frame, s, sampling);
}

static bool discards(const frame_state_t *s) {
  return s->alpha_test && s->alpha_func != FrameFuncAlways;
}

bool render_is_late(const frame_state_t *s) {
  bool writes = (s->depth_test && s->depth_write) || s->stencil_test;
  return discards(s) && writes && s->depth_buffer != FrameNone;
}

uint64_t render_depth(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask) {
  const frame_state_t *s = d->state;
  if (!d->depth || !mask || (!s->depth_test && !s->stencil_test)) {
    return mask;
  }
  size_t start = block_start(d->depth, bx, by);
  surface_touch(d->depth, start / SurfaceTilePixels);
  bool writes = s->depth_test && s->depth_write;
  bool marks = d->mode.compose && !d->mode.subimage;
  uint32_t extra = (uint32_t)d->mode.tag << SurfaceTagShift | (uint32_t)marks << SurfaceMarkBit;
  if (marks && writes) {
    begin_block(d, start);
    if (d->mode.ties && d->color) {
      note_ties(d, r, bx, by, mask, start);
    }
  }
  uint64_t passed =
      depth_block(s, r, bx, by, mask, extra, d->depth->depth + start, d->depth->stencil + start);
  uint32_t dirty =
      (s->stencil_test ? SurfaceDirtyStencil : 0u) | (writes && passed ? SurfaceDirtyValues : 0u);
  if (dirty) {
    surface_soil(d->depth, start, (uint8_t)dirty);
  }
  return passed;
}

// ---- Colour ----

static uint32_t mask_bytes(uint8_t color_mask) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < 4; k++) {
    m |= (color_mask >> k & 1 ? 255u : 0u) << (8 * k);
  }
  return m;
}

static void write_subimage(const render_draw_t *d, size_t start, uint64_t mask,
                           const uint32_t *colors) {
  uint64_t *written = &d->color->subimage_written[start / SurfaceBlockPixels];
  blend_subimage(d->state, mask, colors, d->color->subimage + start, *written);
  *written |= mask;
}

static void count_layers(const render_draw_t *d, size_t start, uint64_t mask) {
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint8_t *n = &d->layers[start + (size_t)__builtin_ctzll(rest)];
    if (d->layered) {
      *n += *n < 255;
    } else if (!d->state->blend && d->state->color_mask == 0xf) {
      *n = 0;
    }
  }
}

static void write_color(const render_draw_t *d, size_t start, uint64_t mask,
                        const uint32_t *colors) {
  surface_t *t = d->color;
  const frame_state_t *s = d->state;
  surface_touch(t, start / SurfaceTilePixels);
  surface_soil(t, start, SurfaceDirtyValues);
  blend_block(s, mask, colors, t->color + start);
  if (!s->blend && s->color_mask == 15 && t->tied_tiles[start / SurfaceTilePixels]) {
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
      t->tied[start + (size_t)__builtin_ctzll(rest)] >>= 1;
    }
  }
}

bool render_needs_colors(const render_draw_t *d) {
  return (d->color && d->state->color_mask) || discards(d->state);
}

// Returns the pixels of the mask that the alpha test keeps.
static uint64_t test_alpha(const frame_state_t *s, uint64_t mask, const uint32_t *colors) {
  if (!discards(s)) {
    return mask;
  }
  uint64_t kept = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    int i = __builtin_ctzll(rest);
    uint32_t a = colors[i] >> 24, ref = s->alpha_ref;
    // Bit 0 of a function accepts less, bit 1 equal, bit 2 greater.
    kept |= (uint64_t)(s->alpha_func >> (a < ref ? 0 : a == ref ? 1 : 2) & 1) << i;
  }
  return kept;
}

uint64_t render_shade(const render_draw_t *d, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                      uint32_t *colors, render_shaded_t *shaded) {
  if (shaded) {
    shaded->probes = shaded->line_count = 0;
    memset(shaded->first, 0, sizeof shaded->first);
  }
  if (!mask || !render_needs_colors(d)) {
    return mask;
  }
  isotropic_trace_t traces[FrameMaxTextures];
  shade_block(&d->shade, r, bx, by, mask, colors, shaded ? traces : NULL);
  if (shaded) {
    shaded->probes = (uint32_t)__builtin_popcountll(mask) * d->shade.stage_count;
    for (uint32_t k = 0; k < d->shade.stage_count; k++) {
      uint64_t texture = (uint64_t)(d->shade.texture[k] - d->frame->textures) << 40;
      for (uint32_t n = 0; n < traces[k].line_count; n++) {
        shaded->of[shaded->line_count] = traces[k].of[n];
        shaded->lines[shaded->line_count++] = texture | traces[k].line[n];
      }
      shaded->first[k + 1] = shaded->line_count;
    }
  }
  return test_alpha(d->state, mask, colors);
}

uint64_t render_shade_end(const render_draw_t *d, shade_work_t *work, uint32_t *colors) {
  shade_end(&d->shade, work, colors);
  return test_alpha(d->state, work->mask, colors);
}

uint64_t render_write(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask, const uint32_t *colors) {
  const frame_state_t *s = d->state;
  if (render_is_late(s)) {
    mask = render_depth(d, r, bx, by, mask);
  }
  if (!d->color || !s->color_mask || !mask) {
    return mask;
  }
  size_t start = block_start(d->color, bx, by);
  if (d->mode.subimage) {
    write_subimage(d, start, mask, colors);
  } else {
    write_color(d, start, mask, colors);
  }
  if (d->layers) {
    count_layers(d, start, mask);
  }
  return mask;
}

// ---- Clears and background ----

// Sets the pixels of the mask to `value` where `write` has bits.
static void fill_words(uint32_t *words, uint64_t mask, uint32_t value, uint32_t write) {
  if (mask == UINT64_MAX && write == UINT32_MAX) {
    for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
      words[i] = value;
    }
    return;
  }
  for (; mask; mask &= mask - 1) {
    uint32_t *word = &words[__builtin_ctzll(mask)];
    *word = (*word & ~write) | (value & write);
  }
}

static void fill_bytes(uint8_t *bytes, uint64_t mask, uint8_t value) {
  if (mask == UINT64_MAX) {
    memset(bytes, value, SurfaceBlockPixels);
    return;
  }
  for (; mask; mask &= mask - 1) {
    bytes[__builtin_ctzll(mask)] = value;
  }
}

static void clear_block(const frame_cmd_t *c, surface_t *s, size_t start, uint64_t mask,
                        uint32_t write) {
  if (s->color) {
    fill_words(s->color + start, mask, c->clear_rgba, write);
    if (write == UINT32_MAX && s->tied_tiles[start / SurfaceTilePixels]) {
      fill_bytes(s->tied + start, mask, 0);
    }
    return;
  }
  if (c->clear_depth) {
    fill_words(s->depth + start, mask, c->clear_z & SurfaceDepthMask, UINT32_MAX);
  }
  if (c->clear_stencil) {
    fill_bytes(s->stencil + start, mask, c->clear_stencil_value);
  }
}

// Returns the area that draws into both surfaces may reach: the smaller size.
static frame_rect_t common_area(const surface_t *a, const surface_t *b) {
  frame_rect_t r = {0, 0, (int32_t)a->width, (int32_t)a->height};
  if (b) {
    r.x1 = (int32_t)b->width < r.x1 ? (int32_t)b->width : r.x1;
    r.y1 = (int32_t)b->height < r.y1 ? (int32_t)b->height : r.y1;
  }
  return r;
}

// Takes these bits from the tiles of the area that lie inside the box.
static void clean_tiles(surface_t *s, const frame_rect_t *box, const frame_rect_t *area,
                        uint8_t dirty) {
  for (int32_t y = 0; y < area->y1; y += SurfaceTile) {
    for (int32_t x = 0; x < area->x1; x += SurfaceTile) {
      int32_t x1 = x + SurfaceTile < area->x1 ? x + SurfaceTile : area->x1;
      int32_t y1 = y + SurfaceTile < area->y1 ? y + SurfaceTile : area->y1;
      if (box->x0 <= x && box->y0 <= y && box->x1 >= x1 && box->y1 >= y1) {
        uint32_t tile = (uint32_t)(y / SurfaceTile) * s->tiles_x + (uint32_t)(x / SurfaceTile);
        s->dirty[tile] &= (uint8_t)~dirty;
        s->dirty_blocks[tile] = s->dirty[tile] ? s->dirty_blocks[tile] : 0;
      }
    }
  }
}

// A clear of the whole tile waits where it may.
static void clear_tile(const frame_cmd_t *c, surface_t *s, int32_t tx, int32_t ty, uint32_t write) {
  const frame_rect_t *box = &c->state.scissor;
  const size_t tile = (size_t)ty * s->tiles_x + (size_t)tx;
  const int32_t x = tx * SurfaceTile, y = ty * SurfaceTile;
  const frame_rect_t in = {box->x0 > x ? box->x0 : x, box->y0 > y ? box->y0 : y,
                           box->x1 < x + SurfaceTile ? box->x1 : x + SurfaceTile,
                           box->y1 < y + SurfaceTile ? box->y1 : y + SurfaceTile};
  const bool whole = in.x1 - in.x0 == SurfaceTile && in.y1 - in.y0 == SurfaceTile;
  if (s->clears && whole && (!s->color || write == UINT32_MAX)) {
    surface_clear_t *w = &s->clears[tile];
    if (s->color || c->clear_depth) {
      w->word = s->color ? c->clear_rgba : c->clear_z & SurfaceDepthMask;
      w->waits |= s->color ? SurfaceWaitsWords | SurfaceWaitsTies : SurfaceWaitsWords;
    }
    if (!s->color && c->clear_stencil) {
      w->stencil = c->clear_stencil_value;
      w->waits |= SurfaceWaitsStencil;
    }
    return;
  }
  surface_touch(s, tile);
  for (int32_t by = in.y0 >> 3; by <= (in.y1 - 1) >> 3; by++) {
    for (int32_t bx = in.x0 >> 3; bx <= (in.x1 - 1) >> 3; bx++) {
      size_t start = block_start(s, (uint32_t)bx, (uint32_t)by);
      clear_block(c, s, start, raster_rectangle(box, bx, by), write);
    }
  }
}

static void clear_surface(const frame_cmd_t *c, surface_t *s, const surface_t *other,
                          surface_owners_t owners, uint32_t owner) {
  const frame_rect_t *box = &c->state.scissor;
  uint32_t write = mask_bytes(c->state.color_mask);
  for (int32_t ty = box->y0 >> 6; ty <= (box->y1 - 1) >> 6; ty++) {
    for (int32_t tx = box->x0 >> 6; tx <= (box->x1 - 1) >> 6; tx++) {
      uint32_t tile = (uint32_t)ty * owners.tiles_x + (uint32_t)tx;
      if (!owners.owner || owners.owner[tile] == owner) {
        clear_tile(c, s, tx, ty, write);
      }
    }
  }
  bool values = s->color || c->clear_depth, stencil = !s->color && c->clear_stencil;
  uint32_t dirty = (values ? SurfaceDirtyValues : 0u) | (stencil ? SurfaceDirtyStencil : 0u);
  if (owners.owner) {
    for (uint32_t i = 0; i < s->tiles_x * s->tiles_y; i++) {
      s->dirty[i] |= (uint8_t)dirty;
      s->dirty_blocks[i] = UINT64_MAX;
    }
  } else if (!s->color || write == UINT32_MAX) {
    frame_rect_t area = common_area(s, other);
    clean_tiles(s, box, &area, (uint8_t)dirty);
  }
}

void render_clear(const frame_cmd_t *c, surface_t *color, surface_t *depth, surface_owners_t owners,
                  uint32_t owner) {
  if (color && c->clear_color) {
    clear_surface(c, color, depth, owners, owner);
  }
  if (depth && (c->clear_depth || c->clear_stencil)) {
    clear_surface(c, depth, color, owners, owner);
  }
}

uint32_t render_background(const frame_state_t *s, surface_t *t, uint32_t tile) {
  uint32_t composed = 0;
  for (uint32_t b = 0; b < SurfaceBlocksPerTile; b++) {
    size_t block = (size_t)tile * SurfaceBlocksPerTile + b;
    uint64_t written = t->subimage_written[block];
    if (written) {
      size_t start = block * SurfaceBlockPixels;
      surface_touch(t, tile);
      blend_background(s, t->subimage + start, written, t->color + start);
      composed += (uint32_t)__builtin_popcountll(written);
      surface_soil(t, start, SurfaceDirtyValues);
    }
  }
  return composed;
}

// ---- A whole frame ----

static void render_triangle(const render_draw_t *d, raster_t *r) {
  bool late = render_is_late(d->state);
  uint32_t colors[SurfaceBlockPixels];
  for (int32_t by = r->y0 >> 3; by <= (r->y1 - 1) >> 3; by++) {
    for (int32_t bx = r->x0 >> 3; bx <= (r->x1 - 1) >> 3; bx++) {
      uint64_t mask = raster_coverage(r, bx, by);
      if (mask && !late) {
        mask = render_depth(d, r, (uint32_t)bx, (uint32_t)by, mask);
      }
      if (mask) {
        mask = render_shade(d, r, (uint32_t)bx, (uint32_t)by, mask, colors, NULL);
        render_write(d, r, (uint32_t)bx, (uint32_t)by, mask, colors);
      }
    }
  }
}

// Tells if a clear gives every pixel of the target a new colour.
static bool replaces_all(const frame_cmd_t *c, const surface_t *target) {
  const frame_rect_t *box = &c->state.scissor;
  return c->clear_color && c->state.color_mask == 0xf && box->x0 <= 0 && box->y0 <= 0 &&
         box->x1 >= (int32_t)target->width && box->y1 >= (int32_t)target->height;
}

// Clears what of the command lies in the box.
static void clear_rows(const render_draw_t *d, const frame_cmd_t *command,
                       const frame_rect_t *box) {
  frame_cmd_t c = *command;
  c.state.scissor = *box;
  render_clear(&c, d->color, d->depth, (surface_owners_t){NULL, 0}, 0);
  if (d->layers && replaces_all(command, d->color)) {
    const size_t row = (size_t)d->color->tiles_x * SurfaceTilePixels;
    const size_t first = (size_t)box->y0 / SurfaceTile;
    const size_t last = ((size_t)box->y1 + SurfaceTile - 1) / SurfaceTile;
    memset(d->layers + first * row, 0, (last - first) * row);
  }
}

void render_rows(const frame_t *frame, uint32_t first, uint32_t last, int32_t y0, int32_t y1,
                 surface_t *targets, surface_t *depths, shade_sampling_t sampling,
                 const bool *layered, uint8_t **layers) {
  for (uint32_t i = first; i < last; i++) {
    const frame_cmd_t *c = &frame->commands[i];
    frame_state_t s = c->state;
    render_draw_t d;
    s.scissor.y0 = s.scissor.y0 > y0 ? s.scissor.y0 : y0;
    s.scissor.y1 = s.scissor.y1 < y1 ? s.scissor.y1 : y1;
    if (s.scissor.y0 >= s.scissor.y1) {
      continue;
    }
    render_draw_make(&d, frame, &s, targets, depths, sampling);
    d.layers = layers && s.color_target != FrameNone ? layers[s.color_target] : NULL;
    d.layered = layered && layered[i];
    if (c->kind == FrameCmdClear) {
      clear_rows(&d, c, &s.scissor);
      continue;
    }
    for (uint32_t k = 0; k < c->triangle_count; k++) {
      raster_t r;
      if (raster_setup(&r, frame, &s, &frame->triangles[c->first_triangle + k])) {
        render_triangle(&d, &r);
      }
    }
  }
}

void render_commands(const frame_t *frame, uint32_t first, uint32_t last, surface_t *targets,
                     surface_t *depths, shade_sampling_t sampling, const bool *layered,
                     uint8_t **layers) {
  render_rows(frame, first, last, 0, INT32_MAX, targets, depths, sampling, layered, layers);
}
