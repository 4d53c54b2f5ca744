// SPDX-License-Identifier: Apache-2.0
#include "memory_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void memory_stream_init(memory_stream_t *s, const memory_shape_t *shape, char pattern,
                        uint32_t bytes, double load, uint64_t seed) {
  *s = (memory_stream_t){.shape = *shape, .pattern = pattern, .bytes = bytes,
                         .gap = load > 0 ? 1000.0 * bytes / load : 0};
  rng_seed(&s->addresses, seed);
  rng_seed(&s->arrivals, seed ^ 0x5deece66d);
}

static uint64_t place(const memory_shape_t *g, uint32_t unit, uint32_t bank, uint64_t row,
                      uint64_t column) {
  return (((row * g->columns + column) * g->banks + bank) * g->units + unit) * g->block;
}

uint64_t memory_stream_next(memory_stream_t *s, uint64_t *at) {
  const memory_shape_t *g = &s->shape;
  uint64_t size = (uint64_t)g->units * g->banks * g->rows * g->columns * g->block;
  uint32_t unit = 5 % g->units, bank = 3 % g->banks;
  uint64_t i = s->index++, row, column;
  if (s->gap > 0) {
    double uniform = (double)(rng_u64(&s->arrivals) >> 11) * 0x1p-53;
    s->at -= log(1 - uniform) * s->gap;
  }
  *at = (uint64_t)(s->at + 0.5);
  switch (s->pattern) {
    case 'U': return rng_u64(&s->addresses) % (size / s->bytes) * s->bytes;
    case 'S': return i * s->bytes % size;
    case 'H': return place(g, unit, bank, i / g->columns % g->rows, i % g->columns);
    case 'V': bank = (uint32_t)(rng_u64(&s->addresses) % g->banks); break;
    default: break;
  }
  row = rng_u64(&s->addresses) % g->rows;
  column = rng_u64(&s->addresses) % g->columns;
  return place(g, unit, bank, row, column);
}

// One of the two models behind one shape.
typedef struct {
  hmc_t *hmc;
  gddr5_t *gddr5;
  bool logic;
} model_t;

static bool push(model_t *m, uint64_t address, uint32_t bytes, uint64_t tag) {
  return m->gddr5   ? gddr5_push(m->gddr5, MemoryRead, address, bytes, tag)
         : m->logic ? hmc_logic_read(m->hmc, address, bytes, tag)
                    : hmc_push(m->hmc, MemoryRead, address, bytes, tag);
}

static bool pop(model_t *m, memory_response_t *r) {
  return m->gddr5   ? gddr5_pop(m->gddr5, r)
         : m->logic ? hmc_logic_pop(m->hmc, r)
                    : hmc_pop(m->hmc, r);
}

static void step(model_t *m) {
  if (m->gddr5) {
    gddr5_step(m->gddr5);
  } else {
    hmc_step(m->hmc);
  }
}

typedef struct {
  uint64_t address, at, done;  // ps
} request_t;

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static bool evaluate(const memory_run_t *run, const request_t *requests, uint64_t n,
                     memory_result_t *result) {
  uint64_t *values = malloc((n + 1) * sizeof *values);
  if (!values) {
    return false;
  }
  uint64_t first = n / 10, last = n - n / 20 - 1;
  for (uint64_t i = 0; i < n; i++) {
    values[i] = requests[i].done;
  }
  qsort(values, n, sizeof *values, by_value);
  result->delivered = (double)(last - first) * run->bytes * 1000 /
                      (double)(values[last] - values[first]);
  uint64_t count = 0;
  double sum = 0;
  for (uint64_t i = first; i <= last; i++) {
    values[count++] = requests[i].done - requests[i].at;
    sum += (double)values[count - 1];
  }
  qsort(values, count, sizeof *values, by_value);
  result->mean = sum / (double)count / 1000;
  result->median = (double)values[(count - 1) / 2] / 1000;
  result->min = (double)values[0] / 1000;
  result->max = (double)values[count - 1] / 1000;
  free(values);
  return true;
}

static memory_shape_t shape_of(const memory_run_t *run) {
  if (run->gddr5) {
    const gddr5_params_t *p = run->gddr5;
    return (memory_shape_t){p->channels, p->banks, p->rows, p->row_bytes / run->bytes,
                            run->bytes};
  }
  const hmc_params_t *p = run->hmc;
  // Rows of 256 bytes.
  return (memory_shape_t){p->vaults, p->banks, p->bank_mib << 12, 256 / p->block, p->block};
}

// The streams count channel, bank, column, row from low to high; GDDR5 has the columns below
// the banks.
static uint64_t gddr5_address(const gddr5_params_t *p, const memory_shape_t *g, uint64_t address) {
  uint64_t b = address / g->block;
  uint64_t channel = b % g->units, bank = b / g->units % g->banks;
  uint64_t column = b / g->units / g->banks % g->columns;
  uint64_t row = b / g->units / g->banks / g->columns;
  uint64_t local = (row * g->banks + bank) * p->row_bytes + column * g->block;
  return (local / p->interleave * g->units + channel) * p->interleave + local % p->interleave;
}

bool memory_run(const memory_run_t *run, memory_result_t *result, char error[ConfigErrorSize]) {
  memory_shape_t shape = shape_of(run);
  memory_stream_t stream;
  memory_stream_init(&stream, &shape, run->pattern, run->bytes, run->load, run->seed);
  model_t model = {.logic = run->logic};
  if (run->gddr5) {
    model.gddr5 = gddr5_create(run->gddr5, error);
  } else {
    model.hmc = hmc_create(run->hmc, error);
  }
  uint64_t room = 1 << 16, made = 0, sent = 0, done = 0, cycle = 0;
  request_t *requests = malloc(room * sizeof *requests);
  bool ok = requests && (model.hmc || model.gddr5), ahead = false, more = true;
  uint64_t next_address = 0, next_at = 0;
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (; ok && (more || done < made); cycle++) {
    memory_response_t response;
    uint64_t now = cycle * MemoryPsPerCycle;
    while (pop(&model, &response)) {
      requests[response.tag].done = now;
      done++;
    }
    more = more && (made < run->least || cycle < run->duration);
    while (more && (run->load > 0 || made - done < run->window)) {
      if (!ahead) {
        next_address = memory_stream_next(&stream, &next_at);
        if (run->gddr5) {
          next_address = gddr5_address(run->gddr5, &shape, next_address);
        }
        ahead = true;
      }
      if (run->load > 0 && next_at > now) {
        break;
      }
      if (made == room) {
        request_t *larger = realloc(requests, 2 * room * sizeof *requests);
        if (!larger) {
          ok = false;
          break;
        }
        requests = larger;
        room *= 2;
      }
      requests[made++] = (request_t){next_address, run->load > 0 ? next_at : now, 0};
      ahead = false;
    }
    while (ok && sent < made && push(&model, requests[sent].address, run->bytes, sent)) {
      sent++;
    }
    step(&model);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  if (ok) {
    result->requests = made;
    result->cycles = cycle;
    result->seconds = (double)(end.tv_sec - begin.tv_sec) +
                      1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    ok = evaluate(run, requests, made, result);
  }
  if (!ok && (model.hmc || model.gddr5)) {
    snprintf(error, ConfigErrorSize, "out of memory");
  }
  hmc_destroy(model.hmc);
  gddr5_destroy(model.gddr5);
  free(requests);
  return ok;
}
