// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "swarm_internal.h"

enum { ChunkSize = 96, MostLevels = 64 };

// ---- The order of evaluation ----

// How many products lie before a node, in a row.
static void find_levels(const aiger_t *a, uint8_t *level) {
  const uint32_t first = 1 + a->inputs + a->latches;
  for (bool again = a->product_count > 0; again;) {
    again = false;
    for (uint32_t i = 0; i < a->ands; i++) {
      const uint8_t x = level[a->operands[i][0] / 2], y = level[a->operands[i][1] / 2];
      level[first + i] = x > y ? x : y;
    }
    for (uint32_t i = 0; i < a->product_count; i++) {
      const aiger_product_t *p = &a->products[i];
      uint8_t most = 0;
      for (uint32_t b = 0; p->is_open && b < ProductMostBits; b++) {
        const uint8_t x = level[a->output[p->a[b]] / 2], y = level[a->output[p->b[b]] / 2];
        most = x > most ? x : most;
        most = y > most ? y : most;
      }
      if (most + 1 >= MostLevels) {
        fault(FaultUsage, "not known to the prover: products in a ring");
      }
      for (uint32_t b = 0; p->is_open && b < ProductMostBits; b++) {
        again |= level[1 + p->y[b]] != most + 1;
        level[1 + p->y[b]] = (uint8_t)(most + 1);
      }
    }
  }
}

// Marks the nodes that inputs change.
static uint8_t *find_in(const aiger_t *a) {
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *is_in = fault_calloc(first + a->ands, 1);
  memset(is_in + 1, 1, a->inputs);
  for (uint32_t i = 0; i < a->ands; i++) {
    is_in[first + i] = is_in[a->operands[i][0] / 2] | is_in[a->operands[i][1] / 2];
  }
  return is_in;
}

// Marks the nodes that outputs depend on.
static uint8_t *find_out(const aiger_t *a) {
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *is_out = fault_calloc(first + a->ands, 1);
  for (uint32_t i = 0; i < a->out_bits; i++) {
    is_out[a->output[a->output_of[i]] / 2] = 1;
  }
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = a->ands; i-- > 0;) {
      for (uint32_t k = 0; k < 2 && is_out[first + i]; k++) {
        is_out[a->operands[i][k] / 2] = 1;
      }
    }
    for (uint32_t i = 0; i < a->product_count; i++) {
      const aiger_product_t *p = &a->products[i];
      bool needed = false;
      for (uint32_t b = 0; p->is_open && b < ProductMostBits; b++) {
        needed |= is_out[1 + p->y[b]];
      }
      for (uint32_t b = 0; needed && b < ProductMostBits; b++) {
        again |= !is_out[a->output[p->a[b]] / 2] || !is_out[a->output[p->b[b]] / 2];
        is_out[a->output[p->a[b]] / 2] = is_out[a->output[p->b[b]] / 2] = 1;
      }
    }
  }
  return is_out;
}

static void add_step(swarm_t *w, const swarm_step_t *step) {
  w->s.steps = fault_realloc(w->s.steps, w->s.step_count + 1, sizeof *step);
  w->s.steps[w->s.step_count++] = *step;
}

static void add_products(swarm_t *w, const uint8_t *level, const uint8_t *is_out, uint32_t l) {
  const aiger_t *a = w->aiger;
  for (uint32_t i = 0; i < a->product_count; i++) {
    const aiger_product_t *p = &a->products[i];
    if (p->is_open && level[1 + p->y[0]] == l) {
      bool needed = false;
      for (uint32_t b = 0; b < ProductMostBits; b++) {
        needed |= is_out[1 + p->y[b]];
      }
      add_step(w, &(swarm_step_t){
                      .a = p->a, .b = p->b, .y = p->y, .is_product = true, .is_out = needed});
    }
  }
}

// By level; in a level first what outputs depend on, of that first what no input changes.
void swarm_make_order(swarm_t *w) {
  const aiger_t *a = w->aiger;
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *level = fault_calloc(first + a->ands, 1), *is_out = find_out(a);
  uint8_t *is_in = find_in(a);
  uint8_t *reached = flaw_reached(a);
  uint32_t at = 0, done = 0;
  find_levels(a, level);
  for (uint32_t i = 0; i < a->ands; i++) {
    done += !reached[first + i];
  }
  for (uint32_t l = 0; l < MostLevels && (done < a->ands || l == 0); l++) {
    add_products(w, level, is_out, l);
    for (uint32_t kind = 0; kind < 3; kind++) {
      const bool out = kind < 2, held = kind == 0;
      swarm_step_t step = {.is_out = out, .is_held = held, .first = at};
      for (uint32_t i = 0; i < a->ands; i++) {
        const uint32_t n = first + i;
        if (!reached[n] || level[n] != l || is_out[n] != out || (out && is_in[n] == held)) {
          continue;
        }
        w->order[at++] = i;
        w->step_of[i] = w->s.step_count;
        done++;
        if (++step.count == ChunkSize) {
          add_step(w, &step);
          step = (swarm_step_t){.is_out = out, .is_held = held, .first = at};
        }
      }
      if (step.count) {
        add_step(w, &step);
      }
    }
  }
  free(level);
  free(is_in);
  free(is_out);
  free(reached);
}

