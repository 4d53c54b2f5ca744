// SPDX-License-Identifier: Apache-2.0
// Draws frames of display lists, for capture.test.sh: nested ones, compiled and executed, of
// vertex arrays, of state between draws, redefined and deleted ones, texts by glCallLists, clears
// and quads in lists, immediate mode beside them, with a texture. Something turns from frame to
// frame.
//   capture_lists [PICTURE.png FRAME [odd|programs|units|egl]]
// PICTURE is what glReadPixels gives of the frame. odd: also a list of lines, and one that ends
// within glBegin. programs: only a triangle each of the fixed function, of a GLSL and
// of an ARB program, with textures, alpha test and fog. units: textures of the third unit, alone,
// beside the first, and generated beside two that are no colours. egl: the display lists, swapped
// by EGL. It ends with status 0 after its frames.
#define GL_GLEXT_PROTOTYPES
#include <GL/glx.h>
#include <dlfcn.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Size = 256, Frames = 6 };
enum {
  Triangle = 5,
  Square,
  Row,
  Tilted,
  Arrays,
  Stateful,
  Wheel,
  Gone,
  Cleared,
  Lines,
  Begun,
  Letters = 100
};

static void corner(float x, float y, float r, float g, float b) {
  glColor3f(r, g, b);
  glVertex3f(x, y, x * y / 4);
}

// Its colours lie in a plane: GL is free in how it cuts a quad.
static void square(float x, float y, float side) {
  glBegin(GL_QUADS);
  corner(x, y, 1, 0, 0);
  corner(x + side, y, 0, 1, 0);
  corner(x + side, y + side, 0, 1, 1);
  corner(x, y + side, 1, 0, 1);
  glEnd();
}

static void make_shapes(void) {
  glNewList(Triangle, GL_COMPILE);
  glBegin(GL_TRIANGLES);
  corner(0, 0, 1, 0, 1);
  corner(0.25F, 0, 0, 1, 1);
  corner(0.1F, 0.3F, 1, 1, 1);
  glEnd();
  glEndList();
  glNewList(Square, GL_COMPILE);
  square(0, 0, 0.2F);
  glEndList();
  // Nested: calls between its own draws and its own state.
  glNewList(Row, GL_COMPILE);
  glPushMatrix();
  for (int n = 0; n < 3; n++) {
    glCallList(n % 2 ? Square : Triangle);
    glTranslatef(0.3F, 0, 0);
  }
  square(0, 0.1F, 0.1F);
  glPopMatrix();
  glEndList();
  glNewList(Tilted, GL_COMPILE);
  glPushMatrix();
  glRotatef(20, 0, 0, 1);
  glCallList(Row);
  glPopMatrix();
  glEndList();
}

static void make_arrays(void) {
  static const GLfloat at[] = {-0.9F, -0.9F, -0.5F, -0.9F, -0.5F,
                               -0.6F, -0.9F, -0.6F, -0.7F, -0.4F};
  static const GLubyte color[] = {255, 80, 0, 80, 255, 0, 0, 80, 255, 255, 255, 80, 255, 80, 255};
  static const GLubyte indices[] = {0, 1, 2, 0, 2, 3, 3, 2, 4};
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_COLOR_ARRAY);
  glVertexPointer(2, GL_FLOAT, 0, at);
  glColorPointer(3, GL_UNSIGNED_BYTE, 0, color);
  glNewList(Arrays, GL_COMPILE);
  glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_BYTE, indices);
  glTranslatef(0.5F, 0, 0);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 3);
  glTranslatef(-0.5F, 0, 0);
  glEndList();
  glDisableClientState(GL_VERTEX_ARRAY);
  glDisableClientState(GL_COLOR_ARRAY);
}

