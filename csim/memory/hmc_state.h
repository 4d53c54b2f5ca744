// SPDX-License-Identifier: Apache-2.0
// The state of a cube. hmc_cube.c sets it up, pushes and pops; hmc_cycle.c moves it on by a cycle.
// Both let packets enter the queues of the switch.
#ifndef NOCTURNE_MEMORY_HMC_STATE_H
#define NOCTURNE_MEMORY_HMC_STATE_H

#include "../base/rng.h"
#include "hmc.h"
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

// Queues a response in the switch for its link.
static inline void queue_response(hmc_t *h, link_t *k, uint16_t index) {
  h->pool[index].ready = h->now + h->params.switch_latency;
  k->response_flits += h->pool[index].flits;
  list_append(h->pool, &k->responses, index);
}

// Queues a request in the switch for its vault.
static inline void enter_port(hmc_t *h, uint16_t index) {
  const hmc_packet_t *p = &h->pool[index];
  list_append(h->pool, &h->port[p->vault].in[p->class], index);
  h->in |= 1ull << p->vault;
}

#endif
