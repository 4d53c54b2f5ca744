// SPDX-License-Identifier: Apache-2.0
// nocturne memory: the memory models against the measured peers, and their variants.
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "memory_run.h"

enum { Duration = 60000 };  // cycles

typedef struct {
  bool table, variants;
  const char *stream;
} options_t;

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 't': o->table = true; return 0;
    case 'v': o->variants = true; return 0;
    case 's': o->stream = arg; return 0;
    case ARGP_KEY_ARG: argp_error(state, "%s: takes no arguments", arg); return 0;
    case ARGP_KEY_END:
      if (!o->table && !o->variants && !o->stream) {
        argp_error(state, "expected --table, --variants or --stream");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static memory_result_t measure(memory_run_t run) {
  err_auto_t err = {0};
  memory_result_t result;
  run.bytes = run.bytes ? run.bytes : 64;
  run.least = run.least ? run.least : 3000;
  run.duration = run.duration ? run.duration : Duration;
  run.seed = 1;
  if (!memory_run(&run, &result, &err)) {
    exit(cli_fail(&err));
  }
  return result;
}

// Returns the default parameters with a timing set (NULL: the default one).
static hmc_params_t hmc_with(const char *timing) {
  err_auto_t err = {0};
  hmc_params_t params;
  if (!hmc_params_default(&params, timing, &err)) {
    exit(cli_fail(&err));
  }
  return params;
}

static gddr5_params_t gddr5_default(void) {
  err_auto_t err = {0};
  gddr5_params_t params;
  if (!gddr5_params_default(&params, &err)) {
    exit(cli_fail(&err));
  }
  return params;
}

// Prints a row of the table. Returns true if the value lies within `percent` of low to high.
static bool row(const char *config, const char *test, double low, double high, double percent,
                const char *unit, double ours) {
  char expected[64];
  bool met = ours >= low * (1 - percent / 100) && ours <= high * (1 + percent / 100);
  bool one = low == high || isinf(high);
  snprintf(expected, sizeof expected, one ? "%.5g" : "%.5g to %.5g", low, high);
  printf("| %s | %s | %s %s | %.4g %s | %s |\n", config, test, expected, unit, ours, unit,
         met ? "met" : "NOT MET");
  fflush(stdout);
  return met;
}

// Returns the latency of the last of several reads, each sent 100 cycles after the one before.
static double gddr5_alone(const gddr5_params_t *params, const uint64_t *addresses, int count) {
  err_auto_t err = {0};
  gddr5_t *g = gddr5_create(params, NULL, &err);
  uint64_t latency = 0;
  if (!g) {
    exit(cli_fail(&err));
  }
  for (int i = 0; i < count; i++) {
    memory_response_t response;
    uint64_t start = gddr5_cycle(g);
    gddr5_push(g, MemoryRead, addresses[i], 32, 0);
    while (!gddr5_pop(g, &response)) {
      gddr5_step(g);
    }
    latency = gddr5_cycle(g) - start;
    for (int wait = 0; wait < 100; wait++) {
      gddr5_step(g);
    }
  }
  gddr5_destroy(g);
  return (double)latency;
}

// CasHMC, uniform, 64 bytes: offered GB/s, mean latency in ns.
static const double Curve[][2] = {{8, 39.105},  {16, 39.687},  {32, 40.866},
                                  {48, 42.386}, {64, 44.048},  {80, 46.089},
                                  {96, 48.533}, {104, 50.388}, {112, 53.120}};

static bool table(void) {
  hmc_params_t a = hmc_with("cashmc"), b = hmc_with("dramsim3");
  gddr5_params_t c = gddr5_default();
  b.timing.trefi = 0;
  c.interleave = 32;
  bool met = true;
  printf("| configuration | test | peers | ours | within 10 %% |\n|---|---|---|---|---|\n");
#define RUN(...) measure((memory_run_t){__VA_ARGS__})
  met &= row("A", "one outstanding, median", 38.4, 38.4, 10, "ns",
             RUN(.hmc = &a, .pattern = 'U', .window = 1).median);
  met &= row("A", "uniform, saturated", 119, 127, 10, "GB/s",
             RUN(.hmc = &a, .pattern = 'U', .window = 512).delivered);
  met &= row("A", "sequential, saturated", 119, 127, 10, "GB/s",
             RUN(.hmc = &a, .pattern = 'S', .window = 512).delivered);
  met &= row("A", "one vault, saturated", 7.85, 7.85, 10, "GB/s",
             RUN(.hmc = &a, .pattern = 'V', .window = 64).delivered);
  met &= row("A", "one bank, saturated", 1.936, 1.936, 10, "GB/s",
             RUN(.hmc = &a, .pattern = 'B', .window = 64).delivered);
  for (size_t i = 0; i < sizeof Curve / sizeof *Curve; i++) {
    bool anchor = Curve[i][0] == 64;
    char test[64];
    snprintf(test, sizeof test, "uniform at %g GB/s, mean%s", Curve[i][0],
             anchor ? "" : " (within 15 %)");
    met &= row("A", test, Curve[i][1], Curve[i][1], anchor ? 10 : 15, "ns",
               RUN(.hmc = &a, .pattern = 'U', .load = Curve[i][0]).mean);
  }
  met &= row("B", "one bank, saturated", 1.569, 1.569, 10, "GB/s",
             RUN(.hmc = &b, .pattern = 'B', .window = 64).delivered);
  met &= row("B", "one vault, saturated", 10, 10, 10, "GB/s",
             RUN(.hmc = &b, .pattern = 'V', .window = 64).delivered);
  // A hit reads the same row, a closed row follows the reset, a conflict is with another row.
  uint64_t other = (uint64_t)c.channels * c.banks * c.row_bytes;
  met &= row("C", "row hit", 19, 19, 10, "ns", gddr5_alone(&c, (uint64_t[]){0, 256}, 2));
  met &= row("C", "row closed", 31, 31, 10, "ns", gddr5_alone(&c, (uint64_t[]){0}, 1));
  met &= row("C", "row conflict", 43, 43, 10, "ns", gddr5_alone(&c, (uint64_t[]){0, other}, 2));
  met &= row("C", "uniform, saturated", 39, 40, 10, "GB/s",
             RUN(.gddr5 = &c, .pattern = 'U', .bytes = 32, .window = 512).delivered);
  met &= row("C", "sequential, saturated", 125, 128, 10, "GB/s",
             RUN(.gddr5 = &c, .pattern = 'S', .bytes = 32, .window = 512).delivered);
  met &= row("C", "one channel, saturated", 5.00, 5.00, 10, "GB/s",
             RUN(.gddr5 = &c, .pattern = 'V', .bytes = 32, .window = 64).delivered);
  met &= row("C", "one bank, saturated", 0.796, 0.796, 10, "GB/s",
             RUN(.gddr5 = &c, .pattern = 'B', .bytes = 32, .window = 64).delivered);
  met &= row("C", "uniform at 8 GB/s, mean (within 15 %)", 46.3, 46.3, 15, "ns",
             RUN(.gddr5 = &c, .pattern = 'U', .bytes = 32, .load = 8).mean);
  met &= row("C", "uniform at 24 GB/s, mean (within 15 %)", 57.3, 57.3, 15, "ns",
             RUN(.gddr5 = &c, .pattern = 'U', .bytes = 32, .load = 24).mean);
  // This row cannot fail the table: on a busy machine a run may be slow. The best of ten counts.
  double fastest = 0;
  for (int i = 0; i < 10 && (i < 3 || fastest < 2.5); i++) {
    memory_result_t r = RUN(.hmc = &a, .pattern = 'U', .window = 512);
    fastest = fmax(fastest, (double)r.requests / r.seconds * 1e-6);
  }
  row("speed", "uniform, 512 outstanding, at least", 2.5, INFINITY, 0, "million reads/s", fastest);
  return met;
}

static void variant(const char *name, hmc_params_t p) {
  p.logic_reads = 2048;
  printf("| %s | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", name,
         RUN(.hmc = &p, .pattern = 'U', .window = 1).median,
         RUN(.hmc = &p, .pattern = 'U', .window = 512).delivered,
         RUN(.hmc = &p, .pattern = 'U', .window = 2048, .logic = true).delivered,
         RUN(.hmc = &p, .pattern = 'S', .window = 2048, .logic = true).delivered,
         RUN(.hmc = &p, .pattern = 'V', .window = 64, .logic = true).delivered,
         RUN(.hmc = &p, .pattern = 'B', .window = 64, .logic = true).delivered);
  fflush(stdout);
}

static void gddr5_variant(const char *name, const gddr5_params_t *p, uint32_t bytes) {
  printf("| %s | %u | %.1f | %.1f | %.1f | %.2f |\n", name, bytes,
         RUN(.gddr5 = p, .pattern = 'U', .bytes = bytes, .window = 1).median,
         RUN(.gddr5 = p, .pattern = 'U', .bytes = bytes, .window = 512).delivered,
         RUN(.gddr5 = p, .pattern = 'S', .bytes = bytes, .window = 512).delivered,
         RUN(.gddr5 = p, .pattern = 'V', .bytes = bytes, .window = 64).delivered);
  fflush(stdout);
}

static void variants(void) {
  hmc_params_t p = hmc_with(NULL), q;
  gddr5_params_t g = gddr5_default();
  printf(
      "| HMC, reads of 64 bytes | unloaded ns | uniform over the links GB/s | uniform inside "
      "GB/s | sequential inside GB/s | one vault GB/s | one bank GB/s |\n"
      "|---|---|---|---|---|---|---|\n");
  variant("default", p);
  q = p, q.bandwidth = 320;
  variant("bandwidth=320", q);
  q = p, q.timing.bandwidth = 10;
  variant("vault_bandwidth=10", q);
  static const char *const Names[] = {"cashmc", "dramsim3", "ramulator", "gem5"};
  for (size_t t = 0; t < sizeof Names / sizeof *Names; t++) {
    char name[32];
    snprintf(name, sizeof name, "timing=%s", Names[t]);
    variant(name, hmc_with(Names[t]));
  }
  printf(
      "\n| GDDR5 | bytes of a read | unloaded ns | uniform GB/s | sequential GB/s "
      "| one channel GB/s |\n|---|---|---|---|---|---|\n");
  gddr5_variant("default", &g, 64);
  gddr5_variant("default", &g, 32);
  g.interleave = 32;
  gddr5_variant("interleave=32", &g, 64);
  gddr5_variant("interleave=32", &g, 32);
  g.interleave = 256;
  gddr5_variant("interleave=256", &g, 64);
}

// Prints one line per request as the peers take them: time in ps, address, bytes, unit, bank, row,
// column.
static int stream(const char *name) {
  static const memory_shape_t Hmc = {32, 8, 65536, 4, 64}, Gddr5 = {8, 16, 4096, 64, 32};
  bool is_hmc = strncmp(name, "hmc:", 4) == 0, is_gddr5 = strncmp(name, "gddr5:", 6) == 0;
  const char *pattern = is_hmc ? name + 4 : name + 6;
  if ((!is_hmc && !is_gddr5) || strlen(pattern) != 1 || !strchr("USVBH", *pattern)) {
    return cli_refuse(ExitUsage, "--stream %s: expected hmc: or gddr5: and one of U, S, V, B, H",
                      name);
  }
  const memory_shape_t *g = is_hmc ? &Hmc : &Gddr5;
  memory_stream_t s;
  memory_stream_init(&s, g, *pattern, g->block, g->block, 1);
  for (int i = 0; i < 100000; i++) {
    uint64_t at, address = memory_stream_next(&s, &at), b = address / g->block;
    uint64_t unit = b % g->units, bank = b / g->units % g->banks;
    uint64_t column = b / g->units / g->banks % g->columns;
    uint64_t row = b / g->units / g->banks / g->columns;
    printf("%" PRIu64 " 0x%" PRIx64 " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", at,
           address, g->block, unit, bank, row, column);
  }
  return ExitPassed;
}

int cli_memory(int argc, char **argv) {
  static const struct argp_option Options[] = {
      {"table", 't', NULL, 0, "the measured peers and ours; fails if a row is not met", 0},
      {"variants", 'v', NULL, 0, "bandwidths and latencies of the variants", 0},
      {"stream", 's', "MODEL:PATTERN", 0, "100,000 requests of a stream, such as hmc:U", 0},
      {0}};
  static const struct argp Parser = {Options, parse, NULL, "Measures the memory models.",
                                     NULL,    NULL,  NULL};
  options_t o = {0};
  cli_parse(&Parser, argc, argv, &o);
  if (o.stream) {
    return stream(o.stream);
  }
  if (o.variants) {
    variants();
  }
  return !o.table || table() ? ExitPassed : ExitFailed;
}
