// SPDX-License-Identifier: Apache-2.0
// Display lists: what they do, piece by piece, and the vertices of what they draw.
//
// A list of the program is compiled as lists of ours: one for each draw, and one for what stands
// between two. The program's own list calls them, so that it does the same from wherever it is
// called. In a captured frame its pieces are run one by one: so each draw meets the state that it
// has.
//
// The vertices of a draw come back through a program that hands its attributes on to transform
// feedback: Mesa's GL_FEEDBACK reads beyond the indices of lists. Limits: a list with a name beyond
// MaxLists is drawn but not taken apart.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { MaxLists = 1 << 20, Nesting = 64, FirstNames = 1 << 16, MoreNames = 1 << 12 };

typedef enum { PieceState, PieceDraw, PieceCall, PieceCalls, PieceClear, PieceUpload } piece_kind_e;

typedef struct {
  piece_kind_e kind;
  GLuint list;      // ours; of PieceCall the program's
  GLenum mode;      // of the draw's primitives; the upload's target
  GLbitfield mask;  // of PieceClear
  GLsizei count;    // of PieceCalls
  GLuint *offsets;  // to be added to the list base
} piece_t;

typedef struct {
  piece_t *pieces;
  uint32_t count, room;
} list_t;

static list_t **lists;  // by name
static GLuint list_room;
static list_t *made;  // the one that is being compiled
static GLuint made_name;
static bool executes;  // while it is compiled
static GLuint next_name, names_end;

static void *grown(void *old, size_t size) {
  void *fresh = realloc(old, size);
  if (!fresh) {
    fprintf(stderr, "capture: out of memory\n");
    exit(3);
  }
  return fresh;
}

// Names of our own. The first ones keep clear of those that a program takes without asking.
static GLuint own_name(void) {
  if (next_name == names_end) {
    const GLsizei block = names_end ? MoreNames : FirstNames;
    const GLuint base = gl.GenLists(block);
    next_name = base;
    if (!names_end) {
      gl.DeleteLists(base, block / 2);
      next_name += (GLuint)block / 2;
    }
    names_end = base + (GLuint)block;
  }
  return next_name++;
}

static piece_t *add_piece(piece_kind_e kind) {
  if (made->count == made->room) {
    made->room = made->room ? 2 * made->room : 8;
    made->pieces = grown(made->pieces, made->room * sizeof *made->pieces);
  }
  piece_t *p = &made->pieces[made->count++];
  *p = (piece_t){.kind = kind};
  return p;
}

// Commands between two draws are executed while they are compiled, if the program wants that.
static void open_state(void) {
  piece_t *p = add_piece(PieceState);
  p->list = own_name();
  gl.NewList(p->list, executes ? GL_COMPILE_AND_EXECUTE : GL_COMPILE);
}

static void run_piece(const piece_t *p, int depth);

// A piece that is not state, between two that are.
static void add_between(piece_t from) {
  gl.EndList();
  piece_t *p = add_piece(from.kind);
  *p = from;
  if (executes) {
    const piece_t copy = *p;
    run_piece(&copy, 0);
  }
  open_state();
}

static void drop(list_t *list) {
  if (!list) {
    return;
  }
  for (uint32_t i = 0; i < list->count; i++) {
    const piece_t *p = &list->pieces[i];
    if (p->kind == PieceState || p->kind == PieceDraw) {
      gl.DeleteLists(p->list, 1);
    }
    free(p->offsets);
  }
  free(list->pieces);
  free(list);
}

static void set(GLuint name, list_t *list) {
  if (name >= list_room) {
    GLuint room = list_room ? list_room : 256;
    while (room <= name) {
      room *= 2;
    }
    lists = grown(lists, room * sizeof *lists);
    memset(lists + list_room, 0, (room - list_room) * sizeof *lists);
    list_room = room;
  }
  drop(lists[name]);
  lists[name] = list;
}

bool capture_list_making(void) { return made; }

bool capture_list_begin(GLuint name, GLenum mode) {
  if (name == 0 || name >= MaxLists || made ||
      (mode != GL_COMPILE && mode != GL_COMPILE_AND_EXECUTE)) {
    return false;
  }
  made = grown(NULL, sizeof *made);
  *made = (list_t){0};
  made_name = name;
  executes = mode == GL_COMPILE_AND_EXECUTE;
  open_state();
  return true;
}

static void compile_call(const piece_t *p) {
  switch (p->kind) {
    case PieceState:
    case PieceDraw:
    case PieceCall: gl.CallList(p->list); break;
    case PieceCalls: gl.CallLists(p->count, GL_UNSIGNED_INT, p->offsets); break;
    case PieceClear: gl.Clear(p->mask); break;
    case PieceUpload: break;
  }
}

