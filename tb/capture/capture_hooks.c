// SPDX-License-Identifier: Apache-2.0
// The program's GL calls: which frames are captured, and which call is a draw.
//
// The library stands before libGL: by LD_PRELOAD, by its own dlsym and by its own
// glXGetProcAddress, since programs find GL in all three ways.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../csim/base/place.h"
#include "capture.h"

#include <GL/glx.h>

enum { MaxDraws = 1 << 20 };

#define EXPORT __attribute__((visibility("default")))

static GLuint begun_list;  // the display list that glBegin is compiled into
static GLenum begun_mode;
// Between glBegin and glEnd; of them, those that go into a list of ours; in a list of the program.
static bool in_primitive, in_begin, in_list;

static bool capturing(void) { return capture_build_active() && !in_list && !capture_list_making(); }

static bool flag(const char *name) {
  const char *value = getenv(name);
  return value && strcmp(value, "0") != 0 && *value;
}

static void window_size(GLint size[2]) {
  GLint view[4];
  const char *given = getenv("NOCTURNE_SIZE");
  if (given && sscanf(given, "%dx%d", &size[0], &size[1]) == 2) {
    return;
  }
  gl.GetIntegerv(GL_VIEWPORT, view);
  size[0] = view[2];
  size[1] = view[3];
}

static void begin_frame(void) {
  if (capture_wanted_any() && capture_wanted_all_before(capture_frame)) {
    exit(0);
  }
  if (!capture_wanted(capture_frame)) {
    return;
  }
  GLint size[2];
  if (!place_make_folder(capture_options.out)) {
    fprintf(stderr, "capture: NOCTURNE_OUT=%s: cannot be made: %s\n", capture_options.out,
            strerror(errno));
    exit(2);
  }
  window_size(size);
  capture_lost_clear();
  capture_build_begin((uint32_t)size[0], (uint32_t)size[1]);
  capture_state_begin((uint32_t)size[0], (uint32_t)size[1]);
  capture_texture_begin();
}

static void write_reference(void) {
  const frame_t *f = capture_build_frame();
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = f->width,
                     .height = f->height,
                     .format = PNG_FORMAT_RGB};
  uint8_t *pixels = malloc(3 * (size_t)f->width * f->height);
  char path[4096];
  if (!pixels) {
    return;
  }
  const GLint alignment = capture_int(GL_PACK_ALIGNMENT);
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  gl.ReadBuffer(GL_BACK);
  gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
  gl.ReadPixels(0, 0, (GLsizei)f->width, (GLsizei)f->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  gl.PixelStorei(GL_PACK_ALIGNMENT, alignment);
  snprintf(path, sizeof path, "%s/%ld.png", capture_options.out, capture_frame);
  // GL's rows go upwards.
  if (!png_image_write_to_file(&image, path, 0, pixels, -3 * (png_int_32)f->width, NULL)) {
    fprintf(stderr, "capture: %s: cannot be written: %s\n", path, image.message);
  }
  free(pixels);
}

static void end_frame(void) {
  if (capture_build_active()) {
    if (capture_options.reference) {
      write_reference();
    }
    capture_lost_tell();
    capture_build_end(capture_frame, capture_state_merged());
  }
  capture_frame++;
}

__attribute__((constructor)) static void setup(void) {
  const char *frames = getenv("NOCTURNE_FRAMES"), *cap = getenv("NOCTURNE_TEXTURE_CAP");
  const char *bits = getenv("NOCTURNE_TEXTURE_BITS");
  capture_options.out = getenv("NOCTURNE_OUT") ? getenv("NOCTURNE_OUT") : ".";
  capture_options.name = getenv("NOCTURNE_NAME") ? getenv("NOCTURNE_NAME") : "captured";
  capture_options.texture_cap = cap && atoi(cap) > 0 ? (uint32_t)atoi(cap) : FrameMaxSize;
  const int kept = bits ? atoi(bits) : 8;
  capture_options.texture_bits = kept >= 4 && kept <= 8 ? (uint32_t)kept : 8;
  capture_options.ignore_alpha = flag("NOCTURNE_IGNORE_ALPHA");
  capture_options.merge_copy = flag("NOCTURNE_MERGE_COPY");
  capture_options.skip = flag("NOCTURNE_SKIP");
  capture_options.reference = flag("NOCTURNE_REFERENCE");
  if (frames && !capture_wanted_read(frames)) {
    exit(2);
  }
}

// ---- draws

