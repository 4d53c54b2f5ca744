// SPDX-License-Identifier: Apache-2.0
// A draw call as the program made it, handed on to GL.
#include "capture.h"

void capture_call_issue(const capture_call_t *c) {
  if (c->kind == CaptureList) {
    gl.CallList(c->list);
  } else if (c->kind == CaptureArrays) {
    if (c->base_instance) {
      gl.DrawArraysInstancedBaseInstance(c->mode, c->first, c->count, c->instances,
                                         c->base_instance);
    } else if (c->instances != 1) {
      gl.DrawArraysInstanced(c->mode, c->first, c->count, c->instances);
    } else {
      gl.DrawArrays(c->mode, c->first, c->count);
    }
  } else if (c->base_instance) {
    gl.DrawElementsInstancedBaseVertexBaseInstance(c->mode, c->count, c->type, c->indices,
                                                   c->instances, c->base_vertex, c->base_instance);
  } else if (c->instances != 1) {
    gl.DrawElementsInstancedBaseVertex(c->mode, c->count, c->type, c->indices, c->instances,
                                       c->base_vertex);
  } else if (c->base_vertex) {
    gl.DrawElementsBaseVertex(c->mode, c->count, c->type, c->indices, c->base_vertex);
  } else {
    gl.DrawElements(c->mode, c->count, c->type, c->indices);
  }
}
