// SPDX-License-Identifier: Apache-2.0
// Triangles of a fixed-function draw by GL's feedback mode: once more for each
// texture coordinate set, triangle by triangle with a pass-through token between,
// so that each polygon that comes back is known by its ordinal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { CornerFloats = 12, PolygonMax = 16 };

static const GLfloat Identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// One polygon as it came back.
typedef struct {
  float *corners;
  int count;
  uint32_t ordinal;
} polygon_t;

typedef struct {
  float *data;
  polygon_t *polygons;
  uint32_t count;
} feedback_t;

static void replay(const capture_call_t *call, const capture_triangles_t *list) {
  for (GLsizei n = 0; n < call->instances; n++) {
    for (uint32_t i = 0; i < list->triangles; i++) {
      gl.PassThrough((float)((uint32_t)n * list->triangles + i));
      gl.DrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, list->indices + 3 * (size_t)i);
    }
  }
}

static bool parse(feedback_t *f, GLint count) {
  uint32_t room = 0, ordinal = 0;
  for (GLint i = 0; i < count;) {
    const GLint token = (GLint)f->data[i++];
    if (token == GL_PASS_THROUGH_TOKEN) {
      ordinal = (uint32_t)f->data[i++];
    } else if (token == GL_POLYGON_TOKEN) {
      const int corners = (int)f->data[i++];
      if (f->count == room) {
        room = room ? 2 * room : 1024;
        f->polygons = realloc(f->polygons, room * sizeof *f->polygons);
        if (!f->polygons) {
          exit(3);
        }
      }
      f->polygons[f->count++] = (polygon_t){f->data + i, corners, ordinal};
      i += corners * CornerFloats;
    } else if (token == GL_LINE_TOKEN || token == GL_LINE_RESET_TOKEN) {
      i += 2 * CornerFloats;
    } else if (token == GL_POINT_TOKEN || token == GL_BITMAP_TOKEN ||
               token == GL_DRAW_PIXEL_TOKEN || token == GL_COPY_PIXEL_TOKEN) {
      i += CornerFloats;
    } else {
      return false;
    }
  }
  return true;
}

static feedback_t feed(const capture_call_t *call, const capture_triangles_t *list) {
  feedback_t f = {0};
  size_t size =
      (1 << 16) + (size_t)list->triangles * (size_t)call->instances * 4 * (CornerFloats + 4);
  for (;;) {
    f.data = malloc(size * sizeof *f.data);
    if (!f.data) {
      exit(3);
    }
    gl.FeedbackBuffer((GLsizei)size, GL_4D_COLOR_TEXTURE, f.data);
    gl.RenderMode(GL_FEEDBACK);
    replay(call, list);
    const GLint count = gl.RenderMode(GL_RENDER);
    if (count >= 0) {
      if (!parse(&f, count)) {
        f.count = 0;
      }
      return f;
    }
    free(f.data);
    size *= 2;
    if (size > (size_t)1 << 29) {
      f.data = NULL;
      return f;
    }
  }
}

// How the active unit generates a coordinate.
typedef struct {
  GLint mode;
  GLfloat object[4], eye[4];
  bool is_on;
} generation_t;

static const GLenum Coords[4] = {GL_S, GL_T, GL_R, GL_Q};

static void get_generation(generation_t of[4]) {
  for (uint32_t i = 0; i < 4; i++) {
    of[i].is_on = gl.IsEnabled(GL_TEXTURE_GEN_S + i);
    gl.GetTexGeniv(Coords[i], GL_TEXTURE_GEN_MODE, &of[i].mode);
    gl.GetTexGenfv(Coords[i], GL_OBJECT_PLANE, of[i].object);
    gl.GetTexGenfv(Coords[i], GL_EYE_PLANE, of[i].eye);
  }
}

static void put_generation(const generation_t of[4]) {
  gl.MatrixMode(GL_MODELVIEW);  // eye planes are transformed by it
  gl.PushMatrix();
  gl.LoadMatrixf(Identity);
  for (uint32_t i = 0; i < 4; i++) {
    (of[i].is_on ? gl.Enable : gl.Disable)(GL_TEXTURE_GEN_S + i);
    gl.TexGeni(Coords[i], GL_TEXTURE_GEN_MODE, of[i].mode);
    gl.TexGenfv(Coords[i], GL_OBJECT_PLANE, of[i].object);
    gl.TexGenfv(Coords[i], GL_EYE_PLANE, of[i].eye);
  }
  gl.PopMatrix();
}

// The texture coordinate array of the active client unit takes the first unit's place.
static void use_coord_array(void) {
  const GLint size = capture_int(GL_TEXTURE_COORD_ARRAY_SIZE);
  const GLint type = capture_int(GL_TEXTURE_COORD_ARRAY_TYPE);
  const GLint stride = capture_int(GL_TEXTURE_COORD_ARRAY_STRIDE);
  const GLint buffer = capture_int(GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING);
  void *pointer;
  gl.GetPointerv(GL_TEXTURE_COORD_ARRAY_POINTER, &pointer);
  gl.ClientActiveTexture(GL_TEXTURE0);
  gl.EnableClientState(GL_TEXTURE_COORD_ARRAY);
  gl.BindBuffer(GL_ARRAY_BUFFER, (GLuint)buffer);
  gl.TexCoordPointer(size, (GLenum)type, stride, pointer);
}

