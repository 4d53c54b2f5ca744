// SPDX-License-Identifier: Apache-2.0
// The driver's plan (docs/model/driver.md) of small frames made by hand.
#include "csim/driver/plan.h"
#include "tests/programs/test.h"

enum { Width = 256, Height = 128, MaxCommands = 320 };  // 4 by 2 tiles

static frame_surface_t surfaces[3] = {{Width, Height}, {Width, Height}, {Width, Height}};
static frame_cmd_t commands[MaxCommands];
static frame_t frame;
static plan_params_t params;

static const frame_state_t Opaque = {.depth_test = 1,
                                     .depth_write = 1,
                                     .depth_func = FrameFuncLess,
                                     .color_mask = 15,
                                     .scissor = {0, 0, Width, Height}};
static const frame_state_t Over = {.depth_test = 1,
                                   .depth_func = FrameFuncLess,
                                   .color_mask = 15,
                                   .blend = 1,
                                   .src_rgb = FrameFactorSrcAlpha,
                                   .dst_rgb = FrameFactorOneMinusSrcAlpha,
                                   .src_alpha = FrameFactorOne,
                                   .dst_alpha = FrameFactorOneMinusSrcAlpha,
                                   .scissor = {0, 0, Width, Height}};

static int fresh(void **state) {
  (void)state;
  memset(commands, 0, sizeof commands);
  frame = (frame_t){.width = Width,
                    .height = Height,
                    .target_count = 2,
                    .depth_count = 2,
                    .targets = surfaces,
                    .depths = surfaces,
                    .commands = commands};
  params = (plan_params_t){.gpus = 8, .compose = true, .threshold = 4096};
  return 0;
}

#define PLAN_TEST(name) TEST_WITH(name, fresh, NULL)

static frame_state_t *draw(frame_state_t s, uint32_t triangles) {
  assert_true(frame.command_count < MaxCommands);
  frame_cmd_t *c = &commands[frame.command_count++];
  *c = (frame_cmd_t){.kind = FrameCmdDraw, .state = s, .triangles_in = triangles};
  return &c->state;
}

static frame_cmd_t *clear(bool color, bool depth) {
  assert_true(frame.command_count < MaxCommands);
  frame_cmd_t *c = &commands[frame.command_count++];
  *c = (frame_cmd_t){
      .kind = FrameCmdClear, .state = Opaque, .clear_color = color, .clear_depth = depth};
  return c;
}

static plan_t *plan(void) {
  plan_t *p = plan_create(&frame, &params);
  assert_non_null(p);
  // Invariants of every plan: groups cover the commands, items the groups, in order.
  uint32_t command = 0, item = 0, composed = 0;
  for (uint32_t i = 0; i < p->group_count; i++) {
    const plan_group_t *g = &p->groups[i];
    assert_int_equal(g->first, command);
    assert_int_equal(g->first_item, item);
    for (uint32_t k = item; k < item + g->item_count; k++) {
      assert_int_equal(p->items[k].group, i);
      if (p->items[k].kind != PlanItemSync) {
        assert_int_equal(p->items[k].command, command++);
      }
    }
    item += g->item_count;
    assert_int_equal(command, g->first + g->count);
    assert_int_equal(g->reason == PlanComposed, g->kind != DrawSchedulerGroupDuplicated);
    if (g->kind != DrawSchedulerGroupDuplicated) {
      assert_int_equal(g->composed_index, composed);
      assert_int_equal(p->composed[composed++], i);
    }
  }
  assert_int_equal(command, frame.command_count);
  assert_int_equal(item, p->item_count);
  assert_int_equal(composed, p->composed_count);
  return p;
}

static uint32_t groups(void) {
  plan_t *p = plan();
  uint32_t n = p->group_count;
  plan_destroy(p);
  return n;
}

// The reason of the last group; its kind by the way.
static plan_reason_e last_reason(uint8_t *kind) {
  plan_t *p = plan();
  const plan_group_t *g = &p->groups[p->group_count - 1];
  plan_reason_e reason = g->reason;
  if (kind) {
    *kind = g->kind;
  }
  plan_destroy(p);
  return reason;
}

static uint32_t syncs(bool stale_only) {
  plan_t *p = plan();
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->item_count; i++) {
    n += p->items[i].kind == PlanItemSync && (!stale_only || p->items[i].sync_stale_depth);
  }
  plan_destroy(p);
  return n;
}

