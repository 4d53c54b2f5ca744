// SPDX-License-Identifier: Apache-2.0
// Clears of the program as commands of the frame.
#include "capture.h"

static void clear_color(frame_cmd_t *c, const GLfloat color[4]) {
  c->clear_color = 1;
  for (int k = 0; k < 4; k++) {
    const float v = color[k] < 0 ? 0 : color[k] > 1 ? 1 : color[k];
    c->clear_rgba |= (uint32_t)(v * 255 + 0.5F) << 8 * k;
  }
}

static void clear_depth(frame_cmd_t *c, GLfloat depth) {
  const double v = depth < 0 ? 0 : depth > 1 ? 1 : depth;
  c->clear_depth = 1;
  c->clear_z = (uint32_t)(v * FrameMaxDepth + 0.5);
}

// A clear ignores the viewport; the state's scissor is cut by it.
static frame_cmd_t *clear_command(void) {
  capture_transform_t transform;
  GLint view[4];
  frame_cmd_t *c = capture_build_command();
  c->kind = FrameCmdClear;
  capture_state_read(&c->state, &transform);
  const frame_t *f = capture_build_frame();
  const frame_surface_t *surface =
      c->state.color_target != FrameNone   ? &f->targets[c->state.color_target]
      : c->state.depth_buffer != FrameNone ? &f->depths[c->state.depth_buffer]
                                           : NULL;
  if (!surface) {
    capture_build_drop_command();
    return NULL;
  }
  const int32_t w = (int32_t)surface->width, h = (int32_t)surface->height;
  frame_rect_t all = {0, 0, w, h};
  if (gl.IsEnabled(GL_SCISSOR_TEST)) {
    gl.GetIntegerv(GL_SCISSOR_BOX, view);
    const int32_t top = h - view[1] - view[3];
    if (view[0] > all.x0) {
      all.x0 = view[0];
    }
    if (top > all.y0) {
      all.y0 = top;
    }
    if (view[0] + view[2] < w) {
      all.x1 = view[0] + view[2];
    }
    if (h - view[1] < h) {
      all.y1 = h - view[1];
    }
    if (all.x1 <= all.x0 || all.y1 <= all.y0) {
      all = (frame_rect_t){0};
    }
  }
  c->state.scissor = all;
  capture_texture_changed(capture_state_target_texture(c->state.color_target));
  return c;
}

// Drops a clear that touches nothing of the frame.
static void finish_clear(const frame_cmd_t *c) {
  if (!c->clear_color && !c->clear_depth && !c->clear_stencil) {
    capture_build_drop_command();
  }
}

void capture_clear(GLbitfield mask) {
  frame_cmd_t *c = capture_build_active() ? clear_command() : NULL;
  if (c) {
    GLfloat color[4], depth = 1;
    gl.GetFloatv(GL_COLOR_CLEAR_VALUE, color);
    gl.GetFloatv(GL_DEPTH_CLEAR_VALUE, &depth);
    const bool has_depth = c->state.depth_buffer != FrameNone;
    if ((mask & GL_COLOR_BUFFER_BIT) && c->state.color_target != FrameNone && c->state.color_mask) {
      clear_color(c, color);
    }
    if ((mask & GL_DEPTH_BUFFER_BIT) && has_depth && c->state.depth_write) {
      clear_depth(c, depth);
    }
    if ((mask & GL_STENCIL_BUFFER_BIT) && has_depth && capture_int(GL_STENCIL_BITS) > 0) {
      c->clear_stencil = 1;
      c->clear_stencil_value = (uint8_t)capture_int(GL_STENCIL_CLEAR_VALUE);
    }
    finish_clear(c);
  }
  if (!capture_skipped()) {
    gl.Clear(mask);
  }
}

void capture_clear_buffer(GLenum buffer, const GLfloat *value) {
  frame_cmd_t *c = clear_command();
  if (!c) {
    return;
  }
  if (buffer == GL_COLOR && c->state.color_target != FrameNone) {
    clear_color(c, value);
  }
  if (buffer == GL_DEPTH && c->state.depth_buffer != FrameNone) {
    clear_depth(c, *value);
  }
  finish_clear(c);
}

void capture_clear_depth_stencil(GLfloat depth, GLint stencil) {
  frame_cmd_t *c = clear_command();
  if (!c) {
    return;
  }
  if (c->state.depth_buffer != FrameNone) {
    clear_depth(c, depth);
    c->clear_stencil = 1;
    c->clear_stencil_value = (uint8_t)stencil;
  }
  finish_clear(c);
}
