// SPDX-License-Identifier: Apache-2.0
// The timed GPU against the functional renderer, and its time against itself.
#include "csim/gpu/gpu.h"
#include "csim/gpu/lanes.h"
#include "csim/gpu/render.h"
#include "tests/programs/golden_units.h"
#include "tests/programs/test.h"

enum {
  Width = 200,
  Height = 150,
  Commands = 24,
  TilesX = 4,
  TilesY = 3,
  MaxGpus = 5,
  Textures = 3,
  MaxTriangles = 4096
};

static uint32_t seed = 7;

static uint32_t noise(void) {
  seed = seed * 1664525u + 1013904223u;
  return seed >> 8;
}

static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)(noise() % (uint32_t)(high - low + 1));
}

typedef struct {
  frame_surface_t targets[2], depths[2];
  frame_texture_t textures[Textures];
  frame_cmd_t commands[Commands];
  frame_vertex_t vertices[3 * MaxTriangles];
  frame_triangle_t triangles[MaxTriangles];
  program_t programs[3];
  frame_t frame;
} scene_t;

static frame_rect_t some_rect(void) {
  if (noise() % 2) {
    return (frame_rect_t){0, 0, Width, Height};
  }
  int32_t x = between(0, Width - 1), y = between(0, Height - 1);
  return (frame_rect_t){x, y, between(x + 1, Width), between(y + 1, Height)};
}

static frame_state_t some_state(void) {
  frame_state_t s = {.color_target = noise() % 8   ? 0
                                     : noise() % 2 ? 1
                                                   : FrameNone,
                     .depth_buffer = noise() % 8   ? 0
                                     : noise() % 2 ? 1
                                                   : FrameNone,
                     .depth_test = noise() % 4 != 0,
                     .depth_write = noise() % 3 != 0,
                     .depth_func = noise() % 3 ? FrameFuncLess : noise() % 8,
                     .blend = noise() % 3 == 0,
                     .src_rgb = noise() % 11,
                     .dst_rgb = noise() % 11,
                     .src_alpha = noise() % 11,
                     .dst_alpha = noise() % 11,
                     .equation_rgb = noise() % 5,
                     .color_mask = noise() % 4 ? 15 : noise() % 16,
                     .alpha_test = noise() % 4 == 0,
                     .alpha_func = noise() % 8,
                     .alpha_ref = 128,
                     .stencil_test = noise() % 4 == 0,
                     .scissor = some_rect(),
                     .color = noise() % 2 ? 0xffffffff : noise() << 8 ^ noise()};
  for (int i = 0; i < 2; i++) {
    s.stencil[i] =
        (frame_stencil_t){noise() % 8, 3, 255, 255, noise() % 8, noise() % 8, noise() % 8};
    s.stages[i] = (frame_stage_t){.texture = noise() % 2 ? noise() % Textures : FrameNone,
                                  .coord = noise() % 2,
                                  .combine = noise() % 6,
                                  .mag_filter = 1,
                                  .min_filter = 1,
                                  .mip = noise() % 3,
                                  .wrap_s = noise() % 3,
                                  .wrap_t = noise() % 3,
                                  .max_anisotropy = 1};
  }
  s.viewport = s.scissor;
  return s;
}

static void some_triangles(scene_t *s, frame_cmd_t *c) {
  uint32_t size = noise() % 4 ? 25 : 300, count = size > 100 ? 1 + noise() % 6 : noise() % 150;
  c->first_triangle = s->frame.triangle_count;
  for (uint32_t i = 0, ordinal = 0; i < count; i++, ordinal += noise() % 3) {
    uint32_t t = s->frame.triangle_count++;
    int32_t x = between(-40, Width + 40), y = between(-40, Height + 40);
    for (uint32_t k = 0; k < 3; k++) {
      frame_vertex_t *v = &s->vertices[3 * t + k];
      *v = (frame_vertex_t){.x = 256 * x + between(-(int32_t)size, (int32_t)size) * 128,
                            .y = 256 * y + between(-(int32_t)size, (int32_t)size) * 128,
                            .z = noise() & FrameMaxDepth,
                            .inv_w = (float)(1 + noise() % 9),
                            .rgba = noise() << 8 ^ noise(),
                            .uv = {{(float)(noise() % 9), 0.5F}, {0.1F, (float)(noise() % 5)}}};
      s->triangles[t].v[k] = 3 * t + k;
    }
    s->triangles[t].ordinal = ordinal;
    c->triangles_in = ordinal + 1 + noise() % 3;
  }
  c->triangle_count = count;
  c->indices = 3 * c->triangles_in;
  c->vertices_in = c->triangles_in;
  c->vertex_length = 10;
  c->fragment_length = 1 + noise() % 40;
}