// ---- Groups ----

PLAN_TEST(test_boundaries) {
  // Each of the five events between two draws, and what is none.
  draw(Opaque, 10);
  frame_state_t *b = draw(Opaque, 10);
  assert_int_equal(groups(), 1);
  b->color_target = 1;
  assert_int_equal(groups(), 2);
  *b = Opaque;
  b->depth_buffer = 1;
  assert_int_equal(groups(), 2);
  b->depth_buffer = FrameNone;
  assert_int_equal(groups(), 2);
  *b = Opaque;
  b->depth_write = 0;
  assert_int_equal(groups(), 2);
  *b = Opaque;
  b->depth_func = FrameFuncLessEqual;
  assert_int_equal(groups(), 2);
  *b = Opaque;
  b->blend = 1;
  b->src_rgb = b->src_alpha = b->dst_rgb = b->dst_alpha = FrameFactorOne;
  assert_int_equal(groups(), 2);
  // Replacing by factors is replacing.
  b->dst_rgb = b->dst_alpha = FrameFactorZero;
  assert_int_equal(groups(), 1);
  *b = Opaque;
  b->color_mask = 7;
  b->alpha_test = 1;
  b->stencil_test = 1;
  b->scissor = (frame_rect_t){8, 8, 9, 9};
  b->color = 3;
  b->stages[0].texture = 1;
  assert_int_equal(groups(), 1);
  (void)state;
}

PLAN_TEST(test_no_depth_test) {
  // Without depth test: always, no update, whatever the other fields say.
  frame_state_t *a = draw(Opaque, 10), *b = draw(Opaque, 10);
  a->depth_test = 0;
  b->depth_write = 0;
  b->depth_func = FrameFuncAlways;
  assert_int_equal(groups(), 1);
  b->depth_write = 1;
  assert_int_equal(groups(), 2);
  // Nor does a draw without depth buffer test or write.
  a->depth_test = 1;
  a->depth_buffer = b->depth_buffer = FrameNone;
  b->depth_func = FrameFuncGreater;
  assert_int_equal(groups(), 1);
}

PLAN_TEST(test_function_while_writing) {
  frame_state_t *a = draw(Opaque, 10), *b = draw(Opaque, 10);
  b->depth_func = FrameFuncGreater;
  for (int option = 0; option < 2; option++) {
    params.function_while_writing = option;
    a->depth_write = b->depth_write = 1;
    assert_int_equal(groups(), 2);
    a->depth_write = b->depth_write = 0;
    assert_int_equal(groups(), option ? 1 : 2);
  }
}

PLAN_TEST(test_operators) {
  enum {
    Z = FrameFactorZero,
    O = FrameFactorOne,
    Sa = FrameFactorSrcAlpha,
    Sc = FrameFactorSrcColor,
    Da = FrameFactorDstAlpha,
    Dc = FrameFactorDstColor,
    Ms = FrameFactorOneMinusSrcAlpha
  };
  static const struct {
    uint8_t src, dst, src_a, dst_a, op;
  } Cases[] = {{O, Z, O, Z, PlanOperatorReplace},    {Sa, Ms, O, Ms, PlanOperatorOver},
               {Sa, Ms, Sa, Ms, PlanOperatorOther},  // alpha is not that of "over"
               {O, Ms, O, Ms, PlanOperatorOther},    // colours beyond their alpha saturate
               {O, O, O, O, PlanOperatorAdd},        {Sa, O, Sa, O, PlanOperatorAdd},
               {Sa, O, O, O, PlanOperatorOther},     {Z, Sc, Z, Sa, PlanOperatorMultiply},
               {Dc, Z, Da, Z, PlanOperatorMultiply}, {Z, Sc, Da, Z, PlanOperatorMultiply},
               {Dc, Sc, Z, Sa, PlanOperatorOther},   {Z, Sc, O, Z, PlanOperatorOther},
               {Z, Z, Z, Z, PlanOperatorOther}};
  for (size_t i = 0; i < sizeof Cases / sizeof *Cases; i++) {
    frame_state_t s = Over;
    s.src_rgb = Cases[i].src;
    s.dst_rgb = Cases[i].dst;
    s.src_alpha = Cases[i].src_a;
    s.dst_alpha = Cases[i].dst_a;
    assert_int_equal(plan_operator(&s), Cases[i].op);
    s.equation_alpha = FrameEquationMax;
    assert_int_equal(plan_operator(&s), PlanOperatorOther);
    s.blend = 0;
    assert_int_equal(plan_operator(&s), PlanOperatorReplace);
  }
  // Operators without a name are equal only factor by factor.
  frame_state_t *a = draw(Over, 10), *b = draw(Over, 10);
  a->dst_rgb = b->dst_rgb = FrameFactorDstColor;
  assert_int_equal(groups(), 1);
  b->src_alpha = FrameFactorZero;
  assert_int_equal(groups(), 2);
  *b = *a;
  b->equation_rgb = FrameEquationMin;
  assert_int_equal(groups(), 2);
}

