// SPDX-License-Identifier: Apache-2.0
// One draw call: its indices and triangles, its state, the path that finds where
// its triangles land.
#include <stdlib.h>
#include <string.h>

#include "capture.h"

static uint32_t index_size(GLenum type) {
  return type == GL_UNSIGNED_INT ? 4 : type == GL_UNSIGNED_SHORT ? 2 : 1;
}

// The indices of a draw as 32-bit numbers, base vertex added; UINT32_MAX restarts.
static uint32_t *read_indices(const capture_call_t *c) {
  const size_t count = (size_t)c->count;
  uint32_t *indices = malloc((count ? count : 1) * sizeof *indices);
  if (!indices) {
    exit(3);
  }
  if (c->kind == CaptureArrays) {
    for (size_t i = 0; i < count; i++) {
      indices[i] = (uint32_t)c->first + (uint32_t)i;
    }
    return indices;
  }
  const uint32_t size = index_size(c->type);
  const GLint buffer = capture_int(GL_ELEMENT_ARRAY_BUFFER_BINDING);
  uint8_t *copy = calloc(count ? count : 1, size);
  if (!copy) {
    exit(3);
  }
  if (buffer) {
    gl.GetBufferSubData(GL_ELEMENT_ARRAY_BUFFER, (GLintptr)c->indices, (GLsizeiptr)(count * size),
                        copy);
  } else if (c->indices) {
    memcpy(copy, c->indices, count * size);
  }
  const bool fixed = gl.IsEnabled(GL_PRIMITIVE_RESTART_FIXED_INDEX);
  const bool restarts = fixed || gl.IsEnabled(GL_PRIMITIVE_RESTART);
  const uint32_t all = size == 4 ? UINT32_MAX : (1u << 8 * size) - 1;
  const uint32_t restart = fixed ? all : (uint32_t)capture_int(GL_PRIMITIVE_RESTART_INDEX);
  for (size_t i = 0; i < count; i++) {
    uint32_t value = 0;
    memcpy(&value, copy + i * size, size);  // little-endian hosts only, as GL on them
    indices[i] = restarts && value == restart ? UINT32_MAX : value + (uint32_t)c->base_vertex;
  }
  free(copy);
  while (gl.GetError() != GL_NO_ERROR) {
  }
  return indices;
}

