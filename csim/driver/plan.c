// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <stdlib.h>
#include <string.h>

// Which way depth was written in a tile since its content was last common to all GPUs.
enum {
  WroteNothing = 0,
  WroteNearer = 1,   // less, less or equal
  WroteFarther = 2,  // greater, greater or equal
  WroteAnyhow = 4,
};

enum { TileShift = 6 };

typedef struct {
  uint32_t tiles_x, tiles_y;
  uint8_t *wrote;
} validity_t;

const char *plan_reason_name(plan_reason_e reason) {
  static const char *const names[PlanReasonCount] = {
      "composed", "below_threshold", "few_draws",      "clear",      "stencil",
      "operator", "blended_depth",   "depth_function", "mask_mixed", "stale_depth",
      "scheme",   "lonely_barrier",  "policy",
  };
  return reason < PlanReasonCount ? names[reason] : "?";
}

const char *plan_operator_name(plan_operator_e op) {
  static const char *const names[] = {"replace", "over", "add", "multiply", "other"};
  return op <= PlanOperatorOther ? names[op] : "?";
}

plan_operator_e plan_operator(const frame_state_t *s) {
  if (!s->blend || s->color_target == FrameNone || s->color_mask == 0) {
    return PlanOperatorReplace;
  }
  if (s->equation_rgb != FrameEquationAdd || s->equation_alpha != FrameEquationAdd) {
    return PlanOperatorOther;
  }
  uint8_t src = s->src_rgb, dst = s->dst_rgb, src_a = s->src_alpha, dst_a = s->dst_alpha;
  bool source_weight = src == FrameFactorSrcAlpha || src == FrameFactorOne;
  if (src == FrameFactorOne && dst == FrameFactorZero && src_a == FrameFactorOne &&
      dst_a == FrameFactorZero) {
    return PlanOperatorReplace;
  }
  // With a source factor of one, colours beyond their alpha saturate layer by layer, which
  // does not compose.
  if (src == FrameFactorSrcAlpha && dst == FrameFactorOneMinusSrcAlpha && src_a == FrameFactorOne &&
      dst_a == FrameFactorOneMinusSrcAlpha) {
    return PlanOperatorOver;
  }
  if (source_weight && dst == FrameFactorOne && src_a == src && dst_a == FrameFactorOne) {
    return PlanOperatorAdd;
  }
  bool product = src == FrameFactorZero && dst == FrameFactorSrcColor;
  bool product_swapped = src == FrameFactorDstColor && dst == FrameFactorZero;
  bool alpha_product =
      (src_a == FrameFactorZero &&
       (dst_a == FrameFactorSrcAlpha || dst_a == FrameFactorSrcColor)) ||
      (dst_a == FrameFactorZero && (src_a == FrameFactorDstAlpha || src_a == FrameFactorDstColor));
  if ((product || product_swapped) && alpha_product) {
    return PlanOperatorMultiply;
  }
  return PlanOperatorOther;
}

static bool writes_depth(const frame_state_t *s) {
  return s->depth_buffer != FrameNone && s->depth_test && s->depth_write;
}

static uint8_t effective_function(const frame_state_t *s) {
  return s->depth_buffer != FrameNone && s->depth_test ? s->depth_func : FrameFuncAlways;
}

static bool boundary(const frame_state_t *a, const frame_state_t *b, const plan_params_t *params) {
  if (a->color_target != b->color_target || a->depth_buffer != b->depth_buffer) {
    return true;
  }
  bool write = writes_depth(a);
  if (write != writes_depth(b)) {
    return true;
  }
  if ((write || !params->function_while_writing) &&
      effective_function(a) != effective_function(b)) {
    return true;
  }
  plan_operator_e op = plan_operator(a);
  if (op != plan_operator(b)) {
    return true;
  }
  // Operators that have no name are equal only factor by factor.
  return op == PlanOperatorOther &&
         (a->src_rgb != b->src_rgb || a->dst_rgb != b->dst_rgb || a->src_alpha != b->src_alpha ||
          a->dst_alpha != b->dst_alpha || a->equation_rgb != b->equation_rgb ||
          a->equation_alpha != b->equation_alpha);
}

