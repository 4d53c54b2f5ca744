// SPDX-License-Identifier: Apache-2.0
// Pictures of what composes: generated frames and a captured one in which depth goes both ways, so
// that greater-type functions meet stale depth, and with composed transparent groups, whose
// background keeps its alpha and is rounded to the nearest.
#include <stdio.h>

#include "csim/base/config.h"
#include "csim/frame/frame_file.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/units/pixel_distributor/golden.h"
#include "tb/harness/rendering.h"
#include "tests/programs/checked_run.h"
#include "tests/programs/test.h"

enum { Frames = 8, MostRounded = 10 };  // of 1,000 pixels

typedef struct {
  uint32_t transparent, farther,
      stale;  // groups: composed transparent, composed greater; that would meet stale depth
  uint64_t layered, rounded;
  uint64_t alpha;   // pixels whose alpha is not opaque
  uint32_t by_all;  // draws to all GPUs before a switch of targets
} seen_t;

static machine_params_t defaults(uint32_t threshold, bool broadcast) {
  static machine_params_t p;
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_true(config && machine_config_add(config, &p, &err));
  config_destroy(config);
  p.threshold = threshold;
  p.depth_broadcast = broadcast;
  return p;
}

static bool is_greater(const frame_state_t *s) {
  return s->depth_func == FrameFuncGreater || s->depth_func == FrameFuncGreaterEqual;
}

static void look(const frame_t *f, const plan_t *plan, const check_result_t *r, seen_t *seen) {
  for (uint32_t i = 0; i < plan->group_count; i++) {
    const plan_group_t *g = &plan->groups[i];
    const frame_state_t *s = &f->commands[g->first].state;
    seen->transparent += g->reason == PlanComposed && g->kind == DrawSchedulerGroupTransparent;
    seen->farther +=
        g->reason == PlanComposed && g->kind == DrawSchedulerGroupOpaque && is_greater(s);
    seen->stale += g->reason == PlanStaleDepth && is_greater(s);
  }
  for (uint32_t i = 0; i < plan->item_count; i++) {
    const plan_item_t *item = &plan->items[i];
    seen->stale +=
        item->sync_stale_depth && is_greater(&f->commands[plan->groups[item->group].first].state);
  }
  for (uint32_t i = 0; i < r->width * r->height; i++) {
    seen->alpha += r->reference[i] >> 24 != 255;
  }
  seen->layered += r->layered_pixels;
  seen->rounded += r->rounded_pixels;
}

// Draws of opaque composed groups that go to all GPUs, and after which there is a switch of
// targets.
static uint32_t by_all_before_switch(const plan_t *plan, const driver_hint_t *hints) {
  uint32_t waiting = 0, found = 0;
  for (uint32_t i = 0; hints && i < plan->item_count; i++) {
    const plan_item_t *item = &plan->items[i];
    const plan_group_t *g = &plan->groups[item->group];
    if (item->kind == PlanItemSync && item->sync_target != FrameNone) {
      found += waiting;
      waiting = 0;
    }
    waiting += item->kind == PlanItemDraw && g->reason == PlanComposed &&
               g->kind == DrawSchedulerGroupOpaque && hints[item->command].by_all;
  }
  return found;
}

// memory: of the frame before, and gets this one; or NULL.
static void run(const machine_params_t *p, const frame_t *f, driver_memory_t *memory,
                seen_t *seen) {
  harness_options_t options = {.engine = EngineGolden, .seed = 1};
  harness_t *h = harness_create(&options);
  machine_units_t units = rendering_units(h);
  checked_run_t checked = checked_run(p, f, memory, &units);
  machine_t *m = checked.machine;
  look(f, machine_plan(m), &checked.result, seen);
  seen->by_all += by_all_before_switch(machine_plan(m), machine_hints(m));
  assert_true(!memory || machine_remember(m, memory));
  checked_run_free(&checked);
  harness_destroy(h);
}

// The second half of the frame draws what is farther over what is nearer.
static void turn_depth(frame_t *f) {
  for (uint32_t i = f->command_count / 2; i < f->command_count; i++) {
    frame_state_t *s = &f->commands[i].state;
    if (s->depth_func == FrameFuncLess) {
      s->depth_func = FrameFuncGreater;
    } else if (s->depth_func == FrameFuncLessEqual) {
      s->depth_func = FrameFuncGreaterEqual;
    }
  }
}

// Opaque draws leave alpha alone: draws that blend have nothing opaque behind them.
static void leave_alpha(frame_t *f) {
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_cmd_t *c = &f->commands[i];
    if (c->kind == FrameCmdDraw && !c->state.blend) {
      c->state.color_mask &= 7;
    }
  }
}

static void check_seen(const seen_t *seen) {
  printf(
      "%u composed transparent groups, %u composed with greater, %u that met stale depth with "
      "greater; %u of %u pixels of one layer differ; %u pixels not opaque\n",
      seen->transparent, seen->farther, seen->stale, (uint32_t)seen->rounded,
      (uint32_t)seen->layered, (uint32_t)seen->alpha);
  assert_true(seen->transparent > 0);
  assert_true(seen->stale > 0);
  assert_true(seen->layered > 100);
  assert_true(seen->alpha > 100);
  assert_true(seen->rounded * 1000 <= seen->layered * MostRounded);
}

TEST(test_generated) {
  seen_t seen = {0};
  for (uint32_t i = 0; i < 2 * Frames; i++) {
    err_auto_t err = {0};
    frame_t *f = frame_generate("gen:test-1", 1 + i / 2, &err);
    assert_non_null(f);
    if (i % 2) {
      turn_depth(f);
    }
    const machine_params_t p = defaults(20, i / 2 % 2);
    run(&p, f, NULL, &seen);
    frame_free(f);
  }
  assert_true(seen.farther > 0);
  check_seen(&seen);
}

// The same frame twice: of the second, every opaque draw goes to all GPUs, and what they have drawn
// is broadcast at the next switch of targets.
TEST(test_by_all) {
  seen_t seen = {0};
  for (uint32_t i = 0; i < Frames; i++) {
    err_auto_t err = {0};
    frame_t *f = frame_generate("gen:test-7", 1 + i, &err);
    driver_memory_t *memory = driver_memory_make();
    assert_non_null(f);
    assert_non_null(memory);
    machine_params_t p = defaults(20, i % 2);
    p.by_all = true;
    p.hints = (driver_hint_params_t){0};
    run(&p, f, memory, &seen);
    assert_true(i > 0 || seen.by_all == 0);
    run(&p, f, memory, &seen);
    driver_memory_destroy(memory);
    frame_free(f);
  }
  printf("%u draws to all GPUs before a switch of targets\n", seen.by_all);
  assert_true(seen.by_all > 20);
}

TEST(test_captured) {
  err_auto_t err = {0};
  frame_t *f = frame_read("vectors/frames/openarena/demo088_test1.nframe", &err);
  if (!f) {
    fail_msg("%s", err_text(&err));
  }
  seen_t seen = {0};
  turn_depth(f);
  leave_alpha(f);
  const machine_params_t p = defaults(64, true);
  run(&p, f, NULL, &seen);
  frame_free(f);
  check_seen(&seen);
}

int main(void) { return run_all_tests(NULL, NULL); }
