// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../frame/frame.h"
#include "../gpu/render.h"

enum {
  Bands = 6,     // of rows at most, each rendered at once
  Judges = 2,    // threads that render
  Yielding = 10  // by how much the judge is nicer than the machine
};

typedef struct {
  check_t *check;
  int32_t y0, y1;  // rows from y0 on, before y1
  bool rendered;
} band_t;

struct check {
  const frame_t *frame;
  uint32_t gpus;
  uint64_t failing;  // bit g: GPU g has failed fragments
  bool *layered;     // of each command: a draw of a composed transparent group
  surface_t *targets, *depths;
  uint8_t **layers;
  shade_sampling_t sampling;
  check_result_t result;
  band_t bands[Bands];
  uint32_t band_count, judges;
  pthread_t threads[Judges];
  uint32_t started;      // of them
  atomic_uint next;      // band to render; after them the hash
  uint16_t beside;       // target_beside of the depth buffer that is compared
  atomic_bool unwanted;  // the threads may end before they have rendered all
};

static bool allocate(check_t *c, const plan_t *plan) {
  const frame_t *f = c->frame;
  c->layered = calloc(f->command_count + 1, sizeof *c->layered);
  c->layers = calloc(f->target_count + 1, sizeof *c->layers);
  size_t pixels = (size_t)f->width * f->height;
  c->result.picture = calloc(pixels, sizeof(uint32_t));
  c->result.reference = calloc(pixels, sizeof(uint32_t));
  c->result.left_out = calloc(pixels, 1);
  if (!c->layered || !c->layers || !c->result.picture || !c->result.reference ||
      !c->result.left_out || !render_surfaces_create_waiting(f, &c->targets, &c->depths)) {
    return false;
  }
  if (c->sampling.filter != ShadeIsotropic) {
    c->result.fractional = calloc(pixels, sizeof(uint32_t));
    c->result.whole = calloc(pixels, sizeof(uint32_t));
    if (!c->result.fractional || !c->result.whole) {
      return false;
    }
  }
  for (uint32_t i = 0; i < plan->composed_count; i++) {
    const plan_group_t *g = &plan->groups[plan->composed[i]];
    if (g->kind != DrawSchedulerGroupTransparent) {
      continue;
    }
    memset(c->layered + g->first, 1, g->count);
    uint16_t t = g->color_target;
    if (!c->layers[t]) {
      c->layers[t] =
          calloc((size_t)c->targets[t].tiles_x * c->targets[t].tiles_y, SurfaceTilePixels);
      if (!c->layers[t]) {
        return false;
      }
    }
  }
  return true;
}

// Draws the band's commands one after the other while the pictures are wanted. reference: its
// layers are counted.
static bool draw(const band_t *b, surface_t *targets, surface_t *depths, shade_sampling_t sampling,
                 bool reference) {
  check_t *c = b->check;
  for (uint32_t i = 0; i < c->frame->command_count; i++) {
    if (atomic_load_explicit(&c->unwanted, memory_order_relaxed)) {
      return false;
    }
    render_rows(c->frame, i, i + 1, b->y0, b->y1, targets, depths, sampling,
                reference ? c->layered : NULL, reference ? c->layers : NULL);
  }
  return true;
}

// Renders the band's rows of a picture. False: out of memory, or unwanted.
static bool draw_picture(const band_t *b, shade_sampling_t sampling, uint32_t *picture) {
  const frame_t *f = b->check->frame;
  surface_t *targets, *depths;
  if (!render_surfaces_create_waiting(f, &targets, &depths)) {
    return false;
  }
  const bool drawn = draw(b, targets, depths, sampling, false);
  for (uint32_t y = (uint32_t)b->y0; drawn && y < f->height && y < (uint32_t)b->y1; y++) {
    for (uint32_t x = 0; x < f->width; x++) {
      const uint32_t i = surface_index(targets[0].tiles_x, x, y);
      surface_touch(&targets[0], i / SurfaceTilePixels);
      picture[(size_t)y * f->width + x] = targets[0].color[i];
    }
  }
  render_surfaces_destroy(f, targets, depths);
  return drawn;
}

uint32_t *check_picture(const frame_t *f, shade_sampling_t sampling) {
  check_t c = {.frame = f};
  const band_t all = {.check = &c, .y1 = INT32_MAX};
  uint32_t *picture = malloc((size_t)f->width * f->height * sizeof *picture);
  if (picture && !draw_picture(&all, sampling, picture)) {
    free(picture);
    picture = NULL;
  }
  return picture;
}