static uint8_t direction(uint8_t func) {
  switch (func) {
    case FrameFuncLess:
    case FrameFuncLessEqual: return WroteNearer;
    case FrameFuncGreater:
    case FrameFuncGreaterEqual: return WroteFarther;
    case FrameFuncNever:
    case FrameFuncEqual: return WroteNothing;
    default: return WroteAnyhow;
  }
}

// Calls for the tiles that a rectangle may touch.
static uint8_t tiles_or(const validity_t *v, const frame_rect_t *r) {
  uint8_t all = 0;
  for (int32_t ty = r->y0 >> TileShift; ty << TileShift < r->y1; ty++) {
    for (int32_t tx = r->x0 >> TileShift; tx << TileShift < r->x1; tx++) {
      all |= v->wrote[(uint32_t)ty * v->tiles_x + (uint32_t)tx];
    }
  }
  return all;
}

static void tiles_mark(validity_t *v, const frame_rect_t *r, uint8_t wrote) {
  for (int32_t ty = r->y0 >> TileShift; ty << TileShift < r->y1; ty++) {
    for (int32_t tx = r->x0 >> TileShift; tx << TileShift < r->x1; tx++) {
      v->wrote[(uint32_t)ty * v->tiles_x + (uint32_t)tx] |= wrote;
    }
  }
}

// Returns true if a rectangle covers all that draws into these surfaces may reach.
static bool covers(const frame_t *frame, const frame_state_t *s) {
  uint32_t width = UINT32_MAX, height = UINT32_MAX;
  for (int i = 0; i < 2; i++) {
    uint16_t index = i ? s->depth_buffer : s->color_target;
    if (index != FrameNone) {
      const frame_surface_t *f = i ? &frame->depths[index] : &frame->targets[index];
      width = f->width < width ? f->width : width;
      height = f->height < height ? f->height : height;
    }
  }
  return s->scissor.x0 <= 0 && s->scissor.y0 <= 0 && s->scissor.x1 >= (int32_t)width &&
         s->scissor.y1 >= (int32_t)height;
}

// A clear leaves the same content on all GPUs only if all of them clear all that may differ.
static bool clear_is_whole(const frame_t *frame, const frame_cmd_t *c) {
  const frame_state_t *s = &c->state;
  bool color = c->clear_color && s->color_target != FrameNone;
  bool depth = (c->clear_depth || c->clear_stencil) && s->depth_buffer != FrameNone;
  return (!color && !depth) || (covers(frame, s) && (!color || s->color_mask == 0xf));
}

// The state of a depth buffer, with sync_needed.
typedef struct {
  bool sampled;         // somebody may read it but the depth test
  bool pending;         // drawn since it was last the same on all GPUs, with the map of
  uint16_t drawn_with;  // this target
} kept_t;

typedef struct {
  const frame_t *frame;
  const plan_params_t *params;
  plan_t *plan;
  validity_t *valid;      // of each depth buffer
  kept_t *kept;           // likewise
  uint32_t *base;         // likewise: 1 + the composed groups before depth went other than nearer
  uint16_t coarse_depth;  // of the last composed opaque group: its depth buffer, and its base
  uint32_t coarse_base;
  uint64_t since;  // primitives duplicated since GPUs last waited for each other
} planner_t;

// Staleness that the test may meet: the directions in which the group's part of its depth buffer
// has been written, and whether the group reads it.
typedef struct {
  uint8_t wrote;
  bool reads;  // with function_while_writing a group's functions may differ
} stale_t;

// Returns true if every draw is of the kind that composes; *reason if not.
static bool draws_compose(const planner_t *p, const plan_group_t *g, stale_t *stale,
                          uint8_t *reason) {
  const frame_cmd_t *c = &p->frame->commands[g->first];
  *stale = (stale_t){0};
  for (uint32_t i = 0; i < g->count; i++) {
    const frame_state_t *d = &c[i].state;
    stale->reads |= effective_function(d) != FrameFuncAlways;
    if (d->stencil_test) {
      *reason = PlanStencil;
      return false;
    }
    if (d->color_mask != c->state.color_mask) {
      *reason = PlanMaskMixed;
      return false;
    }
    if (d->depth_buffer != FrameNone) {
      stale->wrote |= tiles_or(&p->valid[d->depth_buffer], &d->scissor);
    }
  }
  return true;
}

