// SPDX-License-Identifier: Apache-2.0
#include "swarm.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"

enum { ChunkSize = 96, MostLevels = 64 };

struct swarm {
  const aiger_t *aiger;
  const swarm_kernel_t *kernel;
  void *library;
  swarm_state_t s;
  uint32_t *order, *patch_of, *step_of;  // step_of: by conjunction
  swarm_patch_t *patches;
  uint32_t chunk_count;
};

static void *words(size_t count) {
  void *memory = aligned_alloc(sizeof(swarm_word_t), (count + 1) * sizeof(swarm_word_t));
  if (!memory) {
    fault(FaultLacking, "out of memory");
  }
  return memset(memory, 0, (count + 1) * sizeof(swarm_word_t));
}

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

// By level; in a level first what outputs depend on.
static void make_order(swarm_t *w) {
  const aiger_t *a = w->aiger;
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *level = fault_calloc(first + a->ands, 1), *is_out = find_out(a);
  uint8_t *reached = flaw_reached(a);
  uint32_t at = 0, done = 0;
  find_levels(a, level);
  for (uint32_t i = 0; i < a->ands; i++) {
    done += !reached[first + i];
  }
  for (uint32_t l = 0; l < MostLevels && (done < a->ands || l == 0); l++) {
    add_products(w, level, is_out, l);
    for (uint32_t out = 1; out < 2; out--) {
      swarm_step_t step = {.is_out = out, .first = at};
      for (uint32_t i = 0; i < a->ands; i++) {
        const uint32_t n = first + i;
        if (!reached[n] || level[n] != l || is_out[n] != out) {
          continue;
        }
        w->order[at++] = i;
        w->step_of[i] = w->s.step_count;
        done++;
        if (++step.count == ChunkSize) {
          add_step(w, &step);
          step = (swarm_step_t){.is_out = out, .first = at};
        }
      }
      if (step.count) {
        add_step(w, &step);
      }
    }
  }
  free(level);
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
  fprintf(f, "static swarm_chunk_t *const Chunks[] = {");
  for (uint32_t i = 1; i <= chunk; i++) {
    fprintf(f, "chunk_%u, ", i);
  }
  fprintf(f,
          "0};\nextern const swarm_kernel_t Kernel;\n"
          "const swarm_kernel_t Kernel = {evaluate, take_next, compare, Chunks};\n");
  free(home);
  free(shared);
}

static void compile(swarm_t *w, const char *folder) {
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

swarm_t *swarm_create(const aiger_t *a, const char *folder) {
  swarm_t *w = fault_calloc(1, sizeof *w);
  w->aiger = a;
  w->order = fault_calloc(a->ands + 1, sizeof *w->order);
  w->step_of = fault_calloc(a->ands + 1, sizeof *w->step_of);
  w->patch_of = fault_calloc(aiger_places(a), sizeof *w->patch_of);
  w->patches = words((SwarmFlaws + 1) * sizeof(swarm_patch_t) / sizeof(swarm_word_t));
  make_order(w);
  compile(w, folder);
  for (uint32_t i = 0, chunk = 0; i < w->s.step_count; i++) {
    if (!w->s.steps[i].is_product) {
      w->s.steps[i].chunk = w->kernel->chunks[chunk++];
    }
  }
  w->s = (swarm_state_t){.node = words(1 + a->inputs + a->latches + a->ands),
                         .next = words(a->latches),
                         .steps = w->s.steps,
                         .step_count = w->s.step_count,
                         .order = w->order,
                         .operands = (const uint32_t(*)[2])a->operands,
                         .next_of = a->next,
                         .output = a->output,
                         .inputs = a->inputs,
                         .latches = a->latches,
                         .ands = a->ands,
                         .patch_of = w->patch_of,
                         .patches = w->patches};
  return w;
}

void swarm_destroy(swarm_t *w) {
  free(w->s.node);
  free(w->s.next);
  free(w->s.steps);
  free(w->order);
  free(w->step_of);
  free(w->patch_of);
  free(w->patches);
  dlclose(w->library);
  free(w);
}

// ---- Flaws in lanes ----

static void put_bit(swarm_word_t *word, uint32_t lane, bool bit) {
  const uint64_t one = UINT64_C(1) << lane % 64;
  uint64_t *part = (uint64_t *)word + lane / 64;
  *part = bit ? *part | one : *part & ~one;
}

static uint64_t get_part(const swarm_word_t *word, uint32_t part) {
  return ((const uint64_t *)word)[part];
}

static bool get_bit(const swarm_word_t *word, uint32_t lane) {
  return get_part(word, lane / 64) >> lane % 64 & 1;
}

// The conjunction that a place belongs to, or UINT32_MAX.
static uint32_t conjunction_of(const aiger_t *a, uint32_t place) {
  const uint32_t first = 1 + a->inputs + a->latches, readers = aiger_operand(a, 0, 0);
  return place < first                          ? UINT32_MAX
         : place < readers                      ? place - first
         : place < aiger_operand(a, a->ands, 0) ? (place - readers) / 2
                                                : UINT32_MAX;
}

// Places whose patches are the batch's; returns how many.
static void patch(swarm_t *w, const flaw_t *flaws, uint32_t count) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    const flaw_t *f = &flaws[i];
    if (f->mutant) {
      continue;
    }
    uint32_t *number = &w->patch_of[f->place];
    if (!*number) {
      *number = ++used;
      memset(&w->patches[used], 0, sizeof *w->patches);
      memset(&w->patches[used].keep, 0xff, sizeof w->patches->keep);
      const uint32_t n = conjunction_of(w->aiger, f->place);
      if (n != UINT32_MAX) {
        w->s.steps[w->step_of[n]].is_patched = true;
      }
    }
    swarm_patch_t *p = &w->patches[*number];
    put_bit(&p->keep, 1 + i, f->kind == FlawInverted);
    put_bit(&p->set, 1 + i, f->kind == FlawStuck1);
    put_bit(&p->flip, 1 + i, f->kind == FlawInverted);
  }
}