PLAN_TEST(test_clears) {
  draw(Opaque, 5000);
  clear(true, true);
  clear(false, true);
  draw(Opaque, 5000);
  plan_t *p = plan();
  assert_int_equal(p->group_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(p->groups[i].is_clear, i == 1 || i == 2);
    assert_int_equal(p->groups[i].reason, i == 1 || i == 2 ? PlanClear : PlanComposed);
    assert_false(p->items[i].owners_only);
  }
  plan_destroy(p);
}

PLAN_TEST(test_owners_clear) {
  // Only a clear of all pixels and channels by all leaves the same on all GPUs.
  frame_cmd_t *c = clear(true, true);
  static const struct {
    int32_t x1, y1;
    uint8_t mask, color, depth;
    bool owners;
  } Cases[] = {{Width, Height, 15, 1, 1, false},        {Width - 1, Height, 15, 1, 1, true},
               {Width, Height - 1, 15, 1, 0, true},     {Width, Height, 7, 1, 0, true},
               {Width, Height, 7, 0, 1, false},         {Width - 1, Height, 15, 0, 1, true},
               {Width + 9, Height + 9, 15, 1, 1, false}};
  for (size_t i = 0; i < sizeof Cases / sizeof *Cases; i++) {
    c->state.scissor = (frame_rect_t){0, 0, Cases[i].x1, Cases[i].y1};
    c->state.color_mask = Cases[i].mask;
    c->clear_color = Cases[i].color;
    c->clear_depth = Cases[i].depth;
    plan_t *p = plan();
    assert_int_equal(p->items[0].owners_only, Cases[i].owners);
    plan_destroy(p);
    params.gpus = 1;
    p = plan();
    assert_false(p->items[0].owners_only);
    plan_destroy(p);
    params.gpus = 8;
  }
}

// ---- Kinds ----

PLAN_TEST(test_threshold) {
  draw(Opaque, 4000);
  frame_cmd_t *second = &commands[1];
  draw(Opaque, 95);
  assert_int_equal(last_reason(NULL), PlanBelowThreshold);
  second->triangles_in = 96;
  assert_int_equal(last_reason(NULL), PlanComposed);
  plan_t *p = plan();
  assert_int_equal(p->triangles, 4096);
  assert_int_equal(p->triangles_composed, 4096);
  plan_destroy(p);
  params.threshold = 4097;
  assert_int_equal(last_reason(NULL), PlanBelowThreshold);
  params.threshold = 0;
  second->triangles_in = 0;
  assert_int_equal(last_reason(NULL), PlanComposed);
  // The authors' further condition: more draws than GPUs.
  params.require_draws = true;
  params.gpus = 2;
  assert_int_equal(last_reason(NULL), PlanFewDraws);
  draw(Opaque, 1);
  assert_int_equal(last_reason(NULL), PlanComposed);
  params.compose = false;
  assert_int_equal(last_reason(NULL), PlanScheme);
}