static void draw(const capture_call_t *call) {
  if (capture_list_making()) {
    capture_list_draw_begin();
    capture_call_issue(call);
    capture_list_draw_end(call->mode);
  } else if (in_list) {
    capture_call_issue(call);
  } else {
    capture_draw_now(call);
  }
}

static capture_call_t arrays(GLenum mode, GLint first, GLsizei count) {
  capture_gl_load();
  return (capture_call_t){
      .kind = CaptureArrays, .mode = mode, .first = first, .count = count, .instances = 1};
}

static capture_call_t elements(GLenum mode, GLsizei count, GLenum type, const void *indices) {
  capture_gl_load();
  return (capture_call_t){.kind = CaptureElements,
                          .mode = mode,
                          .count = count,
                          .type = type,
                          .indices = indices,
                          .instances = 1};
}

EXPORT void glDrawArrays(GLenum mode, GLint first, GLsizei count) {
  const capture_call_t call = arrays(mode, first, count);
  draw(&call);
}

EXPORT void glDrawArraysInstancedBaseInstance(GLenum mode, GLint first, GLsizei count,
                                              GLsizei instances, GLuint base_instance) {
  capture_call_t call = arrays(mode, first, count);
  call.instances = instances;
  call.base_instance = base_instance;
  draw(&call);
}

EXPORT void glDrawArraysInstanced(GLenum mode, GLint first, GLsizei count, GLsizei instances) {
  glDrawArraysInstancedBaseInstance(mode, first, count, instances, 0);
}

EXPORT void glDrawElements(GLenum mode, GLsizei count, GLenum type, const void *indices) {
  const capture_call_t call = elements(mode, count, type, indices);
  draw(&call);
}

EXPORT void glDrawRangeElements(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type,
                                const void *indices) {
  (void)start;
  (void)end;
  glDrawElements(mode, count, type, indices);
}

EXPORT void glDrawElementsInstancedBaseVertexBaseInstance(GLenum mode, GLsizei count, GLenum type,
                                                          const void *indices, GLsizei instances,
                                                          GLint base_vertex, GLuint base_instance) {
  capture_call_t call = elements(mode, count, type, indices);
  call.instances = instances;
  call.base_vertex = base_vertex;
  call.base_instance = base_instance;
  draw(&call);
}

EXPORT void glDrawElementsBaseVertex(GLenum mode, GLsizei count, GLenum type, const void *indices,
                                     GLint base_vertex) {
  glDrawElementsInstancedBaseVertexBaseInstance(mode, count, type, indices, 1, base_vertex, 0);
}

EXPORT void glDrawRangeElementsBaseVertex(GLenum mode, GLuint start, GLuint end, GLsizei count,
                                          GLenum type, const void *indices, GLint base_vertex) {
  (void)start;
  (void)end;
  glDrawElementsBaseVertex(mode, count, type, indices, base_vertex);
}

EXPORT void glDrawElementsInstanced(GLenum mode, GLsizei count, GLenum type, const void *indices,
                                    GLsizei instances) {
  glDrawElementsInstancedBaseVertexBaseInstance(mode, count, type, indices, instances, 0, 0);
}

EXPORT void glDrawElementsInstancedBaseVertex(GLenum mode, GLsizei count, GLenum type,
                                              const void *indices, GLsizei instances,
                                              GLint base_vertex) {
  glDrawElementsInstancedBaseVertexBaseInstance(mode, count, type, indices, instances, base_vertex,
                                                0);
}

EXPORT void glMultiDrawArrays(GLenum mode, const GLint *first, const GLsizei *count,
                              GLsizei draws) {
  for (GLsizei i = 0; i < draws; i++) {
    glDrawArrays(mode, first[i], count[i]);
  }
}

EXPORT void glMultiDrawElements(GLenum mode, const GLsizei *count, GLenum type,
                                const void *const *indices, GLsizei draws) {
  for (GLsizei i = 0; i < draws; i++) {
    glDrawElements(mode, count[i], type, indices[i]);
  }
}

EXPORT void glMultiDrawElementsBaseVertex(GLenum mode, const GLsizei *count, GLenum type,
                                          const void *const *indices, GLsizei draws,
                                          const GLint *base_vertex) {
  for (GLsizei i = 0; i < draws; i++) {
    glDrawElementsBaseVertex(mode, count[i], type, indices[i], base_vertex[i]);
  }
}

