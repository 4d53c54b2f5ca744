// SPDX-License-Identifier: Apache-2.0
// The options of the run, the frame in progress, and what of it a frame file cannot hold.
#include <stdio.h>
#include <string.h>

#include "capture.h"

capture_options_t capture_options;
long capture_frame;

static uint64_t lost[CaptureLostCount];

void capture_lost(capture_lost_e what) { lost[what]++; }

void capture_lost_clear(void) { memset(lost, 0, sizeof lost); }

void capture_lost_tell(void) {
  static const char *const names[CaptureLostCount] = {
      "colour attachments beyond the first",
      "texture stages beyond two",
      "textures other than 2D",
      "texture environments",
      "programs without captured outputs",
      "draws of points or lines",
      "framebuffer blits",
      "values without a counterpart",
      "draws whose feedback passes differ",
      "display lists not taken apart",
      "draws by glBegin or display lists without transform feedback",
      "texture reads beyond the stages",
      "branches of unknown outcome",
      "programs without skeletons"};
  for (int i = 0; i < CaptureLostCount; i++) {
    if (lost[i]) {
      fprintf(stderr, "capture: frame %ld: left out or approximated: %llu x %s\n", capture_frame,
              (unsigned long long)lost[i], names[i]);
    }
  }
}
