// SPDX-License-Identifier: Apache-2.0
#include "generate_frame.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate_games.h"
#include "generate_models.h"
#include "generate_primitives.h"
#include "generate_scene.h"
#include "generate_small.h"

static frame_t *checked(frame_t *frame, const char *name, err_t *err) {
  if (!frame) {
    err_set(err, ErrMachine, "%s: out of memory", name);
  }
  return frame;
}

// A game by its frame's name without gen:, and which of its sizes is meant.
static const generate_game_t *find_game(const char *name, uint32_t *size) {
  *size = 0;
  for (uint32_t i = 0; i < generate_game_count; i++) {
    if (strcmp(name, generate_games[i].name) == 0) {
      return &generate_games[i];
    }
  }
  for (uint32_t i = 0; i < generate_texture_game_count; i++) {
    const generate_game_t *g = &generate_texture_games[i];
    for (*size = 0; *size < GenerateMostSizes && g->sizes[*size].width; ++*size) {
      char whole[64];
      snprintf(whole, sizeof whole, "%s-%ux%u", g->name, g->sizes[*size].width,
               g->sizes[*size].height);
      if (strcmp(name, whole) == 0) {
        return g;
      }
    }
  }
  return NULL;
}

// A game of Table III by its frame's name in another size, gen:NAME-WIDTHxHEIGHT. False: it is
// none.
static bool find_sized(const char *name, generate_game_t *sized) {
  char game[32], whole[64];
  uint32_t width, height, size;
  if (sscanf(name, "gen:%31[a-z0-9]-%4ux%4u", game, &width, &height) != 3) {
    return false;
  }
  snprintf(whole, sizeof whole, "gen:%s-%ux%u", game, width, height);
  const generate_game_t *g = find_game(game, &size);
  if (!g || strcmp(name, whole) != 0 || width < 16 || height < 16) {
    return false;
  }
  *sized = *g;
  sized->sizes[0].width = width;
  sized->sizes[0].height = height;
  return true;
}

// The frames after the first are named by their number. False: out of memory, the frame is gone.
static bool name_frame(frame_t *frame, uint32_t number, err_t *err) {
  char *name = number ? text_make("%s, frame %u", frame->name, number) : frame->name;
  if (!name) {
    checked(NULL, frame->name, err);
    frame_free(frame);
    return false;
  }
  if (number) {
    free(frame->name);
    frame->name = name;
  }
  return true;
}

// A model by its frame's name: gen:wN, gen:mN, or gen:wN-WIDTHxHEIGHT. 0: it is none.
static uint32_t find_model(const char *name, uint32_t size[2]) {
  uint32_t model;
  char letter, whole[64] = "";
  size[0] = GenerateModelWidth;
  size[1] = GenerateModelHeight;
  int fields = sscanf(name, "gen:%c%1u-%4ux%4u", &letter, &model, &size[0], &size[1]);
  if (fields != 2 && fields != 4) {
    return 0;
  }
  snprintf(whole, sizeof whole, fields == 4 ? "gen:%c%u-%ux%u" : "gen:%c%u", letter, model, size[0],
           size[1]);
  uint32_t before = letter == 'm' ? GenerateModelsW : 0;
  uint32_t count = letter == 'w' ? GenerateModelsW : letter == 'm' ? GenerateModels - before : 0;
  bool good =
      strcmp(name, whole) == 0 && model >= 1 && model <= count && size[0] >= 16 && size[1] >= 16;
  return good ? before + model : 0;
}