// Renders a band of all pictures. False: out of memory, or unwanted.
static bool render(const band_t *b) {
  check_t *c = b->check;
  shade_sampling_t sampling = c->sampling;
  if (sampling.filter != ShadeIsotropic) {
    // The judge filters anisotropically, also that of a run which does not.
    sampling.anisotropic = true;
    sampling.filter = ShadeFractional;
    if (!draw_picture(b, sampling, c->result.fractional)) {
      return false;
    }
    sampling.filter = ShadeWhole;
    if (!draw_picture(b, sampling, c->result.whole)) {
      return false;
    }
  }
  return draw(b, c->targets, c->depths, c->sampling, true);
}

// Takes one band after the other, then the hash, until all are taken or unwanted.
static void render_bands(check_t *c) {
  for (uint32_t i; !atomic_load_explicit(&c->unwanted, memory_order_relaxed) &&
                   (i = atomic_fetch_add(&c->next, 1)) <= c->band_count;) {
    if (i < c->band_count) {
      c->bands[i].rendered = render(&c->bands[i]);
    } else if (c->result.hashed) {
      c->result.frame_hash = frame_hash(c->frame);
    }
  }
}

static void *run_thread(void *context) {
  // The run waits for the machine and its RTL first. (On Linux a thread has a nice value of its
  // own; where it stays as it was, nothing changes but the time.)
  (void)!setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + Yielding);
  render_bands(context);
  return NULL;
}

static void join(check_t *c) {
  while (c->started > 0) {
    pthread_join(c->threads[--c->started], NULL);
  }
}

check_t *check_create(const frame_t *frame, const plan_t *plan, uint32_t gpus,
                      shade_sampling_t sampling, bool reuse) {
  check_t *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  c->frame = frame;
  c->gpus = gpus;
  c->sampling = sampling;
  c->result.bounded = !reuse;
  if (!allocate(c, plan)) {
    check_destroy(c);
    return NULL;
  }
  // One picture is soon rendered; three take longer than the machine leaves a processor free for,
  // and at its end its thread helps with the bands that are left.
  c->judges = sampling.filter == ShadeIsotropic ? 1 : Judges;
  c->band_count = sampling.filter == ShadeIsotropic ? 1 : Bands;
  const int32_t tiles = ((int32_t)frame->height + SurfaceTile - 1) / SurfaceTile;
  for (uint32_t i = 0; i < c->band_count; i++) {
    const int32_t next = (int32_t)i + 1, count = (int32_t)c->band_count;
    c->bands[i] = (band_t){.check = c,
                           .y0 = i ? c->bands[i - 1].y1 : 0,
                           .y1 = next < count ? tiles * next / count * SurfaceTile : INT32_MAX};
  }
  return c;
}

void check_start(check_t *c, bool hash) {
  c->result.hashed = hash;
  while (c->started < c->judges &&
         pthread_create(&c->threads[c->started], NULL, run_thread, c) == 0) {
    c->started++;
  }
}

// Largest difference of a channel that rounding explains at a pixel with `layers`
// fragments in composed transparent groups. The single GPU rounds to 8 bits once a
// layer, half a unit each. A composition rounds once to 8 bits a group, of which there
// are at most as many as layers, and to 16 bits a few times a layer and a sub-image:
// 3 roundings of half of 1/257 a layer, 2 a merge.
static uint32_t bound_of(uint32_t layers, uint32_t gpus) {
  if (layers == 0) {
    return 0;
  }
  double bound = 0.5 * layers + 0.5 * layers + (1.5 * layers + 1.0 * gpus * layers) / 257.0;
  return (uint32_t)bound;
}

// Over the channels of these bits: 24 colour, 32 alpha too.
static uint32_t difference(uint32_t a, uint32_t b, uint32_t bits) {
  uint32_t most = 0;
  for (uint32_t shift = 0; a != b && shift < bits; shift += 8) {
    int32_t d = (int32_t)(a >> shift & 255) - (int32_t)(b >> shift & 255);
    uint32_t size = (uint32_t)(d < 0 ? -d : d);
    most = size > most ? size : most;
  }
  return most;
}

// A pixel of a failed fragment may have gone to its owner from any GPU.
static bool is_failed(const check_t *c, machine_t *m, uint16_t target, uint32_t i) {
  for (uint64_t left = c->failing; left; left &= left - 1) {
    if (gpu_target(machine_gpu(m, (uint32_t)__builtin_ctzll(left)), target)->failed[i]) {
      return true;
    }
  }
  return false;
}

