// SPDX-License-Identifier: Apache-2.0
// CHOPIN's machine: texture units are a rate of the GPU, without queues, caches or memory.
#include "texture_design.h"

const texture_design_t texture_design_rate = {.memory = TextureMemoryNone};
