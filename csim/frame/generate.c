#include "generate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate_games.h"
#include "generate_scene.h"
#include "generate_small.h"

static frame_t *checked(frame_t *frame, const char *name, char error[FrameErrorSize]) {
  if (!frame) {
    snprintf(error, FrameErrorSize, "%.60s: out of memory", name);
  }
  return frame;
}

frame_t *frame_generate(const char *name, uint64_t seed, char error[FrameErrorSize]) {
  static const char gen[] = "gen:", test[] = "gen:test-";
  if (strncmp(name, test, sizeof test - 1) == 0) {
    const char *digits = name + sizeof test - 1;
    char *end;
    errno = 0;
    uint64_t number = strtoull(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end || errno) {
      snprintf(error, FrameErrorSize, "%.60s: no such frame, expected gen:test- and a number",
               name);
      return NULL;
    }
    // Neighbouring numbers and seeds must not give each other's frames.
    return checked(generate_small(name, number * 0x9e3779b97f4a7c15u + seed), name, error);
  }
  for (uint32_t i = 0; i < generate_game_count; i++) {
    if (strncmp(name, gen, sizeof gen - 1) == 0 &&
        strcmp(name + sizeof gen - 1, generate_games[i].name) == 0) {
      return checked(generate_scene(&generate_games[i], name, seed), name, error);
    }
  }
  int used = snprintf(error, FrameErrorSize, "%.60s: no such frame, expected", name);
  for (uint32_t i = 0; i < generate_game_count; i++) {
    used += snprintf(error + used, FrameErrorSize - (size_t)used, " gen:%s,",
                     generate_games[i].name);
  }
  snprintf(error + used - 1, FrameErrorSize - (size_t)used + 1, " or gen:test-N");
  return NULL;
}

const char *const *frame_generate_names(void) {
  static const char *const names[] = {"gen:cod2", "gen:cry",  "gen:grid", "gen:mirror", "gen:nfs",
                                      "gen:stal", "gen:ut3",  "gen:wolf", NULL};
  return names;
}
