// SPDX-License-Identifier: Apache-2.0
// One cycle of a cube: links, ports and vaults, and the next cycle in which one of them acts.
#include <string.h>

#include "hmc_state.h"

static void wake_at(const hmc_t *h, uint64_t *wheel, uint64_t cycle, uint32_t v) {
  uint64_t at = cycle_sooner(cycle_later(cycle, h->now), h->now + Wheel - 1);
  wheel[at % Wheel] |= 1ull << v;
}

static void wake_vault(hmc_t *h, uint64_t ps, uint32_t v) {
  if (ps < h->vault_next[v]) {
    h->vault_next[v] = ps;
    wake_at(h, h->issue_at, ps / MemoryPsPerCycle, v);
  }
}

// Sends a packet whose turn it is; returns the cycle in which it has arrived.
static uint64_t transmit(const hmc_t *h, uint64_t *wire_free, uint32_t flits) {
  uint64_t start = cycle_later(*wire_free, h->now * MemoryPsPerCycle);
  *wire_free = start + h->wire_ps[flits];
  return memory_cycle(*wire_free) + h->params.link_latency;
}

static void step_link(hmc_t *h, link_t *k) {
  uint64_t end = (h->now + 1) * MemoryPsPerCycle;
  returns_collect(&k->tokens_back, h->now, &k->tokens);
  returns_collect(&k->host_tokens_back, h->now, &k->host_tokens);
  while (k->host.count && k->down_free < end) {
    hmc_packet_t *p = &h->pool[k->host.head];
    if (k->tokens < p->flits) {
      break;
    }
    k->tokens -= p->flits;
    p->ready = transmit(h, &k->down_free, p->flits);
    list_append(h->pool, &k->down, list_take(h->pool, &k->host));
  }
  while (k->down.count && h->pool[k->down.head].ready <= h->now) {
    uint16_t index = list_take(h->pool, &k->down);
    if (h->pool[index].kind == MemoryPackage) {
      h->pool[index].ready = h->now + h->params.switch_latency;
      list_append(h->pool, &h->packages, index);
    } else {
      enter_port(h, index);
    }
  }
  while (k->responses.count && k->up_free < end) {
    hmc_packet_t *p = &h->pool[k->responses.head];
    if (p->ready > h->now || k->host_tokens < p->flits) {
      break;
    }
    k->host_tokens -= p->flits;
    k->response_flits -= p->flits;
    p->ready = transmit(h, &k->up_free, p->flits);
    hmc_traffic_t *traffic = &h->stats.up[p->kind];
    traffic->packets++;
    traffic->bytes += p->kind == MemoryWrite ? 0 : p->bytes;
    traffic->flits += p->flits;
    h->stats.errors += p->error;
    if (p->kind != MemoryPackage) {
      memory_latency_add(&h->stats.latency[p->kind], p->ready - p->pushed);
    }
    list_append(h->pool, &k->up, list_take(h->pool, &k->responses));
  }
}

// Moves packets from the switch to the vault's queue while the port is free.
static void step_in(hmc_t *h, uint32_t v) {
  port_t *port = &h->port[v];
  vault_t *vault = &h->vault[v];
  uint64_t time = h->now * MemoryPsPerCycle;
  while (port->in_free < time + MemoryPsPerCycle) {
    bool ready[VaultClasses];
    for (uint32_t c = 0; c < VaultClasses; c++) {
      ready[c] = port->in[c].count && vault->queued[c] < h->params.vault_queue;
    }
    if (!ready[VaultLink] && !ready[VaultLogic]) {
      break;
    }
    uint32_t c = ready[!port->in_last] ? !port->in_last : port->in_last;
    uint16_t index = list_take(h->pool, &port->in[c]);
    hmc_packet_t *p = &h->pool[index];
    port->in_last = (uint8_t)c;
    port->in_free = cycle_later(port->in_free, time) + h->port_ps[p->flits];
    if (c == VaultLink) {
      returns_add(&h->link[p->link].tokens_back, h->now + h->params.link_latency, p->flits);
    }
    // From the cycle of its last flit on.
    uint64_t last = (port->in_free - 1) / MemoryPsPerCycle;
    p->ready = (last + h->params.switch_latency + h->params.tsv_latency) * MemoryPsPerCycle;
    wake_vault(h, vault_push(vault, h->pool, index), v);
    h->issue |= 1ull << v;
  }
  if (!port->in[VaultLink].count && !port->in[VaultLogic].count) {
    h->in &= ~(1ull << v);
  }
}

