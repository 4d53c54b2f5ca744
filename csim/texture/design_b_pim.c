// SPDX-License-Identifier: Apache-2.0
// B-PIM (A-TFIM, III): the baseline's texture units, plain lines from the cube.
#include "texture_state_internal.h"

const texture_design_t texture_design_b_pim = {.memory = TextureMemoryCube, TEX_PLAIN_STEPS};