// ---- The graph as C ----

// Nodes that something outside their own function reads.
static uint8_t *find_shared(const swarm_t *w) {
  const aiger_t *a = w->aiger;
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *shared = fault_calloc(first + a->ands, 1);
  for (uint32_t i = 0; i < a->ands; i++) {
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t from = a->operands[i][k] / 2;
      shared[from] |= from >= first && w->step_of[from - first] != w->step_of[i];
    }
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    shared[a->next[i] / 2] = 1;
  }
  for (uint32_t i = 0; i < a->outputs; i++) {
    shared[a->output[i] / 2] = 1;
  }
  return shared;
}

static void put_literal(FILE *f, const uint32_t *home, uint32_t chunk, uint32_t l) {
  const char *inverted = l & 1 ? "~" : "";
  if (home[l / 2] == chunk) {
    fprintf(f, "%sx%u", inverted, l / 2);
  } else {
    fprintf(f, "%sn[%u]", inverted, l / 2);
  }
}

static void put_chunk(FILE *f, const swarm_t *w, const swarm_step_t *step, const uint8_t *shared,
                      uint32_t *home, uint32_t chunk) {
  const aiger_t *a = w->aiger;
  const uint32_t first = 1 + a->inputs + a->latches;
  fprintf(f, "static void chunk_%u(swarm_word_t *restrict n) {\n", chunk);
  for (uint32_t i = step->first; i < step->first + step->count; i++) {
    const uint32_t n = w->order[i];
    fprintf(f, "  const swarm_word_t x%u = ", first + n);
    put_literal(f, home, chunk, a->operands[n][0]);
    fprintf(f, " & ");
    put_literal(f, home, chunk, a->operands[n][1]);
    fprintf(f, ";\n");
    if (shared[first + n]) {
      fprintf(f, "  n[%u] = x%u;\n", first + n, first + n);
    }
    home[first + n] = chunk;
  }
  fprintf(f, "}\n");
}

bool swarm_is_moved(const aiger_t *a, uint32_t latch) {
  const uint32_t from = a->next[latch] / 2;
  return from > a->inputs && from <= a->inputs + a->latches;
}

static void put_direct(FILE *f, const aiger_t *a) {
  uint32_t chunks = 0, lines = ChunkSize;
  for (uint32_t i = 0; i < a->latches; i++) {
    if (swarm_is_moved(a, i)) {
      continue;
    }
    if (lines == ChunkSize) {
      fprintf(f, "%sstatic void direct_%u(swarm_word_t *restrict n) {\n", chunks ? "}\n" : "",
              chunks);
      chunks++;
      lines = 0;
    }
    fprintf(f, "  n[%u] = %sn[%u];\n", 1 + a->inputs + i, a->next[i] & 1 ? "~" : "",
            a->next[i] / 2);
    lines++;
  }
  fprintf(f, "%sstatic swarm_chunk_t *const Direct[] = {", chunks ? "}\n" : "");
  for (uint32_t i = 0; i < chunks; i++) {
    fprintf(f, "direct_%u, ", i);
  }
  fprintf(f, "0};\n");
}

static void put_code(const swarm_t *w, FILE *f) {
  const aiger_t *a = w->aiger;
  uint32_t *home = fault_calloc(1 + a->inputs + a->latches + a->ands, sizeof *home), chunk = 0;
  uint8_t *shared = find_shared(w);
  fprintf(f, "#define SWARM_KERNEL\n#include \"tb/prove/swarm_kernel.h\"\n");
  for (uint32_t i = 0; i < w->s.step_count; i++) {
    if (!w->s.steps[i].is_product) {
      put_chunk(f, w, &w->s.steps[i], shared, home, ++chunk);
    }
  }
  put_direct(f, a);
  fprintf(f, "static swarm_chunk_t *const Chunks[] = {");
  for (uint32_t i = 1; i <= chunk; i++) {
    fprintf(f, "chunk_%u, ", i);
  }
  fprintf(f,
          "0};\nextern const swarm_kernel_t Kernel;\n"
          "const swarm_kernel_t Kernel = {evaluate, take_next, compare, Chunks, Direct};\n");
  free(home);
  free(shared);
}

void swarm_compile(swarm_t *w, const char *folder) {
  const char *compiler = getenv("CC") ? getenv("CC") : "cc";
  char path[4096], object[4096], line[16384];
  snprintf(path, sizeof path, "%s/swarm.c", folder);
  snprintf(object, sizeof object, "%s/swarm.so", folder);
  FILE *f = fopen(path, "w");
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  put_code(w, f);
  if (fclose(f) != 0) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
  snprintf(line, sizeof line,
           "%s -O1 -march=native -mprefer-vector-width=512 -fPIC -shared -I. -o '%s' '%s' "
           ">'%s/swarm.log' 2>&1",
           compiler, object, path, folder);
  if (system(line) != 0 || !(w->library = dlopen(object, RTLD_NOW | RTLD_LOCAL)) ||
      !(w->kernel = dlsym(w->library, "Kernel"))) {
    fault(FaultLacking, "%s: the compiler does not take it: %s/swarm.log", path, folder);
  }
}
