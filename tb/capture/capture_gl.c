// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "capture_gl.h"

#include <dlfcn.h>
#include <stddef.h>

capture_gl_t gl;

typedef void *(*dlsym_t)(void *, const char *);
typedef void *(*get_address_t)(const GLubyte *);

void *capture_real_dlsym(void *handle, const char *name) {
  static dlsym_t real;
  // dlsym itself cannot be asked for; its versioned sibling can.
  if (!real) {
    *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  }
  if (!real) {
    *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  }
  return real(handle, name);
}

void *capture_gl_real(const char *name) {
  static void *library;
  static get_address_t get_address;
  if (!library) {
    library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_GLOBAL);
    *(void **)&get_address = capture_real_dlsym(library, "glXGetProcAddressARB");
  }
  void *found = capture_real_dlsym(library, name);
  return found ? found : get_address((const GLubyte *)name);
}

void *capture_egl_real(const char *name) {
  static void *library;
  static void *(*get_address)(const char *);
  if (!library) {
    library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_GLOBAL);
    *(void **)&get_address = library ? capture_real_dlsym(library, "eglGetProcAddress") : NULL;
  }
  void *found = library ? capture_real_dlsym(library, name) : NULL;
  return found || !get_address ? found : get_address(name);
}

void capture_gl_load(void) {
  static int loaded;
  if (loaded) {
    return;
  }
  loaded = 1;
#define CAPTURE_GL_LOAD(name) *(void **)&gl.name = capture_gl_real("gl" #name);
  CAPTURE_GL_FUNCTIONS(CAPTURE_GL_LOAD)
#undef CAPTURE_GL_LOAD
}
