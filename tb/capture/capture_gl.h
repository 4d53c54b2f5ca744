// SPDX-License-Identifier: Apache-2.0
// The OpenGL functions that the capture library calls: the real ones, loaded
// beneath the library's own of the same names.
#ifndef NOCTURNE_CAPTURE_GL_H
#define NOCTURNE_CAPTURE_GL_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

// clang-format off
#define CAPTURE_GL_FUNCTIONS(X) \
  X(ActiveTexture) X(AttachShader) X(BeginQuery) X(BeginTransformFeedback) X(BindBuffer) \
  X(BindBufferBase) X(BindTexture) X(BindFramebuffer) X(BlitFramebuffer) X(BufferData) \
  X(CallList) X(CallLists) X(Clear) X(CompileShader) X(CreateShader) \
  X(ClearBufferfi) X(ClearBufferfv) X(ClientActiveTexture) \
  X(CompressedTexImage2D) X(CompressedTexSubImage2D) X(CopyTexImage2D) X(CopyTexSubImage2D) \
  X(CreateProgram) X(DeleteProgram) X(DeleteTextures) X(Disable) X(DrawArrays) \
  X(DrawArraysInstanced) X(DrawArraysInstancedBaseInstance) X(DrawElements) \
  X(DrawElementsBaseVertex) X(DrawElementsInstancedBaseVertex) \
  X(DrawElementsInstancedBaseVertexBaseInstance) X(Enable) X(End) X(EndList) X(EndQuery) \
  X(EndTransformFeedback) X(FeedbackBuffer) X(GenBuffers) X(GenLists) X(GenQueries) \
  X(GetAttachedShaders) X(GetBooleanv) X(GetBufferSubData) X(GetError) X(GetFloatv) \
  X(GetFramebufferAttachmentParameteriv) X(GetIntegerv) X(GetPointerv) X(GetProgramInfoLog) \
  X(GetProgramInterfaceiv) X(GetProgramResourceName) X(GetProgramResourceiv) X(GetProgramiv) \
  X(GetProgramivARB) X(GetProgramStringARB) X(GetQueryObjectuiv) X(GetRenderbufferParameteriv) \
  X(GetSamplerParameterfv) X(GetSamplerParameteriv) X(GetShaderSource) X(GetShaderiv) \
  X(GetTexEnvfv) X(GetTexEnviv) X(GetTexGenfv) X(GetTexGeniv) X(GetTexImage) \
  X(GetTexLevelParameteriv) X(GetTexParameterfv) X(GetTexParameteriv) X(GetUniformLocation) \
  X(GetUniformfv) X(GetUniformiv) X(IsEnabled) \
  X(LinkProgram) X(LoadMatrixf) X(MatrixMode) X(NewList) X(PassThrough) X(PixelStorei) \
  X(BindRenderbuffer) \
  X(ProgramParameteri) X(ReadBuffer) X(ReadPixels) X(RenderMode) X(TexCoordPointer) \
  X(TexGenfv) X(TexGeni) X(TexImage2D) X(TexSubImage2D) X(TransformFeedbackVaryings) X(Begin) \
  X(BindVertexArray) X(ColorPointer) X(DeleteLists) X(DisableClientState) X(EnableClientState) \
  X(IsList) X(NormalPointer) X(PopAttrib) X(PopClientAttrib) X(PopMatrix) X(PushAttrib) \
  X(PushClientAttrib) X(PushMatrix) X(ShaderSource) X(UseProgram) X(VertexPointer)
// clang-format on

typedef struct {
#define CAPTURE_GL_MEMBER(name) __typeof__(gl##name) *name;
  CAPTURE_GL_FUNCTIONS(CAPTURE_GL_MEMBER)
#undef CAPTURE_GL_MEMBER
} capture_gl_t;

extern capture_gl_t gl;

// Loads all functions, once; must be called before any use of gl. A function that
// the driver lacks stays NULL.
void capture_gl_load(void);

// The real function of that name, from the library beneath.
void *capture_gl_real(const char *name);

// The real function of libEGL, NULL: there is none.
void *capture_egl_real(const char *name);

// The real dlsym, which the capture library replaces.
void *capture_real_dlsym(void *handle, const char *name);

static inline GLint capture_int(GLenum what) {
  GLint values[16] = {0};
  gl.GetIntegerv(what, values);
  return values[0];
}

#endif
