// SPDX-License-Identifier: Apache-2.0
#include "policy.h"

#include <stdlib.h>

_Static_assert((int)NocturneMostTextures >= (int)FrameMaxTextures, "textures of a draw");

static void describe(nocturne_draw_t *d, const frame_cmd_t *c, uint32_t number,
                     const uint64_t *textures) {
  *d = (nocturne_draw_t){.number = number,
                         .triangles = c->triangles_in,
                         .vertex_length = c->vertex_length,
                         .fragment_length = c->fragment_length};
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    const uint16_t t = c->state.stages[k].texture;
    if (t != FrameNone) {
      d->textures[d->texture_count++] = textures[t];
    }
  }
}

nocturne_draw_t *policy_draws(const frame_t *frame, const driver_memory_t *memory) {
  nocturne_draw_t *draws = calloc((size_t)frame->command_count + 1, sizeof *draws);
  uint64_t *textures = driver_texture_keys(frame);
  const driver_counters_t **before = calloc((size_t)frame->command_count + 1, sizeof *before);
  bool ok =
      draws && textures && before && (!memory || driver_memory_counters(memory, frame, before));
  for (uint32_t i = 0; ok && i < frame->command_count; i++) {
    if (frame->commands[i].kind == FrameCmdDraw) {
      describe(&draws[i], &frame->commands[i], i, textures);
    }
    if (before[i]) {
      draws[i].is_known = true;
      draws[i].pixels = before[i]->pixels;
      draws[i].fragments = before[i]->fragments_shaded;
      draws[i].cycles = before[i]->cycles;
    }
  }
  free(textures);
  free(before);
  if (!ok) {
    free(draws);
    return NULL;
  }
  return draws;
}