// Half of the scenes have recorded programs: branches on everything, reads, KILLs.
static void some_programs(scene_t *s) {
  err_auto_t err = {0};
  s->frame.programs = s->programs;
  s->frame.program_count = 3;
  for (uint32_t i = 0; i < 3; i++) {
    const uint16_t x = (uint16_t)(noise() % Width), side = (uint16_t)(1 + noise() % 9);
    program_t *p = &s->programs[i];
    *p = (program_t){8,
                     {{.kind = ProgramAlu, .count = 1 + noise() % 20, .dependent = 500},
                      {.kind = ProgramTex, .stage = noise() % 2, .count = noise() % 4},
                      {.kind = ProgramIf,
                       .predicate = noise() % 5,
                       .stage = noise() % 2,
                       .ref = (uint8_t)noise(),
                       .x0 = x,
                       .x1 = Width,
                       .y1 = Height,
                       .permille = 400,
                       .side = side},
                      {.kind = ProgramTex, .stage = noise() % 2},
                      {.kind = ProgramElse},
                      {.kind = ProgramSfu, .count = 1 + noise() % 9},
                      {.kind = ProgramEndif},
                      {.kind = noise() % 2 ? ProgramKill : ProgramTex}}};
    p->op[2].predicate = p->op[2].predicate == ProgramOnPixels ? 0 : p->op[2].predicate;
    assert_true(program_check(p, &err));
  }
  for (uint32_t i = 0; i < Commands; i++) {
    s->commands[i].program = s->commands[i].kind == FrameCmdDraw ? noise() % 4 : 0;
  }
}

static scene_t *scene_create(void) {
  scene_t *s = calloc(1, sizeof *s);
  for (int i = 0; i < 2; i++) {
    s->targets[i] = s->depths[i] = (frame_surface_t){Width, Height};
  }
  for (uint32_t i = 0; i < Textures; i++) {
    frame_texture_t *t = &s->textures[i];
    t->width = 1 + noise() % 70;
    t->height = 1 + noise() % 70;
    t->levels = 1;
    t->level[0] = malloc(t->width * t->height * sizeof(uint32_t));
    for (uint32_t k = 0; k < t->width * t->height; k++) {
      t->level[0][k] = noise() << 8 ^ noise();
    }
    frame_texture_make_levels(t);
  }
  s->frame = (frame_t){.width = Width,
                       .height = Height,
                       .target_count = 2,
                       .depth_count = 2,
                       .texture_count = Textures,
                       .targets = s->targets,
                       .depths = s->depths,
                       .textures = s->textures,
                       .command_count = Commands,
                       .commands = s->commands,
                       .vertices = s->vertices,
                       .triangles = s->triangles};
  for (uint32_t i = 0; i < Commands; i++) {
    frame_cmd_t *c = &s->commands[i];
    c->state = some_state();
    if (i == 0 || noise() % 8 == 0) {
      c->kind = FrameCmdClear;
      c->clear_color = c->state.color_target != FrameNone;
      c->clear_depth = c->clear_stencil = c->state.depth_buffer != FrameNone;
      c->clear_rgba = noise() << 8;
      c->clear_z = i ? noise() & FrameMaxDepth : FrameMaxDepth;
    } else {
      some_triangles(s, c);
    }
  }
  if (noise() % 2) {
    some_programs(s);
  }
  s->frame.vertex_count = 3 * s->frame.triangle_count;
  return s;
}

static void scene_destroy(scene_t *s) {
  for (uint32_t i = 0; i < Textures; i++) {
    for (uint32_t n = 0; n < s->textures[i].levels; n++) {
      free(s->textures[i].level[n]);
    }
  }
  free(s);
}

