// SPDX-License-Identifier: Apache-2.0
#include "generate_games.h"

#include "generate_build.h"

// Shares of the large groups: the sum over the games of the groups of at least 4,096
// triangles is 8 x 6.5, of at least 16,384 is 8 x 5.25, and the mean shares are 92.44 %
// and 89.83 % (CHOPIN, VI-E).
// The tables are laid out by hand: a game in a few lines.
// clang-format off
const generate_game_t generate_games[] = {
  {
    .name = "cod2", .sizes = {{640, 480}}, .draws = 1005, .triangles = 219950,
    .layers = {{GenerateLayerShadow, 2000, 110, 0}, {GenerateLayerWorld, 4304, 45, 330},
               {GenerateLayerObjects, 2500, 30, 0}, {GenerateLayerFoliage, 296, 15, 0}},
    .small_groups = 34, .small_draws = 230, .small_area = 220, .post_passes = 2, .bloom_passes = 2,
    .size_sigma = 170, .order = 0, .off_screen = 80, .flat = 100, .alpha_tested = 150,
    .two_stages = 600, .vertex_low = 14, .vertex_high = 36, .fragment_low = 5,
    .fragment_high = 22, .shadow_side = 1024, .anisotropy = 4, .anisotropic = 500, .horizon = 420,
    .ground = GenerateTextureGrass, .tint = {0.95, 0.92, 0.82}, .fog = {0.72, 0.74, 0.75},
  },
  {
    .name = "cry", .sizes = {{800, 600}}, .draws = 1427, .triangles = 800948,
    .layers = {{GenerateLayerShadow, 900, 95, 0}, {GenerateLayerShadow, 700, 90, 0},
               {GenerateLayerShadow, 500, 70, 0}, {GenerateLayerReflection, 600, 60, 250},
               {GenerateLayerBuffer, 1500, 60, 300}, {GenerateLayerBuffer, 700, 50, 300},
               {GenerateLayerWorld, 1900, 45, 330}, {GenerateLayerFoliage, 1100, 30, 0},
               {GenerateLayerObjects, 100, 12, 0}, {GenerateLayerObjects, 800, 25, 0},
               {GenerateLayerFoliage, 500, 25, 0}, {GenerateLayerFoliage, 110, 12, 0},
               {GenerateLayerParticles, 90, 25, 0}},
    .small_groups = 46, .small_draws = 180, .small_area = 260, .post_passes = 4, .bloom_passes = 4,
    .size_sigma = 180, .order = 0, .off_screen = 80, .flat = 60, .alpha_tested = 250,
    .two_stages = 750, .vertex_low = 24, .vertex_high = 64, .fragment_low = 12,
    .fragment_high = 60, .shadow_side = 1536, .anisotropy = 8, .anisotropic = 500, .horizon = 400,
    .ground = GenerateTextureGrass, .tint = {0.9, 1.0, 0.8}, .fog = {0.62, 0.76, 0.84},
  },
  {
    .name = "grid", .sizes = {{1280, 1024}}, .draws = 2623, .triangles = 466806,
    .layers = {{GenerateLayerShadow, 1200, 130, 0}, {GenerateLayerReflection, 1100, 135, 300},
               {GenerateLayerReflection, 1486, 150, 300}, {GenerateLayerBuffer, 1600, 135, 300},
               {GenerateLayerWorld, 2800, 140, 330}, {GenerateLayerObjects, 214, 30, 0},
               {GenerateLayerObjects, 800, 75, 0}},
    .small_groups = 58, .small_draws = 220, .small_area = 330, .post_passes = 4, .bloom_passes = 4,
    .size_sigma = 190, .order = 0, .off_screen = 80, .flat = 330, .alpha_tested = 80,
    .two_stages = 700, .vertex_low = 20, .vertex_high = 52, .fragment_low = 10,
    .fragment_high = 44, .shadow_side = 2048, .anisotropy = 8, .anisotropic = 500, .horizon = 450,
    .ground = GenerateTextureStone, .tint = {1.0, 0.97, 0.92}, .fog = {0.78, 0.8, 0.82},
  },
  {
    .name = "mirror", .sizes = {{1280, 1024}}, .draws = 1257, .triangles = 381422,
    .layers = {{GenerateLayerShadow, 1500, 80, 0}, {GenerateLayerShadow, 1000, 75, 0},
               {GenerateLayerReflection, 1000, 65, 250}, {GenerateLayerBuffer, 1800, 65, 300},
               {GenerateLayerWorld, 3614, 60, 330}, {GenerateLayerObjects, 236, 15, 0}},
    .small_groups = 40, .small_draws = 210, .small_area = 240, .post_passes = 3, .bloom_passes = 4,
    .size_sigma = 190, .order = 0, .off_screen = 80, .flat = 180, .alpha_tested = 50,
    .two_stages = 800, .vertex_low = 20, .vertex_high = 50, .fragment_low = 10,
    .fragment_high = 48, .shadow_side = 2048, .anisotropy = 8, .anisotropic = 500, .horizon = 470,
    .ground = GenerateTextureTiles, .tint = {1.05, 1.05, 1.05}, .fog = {0.86, 0.9, 0.95},
  },
  {
    .name = "nfs", .sizes = {{1280, 1024}}, .draws = 1858, .triangles = 534121,
    .layers = {{GenerateLayerShadow, 1400, 110, 0}, {GenerateLayerReflection, 900, 60, 300},
               {GenerateLayerBuffer, 1300, 55, 300}, {GenerateLayerWorld, 3175, 45, 330},
               {GenerateLayerObjects, 1400, 25, 0}, {GenerateLayerFoliage, 225, 20, 0},
               {GenerateLayerObjects, 900, 30, 0}},
    .small_groups = 50, .small_draws = 230, .small_area = 260, .post_passes = 3, .bloom_passes = 4,
    .size_sigma = 190, .order = 0, .off_screen = 80, .flat = 140, .alpha_tested = 100,
    .two_stages = 700, .vertex_low = 20, .vertex_high = 54, .fragment_low = 10,
    .fragment_high = 42, .shadow_side = 2048, .anisotropy = 8, .anisotropic = 500, .horizon = 430,
    .ground = GenerateTextureStone, .tint = {1.0, 0.93, 0.8}, .fog = {0.85, 0.74, 0.58},
  },
  {
    .name = "stal", .sizes = {{1280, 1024}}, .draws = 1086, .triangles = 546733,
    .layers = {{GenerateLayerShadow, 1500, 105, 0}, {GenerateLayerShadow, 1049, 85, 0},
               {GenerateLayerBuffer, 2100, 70, 300}, {GenerateLayerWorld, 4500, 50, 330},
               {GenerateLayerFoliage, 201, 15, 0}},
    .small_groups = 42, .small_draws = 220, .small_area = 420, .post_passes = 5, .bloom_passes = 4,
    .size_sigma = 185, .order = 0, .off_screen = 80, .flat = 80, .alpha_tested = 200,
    .two_stages = 750, .vertex_low = 22, .vertex_high = 56, .fragment_low = 12,
    .fragment_high = 52, .shadow_side = 2048, .anisotropy = 8, .anisotropic = 500, .horizon = 410,
    .ground = GenerateTextureGrass, .tint = {0.85, 0.82, 0.7}, .fog = {0.6, 0.6, 0.58},
  },
  {
    .name = "ut3", .sizes = {{1280, 1024}}, .draws = 1944, .triangles = 630302,
    .layers = {{GenerateLayerShadow, 1300, 80, 0}, {GenerateLayerBuffer, 1800, 120, 300},
               {GenerateLayerBuffer, 1000, 110, 300}, {GenerateLayerWorld, 3000, 130, 330},
               {GenerateLayerObjects, 1500, 70, 0}, {GenerateLayerParticles, 206, 25, 0},
               {GenerateLayerFoliage, 544, 40, 0}},
    .small_groups = 52, .small_draws = 220, .small_area = 170, .post_passes = 2, .bloom_passes = 4,
    .size_sigma = 185, .order = 1000, .off_screen = 80, .flat = 120, .alpha_tested = 80,
    .two_stages = 800, .vertex_low = 24, .vertex_high = 60, .fragment_low = 14,
    .fragment_high = 60, .shadow_side = 2048, .anisotropy = 8, .anisotropic = 500, .horizon = 440,
    .ground = GenerateTextureMetal, .tint = {1.0, 0.9, 0.78}, .fog = {0.5, 0.46, 0.5},
  },
  {
    .name = "wolf", .sizes = {{640, 480}}, .draws = 1697, .triangles = 243052,
    .layers = {{GenerateLayerShadow, 2000, 80, 0}, {GenerateLayerWorld, 6590, 60, 330},
               {GenerateLayerObjects, 410, 30, 0}},
    .small_groups = 60, .small_draws = 300, .small_area = 260, .post_passes = 3, .bloom_passes = 3,
    .size_sigma = 175, .order = 0, .off_screen = 80, .flat = 120, .alpha_tested = 50,
    .two_stages = 650, .vertex_low = 18, .vertex_high = 48, .fragment_low = 8,
    .fragment_high = 40, .shadow_side = 1536, .anisotropy = 4, .anisotropic = 500, .horizon = 430,
    .ground = GenerateTextureBricks, .tint = {0.85, 0.8, 0.75}, .fog = {0.4, 0.42, 0.46},
  },
};

