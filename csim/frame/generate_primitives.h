// SPDX-License-Identifier: Apache-2.0
// Generator of gen:g80-WORDS, the scenes of the G80 study (E2 to E4, 5.5): small quads, lines and
// points that tile a window. The words: docs/model/workloads.md.
#ifndef NOCTURNE_FRAME_GENERATE_PRIMITIVES_H
#define NOCTURNE_FRAME_GENERATE_PRIMITIVES_H

#include "csim/base/err.h"
#include "frame.h"

frame_t *generate_primitives(const char *name, err_t *err);

#endif
