// SPDX-License-Identifier: Apache-2.0
// The translator's instructions against clang's, on random words:
//   prove_instructions FILE.bc FILE.so NAME...   each a function of three words: "ok" or "not ok"
//   prove_instructions FILE.bc - NAME            what it owes, one line each; or its refusal
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "tb/prove/bitcode.h"

enum { Words = 3, WordBits = 64, Vectors = 400, Bound = 40 };

typedef uint64_t function_t(uint64_t, uint64_t, uint64_t);

// Small numbers, near ones and bit patterns as often as any.
static uint64_t draw(rng_t *rng, uint64_t last) {
  switch (rng_below(rng, 5)) {
    case 0: return rng_below(rng, 20);
    case 1: return last + rng_below(rng, 3) - 1;
    case 2: return UINT64_C(1) << rng_below(rng, 64);
    case 3: return -(uint64_t)rng_below(rng, 20);
    default: return rng_u64(rng);
  }
}

static bool compare(const aig_t *aig, const value_t *result, const value_t *in, const char *name,
                    function_t *compiled) {
  uint8_t *value = fault_calloc(aig_count(aig), 1);
  rng_t rng;
  bool ok = true;
  rng_seed(&rng, rng_name(name));
  for (uint32_t n = 0; n < Vectors && ok; n++) {
    uint64_t words[Words], got = 0, last = 0;
    for (uint32_t i = 0; i < Words; i++) {
      last = words[i] = draw(&rng, last);
      for (uint32_t b = 0; b < WordBits; b++) {
        value[in[i].bits[b] / 2] = words[i] >> b & 1;
      }
    }
    aig_evaluate(aig, value);
    for (uint32_t b = 0; b < WordBits; b++) {
      got |= (uint64_t)aig_value(value, result->bits[b]) << b;
    }
    const uint64_t expected = compiled(words[0], words[1], words[2]);
    ok = got == expected;
    if (!ok) {
      printf("not ok %s: of %" PRIx64 " %" PRIx64 " %" PRIx64 ": expected %" PRIx64 ", got %" PRIx64
             "\n",
             name, words[0], words[1], words[2], expected, got);
    }
  }
  free(value);
  return ok;
}

static bool try(const char *path, void *compiled, const char *name) {
  aig_t *aig = aig_create();
  bitcode_t *p = bitcode_load(path, aig, products_create(aig), Bound);
  value_t in[Words];
  for (uint32_t i = 0; i < Words; i++) {
    lit_t bits[WordBits];
    for (uint32_t b = 0; b < WordBits; b++) {
      bits[b] = aig_variable(aig);
    }
    in[i] = value_word(bitcode_arena(p), WordBits, bits);
  }
  const value_t result = bitcode_call(p, name, in, Words);
  uint32_t count;
  const obligation_t *owed = bitcode_obligations(p, &count);
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    ok = compiled == NULL;
    printf("%sowed: %s\n", compiled ? "not ok " : "", owed[i].what);
  }
  if (compiled) {
    function_t *function;
    *(void **)&function = dlsym(compiled, name);
    ok = ok && function && compare(aig, &result, in, name, function);
    printf(ok ? "ok %s\n" : "not ok %s\n", name);
  }
  bitcode_destroy(p);
  aig_destroy(aig);
  return ok;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: prove_instructions FILE.bc FILE.so|- NAME...\n");
    return 2;
  }
  void *compiled = strcmp(argv[2], "-") == 0 ? NULL : dlopen(argv[2], RTLD_NOW);
  if (!compiled && strcmp(argv[2], "-") != 0) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  bool ok = true;
  for (int i = 3; i < argc; i++) {
    ok &= try(argv[1], compiled, argv[i]);
  }
  return !ok;
}