static void add(capture_triangles_t *list, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *to = list->indices + 3 * (size_t)list->triangles++;
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

// One run of indices without a restart.
static void add_run(capture_triangles_t *list, GLenum mode, const uint32_t *v, uint32_t n) {
  switch (mode) {
    case GL_TRIANGLES:
      for (uint32_t i = 2; i < n; i += 3) {
        add(list, v[i - 2], v[i - 1], v[i]);
      }
      break;
    case GL_TRIANGLE_STRIP:
    case GL_QUAD_STRIP:
      for (uint32_t i = 2; i < (mode == GL_QUAD_STRIP ? n & ~1u : n); i++) {
        add(list, v[i - 2 + (i & 1)], v[i - 1 - (i & 1)], v[i]);
      }
      break;
    case GL_TRIANGLE_FAN:
    case GL_POLYGON:
      for (uint32_t i = 2; i < n; i++) {
        add(list, v[0], v[i - 1], v[i]);
      }
      break;
    case GL_QUADS:
      for (uint32_t i = 3; i < n; i += 4) {
        add(list, v[i - 3], v[i - 2], v[i - 1]);
        add(list, v[i - 3], v[i - 1], v[i]);
      }
      break;
    default: break;
  }
}

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static capture_triangles_t triangles_of(const capture_call_t *c) {
  capture_triangles_t list = {0};
  if (c->kind == CaptureList || c->count <= 0) {
    return list;
  }
  const uint32_t count = (uint32_t)c->count;
  uint32_t *indices = read_indices(c);
  list.indices = malloc(3 * sizeof(uint32_t) * ((size_t)count + 1));
  if (!list.indices) {
    exit(3);
  }
  uint32_t start = 0;
  for (uint32_t i = 0; i <= count; i++) {
    if (i == count || indices[i] == UINT32_MAX) {
      add_run(&list, c->mode, indices + start, i - start);
      start = i + 1;
    }
  }
  list.fetched = c->kind == CaptureElements ? count : 0;
  qsort(indices, count, sizeof *indices, compare);
  for (uint32_t i = 0; i < count; i++) {
    list.distinct += indices[i] != UINT32_MAX && (i == 0 || indices[i] != indices[i - 1]);
  }
  free(indices);
  return list;
}

static GLint environment(GLenum name) {
  GLint value = 0;
  gl.GetTexEnviv(GL_TEXTURE_ENV, name, &value);
  return value;
}

// The active unit's GL_COMBINE takes the texture's colour, and with two sources what came before.
// Its alpha is not looked at.
static bool combines_texture(GLint mode) {
  const GLint first = environment(GL_SRC0_RGB), second = environment(GL_SRC1_RGB);
  const bool is_plain = environment(GL_OPERAND0_RGB) == GL_SRC_COLOR;
  return mode == GL_REPLACE ? is_plain && first == GL_TEXTURE
                            : is_plain && environment(GL_OPERAND1_RGB) == GL_SRC_COLOR &&
                                  (first == GL_TEXTURE) != (second == GL_TEXTURE);
}

// Texture environment of a fixed-function unit. Returns false if nothing of it is kept: a
// GL_COMBINE of another kind uses the texture as a shadow or a factor, not as a colour.
static bool combine_of(uint32_t unit, uint8_t *combine) {
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  GLfloat scale = 1;
  gl.ActiveTexture(GL_TEXTURE0 + unit);
  GLint mode = environment(GL_TEXTURE_ENV_MODE);
  const bool is_combine = mode == GL_COMBINE;
  if (is_combine) {
    mode = environment(GL_COMBINE_RGB);
    gl.GetTexEnvfv(GL_TEXTURE_ENV, GL_RGB_SCALE, &scale);
  }
  const bool is_known = mode == GL_MODULATE || mode == GL_REPLACE || mode == GL_ADD ||
                        (mode == GL_DECAL && !is_combine);
  const bool is_kept = !is_combine || (is_known && combines_texture(mode));
  gl.ActiveTexture((GLenum)active);
  if (!is_known || !is_kept) {
    capture_lost(CaptureLostCombine);
  }
  *combine = mode == GL_REPLACE ? FrameCombineReplace
             : mode == GL_ADD   ? FrameCombineAdd
             : mode == GL_DECAL ? FrameCombineDecal
             : scale >= 4       ? FrameCombineModulate4x
             : scale >= 2       ? FrameCombineModulate2x
                                : FrameCombineModulate;
  return is_kept;
}

// The lengths of fixed-function programs are estimates: docs/how-to/capture.md.
static void fixed_lengths(frame_cmd_t *command, uint32_t units) {
  command->vertex_length = 8 + 4 * units;
  if (gl.IsEnabled(GL_LIGHTING)) {
    command->vertex_length += 24;
  }
  command->fragment_length = 1 + 2 * units;
  if (gl.IsEnabled(GL_FOG)) {
    command->fragment_length += 3;
  }
  GLint length = 0;
  if (gl.GetProgramivARB && gl.IsEnabled(GL_VERTEX_PROGRAM_ARB)) {
    gl.GetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_NATIVE_INSTRUCTIONS_ARB, &length);
    if (length > 0) {
      command->vertex_length = (uint32_t)length;
    }
  }
  if (gl.GetProgramivARB && gl.IsEnabled(GL_FRAGMENT_PROGRAM_ARB)) {
    gl.GetProgramivARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_NATIVE_INSTRUCTIONS_ARB, &length);
    if (length > 0) {
      command->fragment_length = (uint32_t)length;
    }
  }
  while (gl.GetError() != GL_NO_ERROR) {
  }
}