// Runs until nothing is due, at every cycle or only at those that are due.
static uint64_t finish(gpu_t *g, uint64_t now, bool every) {
  for (;;) {
    uint64_t next = gpu_advance(g, now);
    if (next == GPU_NEVER) {
      return now;
    }
    now = every ? now + 1 : next;
  }
}

static uint64_t run(gpu_t *g, const scene_t *s, uint8_t region, bool every) {
  for (uint32_t i = 0; i < Commands; i++) {
    const frame_cmd_t *c = &s->commands[i];
    bool clear = c->kind == FrameCmdClear;
    gpu_command_t command = {.kind = clear ? GpuCommandClear : GpuCommandDraw,
                             .region = region,
                             .command = i,
                             .cost = i,
                             .report = true};
    // Now and then a draw comes in two pieces.
    uint32_t cut = i % 3 && c->triangles_in > 1 ? c->triangles_in / 3 : 0;
    command.count = cut;
    if (cut) {
      assert_true(gpu_push(g, &command));
    }
    command.first = cut;
    command.count = c->triangles_in - cut;
    assert_true(gpu_push(g, &command));
  }
  uint64_t end = finish(g, 5, every);
  if (!gpu_idle(g)) {
    text_t text = {0};
    gpu_describe(g, &text);
    fail_msg("not idle: %s", text_string(&text));
  }
  uint32_t submitted = 0;
  for (uint32_t i = 0; i < Commands; i++) {
    submitted += s->commands[i].triangles_in;
  }
  assert_int_equal(gpu_take_progress(g), submitted);
  assert_int_equal(gpu_take_progress(g), 0);
  return end;
}

static void some_shaders(gpu_params_t *p) {
  p->shader = GpuShaderWarp;
  p->schedulers = 1 + noise() % 4;
  p->alu_groups = noise() % 3;
  p->lanes = 8 << noise() % 3;
  p->warp_policy = noise() % 2;
  p->issue_per_warp = 1 + noise() % 2;
  p->divergence = noise() % 2;
  p->warps = 1 + noise() % 70;
  p->dependent = noise() % 1001;
  p->thread_registers = noise() % 2 ? 64 : 0;
  p->warp_primitives = 1 + noise() % 8;
  p->warp_wait = 1 + noise() % 40;
  p->cluster_fifo = 1 + noise() % 16;
}

static gpu_params_t some_params(uint32_t n) {
  gpu_params_t p;
  err_auto_t err = {0};
  assert_true(gpu_params_default(&p, &err));
  if (n % 2) {
    p.depth_queue = 1 + noise() % 4;
    p.shading_queue = 1 + noise() % 4;
    p.threads = 64;
    p.triangle_queue = 2;
    p.sms = 1 + noise() % 3;
    p.l2_kib = 4;
    p.geometry_latency = 1 + noise() % 9;
    p.rop_stamps = 1 + noise() % 16;
  }
  if (n % 4 >= 2) {
    some_shaders(&p);
  }
  // The G80's dispatch, batches and order of raster, together and each without the others.
  p.raster_order = n % 5 < 2 ? GpuRasterPairs : GpuRasterNested;
  p.batch_warps = p.shader == GpuShaderWarp && n % 7 < 4 ? 1 + noise() % 12 : 0;
  if (n % 3 == 2) {
    p.dispatch = GpuDispatchWorkTile;
    p.cluster_sms = 1 + noise() % 4;
    p.wt = 1 + noise() % 5;
    p.l1 = n % 2;
    p.line_bytes = n / 3 % 3;
    p.surface_layout = p.line_bytes == 1 ? GpuLayoutLinear : GpuLayoutTiled;
    p.l1_misses = noise() % 5;
    p.l2_lines = noise() % 3;
  }
  if (p.shader == GpuShaderWarp && n % 3 == 0) {
    p.dispatch = GpuDispatchG80;
    p.cluster_sms = 1 + noise() % 3;
    p.sms = 6 * p.cluster_sms - noise() % p.cluster_sms;
  }
  return p;
}

