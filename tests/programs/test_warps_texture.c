// SPDX-License-Identifier: Apache-2.0
// Warps whose texture units are modelled: their time does not depend on how often the GPU and its
// texture units are called, and every frame ends, also where nothing but a read is left to do.
#include "csim/base/config.h"
#include "csim/frame/generate_frame.h"
#include "csim/gpu/gpu.h"
#include "csim/machine/machine_config.h"
#include "unit_engine.h"

enum { MaxCycles = 1000000 };

typedef struct {
  uint64_t cycles, calls;
  gpu_stats_t gpu;
  shader_stats_t shader;
  texturing_stats_t texturing;
  uint32_t colors;  // a sum over the first target
} result_t;

static void configure(machine_params_t *p, const char *const sets[]) {
  err_auto_t err = {0};
  config_t *config = config_create();
  bool ok = config && machine_config_add(config, p, &err) &&
            config_load_file(config, "vectors/config/atfim.yaml", &err);
  for (; ok && *sets; sets++) {
    ok = config_set(config, *sets, &err);
  }
  if (!ok || !machine_config_check(config, p, &err)) {
    fail_msg("%s", err_text(&err));
  }
  config_destroy(config);
}

static void push_frame(gpu_t *g, const frame_t *f) {
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    bool clear = c->kind == FrameCmdClear;
    assert_true(gpu_push(g, &(gpu_command_t){.kind = clear ? GpuCommandClear : GpuCommandDraw,
                                             .command = i,
                                             .count = clear ? 0 : c->triangles_in}));
  }
}

// every: in every cycle, not only when they ask for it.
static result_t run(const machine_params_t *p, const frame_t *f, bool every) {
  err_auto_t err = {0};
  const cube_units_t units = {engine, harness_offload_unit_at, harness_atfim_at};
  result_t r = {0};
  texture_map_t map;
  assert_true(texturing_map_create(&map, f, &err));
  texturing_t *t = texturing_create(&p->texturing, &p->gpu, &map, &units, 0, NULL, &err);
  if (!t) {
    fail_msg("%s", err_text(&err));
  }
  gpu_texturing_t attached = texturing_attach(t);
  gpu_t *g = gpu_create(&p->gpu, f, 0, &attached, NULL, NULL);
  assert_non_null(g);
  push_frame(g, f);
  uint64_t now = 0, gpu_next = 0, units_next = 0;
  while (!gpu_idle(g) || now == 0) {
    uint32_t failed = 0;
    bool called = every || gpu_next <= now;
    gpu_next = called ? gpu_advance(g, now) : gpu_next;
    r.calls += called;
    if (called || units_next <= now) {
      assert_int_equal(texturing_step(t, now, &units_next, &failed), UnitOk);
      assert_int_equal(failed, 0);
    }
    r.cycles = now;
    uint64_t next = gpu_next < units_next ? gpu_next : units_next;
    if (!gpu_idle(g) && (next == UINT64_MAX || now > MaxCycles)) {
      text_t text = {0};
      gpu_describe(g, &text);
      text_put(&text, "; ");
      texturing_describe(t, &text);
      fail_msg("cycle %llu: it hangs: %s", (unsigned long long)now, text_string(&text));
    }
    now = every || next <= now ? now + 1 : next;
  }
  r.gpu = *gpu_stats(g);
  r.shader = *gpu_shader_stats(g);
  assert_int_equal(texturing_finish(t), UnitOk);
  texturing_stats(t, &r.texturing);
  const surface_t *s = gpu_target(g, 0);
  gpu_settle(g);
  for (uint32_t i = 0; i < s->tiles_x * s->tiles_y * SurfaceTilePixels; i++) {
    r.colors = r.colors * 31 + s->color[i];
  }
  gpu_destroy(g);
  texturing_destroy(t);
  texture_map_destroy(&map);
  return r;
}

static void expect_same(const char *name, const char *const sets[]) {
  err_auto_t err = {0};
  machine_params_t p;
  configure(&p, sets);
  p.gpu.queue = 1023;
  frame_t *f = frame_generate(name, 1, &err);
  if (!f) {
    fail_msg("%s", err_text(&err));
  }
  result_t due = run(&p, f, false), every = run(&p, f, true);
  assert_int_equal(due.cycles, every.cycles);
  assert_int_equal(due.colors, every.colors);
  assert_true(due.calls < every.calls);
  assert_true(due.gpu.texture_reads > 0 && due.texturing.units.quads > 0);
  assert_memory_equal(&due.gpu, &every.gpu, sizeof due.gpu);
  due.shader.idle[ShaderNoWarp] = every.shader.idle[ShaderNoWarp];
  assert_memory_equal(&due.shader, &every.shader, sizeof due.shader);
  assert_memory_equal(&due.texturing.atfim, &every.texturing.atfim, sizeof due.texturing.atfim);
  frame_free(f);
}

ENGINE_TEST(test_calls) {
  static const char *const frames[] = {"gen:test-1", "gen:test-2", "gen:test-5"};
  static const char *const designs[] = {"baseline", "s_tfim", "a_tfim"};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      char design[64];
      snprintf(design, sizeof design, "texture.design=%s", designs[k]);
      const char *const sets[] = {design, "gpu.shader=warp", NULL};
      expect_same(frames[i], sets);
    }
  }
}

// The G80's dispatch and batches leave the GPU with nothing but reads to wait for.
ENGINE_TEST(test_batches) {
  static const char *const frames[] = {"gen:test-1", "gen:test-2", "gen:test-4"};
  static const char *const sets[] = {
      "gpu.shader=warp",   "gpu.dispatch=g80",       "gpu.sms=12", "gpu.cluster_sms=2",
      "gpu.batch_warps=8", "gpu.raster_order=pairs", NULL};
  for (uint32_t i = 0; i < 3; i++) {
    expect_same(frames[i], sets);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