// Fixed-function texture stages. units: the texture units of both coordinate sets. Returns true if
// a stage uses the second set. Unit 0 has the first set and unit 1 the second; a unit above takes
// the one that is free.
static bool fixed_stages(frame_cmd_t *command, uint32_t units[2]) {
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  uint32_t used = 0;
  bool is_taken[2] = {false, false};
  units[0] = 0;
  units[1] = 1;
  for (uint32_t unit = 0; unit < CaptureMaxUnits; unit++) {
    gl.ActiveTexture(GL_TEXTURE0 + unit);
    const bool on = gl.IsEnabled(GL_TEXTURE_2D);
    if (gl.IsEnabled(GL_TEXTURE_3D) || gl.IsEnabled(GL_TEXTURE_CUBE_MAP)) {
      capture_lost(CaptureLostTextures);
    }
    gl.ActiveTexture((GLenum)active);
    if (!on) {
      continue;
    }
    uint8_t combine;
    if (!combine_of(unit, &combine)) {
      continue;
    }
    if (used == FrameMaxTextures) {
      capture_lost(CaptureLostStages);
      continue;
    }
    frame_stage_t *stage = &command->state.stages[used];
    if (!capture_texture_stage(unit, stage)) {
      continue;
    }
    const uint32_t set = unit < 2 ? unit : is_taken[0];
    stage->coord = (uint8_t)set;
    stage->combine = combine;
    units[set] = unit;
    is_taken[set] = true;
    used++;
  }
  fixed_lengths(command, used);
  capture_skeleton_fixed(command, used, units);
  return is_taken[1];
}

static bool makes_triangles(const capture_call_t *call) {
  return call->mode >= GL_TRIANGLES && call->mode <= GL_POLYGON;
}

// A list's draw, from the arrays that its vertices come back as.
static void draw_vertices(const capture_call_t *call, frame_cmd_t *command,
                          const capture_transform_t *transform) {
  capture_triangles_t list;
  if (!capture_vertices_begin(call, &list)) {
    capture_lost(CaptureLostVertices);
    return;
  }
  const capture_call_t arrays = {.kind = CaptureArrays,
                                 .mode = GL_TRIANGLES,
                                 .instances = 1,
                                 .count = (GLsizei)(3 * list.triangles)};
  command->triangles_in = list.triangles;
  command->vertices_in = list.distinct;
  uint32_t units[2];
  const bool second = fixed_stages(command, units);
  capture_fixed_projection(&command->state);
  capture_fixed_draw(&arrays, &list, units, second, transform);
  capture_vertices_end();
  free(list.indices);
}

void capture_draw(const capture_call_t *call) {
  if (!makes_triangles(call)) {
    capture_lost(CaptureLostPrimitives);
    return;
  }
  if (call->kind != CaptureList && (call->count <= 0 || call->instances <= 0)) {
    return;
  }
  frame_cmd_t *command = capture_build_command();
  capture_transform_t transform;
  command->kind = FrameCmdDraw;
  capture_state_read(&command->state, &transform);
  if (command->state.color_target == FrameNone && command->state.depth_buffer == FrameNone) {
    capture_build_drop_command();
    return;
  }
  capture_triangles_t list = triangles_of(call);
  const uint32_t instances = (uint32_t)call->instances;
  command->triangles_in = list.triangles * instances;
  command->indices = list.fetched * instances;
  command->vertices_in = list.distinct * instances;
  const GLuint name = (GLuint)capture_int(GL_CURRENT_PROGRAM);
  if (name == 0 && call->kind == CaptureList) {
    draw_vertices(call, command, &transform);
  } else if (name == 0) {
    uint32_t units[2];
    const bool second = fixed_stages(command, units);
    capture_fixed_projection(&command->state);
    capture_fixed_draw(call, &list, units, second, &transform);
  } else {
    const capture_program_t *program = capture_program_find(name);
    if (program && program->usable && call->kind != CaptureList) {
      capture_recipe_t recipe;
      capture_recipe_read(name, program, list.triangles, &command->state, &recipe);
      if (recipe.drop) {
        capture_build_drop_command();
        free(list.indices);
        return;
      }
      command->vertex_length = program->vertex_length;
      command->fragment_length = program->fragment_length;
      capture_skeleton_glsl(command, program, &recipe);
      capture_program_draw(call, program, &recipe, command->triangles_in, &transform);
    } else {
      capture_lost(CaptureLostProgram);
    }
  }
  free(list.indices);
  // A texture that was drawn to must be read again when it is sampled.
  capture_texture_changed(capture_state_target_texture(command->state.color_target));
}

bool capture_skipped(void) {
  return capture_options.skip && !capture_build_active() && !capture_wanted(capture_frame + 1);
}

void capture_draw_now(const capture_call_t *call) {
  if (capture_build_active()) {
    capture_draw(call);
  }
  if (!capture_skipped()) {
    capture_call_issue(call);
  }
}

void capture_draw_list(GLuint list, GLenum mode) {
  const capture_call_t call = {.kind = CaptureList, .list = list, .mode = mode, .instances = 1};
  capture_draw_now(&call);
}