// State between the draws of one list, left as it was.
static void make_state(void) {
  glNewList(Stateful, GL_COMPILE);
  glDepthFunc(GL_ALWAYS);
  square(-0.2F, -0.9F, 0.3F);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
  square(-0.1F, -0.8F, 0.3F);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDisable(GL_BLEND);
  glScissor(150, 20, 40, 40);
  glEnable(GL_SCISSOR_TEST);
  square(0, -0.9F, 0.8F);
  glDisable(GL_SCISSOR_TEST);
  glDepthFunc(GL_LESS);
  glEndList();
  glNewList(Cleared, GL_COMPILE);
  glEnable(GL_SCISSOR_TEST);
  glScissor(200, 200, 40, 30);
  glClearColor(0.5F, 0.25F, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glClearColor(0, 0, 0, 1);
  glDisable(GL_SCISSOR_TEST);
  glEndList();
}

// A lit strip, as glxgears makes its wheels: the material stands in the list.
static void make_wheel(void) {
  static const GLfloat red[] = {0.8F, 0.1F, 0, 1}, light[] = {1, 1, 2, 0};
  glLightfv(GL_LIGHT0, GL_POSITION, light);
  glNewList(Wheel, GL_COMPILE);
  glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, red);
  glEnable(GL_LIGHTING);
  glEnable(GL_LIGHT0);
  glShadeModel(GL_FLAT);
  glBegin(GL_QUAD_STRIP);
  for (int n = 0; n <= 12; n++) {
    const float x = -0.875F + 0.0625F * (float)n;
    glNormal3f((float)(n - 6) / 6, 0, 1);
    glVertex3f(x, 0.5F, 0);
    glVertex3f(x, 0.9F, 0);
  }
  glEnd();
  glShadeModel(GL_SMOOTH);
  glBegin(GL_TRIANGLE_FAN);
  glNormal3f(0, 0, 1);
  glVertex3f(0.3F, 0.6F, 0);
  for (int n = 0; n <= 4; n++) {
    glNormal3f((float)n / 4, 0.5F, 1);
    glVertex3f(0.3F + 0.05F * (float)n, 0.9F - 0.02F * (float)(n * n), 0);
  }
  glEnd();
  glDisable(GL_LIGHTING);
  glEndList();
}

// Commands that a frame cannot hold.
static void make_odd(void) {
  glNewList(Lines, GL_COMPILE);
  glBegin(GL_LINES);
  corner(-0.9F, 0.4F, 1, 1, 1);
  corner(0.9F, 0.45F, 1, 1, 1);
  glEnd();
  glEndList();
  glNewList(Begun, GL_COMPILE);
  square(0.4F, 0.3F, 0.1F);
  glBegin(GL_TRIANGLES);
  corner(0, 0.3F, 1, 0, 0);
  glEndList();
}

static void draw_odd(void) {
  glCallList(Lines);
  glCallList(Begun);
  corner(0.2F, 0.3F, 0, 1, 0);
  corner(0.1F, 0.45F, 0, 0, 1);
  glEnd();
}

static void textured(void) {
  static GLubyte texels[8][8][3];
  static GLuint name;
  if (!name) {
    for (int i = 0; i < 8 * 8; i++) {
      texels[i / 8][i % 8][0] = (GLubyte)(32 * (i % 8));
      texels[i / 8][i % 8][1] = (GLubyte)(32 * (i / 8));
      texels[i / 8][i % 8][2] = (GLubyte)(255 - 4 * i);
    }
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 8, 8, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
  }
  glEnable(GL_TEXTURE_2D);
  glColor3f(1, 1, 1);
  glBegin(GL_TRIANGLES);
  glTexCoord2f(0.1F, 0.1F);
  glVertex3f(-0.9F, 0.6F, -0.5F);
  glTexCoord2f(0.9F, 0.1F);
  glVertex3f(-0.6F, 0.6F, -0.5F);
  glTexCoord2f(0.1F, 0.9F);
  glVertex3f(-0.9F, 0.9F, -0.5F);
  glEnd();
  glDisable(GL_TEXTURE_2D);
}

static void draw(int frame) {
  static const GLubyte text[] = {0, 1, 1, 0};
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glLoadIdentity();
  textured();
  glCallList(Wheel);
  glCallList(Arrays);
  glCallList(Stateful);
  glTranslatef(-0.9F, -0.2F, 0);
  glRotatef(3 * (float)frame, 0, 0, 1);
  glCallList(Tilted);
  glLoadIdentity();
  glTranslatef(0.1F, 0.1F, 0);
  glListBase(Letters);
  glCallLists(4, GL_UNSIGNED_BYTE, text);
  glLoadIdentity();
  // Compiled and executed, in every frame anew; then called where it was moved to.
  glNewList(Gone, GL_COMPILE_AND_EXECUTE);
  square(0.5F, -0.5F, 0.2F);
  glTranslatef(0.15F, 0.15F, 0);
  glCallList(Triangle);
  glEndList();
  glCallList(Gone);
  glDeleteLists(Gone, 1);
  glCallList(Gone);
  glLoadIdentity();
  glBegin(GL_POLYGON);
  corner(0.7F, -0.95F, 1, 0.5F, 0);
  corner(0.95F, -0.9F, 0, 0.5F, 1);
  corner(0.9F, -0.7F, 0, 1, 0.5F);
  corner(0.75F, -0.65F, 1, 1, 0);
  glEnd();
  glCallList(Cleared);
}

