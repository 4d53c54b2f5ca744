// SPDX-License-Identifier: Apache-2.0
#include "frame_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char frame_part_name[FramePartTexture + 1][5] = {"INFO", "SURF", "STAT", "CMDS",
                                                       "VERT", "TRIS", "TEXR"};

// Writes the message and is false, so that a check can end with it.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(err_t *err, const char *format, ...) {
  va_list list;
  va_start(list, format);
  err_vset(err, ErrInput, format, list);
  va_end(list);
  return false;
}

static bool check_info(const frame_t *frame, err_t *err) {
  if (!frame->name) {
    return refuse(err, "no name, expected a text");
  }
  if (frame->target_count < 1 || frame->target_count >= FrameNone) {
    return refuse(err, "%u targets, expected 1 to %d", frame->target_count, FrameNone - 1);
  }
  if (frame->depth_count >= FrameNone) {
    return refuse(err, "%u depth buffers, expected at most %d", frame->depth_count, FrameNone - 1);
  }
  if (frame->texture_count >= FrameNone) {
    return refuse(err, "%u textures, expected at most %d", frame->texture_count, FrameNone - 1);
  }
  if (frame->command_count > FrameMaxCommands) {
    return refuse(err, "%u commands, expected at most %d", frame->command_count, FrameMaxCommands);
  }
  if (frame->vertex_count > FrameMaxVertices) {
    return refuse(err, "%u vertices, expected at most %d", frame->vertex_count, FrameMaxVertices);
  }
  if (frame->triangle_count > FrameMaxTriangles) {
    return refuse(err, "%u triangles, expected at most %d", frame->triangle_count,
                  FrameMaxTriangles);
  }
  return true;
}

static bool check_surface(const char *what, uint32_t i, const frame_surface_t *s, err_t *err) {
  if (s->width < 1 || s->width > FrameMaxSize || s->height < 1 || s->height > FrameMaxSize) {
    return refuse(err, "%s %u is %ux%u, expected sides of 1 to %d", what, i, s->width, s->height,
                  FrameMaxSize);
  }
  return true;
}