static void compare_pixel(check_t *c, machine_t *m, uint16_t target, const surface_t *s, uint32_t x,
                          uint32_t y) {
  const surface_t *reference = &c->targets[target];
  check_result_t *r = &c->result;
  const uint32_t i = surface_index(reference->tiles_x, x, y);
  uint32_t got = s->color[i], want = reference->color[i];
  bool tied = s->tied && s->tied[i], failed = is_failed(c, m, target, i);
  bool left_out = tied || failed;
  uint32_t off = difference(got, want, 24);
  uint32_t layers = c->layers[target] ? c->layers[target][i] : 0;
  uint32_t bound = bound_of(layers, c->gpus);
  r->layered_pixels += layers == 1 && !left_out;
  r->rounded_pixels += layers == 1 && !left_out && got != want;
  if (target == 0) {
    size_t at = (size_t)y * r->width + x;
    r->picture[at] = got;
    r->reference[at] = want;
    r->left_out[at] = left_out;
    r->tie_pixels += tied;
    r->failed_pixels += failed;
    if (!left_out && off > r->max_abs_error) {
      r->max_abs_error = off;
    }
  }
  if (!left_out && difference(got, want, 32) > bound && r->bounded) {
    if (target == 0 && (r->violations++ == 0 || y < r->y || (y == r->y && x < r->x))) {
      r->x = x;
      r->y = y;
      r->bound = bound;
    }
    r->target_violations += target != 0;
  }
}

// Calls visit for each block of the surface with its first pixel, and the pixel behind its last.
typedef void (*visit_t)(check_t *c, machine_t *m, uint16_t number, const frame_rect_t *block);
static void visit_blocks(check_t *c, machine_t *m, uint16_t number, const surface_t *s,
                         visit_t visit) {
  const int32_t width = (int32_t)s->width, height = (int32_t)s->height;
  for (int32_t y = 0; y < height; y += SurfaceBlock) {
    for (int32_t x = 0; x < width; x += SurfaceBlock) {
      const int32_t x1 = x + SurfaceBlock, y1 = y + SurfaceBlock;
      const frame_rect_t block = {x, y, x1 < width ? x1 : width, y1 < height ? y1 : height};
      visit(c, m, number, &block);
    }
  }
}

static bool any(const uint8_t *bytes) {
  uint64_t words[SurfaceBlockPixels / 8], all = 0;
  memcpy(words, bytes, sizeof words);
  for (uint32_t i = 0; i < SurfaceBlockPixels / 8; i++) {
    all |= words[i];
  }
  return all;
}

// Tells if the same clear waits for a tile of both: what none has drawn is not filled to be
// compared.
static bool wait_alike(const surface_t *a, const surface_t *b, size_t tile) {
  const surface_clear_t *x = &a->clears[tile], *y = &b->clears[tile];
  return surface_waits(a, tile) && surface_waits(b, tile) && x->word == y->word &&
         x->stencil == y->stencil && !((x->waits | y->waits) & SurfaceWaitsCopy) &&
         !(a->tied && a->tied_tiles[tile]);
}

// Most blocks are the same in all pixels, and none is left out.
static void compare_colors(check_t *c, machine_t *m, uint16_t target, const frame_rect_t *b) {
  const surface_t *reference = &c->targets[target];
  check_result_t *r = &c->result;
  const uint32_t x0 = (uint32_t)b->x0, y0 = (uint32_t)b->y0;
  const surface_t *s = gpu_target(machine_gpu(m, machine_owner(m, target, x0, y0)), target);
  const uint32_t start = surface_index(reference->tiles_x, x0, y0);
  if (target != 0 && !c->failing && !c->layers[target] &&
      wait_alike(s, reference, start / SurfaceTilePixels)) {
    return;
  }
  surface_touch(s, start / SurfaceTilePixels);
  surface_touch(reference, start / SurfaceTilePixels);
  const bool ties = s->tied && s->tied_tiles[start / SurfaceTilePixels];
  const bool same = !c->failing && !(ties && any(s->tied + start)) &&
                    memcmp(s->color + start, reference->color + start,
                           SurfaceBlockPixels * sizeof *s->color) == 0;
  for (uint32_t y = y0; y < (uint32_t)b->y1; y++) {
    for (uint32_t x = x0; x < (uint32_t)b->x1; x++) {
      if (!same) {
        compare_pixel(c, m, target, s, x, y);
        continue;
      }
      const uint32_t i = start + surface_block_index(x - x0, y - y0);
      r->layered_pixels += c->layers[target] && c->layers[target][i] == 1;
      if (target == 0) {
        const size_t at = (size_t)y * r->width + x;
        r->picture[at] = r->reference[at] = reference->color[i];
      }
    }
  }
}

