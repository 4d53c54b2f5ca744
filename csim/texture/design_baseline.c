// SPDX-License-Identifier: Apache-2.0
// The baseline of A-TFIM (Table I): texture units on the GPU, plain lines from GDDR5.
#include "texture_state_internal.h"

const texture_design_t texture_design_baseline = {.memory = TextureMemoryGddr5, TEX_PLAIN_STEPS};
