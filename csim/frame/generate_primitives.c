// SPDX-License-Identifier: Apache-2.0
#include "generate_primitives.h"

#include <stdlib.h>
#include <string.h>

#include "generate_build.h"

enum {
  Operations = 200,  // of a pixel
  Slow = 100,        // times as many
  Repeated = 16384,  // points on a pixel or a few
  Tile = 16,         // pixels of a side
  MostBranches = 16,
  MostSide = 1024,
};

// The numbers of a name's words, 1 of those without one; 0: the word was not there.
typedef struct {
  uint32_t cover, quads, lines, stacked, spaced, repeated, silhouette;
  uint32_t in, moved, slow, draws, window;
} words_t;

typedef struct {
  const char *name;
  size_t field;
  bool first, numbered;
} word_t;

static const word_t Words[] = {
    {"cover", offsetof(words_t, cover), true, false},
    {"quads", offsetof(words_t, quads), true, true},
    {"lines", offsetof(words_t, lines), true, true},
    {"stacked", offsetof(words_t, stacked), true, true},
    {"spaced", offsetof(words_t, spaced), true, true},
    {"repeated", offsetof(words_t, repeated), true, true},
    {"silhouette", offsetof(words_t, silhouette), true, true},
    {"in", offsetof(words_t, in), false, true},
    {"moved", offsetof(words_t, moved), false, false},
    {"slow", offsetof(words_t, slow), false, false},
    {"draws", offsetof(words_t, draws), false, true},
    {"window", offsetof(words_t, window), false, true},
};

static uint32_t *field_of(words_t *w, const word_t *word) {
  return (uint32_t *)((char *)w + word->field);
}

// Reads a word. Returns false if it is none that may stand here.
static bool read_word(words_t *w, const char *text, size_t length, bool first) {
  const size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
  const char *digits = text + letters;
  const size_t numerals = strspn(digits, "0123456789");
  if (letters + numerals != length || numerals > 4 || (numerals && *digits == '0')) {
    return false;
  }
  for (size_t i = 0; i < sizeof Words / sizeof *Words; i++) {
    const word_t *word = &Words[i];
    uint32_t *field = field_of(w, word);
    if (strlen(word->name) == letters && strncmp(word->name, text, letters) == 0) {
      const bool good = word->first == first && word->numbered == (numerals > 0) && *field == 0;
      *field = numerals ? (uint32_t)strtoul(digits, NULL, 10) : 1;
      return good;
    }
  }
  return false;
}

static bool read_words(words_t *w, const char *text) {
  *w = (words_t){0};
  for (bool first = true, more = true; more; first = false) {
    const size_t length = strcspn(text, "-");
    if (!read_word(w, text, length, first)) {
      return false;
    }
    more = text[length] != '\0';
    text += length + more;
  }
  w->window = w->window ? w->window : 512;
  w->draws = w->draws ? w->draws : 1;
  return true;
}

// The sizes tile the window, and the draws have as many triangles each.
static bool fits(const words_t *w) {
  const uint32_t size = w->quads | w->lines | w->stacked, block = w->in ? w->in : w->window;
  const uint32_t tiles = size ? w->window / size : 0, high = w->lines ? w->window : tiles;
  const uint32_t each = w->quads ? 2 : w->stacked ? w->stacked : 1;
  const bool window = w->window % 128 == 0 && w->window <= MostSide && w->window > 0;
  const bool tiling = !size || (size <= block && block % size == 0 && w->window % block == 0 &&
                                tiles * high * each % w->draws == 0);
  return window && tiling && (size || (!w->in && !w->moved && w->draws == 1)) &&
         w->spaced <= w->window && w->repeated * Tile <= w->window && w->silhouette <= MostBranches;
}

static void square(generate_build_t *b, double x, double y, double s) {
  generate_triangle(b, (double[3][2]){{x, y}, {x + s, y}, {x, y + s}});
  generate_triangle(b, (double[3][2]){{x + s, y}, {x + s, y + s}, {x, y + s}});
}

// One triangle whose apex lies on the centres of the row, so that it covers its pixels alone.
static void line(generate_build_t *b, double x, double y, double length) {
  const double c = y + 0.5, beam = 102.0 / FrameSubpixel;  // 0.4, which this draws
  generate_triangle(b, (double[3][2]){{x, c - beam}, {x + length, c}, {x, c + beam}});
}

