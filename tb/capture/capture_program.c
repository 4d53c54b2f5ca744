// SPDX-License-Identifier: Apache-2.0
// GLSL programs: the outputs of their vertex shaders are captured by transform
// feedback, their lengths are counted over the preprocessed source, which is kept for skeletons.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"

enum { Programs = 4096, MaxShaders = 8, MaxComponents = 60, Attempts = 24 };

static capture_program_t programs[Programs];

const capture_program_t *capture_program_find(GLuint program) {
  return program < Programs ? &programs[program] : NULL;
}

static int components(GLint type) {
  switch (type) {
    case GL_FLOAT: return 1;
    case GL_FLOAT_VEC2: return 2;
    case GL_FLOAT_VEC3: return 3;
    case GL_FLOAT_VEC4: return 4;
    default: return 0;
  }
}

// The source as the compiler sees it: conditions and macros applied, by the C
// preprocessor. Without one, the source as it is. GLSL's own directives would be
// errors to it and are left out.
static char *preprocess(const char *source) {
  char in[] = "/tmp/nocapture_XXXXXX", command[128];
  const int file = mkstemp(in);
  if (file < 0) {
    return strdup(source);
  }
  FILE *to = fdopen(file, "w");
  for (const char *line = source; *line;) {
    const char *end = strchr(line, '\n');
    const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
    const char *word = line;
    while (*word == ' ' || *word == '\t' || *word == '#') {
      word++;
    }
    const bool own = line[strspn(line, " \t")] == '#' &&
                     (strncmp(word, "version", 7) == 0 || strncmp(word, "extension", 9) == 0 ||
                      strncmp(word, "pragma", 6) == 0);
    if (!own) {
      fwrite(line, 1, length, to);
    }
    line += length;
  }
  fclose(to);
  snprintf(command, sizeof command, "LD_PRELOAD= cpp -P -undef -w -nostdinc %s 2>/dev/null", in);
  FILE *from = popen(command, "r");
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room);
  while (from && text) {
    const size_t got = fread(text + size, 1, room - size - 1, from);
    if (got == 0) {
      break;
    }
    size += got;
    if (size + 1 == room) {
      text = realloc(text, room *= 2);
    }
  }
  if (from) {
    pclose(from);
  }
  unlink(in);
  if (!text || size == 0) {
    free(text);
    return strdup(source);
  }
  text[size] = 0;
  return text;
}

static char *shader_source(GLuint shader) {
  GLint length = 0;
  gl.GetShaderiv(shader, GL_SHADER_SOURCE_LENGTH, &length);
  char *text = calloc((size_t)length + 1, 1);
  if (text && length > 0) {
    gl.GetShaderSource(shader, length, NULL, text);
  }
  return text;
}

static char *define_lines(const char *source) {
  char *lines = calloc(strlen(source) + 2, 1);
  size_t size = 0;
  for (const char *line = source; lines && *line;) {
    const char *end = strchr(line, '\n');
    const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
    // Only those that precede the shader proper choose its variant.
    if (strncmp(line, "#if", 3) == 0 || strncmp(line, "//", 2) == 0) {
      break;
    }
    if (strncmp(line, "#define", 7) == 0) {
      memcpy(lines + size, line, length);
      size += length;
    }
    line += length;
  }
  return lines;
}

// Both texts, one after the other; the first is freed.
static char *append(char *first, const char *second) {
  const size_t length = first ? strlen(first) : 0;
  char *both = realloc(first, length + strlen(second) + 2);
  if (!both) {
    exit(3);
  }
  both[length] = 0;
  strcat(strcat(both, second), "\n");
  return both;
}

static void measure(capture_program_t *p, GLuint shader, GLint type) {
  char *source = shader_source(shader);
  if (!source) {
    return;
  }
  char *text = preprocess(source);
  const uint32_t length = program_glsl_length(text);
  if (type == GL_VERTEX_SHADER) {
    p->vertex_length += length;
  } else {
    p->fragment_length += length;
    p->fragment = append(p->fragment, text);
    free(p->defines);
    p->defines = define_lines(source);
  }
  free(text);
  free(source);
}

// The outputs of the vertex shaders, position first, leaving out the excluded.
static void list_outputs(capture_program_t *p, GLuint lone, char excluded[][CaptureNameSize],
                         int excluded_count) {
  GLint active = 0;
  gl.GetProgramInterfaceiv(lone, GL_PROGRAM_OUTPUT, GL_ACTIVE_RESOURCES, &active);
  p->count = p->stride = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (GLint i = 0; i < active && p->count < CaptureMaxOutputs; i++) {
      char name[CaptureNameSize];
      const GLenum wanted[2] = {GL_TYPE, GL_ARRAY_SIZE};
      GLint values[2] = {0};
      GLsizei length = 0;
      gl.GetProgramResourceName(lone, GL_PROGRAM_OUTPUT, (GLuint)i, sizeof name, &length, name);
      gl.GetProgramResourceiv(lone, GL_PROGRAM_OUTPUT, (GLuint)i, 2, wanted, 2, &length, values);
      const int size = components(values[0]);
      const bool position = strcmp(name, "gl_Position") == 0;
      if (!size || values[1] != 1 || strchr(name, '[') || position != (pass == 0)) {
        continue;
      }
      const bool builtin = strncmp(name, "gl_", 3) == 0 && strcmp(name, "gl_FrontColor") != 0;
      if ((!position && builtin) || p->stride + size > MaxComponents) {
        continue;
      }
      bool skip = false;
      for (int k = 0; k < excluded_count; k++) {
        skip |= strcmp(name, excluded[k]) == 0;
      }
      if (skip) {
        continue;
      }
      capture_output_t *o = &p->outputs[p->count++];
      memcpy(o->name, name, sizeof o->name);
      o->offset = p->stride;
      o->size = size;
      p->stride += size;
    }
  }
}

