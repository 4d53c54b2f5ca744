// SPDX-License-Identifier: Apache-2.0
#include "hmc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/rng.h"
#include "hmc_lists.h"

typedef struct {
  list_t host;                  // waiting for the wire
  list_t down;                  // on it
  list_t responses;             // in the switch
  list_t up;                    // on the wire or in the host
  uint64_t down_free, up_free;  // ps
  uint32_t tokens, host_tokens;
  uint32_t response_flits;  // in responses
  returns_t tokens_back, host_tokens_back;
} link_t;

// Between switch and vault.
typedef struct {
  list_t in[VaultClasses];     // in the switch
  list_t out[VaultClasses];    // in the vault
  uint64_t in_free, out_free;  // ps
  uint8_t in_last, out_last;   // class served last
} port_t;

enum { HmcMaxFlits = 1 + HmcMaxRequest / HmcFlit, Wheel = 64 };

struct hmc {
  hmc_params_t params;
  vault_timing_t timing;
  uint64_t now;
  uint64_t order;
  uint64_t capacity;  // bytes
  uint32_t block_shift, vault_shift, bank_mask;
  uint32_t wire_ps[HmcMaxFlits + 1];  // of a packet of so many flits on a link
  uint32_t port_ps[HmcMaxFlits + 1];  // between switch and vault
  uint32_t logic_live;
  uint32_t package_link, pop_link;    // round robin
  list_t packages;                    // at the unit
  list_t logic;                       // data for it
  uint64_t in, out, issue;            // masks of vaults: in.count, out.count, waiting
  uint64_t vault_next[HmcMaxVaults];  // ps before which the vault can do nothing
  uint64_t out_next[HmcMaxVaults];    // cycle before which nothing can leave it
  // Masks of the vaults to look at in a cycle; too early or once too often does no harm.
  uint64_t issue_at[Wheel], out_at[Wheel];
  memory_errors_t errors;
  rng_t rng;
  store_t store;
  hmc_packet_t *pool;  // the store's
  hmc_stats_t stats;
  link_t link[HmcMaxLinks];
  port_t port[HmcMaxVaults];
  vault_t vault[HmcMaxVaults];
};

static inline uint32_t data_flits(uint32_t bytes) { return (bytes + HmcFlit - 1) / HmcFlit; }

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

static uint32_t pool_size(const hmc_params_t *p) {
  return p->links * (p->host_queue + p->tokens + p->host_tokens + p->response_queue) +
         p->vaults * (p->vault_queue + p->vault_responses) + p->logic_reads;
}

// Sets addresses, times of packets, and all links and vaults. cycles, flits: room for tokens on
// their way, `slots` for each direction of each link.
static void set_up(hmc_t *h, uint64_t *cycles, uint32_t *flits, uint32_t slots) {
  const hmc_params_t *p = &h->params;
  h->capacity = (uint64_t)p->vaults * p->banks * p->bank_mib << 20;
  h->block_shift = (uint32_t)__builtin_ctz(p->block);
  h->vault_shift = (uint32_t)__builtin_ctz(p->vaults);
  h->bank_mask = p->banks - 1;
  for (uint32_t i = 0; i <= HmcMaxFlits; i++) {
    // All links together give `bandwidth` bytes a nanosecond.
    uint32_t ps = i * HmcFlit * MemoryPsPerCycle * p->links;
    h->wire_ps[i] = (ps + p->bandwidth - 1) / p->bandwidth;
    h->port_ps[i] = (i * MemoryPsPerCycle + p->vault_port - 1) / p->vault_port;
  }
  for (uint32_t l = 0; l < p->links; l++) {
    link_t *k = &h->link[l];
    k->tokens = p->tokens;
    k->host_tokens = p->host_tokens;
    k->tokens_back = (returns_t){cycles + 2 * l * slots, flits + 2 * l * slots, 0, 0, slots};
    k->host_tokens_back =
        (returns_t){cycles + (2 * l + 1) * slots, flits + (2 * l + 1) * slots, 0, 0, slots};
  }
  for (uint32_t v = 0; v < p->vaults; v++) {
    vault_init(&h->vault[v], &h->timing, v, p->vaults);
    h->vault_next[v] = h->out_next[v] = MEMORY_NEVER;
  }
}

hmc_t *hmc_create(const hmc_params_t *params, err_t *err) {
  const char *wrong = hmc_check(params);
  if (wrong) {
    err_set(err, ErrInput, "%s", wrong);
    return NULL;
  }
  uint32_t packets = pool_size(params), slots = params->link_latency + 2;
  if (packets >= VaultNone) {
    err_set(err, ErrInput, "hmc: queues of %u packets in all, at most %u", packets, VaultNone - 1);
    return NULL;
  }
  hmc_t *h = calloc(1, sizeof *h);
  store_t store;
  uint64_t *cycles = calloc(2 * (size_t)params->links * slots, sizeof *cycles);
  uint32_t *flits = calloc(2 * (size_t)params->links * slots, sizeof *flits);
  if (!store_create(&store, packets) || !h || !cycles || !flits) {
    err_set(err, ErrMachine, "hmc: out of memory");
    store_destroy(&store);
    free(h), free(cycles), free(flits);
    return NULL;
  }
  h->params = *params;
  h->timing = hmc_timing(params);
  h->store = store;
  h->pool = store.packet;
  set_up(h, cycles, flits, slots);
  return h;
}