static frame_t *generate(const char *name, uint64_t seed, uint32_t view, err_t *err) {
  static const char gen[] = "gen:", test[] = "gen:test-";
  if (strncmp(name, test, sizeof test - 1) == 0) {
    const char *digits = name + sizeof test - 1;
    char *end;
    errno = 0;
    uint64_t number = strtoull(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end || errno) {
      err_set(err, ErrInput, "%s: no such frame, expected gen:test- and a number", name);
      return NULL;
    }
    // Neighbouring numbers and seeds must not give each other's frames.
    return checked(generate_small(name, number * 0x9e3779b97f4a7c15u + seed, view), name, err);
  }
  if (strncmp(name, "gen:g80-", 8) == 0) {
    return generate_primitives(name, err);
  }
  uint32_t sides[2], model = find_model(name, sides);
  if (model) {
    return checked(generate_model(model, sides[0], sides[1], name, seed, view), name, err);
  }
  for (const char *const *n = frame_generate_names(); *n; n++) {
    uint32_t size;
    const generate_game_t *game = find_game(*n + sizeof gen - 1, &size);
    if (strcmp(name, *n) == 0 && game) {
      return checked(generate_scene(game, size, name, seed, view), name, err);
    }
  }
  generate_game_t sized;
  if (find_sized(name, &sized)) {
    return checked(generate_scene(&sized, 0, name, seed, view), name, err);
  }
  text_t games = {0};
  for (uint32_t i = 0; i < generate_game_count; i++) {
    text_format(&games, "%s %s", i ? "," : "", generate_games[i].name);
  }
  text_put(&games, " with or without -WxH,");
  for (uint32_t i = 0; i < generate_texture_game_count; i++) {
    text_format(&games, " %s-WxH,", generate_texture_games[i].name);
  }
  err_set(err, ErrInput,
          "%s: no such frame, expected gen: and%s w1 to w6, m1 to m4 with or without -WxH, "
          "g80-WORDS, or test-N "
          "(sizes: docs/model/workloads.md)",
          name, text_string(&games));
  text_free(&games);
  return NULL;
}

frame_t *frame_generate(const char *name, uint64_t seed, err_t *err) {
  return generate(name, seed, 0, err);
}

frame_t *frame_generate_view(const char *name, uint64_t seed, uint32_t number, err_t *err) {
  frame_t *f = generate(name, seed, number, err);
  return f && name_frame(f, number, err) ? f : NULL;
}

frame_sequence_t *frame_sequence_generate(const char *name, uint64_t seed, uint32_t count,
                                          err_t *err) {
  char *text = text_make("%s, %u frames", name, count);
  frame_sequence_t *s = text ? frame_sequence_create(text) : NULL;
  free(text);
  if (!s) {
    checked(NULL, name, err);
  }
  for (uint32_t i = 0; s && i < count; i++) {
    frame_t *f = frame_generate_view(name, seed, i, err);
    if (!f || !frame_sequence_add(s, f, err)) {
      frame_sequence_free(s);
      s = NULL;
    }
  }
  return s;
}

frame_sequence_t *frame_sequence_load(const char *name, uint64_t seed, uint32_t count, err_t *err) {
  return strncmp(name, "gen:", 4) == 0 ? frame_sequence_generate(name, seed, count, err)
                                       : frame_sequence_read(name, err);
}

frame_t *frame_load(const char *name, uint64_t seed, err_t *err) {
  return strncmp(name, "gen:", 4) == 0 ? frame_generate(name, seed, err) : frame_read(name, err);
}

const char *const *frame_generate_names(void) {
  static const char *const names[] = {"gen:cod2",
                                      "gen:cry",
                                      "gen:grid",
                                      "gen:mirror",
                                      "gen:nfs",
                                      "gen:stal",
                                      "gen:ut3",
                                      "gen:wolf",
                                      "gen:doom3-1280x1024",
                                      "gen:doom3-640x480",
                                      "gen:doom3-320x240",
                                      "gen:fear-1280x1024",
                                      "gen:fear-640x480",
                                      "gen:fear-320x240",
                                      "gen:hl2-1280x1024",
                                      "gen:hl2-640x480",
                                      "gen:riddick-640x480",
                                      "gen:wolfenstein-640x480",
                                      NULL};
  return names;
}