// The words of an indirect draw, from the bound buffer or the program's memory.
static void indirect_words(const void *indirect, GLuint *words, size_t count) {
  if (capture_int(GL_DRAW_INDIRECT_BUFFER_BINDING)) {
    gl.GetBufferSubData(GL_DRAW_INDIRECT_BUFFER, (GLintptr)indirect,
                        (GLsizeiptr)(count * sizeof *words), words);
  } else {
    memcpy(words, indirect, count * sizeof *words);
  }
}

EXPORT void glMultiDrawArraysIndirect(GLenum mode, const void *indirect, GLsizei draws,
                                      GLsizei stride) {
  capture_gl_load();
  const size_t step = stride ? (size_t)stride : 4 * sizeof(GLuint);
  for (GLsizei i = 0; i < draws && i < MaxDraws; i++) {
    GLuint w[4] = {0};
    indirect_words((const char *)indirect + (size_t)i * step, w, 4);
    glDrawArraysInstancedBaseInstance(mode, (GLint)w[2], (GLsizei)w[0], (GLsizei)w[1], w[3]);
  }
}

EXPORT void glDrawArraysIndirect(GLenum mode, const void *indirect) {
  glMultiDrawArraysIndirect(mode, indirect, 1, 0);
}

EXPORT void glMultiDrawElementsIndirect(GLenum mode, GLenum type, const void *indirect,
                                        GLsizei draws, GLsizei stride) {
  capture_gl_load();
  const size_t step = stride ? (size_t)stride : 5 * sizeof(GLuint);
  const size_t size = type == GL_UNSIGNED_INT ? 4 : type == GL_UNSIGNED_SHORT ? 2 : 1;
  for (GLsizei i = 0; i < draws && i < MaxDraws; i++) {
    GLuint w[5] = {0};
    indirect_words((const char *)indirect + (size_t)i * step, w, 5);
    glDrawElementsInstancedBaseVertexBaseInstance(mode, (GLsizei)w[0], type,
                                                  (const void *)(uintptr_t)(w[2] * size),
                                                  (GLsizei)w[1], (GLint)w[3], w[4]);
  }
}

EXPORT void glDrawElementsIndirect(GLenum mode, GLenum type, const void *indirect) {
  glMultiDrawElementsIndirect(mode, type, indirect, 1, 0);
}

// Immediate mode goes into a display list of ours, which can be replayed.
EXPORT void glBegin(GLenum mode) {
  capture_gl_load();
  if (capture_list_making()) {
    capture_list_draw_begin();
  } else if (capturing()) {
    if (!begun_list) {
      begun_list = gl.GenLists(1);
    }
    gl.NewList(begun_list, GL_COMPILE);
    in_begin = true;
  }
  in_primitive = true;
  begun_mode = mode;
  gl.Begin(mode);
}

EXPORT void glEnd(void) {
  capture_gl_load();
  gl.End();
  const bool begun = in_primitive;
  in_primitive = false;
  if (in_begin) {
    in_begin = false;
    gl.EndList();
    capture_draw_list(begun_list, begun_mode);
  } else if (begun && capture_list_making()) {
    capture_list_draw_end(begun_mode);
  }
}

EXPORT void glNewList(GLuint list, GLenum mode) {
  capture_gl_load();
  if (capture_wanted_any() && !in_primitive && capture_list_begin(list, mode)) {
    return;
  }
  in_list = true;
  gl.NewList(list, mode);
}

EXPORT void glEndList(void) {
  capture_gl_load();
  if (capture_list_making()) {
    capture_list_end(in_primitive);
    in_primitive = false;
  } else {
    gl.EndList();
    in_list = false;
  }
}

// Lists are taken apart where a draw matters.
static bool runs_lists(void) {
  return !in_list && !in_primitive && (capture_build_active() || capture_skipped());
}

EXPORT void glCallList(GLuint list) {
  capture_gl_load();
  if (capture_list_making() && !in_primitive) {
    capture_list_call(list);
  } else if (runs_lists()) {
    capture_list_run(list);
  } else {
    gl.CallList(list);
  }
}

EXPORT void glCallLists(GLsizei count, GLenum type, const void *lists) {
  capture_gl_load();
  if (capture_list_making() && !in_primitive) {
    capture_list_calls(count, type, lists);
  } else if (runs_lists()) {
    capture_list_run_all(count, type, lists);
  } else {
    gl.CallLists(count, type, lists);
  }
}

EXPORT void glDeleteLists(GLuint list, GLsizei range) {
  capture_gl_load();
  gl.DeleteLists(list, range);
  capture_list_deleted(list, range);
}

