// SPDX-License-Identifier: Apache-2.0
#include "memory_system.h"

#include <stdlib.h>

enum {
  QueueRoom = 32,     // requests of a client that wait
  AnswerRoom = 4096,  // reads of a client under way or not yet popped
  ClientShift = 48,
  PackageRoom = 4096,
};

typedef struct {
  uint64_t address, tag;
  uint32_t bytes;
  bool write;
} queued_t;

typedef struct {
  memory_system_t *memory;
  uint32_t index;
  queued_t queue[QueueRoom];
  uint32_t head, count;
  memory_answer_t answers[AnswerRoom];
  uint32_t answer_head, answer_count;
  uint32_t under_way;  // reads accepted and not yet popped
  memory_client_stats_t stats;
} client_t;

struct memory_system {
  hmc_t *hmc;
  gddr5_t *gddr5;
  client_t clients[MemoryClients];
  uint32_t turn;
  memory_response_t packages[PackageRoom];
  uint32_t package_head, package_count;
};

memory_system_t *memory_system_create(const hmc_params_t *hmc, const gddr5_params_t *gddr5,
                                      err_t *err) {
  memory_system_t *m = calloc(1, sizeof *m);
  if (!m) {
    err_set(err, ErrMachine, "out of memory");
    return NULL;
  }
  if (hmc) {
    m->hmc = hmc_create(hmc, err);
  } else {
    m->gddr5 = gddr5_create(gddr5, err);
  }
  if (!m->hmc && !m->gddr5) {
    free(m);
    return NULL;
  }
  for (uint32_t i = 0; i < MemoryClients; i++) {
    m->clients[i].memory = m;
    m->clients[i].index = i;
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
  if (c->count == QueueRoom || (!write && c->under_way == AnswerRoom)) {
    return false;
  }
  c->queue[(c->head + c->count++) % QueueRoom] = (queued_t){address, tag, bytes, write};
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

memory_port_t memory_system_port(memory_system_t *m, memory_client_e client) {
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
               : gddr5_push(m->gddr5, kind, q->address, q->bytes, tag))) {
    return false;
  }
  c->head = (c->head + 1) % QueueRoom;
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
  for (uint32_t idle = 0; idle < MemoryClients; m->turn = (m->turn + 1) % MemoryClients) {
    idle = send(m, &m->clients[m->turn]) ? 0 : idle + 1;
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

bool memory_system_idle(const memory_system_t *m) {
  for (uint32_t i = 0; i < MemoryClients; i++) {
    if (m->clients[i].count || m->clients[i].under_way) {
      return false;
    }
  }
  return m->package_count == 0 &&
         (m->hmc ? hmc_next_event(m->hmc) : gddr5_next_event(m->gddr5)) == MEMORY_NEVER;
}

void memory_system_skip_to(memory_system_t *m, uint64_t cycle) {
  if (m->hmc) {
    hmc_skip_to(m->hmc, cycle);
  } else {
    gddr5_skip_to(m->gddr5, cycle);
  }
}

const memory_client_stats_t *memory_system_stats(const memory_system_t *m, memory_client_e client) {
  return &m->clients[client].stats;
}
