// SPDX-License-Identifier: Apache-2.0
#include "memory_system.h"

#include <stdlib.h>

enum {
  AnswerRoom = 4096,  // reads of a client under way or not yet popped
  ClientShift = 48,
  PackageRoom = 4096,
};

typedef struct {
  uint64_t address, tag;
  uint64_t since;  // cycle, with sources
  uint32_t bytes;
  bool write;
} queued_t;

typedef struct {
  memory_system_t *memory;
  uint32_t index, source;
  queued_t queue[MemoryQueueRoom];
  uint32_t head, count;
  memory_answer_t answers[AnswerRoom];
  uint32_t answer_head, answer_count;
  uint32_t under_way;  // reads accepted and not yet popped
  memory_client_stats_t stats;
} client_t;

struct memory_system {
  hmc_t *hmc;
  gddr5_t *gddr5;
  uint32_t turn;
  memory_response_t packages[PackageRoom];
  uint32_t package_head, package_count;
  gddr5_sources_t sources;
  uint32_t client_count;
  client_t clients[];
};

memory_system_t *memory_system_create(const hmc_params_t *hmc, const gddr5_params_t *gddr5,
                                      const gddr5_sources_t *sources, err_t *err) {
  uint32_t count = MemoryClients + (sources ? sources->sources - 1 : 0);
  memory_system_t *m = calloc(1, sizeof *m + count * sizeof m->clients[0]);
  if (!m) {
    err_set(err, ErrMachine, "out of memory");
    return NULL;
  }
  if (hmc) {
    m->hmc = hmc_create(hmc, err);
  } else {
    m->gddr5 = gddr5_create(gddr5, sources, err);
  }
  if (!m->hmc && !m->gddr5) {
    free(m);
    return NULL;
  }
  m->sources = sources ? *sources : (gddr5_sources_t){.sources = 1};
  m->client_count = count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t others = i - MemoryClients;
    uint32_t source = others < m->sources.cpus ? others : others + 1;
    m->clients[i].memory = m;
    m->clients[i].index = i;
    m->clients[i].source = i < MemoryClients ? m->sources.cpus : source;
  }
  return m;
}

void memory_system_destroy(memory_system_t *m) {
  if (m) {
    if (m->hmc) {
      hmc_destroy(m->hmc);
    }
    if (m->gddr5) {
      gddr5_destroy(m->gddr5);
    }
    free(m);
  }
}

static bool push(void *self, uint64_t address, uint32_t bytes, bool write, uint64_t tag) {
  client_t *c = self;
  if (c->count == MemoryQueueRoom || (!write && c->under_way == AnswerRoom)) {
    return false;
  }
  uint64_t now = c->memory->gddr5 ? gddr5_cycle(c->memory->gddr5) : 0;
  c->queue[(c->head + c->count++) % MemoryQueueRoom] = (queued_t){address, tag, now, bytes, write};
  c->under_way += !write;
  *(write ? &c->stats.write_bytes : &c->stats.read_bytes) += bytes;
  return true;
}

static bool pop(void *self, memory_answer_t *answer) {
  client_t *c = self;
  if (c->answer_count == 0) {
    return false;
  }
  *answer = c->answers[c->answer_head];
  c->answer_head = (c->answer_head + 1) % AnswerRoom;
  c->answer_count--;
  c->under_way--;
  return true;
}

uint32_t memory_system_client(const memory_system_t *m, uint32_t source) {
  return MemoryClients + source - (source > m->sources.cpus);
}

memory_port_t memory_system_port(memory_system_t *m, uint32_t client) {
  return (memory_port_t){&m->clients[client], push, pop};
}

hmc_t *memory_system_hmc(memory_system_t *m) { return m->hmc; }
gddr5_t *memory_system_gddr5(memory_system_t *m) { return m->gddr5; }

bool memory_system_pop_package(memory_system_t *m, memory_response_t *response) {
  if (m->package_count == 0) {
    return false;
  }
  *response = m->packages[m->package_head];
  m->package_head = (m->package_head + 1) % PackageRoom;
  m->package_count--;
  return true;
}

// Sends the head of a client's queue; false: nothing to send, or no room.
static bool send(memory_system_t *m, client_t *c) {
  if (c->count == 0) {
    return false;
  }
  const queued_t *q = &c->queue[c->head];
  memory_kind_e kind = q->write ? MemoryPostedWrite : MemoryRead;
  uint64_t tag = q->tag | (uint64_t)c->index << ClientShift;
  if (!(m->hmc ? hmc_push(m->hmc, kind, q->address, q->bytes, tag)
               : gddr5_push_from(m->gddr5, (gddr5_from_t){c->source, q->since}, kind, q->address,
                                 q->bytes, tag))) {
    return false;
  }
  c->head = (c->head + 1) % MemoryQueueRoom;
  c->count--;
  return true;
}

static void take(memory_system_t *m, const memory_response_t *r) {
  if (r->kind == MemoryPackage) {
    m->packages[(m->package_head + m->package_count++) % PackageRoom] = *r;
    return;
  }
  client_t *c = &m->clients[r->tag >> ClientShift];
  c->answers[(c->answer_head + c->answer_count++) % AnswerRoom] =
      (memory_answer_t){r->tag & ((1ull << ClientShift) - 1), r->error};
}

void memory_system_step(memory_system_t *m) {
  // In turn, one request at a time, until nobody can send.
  for (uint32_t idle = 0; idle < m->client_count;) {
    idle = send(m, &m->clients[m->turn]) ? 0 : idle + 1;
    m->turn = m->turn + 1 == m->client_count ? 0 : m->turn + 1;
  }
  if (m->hmc) {
    hmc_step(m->hmc);
  } else {
    gddr5_step(m->gddr5);
  }
  memory_response_t r;
  while (m->package_count < PackageRoom &&
         (m->hmc ? hmc_pop(m->hmc, &r) : gddr5_pop(m->gddr5, &r))) {
    take(m, &r);
  }
}

static uint64_t next_event(const memory_system_t *m) {
  return m->hmc ? hmc_next_event(m->hmc) : gddr5_next_event(m->gddr5);
}

bool memory_system_idle(const memory_system_t *m) {
  for (uint32_t i = 0; i < m->client_count; i++) {
    if (m->clients[i].count || m->clients[i].under_way) {
      return false;
    }
  }
  return m->package_count == 0 && next_event(m) == MEMORY_NEVER;
}

uint64_t memory_system_next_event(const memory_system_t *m) {
  bool waits = m->package_count != 0;
  for (uint32_t i = 0; i < m->client_count; i++) {
    waits = waits || m->clients[i].answer_count;
  }
  return waits ? (m->hmc ? hmc_cycle(m->hmc) : gddr5_cycle(m->gddr5)) : next_event(m);
}

void memory_system_skip_to(memory_system_t *m, uint64_t cycle) {
  if (m->hmc) {
    hmc_skip_to(m->hmc, cycle);
  } else {
    gddr5_skip_to(m->gddr5, cycle);
  }
}

const memory_client_stats_t *memory_system_stats(const memory_system_t *m, uint32_t client) {
  return &m->clients[client].stats;
}

uint32_t memory_system_waiting(const memory_system_t *m, uint32_t client) {
  return m->clients[client].count;
}

bool memory_system_answers(const memory_system_t *m, uint32_t client) {
  return m->clients[client].answer_count > 0;
}

bool memory_system_client_idle(const memory_system_t *m, uint32_t client) {
  return m->clients[client].count == 0 && m->clients[client].under_way == 0;
}