// Puts units into a machine that can have them.
static void some_units(gpu_params_t *p) {
  if (p->dispatch == GpuDispatchWorkTile && noise() % 4) {
    p->front = GpuFrontCluster;
    p->sms += p->cluster_sms;
    p->masks = 2 + noise() % 3;
    p->setup_latency = noise() % 10;
  }
  if (p->dispatch == GpuDispatchWorkTile && p->shader == GpuShaderWarp && p->cluster_fifo > 1 &&
      p->batch_warps == 0) {
    p->tc_engines = noise() % 9;
    p->tc_bins = 1 + noise() % 8;
    p->tc_wait = 1 + noise() % 30;
    p->tc_live = 2 + noise() % 8;
  }
}

static void expect_same(const surface_t *a, const surface_t *b, const uint8_t *owners,
                        uint32_t owner) {
  for (uint32_t i = 0; i < a->tiles_x * a->tiles_y * SurfaceTilePixels; i++) {
    const bool own = !owners || owners[i / SurfaceTilePixels] == owner;
    if (own && a->color) {
      assert_int_equal(a->color[i], b->color[i]);
    } else if (own) {
      assert_int_equal(a->depth[i] & SurfaceDepthMask, b->depth[i] & SurfaceDepthMask);
      assert_int_equal(a->stencil[i], b->stencil[i]);
    }
  }
}

static uint64_t Waited, Masked;  // tiles whose clear still waited; set bits of masks

static void expect_all(gpu_t *g, surface_t *targets, surface_t *depths, const uint8_t *owners,
                       uint32_t owner) {
  for (uint32_t i = 0; i < TilesX * TilesY; i++) {
    Waited += gpu_depth(g, 0)->clears[i].waits != 0;
  }
  Masked += gpu_stats(g)->vpo.bits;
  gpu_settle(g);
  for (uint32_t i = 0; i < 2; i++) {
    expect_same(gpu_target(g, i), &targets[i], owners, owner);
    expect_same(gpu_depth(g, i), &depths[i], owners, owner);
  }
}

TEST(test_equal_to_reference) {
  for (uint32_t n = 0; n < 60; n++) {
    scene_t *s = scene_create();
    golden_units_t golden;
    gpu_units_t units = golden_units(&golden);
    gpu_params_t p = some_params(n);
    some_units(&p);
    p.queue = 2 * Commands;
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&s->frame, &targets, &depths));
    render_commands(&s->frame, 0, Commands, targets, depths, (shade_sampling_t){0}, NULL, NULL);

    gpu_t *due = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, &units, NULL),
          *every = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, &units, NULL);
    uint64_t end = run(due, s, GpuRegionAll, false);
    assert_int_equal(run(every, s, GpuRegionAll, true), end);
    expect_all(due, targets, depths, NULL, 0);
    expect_all(every, targets, depths, NULL, 0);
    assert_memory_equal(gpu_stats(due), gpu_stats(every), sizeof(gpu_stats_t));
    if (gpu_dispatch_stats(due)) {
      assert_memory_equal(gpu_dispatch_stats(due), gpu_dispatch_stats(every),
                          sizeof(gpu_dispatch_stats_t));
    }
    gpu_destroy(due);
    gpu_destroy(every);

    // Duplication: each renders its tiles of everything.
    uint32_t gpus = 2 + n % (MaxGpus - 1);
    uint8_t owners[TilesX * TilesY];
    uint64_t fragments = 0;
    for (uint32_t i = 0; i < sizeof owners; i++) {
      owners[i] = (uint8_t)(i % gpus);
    }
    for (uint32_t i = 0; i < gpus; i++) {
      gpu_t *g = gpu_create(&p, &s->frame, i, &(gpu_texturing_t){0}, &units, NULL);
      gpu_set_owners(g, Width, Height, owners);
      run(g, s, GpuRegionOwned, false);
      expect_all(g, targets, depths, owners, i);
      fragments += gpu_stats(g)->fragments;
      gpu_destroy(g);
    }
    assert_true(fragments > 0);
    render_surfaces_destroy(&s->frame, targets, depths);
    golden_units_free(&golden);
    scene_destroy(s);
  }
  assert_true(Waited > 0 && Masked > 1000);
}