static uint8_t response_flits(const hmc_packet_t *p) {
  bool data = (p->kind == MemoryRead || p->kind == MemoryAtomic) && !p->bad;
  return (uint8_t)(1 + (data ? data_flits(p->bytes) : 0));
}

static void step_vault(hmc_t *h, uint32_t v) {
  port_t *port = &h->port[v];
  vault_t *vault = &h->vault[v];
  uint64_t until = (h->now + 1) * MemoryPsPerCycle, done = 0;
  while (h->vault_next[v] < until) {
    bool room = port->out[VaultLink].count < h->params.vault_responses;
    uint32_t classes = 1u << VaultLogic | (room ? 1u << VaultLink : 0);
    uint16_t index = vault_issue(vault, &h->timing, h->params.banks, classes, h->pool, until, &done,
                                 &h->vault_next[v]);
    if (index == VaultNone) {
      break;  // and vault_next is now later
    }
    hmc_packet_t *p = &h->pool[index];
    if (p->kind == MemoryPostedWrite) {
      h->stats.errors += p->error;
      store_release(&h->store, index);
      continue;
    }
    p->flits = response_flits(p);
    p->ready = memory_cycle(done) + h->params.tsv_latency;
    list_append(h->pool, &port->out[p->class], index);
    h->out |= 1ull << v;
    if (p->ready < h->out_next[v]) {
      h->out_next[v] = p->ready;
      wake_at(h, h->out_at, p->ready, v);
    }
  }
  if (vault->waiting[VaultLink] || vault->waiting[VaultLogic]) {
    wake_at(h, h->issue_at, h->vault_next[v] / MemoryPsPerCycle, v);
  } else {
    h->issue &= ~(1ull << v);
  }
}

// Returns the cycle in which the first of a class can leave the vault.
static uint64_t out_ready(const hmc_t *h, const port_t *port, uint32_t class) {
  const list_t *list = &port->out[class];
  if (!list->count) {
    return MEMORY_NEVER;
  }
  const hmc_packet_t *p = &h->pool[list->head];
  bool full = class == VaultLink && h->link[p->link].response_flits >= h->params.response_queue;
  return full ? cycle_later(p->ready, h->now + 1) : p->ready;
}

static void step_out(hmc_t *h, uint32_t v) {
  port_t *port = &h->port[v];
  uint64_t time = h->now * MemoryPsPerCycle;
  for (;;) {
    uint64_t link = out_ready(h, port, VaultLink), logic = out_ready(h, port, VaultLogic);
    uint64_t next = cycle_later(cycle_sooner(link, logic), port->out_free / MemoryPsPerCycle);
    if (next > h->now) {
      h->out_next[v] = next;
      wake_at(h, h->out_at, next, v);
      break;
    }
    bool take_logic = logic <= h->now && (link > h->now || port->out_last == VaultLink);
    uint32_t c = take_logic ? VaultLogic : VaultLink;
    if (c == VaultLink && port->out[c].count == h->params.vault_responses && h->issue >> v & 1) {
      wake_vault(h, time + MemoryPsPerCycle, v);  // room for one more
    }
    uint16_t index = list_take(h->pool, &port->out[c]);
    hmc_packet_t *p = &h->pool[index];
    port->out_last = (uint8_t)c;
    port->out_free = cycle_later(port->out_free, time) + h->port_ps[p->flits];
    if (c == VaultLink) {
      queue_response(h, &h->link[p->link], index);  // the link need not wait for the last flit
    } else {
      p->ready = (port->out_free - 1) / MemoryPsPerCycle + h->params.switch_latency;
      h->stats.errors += p->error;
      memory_latency_add(&h->stats.logic_latency, p->ready - p->pushed);
      list_append(h->pool, &h->logic, index);
    }
  }
  if (!port->out[VaultLink].count && !port->out[VaultLogic].count) {
    h->out &= ~(1ull << v);
    h->out_next[v] = MEMORY_NEVER;
  }
}