static void unpatch(swarm_t *w, const flaw_t *flaws, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    w->patch_of[flaws[i].place] = 0;
  }
  for (uint32_t i = 0; i < w->s.step_count; i++) {
    w->s.steps[i].is_patched = false;
  }
}

// A node that no conjunction gives, in all lanes, but for their flaws.
static void set_node(swarm_t *w, uint32_t node, bool bit) {
  uint64_t *word = (uint64_t *)&w->s.node[node];
  const uint64_t all = bit ? ~UINT64_C(0) : 0;
  const uint32_t number = w->patch_of[node];
  const swarm_patch_t *p = &w->patches[number];
  for (uint32_t i = 0; i < SwarmParts; i++) {
    word[i] = number ? ((all & ((const uint64_t *)&p->keep)[i]) | ((const uint64_t *)&p->set)[i]) ^
                           ((const uint64_t *)&p->flip)[i]
                     : all;
  }
}

// ---- Play ----

static void set_inputs(swarm_t *w, const uint8_t *in, bool rst_ni) {
  const aiger_t *a = w->aiger;
  for (uint32_t i = 0; i < a->inputs; i++) {
    const uint32_t bit = a->input_bit[i];
    if (bit < AigerMutant) {
      set_node(w, 1 + i, in && in[bit]);
    } else if (bit == AigerReset) {
      set_node(w, 1 + i, rst_ni);
    }
  }
}

// Registers before the first reset, the same in all lanes; the lanes' mutants.
static void start(swarm_t *w, uint64_t seed, const flaw_t *flaws, uint32_t count) {
  const aiger_t *a = w->aiger;
  rng_t rng;
  rng_seed(&rng, seed);
  for (uint32_t i = 0; i < a->latches; i++) {
    set_node(w, 1 + a->inputs + i, rng_u64(&rng) & 1);
  }
  for (uint32_t i = 0; i < a->inputs; i++) {
    const uint32_t bit = a->input_bit[i];
    for (uint32_t k = 0; bit >= AigerMutant && bit < AigerProduct && k < count; k++) {
      put_bit(&w->s.node[1 + i], 1 + k, flaws[k].mutant >> (bit - AigerMutant) & 1);
    }
  }
  set_inputs(w, NULL, false);
  w->kernel->evaluate(&w->s, false);
  w->kernel->clock(&w->s);
}

// The first port that is not as expected in a lane.
static uint32_t port_of(swarm_t *w, const uint8_t *out, uint32_t lane) {
  const aiger_t *a = w->aiger;
  swarm_word_t differs;
  uint32_t bit = 0;
  for (; bit + 1 < a->out_bits; bit++) {
    w->kernel->compare(&w->s, &a->output_of[bit], &out[bit], 1, &differs);
    if (get_bit(&differs, lane)) {
      break;
    }
  }
  return bit;
}

static void run_cycle(swarm_t *w, const reel_t *r, uint32_t c) {
  const uint8_t *in = r->in + (size_t)c * r->in_bits;
  set_inputs(w, in, !r->reset[c]);
  w->kernel->evaluate(&w->s, false);
  w->kernel->clock(&w->s);
  if (r->reset[c]) {
    set_inputs(w, NULL, true);
  }
  w->kernel->evaluate(&w->s, true);
}

