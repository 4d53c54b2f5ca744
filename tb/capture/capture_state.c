// SPDX-License-Identifier: Apache-2.0
// GL state as the frame's state; framebuffer attachments as targets and depth
// buffers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { MaxSurfaces = 256 };

// Where a surface of the frame comes from.
typedef struct {
  GLenum type;  // 0: the window; GL_TEXTURE or GL_RENDERBUFFER
  GLuint name;
  GLint level, layer;
} source_t;

static source_t targets[MaxSurfaces], depths[MaxSurfaces];
static uint32_t window_width, window_height;
static bool window_alpha;
static uint16_t merged;

static uint16_t surface_of(source_t *sources, frame_surface_t **surfaces, uint32_t *count,
                           const source_t *source, uint32_t width, uint32_t height) {
  for (uint32_t i = 0; i < *count; i++) {
    if (memcmp(&sources[i], source, sizeof *source) == 0) {
      return (uint16_t)i;
    }
  }
  if (*count == MaxSurfaces || width < 1 || height < 1 || width > FrameMaxSize ||
      height > FrameMaxSize) {
    return FrameNone;
  }
  frame_surface_t *grown = realloc(*surfaces, (*count + 1) * sizeof *grown);
  if (!grown) {
    return FrameNone;
  }
  *surfaces = grown;
  grown[*count] = (frame_surface_t){width, height};
  sources[*count] = *source;
  return (uint16_t)(*count)++;
}

// A depth buffer, with what may read it: a texture may be sampled, all else is tested only.
static uint16_t depth_of(const source_t *source, uint32_t width, uint32_t height) {
  frame_t *f = capture_build_frame();
  const uint16_t depth = surface_of(depths, &f->depths, &f->depth_count, source, width, height);
  if (!f->depth_uses) {
    f->depth_uses = calloc(MaxSurfaces, sizeof *f->depth_uses);
  }
  if (f->depth_uses && depth != FrameNone) {
    f->depth_uses[depth] = source->type == GL_TEXTURE ? FrameDepthSampled : FrameDepthTested;
  }
  return depth;
}

static uint16_t window_target(void) {
  frame_t *f = capture_build_frame();
  const source_t window = {0};
  return surface_of(targets, &f->targets, &f->target_count, &window, window_width, window_height);
}

void capture_state_begin(uint32_t width, uint32_t height) {
  window_width = width;
  window_height = height;
  GLint framebuffer = capture_int(GL_DRAW_FRAMEBUFFER_BINDING);
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  window_alpha = capture_int(GL_ALPHA_BITS) > 0;
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)framebuffer);
  merged = 0;
  window_target();  // target 0, whatever is drawn first
}

void capture_state_merge(uint16_t target) { merged = target; }

uint16_t capture_state_merged(void) { return merged; }

bool capture_state_alpha_shows(void) { return window_alpha && !capture_options.ignore_alpha; }

uint32_t capture_state_target_texture(uint16_t target) {
  return target != FrameNone && targets[target].type == GL_TEXTURE ? targets[target].name : 0;
}

uint16_t capture_state_target_of(uint32_t texture) {
  const frame_t *f = capture_build_frame();
  for (uint32_t i = 0; i < f->target_count; i++) {
    if (texture && targets[i].type == GL_TEXTURE && targets[i].name == texture) {
      return (uint16_t)i;
    }
  }
  return FrameNone;
}

static void size_of(const source_t *source, uint32_t *width, uint32_t *height) {
  GLint w = 0, h = 0;
  if (source->type == GL_RENDERBUFFER) {
    const GLint bound = capture_int(GL_RENDERBUFFER_BINDING);
    gl.BindRenderbuffer(GL_RENDERBUFFER, source->name);
    gl.GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &w);
    gl.GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &h);
    gl.BindRenderbuffer(GL_RENDERBUFFER, (GLuint)bound);
  } else {
    const GLint bound = capture_int(GL_TEXTURE_BINDING_2D);
    gl.BindTexture(GL_TEXTURE_2D, source->name);
    gl.GetTexLevelParameteriv(GL_TEXTURE_2D, source->level, GL_TEXTURE_WIDTH, &w);
    gl.GetTexLevelParameteriv(GL_TEXTURE_2D, source->level, GL_TEXTURE_HEIGHT, &h);
    gl.BindTexture(GL_TEXTURE_2D, (GLuint)bound);
  }
  *width = (uint32_t)w;
  *height = (uint32_t)h;
}