const uint32_t generate_game_count = sizeof generate_games / sizeof *generate_games;

// The games of A-TFIM, Table II, which states names and sizes only.
const generate_game_t generate_texture_games[] = {
  {
    .name = "doom3", .sizes = {{1280, 1024}, {640, 480}, {320, 240}}, .draws = 620,
    .triangles = 78000,
    .layers = {{GenerateLayerWorld, 6200, 110, 330}, {GenerateLayerObjects, 2600, 60, 0}},
    .small_groups = 24, .small_draws = 300, .small_area = 220, .post_passes = 2, .bloom_passes = 2,
    .size_sigma = 150, .order = 0, .off_screen = 80, .flat = 350, .alpha_tested = 40,
    .two_stages = 900, .vertex_low = 16, .vertex_high = 40, .fragment_low = 12,
    .fragment_high = 36, .anisotropy = 16, .anisotropic = 900, .texture_shift = 2, .horizon = 400,
    .ground = GenerateTextureMetal, .tint = {0.7, 0.68, 0.66}, .fog = {0.2, 0.18, 0.16},
  },
  {
    .name = "fear", .sizes = {{1280, 1024}, {640, 480}, {320, 240}}, .draws = 700,
    .triangles = 118000,
    .layers = {{GenerateLayerWorld, 6400, 100, 330}, {GenerateLayerObjects, 2400, 55, 0}},
    .small_groups = 26, .small_draws = 280, .small_area = 240, .post_passes = 3, .bloom_passes = 3,
    .size_sigma = 160, .order = 0, .off_screen = 80, .flat = 330, .alpha_tested = 40,
    .two_stages = 850, .vertex_low = 18, .vertex_high = 44, .fragment_low = 12,
    .fragment_high = 44, .anisotropy = 16, .anisotropic = 850, .texture_shift = 2, .horizon = 420,
    .ground = GenerateTextureTiles, .tint = {0.85, 0.85, 0.9}, .fog = {0.4, 0.42, 0.46},
  },
  {
    .name = "hl2", .sizes = {{1280, 1024}, {640, 480}}, .draws = 820, .triangles = 152000,
    .layers = {{GenerateLayerWorld, 5600, 80, 380}, {GenerateLayerObjects, 1800, 45, 0},
               {GenerateLayerFoliage, 1400, 25, 0}},
    .small_groups = 24, .small_draws = 240, .small_area = 150, .post_passes = 1, .bloom_passes = 3,
    .size_sigma = 165, .order = 0, .off_screen = 80, .flat = 260, .alpha_tested = 120,
    .two_stages = 800, .vertex_low = 14, .vertex_high = 40, .fragment_low = 8,
    .fragment_high = 32, .anisotropy = 16, .anisotropic = 850, .texture_shift = 2, .horizon = 430,
    .ground = GenerateTextureGrass, .tint = {1.0, 0.95, 0.85}, .fog = {0.72, 0.76, 0.8},
  },
  {
    .name = "riddick", .sizes = {{640, 480}}, .draws = 540, .triangles = 84000,
    .layers = {{GenerateLayerWorld, 6400, 105, 330}, {GenerateLayerObjects, 2400, 55, 0}},
    .small_groups = 22, .small_draws = 280, .small_area = 220, .post_passes = 2, .bloom_passes = 2,
    .size_sigma = 155, .order = 0, .off_screen = 80, .flat = 340, .alpha_tested = 30,
    .two_stages = 900, .vertex_low = 18, .vertex_high = 44, .fragment_low = 12,
    .fragment_high = 40, .anisotropy = 16, .anisotropic = 900, .texture_shift = 2, .horizon = 410,
    .ground = GenerateTextureStone, .tint = {0.8, 0.75, 0.65}, .fog = {0.25, 0.22, 0.2},
  },
  {
    .name = "wolfenstein", .sizes = {{640, 480}}, .draws = 880, .triangles = 196000,
    .layers = {{GenerateLayerWorld, 6000, 90, 350}, {GenerateLayerObjects, 2800, 55, 0}},
    .small_groups = 28, .small_draws = 260, .small_area = 200, .post_passes = 3, .bloom_passes = 3,
    .size_sigma = 170, .order = 0, .off_screen = 80, .flat = 240, .alpha_tested = 60,
    .two_stages = 850, .vertex_low = 20, .vertex_high = 50, .fragment_low = 12,
    .fragment_high = 44, .anisotropy = 16, .anisotropic = 850, .texture_shift = 2, .horizon = 420,
    .ground = GenerateTextureBricks, .tint = {0.85, 0.8, 0.75}, .fog = {0.4, 0.42, 0.46},
  },
};
// clang-format on

const uint32_t generate_texture_game_count =
    sizeof generate_texture_games / sizeof *generate_texture_games;