PLAN_TEST(test_kinds) {
  uint8_t kind;
  frame_state_t *s = draw(Opaque, 5000);
  for (uint8_t func = FrameFuncNever; func <= FrameFuncAlways; func++) {
    bool picks_an_end = func == FrameFuncLess || func == FrameFuncLessEqual ||
                        func == FrameFuncGreater || func == FrameFuncGreaterEqual;
    *s = Opaque;
    s->depth_func = func;
    assert_int_equal(last_reason(&kind), picks_an_end ? PlanComposed : PlanDepthFunction);
    assert_int_equal(kind, picks_an_end ? DrawSchedulerGroupOpaque : DrawSchedulerGroupDuplicated);
    s->depth_write = 0;
    assert_int_equal(last_reason(&kind), PlanDepthFunction);
    *s = Over;
    s->depth_func = func;
    assert_int_equal(last_reason(&kind), PlanComposed);  // nothing was written before
    assert_int_equal(kind, DrawSchedulerGroupTransparent);
  }
  *s = Opaque;
  s->depth_buffer = FrameNone;
  assert_int_equal(last_reason(NULL), PlanDepthFunction);
  *s = Opaque;
  s->color_mask = 7;  // the same of all draws
  assert_int_equal(last_reason(NULL), PlanComposed);
  s->color_target = FrameNone;  // a depth pass
  assert_int_equal(last_reason(NULL), PlanComposed);
  *s = Opaque;
  s->stencil_test = 1;
  assert_int_equal(last_reason(NULL), PlanStencil);
  *s = Over;
  s->depth_write = 1;
  assert_int_equal(last_reason(NULL), PlanBlendedDepth);
  *s = Over;
  s->color_mask = 7;
  assert_int_equal(last_reason(NULL), PlanOperator);
  *s = Over;
  s->src_rgb = FrameFactorOne;
  assert_int_equal(last_reason(NULL), PlanOperator);
  *s = Opaque;
  draw(Opaque, 1)->color_mask = 7;
  assert_int_equal(last_reason(NULL), PlanMaskMixed);
  commands[1].state = Opaque;
  commands[1].state.stencil_test = 1;
  assert_int_equal(last_reason(NULL), PlanStencil);
}

// ---- Stale depth ----

// Expects the reasons of a second group after a first one has written depth with `func`.
static void after(uint8_t func, uint32_t triangles, plan_reason_e less, plan_reason_e greater,
                  plan_reason_e over) {
  static const uint8_t Funcs[] = {FrameFuncLessEqual, FrameFuncGreaterEqual, FrameFuncLess};
  const plan_reason_e want[] = {less, greater, over};
  for (int i = 0; i < 3; i++) {
    fresh(NULL);
    draw(Opaque, triangles)->depth_func = func;
    draw(i == 2 ? Over : Opaque, 5000)->depth_func = Funcs[i];
    assert_int_equal(last_reason(NULL), want[i]);
  }
}

PLAN_TEST(test_stale_depth) {
  for (uint32_t triangles = 100; triangles <= 5000; triangles += 4900) {  // duplicated, composed
    after(FrameFuncLess, triangles, PlanComposed, PlanStaleDepth, PlanStaleDepth);
    after(FrameFuncGreater, triangles, PlanStaleDepth, PlanComposed, PlanStaleDepth);
    after(FrameFuncAlways, triangles, PlanStaleDepth, PlanStaleDepth, PlanStaleDepth);
    after(FrameFuncNotEqual, triangles, PlanStaleDepth, PlanStaleDepth, PlanStaleDepth);
    after(FrameFuncEqual, triangles, PlanComposed, PlanComposed, PlanComposed);
    after(FrameFuncNever, triangles, PlanComposed, PlanComposed, PlanComposed);
  }
}

PLAN_TEST(test_depth_not_read) {
  // Blended without a depth test: stale depth is of no concern. With one: it is.
  draw(Opaque, 5000);
  frame_state_t *s = draw(Over, 5000);
  s->depth_func = FrameFuncAlways;
  assert_int_equal(last_reason(NULL), PlanComposed);
  // Any of a group's draws may be the one that reads.
  params.function_while_writing = true;
  draw(Over, 5000);
  assert_int_equal(groups(), 2);
  assert_int_equal(last_reason(NULL), PlanStaleDepth);
}