// ---- clears

EXPORT void glClear(GLbitfield mask) {
  capture_gl_load();
  if (capture_list_making()) {
    capture_list_clear(mask);
  } else if (in_list) {
    gl.Clear(mask);
  } else {
    capture_clear(mask);
  }
}

EXPORT void glClearBufferfv(GLenum buffer, GLint index, const GLfloat *value) {
  capture_gl_load();
  if (capturing() && (buffer == GL_DEPTH || index == 0)) {
    capture_clear_buffer(buffer, value);
  }
  gl.ClearBufferfv(buffer, index, value);
}

EXPORT void glClearBufferfi(GLenum buffer, GLint index, GLfloat depth, GLint stencil) {
  capture_gl_load();
  if (capturing()) {
    capture_clear_depth_stencil(depth, stencil);
  }
  gl.ClearBufferfi(buffer, index, depth, stencil);
}

EXPORT void glBlitFramebuffer(GLint x0, GLint y0, GLint x1, GLint y1, GLint u0, GLint v0, GLint u1,
                              GLint v1, GLbitfield mask, GLenum filter) {
  capture_gl_load();
  if (capturing()) {
    capture_lost(CaptureLostBlit);
  }
  gl.BlitFramebuffer(x0, y0, x1, y1, u0, v0, u1, v1, mask, filter);
}

// ---- what changes textures

static void uploaded(GLenum target) {
  if (capture_list_making()) {
    capture_list_upload(target);
  } else if (!in_list) {
    capture_texture_uploaded(target);
  }
}

EXPORT void glTexImage2D(GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height,
                         GLint border, GLenum format, GLenum type, const void *pixels) {
  capture_gl_load();
  gl.TexImage2D(target, level, internal, width, height, border, format, type, pixels);
  uploaded(target);
}

EXPORT void glTexSubImage2D(GLenum target, GLint level, GLint x, GLint y, GLsizei width,
                            GLsizei height, GLenum format, GLenum type, const void *pixels) {
  capture_gl_load();
  gl.TexSubImage2D(target, level, x, y, width, height, format, type, pixels);
  uploaded(target);
}

EXPORT void glCopyTexImage2D(GLenum target, GLint level, GLenum internal, GLint x, GLint y,
                             GLsizei width, GLsizei height, GLint border) {
  capture_gl_load();
  gl.CopyTexImage2D(target, level, internal, x, y, width, height, border);
  uploaded(target);
}

EXPORT void glCopyTexSubImage2D(GLenum target, GLint level, GLint x_offset, GLint y_offset, GLint x,
                                GLint y, GLsizei width, GLsizei height) {
  capture_gl_load();
  gl.CopyTexSubImage2D(target, level, x_offset, y_offset, x, y, width, height);
  uploaded(target);
}

EXPORT void glCompressedTexImage2D(GLenum target, GLint level, GLenum internal, GLsizei width,
                                   GLsizei height, GLint border, GLsizei size, const void *data) {
  capture_gl_load();
  gl.CompressedTexImage2D(target, level, internal, width, height, border, size, data);
  uploaded(target);
}

EXPORT void glCompressedTexSubImage2D(GLenum target, GLint level, GLint x, GLint y, GLsizei width,
                                      GLsizei height, GLenum format, GLsizei size,
                                      const void *data) {
  capture_gl_load();
  gl.CompressedTexSubImage2D(target, level, x, y, width, height, format, size, data);
  uploaded(target);
}

EXPORT void glDeleteTextures(GLsizei count, const GLuint *textures) {
  capture_gl_load();
  if (capturing()) {
    for (GLsizei i = 0; i < count; i++) {
      capture_texture_changed(textures[i]);
    }
  }
  gl.DeleteTextures(count, textures);
}

// ---- programs, frames, finding functions

EXPORT void glLinkProgram(GLuint program) {
  capture_gl_load();
  if (capture_wanted_any()) {
    capture_program_linked(program);
  } else {
    gl.LinkProgram(program);
  }
}

EXPORT void glXSwapBuffers(Display *display, GLXDrawable drawable) {
  static void (*real)(Display *, GLXDrawable);
  capture_gl_load();
  if (!real) {
    *(void **)&real = capture_gl_real("glXSwapBuffers");
  }
  end_frame();
  real(display, drawable);
  begin_frame();
}

