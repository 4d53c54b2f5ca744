// SPDX-License-Identifier: Apache-2.0
// Generator of gen:m1 to gen:m4 and gen:w1 to gen:w6, which stand for the workloads of Emerald's
// case studies I and II: one model each, around which the camera turns.
#ifndef NOCTURNE_FRAME_GENERATE_MODELS_H
#define NOCTURNE_FRAME_GENERATE_MODELS_H

#include "generate_build.h"

enum {
  GenerateModels = 10,
  GenerateModelsW = 6,  // of case study II, the first
  GenerateModelWidth = 1024,
  GenerateModelHeight = 768
};

// model: 1 to GenerateModels. view: degrees by which the camera has turned.
frame_t *generate_model(uint32_t model, uint32_t width, uint32_t height, const char *name,
                        uint64_t seed, uint32_t view);

#endif