PLAN_TEST(test_stale_tiles) {
  // Depth is stale tile by tile of 64 pixels.
  static const struct {
    frame_rect_t scissor;
    plan_reason_e reason;
  } Cases[] = {{{0, 0, 64, 64}, PlanComposed},          {{0, 0, 65, 64}, PlanStaleDepth},
               {{0, 0, 64, 65}, PlanComposed},          {{127, 63, 128, 64}, PlanStaleDepth},
               {{128, 0, Width, Height}, PlanComposed}, {{64, 64, 128, 128}, PlanComposed},
               {{0, 0, Width, Height}, PlanStaleDepth}};
  for (size_t i = 0; i < sizeof Cases / sizeof *Cases; i++) {
    fresh(NULL);
    frame_state_t *a = draw(Opaque, 10);
    a->depth_func = FrameFuncGreater;
    a->scissor = (frame_rect_t){70, 3, 90, 40};  // tile (1, 0)
    draw(Opaque, 5000)->scissor = Cases[i].scissor;
    assert_int_equal(last_reason(NULL), Cases[i].reason);
  }
  // Only one depth buffer is stale.
  commands[1].state.depth_buffer = 1;
  assert_int_equal(last_reason(NULL), PlanComposed);
}

PLAN_TEST(test_clear_ends_staleness) {
  draw(Opaque, 5000);
  frame_cmd_t *c = clear(false, true);
  draw(Opaque, 5000)->depth_func = FrameFuncGreater;
  assert_int_equal(last_reason(NULL), PlanComposed);
  c->state.scissor.x1 = 64;  // by the owners: stale anyhow, here and elsewhere as before
  assert_int_equal(last_reason(NULL), PlanStaleDepth);
  commands[2].state.depth_func = FrameFuncLess;
  assert_int_equal(last_reason(NULL), PlanStaleDepth);
  commands[2].state.scissor.x0 = 64;
  assert_int_equal(last_reason(NULL), PlanComposed);
  c->state.scissor.x1 = Width;
  c->clear_depth = 0;
  c->clear_color = 1;
  commands[2].state.scissor.x0 = 0;
  commands[2].state.depth_func = FrameFuncGreater;
  assert_int_equal(last_reason(NULL), PlanStaleDepth);
}

PLAN_TEST(test_broadcast) {
  params.depth_broadcast = true;
  draw(Opaque, 5000);
  draw(Over, 5000);
  draw(Opaque, 5000)->depth_func = FrameFuncGreater;
  plan_t *p = plan();
  // The transparent group reads stale depth; then the depth is common again.
  assert_int_equal(p->composed_count, 3);
  assert_int_equal(p->item_count, 4);
  assert_int_equal(p->items[1].kind, PlanItemSync);
  assert_true(p->items[1].sync_stale_depth);
  assert_int_equal(p->items[1].sync_depth, 0);
  assert_int_equal(p->items[1].sync_target, FrameNone);
  plan_destroy(p);
  assert_int_equal(syncs(true), 1);
  // No broadcast for a group that does not compose anyway.
  commands[1].triangles_in = 10;
  assert_int_equal(syncs(true), 1);  // now before the third
  commands[2].triangles_in = 10;
  assert_int_equal(syncs(true), 0);
}

PLAN_TEST(test_switch) {
  draw(Opaque, 5000)->depth_func = FrameFuncGreater;
  frame_state_t *b = draw(Opaque, 5000);
  assert_int_equal(syncs(false), 0);
  b->color_target = 1;
  plan_t *p = plan();
  assert_int_equal(p->items[1].kind, PlanItemSync);
  assert_int_equal(p->items[1].sync_target, 0);
  assert_int_equal(p->items[1].sync_depth, 0);
  assert_false(p->items[1].sync_stale_depth);
  // The owners' depth went to all: less may follow greater.
  assert_int_equal(p->groups[1].reason, PlanComposed);
  plan_destroy(p);
  b->color_target = 0;
  b->depth_buffer = FrameNone;
  assert_int_equal(syncs(false), 1);
  params.gpus = 1;
  assert_int_equal(syncs(false), 0);
}