// Feeds with a unit's texture, matrix and generated coordinates at the first unit: GL transforms
// and generates nothing for a unit without a texture. (Mesa was seen to draw with wrong textures
// after a glPopAttrib of GL_TEXTURE_BIT.)
static feedback_t feed_as(const capture_call_t *call, const capture_triangles_t *list,
                          GLenum unit) {
  generation_t its[4], own[4];
  GLfloat matrix[16];
  const GLint active = capture_int(GL_ACTIVE_TEXTURE), mode = capture_int(GL_MATRIX_MODE);
  gl.ActiveTexture(unit);
  gl.GetFloatv(GL_TEXTURE_MATRIX, matrix);
  get_generation(its);
  const GLint texture = capture_int(GL_TEXTURE_BINDING_2D);
  gl.ActiveTexture(GL_TEXTURE0);
  get_generation(own);
  const GLint bound = capture_int(GL_TEXTURE_BINDING_2D);
  const bool is_on = gl.IsEnabled(GL_TEXTURE_2D);
  gl.BindTexture(GL_TEXTURE_2D, (GLuint)texture);
  gl.Enable(GL_TEXTURE_2D);
  put_generation(its);
  gl.MatrixMode(GL_TEXTURE);
  gl.PushMatrix();
  gl.LoadMatrixf(matrix);
  const feedback_t f = feed(call, list);
  gl.PopMatrix();
  put_generation(own);
  gl.BindTexture(GL_TEXTURE_2D, (GLuint)bound);
  (is_on ? gl.Enable : gl.Disable)(GL_TEXTURE_2D);
  gl.ActiveTexture((GLenum)active);  // before the mode, which is of the active unit
  gl.MatrixMode((GLenum)mode);
  return f;
}

// Feedback gives the first unit's coordinates; for a while it is as another one. Without an array
// of that one's own there is nothing.
static feedback_t feed_unit(const capture_call_t *call, const capture_triangles_t *list,
                            uint32_t unit) {
  feedback_t f = {0};
  const GLint client = capture_int(GL_CLIENT_ACTIVE_TEXTURE);
  gl.ClientActiveTexture(GL_TEXTURE0 + unit);
  if (gl.IsEnabled(GL_TEXTURE_COORD_ARRAY)) {
    gl.PushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    use_coord_array();
    f = feed_as(call, list, GL_TEXTURE0 + unit);
    gl.PopClientAttrib();
  }
  gl.ClientActiveTexture((GLenum)client);
  return f;
}

static void corner_of(const float *from, const float *second, capture_corner_t *c) {
  memcpy(c->at, from, sizeof c->at);
  memcpy(c->color, from + 4, sizeof c->color);
  for (int set = 0; set < 2; set++) {
    const float *uv = (set && second ? second : from) + 8;
    const float q = uv[3] != 0 ? uv[3] : 1;
    c->uv[set][0] = uv[0] / q;
    c->uv[set][1] = uv[1] / q;
  }
}

void capture_fixed_draw(const capture_call_t *call, const capture_triangles_t *list,
                        const uint32_t units[2], bool two_sets,
                        const capture_transform_t *transform) {
  const GLint elements = capture_int(GL_ELEMENT_ARRAY_BUFFER_BINDING);
  if (elements) {
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  }
  // The offset is applied while building, alike for both paths.
  const bool offset = gl.IsEnabled(GL_POLYGON_OFFSET_FILL);
  if (offset) {
    gl.Disable(GL_POLYGON_OFFSET_FILL);
  }
  feedback_t first = {0}, second = {0};
  if (units[0] > 0) {
    first = feed_unit(call, list, units[0]);
  }
  if (!first.data) {
    first = feed(call, list);
  }
  if (two_sets) {
    second = feed_unit(call, list, units[1]);
  }
  if (offset) {
    gl.Enable(GL_POLYGON_OFFSET_FILL);
  }
  if (elements) {
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, (GLuint)elements);
  }
  if (second.data && second.count != first.count) {
    capture_lost(CaptureLostFeedback);
    second.count = 0;
  }
  capture_transform_t t = *transform;
  t.cull_positive = t.cull_negative = false;  // GL has culled
  for (uint32_t i = 0; i < first.count; i++) {
    const polygon_t *p = &first.polygons[i];
    capture_corner_t corners[PolygonMax];
    const int count = p->count < PolygonMax ? p->count : PolygonMax;
    for (int k = 0; k < count; k++) {
      corner_of(p->corners + k * CornerFloats,
                second.count ? second.polygons[i].corners + k * CornerFloats : NULL, &corners[k]);
    }
    capture_build_window_polygon(&t, corners, count, p->ordinal);
  }
  free(first.data);
  free(first.polygons);
  free(second.data);
  free(second.polygons);
}
