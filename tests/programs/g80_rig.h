// SPDX-License-Identifier: Apache-2.0
// A draw of triangles in a window, on the machine of the G80 study (vectors/config/g80.yaml). Its
// program is the test's.
#ifndef NOCTURNE_TESTS_G80_RIG_H
#define NOCTURNE_TESTS_G80_RIG_H

#include "csim/base/config.h"
#include "csim/frame/generate_frame.h"
#include "csim/gpu/gpu.h"
#include "csim/machine/machine_config.h"
#include "tests/programs/test.h"

enum {
  RigTile = 16,  // pixels of a side
  RigBranches = 16,
  RigPixels = 32,   // slow ones of a branch
  RigOpCycles = 4,  // of an operation of a warp in an SM of 8 lanes
};

typedef struct {
  machine_params_t machine;
  uint32_t side;  // pixels of the window's
  program_t program;
  uint32_t branches, pixels[RigBranches];
  program_pixel_t pixel[RigBranches][RigPixels];
  frame_surface_t surface;
  frame_cmd_t *commands;
  uint32_t pushed, draws;  // of as many triangles each; they divide `count`
  frame_vertex_t *vertices;
  frame_triangle_t *triangles;
  uint32_t count, room;  // triangles
  frame_t frame, *made;  // made: owned; NULL: the frame is of the triangles above
  gpu_t *gpu;
} rig_t;

// `room` triangles at most.
static inline rig_t *rig_create(uint32_t side, uint32_t room) {
  err_auto_t err = {0};
  rig_t *r = calloc(1, sizeof *r);
  config_t *config = config_create();
  assert_non_null(r);
  assert_non_null(config);
  if (!machine_config_add(config, &r->machine, &err) ||
      !config_load_file(config, "vectors/config/g80.yaml", &err) ||
      !machine_config_check(config, &r->machine, &err)) {
    fail_msg("%s", err_text(&err));
  }
  config_destroy(config);
  r->side = side;
  r->room = room;
  r->draws = 1;
  r->vertices = calloc(3 * (size_t)room, sizeof *r->vertices);
  r->triangles = calloc(room, sizeof *r->triangles);
  assert_non_null(r->vertices);
  assert_non_null(r->triangles);
  return r;
}

static inline void rig_drop(rig_t *r) {
  gpu_destroy(r->gpu);
  frame_free(r->made);
  free(r->commands);
  free(r->vertices);
  free(r->triangles);
  free(r);
}

// Takes a generated frame instead of triangles and operations.
static inline rig_t *rig_load(const char *name) {
  err_auto_t err = {0};
  rig_t *r = rig_create(0, 1);
  r->made = frame_generate(name, 1, &err);
  if (!r->made) {
    fail_msg("%s", err_text(&err));
  }
  return r;
}

// Corners x, y in 1/FrameSubpixel pixels, clockwise with y down.
static inline void rig_triangle(rig_t *r, const int32_t corner[3][2]) {
  assert_true(r->count < r->room);
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t v = 3 * r->count + k;
    r->vertices[v] =
        (frame_vertex_t){.x = corner[k][0], .y = corner[k][1], .inv_w = 1, .rgba = 0xffffffff};
    r->triangles[r->count].v[k] = v;
  }
  r->count++;
}

// One triangle over the whole window.
static inline void rig_cover(rig_t *r) {
  const int32_t far = 2 * (int32_t)r->side * FrameSubpixel;
  rig_triangle(r, (int32_t[3][2]){{0, 0}, {far, 0}, {0, far}});
}

// Operations that wait for the one before, or for none.
static inline void rig_alu(rig_t *r, uint32_t operations, bool waits) {
  r->program.op[r->program.count++] =
      (program_op_t){.kind = ProgramAlu, .count = operations, .dependent = waits ? 1000 : 0};
}

// Appends the branches: in branch n its pixels alone are slow.
static inline void rig_branches(rig_t *r, uint32_t operations, bool waits) {
  program_t *p = &r->program;
  for (uint32_t n = 0; n < r->branches; n++) {
    p->op[p->count++] = (program_op_t){.kind = ProgramIf,
                                       .predicate = ProgramOnPixels,
                                       .count = r->pixels[n],
                                       .pixels = r->pixel[n]};
    rig_alu(r, operations, waits);
    p->op[p->count++] = (program_op_t){.kind = ProgramElse};
  }
  for (uint32_t n = 0; n < r->branches; n++) {
    p->op[p->count++] = (program_op_t){.kind = ProgramEndif};
  }
}