// The kind of a group whose draws compose; needs_final: it would meet stale depth that is not
// conservative.
static uint8_t judge_state(const plan_group_t *g, const frame_state_t *s, stale_t stale,
                           uint8_t *kind, bool *needs_final) {
  if (g->op == PlanOperatorReplace) {
    uint8_t towards = direction(effective_function(s));
    if (!writes_depth(s) || (towards != WroteNearer && towards != WroteFarther)) {
      return PlanDepthFunction;
    }
    *needs_final = stale.wrote & (uint8_t)~towards;
    *kind = DrawSchedulerGroupOpaque;
    return PlanComposed;
  }
  if (g->op == PlanOperatorOther || s->color_mask != 0xf) {
    return PlanOperator;
  }
  if (writes_depth(s)) {
    return PlanBlendedDepth;
  }
  // The group reads depth without writing it: it needs the final depth everywhere.
  *needs_final = stale.reads && stale.wrote;
  *kind = DrawSchedulerGroupTransparent;
  return PlanComposed;
}

// Asks the policy about a group that can be composed. reason: why the driver would not, or
// PlanComposed.
static uint8_t ask(const planner_t *p, const plan_group_t *g, bool is_transparent, uint8_t reason) {
  const driver_policy_t *policy = p->params->policy;
  const nocturne_group_t group = {.draws = p->params->draws + g->first,
                                  .count = g->count,
                                  .gpus = p->params->gpus,
                                  .is_transparent = is_transparent,
                                  .triangles = g->primitives,
                                  .duplicated = p->since};
  if (policy->compose(policy->context, &group, reason == PlanComposed)) {
    return PlanComposed;
  }
  return reason == PlanComposed ? (uint8_t)PlanPolicy : reason;
}

// Returns why a group is not worth composing by its size, or PlanComposed.
static uint8_t judge_size(const planner_t *p, const plan_group_t *g) {
  if (g->primitives < p->params->threshold) {
    return PlanBelowThreshold;
  }
  return p->params->require_draws && g->draws <= p->params->gpus ? (uint8_t)PlanFewDraws
                                                                 : (uint8_t)PlanComposed;
}

static uint8_t judge(const planner_t *p, const plan_group_t *g, uint8_t *kind, bool *broadcast) {
  const bool asks = p->params->policy && p->params->policy->compose;
  stale_t stale;
  uint8_t reason, would_be, worth;
  bool needs_final = false;
  *kind = DrawSchedulerGroupDuplicated;
  *broadcast = false;
  if (!p->params->compose) {
    return PlanScheme;
  }
  if (g->is_clear) {
    return PlanClear;
  }
  worth = judge_size(p, g);
  if (worth != PlanComposed && !asks) {
    return worth;
  }
  if (!draws_compose(p, g, &stale, &reason)) {
    return worth ? worth : reason;
  }
  reason = judge_state(g, &p->frame->commands[g->first].state, stale, &would_be, &needs_final);
  if (reason == PlanComposed && needs_final && !p->params->depth_broadcast) {
    reason = PlanStaleDepth;
  }
  if (reason != PlanComposed) {
    return worth ? worth : reason;
  }
  if (!worth && (uint64_t)g->primitives * 1000 < p->since * p->params->barrier_share) {
    worth = PlanLonelyBarrier;
  }
  worth = asks ? ask(p, g, would_be == DrawSchedulerGroupTransparent, worth) : worth;
  if (worth != PlanComposed) {
    return worth;
  }
  *broadcast = needs_final;
  *kind = would_be;
  return PlanComposed;
}

static void sync_item(planner_t *p, uint16_t target, uint16_t depth, uint16_t owner, bool stale) {
  plan_item_t *item = &p->plan->items[p->plan->item_count++];
  *item = (plan_item_t){.kind = PlanItemSync,
                        .group = p->plan->group_count,
                        .sync_target = target,
                        .sync_depth = depth,
                        .sync_owner = owner,
                        .sync_stale_depth = stale};
  if (depth != FrameNone) {
    validity_t *v = &p->valid[depth];
    memset(v->wrote, WroteNothing, (size_t)v->tiles_x * v->tiles_y);
  }
}