// Programs whose skeletons are known.
static void make_programs(GLuint *glsl, GLuint *arb) {
  static const char *const vertex =
      "varying vec2 uv; void main() { uv = gl_MultiTexCoord0.xy;"
      " gl_FrontColor = gl_Color; gl_Position = gl_Vertex; }";
  static const char *const fragment =
      "uniform sampler2D tex, other; varying vec2 uv;\n"
      "#define SHADE sqrt(c.rgb)\n"
      "vec4 sampled(vec2 at) { return texture2D(tex, at) * gl_Color; }\n"
      "void main() { vec4 c = sampled(uv); if (c.a < 0.1) discard;\n"
      "if (uv.x > 2.0) { c = c * c; } else { c = c + texture2D(other, uv); }\n"
      "gl_FragColor = vec4(SHADE, 1.0); }";
  static const char text[] =
      "!!ARBfp1.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[0], 2D;\n"
      "MUL a, a, fragment.color;\nRSQ a.x, a.x;\n"
      "MOV result.color, a;\nEND\n";
  const GLuint shaders[] = {glCreateShader(GL_VERTEX_SHADER), glCreateShader(GL_FRAGMENT_SHADER)};
  *glsl = glCreateProgram();
  for (int i = 0; i < 2; i++) {
    glShaderSource(shaders[i], 1, i ? &fragment : &vertex, NULL);
    glCompileShader(shaders[i]);
    glAttachShader(*glsl, shaders[i]);
  }
  glLinkProgram(*glsl);
  glGenProgramsARB(1, arb);
  glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, *arb);
  glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text),
                     text);
}

static void draw_programs(void) {
  static const GLfloat at[3][9] = {{-0.9F, -0.9F, -0.3F, -0.9F, -0.9F, 0.9F},
                                   {-0.3F, -0.9F, 0.3F, -0.9F, -0.3F, 0.9F},
                                   {0.3F, -0.9F, 0.9F, -0.9F, 0.3F, 0.9F}};
  static const GLfloat uv[] = {0, 0, 1, 0, 0, 1};
  static GLuint glsl, arb;
  if (!glsl) {
    make_programs(&glsl, &arb);
  }
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glLoadIdentity();
  textured();  // and its texture stays bound
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glTexCoordPointer(2, GL_FLOAT, 0, uv);
  glEnable(GL_TEXTURE_2D);
  for (int i = 0; i < 3; i++) {
    glVertexPointer(2, GL_FLOAT, 0, at[i]);
    if (i == 0) {
      glEnable(GL_ALPHA_TEST);
      glAlphaFunc(GL_GREATER, 0.5F);
      glEnable(GL_FOG);
      glFogf(GL_FOG_DENSITY, 0);
    } else if (i == 1) {
      glUseProgram(glsl);
    } else {
      glEnable(GL_FRAGMENT_PROGRAM_ARB);
    }
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUseProgram(0);
    glDisable(GL_ALPHA_TEST);
    glDisable(GL_FOG);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
  }
  glDisable(GL_TEXTURE_2D);
  glDisableClientState(GL_VERTEX_ARRAY);
  glDisableClientState(GL_TEXTURE_COORD_ARRAY);
}

static void make_texture(GLenum unit, GLuint name, int step) {
  GLubyte texels[8][8][3];
  for (int i = 0; i < 8 * 8; i++) {
    texels[i / 8][i % 8][0] = (GLubyte)(32 * (i % 8));
    texels[i / 8][i % 8][1] = (GLubyte)(255 - step * (i / 8));
    texels[i / 8][i % 8][2] = (GLubyte)(255 - step * (i % 8));
  }
  glActiveTexture(unit);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 8, 8, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
}

static void multi_corner(float x, float y, float u, float v) {
  glMultiTexCoord2f(GL_TEXTURE0, v, u);
  glMultiTexCoord2f(GL_TEXTURE2, u, v);
  glVertex3f(x, y, 0);
}

