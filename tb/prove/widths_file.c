// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "widths.h"

enum { PathSize = 4096 };

static void put_path(const char *bitcode, char path[static PathSize]) {
  const char *slash = strrchr(bitcode, '/');
  snprintf(path, PathSize, "%.*sfound.widths", slash ? (int)(slash - bitcode + 1) : 0, bitcode);
}

// How many objects of this name there are before.
static uint32_t namesakes(const transition_t *t, uint32_t object) {
  uint32_t count = 0;
  for (uint32_t o = 1; o < object; o++) {
    count += strcmp(t->created.memory.objects[o].name, t->created.memory.objects[object].name) == 0;
  }
  return count;
}

static uint32_t find_object(const transition_t *t, const char *name, uint32_t before) {
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    if (strcmp(t->created.memory.objects[o].name, name) == 0 && namesakes(t, o) == before) {
      return o;
    }
  }
  fault(FaultUsage, "found.widths: no object %s, %u", name, before);
}

void widths_write(const transition_t *t, const char *bitcode, const char *const *runs,
                  uint32_t run_count) {
  char path[PathSize];
  put_path(bitcode, path);
  FILE *f = fopen(path, "w");
  for (uint32_t i = 0; f && i < run_count; i++) {
    fprintf(f, "run %s\n", runs[i]);
  }
  for (uint32_t i = 0; f && i < t->state_count; i++) {
    const state_bit_t *b = &t->state[i];
    fprintf(f, "bit %s %u %u\n", t->created.memory.objects[b->object].name, namesakes(t, b->object),
            b->bit);
  }
  for (uint32_t i = 0; f && i < t->range_count; i++) {
    const range_t *r = &t->ranges[i];
    fprintf(f, "range %s %u %u %u %u %u\n", t->created.memory.objects[r->object].name,
            namesakes(t, r->object), r->bit, r->bits, r->most, r->sign);
  }
  const bool is_written = f && !ferror(f);
  if (!f || fclose(f) != 0 || !is_written) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
}

static void read_line(transition_t *t, const char *path, const char *line, const char *params) {
  char name[PathSize];
  uint32_t before, bit;
  range_t r;
  if (sscanf(line, "run %4095[^\n]", name) == 1) {
    transition_reel(t, name, params);
  } else if (sscanf(line, "bit %4095s %u %u", name, &before, &bit) == 3) {
    transition_add(t, find_object(t, name, before), bit);
  } else if (sscanf(line, "range %4095s %u %u %u %u %u", name, &before, &r.bit, &r.bits, &r.most,
                    &r.sign) == 6) {
    r.object = find_object(t, name, before);
    t->ranges = fault_realloc(t->ranges, t->range_count + 1, sizeof *t->ranges);
    t->ranges[t->range_count++] = r;
  } else {
    fault(FaultUsage, "%s: not as it was written: %s", path, line);
  }
}

bool widths_read(transition_t *t, const char *bitcode, const char *params) {
  char path[PathSize], *line = NULL;
  size_t room = 0;
  put_path(bitcode, path);
  FILE *f = fopen(path, "r");
  if (!f) {
    return false;
  }
  while (getline(&line, &room, f) > 0) {
    read_line(t, path, line, params);
  }
  free(line);
  fclose(f);
  t->has_widths = true;
  transition_moments(t);
  return true;
}