// The types of EGL are pointers and numbers, and its headers need not be there.
EXPORT unsigned eglSwapBuffers(void *display, void *surface) {
  static unsigned (*real)(void *, void *);
  capture_gl_load();
  if (!real) {
    *(void **)&real = capture_egl_real("eglSwapBuffers");
  }
  end_frame();
  const unsigned done = real(display, surface);
  begin_frame();
  return done;
}

// The function of an extension; KHR and EXT are the same. A whole swap is allowed in its place.
EXPORT unsigned eglSwapBuffersWithDamageKHR(void *display, void *surface, const int *rects,
                                            int count) {
  (void)rects;
  (void)count;
  return eglSwapBuffers(display, surface);
}

EXPORT unsigned eglSwapBuffersWithDamageEXT(void *display, void *surface, const int *rects,
                                            int count) {
  return eglSwapBuffersWithDamageKHR(display, surface, rects, count);
}

EXPORT void *eglGetProcAddress(const char *name);

static void *own(const char *name) {
#define OWN(function) \
  if (strcmp(name, #function) == 0) return (void *)function;
  // clang-format off
  OWN(glDrawArrays) OWN(glDrawArraysInstanced) OWN(glDrawArraysInstancedBaseInstance)
  OWN(glDrawElements) OWN(glDrawRangeElements) OWN(glDrawElementsBaseVertex)
  OWN(glDrawRangeElementsBaseVertex) OWN(glDrawElementsInstanced)
  OWN(glDrawElementsInstancedBaseVertex) OWN(glDrawElementsInstancedBaseVertexBaseInstance)
  OWN(glMultiDrawArrays) OWN(glMultiDrawElements) OWN(glMultiDrawElementsBaseVertex)
  OWN(glDrawArraysIndirect) OWN(glDrawElementsIndirect) OWN(glMultiDrawArraysIndirect)
  OWN(glMultiDrawElementsIndirect) OWN(glBegin) OWN(glEnd) OWN(glNewList) OWN(glEndList)
  OWN(glCallList) OWN(glCallLists) OWN(glDeleteLists) OWN(glClear) OWN(glClearBufferfv)
  OWN(glClearBufferfi) OWN(glBlitFramebuffer)
  OWN(glTexImage2D) OWN(glTexSubImage2D) OWN(glCompressedTexImage2D)
  OWN(glCompressedTexSubImage2D) OWN(glCopyTexImage2D) OWN(glCopyTexSubImage2D)
  OWN(glDeleteTextures) OWN(glLinkProgram) OWN(glXSwapBuffers) OWN(eglSwapBuffers)
  OWN(eglSwapBuffersWithDamageKHR) OWN(eglSwapBuffersWithDamageEXT) OWN(eglGetProcAddress)
  // clang-format on
#undef OWN
                                                                  return NULL;
}

// Older names of the same functions.
static void *own_or_alias(const char *name) {
  static const char *const suffixes[] = {"", "ARB", "EXT"};
  const size_t length = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const size_t tail = strlen(suffixes[i]);
    char plain[64];
    if (length < tail || length - tail >= sizeof plain ||
        strcmp(name + length - tail, suffixes[i]) != 0) {
      continue;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)(length - tail), name);
    void *found = own(plain);
    if (found) {
      return found;
    }
  }
  return NULL;
}

EXPORT __GLXextFuncPtr glXGetProcAddressARB(const GLubyte *bytes) {
  const char *name = (const char *)bytes;
  void *found = own_or_alias(name);
  if (!found && strncmp(name, "glXGetProcAddress", 17) == 0) {
    found = (void *)glXGetProcAddressARB;
  }
  if (!found) {
    found = capture_gl_real(name);
  }
  __GLXextFuncPtr function;
  memcpy(&function, &found, sizeof function);
  return function;
}

EXPORT __GLXextFuncPtr glXGetProcAddress(const GLubyte *name) { return glXGetProcAddressARB(name); }

EXPORT void *eglGetProcAddress(const char *name) {
  void *found = own_or_alias(name);
  return found ? found : capture_egl_real(name);
}

EXPORT void *dlsym(void *handle, const char *name) {
  if (strncmp(name, "gl", 2) == 0 || strncmp(name, "egl", 3) == 0) {
    if (strncmp(name, "glXGetProcAddress", 17) == 0) {
      return (void *)glXGetProcAddressARB;
    }
    void *found = own_or_alias(name);
    if (found) {
      return found;
    }
  }
  return capture_real_dlsym(handle, name);
}