static void fill(generate_build_t *b, const words_t *w, uint32_t x, uint32_t y) {
  if (w->quads) {
    square(b, x, y, w->quads);
  } else if (w->lines) {
    line(b, x, y, w->lines);
  }
  for (uint32_t k = 0; k < w->stacked; k++) {
    line(b, x, y + k, w->stacked);
  }
}

static void begin_draw(generate_build_t *b) {
  const frame_state_t state = generate_state(b, 0, FrameNone);
  frame_cmd_t *c = generate_command(b, FrameCmdDraw, &state);
  if (c) {
    c->vertex_length = c->fragment_length = c->program = 1;
  }
}

static void tile(generate_build_t *b, const words_t *w) {
  const uint32_t wide = w->quads | w->lines | w->stacked, high = w->lines ? 1 : wide;
  const uint32_t block = w->in ? w->in : w->window;
  const uint32_t all = w->window / wide * (w->window / high), each = all / w->draws;
  for (uint32_t n = 0; n < all && !b->failed; n++) {
    const uint32_t across = block / wide, a = across * (block / high);  // of a block
    const uint32_t bx = n / a % (w->window / block), by = n / a / (w->window / block);
    if (n % each == 0) {
      begin_draw(b);
    }
    fill(b, w, bx * block + n % across * wide + w->moved, by * block + n % a / across * high);
  }
}

static void draw(generate_build_t *b, const words_t *w) {
  if (w->quads | w->lines | w->stacked) {
    tile(b, w);
    return;
  }
  begin_draw(b);
  for (uint32_t n = 0; w->repeated && n < Repeated; n++) {
    line(b, n % w->repeated * Tile, 0, 1);
  }
  for (uint32_t y = 0; w->spaced && y < w->window; y += w->spaced) {
    for (uint32_t x = 0; x < w->window; x += w->spaced) {
      line(b, x, y, 1);
    }
  }
  if (w->cover || w->silhouette) {
    generate_triangle(b, (double[3][2]){{0, 0}, {2.0 * w->window, 0}, {0, 2.0 * w->window}});
  }
}

static void add_operations(program_t *p, uint32_t count) {
  p->op[p->count++] = (program_op_t){.kind = ProgramAlu, .count = count};
}

static void add_branch(program_t *p, uint32_t x, uint32_t y) {
  p->op[p->count++] = (program_op_t){.kind = ProgramIf,
                                     .predicate = ProgramOnRect,
                                     .x0 = (uint16_t)x,
                                     .y0 = (uint16_t)y,
                                     .x1 = (uint16_t)(x + 1),
                                     .y1 = (uint16_t)(y + 1)};
  add_operations(p, Slow * Operations);
  p->op[p->count++] = (program_op_t){.kind = ProgramElse};
}

static void write_program(program_t *p, const words_t *w) {
  add_operations(p, w->silhouette ? 1 : Operations);
  const uint32_t branches = w->silhouette + w->slow;
  for (uint32_t n = 0; n < w->silhouette; n++) {
    add_branch(p, 5 * Tile + 4, 4 * Tile + n);
  }
  if (w->slow) {
    add_branch(p, w->window / 2 + 60, w->window / 4 + 60);
  }
  for (uint32_t n = 0; n < branches; n++) {
    p->op[p->count++] = (program_op_t){.kind = ProgramEndif};
  }
}

frame_t *generate_primitives(const char *name, err_t *err) {
  static const char prefix[] = "gen:g80-";
  words_t w;
  generate_build_t b;
  if (!read_words(&w, name + sizeof prefix - 1) || !fits(&w)) {
    err_set(err, ErrInput,
            "%s: no such frame, expected gen:g80- and cover, quadsS, linesL, stackedL, spacedN, "
            "repeatedN or silhouetteN (docs/model/workloads.md)",
            name);
    return NULL;
  }
  frame_t *frame = NULL;
  if (generate_begin(&b, name, 0, 0)) {
    generate_target(&b, w.window, w.window);
    draw(&b, &w);
    b.frame->programs = calloc(1, sizeof *b.frame->programs);
    b.failed = b.failed || !b.frame->programs;
    if (!b.failed) {
      b.frame->program_count = 1;
      write_program(b.frame->programs, &w);
      b.failed = !program_check(b.frame->programs, err);
    }
    frame = generate_end(&b);
  }
  if (!frame) {
    err_set(err, ErrMachine, "%s: out of memory", name);
  }
  return frame;
}