void hmc_destroy(hmc_t *h) {
  if (h) {
    free(h->link[0].tokens_back.cycle);
    free(h->link[0].tokens_back.flits);
    store_destroy(&h->store);
    free(h);
  }
}

uint64_t hmc_cycle(const hmc_t *h) { return h->now; }

uint32_t hmc_tokens(const hmc_t *h, uint32_t link) {
  return returns_count(h->link[link].tokens_back, h->now, h->link[link].tokens);
}

uint32_t hmc_host_tokens(const hmc_t *h, uint32_t link) {
  return returns_count(h->link[link].host_tokens_back, h->now, h->link[link].host_tokens);
}

void hmc_inject_errors(hmc_t *h, const memory_errors_t *errors) {
  h->errors = *errors;
  rng_seed(&h->rng, errors->seed);
}

// ---- The link side

// With the hash five fields of the block count, each as wide as a vault's number, so that blocks a
// power of two apart spread as well. The bits above the vault stay, so no two blocks share a place.
uint32_t hmc_vault(const hmc_t *h, uint64_t address) {
  enum { Fields = 5 };
  uint64_t blocks = address >> h->block_shift, vault = blocks;
  for (uint32_t i = 1; h->params.vault_hash && i < Fields; i++) {
    vault ^= blocks >> i * h->vault_shift;
  }
  return (uint32_t)vault & (h->params.vaults - 1);
}

// A vault's requests use one link, which keeps those of a bank in order.
static uint32_t link_of(const hmc_t *h, memory_kind_e kind, uint64_t address) {
  uint32_t mask = h->params.links - 1;
  if (kind != MemoryPackage) {
    return hmc_vault(h, address) & mask;
  }
  // A package takes the shortest queue, in turn.
  uint32_t best = h->package_link;
  for (uint32_t i = 1; i <= mask; i++) {
    uint32_t l = (h->package_link + i) & mask;
    best = h->link[l].host.count < h->link[best].host.count ? l : best;
  }
  return best;
}

bool hmc_can_push(const hmc_t *h, memory_kind_e kind, uint64_t address, uint32_t bytes) {
  (void)bytes;
  return h->link[link_of(h, kind, address)].host.count < h->params.host_queue;
}

static void prepare(hmc_t *h, hmc_packet_t *p, memory_kind_e kind, uint64_t address, uint32_t bytes,
                    uint64_t tag) {
  const memory_errors_t *e = &h->errors;
  uint64_t blocks = address >> h->block_shift;
  *p = (hmc_packet_t){.tag = tag,
                      .pushed = h->now,
                      .ready = h->now,
                      .order = h->order++,
                      .bytes = bytes,
                      .kind = (uint8_t)kind,
                      .vault = (uint8_t)hmc_vault(h, address),
                      .bank = (uint8_t)(blocks >> h->vault_shift & h->bank_mask)};
  p->error =
      (e->permille && rng_chance(&h->rng, e->permille)) || (e->mask && (tag & e->mask) == e->match);
  if (kind != MemoryPackage) {
    p->bad = bytes == 0 || bytes > h->params.block || address >= h->capacity ||
             (address + bytes - 1) >> h->block_shift != blocks ||
             (kind == MemoryAtomic && (bytes != HmcFlit || address % HmcFlit));
    p->error |= p->bad;
  }
}

bool hmc_push(hmc_t *h, memory_kind_e kind, uint64_t address, uint32_t bytes, uint64_t tag) {
  if (!hmc_can_push(h, kind, address, bytes)) {
    return false;
  }
  uint32_t link = link_of(h, kind, address);
  uint16_t index = store_allocate(&h->store);
  hmc_packet_t *p = &h->pool[index];
  prepare(h, p, kind, address, bytes, tag);
  // A request that is too large is answered with an error; no packet of such a length exists.
  uint32_t sent = bytes < HmcMaxRequest ? bytes : HmcMaxRequest;
  p->link = (uint8_t)link;
  p->flits = kind == MemoryPackage ? (uint8_t)(sent ? data_flits(sent) : 1)
             : kind == MemoryRead  ? 1
                                   : (uint8_t)(1 + data_flits(sent));
  if (kind == MemoryPackage) {
    h->package_link = (link + 1) & (h->params.links - 1);
  }
  list_append(h->pool, &h->link[link].host, index);
  hmc_traffic_t *traffic = &h->stats.down[kind];
  traffic->packets++;
  traffic->bytes += bytes;
  traffic->flits += p->flits;
  return true;
}