static void multi_triangle(float x, float y) {
  glBegin(GL_TRIANGLES);
  multi_corner(x, y, 0.1F, 0.1F);
  multi_corner(x + 0.8F, y, 0.9F, 0.2F);
  multi_corner(x, y + 0.8F, 0.2F, 0.9F);
  glEnd();
}

// Two units that combine by their textures' alpha, which is 1, and a third one whose coordinates
// are generated: the third alone is seen.
static void draw_sphere(void) {
  static const GLfloat at[] = {0.1F, 0.1F, 0.9F, 0.1F, 0.1F, 0.9F};
  static const GLfloat normals[] = {0, 0, 1, 0.6F, 0, 0.8F, 0, 0.8F, 0.6F};
  glPushAttrib(GL_ALL_ATTRIB_BITS);
  glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
  for (GLenum unit = GL_TEXTURE0; unit < GL_TEXTURE2; unit++) {
    make_texture(unit, 50, 8);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
    glTexEnvi(GL_TEXTURE_ENV, GL_SRC0_RGB, GL_PREVIOUS);
    glTexEnvi(GL_TEXTURE_ENV, GL_SRC1_RGB, GL_TEXTURE);
    glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND1_RGB, GL_SRC_ALPHA);
    glEnable(GL_TEXTURE_2D);
  }
  glActiveTexture(GL_TEXTURE2);
  glClientActiveTexture(GL_TEXTURE2);
  glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_SPHERE_MAP);
  glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, GL_SPHERE_MAP);
  glEnable(GL_TEXTURE_GEN_S);
  glEnable(GL_TEXTURE_GEN_T);
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_NORMAL_ARRAY);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glVertexPointer(2, GL_FLOAT, 0, at);
  glNormalPointer(GL_FLOAT, 0, normals);
  glTexCoordPointer(2, GL_FLOAT, 0, at);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glPopClientAttrib();
  glPopAttrib();
}

// The third unit: by arrays with a texture matrix, by glBegin, and beside the first unit.
static void draw_units(void) {
  static const GLfloat at[] = {-0.9F, -0.9F, -0.1F, -0.9F, -0.9F, -0.1F};
  static const GLfloat uv[] = {0, 0, 1, 0, 0, 1}, wrong[] = {0, 0, 0, 0, 0, 0};
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glColor3f(1, 1, 1);
  make_texture(GL_TEXTURE0, 50, 8);
  make_texture(GL_TEXTURE2, 51, 30);
  glEnable(GL_TEXTURE_2D);
  glEnableClientState(GL_VERTEX_ARRAY);
  glVertexPointer(2, GL_FLOAT, 0, at);
  glClientActiveTexture(GL_TEXTURE0);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glTexCoordPointer(2, GL_FLOAT, 0, wrong);
  glClientActiveTexture(GL_TEXTURE2);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glTexCoordPointer(2, GL_FLOAT, 0, uv);
  glMatrixMode(GL_TEXTURE);
  glScalef(0.8F, 0.5F, 1);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glLoadIdentity();
  glMatrixMode(GL_MODELVIEW);
  glDisableClientState(GL_TEXTURE_COORD_ARRAY);
  glClientActiveTexture(GL_TEXTURE0);
  glDisableClientState(GL_TEXTURE_COORD_ARRAY);
  glDisableClientState(GL_VERTEX_ARRAY);
  multi_triangle(0.1F, -0.9F);
  draw_sphere();
  glActiveTexture(GL_TEXTURE0);
  glEnable(GL_TEXTURE_2D);
  multi_triangle(-0.9F, 0.1F);
  glDisable(GL_TEXTURE_2D);
  glActiveTexture(GL_TEXTURE2);
  glDisable(GL_TEXTURE_2D);
  glActiveTexture(GL_TEXTURE0);
}

// A window of EGL; its headers need not be there.
static void *egl_display, *egl_surface;
static unsigned (*egl_swap)(void *, void *);