// Retained fragments cost time and change nothing that is drawn.
TEST(test_retained) {
  uint64_t culled = 0, half = 0, plain = 0, more = 0;
  for (uint32_t n = 0; n < 20; n++) {
    scene_t *s = scene_create();
    gpu_params_t p = some_params(n);
    p.queue = 2 * Commands;
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&s->frame, &targets, &depths));
    render_commands(&s->frame, 0, Commands, targets, depths, (shade_sampling_t){0}, NULL, NULL);
    gpu_stats_t stats[3];
    for (uint32_t k = 0; k < 3; k++) {
      p.retain = 500 * k;
      gpu_t *g = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
      uint64_t end = run(g, s, GpuRegionAll, false);
      plain += k == 0 ? end : 0;
      more += k == 2 ? end : 0;
      expect_all(g, targets, depths, NULL, 0);
      stats[k] = *gpu_stats(g);
      gpu_destroy(g);
    }
    assert_int_equal(stats[0].fragments_retained, 0);
    assert_int_equal(stats[1].fragments_written, stats[0].fragments_written);
    assert_int_equal(stats[2].fragments_written, stats[0].fragments_written);
    assert_int_equal(stats[2].fragments_early_passed, stats[0].fragments_early_passed);
    half += stats[1].fragments_retained;
    culled += stats[2].fragments_retained;
    render_surfaces_destroy(&s->frame, targets, depths);
    scene_destroy(s);
  }
  assert_true(culled > 0 && half > culled * 48 / 100 && half < culled * 52 / 100);
  assert_true(more > plain);
}

// The costs of the draws, in their order, are the GPU's time but for clears and the way in.
TEST(test_draw_costs) {
  for (uint32_t n = 0; n < 20; n++) {
    scene_t *s = scene_create();
    gpu_params_t p = some_params(n);
    p.queue = 2 * Commands;
    gpu_t *g = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
    uint64_t end = run(g, s, GpuRegionAll, false), before = 0;
    const gpu_draw_cost_t *c = gpu_draw_costs(g);
    for (uint32_t i = 0; i < Commands; i++) {
      const frame_cmd_t *command = &s->commands[i];
      if (command->kind == FrameCmdClear || command->triangles_in == 0) {
        assert_int_equal(c[i].triangles, 0);
        continue;
      }
      assert_int_equal(c[i].triangles, command->triangles_in);
      assert_true(c[i].geometry > 0 && c[i].begin < c[i].end && c[i].end <= end);
      assert_true(c[i].end > before);  // draws do not overlap in the raster and behind
      before = c[i].end;
    }
    assert_true(before > end / 2);
    gpu_destroy(g);
    scene_destroy(s);
  }
}

// Takes the touches into a map of stamps; every pixel marked must lie in one, and every
// stamp touched must hold one.
static void take_touches(gpu_t *g, uint16_t map[Height / 8 + 1][Width / 8]) {
  for (const gpu_touch_t *t; (t = gpu_touch(g)) != NULL; gpu_touch_pop(g)) {
    assert_true(t->stamps != 0);
    map[t->block_y][t->block_x] |= t->stamps;
  }
}

static uint64_t finish_touching(gpu_t *g, uint64_t now, uint16_t map[Height / 8 + 1][Width / 8]) {
  uint32_t token;
  while (!gpu_held(g, &token)) {
    uint64_t next = gpu_advance(g, now);
    bool touched = gpu_touch(g) != NULL;
    take_touches(g, map);
    now = touched || next == GPU_NEVER ? now + 1 : next;
    assert_true(now < 100000000);
  }
  assert_int_equal(token, 99);
  take_touches(g, map);
  return now;
}