static bool attachment(GLenum point, source_t *source) {
  GLint type = GL_NONE, name = 0;
  memset(source, 0, sizeof *source);
  gl.GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, point,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &type);
  if (type != GL_TEXTURE && type != GL_RENDERBUFFER) {
    return false;
  }
  gl.GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, point,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
  source->type = (GLenum)type;
  source->name = (GLuint)name;
  if (type == GL_TEXTURE) {
    gl.GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, point,
                                           GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, &source->level);
    gl.GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, point,
                                           GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, &source->layer);
  }
  return true;
}

// The surfaces that the current framebuffer draws to, and their common size.
static void read_surfaces(frame_state_t *s, uint32_t *width, uint32_t *height) {
  frame_t *f = capture_build_frame();
  s->color_target = s->depth_buffer = FrameNone;
  *width = window_width;
  *height = window_height;
  if (capture_int(GL_DRAW_FRAMEBUFFER_BINDING) == 0) {
    const source_t window = {0};
    if (capture_int(GL_DRAW_BUFFER) != GL_NONE) {
      s->color_target = 0;
    }
    if (capture_int(GL_DEPTH_BITS) > 0) {
      s->depth_buffer = depth_of(&window, *width, *height);
    }
    return;
  }
  source_t source;
  uint32_t w, h;
  bool sized = false;
  const GLint buffer = capture_int(GL_DRAW_BUFFER0);
  for (GLenum i = 1; i < 8; i++) {
    if (capture_int(GL_DRAW_BUFFER0 + i) != GL_NONE) {
      capture_lost(CaptureLostTargets);
    }
  }
  if (buffer != GL_NONE && attachment((GLenum)buffer, &source)) {
    size_of(&source, &w, &h);
    s->color_target = surface_of(targets, &f->targets, &f->target_count, &source, w, h);
    *width = w;
    *height = h;
    sized = true;
  }
  if (attachment(GL_DEPTH_ATTACHMENT, &source)) {
    size_of(&source, &w, &h);
    s->depth_buffer = depth_of(&source, w, h);
    if (!sized || w < *width) {
      *width = w;
    }
    if (!sized || h < *height) {
      *height = h;
    }
  }
}

static uint8_t func_of(GLint func) {
  return (uint8_t)(func >= GL_NEVER && func <= GL_ALWAYS ? func - GL_NEVER : FrameFuncAlways);
}

static uint8_t factor_of(GLint factor) {
  switch (factor) {
    case GL_ZERO: return FrameFactorZero;
    case GL_ONE: return FrameFactorOne;
    case GL_SRC_COLOR: return FrameFactorSrcColor;
    case GL_ONE_MINUS_SRC_COLOR: return FrameFactorOneMinusSrcColor;
    case GL_SRC_ALPHA: return FrameFactorSrcAlpha;
    case GL_ONE_MINUS_SRC_ALPHA: return FrameFactorOneMinusSrcAlpha;
    case GL_DST_COLOR: return FrameFactorDstColor;
    case GL_ONE_MINUS_DST_COLOR: return FrameFactorOneMinusDstColor;
    case GL_DST_ALPHA: return FrameFactorDstAlpha;
    case GL_ONE_MINUS_DST_ALPHA: return FrameFactorOneMinusDstAlpha;
    case GL_SRC_ALPHA_SATURATE: return FrameFactorSrcAlphaSaturate;
    default: capture_lost(CaptureLostState); return FrameFactorOne;
  }
}