static bool open_egl(Display *display, Window window) {
  enum {
    Depth = 0x3025,
    Surface = 0x3033,
    Window_ = 4,
    Renderable = 0x3040,
    Gl = 8,
    None_ = 0x3038
  };
  static const int Wanted[] = {Depth, 24, Surface, Window_, Renderable, Gl, None_};
  void *library = dlopen("libEGL.so.1", RTLD_NOW), *config = NULL;
  int count = 0;
  if (!library) {
    return false;
  }
  void *(*get_display)(void *), *(*make_surface)(void *, void *, Window, const int *),
      *(*make_context)(void *, void *, void *, const int *);
  unsigned (*initialize)(void *, int *, int *), (*bind)(unsigned),
      (*choose)(void *, const int *, void **, int, int *),
      (*current)(void *, void *, void *, void *);
  *(void **)&get_display = dlsym(library, "eglGetDisplay");
  *(void **)&initialize = dlsym(library, "eglInitialize");
  *(void **)&bind = dlsym(library, "eglBindAPI");
  *(void **)&choose = dlsym(library, "eglChooseConfig");
  *(void **)&make_surface = dlsym(library, "eglCreateWindowSurface");
  *(void **)&make_context = dlsym(library, "eglCreateContext");
  *(void **)&current = dlsym(library, "eglMakeCurrent");
  *(void **)&egl_swap = dlsym(library, "eglSwapBuffers");
  egl_display = get_display(display);
  if (!initialize(egl_display, NULL, NULL) || !bind(0x30A2) ||
      !choose(egl_display, Wanted, &config, 1, &count) || !count) {
    return false;
  }
  egl_surface = make_surface(egl_display, config, window, NULL);
  void *context = make_context(egl_display, config, NULL, NULL);
  return egl_surface && context && current(egl_display, egl_surface, egl_surface, context);
}

static bool write_picture(const char *path) {
  static GLubyte pixels[3 * Size * Size];
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = Size, .height = Size, .format = PNG_FORMAT_RGB};
  glReadPixels(0, 0, Size, Size, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  return png_image_write_to_file(&image, path, 0, pixels, -3 * Size, NULL);  // its rows go upwards
}

static void draw_frame(const char *mode, int frame) {
  if (strcmp(mode, "programs") == 0) {
    draw_programs();
  } else if (strcmp(mode, "units") == 0) {
    draw_units();
  } else {
    draw(frame);
  }
  if (strcmp(mode, "odd") == 0) {
    draw_odd();
  }
}

static void make_lists(void) {
  make_shapes();
  make_arrays();
  make_state();
  make_wheel();
  make_odd();
  glNewList(Letters, GL_COMPILE);
  glCallList(Triangle);
  glTranslatef(0.2F, 0, 0);
  glEndList();
  glNewList(Letters + 1, GL_COMPILE);
  square(0, 0, 0.5F);
  glEndList();
  glNewList(Letters + 1, GL_COMPILE);  // another one of that name
  square(0.02F, 0.05F, 0.1F);
  glTranslatef(0.15F, 0.05F, 0);
  glEndList();
}

int main(int argc, char **argv) {
  int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 24, GLX_RED_SIZE, 8, None};
  Display *display = XOpenDisplay(NULL);
  XVisualInfo *visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : NULL;
  if (!visual) {
    fprintf(stderr, "capture_lists: no display with GLX\n");
    return 3;
  }
  const Window root = RootWindow(display, visual->screen);
  XSetWindowAttributes attributes = {.colormap =
                                         XCreateColormap(display, root, visual->visual, AllocNone)};
  const Window window = XCreateWindow(display, root, 0, 0, Size, Size, 0, visual->depth,
                                      InputOutput, visual->visual, CWColormap, &attributes);
  XMapWindow(display, window);
  const char *mode = argc > 3 ? argv[3] : "";
  const bool is_egl = strcmp(mode, "egl") == 0;
  const GLXContext context = is_egl ? NULL : glXCreateContext(display, visual, NULL, True);
  if (is_egl ? !open_egl(display, window) : !context || !glXMakeCurrent(display, window, context)) {
    fprintf(stderr, "capture_lists: no context\n");
    return 3;
  }
  glViewport(0, 0, Size, Size);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  make_lists();
  for (int frame = 0; frame < Frames; frame++) {
    draw_frame(mode, frame);
    if (argc > 2 && atoi(argv[2]) == frame && !write_picture(argv[1])) {
      fprintf(stderr, "capture_lists: %s: cannot be written\n", argv[1]);
      return 1;
    }
    const GLenum error = glGetError();
    if (error != GL_NO_ERROR) {
      fprintf(stderr, "capture_lists: frame %d: GL error 0x%x\n", frame, error);
      return 1;
    }
    if (is_egl) {
      egl_swap(egl_display, egl_surface);
    } else {
      glXSwapBuffers(display, window);
    }
  }
  return 0;
}
