// SPDX-License-Identifier: Apache-2.0
// Readers of text: configurations, named sets, units' pages, recorded vectors, directed sequences.
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/config.h"
#include "csim/base/text.h"
#include "csim/machine/machine_config.h"
#include "csim/unit/page.h"
#include "fuzz.h"
#include "tb/harness/harness.h"
#include "tb/harness/sequence.h"
#include "tb/harness/vectors_play.h"

// ---- Configurations and sets ----

static void check_value(void *self, const config_value_t *v) {
  const config_key_t *k = v->key;
  char *end;
  (void)self;
  if (k->kind == ConfigUint) {
    unsigned long long n = strtoull(v->text, &end, 10);
    if (*end || n < k->min || n > k->max) {
      fuzz_wrong("%s is %s", v->name, v->text);
    }
  } else if (k->kind == ConfigDouble && !k->words) {
    double n = strtod(v->text, &end);
    if (*end || !(n >= k->low && n <= k->high)) {
      fuzz_wrong("%s is %s", v->name, v->text);
    }
  }
}

// assignment: KEY=PATH of a set; NULL: path is a machine's file.
static void read_config(const char *path, const char *assignment) {
  static machine_params_t params;
  err_auto_t err = {0};
  char sha[BaseSha256Text];
  config_t *config = config_create();
  if (!config || !machine_config_add(config, &params, &err)) {
    fuzz_wrong("the defaults: %s", err_text(&err));
  }
  bool taken =
      assignment ? config_set(config, assignment, &err) : config_load_file(config, path, &err);
  if (taken) {
    config_visit(config, check_value, NULL);
    config_sha256(config, sha);
    taken = machine_config_check(config, &params, &err);
  }
  if (!taken) {
    fuzz_refused(err_text(&err));
  }
  config_destroy(config);
}

static void run_config(const uint8_t *data, size_t size) {
  read_config(fuzz_store("input.yaml", data, size), NULL);
}

// The first byte chooses the key among those of the bundled sets.
static void run_set(const uint8_t *data, size_t size) {
  static glob_t keys;
  if (!keys.gl_pathc && glob(CONFIG_SETS "/*", 0, NULL, &keys) != 0) {
    fuzz_wrong("%s: nothing there", CONFIG_SETS);
  }
  if (size > 0) {
    const char *key = keys.gl_pathv[data[0] % keys.gl_pathc] + strlen(CONFIG_SETS) + 1;
    char *assignment = text_make("%s=%s", key, fuzz_store("input.yaml", data + 1, size - 1));
    read_config(NULL, assignment);
    free(assignment);
  }
}

// A set's file, of which the key is not known: the byte says 0.
static size_t convert_set(const uint8_t *file, size_t size, uint8_t *to, size_t room) {
  if (size + 1 > room) {
    return 0;
  }
  to[0] = 0;
  memcpy(to + 1, file, size);
  return size + 1;
}

// ---- Pages ----

static void check_fields(const page_t *page, const page_field_t *fields, uint32_t count,
                         const int64_t params[PageMaxParams]) {
  char text[PageTextSize];
  for (uint32_t i = 0; i < count; i++) {
    const page_field_t *f = &fields[i];
    int64_t bits = page_value(page, f->bits, params), elements = page_value(page, f->count, params);
    if (bits < 1 || bits > 64 || bits > f->bits_max || elements < 1 || elements > f->count_max) {
      fuzz_wrong("%s: %lld bits of %u, %lld elements of %u", f->path, (long long)bits, f->bits_max,
                 (long long)elements, f->count_max);
    }
    page_expr_text(page, f->bits, PageTextRtl, text);
    page_expr_text(page, f->count, PageTextC, text);
  }
}

static void run_page(const uint8_t *data, size_t size) {
  err_auto_t err = {0};
  int64_t params[PageMaxParams];
  page_t *page = page_read(fuzz_store("input.yaml", data, size), &err);
  if (!page) {
    fuzz_refused(err_text(&err));
    return;
  }
  page_defaults(page, params);
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (!page_param_allows(&page->params[i], params[i], &err)) {
      fuzz_wrong("the default: %s", err_text(&err));
    }
  }
  check_fields(page, page->in, page->in_count, params);
  check_fields(page, page->out, page->out_count, params);
  check_fields(page, page->state, page->state_count, params);
  page_free(page);
}

// ---- Stimulus ----

static void run_vectors(const uint8_t *data, size_t size) {
  text_t text = {0};
  err_auto_t err = {0};
  uint64_t clock = 0, differing;
  const harness_options_t options = {.engine = EngineGolden, .seed = 1, .clock = &clock};
  harness_t *h = harness_create(&options);
  if (!h) {
    fuzz_wrong("out of memory");
  }
  if (!vectors_play(h, fuzz_store("input.vec", data, size), &clock, &differing, &text, &err)) {
    fuzz_refused(err_text(&err));
  }
  if (harness_failure(h)) {
    fuzz_wrong("%s", harness_failure(h));
  }
  text_free(&text);
  harness_destroy(h);
}

static void run_sequence(const uint8_t *data, size_t size) {
  err_auto_t err = {0};
  uint64_t clock = 0;
  sequence_result_t result;
  sequence_t *sequence = sequence_load(fuzz_store("input.json", data, size), &err);
  if (!sequence) {
    fuzz_refused(err_text(&err));
    return;
  }
  const harness_options_t options = {.engine = EngineGolden, .seed = 1, .clock = &clock};
  harness_t *h = harness_create(&options);
  if (!h) {
    fuzz_wrong("out of memory");
  }
  if (!sequence_play(sequence, h, &clock, &result, &err)) {
    fuzz_refused(err_text(&err));
  }
  if (harness_failure(h)) {
    fuzz_wrong("%s", harness_failure(h));
  }
  harness_destroy(h);
  sequence_free(sequence);
}

const fuzz_target_t FuzzTexts[] = {
    {"config", "machines (vectors/config)", run_config, true, NULL},
    {"set", "named sets (vectors/sets), a byte before each chooses its key", run_set, true,
     convert_set},
    {"page", "units' pages", run_page, true, NULL},
    {"vectors", "recorded vectors, played in the golden model", run_vectors, true, NULL},
    {"sequence", "directed sequences, played in the golden model", run_sequence, true, NULL},
    {0}};