static bool check_surfaces(const frame_t *frame, err_t *err) {
  for (uint32_t i = 0; i < frame->target_count; i++) {
    if (!check_surface("target", i, &frame->targets[i], err)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < frame->depth_count; i++) {
    if (!check_surface("depth buffer", i, &frame->depths[i], err)) {
      return false;
    }
    if (frame_depth_use(frame, i) >= FrameDepthUses) {
      return refuse(err, "depth buffer %u has use %u, expected 0 to %d", i,
                    frame_depth_use(frame, i), FrameDepthUses - 1);
    }
  }
  if (frame->width != frame->targets[0].width || frame->height != frame->targets[0].height) {
    return refuse(err, "the picture is %ux%u, expected the size of target 0, %ux%u", frame->width,
                  frame->height, frame->targets[0].width, frame->targets[0].height);
  }
  return true;
}

static bool check_scissor(const frame_t *frame, const frame_state_t *s, err_t *err) {
  const frame_rect_t *r = &s->scissor;
  const frame_surface_t *surfaces[2] = {NULL, NULL};
  if (s->color_target != FrameNone) {
    if (s->color_target >= frame->target_count) {
      return refuse(err, "color_target %u, expected below %u", s->color_target,
                    frame->target_count);
    }
    surfaces[0] = &frame->targets[s->color_target];
  }
  if (s->depth_buffer != FrameNone) {
    if (s->depth_buffer >= frame->depth_count) {
      return refuse(err, "depth_buffer %u, expected below %u", s->depth_buffer, frame->depth_count);
    }
    surfaces[1] = &frame->depths[s->depth_buffer];
  }
  if (!surfaces[0] && !surfaces[1]) {
    return refuse(err, "no surface, expected a color_target or a depth_buffer");
  }
  for (int i = 0; i < 2; i++) {
    if (!surfaces[i]) {
      continue;
    }
    if (r->x0 < 0 || r->y0 < 0 || r->x1 < r->x0 || r->y1 < r->y0 ||
        r->x1 > (int32_t)surfaces[i]->width || r->y1 > (int32_t)surfaces[i]->height) {
      return refuse(err, "scissor %d,%d to %d,%d, expected a rectangle inside %ux%u", r->x0, r->y0,
                    r->x1, r->y1, surfaces[i]->width, surfaces[i]->height);
    }
  }
  return true;
}

// A byte of a state, with the values it may have.
typedef struct {
  const char *name;
  uint32_t value, last;
} byte_rule_t;

static bool check_bytes(const byte_rule_t *rules, size_t count, err_t *err) {
  for (size_t i = 0; i < count; i++) {
    if (rules[i].value > rules[i].last) {
      return refuse(err, "%s %u, expected 0 to %u", rules[i].name, rules[i].value, rules[i].last);
    }
  }
  return true;
}

static bool check_stage(const frame_t *frame, const frame_stage_t *t, err_t *err) {
  if (t->texture == FrameNone) {
    return true;
  }
  const byte_rule_t rules[] = {
      {"stage coord", t->coord, 1},
      {"stage combine", t->combine, FrameCombineModulate4x},
      {"stage mag_filter", t->mag_filter, FrameFilterLinear},
      {"stage min_filter", t->min_filter, FrameFilterLinear},
      {"stage mip", t->mip, FrameMipLinear},
      {"stage wrap_s", t->wrap_s, FrameWrapMirror},
      {"stage wrap_t", t->wrap_t, FrameWrapMirror},
  };
  if (t->texture >= frame->texture_count) {
    return refuse(err, "stage texture %u, expected below %u", t->texture, frame->texture_count);
  }
  if (!check_bytes(rules, sizeof rules / sizeof *rules, err)) {
    return false;
  }
  if (t->max_anisotropy < 1 || t->max_anisotropy > 16) {
    return refuse(err, "stage max_anisotropy %u, expected 1 to 16", t->max_anisotropy);
  }
  if (!isfinite(t->lod_bias)) {
    return refuse(err, "stage lod_bias not finite, expected a number");
  }
  return true;
}

static bool check_draw_state(const frame_t *frame, const frame_state_t *s, err_t *err) {
  const byte_rule_t rules[] = {
      {"depth_test", s->depth_test, 1},
      {"depth_write", s->depth_write, 1},
      {"depth_func", s->depth_func, FrameFuncAlways},
      {"blend", s->blend, 1},
      {"src_rgb", s->src_rgb, FrameFactorSrcAlphaSaturate},
      {"dst_rgb", s->dst_rgb, FrameFactorSrcAlphaSaturate},
      {"src_alpha", s->src_alpha, FrameFactorSrcAlphaSaturate},
      {"dst_alpha", s->dst_alpha, FrameFactorSrcAlphaSaturate},
      {"equation_rgb", s->equation_rgb, FrameEquationMax},
      {"equation_alpha", s->equation_alpha, FrameEquationMax},
      {"color_mask", s->color_mask, 15},
      {"alpha_test", s->alpha_test, 1},
      {"alpha_func", s->alpha_func, FrameFuncAlways},
      {"stencil_test", s->stencil_test, 1},
      {"stencil[0].func", s->stencil[0].func, FrameFuncAlways},
      {"stencil[0].fail", s->stencil[0].fail, FrameStencilDecrWrap},
      {"stencil[0].depth_fail", s->stencil[0].depth_fail, FrameStencilDecrWrap},
      {"stencil[0].pass", s->stencil[0].pass, FrameStencilDecrWrap},
      {"stencil[1].func", s->stencil[1].func, FrameFuncAlways},
      {"stencil[1].fail", s->stencil[1].fail, FrameStencilDecrWrap},
      {"stencil[1].depth_fail", s->stencil[1].depth_fail, FrameStencilDecrWrap},
      {"stencil[1].pass", s->stencil[1].pass, FrameStencilDecrWrap},
  };
  if (!check_bytes(rules, sizeof rules / sizeof *rules, err)) {
    return false;
  }
  const frame_rect_t *v = &s->viewport;
  if (v->x0 < -FrameGuardBand || v->y0 < -FrameGuardBand || v->x1 > FrameGuardBand ||
      v->y1 > FrameGuardBand || v->x1 < v->x0 || v->y1 < v->y0) {
    return refuse(err, "viewport %d,%d to %d,%d, expected a rectangle within +-%d", v->x0, v->y0,
                  v->x1, v->y1, FrameGuardBand);
  }
  for (int i = 0; i < 16; i++) {
    if (!isfinite(s->projection[i])) {
      return refuse(err, "projection[%d] not finite, expected a number", i);
    }
  }
  for (int i = 0; i < FrameMaxTextures; i++) {
    if (!check_stage(frame, &s->stages[i], err)) {
      return false;
    }
  }
  return true;
}

static bool check_commands(const frame_t *frame, frame_part_e *part, err_t *err) {
  uint32_t end = 0;
  for (uint32_t i = 0; i < frame->command_count; i++) {
    const frame_cmd_t *c = &frame->commands[i];
    if (c->kind > FrameCmdClear) {
      return refuse(err, "command %u: kind %u, expected 0 or 1", i, c->kind);
    }
    bool good = check_scissor(frame, &c->state, err);
    if (good && c->kind == FrameCmdDraw) {
      good = check_draw_state(frame, &c->state, err);
    }
    if (c->program > frame->program_count) {
      return refuse(err, "command %u: program %u, expected at most %u", i, c->program,
                    frame->program_count);
    }
    if (good && c->state.color_mask > 15) {
      good = refuse(err, "color_mask %u, expected 0 to 15", c->state.color_mask);
    }
    if (!good) {
      *part = FramePartStates;
      return err_before(err, "command %u: ", i);
    }
    if (c->kind == FrameCmdDraw) {
      if (c->first_triangle < end || c->first_triangle > frame->triangle_count ||
          c->triangle_count > frame->triangle_count - c->first_triangle) {
        return refuse(err, "command %u: triangles %u + %u, expected from %u within %u", i,
                      c->first_triangle, c->triangle_count, end, frame->triangle_count);
      }
      end = c->first_triangle + c->triangle_count;
    } else {
      const byte_rule_t rules[] = {{"clear_color", c->clear_color, 1},
                                   {"clear_depth", c->clear_depth, 1},
                                   {"clear_stencil", c->clear_stencil, 1},
                                   {"clear_z", c->clear_z, FrameMaxDepth},
                                   {"a clear's triangle_count", c->triangle_count, 0},
                                   {"a clear's program", c->program, 0}};
      if (!check_bytes(rules, sizeof rules / sizeof *rules, err)) {
        return err_before(err, "command %u: ", i);
      }
    }
  }
  return true;
}

static bool check_vertices(const frame_t *frame, err_t *err) {
  const int32_t limit = FrameGuardBand * FrameSubpixel;
  for (uint32_t i = 0; i < frame->vertex_count; i++) {
    const frame_vertex_t *v = &frame->vertices[i];
    if (v->x <= -limit || v->x >= limit || v->y <= -limit || v->y >= limit) {
      return refuse(err, "vertex %u: at %d,%d, expected below %d either way", i, v->x, v->y, limit);
    }
    if (v->z > FrameMaxDepth) {
      return refuse(err, "vertex %u: z %u, expected at most %d", i, v->z, FrameMaxDepth);
    }
    if (!isfinite(v->inv_w) || v->inv_w <= 0) {
      return refuse(err, "vertex %u: inv_w %g, expected above 0 and finite", i, (double)v->inv_w);
    }
    for (int k = 0; k < 4; k++) {
      if (!isfinite(v->uv[k / 2][k % 2])) {
        return refuse(err, "vertex %u: uv[%d][%d] not finite, expected a number", i, k / 2, k % 2);
      }
    }
  }
  return true;
}

static bool check_triangles(const frame_t *frame, err_t *err) {
  for (uint32_t i = 0; i < frame->triangle_count; i++) {
    for (int k = 0; k < 3; k++) {
      if (frame->triangles[i].v[k] >= frame->vertex_count) {
        return refuse(err, "triangle %u: vertex %u, expected below %u", i, frame->triangles[i].v[k],
                      frame->vertex_count);
      }
    }
  }
  for (uint32_t c = 0; c < frame->command_count; c++) {
    const frame_cmd_t *draw = &frame->commands[c];
    uint32_t last = 0;
    if (draw->kind != FrameCmdDraw) {
      continue;
    }
    for (uint32_t i = 0; i < draw->triangle_count; i++) {
      const uint32_t ordinal = frame->triangles[draw->first_triangle + i].ordinal;
      if (ordinal < last || ordinal >= draw->triangles_in) {
        return refuse(err, "triangle %u: ordinal %u, expected %u to %u (command %u)",
                      draw->first_triangle + i, ordinal, last, draw->triangles_in - 1, c);
      }
      last = ordinal;
    }
  }
  return true;
}

static bool check_texture(const frame_t *frame, uint32_t index, err_t *err) {
  const frame_texture_t *t = &frame->textures[index];
  if (t->width < 1 || t->width > FrameMaxSize || t->height < 1 || t->height > FrameMaxSize) {
    return refuse(err, "texture %u is %ux%u, expected sides of 1 to %d", index, t->width, t->height,
                  FrameMaxSize);
  }
  uint32_t most = 1;
  for (uint32_t side = t->width > t->height ? t->width : t->height; side > 1; side >>= 1) {
    most++;
  }
  if (t->levels < 1 || t->levels > most) {
    return refuse(err, "texture %u has %u levels, expected 1 to %u", index, t->levels, most);
  }
  for (uint32_t n = 0; n < t->levels; n++) {
    if (!t->level[n]) {
      return refuse(err, "texture %u has no level %u, expected texels", index, n);
    }
  }
  return true;
}

bool frame_check_part(const frame_t *frame, frame_part_e *part, uint32_t index, err_t *err) {
  switch (*part) {
    case FramePartInfo: return check_info(frame, err);
    case FramePartSurfaces: return check_surfaces(frame, err);
    case FramePartStates: return true;  // with the commands that use them
    case FramePartCommands: return check_commands(frame, part, err);
    case FramePartVertices: return check_vertices(frame, err);
    case FramePartTriangles: return check_triangles(frame, err);
    case FramePartTexture: return check_texture(frame, index, err);
  }
  return true;
}

bool frame_check_texels(const frame_texture_t *t, uint64_t *texels, err_t *err) {
  *texels += (uint64_t)t->width * t->height;
  return *texels <= FrameMaxTexels ||
         refuse(err, "%llu texels with this texture, expected at most %d in all",
                (unsigned long long)*texels, FrameMaxTexels);
}

// Returns what a file may not hold of an operation that is sound by itself, or NULL.
static const char *fault(const program_op_t *op) {
  const bool reads =
      op->kind == ProgramTex || (op->kind == ProgramIf && op->predicate == ProgramOnTexel);
  if (op->kind == ProgramIf && op->predicate == ProgramOnPixels) {
    return "a list of pixels, expected a predicate that a file can hold";
  }
  return reads && op->stage >= FrameMaxTextures ? "a stage of 2 or more, expected 0 or 1" : NULL;
}

bool frame_programs_check(const program_t *programs, uint32_t count, err_t *err) {
  for (uint32_t i = 0; i < count; i++) {
    program_t copy = programs[i];  // the check fills in more
    if (!program_check(&copy, err)) {
      return err_before(err, "program %u: ", i);
    }
    for (uint32_t k = 0; k < copy.count; k++) {
      const char *wrong = fault(&copy.op[k]);
      if (wrong) {
        err_set(err, ErrInput, "program %u: operation %u: %s", i, k, wrong);
        return false;
      }
    }
  }
  return true;
}

static bool check_programs(const frame_t *frame, err_t *err) {
  if (frame->program_count > FrameMaxPrograms) {
    return refuse(err, "%u programs, expected at most %d", frame->program_count, FrameMaxPrograms);
  }
  return frame_programs_check(frame->programs, frame->program_count, err);
}

bool frame_check(const frame_t *frame, err_t *err) {
  uint64_t texels = 0;
  if (!check_programs(frame, err)) {
    return err_before(err, "frame: section PROG: ");
  }
  for (int p = FramePartInfo; p <= FramePartTexture; p++) {
    const uint32_t count = p == FramePartTexture ? frame->texture_count : 1;
    for (uint32_t i = 0; i < count; i++) {
      frame_part_e part = (frame_part_e)p;
      if (!frame_check_part(frame, &part, i, err) ||
          (p == FramePartTexture && !frame_check_texels(&frame->textures[i], &texels, err))) {
        return err_before(err, "frame: section %s: ", frame_part_name[part]);
      }
    }
  }
  return true;
}
