// SPDX-License-Identifier: Apache-2.0
// Generator of the Table III workloads; see generate.h.
#ifndef NOCTURNE_FRAME_GENERATE_SCENE_H
#define NOCTURNE_FRAME_GENERATE_SCENE_H

#include "generate_build.h"
#include "generate_games.h"

// size: which of the game's sizes.
frame_t *generate_scene(const generate_game_t *game, uint32_t size, const char *name, uint64_t seed,
                        uint32_t view);

#endif
