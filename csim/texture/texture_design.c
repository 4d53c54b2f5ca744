// SPDX-License-Identifier: Apache-2.0
#include "texture_design.h"

#define DECLARE(enumerator, name) extern const texture_design_t texture_design_##name;
TEXTURE_DESIGNS(DECLARE)

#define NAME(enumerator, name) #name,
const char *const TextureDesignNames[TextureDesignCount + 1] = {TEXTURE_DESIGNS(NAME) NULL};

const texture_design_t *texture_design(uint32_t design) {
#define ADDRESS(enumerator, name) &texture_design_##name,
  static const texture_design_t *const designs[] = {TEXTURE_DESIGNS(ADDRESS)};
  return designs[design];
}
