// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../frame/frame.h"
#include "../gpu/render.h"

struct check {
  const frame_t *frame;
  uint32_t gpus;
  uint64_t failing;  // bit g: GPU g has failed fragments
  bool *layered;     // of each command: a draw of a composed transparent group
  surface_t *targets, *depths;
  uint8_t **layers;
  shade_sampling_t sampling;
  check_result_t result;
  pthread_t thread;
  bool started, rendered;
  atomic_bool unwanted;  // the thread may end before it has rendered all
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
      !c->result.left_out || !render_surfaces_create(f, &c->targets, &c->depths)) {
    return false;
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

// Draws the commands one after the other while the pictures are wanted. wanted: NULL, always.
static bool draw(const frame_t *f, surface_t *targets, surface_t *depths, shade_sampling_t sampling,
                 const bool *layered, uint8_t **layers, atomic_bool *unwanted) {
  for (uint32_t i = 0; i < f->command_count; i++) {
    if (unwanted && atomic_load_explicit(unwanted, memory_order_relaxed)) {
      return false;
    }
    render_commands(f, i, i + 1, targets, depths, sampling, layered, layers);
  }
  return true;
}

static uint32_t *picture_of(const frame_t *f, shade_sampling_t sampling, atomic_bool *unwanted) {
  surface_t *targets, *depths;
  uint32_t *picture = malloc((size_t)f->width * f->height * sizeof *picture);
  if (!picture || !render_surfaces_create(f, &targets, &depths)) {
    free(picture);
    return NULL;
  }
  if (draw(f, targets, depths, sampling, NULL, NULL, unwanted)) {
    for (uint32_t y = 0; y < f->height; y++) {
      for (uint32_t x = 0; x < f->width; x++) {
        picture[(size_t)y * f->width + x] =
            targets[0].color[surface_index(targets[0].tiles_x, x, y)];
      }
    }
  }
  render_surfaces_destroy(f, targets, depths);
  return picture;
}

uint32_t *check_picture(const frame_t *f, shade_sampling_t sampling) {
  return picture_of(f, sampling, NULL);
}

// Renders what is not rendered yet. False: out of memory, or unwanted.
static bool render(check_t *c) {
  check_result_t *r = &c->result;
  shade_sampling_t sampling = c->sampling;
  if (sampling.filter != ShadeIsotropic) {
    // The judge filters anisotropically, also that of a run which does not.
    sampling.anisotropic = true;
    sampling.filter = ShadeFractional;
    r->fractional = r->fractional ? r->fractional : picture_of(c->frame, sampling, &c->unwanted);
    sampling.filter = ShadeWhole;
    r->whole = r->whole ? r->whole : picture_of(c->frame, sampling, &c->unwanted);
    if (!r->fractional || !r->whole) {
      return false;
    }
  }
  return draw(c->frame, c->targets, c->depths, c->sampling, c->layered, c->layers, &c->unwanted);
}

static void *run_thread(void *context) {
  check_t *c = context;
  c->rendered = render(c);
  if (c->result.hashed && !atomic_load_explicit(&c->unwanted, memory_order_relaxed)) {
    c->result.frame_hash = frame_hash(c->frame);
  }
  return NULL;
}

static void join(check_t *c) {
  if (c->started) {
    pthread_join(c->thread, NULL);
    c->started = false;
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
  return c;
}

void check_start(check_t *c, bool hash) {
  c->result.hashed = hash;
  c->started = true;
  if (pthread_create(&c->thread, NULL, run_thread, c) != 0) {
    c->started = c->result.hashed = false;
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

static void compare_target(check_t *c, machine_t *m, uint16_t target) {
  const surface_t *reference = &c->targets[target];
  check_result_t *r = &c->result;
  const surface_t *s = NULL;  // of the tile's owner
  for (uint32_t y = 0; y < reference->height; y++) {
    for (uint32_t x = 0; x < reference->width; x++) {
      uint32_t i = surface_index(reference->tiles_x, x, y);
      if (x % SurfaceTile == 0) {
        s = gpu_target(machine_gpu(m, machine_owner(m, target, x, y)), target);
        surface_touch(s, i / SurfaceTilePixels);
      }
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
        if (target == 0 && r->violations++ == 0) {
          r->x = x;
          r->y = y;
          r->bound = bound;
        }
        r->target_violations += target != 0;
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
static void compare_depth(check_t *c, machine_t *m, uint16_t depth) {
  const surface_t *reference = &c->depths[depth];
  const uint16_t target = target_beside(c->frame, depth);
  for (uint32_t y = 0; y < reference->height; y++) {
    for (uint32_t x = 0; x < reference->width; x++) {
      const uint32_t i = surface_index(reference->tiles_x, x, y);
      const uint32_t owner = machine_depth_owner(m, target, depth, x, y);
      const surface_t *s = gpu_depth(machine_gpu(m, owner), depth);
      surface_touch(s, i / SurfaceTilePixels);
      const bool same = !((s->depth[i] ^ reference->depth[i]) & SurfaceDepthMask) &&
                        s->stencil[i] == reference->stencil[i];
      c->result.target_violations += !same && !any_failed(c, m, x, y);
    }
  }
}

bool check_finish(check_t *c, machine_t *m, check_result_t *result) {
  join(c);
  // Memory that the thread could not have may be there now.
  if (!c->rendered && !render(c)) {
    return false;
  }
  c->rendered = true;
  for (uint32_t g = 0; g < c->gpus; g++) {
    c->failing |= (uint64_t)(gpu_stats(machine_gpu(m, g))->fragments_failed != 0) << g;
  }
  c->result.width = c->frame->width;
  c->result.height = c->frame->height;
  for (uint16_t t = 0; t < c->frame->target_count; t++) {
    compare_target(c, m, t);
  }
  for (uint16_t d = 0; c->result.bounded && d < c->frame->depth_count; d++) {
    compare_depth(c, m, d);
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
