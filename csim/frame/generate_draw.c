// SPDX-License-Identifier: Apache-2.0
// Begins the draws of a generated scene: textures, programs, states.
#include "generate_scene_internal.h"

static uint32_t program_length(rng_t *rng, uint32_t low, uint32_t high) {
  return low + rng_below(rng, high - low + 1);
}

void scene_texture_stages(scene_t *s, frame_state_t *state, generate_texture_e kind) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  generate_stage(state, 0, s->textures[kind], 0, FrameCombineModulate);
  if (rng_chance(rng, g->anisotropic)) {
    state->stages[0].max_anisotropy = (uint8_t)g->anisotropy;
  }
  if (rng_chance(rng, g->two_stages)) {
    bool light = rng_chance(rng, 500);
    generate_stage(state, 1, s->textures[light ? GenerateTextureLight : GenerateTextureDetail],
                   light, FrameCombineModulate2x);
  }
}

generate_texture_e scene_any_surface(rng_t *rng) {
  static const generate_texture_e kinds[] = {
      GenerateTextureStone, GenerateTextureBricks, GenerateTextureMetal, GenerateTexturePlaster,
      GenerateTextureBark,  GenerateTextureTiles,  GenerateTextureCloth,
  };
  return kinds[rng_below(rng, sizeof kinds / sizeof *kinds)];
}

frame_cmd_t *scene_begin_draw(scene_t *s, const frame_state_t *state, bool depth_only) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  frame_cmd_t *c = generate_command(&s->b, FrameCmdDraw, state);
  if (c) {
    c->vertex_length = program_length(rng, g->vertex_low, g->vertex_high);
    c->fragment_length = program_length(rng, g->fragment_low, g->fragment_high);
    if (depth_only) {
      // Position only, and nothing to shade.
      c->vertex_length = c->vertex_length / 3 + 4;
      c->fragment_length = 1;
    }
  }
  return c;
}
