// SPDX-License-Identifier: Apache-2.0
#include "memory_run.h"

#include <stdlib.h>

#include "csim/base/seconds.h"

// One of the two memory models.
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
  result->delivered =
      (double)(last - first) * run->bytes * 1000 / (double)(values[last] - values[first]);
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
    return (memory_shape_t){p->channels, p->banks, p->rows, p->row_bytes / run->bytes, run->bytes};
  }
  const hmc_params_t *p = run->hmc;
  // Rows of 256 bytes.
  return (memory_shape_t){p->vaults, p->banks, p->bank_mib << 12, 256 / p->block, p->block};
}

// Requests in the order in which they were made.
typedef struct {
  const memory_run_t *run;
  memory_shape_t shape;
  memory_stream_t stream;
  model_t model;
  request_t *requests;
  uint64_t room, made, sent, done, cycle;
  request_t next;  // the stream's next request
  bool ahead;      // it has been read
} driver_t;

static bool add_request(driver_t *d, uint64_t at) {
  if (d->made == d->room) {
    request_t *larger = realloc(d->requests, 2 * d->room * sizeof *larger);
    if (!larger) {
      return false;
    }
    d->requests = larger;
    d->room *= 2;
  }
  d->requests[d->made++] = (request_t){d->next.address, at, 0};
  d->ahead = false;
  return true;
}

// Makes the requests that are due: all whose time has come, or as many as the window has room for.
// Returns false if memory runs out.
static bool make_requests(driver_t *d, uint64_t now) {
  const memory_run_t *run = d->run;
  const bool open_loop = run->load > 0;
  while (open_loop || d->made - d->done < run->window) {
    if (!d->ahead) {
      uint64_t address = memory_stream_next(&d->stream, &d->next.at);
      d->next.address = run->gddr5 ? memory_stream_gddr5(run->gddr5, &d->shape, address) : address;
      d->ahead = true;
    }
    if (open_loop && d->next.at > now) {
      break;
    }
    if (!add_request(d, open_loop ? d->next.at : now)) {
      return false;
    }
  }
  return true;
}

// Runs until all requests are answered. Returns false if memory runs out.
static bool drive(driver_t *d) {
  bool more = true;
  for (; more || d->done < d->made; d->cycle++) {
    memory_response_t response;
    const uint64_t now = d->cycle * MemoryPsPerCycle;
    while (pop(&d->model, &response)) {
      d->requests[response.tag].done = now;
      d->done++;
    }
    more = more && (d->made < d->run->least || d->cycle < d->run->duration);
    if (more && !make_requests(d, now)) {
      return false;
    }
    while (d->sent < d->made &&
           push(&d->model, d->requests[d->sent].address, d->run->bytes, d->sent)) {
      d->sent++;
    }
    step(&d->model);
  }
  return true;
}

bool memory_run(const memory_run_t *run, memory_result_t *result, err_t *err) {
  driver_t d = {.run = run, .shape = shape_of(run), .model.logic = run->logic, .room = 1 << 16};
  memory_stream_init(&d.stream, &d.shape, run->pattern, run->bytes, run->load, run->seed);
  if (run->gddr5) {
    d.model.gddr5 = gddr5_create(run->gddr5, NULL, err);
  } else {
    d.model.hmc = hmc_create(run->hmc, err);
  }
  const bool made = d.model.hmc || d.model.gddr5;
  d.requests = malloc(d.room * sizeof *d.requests);
  const double start = seconds_cpu();
  bool ok = d.requests && made && drive(&d);
  if (ok) {
    result->requests = d.made;
    result->cycles = d.cycle;
    result->seconds = seconds_cpu() - start;
    ok = evaluate(run, d.requests, d.made, result);
  }
  if (!ok && made) {
    err_set(err, ErrMachine, "out of memory");
  }
  hmc_destroy(d.model.hmc);
  gddr5_destroy(d.model.gddr5);
  free(d.requests);
  return ok;
}
