// SPDX-License-Identifier: Apache-2.0
// Which frames are captured: those of NOCTURNE_FRAMES, one by one or as sequences.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../csim/frame/frame_sequence.h"
#include "capture.h"

enum { MostRanges = 256 };

typedef struct {
  long first, count;
  bool together;  // one file
} range_t;

static range_t ranges[MostRanges];
static int range_count;
static frame_sequence_t *sequence;  // in the making
static range_t sequence_range;

static bool refuse(const char *frames, const char *at) {
  fprintf(stderr,
          "capture: NOCTURNE_FRAMES=%s: at '%s': expected numbers, or FIRST+COUNT with "
          "a count of 1 to %d, none twice\n",
          frames, at, FrameMaxFrames);
  return false;
}

// NUMBER or FIRST+COUNT; where it ends, NULL: neither.
static const char *read_range(const char *text, range_t *range) {
  char *end;
  *range = (range_t){.first = strtol(text, &end, 10), .count = 1};
  if (end == text || range->first < 0) {
    return NULL;
  }
  if (*end == '+') {
    const char *from = end + 1;
    range->count = strtol(from, &end, 10);
    range->together = true;
    if (end == from || range->count < 1 || range->count > FrameMaxFrames) {
      return NULL;
    }
  }
  return *end == 0 || *end == ',' ? end : NULL;
}

// Returns true if a frame of the last range stands in one before.
static bool overlaps(void) {
  const range_t *last = &ranges[range_count];
  for (int i = 0; i < range_count; i++) {
    if (last->first < ranges[i].first + ranges[i].count &&
        ranges[i].first < last->first + last->count) {
      return true;
    }
  }
  return false;
}

bool capture_wanted_read(const char *frames) {
  const char *at = frames;
  while (*at && range_count < MostRanges) {
    const char *end = read_range(at, &ranges[range_count]);
    if (!end || overlaps()) {
      range_count = 0;
      return refuse(frames, at);
    }
    range_count++;
    at = *end ? end + 1 : end;
  }
  return *at == 0 || refuse(frames, at);
}

bool capture_wanted_any(void) { return range_count > 0; }

static const range_t *range_of(long number) {
  for (int i = 0; i < range_count; i++) {
    if (number >= ranges[i].first && number - ranges[i].first < ranges[i].count) {
      return &ranges[i];
    }
  }
  return NULL;
}

bool capture_wanted(long number) { return range_of(number) != NULL; }

bool capture_wanted_all_before(long number) {
  for (int i = 0; i < range_count; i++) {
    if (number < ranges[i].first + ranges[i].count) {
      return false;
    }
  }
  return true;
}

static void write_sequence(void) {
  err_auto_t err = {0};
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld+%ld.nframe", capture_options.out, sequence_range.first,
           sequence_range.count);
  if (frame_sequence_write(sequence, path, &err)) {
    fprintf(stderr, "capture: %s: %u frames, %u textures\n", path, sequence->count,
            sequence->texture_count);
  } else {
    fprintf(stderr, "capture: %s\n", err_text(&err));
  }
  frame_sequence_free(sequence);
  sequence = NULL;
}

static void add(const range_t *range, frame_t *frame, long number) {
  err_auto_t err = {0};
  char name[512];
  if (!sequence) {
    snprintf(name, sizeof name, "%s, frames %ld to %ld", capture_options.name, range->first,
             range->first + range->count - 1);
    sequence = frame_sequence_create(name);
    sequence_range = *range;
  }
  if (!sequence) {
    fprintf(stderr, "capture: out of memory\n");
    exit(3);
  }
  if (!frame_sequence_add(sequence, frame, &err)) {
    fprintf(stderr, "capture: frame %ld: %s\n", number, err_text(&err));
    exit(3);
  }
  if (number == range->first + range->count - 1) {
    write_sequence();
  }
}

void capture_wanted_keep(frame_t *frame, long number) {
  err_auto_t err = {0};
  char path[4096];
  const range_t *range = range_of(number);
  if (range && range->together) {
    add(range, frame, number);
    return;
  }
  snprintf(path, sizeof path, "%s/%ld.nframe", capture_options.out, number);
  if (!frame_write(frame, path, &err)) {
    fprintf(stderr, "capture: %s\n", err_text(&err));
  }
  frame_free(frame);
}

// A program that ends before the last frame of a sequence leaves those before it. Frames that never
// came are said, and so is a program of which nothing was seen.
__attribute__((destructor)) static void finish(void) {
  if (sequence) {
    fprintf(stderr, "capture: the program ended after %u of %ld frames\n", sequence->count,
            sequence_range.count);
    write_sequence();
  } else if (range_count && capture_frame == 0) {
    fprintf(
        stderr,
        "capture: %s: no frame was seen, since it swaps no buffers by GLX or EGL that this library "
        "stands before; replay a trace instead (apitrace trace, glretrace)\n",
        program_invocation_short_name);
  } else if (range_count && !capture_wanted_all_before(capture_frame)) {
    fprintf(stderr, "capture: %s: it ended after %ld frames, before the last of NOCTURNE_FRAMES\n",
            program_invocation_short_name, capture_frame);
  }
}