void hmc_step(hmc_t *h) {
  if (!h->store.live) {
    h->now++;
    return;
  }
  for (uint32_t l = 0; l < h->params.links; l++) {
    step_link(h, &h->link[l]);
  }
  for (uint64_t m = h->in; m; m &= m - 1) {
    step_in(h, (uint32_t)__builtin_ctzll(m));
  }
  uint32_t slot = h->now % Wheel;
  uint64_t issue = h->issue_at[slot] & h->issue;
  h->issue_at[slot] = 0;
  for (uint64_t m = issue; m; m &= m - 1) {
    step_vault(h, (uint32_t)__builtin_ctzll(m));
  }
  uint64_t out = h->out_at[slot] & h->out;
  h->out_at[slot] = 0;
  for (uint64_t m = out; m; m &= m - 1) {
    step_out(h, (uint32_t)__builtin_ctzll(m));
  }
  h->now++;
}

uint64_t hmc_next_event(const hmc_t *h) {
  if (!h->store.live || h->in) {
    return h->store.live ? h->now : MEMORY_NEVER;
  }
  uint64_t next = cycle_sooner(list_ready(h->pool, &h->packages), list_ready(h->pool, &h->logic));
  for (uint32_t l = 0; l < h->params.links; l++) {
    const link_t *k = &h->link[l];
    next = cycle_sooner(next, list_ready(h->pool, &k->down));
    next = cycle_sooner(next, list_ready(h->pool, &k->up));
    if (k->host.count && k->tokens >= h->pool[k->host.head].flits) {
      next = cycle_sooner(next, k->down_free / MemoryPsPerCycle);
    }
    if (k->responses.count && k->host_tokens >= h->pool[k->responses.head].flits) {
      uint64_t free = k->up_free / MemoryPsPerCycle;
      next = cycle_sooner(next, cycle_later(free, list_ready(h->pool, &k->responses)));
    }
    next = cycle_sooner(next, returns_next(&k->tokens_back));
    next = cycle_sooner(next, returns_next(&k->host_tokens_back));
  }
  for (uint64_t m = h->issue; m; m &= m - 1) {
    next = cycle_sooner(next, h->vault_next[__builtin_ctzll(m)] / MemoryPsPerCycle);
  }
  for (uint64_t m = h->out; m; m &= m - 1) {
    next = cycle_sooner(next, h->out_next[__builtin_ctzll(m)]);
  }
  return next == MEMORY_NEVER ? MEMORY_NEVER : cycle_later(next, h->now);
}

void hmc_skip_to(hmc_t *h, uint64_t cycle) {
  if (cycle <= h->now) {
    return;
  }
  h->now = cycle;
  memset(h->issue_at, 0, sizeof h->issue_at);
  memset(h->out_at, 0, sizeof h->out_at);
  for (uint64_t m = h->issue; m; m &= m - 1) {
    uint32_t v = (uint32_t)__builtin_ctzll(m);
    wake_at(h, h->issue_at, h->vault_next[v] / MemoryPsPerCycle, v);
  }
  for (uint64_t m = h->out; m; m &= m - 1) {
    uint32_t v = (uint32_t)__builtin_ctzll(m);
    wake_at(h, h->out_at, h->out_next[v], v);
  }
}
