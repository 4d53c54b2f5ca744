// SPDX-License-Identifier: Apache-2.0
// Plays recorded vectors in any engine.
#ifndef NOCTURNE_HARNESS_VECTORS_PLAY_H
#define NOCTURNE_HARNESS_VECTORS_PLAY_H

#include "harness.h"

// Plays a file of recorded vectors (vectors.h): makes the unit that it names and gives it the same
// inputs. *differing counts outputs that differ from the record; text names the first. Fails on a
// broken file or without a simulator.
bool vectors_play(harness_t *harness, const char *path, uint64_t *clock, uint64_t *differing,
                  text_t *text, err_t *err);

#endif