// The target that a depth buffer was last drawn or cleared with: by its map the buffer's tiles have
// owners (docs/model/driver.md, target switches).
static uint16_t target_beside(const frame_t *f, uint16_t depth) {
  uint16_t target = FrameNone;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_state_t *s = &f->commands[i].state;
    target = s->depth_buffer == depth ? s->color_target : target;
  }
  return target;
}

// A pixel that a failed fragment drew in any target may have any depth.
static bool any_failed(const check_t *c, machine_t *m, uint32_t x, uint32_t y) {
  for (uint16_t t = 0; t < c->frame->target_count; t++) {
    const surface_t *s = &c->targets[t];
    if (x < s->width && y < s->height && is_failed(c, m, t, surface_index(s->tiles_x, x, y))) {
      return true;
    }
  }
  return false;
}

// Depth and stencil are exact: which of two equally near fragments wins changes neither.
static void compare_depth(check_t *c, machine_t *m, uint16_t depth, uint32_t x, uint32_t y) {
  const surface_t *reference = &c->depths[depth];
  const uint16_t target = c->beside;
  const uint32_t i = surface_index(reference->tiles_x, x, y);
  const surface_t *s =
      gpu_depth(machine_gpu(m, machine_depth_owner(m, target, depth, x, y)), depth);
  surface_touch(s, i / SurfaceTilePixels);
  const bool same = !((s->depth[i] ^ reference->depth[i]) & SurfaceDepthMask) &&
                    s->stencil[i] == reference->stencil[i];
  c->result.target_violations += !same && !any_failed(c, m, x, y);
}

static void compare_depths(check_t *c, machine_t *m, uint16_t depth, const frame_rect_t *b) {
  const surface_t *reference = &c->depths[depth];
  const uint16_t target = c->beside;
  const uint32_t x0 = (uint32_t)b->x0, y0 = (uint32_t)b->y0, x1 = (uint32_t)b->x1,
                 y1 = (uint32_t)b->y1;
  const uint32_t owner = machine_depth_owner(m, target, depth, x0, y0);
  const surface_t *s = gpu_depth(machine_gpu(m, owner), depth);
  const uint32_t start = surface_index(reference->tiles_x, x0, y0);
  uint32_t differ = owner != machine_depth_owner(m, target, depth, x1 - 1, y1 - 1);
  if (!differ && wait_alike(s, reference, start / SurfaceTilePixels)) {
    return;
  }
  surface_touch(s, start / SurfaceTilePixels);
  surface_touch(reference, start / SurfaceTilePixels);
  for (uint32_t i = start; i < start + SurfaceBlockPixels; i++) {
    differ |= (s->depth[i] ^ reference->depth[i]) & SurfaceDepthMask;
  }
  if (!differ && !memcmp(s->stencil + start, reference->stencil + start, SurfaceBlockPixels)) {
    return;
  }
  for (uint32_t y = y0; y < y1; y++) {
    for (uint32_t x = x0; x < x1; x++) {
      compare_depth(c, m, depth, x, y);
    }
  }
}

bool check_finish(check_t *c, machine_t *m, check_result_t *result) {
  render_bands(c);
  join(c);
  // Memory that a thread could not have may be there now.
  for (uint32_t i = 0; i < c->band_count; i++) {
    c->bands[i].rendered = c->bands[i].rendered || render(&c->bands[i]);
    if (!c->bands[i].rendered) {
      return false;
    }
  }
  for (uint32_t g = 0; g < c->gpus; g++) {
    c->failing |= (uint64_t)(gpu_stats(machine_gpu(m, g))->fragments_failed != 0) << g;
  }
  c->result.width = c->frame->width;
  c->result.height = c->frame->height;
  for (uint16_t t = 0; t < c->frame->target_count; t++) {
    visit_blocks(c, m, t, &c->targets[t], compare_colors);
  }
  for (uint16_t d = 0; c->result.bounded && d < c->frame->depth_count; d++) {
    c->beside = target_beside(c->frame, d);
    visit_blocks(c, m, d, &c->depths[d], compare_depths);
  }
  *result = c->result;
  return true;
}

void check_destroy(check_t *c) {
  if (!c) {
    return;
  }
  atomic_store_explicit(&c->unwanted, true, memory_order_relaxed);
  join(c);
  for (uint32_t t = 0; c->layers && t < c->frame->target_count; t++) {
    free(c->layers[t]);
  }
  if (c->targets) {
    render_surfaces_destroy(c->frame, c->targets, c->depths);
  }
  free(c->layers);
  free(c->layered);
  free(c->result.picture);
  free(c->result.reference);
  free(c->result.left_out);
  free(c->result.fractional);
  free(c->result.whole);
  free(c);
}
