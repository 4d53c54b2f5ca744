// SPDX-License-Identifier: Apache-2.0
// A cube: its making, what is pushed into it and popped from it, its statistics.
#include <stdlib.h>

#include "hmc_state.h"

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