static bool same_size(const frame_t *f, uint16_t a, uint16_t b) {
  return f->targets[a].width == f->targets[b].width && f->targets[a].height == f->targets[b].height;
}

// At a switch the target that was drawn is broadcast, and its depth buffer if it is sampled. Depth
// that is not goes on as stale depth; it is broadcast before it is drawn by another map.
static void switch_surfaces(planner_t *p, const plan_group_t *before, const plan_group_t *g) {
  uint16_t was = before->depth_buffer, is = g->depth_buffer;
  bool keep = p->params->sync_needed && was != FrameNone && !p->kept[was].sampled;
  sync_item(p, before->color_target, keep ? FrameNone : was, before->color_target, false);
  if (keep) {
    p->kept[was].pending = true;
    p->kept[was].drawn_with = before->color_target;
    p->plan->depths_left++;
  }
  if (is == FrameNone || !p->kept[is].pending) {
    return;
  }
  uint16_t with = p->kept[is].drawn_with;
  if (g->color_target == FrameNone || !same_size(p->frame, with, g->color_target)) {
    sync_item(p, FrameNone, is, with, false);
    p->plan->depths_late++;
  }
  p->kept[is].pending = false;
}

// Notes that depth was cleared, or written other than nearer.
static void note_base(planner_t *p, const frame_cmd_t *d) {
  if (d->kind == FrameCmdClear
          ? d->clear_depth
          : writes_depth(&d->state) && (direction(d->state.depth_func) & ~WroteNearer)) {
    p->base[d->state.depth_buffer] = p->plan->composed_count + 1;
  }
}

// Numbers what coarse depth holds for: a new number for another depth buffer or another base of it.
static void count_base(planner_t *p, plan_group_t *g) {
  if (g->kind == DrawSchedulerGroupOpaque && g->depth_buffer != FrameNone) {
    const uint32_t base = p->base[g->depth_buffer] + 1;
    p->plan->coarse_bases += p->coarse_base != base || p->coarse_depth != g->depth_buffer;
    p->coarse_base = base;
    p->coarse_depth = g->depth_buffer;
    g->coarse_base = p->plan->coarse_bases;
  }
}

static void finish_group(planner_t *p, plan_group_t *g, const plan_group_t *before) {
  const frame_t *frame = p->frame;
  const frame_cmd_t *c = &frame->commands[g->first];
  g->first_item = p->plan->item_count;
  bool many = p->params->gpus > 1;
  if (many && before &&
      (before->color_target != g->color_target || before->depth_buffer != g->depth_buffer)) {
    switch_surfaces(p, before, g);
    p->since = 0;
  }
  bool broadcast;
  g->reason = judge(p, g, &g->kind, &broadcast);
  p->since = g->kind == DrawSchedulerGroupDuplicated ? p->since + g->primitives : 0;
  if (broadcast) {
    sync_item(p, FrameNone, g->depth_buffer, g->color_target, true);
  }
  uint32_t shift = 0;
  while (g->draws >> shift > 128) {
    shift++;
  }
  for (uint32_t i = 0; i < g->count; i++) {
    const frame_cmd_t *d = &c[i];
    plan_item_t *item = &p->plan->items[p->plan->item_count++];
    *item = (plan_item_t){.kind = d->kind == FrameCmdClear ? PlanItemClear : PlanItemDraw,
                          .command = g->first + i,
                          .group = p->plan->group_count,
                          .sync_target = FrameNone,
                          .sync_depth = FrameNone};
    if (d->kind == FrameCmdClear) {
      item->owners_only = many && !clear_is_whole(frame, d);
    } else if (p->params->order_tag && g->kind == DrawSchedulerGroupOpaque) {
      item->tag = (uint8_t)(i >> shift);
    }
    if (d->state.depth_buffer == FrameNone) {
      continue;
    }
    note_base(p, d);
    validity_t *v = &p->valid[d->state.depth_buffer];
    if (d->kind == FrameCmdClear) {
      if (d->clear_depth && !item->owners_only) {
        memset(v->wrote, WroteNothing, (size_t)v->tiles_x * v->tiles_y);
      } else if (d->clear_depth) {
        tiles_mark(v, &d->state.scissor, WroteAnyhow);
      }
    } else if (writes_depth(&d->state)) {
      tiles_mark(v, &d->state.scissor, direction(d->state.depth_func));
    }
  }
  count_base(p, g);
  if (g->kind != DrawSchedulerGroupDuplicated) {
    g->composed_index = p->plan->composed_count;
    p->plan->composed[p->plan->composed_count++] = p->plan->group_count;
    p->plan->triangles_composed += g->primitives;
  }
  p->plan->triangles += g->primitives;
  g->item_count = p->plan->item_count - g->first_item;
  p->plan->group_count++;
}

