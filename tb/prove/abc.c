// SPDX-License-Identifier: Apache-2.0
#include "abc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"

enum { LineSize = 512 };

bool abc_ask(const char *path, const char *commands, uint32_t seconds, uint32_t *frames) {
  char *line = text_make("ulimit -t %u; exec yosys-abc -c 'read_aiger %s; %s' 2>&1", seconds, path,
                         commands);
  char said[LineSize];
  bool found = false;
  fflush(NULL);
  FILE *abc = popen(line, "r");
  *frames = 0;
  while (abc && fgets(said, sizeof said, abc)) {
    const char *frame = strstr(said, "was asserted in frame ");
    found |= strstr(said, "Property proved") != NULL;
    if (frame && sscanf(frame, "was asserted in frame %u", frames) == 1) {
      ++*frames;
    }
  }
  if (abc) {
    pclose(abc);
  }
  free(line);
  return found;
}

// Behind the registers' first values, of which abc may have left out some.
bool abc_take_run(const char *path, uint32_t inputs, reel_t *r) {
  const size_t needed = (size_t)(r->cycles - 1) * inputs;
  char *line = NULL;
  size_t room = 0;
  FILE *f = fopen(path, "r");
  const size_t size = f && getline(&line, &room, f) > 0 ? strspn(line, "01") : 0;
  const bool ok = size >= needed;
  for (uint32_t c = 0; ok && c < r->cycles; c++) {
    const char *frame = line + size - needed + (c ? (size_t)(c - 1) * inputs : 0);
    const char *in = c ? frame : frame + r->in_bits + 1;
    for (uint32_t i = 0; i < r->in_bits; i++) {
      r->in[(size_t)c * r->in_bits + i] = in[i] == '1';
    }
    r->reset[c] = c == 0 || frame[r->in_bits] == '1';
  }
  if (f) {
    fclose(f);
  }
  free(line);
  return ok;
}