void capture_list_end(bool in_primitive) {
  if (in_primitive) {
    made->pieces[made->count - 1].kind = PieceState;
    fprintf(stderr, "capture: display list %u ends within glBegin: drawn, not captured\n",
            made_name);
  }
  gl.EndList();
  list_t *list = made;
  made = NULL;
  gl.NewList(made_name, GL_COMPILE);
  for (uint32_t i = 0; i < list->count; i++) {
    compile_call(&list->pieces[i]);
  }
  gl.EndList();
  set(made_name, list);
}

void capture_list_draw_begin(void) {
  gl.EndList();
  piece_t *p = add_piece(PieceDraw);
  p->list = own_name();
  gl.NewList(p->list, GL_COMPILE);
}

void capture_list_draw_end(GLenum mode) {
  piece_t *p = &made->pieces[made->count - 1];
  p->mode = mode;
  gl.EndList();
  if (executes) {
    const piece_t copy = *p;
    run_piece(&copy, 0);
  }
  open_state();
}

void capture_list_call(GLuint name) { add_between((piece_t){.kind = PieceCall, .list = name}); }

void capture_list_clear(GLbitfield mask) {
  add_between((piece_t){.kind = PieceClear, .mask = mask});
}

void capture_list_upload(GLenum target) {
  add_between((piece_t){.kind = PieceUpload, .mode = target});
}

// Name n of glCallLists, without the list base.
static GLuint offset_of(GLenum type, const void *names, GLsizei n) {
  const GLubyte *bytes = names;
  switch (type) {
    case GL_BYTE: return (GLuint)((const GLbyte *)names)[n];
    case GL_UNSIGNED_BYTE: return bytes[n];
    case GL_SHORT: return (GLuint)((const GLshort *)names)[n];
    case GL_UNSIGNED_SHORT: return ((const GLushort *)names)[n];
    case GL_INT:
    case GL_UNSIGNED_INT: return ((const GLuint *)names)[n];
    case GL_FLOAT: return (GLuint)(GLint)((const GLfloat *)names)[n];
    case GL_2_BYTES: return (GLuint)bytes[2 * n] << 8 | bytes[2 * n + 1];
    case GL_3_BYTES:
      return (GLuint)bytes[3 * n] << 16 | (GLuint)bytes[3 * n + 1] << 8 | bytes[3 * n + 2];
    case GL_4_BYTES:
      return (GLuint)bytes[4 * n] << 24 | (GLuint)bytes[4 * n + 1] << 16 |
             (GLuint)bytes[4 * n + 2] << 8 | bytes[4 * n + 3];
    default: return 0;
  }
}

void capture_list_calls(GLsizei count, GLenum type, const void *names) {
  if (count <= 0) {
    return;
  }
  piece_t calls = {.kind = PieceCalls, .count = count};
  calls.offsets = grown(NULL, (size_t)count * sizeof *calls.offsets);
  for (GLsizei n = 0; n < count; n++) {
    calls.offsets[n] = offset_of(type, names, n);
  }
  add_between(calls);
}

static void run(GLuint name, int depth) {
  const list_t *list = name < list_room ? lists[name] : NULL;
  if (depth >= Nesting) {
    return;
  }
  if (!list) {
    gl.CallList(name);
    if (gl.IsList(name)) {
      capture_lost(CaptureLostLists);
    }
    return;
  }
  for (uint32_t i = 0; i < list->count; i++) {
    run_piece(&list->pieces[i], depth + 1);
  }
}

static void run_piece(const piece_t *p, int depth) {
  GLuint base = 0;
  switch (p->kind) {
    case PieceState: gl.CallList(p->list); break;
    case PieceDraw: capture_draw_list(p->list, p->mode); break;
    case PieceCall: run(p->list, depth); break;
    case PieceCalls:
      for (GLsizei n = 0; n < p->count; n++) {
        base = (GLuint)capture_int(GL_LIST_BASE);
        run(base + p->offsets[n], depth);
      }
      break;
    case PieceClear: capture_clear(p->mask); break;
    case PieceUpload: capture_texture_uploaded(p->mode); break;
  }
}

void capture_list_run(GLuint name) { run(name, 0); }

void capture_list_run_all(GLsizei count, GLenum type, const void *names) {
  for (GLsizei n = 0; n < count; n++) {
    run((GLuint)capture_int(GL_LIST_BASE) + offset_of(type, names, n), 0);
  }
}

void capture_list_deleted(GLuint first, GLsizei count) {
  for (GLsizei n = 0; n < count && first + (GLuint)n < list_room; n++) {
    drop(lists[first + (GLuint)n]);
    lists[first + (GLuint)n] = NULL;
  }
}