bool hmc_pop(hmc_t *h, memory_response_t *response) {
  for (uint32_t i = 0; i < h->params.links; i++) {
    uint32_t l = (h->pop_link + i) & (h->params.links - 1);
    link_t *k = &h->link[l];
    if (!k->up.count || h->pool[k->up.head].ready > h->now) {
      continue;
    }
    uint16_t index = list_take(h->pool, &k->up);
    const hmc_packet_t *p = &h->pool[index];
    *response = (memory_response_t){p->tag, p->bytes, p->kind, p->error};
    returns_add(&k->host_tokens_back, h->now + h->params.link_latency, p->flits);
    store_release(&h->store, index);
    h->pop_link = (l + 1) & (h->params.links - 1);
    return true;
  }
  return false;
}

// ---- The logic layer

bool hmc_package_available(const hmc_t *h) {
  return h->packages.count && h->pool[h->packages.head].ready <= h->now;
}

bool hmc_package_pop(hmc_t *h, memory_response_t *package) {
  if (!hmc_package_available(h)) {
    return false;
  }
  uint16_t index = list_take(h->pool, &h->packages);
  const hmc_packet_t *p = &h->pool[index];
  *package = (memory_response_t){p->tag, p->bytes, p->kind, p->error};
  returns_add(&h->link[p->link].tokens_back, h->now + h->params.link_latency, p->flits);
  store_release(&h->store, index);
  return true;
}

static uint32_t response_link(const hmc_t *h) {
  uint32_t best = 0;
  for (uint32_t l = 1; l < h->params.links; l++) {
    best = h->link[l].response_flits < h->link[best].response_flits ? l : best;
  }
  return best;
}

bool hmc_can_respond(const hmc_t *h) {
  return h->link[response_link(h)].response_flits < h->params.response_queue;
}

static void queue_response(hmc_t *h, link_t *k, uint16_t index) {
  h->pool[index].ready = h->now + h->params.switch_latency;
  k->response_flits += h->pool[index].flits;
  list_append(h->pool, &k->responses, index);
}

bool hmc_respond(hmc_t *h, uint64_t tag, uint32_t bytes, bool error) {
  if (!hmc_can_respond(h)) {
    return false;
  }
  uint32_t sent = bytes < HmcMaxRequest ? bytes : HmcMaxRequest, link = response_link(h);
  uint16_t index = store_allocate(&h->store);
  h->pool[index] = (hmc_packet_t){.tag = tag,
                                  .pushed = h->now,
                                  .bytes = bytes,
                                  .kind = MemoryPackage,
                                  .link = (uint8_t)link,
                                  .error = error,
                                  .flits = (uint8_t)(sent ? data_flits(sent) : 1)};
  queue_response(h, &h->link[link], index);
  return true;
}

bool hmc_can_logic_read(const hmc_t *h) { return h->logic_live < h->params.logic_reads; }

static void enter_port(hmc_t *h, uint16_t index) {
  const hmc_packet_t *p = &h->pool[index];
  list_append(h->pool, &h->port[p->vault].in[p->class], index);
  h->in |= 1ull << p->vault;
}

bool hmc_logic_read(hmc_t *h, uint64_t address, uint32_t bytes, uint64_t tag) {
  if (!hmc_can_logic_read(h)) {
    return false;
  }
  uint16_t index = store_allocate(&h->store);
  hmc_packet_t *p = &h->pool[index];
  prepare(h, p, MemoryRead, address, bytes, tag);
  p->class = VaultLogic;
  p->flits = 1;
  enter_port(h, index);
  h->logic_live++;
  h->stats.logic_reads++;
  h->stats.logic_bytes += bytes;
  return true;
}

bool hmc_logic_pop(hmc_t *h, memory_response_t *response) {
  if (!h->logic.count || h->pool[h->logic.head].ready > h->now) {
    return false;
  }
  uint16_t index = list_take(h->pool, &h->logic);
  const hmc_packet_t *p = &h->pool[index];
  *response = (memory_response_t){p->tag, p->bytes, p->kind, p->error};
  store_release(&h->store, index);
  h->logic_live--;
  return true;
}

// ---- One cycle

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

void hmc_stats(const hmc_t *h, hmc_stats_t *stats) {
  *stats = h->stats;
  stats->cycles = h->now;
  uint64_t flits = 0, time = h->now * MemoryPsPerCycle;
  for (uint32_t k = 0; k < MemoryKinds; k++) {
    flits += stats->down[k].flits + stats->up[k].flits;
  }
  for (uint32_t v = 0; v < h->params.vaults; v++) {
    const vault_t *vault = &h->vault[v];
    stats->activates += vault->stats.activates;
    stats->refreshes += vault->stats.refreshes;
    stats->dram_read_bytes += vault->stats.read_bytes;
    stats->dram_write_bytes += vault->stats.write_bytes;
    // Refreshes that fell due since the vault was last looked at.
    if (h->timing.trefi && vault->refresh < time) {
      stats->refreshes += (time - vault->refresh - 1) / h->timing.trefi + 1;
    }
  }
  stats->tsv_bytes = stats->dram_read_bytes + stats->dram_write_bytes;
  stats->link_bits = 8ull * HmcFlit * flits;
  stats->dram_bits = 8 * stats->tsv_bytes;
}