static uint8_t equation_of(GLint equation) {
  switch (equation) {
    case GL_FUNC_SUBTRACT: return FrameEquationSubtract;
    case GL_FUNC_REVERSE_SUBTRACT: return FrameEquationReverseSubtract;
    case GL_MIN: return FrameEquationMin;
    case GL_MAX: return FrameEquationMax;
    default: return FrameEquationAdd;
  }
}

static uint8_t stencil_op_of(GLint op) {
  switch (op) {
    case GL_ZERO: return FrameStencilZero;
    case GL_REPLACE: return FrameStencilReplace;
    case GL_INCR: return FrameStencilIncr;
    case GL_DECR: return FrameStencilDecr;
    case GL_INVERT: return FrameStencilInvert;
    case GL_INCR_WRAP: return FrameStencilIncrWrap;
    case GL_DECR_WRAP: return FrameStencilDecrWrap;
    default: return FrameStencilKeep;
  }
}

static void read_stencil(frame_state_t *s) {
  // Names of the front face's state, then of the back face's.
  static const GLenum names[2][7] = {
      {GL_STENCIL_FUNC, GL_STENCIL_REF, GL_STENCIL_VALUE_MASK, GL_STENCIL_WRITEMASK,
       GL_STENCIL_FAIL, GL_STENCIL_PASS_DEPTH_FAIL, GL_STENCIL_PASS_DEPTH_PASS},
      {GL_STENCIL_BACK_FUNC, GL_STENCIL_BACK_REF, GL_STENCIL_BACK_VALUE_MASK,
       GL_STENCIL_BACK_WRITEMASK, GL_STENCIL_BACK_FAIL, GL_STENCIL_BACK_PASS_DEPTH_FAIL,
       GL_STENCIL_BACK_PASS_DEPTH_PASS},
  };
  s->stencil_test = gl.IsEnabled(GL_STENCIL_TEST) != 0;
  if (!s->stencil_test) {
    return;
  }
  // stencil[0] is for clockwise triangles, which are GL's front ones with GL_CW.
  const int front = capture_int(GL_FRONT_FACE) == GL_CW ? 0 : 1;
  for (int face = 0; face < 2; face++) {
    frame_stencil_t *t = &s->stencil[face == 0 ? front : !front];
    t->func = func_of(capture_int(names[face][0]));
    t->ref = (uint8_t)capture_int(names[face][1]);
    t->read_mask = (uint8_t)capture_int(names[face][2]);
    t->write_mask = (uint8_t)capture_int(names[face][3]);
    t->fail = stencil_op_of(capture_int(names[face][4]));
    t->depth_fail = stencil_op_of(capture_int(names[face][5]));
    t->pass = stencil_op_of(capture_int(names[face][6]));
  }
}

static void read_blend(frame_state_t *s) {
  GLboolean mask[4];
  gl.GetBooleanv(GL_COLOR_WRITEMASK, mask);
  for (int k = 0; k < 4; k++) {
    s->color_mask |= (uint8_t)(mask[k] != 0) << k;
  }
  s->blend = gl.IsEnabled(GL_BLEND) != 0;
  s->src_rgb = s->src_alpha = FrameFactorOne;
  if (s->blend) {
    s->src_rgb = factor_of(capture_int(GL_BLEND_SRC_RGB));
    s->dst_rgb = factor_of(capture_int(GL_BLEND_DST_RGB));
    s->src_alpha = factor_of(capture_int(GL_BLEND_SRC_ALPHA));
    s->dst_alpha = factor_of(capture_int(GL_BLEND_DST_ALPHA));
    s->equation_rgb = equation_of(capture_int(GL_BLEND_EQUATION_RGB));
    s->equation_alpha = equation_of(capture_int(GL_BLEND_EQUATION_ALPHA));
  }
  if (capture_state_alpha_shows()) {
    return;
  }
  // Nobody can see the alpha written: it follows the colour, so that the operator
  // is one operator.
  if ((s->color_mask & 7) == 7) {
    s->color_mask = 15;
  }
  s->src_alpha = s->src_rgb;
  s->dst_alpha = s->dst_rgb;
  s->equation_alpha = s->equation_rgb;
  if (s->src_rgb == FrameFactorSrcAlpha && s->dst_rgb == FrameFactorOneMinusSrcAlpha) {
    s->src_alpha = FrameFactorOne;
  }
}

