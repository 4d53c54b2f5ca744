// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"
#include "swarm_internal.h"

enum { InUnknown = 2 };

static void *words(size_t count) {
  void *memory = aligned_alloc(sizeof(swarm_word_t), (count + 1) * sizeof(swarm_word_t));
  if (!memory) {
    fault(FaultLacking, "out of memory");
  }
  return memset(memory, 0, (count + 1) * sizeof(swarm_word_t));
}

static void find_moved(swarm_t *w) {
  const aiger_t *a = w->aiger;
  const uint32_t first = 1 + a->inputs;
  for (uint32_t i = 0; i < a->latches; i++) {
    if (swarm_is_moved(a, i) && a->next[i] != 2 * (first + i)) {
      w->moved[w->s.moved_count++] = i;
    }
  }
}

swarm_t *swarm_create(const aiger_t *a, const char *folder) {
  swarm_t *w = fault_calloc(1, sizeof *w);
  w->aiger = a;
  w->order = fault_calloc(a->ands + 1, sizeof *w->order);
  w->step_of = fault_calloc(a->ands + 1, sizeof *w->step_of);
  w->patch_of = fault_calloc(aiger_places(a), sizeof *w->patch_of);
  w->patches = words((SwarmFlaws + 1) * sizeof(swarm_patch_t) / sizeof(swarm_word_t));
  w->moved = fault_calloc(a->latches + 1, sizeof *w->moved);
  w->in = fault_calloc(a->inputs + 1, 1);
  swarm_make_order(w);
  find_moved(w);
  swarm_compile(w, folder);
  for (uint32_t i = 0, chunk = 0; i < w->s.step_count; i++) {
    if (w->s.steps[i].is_product) {
      w->s.steps[i].factors = words(2 * SwarmProductBits);
    } else {
      w->s.steps[i].chunk = w->kernel->chunks[chunk++];
    }
  }
  w->s = (swarm_state_t){.node = words(1 + a->inputs + a->latches + a->ands),
                         .next = words(2 * a->latches),
                         .steps = w->s.steps,
                         .step_count = w->s.step_count,
                         .order = w->order,
                         .operands = (const uint32_t(*)[2])a->operands,
                         .next_of = a->next,
                         .output = a->output,
                         .direct = w->kernel->direct,
                         .moved = w->moved,
                         .flawed = fault_calloc(a->latches + 1, sizeof *w->s.flawed),
                         .moved_count = w->s.moved_count,
                         .inputs = a->inputs,
                         .latches = a->latches,
                         .ands = a->ands,
                         .patch_of = w->patch_of,
                         .patches = w->patches};
  return w;
}

void swarm_destroy(swarm_t *w) {
  for (uint32_t i = 0; i < w->s.step_count; i++) {
    free(w->s.steps[i].factors);
  }
  free(w->s.node);
  free(w->s.next);
  free(w->s.steps);
  free(w->s.flawed);
  free(w->moved);
  free(w->in);
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
  for (uint32_t i = 0; used && i < w->s.latches; i++) {
    if (w->patch_of[1 + w->s.inputs + i] ||
        w->patch_of[aiger_operand(w->aiger, w->s.ands, 0) + i]) {
      w->s.flawed[w->s.flawed_count++] = i;
    }
  }
  for (uint32_t i = aiger_operand(w->aiger, w->s.ands, w->s.latches); i < aiger_places(w->aiger);
       i++) {
    w->s.out_is_patched |= w->patch_of[i] != 0;
  }
}

static void unpatch(swarm_t *w, const flaw_t *flaws, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    w->patch_of[flaws[i].place] = 0;
  }
  for (uint32_t i = 0; i < w->s.step_count; i++) {
    w->s.steps[i].is_patched = false;
  }
  w->s.flawed_count = 0;
  w->s.out_is_patched = false;
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
    const bool is_set = bit < AigerMutant ? in && in[bit] : rst_ni;
    if ((bit < AigerMutant || bit == AigerReset) && w->in[i] != is_set) {
      set_node(w, 1 + i, is_set);
      w->in[i] = is_set;
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
  memset(w->in, InUnknown, a->inputs);
  for (uint32_t i = 0; i < w->s.step_count; i++) {
    w->s.steps[i].is_multiplied = false;
  }
  set_inputs(w, NULL, false);
  w->kernel->evaluate(&w->s, true);
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

// The registers of a lane, a bit each.
static void get_registers(const swarm_t *w, uint32_t lane, uint64_t *state) {
  const aiger_t *a = w->aiger;
  memset(state, 0, (a->latches / 64 + 1) * sizeof *state);
  for (uint32_t i = 0; i < a->latches; i++) {
    state[i / 64] |= (uint64_t)get_bit(&w->s.node[1 + a->inputs + i], lane) << i % 64;
  }
}

void swarm_states(swarm_t *w, const reel_t *r, uint64_t seed, const flaw_t *flaws, uint32_t count,
                  void *context,
                  void (*take)(void *context, uint32_t flaw, const uint64_t *unit,
                               const uint64_t *flawed)) {
  const uint32_t words = w->aiger->latches / 64 + 1;
  uint64_t *unit = fault_calloc(2 * words, sizeof *unit), *flawed = unit + words;
  patch(w, flaws, count);
  start(w, seed, flaws, count);
  for (uint32_t c = 0; c < r->cycles; c++) {
    run_cycle(w, r, c);
    get_registers(w, 0, unit);
    for (uint32_t lane = 1; lane <= count; lane++) {
      get_registers(w, lane, flawed);
      take(context, lane - 1, unit, flawed);
    }
  }
  unpatch(w, flaws, count);
  free(unit);
}

void swarm_differences(swarm_t *w, const reel_t *r, uint64_t seed, const flaw_t *flaws,
                       uint32_t count, void *context,
                       void (*take)(void *context, uint32_t flaw, uint32_t latch)) {
  const swarm_word_t *registers = w->s.node + 1 + w->aiger->inputs;
  patch(w, flaws, count);
  start(w, seed, flaws, count);
  for (uint32_t c = 0; c < r->cycles; c++) {
    run_cycle(w, r, c);
    for (uint32_t i = 0; i < w->aiger->latches; i++) {
      uint64_t lanes[SwarmParts];
      if (find_strays(&registers[i], count, lanes)) {
        for (uint32_t lane = 1; lane <= count; lane++) {
          if (lanes[lane / 64] >> lane % 64 & 1) {
            take(context, lane - 1, i);
          }
        }
      }
    }
  }
  unpatch(w, flaws, count);
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
