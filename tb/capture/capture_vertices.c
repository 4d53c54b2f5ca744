// SPDX-License-Identifier: Apache-2.0
// The vertices of a fixed-function draw that only GL has (display lists, immediate mode), as
// arrays: a program hands every attribute on to transform feedback, which gives them triangle by
// triangle.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

// Floats of a vertex: position, normal, colour, the coordinates of each texture unit.
enum { AtNormal = 4, AtColor = 7, AtUv = 11, VertexFloats = AtUv + 4 * CaptureMaxUnits };

static GLuint program, buffer, query, array_object;
static size_t buffer_size;
static float *vertices;

static bool build_program(void) {
  static const GLchar *const source =
      "#version 120\n"
      "varying vec4 at, color, uv0, uv1, uv2, uv3;\n"
      "varying vec3 normal;\n"
      "void main() {\n"
      "  at = gl_Vertex; normal = gl_Normal; color = gl_Color;\n"
      "  uv0 = gl_MultiTexCoord0; uv1 = gl_MultiTexCoord1;\n"
      "  uv2 = gl_MultiTexCoord2; uv3 = gl_MultiTexCoord3;\n"
      "  gl_Position = gl_Vertex;\n"
      "}\n";
  static const GLchar *const outputs[] = {"at", "normal", "color", "uv0", "uv1", "uv2", "uv3"};
  static bool tried;
  if (tried || !gl.TransformFeedbackVaryings || !gl.BindBufferBase) {
    return program;
  }
  tried = true;
  const GLuint shader = gl.CreateShader(GL_VERTEX_SHADER);
  gl.ShaderSource(shader, 1, &source, NULL);
  gl.CompileShader(shader);
  program = gl.CreateProgram();
  gl.AttachShader(program, shader);
  gl.TransformFeedbackVaryings(program, 3 + CaptureMaxUnits, outputs, GL_INTERLEAVED_ATTRIBS);
  gl.LinkProgram(program);
  GLint good = 0;
  gl.GetProgramiv(program, GL_LINK_STATUS, &good);
  if (!good) {
    gl.DeleteProgram(program);
    program = 0;
  }
  gl.GenBuffers(1, &buffer);
  gl.GenQueries(1, &query);
  return program;
}

static GLuint pass(GLenum counted, const capture_call_t *call) {
  GLuint count = 0;
  gl.BeginQuery(counted, query);
  gl.BeginTransformFeedback(GL_TRIANGLES);
  capture_call_issue(call);
  gl.EndTransformFeedback();
  gl.EndQuery(counted);
  gl.GetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
  return count;
}

// The triangles of the call; the first pass counts them if the buffer is too small.
static GLuint fetch(const capture_call_t *call) {
  const size_t triangle = 3 * VertexFloats * sizeof(float);
  if (!buffer_size) {
    buffer_size = 1 << 20;
    gl.BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)buffer_size, NULL, GL_DYNAMIC_READ);
  }
  GLuint count = pass(GL_PRIMITIVES_GENERATED, call);
  if (count * triangle > buffer_size) {
    buffer_size = 2 * count * triangle;
    gl.BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)buffer_size, NULL, GL_DYNAMIC_READ);
    const GLuint written = pass(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, call);
    count = written < count ? written : count;
  }
  vertices = malloc(count ? count * triangle : 1);
  if (!vertices) {
    fprintf(stderr, "capture: out of memory\n");
    exit(3);
  }
  if (count) {
    gl.GetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)(count * triangle), vertices);
  }
  return count;
}

static void use_arrays(void) {
  static const GLenum others[] = {GL_INDEX_ARRAY, GL_EDGE_FLAG_ARRAY, GL_FOG_COORD_ARRAY,
                                  GL_SECONDARY_COLOR_ARRAY};
  const GLsizei stride = VertexFloats * sizeof(float);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    gl.DisableClientState(others[i]);
  }
  gl.BindBuffer(GL_ARRAY_BUFFER, 0);
  gl.EnableClientState(GL_VERTEX_ARRAY);
  gl.EnableClientState(GL_NORMAL_ARRAY);
  gl.EnableClientState(GL_COLOR_ARRAY);
  gl.VertexPointer(4, GL_FLOAT, stride, vertices);
  gl.NormalPointer(GL_FLOAT, stride, vertices + AtNormal);
  gl.ColorPointer(4, GL_FLOAT, stride, vertices + AtColor);
  for (int unit = CaptureMaxUnits - 1; unit >= 0; unit--) {
    gl.ClientActiveTexture((GLenum)(GL_TEXTURE0 + unit));
    gl.EnableClientState(GL_TEXTURE_COORD_ARRAY);
    gl.TexCoordPointer(4, GL_FLOAT, stride, vertices + AtUv + 4 * unit);
  }
}

bool capture_vertices_begin(const capture_call_t *call, capture_triangles_t *list) {
  if (!build_program()) {
    return false;
  }
  const GLint used = capture_int(GL_CURRENT_PROGRAM);
  const GLint old = capture_int(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING);
  const bool discard = gl.IsEnabled(GL_RASTERIZER_DISCARD);
  // State that a list sets in passing must not last, as the list is still to be drawn.
  gl.PushAttrib(GL_CURRENT_BIT | GL_LIGHTING_BIT);
  gl.UseProgram(program);
  gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
  gl.Enable(GL_RASTERIZER_DISCARD);
  const GLuint count = fetch(call);
  if (!discard) {
    gl.Disable(GL_RASTERIZER_DISCARD);
  }
  gl.BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)old);
  gl.UseProgram((GLuint)used);
  gl.PopAttrib();

  *list = (capture_triangles_t){.triangles = count, .distinct = 3 * count};
  list->indices = malloc(3 * sizeof *list->indices * ((size_t)count + 1));
  if (!list->indices) {
    fprintf(stderr, "capture: out of memory\n");
    exit(3);
  }
  for (uint32_t i = 0; i < 3 * count; i++) {
    list->indices[i] = i;
  }
  gl.PushAttrib(GL_CURRENT_BIT);
  array_object = gl.BindVertexArray ? (GLuint)capture_int(GL_VERTEX_ARRAY_BINDING) : 0;
  if (array_object) {
    gl.BindVertexArray(0);
  }
  gl.PushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
  use_arrays();
  return true;
}

void capture_vertices_end(void) {
  gl.PopClientAttrib();
  if (array_object) {
    gl.BindVertexArray(array_object);
  }
  gl.PopAttrib();
  free(vertices);
  vertices = NULL;
}