static void cut(frame_rect_t *r, const frame_rect_t *by) {
  if (r->x0 < by->x0) {
    r->x0 = by->x0;
  }
  if (r->y0 < by->y0) {
    r->y0 = by->y0;
  }
  if (r->x1 > by->x1) {
    r->x1 = by->x1;
  }
  if (r->y1 > by->y1) {
    r->y1 = by->y1;
  }
  if (r->x1 < r->x0) {
    r->x1 = r->x0;
  }
  if (r->y1 < r->y0) {
    r->y1 = r->y0;
  }
}

void capture_state_read(frame_state_t *s, capture_transform_t *t) {
  uint32_t width, height;
  GLboolean flag;
  GLint box[4], view[4];
  memset(s, 0, sizeof *s);
  memset(t, 0, sizeof *t);
  read_surfaces(s, &width, &height);
  s->color = 0xffffffff;
  for (int i = 0; i < FrameMaxTextures; i++) {
    s->stages[i].texture = FrameNone;
  }

  s->depth_test = gl.IsEnabled(GL_DEPTH_TEST) != 0;
  gl.GetBooleanv(GL_DEPTH_WRITEMASK, &flag);
  s->depth_write = flag != 0;
  s->depth_func = func_of(capture_int(GL_DEPTH_FUNC));
  read_blend(s);
  read_stencil(s);
  s->alpha_test = gl.IsEnabled(GL_ALPHA_TEST) != 0;
  if (s->alpha_test) {
    GLfloat ref = 0;
    gl.GetFloatv(GL_ALPHA_TEST_REF, &ref);
    s->alpha_func = func_of(capture_int(GL_ALPHA_TEST_FUNC));
    s->alpha_ref = (uint8_t)lrintf(ref * 255);
  }

  // y upwards becomes y downwards.
  const int32_t h = (int32_t)height;
  gl.GetIntegerv(GL_VIEWPORT, view);
  s->viewport = (frame_rect_t){view[0], h - view[1] - view[3], view[0] + view[2], h - view[1]};
  s->scissor = (frame_rect_t){0, 0, (int32_t)width, h};
  cut(&s->scissor, &s->viewport);
  if (gl.IsEnabled(GL_SCISSOR_TEST)) {
    gl.GetIntegerv(GL_SCISSOR_BOX, box);
    const frame_rect_t r = {box[0], h - box[1] - box[3], box[0] + box[2], h - box[1]};
    cut(&s->scissor, &r);
  }
  if (s->scissor.x1 == s->scissor.x0 || s->scissor.y1 == s->scissor.y0) {
    s->scissor = (frame_rect_t){0};
  }

  for (int i = 0; i < 4; i++) {
    t->viewport[i] = (float)view[i];
  }
  gl.GetFloatv(GL_DEPTH_RANGE, t->depth_range);
  t->surface_height = height;
  if (gl.IsEnabled(GL_CULL_FACE)) {
    const GLint mode = capture_int(GL_CULL_FACE_MODE);
    const bool front_positive = capture_int(GL_FRONT_FACE) == GL_CCW;
    const bool front = mode != GL_BACK, back = mode != GL_FRONT;
    t->cull_positive = front_positive ? front : back;
    t->cull_negative = front_positive ? back : front;
  }
  if (gl.IsEnabled(GL_POLYGON_OFFSET_FILL)) {
    gl.GetFloatv(GL_POLYGON_OFFSET_FACTOR, &t->offset_factor);
    gl.GetFloatv(GL_POLYGON_OFFSET_UNITS, &t->offset_units);
  }
}

void capture_fixed_projection(frame_state_t *s) {
  gl.GetFloatv(GL_PROJECTION_MATRIX, s->projection);
}
