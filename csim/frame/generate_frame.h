// SPDX-License-Identifier: Apache-2.0
// Generated workloads: frames made from stated parameters and a seed.
//
//   gen:cod2 cry grid mirror nfs stal ut3 wolf   CHOPIN, Table III: resolution, draws and
//       triangles exact; composition groups as VI-E in the mean over the games. Every
//       parameter and where it comes from: docs/model/workloads.md. cod2-WxH ...: in another size.
//   gen:doom3-1280x1024, doom3-640x480 ...       A-TFIM, Table II: the games at its sizes.
//   gen:w1 to w6, m1 to m4, or w1-WxH ...        Emerald, case studies II and I: a model each.
//   gen:g80-WORDS   the G80 study: small quads, lines, points.
//   gen:test-N   a small random frame that visits every kind of state; N is any number.
//
// The same name and seed give the same frame on every machine: integers from the
// project's generator, and only those floating-point operations that IEEE 754 fixes.
#ifndef NOCTURNE_FRAME_GENERATE_FRAME_H
#define NOCTURNE_FRAME_GENERATE_FRAME_H

#include <stdint.h>

#include "frame_sequence.h"

enum { FrameSequenceFrames = 4 };  // of a generated sequence where no count is given

// NULL on an unknown name or out of memory, with one line in error.
frame_t *frame_generate(const char *name, uint64_t seed, err_t *err);

// One of consecutive frames; number 0 is the frame of frame_generate.
frame_t *frame_generate_view(const char *name, uint64_t seed, uint32_t number, err_t *err);

// Consecutive frames: the same scene, whose camera turns. Frame 0 is the one of frame_generate.
frame_sequence_t *frame_sequence_generate(const char *name, uint64_t seed, uint32_t count,
                                          err_t *err);

// A sequence as commands name it; count and seed have a part in a generated one only.
frame_sequence_t *frame_sequence_load(const char *name, uint64_t seed, uint32_t count, err_t *err);

// A frame as commands name it: generated, or a frame file (then the seed has no part).
frame_t *frame_load(const char *name, uint64_t seed, err_t *err);

// The names of the workloads of CHOPIN's Table III, then of A-TFIM's Table II, with "gen:",
// ending with NULL.
const char *const *frame_generate_names(void);

#endif
