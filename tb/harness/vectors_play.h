// SPDX-License-Identifier: Apache-2.0
// Recorded vectors played in any engine.
#ifndef NOCTURNE_HARNESS_VECTORS_PLAY_H
#define NOCTURNE_HARNESS_VECTORS_PLAY_H

#include "harness.h"

// Plays a file of recorded vectors (vectors.h): makes the unit that it names and gives it the same
// inputs. Outputs that differ from the record count in *differing, the first one in text. False
// with one line in error: a broken file, or no simulator.
bool vectors_play(harness_t *harness, const char *path, uint64_t *clock, uint64_t *differing,
                  text_t *text, err_t *err);

#endif