// Gives the GPU as many of the draws as its queue takes.
static inline void rig_push(rig_t *r) {
  while (r->pushed < r->draws &&
         gpu_push(r->gpu, &(gpu_command_t){.kind = GpuCommandDraw,
                                           .command = r->pushed,
                                           .count = r->frame.commands[r->pushed].triangle_count})) {
    r->pushed++;
  }
}

// Makes the frame of the triangles and operations.
static inline void rig_make_frame(rig_t *r) {
  err_auto_t err = {0};
  const frame_rect_t window = {0, 0, (int32_t)r->side, (int32_t)r->side};
  if (!program_check(&r->program, &err)) {
    fail_msg("%s", err_text(&err));
  }
  r->surface = (frame_surface_t){r->side, r->side};
  r->commands = calloc(r->draws, sizeof *r->commands);
  assert_non_null(r->commands);
  for (uint32_t d = 0, each = r->count / r->draws; d < r->draws; d++) {
    for (uint32_t t = 0; t < each; t++) {
      r->triangles[d * each + t].ordinal = t;
    }
    r->commands[d] =
        (frame_cmd_t){.kind = FrameCmdDraw,
                      .first_triangle = d * each,
                      .triangles_in = each,
                      .triangle_count = each,
                      .indices = 3 * each,
                      .vertices_in = 3 * each,
                      .vertex_length = 1,
                      .fragment_length = 1,
                      .program = 1,
                      .state = {.depth_buffer = FrameNone,
                                .color_mask = 15,
                                .color = 0xffffffff,
                                .scissor = window,
                                .viewport = window,
                                .stages = {{.texture = FrameNone}, {.texture = FrameNone}}}};
  }
  r->frame = (frame_t){.width = r->side,
                       .height = r->side,
                       .target_count = 1,
                       .targets = &r->surface,
                       .command_count = r->draws,
                       .commands = r->commands,
                       .vertices = r->vertices,
                       .vertex_count = 3 * r->count,
                       .triangles = r->triangles,
                       .triangle_count = r->count,
                       .programs = &r->program,
                       .program_count = 1};
}

// Makes the GPU.
static inline void rig_start(rig_t *r) {
  if (r->made) {
    r->frame = *r->made;
    r->draws = r->frame.command_count;
    r->side = r->frame.width;
  } else {
    rig_make_frame(r);
  }
  r->gpu = gpu_create(&r->machine.gpu, &r->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
  assert_non_null(r->gpu);
  rig_push(r);
}

// Starts and runs to the end: the cycles.
static inline uint64_t rig_cycles(rig_t *r) {
  uint64_t end = 0;
  rig_start(r);
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(r->gpu, now)) {
    end = now;
    rig_push(r);
  }
  assert_int_equal(r->pushed, r->draws);
  assert_true(gpu_idle(r->gpu));
  return end;
}

static inline bool rig_written(const rig_t *r, uint32_t x, uint32_t y) {
  const surface_t *t = gpu_target(r->gpu, 0);
  const uint32_t at = surface_index(t->tiles_x, x, y);
  surface_touch(t, at / SurfaceTilePixels);
  return t->color[at] != 0;
}

// The map of tiles to clusters as the study states it.
static inline uint32_t rig_owner(uint32_t i, uint32_t j) {
  static const uint32_t n[6] = {0, 2, 4, 1, 5, 3};
  return (i + n[j % 6]) % 6;
}

static inline void rig_near(const char *what, double got, double wanted, double part) {
  if (got < wanted * (1 - part) || got > wanted * (1 + part)) {
    fail_msg("%s: %.3f, expected %.3f within %.0f %%", what, got, wanted, part * 100);
  }
}

// Returns the sum over all clusters.
static inline uint64_t rig_sum(gpu_by_cluster_t c) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < GpuG80Clusters; i++) {
    sum += c.of[i];
  }
  return sum;
}

#endif