// Where the frame does not say what is sampled, depth that is drawn without a colour target is
// taken to be, as a shadow map is.
static void note_sampled(planner_t *p) {
  const frame_t *f = p->frame;
  for (uint32_t i = 0; i < f->depth_count; i++) {
    p->kept[i].sampled = frame_depth_use(f, i) == FrameDepthSampled;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_state_t *s = &f->commands[i].state;
    if (s->depth_buffer != FrameNone && s->color_target == FrameNone &&
        frame_depth_use(f, s->depth_buffer) == FrameDepthUnknown) {
      p->kept[s->depth_buffer].sampled = true;
    }
  }
}

static bool validity_create(planner_t *p) {
  uint32_t count = p->frame->depth_count;
  p->valid = calloc(count ? count : 1, sizeof *p->valid);
  p->kept = calloc(count ? count : 1, sizeof *p->kept);
  p->base = calloc(count ? count : 1, sizeof *p->base);
  if (!p->valid || !p->kept || !p->base) {
    return false;
  }
  note_sampled(p);
  for (uint32_t i = 0; i < count; i++) {
    validity_t *v = &p->valid[i];
    v->tiles_x = (p->frame->depths[i].width + 63) >> TileShift;
    v->tiles_y = (p->frame->depths[i].height + 63) >> TileShift;
    v->wrote = calloc((size_t)v->tiles_x * v->tiles_y, 1);
    if (!v->wrote) {
      return false;
    }
  }
  return true;
}

static void validity_destroy(planner_t *p) {
  for (uint32_t i = 0; p->valid && i < p->frame->depth_count; i++) {
    free(p->valid[i].wrote);
  }
  free(p->valid);
  free(p->kept);
  free(p->base);
}

plan_t *plan_create(const frame_t *frame, const plan_params_t *params) {
  planner_t p = {.frame = frame, .params = params, .plan = calloc(1, sizeof *p.plan)};
  // A group has at least one command and adds at most three syncs.
  size_t most = (size_t)frame->command_count + 1;
  if (p.plan) {
    p.plan->groups = calloc(most, sizeof *p.plan->groups);
    p.plan->items = calloc(4 * most, sizeof *p.plan->items);
    p.plan->composed = calloc(most, sizeof *p.plan->composed);
  }
  if (!p.plan || !p.plan->groups || !p.plan->items || !p.plan->composed || !validity_create(&p)) {
    validity_destroy(&p);
    plan_destroy(p.plan);
    return NULL;
  }
  const plan_group_t *before = NULL;
  for (uint32_t i = 0; i < frame->command_count;) {
    const frame_cmd_t *c = &frame->commands[i];
    plan_group_t *g = &p.plan->groups[p.plan->group_count];
    *g = (plan_group_t){.first = i,
                        .is_clear = c->kind == FrameCmdClear,
                        .op = (uint8_t)plan_operator(&c->state),
                        .color_target = c->state.color_target,
                        .depth_buffer = c->state.depth_buffer};
    do {
      const frame_cmd_t *d = &frame->commands[i];
      g->count++;
      if (d->kind == FrameCmdDraw) {
        g->draws++;
        g->primitives += d->triangles_in;
      }
      i++;
    } while (!g->is_clear && i < frame->command_count && frame->commands[i].kind == FrameCmdDraw &&
             !boundary(&c->state, &frame->commands[i].state, params));
    finish_group(&p, g, before);
    before = g;
  }
  validity_destroy(&p);
  return p.plan;
}

void plan_destroy(plan_t *plan) {
  if (plan) {
    free(plan->groups);
    free(plan->items);
    free(plan->composed);
    free(plan);
  }
}