TEST(test_marks_and_touches) {
  for (uint32_t n = 0; n < 40; n++) {
    scene_t *s = scene_create();
    gpu_params_t p = some_params(n);
    p.touch_queue = 1 + noise() % 16;
    p.queue = 2 * Commands;
    gpu_t *g = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
    uint64_t now = 0;
    for (uint32_t group = 1; group < 4; group++) {
      uint16_t map[Height / 8 + 1][Width / 8] = {{0}};
      for (uint32_t i = 1; i < Commands; i++) {
        frame_state_t *st = &s->commands[i].state;
        if (s->commands[i].kind == FrameCmdClear || i % 3 != group - 1) {
          continue;
        }
        st->color_target = st->depth_buffer = 0;
        st->depth_test = st->depth_write = 1;
        st->stencil_test = 0;
        gpu_command_t c = {.kind = GpuCommandDraw,
                           .compose = true,
                           .group = group,
                           .command = i,
                           .tag = (uint8_t)i,
                           .count = s->commands[i].triangles_in};
        assert_true(gpu_push(g, &c));
      }
      gpu_command_t hold = {.kind = GpuCommandHold, .token = 99};
      assert_true(gpu_push(g, &hold));
      now = finish_touching(g, now, map);
      const surface_t *d = gpu_depth(g, 0);
      gpu_settle(g);
      for (uint32_t y = 0; y < Height; y += 8) {
        for (uint32_t x = 0; x < Width; x += 8) {
          uint32_t base = surface_index(d->tiles_x, x, y);
          uint64_t marked = 0;
          for (uint32_t i = 0; i < 64; i++) {
            marked |= (uint64_t)(d->depth[base + i] >> SurfaceMarkBit & 1) << i;
          }
          marked = d->mark_group[base / 64] == group ? marked : 0;
          assert_int_equal(lanes_stamps(marked), map[y / 8][x / 8]);
        }
      }
      gpu_release(g, now, UINT32_MAX);
    }
    finish(g, now, false);
    assert_true(gpu_idle(g));
    gpu_destroy(g);
    scene_destroy(s);
  }
}

// over: blended by "over", otherwise added.
static void make_transparent(frame_state_t *st, bool over) {
  st->color_target = st->depth_buffer = 0;
  st->blend = 1;
  st->src_rgb = FrameFactorSrcAlpha;
  st->dst_rgb = st->dst_alpha = over ? FrameFactorOneMinusSrcAlpha : FrameFactorOne;
  st->src_alpha = over ? FrameFactorOne : FrameFactorSrcAlpha;
  st->equation_rgb = st->equation_alpha = FrameEquationAdd;
  st->color_mask = 15;
  st->depth_write = st->stencil_test = 0;
}

// A transparent group through the sub-image gives the picture of direct blending, up to
// the rounding of the layers.
TEST(test_subimage) {
  for (uint32_t n = 0; n < 30; n++) {
    scene_t *s = scene_create();
    gpu_params_t p = some_params(n);
    p.queue = 2 * Commands;
    for (uint32_t i = 1; i < Commands; i++) {
      make_transparent(&s->commands[i].state, n % 2);
    }
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&s->frame, &targets, &depths));
    bool layered[Commands];
    memset(layered, 1, sizeof layered);
    uint8_t *layers[2] = {calloc(TilesX * TilesY, SurfaceTilePixels), NULL};
    gpu_t *g = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
    for (uint32_t i = 0; i < Commands; i++) {
      if (s->commands[i].kind == FrameCmdClear) {
        continue;
      }
      render_commands(&s->frame, i, i + 1, targets, depths, (shade_sampling_t){0}, layered, layers);
      gpu_command_t c = {.kind = GpuCommandDraw,
                         .compose = true,
                         .subimage = true,
                         .group = 1,
                         .command = i,
                         .count = s->commands[i].triangles_in};
      assert_true(gpu_make_subimage(g, s->commands[i].state.color_target));
      assert_true(gpu_push(g, &c));
    }
    gpu_command_t hold = {.kind = GpuCommandHold, .token = 99};
    assert_true(gpu_push(g, &hold));
    uint16_t map[Height / 8 + 1][Width / 8] = {{0}};
    uint64_t now = finish_touching(g, 0, map);
    uint32_t first = 1;
    while (s->commands[first].kind == FrameCmdClear) {
      first++;
    }
    gpu_release(g, now, first);
    finish(g, now, false);
    gpu_settle(g);
    for (uint32_t i = 0; i < TilesX * TilesY * SurfaceTilePixels; i++) {
      for (uint32_t k = 0; k < 32; k += 8) {
        int32_t off = (int32_t)(gpu_target(g, 0)->color[i] >> k & 255) -
                      (int32_t)(targets[0].color[i] >> k & 255);
        int32_t bound = layers[0][i] ? 1 + layers[0][i] / 2 : 0;
        assert_true(off <= bound && -off <= bound);
      }
    }
    free(layers[0]);
    gpu_destroy(g);
    render_surfaces_destroy(&s->frame, targets, depths);
    scene_destroy(s);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