// Links with as many outputs captured as the linker accepts: it names the one it
// does not know, since the fragment shader does not read it.
static bool link_captured(capture_program_t *p, GLuint program, GLuint lone) {
  char excluded[Attempts][CaptureNameSize];
  int excluded_count = 0;
  while (excluded_count < Attempts) {
    const GLchar *names[CaptureMaxOutputs];
    list_outputs(p, lone, excluded, excluded_count);
    if (p->count == 0 || strcmp(p->outputs[0].name, "gl_Position") != 0) {
      return false;
    }
    for (int i = 0; i < p->count; i++) {
      names[i] = p->outputs[i].name;
    }
    gl.TransformFeedbackVaryings(program, p->count, names, GL_INTERLEAVED_ATTRIBS);
    gl.LinkProgram(program);
    GLint good = 0;
    gl.GetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) {
      return true;
    }
    char log[1024] = "";
    gl.GetProgramInfoLog(program, sizeof log, NULL, log);
    const char *named = strstr(log, "varying ");
    if (!named || sscanf(named + 8, "%63s", excluded[excluded_count++]) != 1) {
      return false;
    }
  }
  return false;
}

void capture_program_linked(GLuint program) {
  if (program >= Programs) {
    gl.LinkProgram(program);
    return;
  }
  capture_program_t *p = &programs[program];
  free(p->defines);
  free(p->fragment);
  memset(p, 0, sizeof *p);
  GLuint shaders[MaxShaders];
  GLsizei count = 0;
  gl.GetAttachedShaders(program, MaxShaders, &count, shaders);
  const GLuint lone = gl.CreateProgram();
  bool plain = true, vertex = false;
  for (GLsizei i = 0; i < count; i++) {
    GLint type = 0;
    gl.GetShaderiv(shaders[i], GL_SHADER_TYPE, &type);
    measure(p, shaders[i], type);
    if (type == GL_VERTEX_SHADER) {
      gl.AttachShader(lone, shaders[i]);
      vertex = true;
    }
    plain &= type == GL_VERTEX_SHADER || type == GL_FRAGMENT_SHADER;
  }
  if (vertex && plain) {
    GLint good = 0;
    gl.ProgramParameteri(lone, GL_PROGRAM_SEPARABLE, GL_TRUE);
    gl.LinkProgram(lone);
    gl.GetProgramiv(lone, GL_LINK_STATUS, &good);
    p->usable = good && link_captured(p, program, lone);
  }
  gl.DeleteProgram(lone);
  if (!p->usable) {
    const GLchar *none = NULL;
    gl.TransformFeedbackVaryings(program, 0, &none, GL_INTERLEAVED_ATTRIBS);
    gl.LinkProgram(program);
  }
  while (gl.GetError() != GL_NO_ERROR) {
  }
}

uint32_t capture_program_draw(const capture_call_t *call, const capture_program_t *program,
                              const capture_recipe_t *recipe, uint32_t triangles,
                              const capture_transform_t *transform) {
  static GLuint buffer, query;
  static size_t buffer_size;
  const GLint old = capture_int(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING);
  const size_t vertex = (size_t)program->stride * sizeof(float);
  const size_t size = 3 * (size_t)triangles * vertex;
  if (!buffer) {
    gl.GenBuffers(1, &buffer);
    gl.GenQueries(1, &query);
  }
  gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
  if (size > buffer_size) {
    buffer_size = size < 1 << 22 ? 1 << 22 : 2 * size;
    gl.BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)buffer_size, NULL, GL_DYNAMIC_READ);
  }
  const bool discard = gl.IsEnabled(GL_RASTERIZER_DISCARD);
  gl.Enable(GL_RASTERIZER_DISCARD);
  gl.BeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
  gl.BeginTransformFeedback(GL_TRIANGLES);
  capture_call_issue(call);
  gl.EndTransformFeedback();
  gl.EndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
  if (!discard) {
    gl.Disable(GL_RASTERIZER_DISCARD);
  }
  GLuint written = 0;
  gl.GetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
  if (written > triangles) {
    written = triangles;
  }
  float *data = malloc(written ? 3 * (size_t)written * vertex : 1);
  if (!data) {
    exit(3);
  }
  if (written) {
    gl.GetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)(3 * (size_t)written * vertex),
                        data);
  }
  gl.BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)old);
  for (uint32_t i = 0; i < written; i++) {
    capture_corner_t corners[3];
    for (size_t k = 0; k < 3; k++) {
      capture_recipe_corner(recipe, data + (3 * (size_t)i + k) * (size_t)program->stride,
                            &corners[k]);
    }
    capture_build_clip_triangle(transform, corners, i);
  }
  free(data);
  return written;
}