// A group is left to the GPUs' own tiles if it is small against what was duplicated since they last
// waited for each other.
PLAN_TEST(test_lonely_barrier) {
  params.barrier_share = 250;
  frame_state_t *a = draw(Opaque, 20001);
  a->stencil_test = 1;
  a->depth_func = FrameFuncGreater;  // a group of its own
  draw(Opaque, 5000);
  draw(Opaque, 5000)->depth_func = FrameFuncLessEqual;
  plan_t *p = plan();
  assert_int_equal(p->groups[0].reason, PlanStencil);
  assert_int_equal(p->groups[1].reason, PlanStaleDepth);
  plan_destroy(p);
  a->depth_func = FrameFuncLess;
  a->depth_write = 0;
  p = plan();
  assert_int_equal(p->groups[1].reason, PlanLonelyBarrier);  // 5,000 of 20,001
  assert_int_equal(p->groups[2].reason, PlanLonelyBarrier);  // 5,000 of 25,001
  plan_destroy(p);
  commands[0].triangles_in = 20000;
  p = plan();
  assert_int_equal(p->groups[1].reason, PlanComposed);
  assert_int_equal(p->groups[2].reason, PlanComposed);  // they have just waited
  plan_destroy(p);
  commands[0].triangles_in = 20001;
  commands[1].state.color_target = commands[2].state.color_target = 1;  // they wait at a switch
  p = plan();
  assert_int_equal(p->composed_count, 2);
  plan_destroy(p);
  commands[1].state.color_target = commands[2].state.color_target = 0;
  params.barrier_share = 0;
  p = plan();
  assert_int_equal(p->composed_count, 2);
  plan_destroy(p);
}

// Depth that nobody samples goes on as stale depth across a switch.
PLAN_TEST(test_depth_left) {
  params.sync_needed = true;
  draw(Opaque, 5000)->depth_func = FrameFuncGreater;
  draw(Opaque, 5000)->color_target = 1;
  plan_t *p = plan();
  assert_int_equal(p->items[1].kind, PlanItemSync);
  assert_int_equal(p->items[1].sync_target, 0);
  assert_int_equal(p->items[1].sync_depth, FrameNone);
  assert_int_equal(p->groups[1].reason, PlanStaleDepth);
  assert_int_equal(p->depths_left, 1);
  plan_destroy(p);
  draw(Opaque, 5000)->color_target = FrameNone;  // now it is sampled
  p = plan();
  assert_int_equal(p->items[1].sync_depth, 0);
  assert_int_equal(p->groups[1].reason, PlanComposed);
  assert_int_equal(p->depths_left, 0);
  plan_destroy(p);
}

// ---- Order tags ----

PLAN_TEST(test_tags) {
  params.order_tag = true;
  for (uint32_t i = 0; i < 300; i++) {
    draw(Opaque, 50);
  }
  plan_t *p = plan();  // 7 bits: four draws share a tag
  for (uint32_t i = 0; i < 300; i++) {
    assert_int_equal(p->items[i].tag, i / 4);
  }
  plan_destroy(p);
  frame.command_count = 128;
  p = plan();
  for (uint32_t i = 0; i < 128; i++) {
    assert_int_equal(p->items[i].tag, i);
  }
  plan_destroy(p);
  params.threshold = 100000;  // duplicated: no tags
  p = plan();
  assert_int_equal(p->items[127].tag, 0);
  plan_destroy(p);
}

// Coarse depth holds as long as depth goes only nearer, in one depth buffer.
PLAN_TEST(test_coarse_base) {
  draw(Opaque, 5000);
  draw(Over, 5000);
  draw(Opaque, 5000);
  clear(false, true);
  draw(Opaque, 5000);
  draw(Opaque, 5000)->depth_buffer = 1;
  draw(Opaque, 5000);
  clear(true, false);
  draw(Opaque, 5000);
  draw(Opaque, 10)->depth_func = FrameFuncAlways;
  clear(false, true);
  draw(Opaque, 5000);
  static const uint32_t bases[] = {1, 1, 2, 3, 4, 4, 5};
  plan_t *p = plan();
  uint32_t k = 0;
  for (uint32_t i = 0; i < p->group_count; i++) {
    if (p->groups[i].kind != DrawSchedulerGroupDuplicated) {
      assert_true(k < sizeof bases / sizeof *bases);
      assert_int_equal(p->groups[i].coarse_base, bases[k++]);
    }
  }
  assert_int_equal(k, sizeof bases / sizeof *bases);
  assert_int_equal(p->coarse_bases, 5);
  plan_destroy(p);
}

PLAN_TEST(test_names) {
  for (plan_reason_e r = PlanComposed; r < PlanReasonCount; r++) {
    assert_string_not_equal(plan_reason_name(r), "?");
  }
  assert_string_equal(plan_operator_name(PlanOperatorMultiply), "multiply");
  frame.command_count = 0;
  assert_int_equal(groups(), 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