void swarm_record(swarm_t *w, reel_t *r, uint64_t seed) {
  const aiger_t *a = w->aiger;
  start(w, seed, NULL, 0);
  for (uint32_t c = 0; c < r->cycles; c++) {
    run_cycle(w, r, c);
    for (uint32_t i = 0; i < a->out_bits; i++) {
      const uint32_t l = a->output[a->output_of[i]];
      r->out[(size_t)c * r->out_bits + i] = get_bit(&w->s.node[l / 2], 0) != (l & 1);
    }
  }
}

void swarm_show(swarm_t *w, const reel_t *r, uint64_t seed, void *context,
                void (*take)(void *context, const uint8_t *state)) {
  const aiger_t *a = w->aiger;
  uint8_t *state = fault_calloc(a->latches + 1, 1);
  start(w, seed, NULL, 0);
  for (uint32_t c = 0; c < r->cycles; c++) {
    run_cycle(w, r, c);
    for (uint32_t i = 0; i < a->latches; i++) {
      state[i] = get_bit(&w->s.node[1 + a->inputs + i], 0);
    }
    take(context, state);
  }
  free(state);
}

// The lanes of a batch in which a register differs from lane 0.
static bool find_strays(const swarm_word_t *word, uint32_t count, uint64_t *lanes) {
  const uint64_t own = get_bit(word, 0) ? ~UINT64_C(0) : 0;
  uint64_t any = 0;
  for (uint32_t k = 0; k < SwarmParts; k++) {
    const uint32_t first = k * 64, most = count + 1;  // lane 0 and the batch
    const uint64_t used = most >= first + 64 ? ~UINT64_C(0)
                          : most > first     ? (UINT64_C(1) << (most - first)) - 1
                                             : 0;
    lanes[k] = (get_part(word, k) ^ own) & used;
    any |= lanes[k];
  }
  return any != 0;
}

void swarm_stray(swarm_t *w, const reel_t *r, uint64_t seed, const flaw_t *flaws, uint32_t count,
                 void *context,
                 void (*take)(void *context, uint32_t flaw, uint32_t latch,
                              const uint64_t *state)) {
  const aiger_t *a = w->aiger;
  const swarm_word_t *registers = w->s.node + 1 + a->inputs;
  uint64_t *state = fault_calloc(a->latches / 64 + 1, sizeof *state);
  patch(w, flaws, count);
  start(w, seed, flaws, count);
  for (uint32_t c = 0; c < r->cycles; c++) {
    run_cycle(w, r, c);
    memset(state, 0, (a->latches / 64 + 1) * sizeof *state);
    for (uint32_t i = 0; i < a->latches; i++) {
      state[i / 64] |= (uint64_t)get_bit(&registers[i], 0) << i % 64;
    }
    for (uint32_t i = 0; i < a->latches; i++) {
      uint64_t lanes[SwarmParts];
      if (find_strays(&registers[i], count, lanes)) {
        for (uint32_t lane = 1; lane <= count; lane++) {
          if (lanes[lane / 64] >> lane % 64 & 1) {
            take(context, lane - 1, i, state);
          }
        }
      }
    }
  }
  unpatch(w, flaws, count);
  free(state);
}

uint32_t swarm_play(swarm_t *w, const reel_t *r, uint64_t seed, const flaw_t *flaws, uint32_t count,
                    kill_t *kills) {
  const aiger_t *a = w->aiger;
  uint64_t alive[SwarmParts] = {0};
  uint32_t left = count, c = 0;
  for (uint32_t i = 1; i <= count; i++) {
    alive[i / 64] |= UINT64_C(1) << i % 64;
  }
  memset(kills, 0, count * sizeof *kills);
  patch(w, flaws, count);
  start(w, seed, flaws, count);
  for (; c < r->cycles && (left || count == 0); c++) {
    const uint8_t *out = r->out + (size_t)c * r->out_bits;
    swarm_word_t differs;
    run_cycle(w, r, c);
    w->kernel->compare(&w->s, a->output_of, out, a->out_bits, &differs);
    if (get_bit(&differs, 0)) {
      fault(FaultRefuted,
            "%s:%u: the unit without a flaw differs at bit %u of out_o: the run is of another "
            "unit, or the engine is wrong",
            r->path, c + 2, port_of(w, out, 0));
    }
    for (uint32_t k = 0; k < SwarmParts; k++) {
      for (uint64_t new = get_part(&differs, k) & alive[k]; new; new &= new - 1) {
        const uint32_t lane = k * 64 + (uint32_t)__builtin_ctzll(new);
        kills[lane - 1] = (kill_t){c + 2, port_of(w, out, lane)};
        left--;
      }
      alive[k] &= ~get_part(&differs, k);
    }
  }
  unpatch(w, flaws, count);
  return c;
}
