// SPDX-License-Identifier: Apache-2.0
// The parameters of the generated workloads. docs/model/workloads.md says of each where it
// comes from.
#ifndef NOCTURNE_FRAME_GENERATE_GAMES_H
#define NOCTURNE_FRAME_GENERATE_GAMES_H

#include <stdint.h>

typedef enum {
  GenerateLayerEnd,
  GenerateLayerShadow,      // depth only, from above, a buffer of its own size
  GenerateLayerReflection,  // of the screen's size, its own target and depth
  GenerateLayerBuffer,      // a second target of the screen's size with its own depth
  GenerateLayerWorld,       // far objects; the screen
  GenerateLayerObjects,     // near objects; the screen
  GenerateLayerFoliage,     // objects, half of them alpha-tested leaves; the screen
  GenerateLayerParticles,   // sprites, over, without depth test; the screen
} generate_layer_e;

// One large composition group.
typedef struct {
  uint8_t kind;     // generate_layer_e
  uint16_t share;   // of the frame's triangles, 1/10,000
  uint16_t area;    // the draws' areas on the screen (ground left out) over the target's, percent
  uint16_t ground;  // draws that are ground and far hills, 1/1,000; they come first
} generate_layer_t;

enum { GenerateMostLayers = 14, GenerateMostSizes = 3 };

typedef struct {
  const char *name;
  struct {
    uint32_t width, height;
  } sizes[GenerateMostSizes];  // several: the frame's name ends with one, -WIDTHxHEIGHT
  uint32_t draws, triangles;
  generate_layer_t layers[GenerateMostLayers];
  // small groups
  uint32_t small_groups;  // besides sky, post and reflection's sky
  uint32_t small_draws;   // of the frame's draws, 1/1,000
  uint32_t small_area;    // their areas over the screen, percent
  uint32_t post_passes;   // whole-screen passes after the scene
  uint32_t bloom_passes;  // passes over a quarter-sided target
  // draws
  uint32_t size_sigma;               // of the logarithm of a draw's triangles, 1/100
  uint32_t order;                    // 1,000: front to back; 0: in no order
  uint32_t off_screen;               // draws that lie outside the view, 1/1,000
  uint32_t flat;                     // draws that are facades: few triangles, much area, 1/1,000
  uint32_t alpha_tested;             // foliage draws with alpha test, 1/1,000
  uint32_t two_stages;               // draws with a second texture, 1/1,000
  uint32_t vertex_low, vertex_high;  // instructions of a program, even between
  uint32_t fragment_low, fragment_high;
  uint32_t shadow_side;              // pixels
  uint32_t anisotropy, anisotropic;  // largest ratio, of so many draws (1/1,000); the rest 1
  uint32_t texture_shift;  // sides of textures times 2^this; not of sky, sprites and panels
  // the picture
  uint32_t horizon;  // of the height, from the top, 1/1,000
  uint32_t ground;   // generate_texture_e
  double tint[3], fog[3];
} generate_game_t;

extern const generate_game_t generate_games[];  // CHOPIN, Table III
extern const uint32_t generate_game_count;
extern const generate_game_t generate_texture_games[];  // A-TFIM, Table II
extern const uint32_t generate_texture_game_count;

#endif
