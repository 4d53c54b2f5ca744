// SPDX-License-Identifier: Apache-2.0
// State of the texture units, and the functions that their files share:
//   texture_unit.c     creation, queues of requests and results, filter stage, step
//   texture_address.c  address stage
//   texture_fetch.c    way to the second-level cache and memory, and back
//   texture_plain.c    lines of plain texels in both caches
//   design_NAME.c      one design each, which fills in the steps of texture_design_t
// texture_unit.c and texture_fetch.c call a design only through its table.
#ifndef NOCTURNE_TEXTURE_TEXTURE_STATE_INTERNAL_H
#define NOCTURNE_TEXTURE_TEXTURE_STATE_INTERNAL_H

#include "../base/cycle.h"
#include "../units/atfim/package.h"
#include "filter.h"
#include "texture_cache.h"
#include "texture_design.h"
#include "texture_map.h"
#include "virtual_texture.h"

enum {
  NoWaiter = 0xffff,
  GroupTexels = 4,    // 2x2, looked up together
  MaxSlots = 32,      // of the offloading unit
  UnitMissTags = 64,  // S-TFIM's memory tags: unit * 64 + miss
};

// A ring of indices or of elements kept elsewhere.
typedef struct {
  uint32_t head, count, size;
} tex_ring_t;

static inline uint32_t tex_ring_place(const tex_ring_t *r, uint32_t n) {
  uint32_t at = r->head + n;
  return at < r->size ? at : at - r->size;
}

static inline uint32_t tex_ring_push(tex_ring_t *r) { return tex_ring_place(r, r->count++); }

static inline void tex_ring_pop(tex_ring_t *r) {
  r->head = r->head + 1 < r->size ? r->head + 1 : 0;
  r->count--;
}

typedef struct {
  texture_quad_t quad;  // quad.stage is not used
  frame_stage_t stage;
  uint64_t accepted;
} tex_request_t;

// A quad between the address stage and the filter.
struct tex_flight {
  tex_request_t request;
  const frame_texture_t *texture;
  const texture_layout_t *layout;
  footprint_t footprint;
  // A-TFIM; the footprint's levels and filter are then the shape's.
  virtual_footprint_t shape;
  virtual_sample_t sample[4][2];  // of each pixel and level
  // The two levels: sides in texels, tiles in a row, the number of the first line, texels.
  struct {
    uint32_t width, height, columns, line;
    const uint32_t *texel;
  } level[2];
  uint32_t parent[4][FootprintParents];  // A-TFIM: plain texels too
  double sum[4][4];                      // the others: samples so far
  uint64_t addressed;  // cycle in which the last address was made, or TEXTURE_NEVER
  uint32_t awaited;    // lines and parents
  uint32_t texels;     // to be filtered
  uint8_t failed;
  uint8_t slot;  // S-TFIM
};

// A line on its way into a first-level cache.
typedef struct {
  uint64_t key;
  uint32_t line;     // plain
  int32_t index;     // in the cache; TextureCacheNone: it is not to be kept
  uint64_t flights;  // plain: that wait for it
  // A line of parents
  bool filtered;
  uint8_t angle;
  uint16_t waiter;  // first of those that wait
  uint16_t failed;  // parents, when it has come
  uint32_t texel[AtfimParents];
  uint32_t request[AtfimRequestWords];
} tex_miss_t;

// Parents of one group, in a line that is under way.
typedef struct {
  uint8_t flight, pixel, level;
  uint8_t members;             // of the group
  uint8_t place[GroupTexels];  // of each in the line
  uint16_t next;
} tex_waiter_t;

typedef struct {
  texture_result_t result;
  uint64_t ready;
  uint8_t slot;  // S-TFIM
} tex_result_t;

struct tex_unit {
  uint64_t wake;     // next cycle in which the unit does anything by itself
  uint64_t stalled;  // since this cycle no room for a miss, or TEXTURE_NEVER
  tex_ring_t request_ring, flight_ring, result_ring;
  tex_request_t *requests;
  tex_flight_t *flights;
  tex_result_t *results;

  // Address stage: the group of texels that comes next.
  bool addressing;
  uint8_t flight, pixel, child, level;
  int32_t credit;  // texel addresses that may be made
  bool grouped;    // lines and parents below belong to the present group
  uint8_t line_next, line_count;
  bool filtered;                 // lines of parents
  uint32_t line[GroupTexels];    // plain lines
  uint64_t key[GroupTexels];     // lines of parents
  uint8_t members[GroupTexels];  // texels of the group in each line
  uint8_t place[GroupTexels];    // of each texel in its line
  uint64_t last_key;             // looked up last, of this quad; 0: none

  texture_cache_t l1;
  uint8_t *line_miss;   // [line of l1]: miss that brings it + 1
  uint32_t *line_quad;  // S-TFIM, [line of l1]: the quad that used it last
  uint32_t quad;        // number of the quad at the address stage
  tex_miss_t misses[TextureMaxMisses];
  uint64_t miss_free;
  tex_waiter_t *waiters;
  uint16_t waiter_free;

  tex_ring_t to_l2_ring;
  uint8_t to_l2[TextureMaxMisses];  // misses
  tex_ring_t offload_ring;
  uint16_t offload[TextureMaxMisses];  // misses of the second cache
  uint16_t slot_miss[MaxSlots];

  uint64_t filter_free;

  // S-TFIM, the GPU's side
  tex_result_t *sent;  // [slot]
  tex_request_t *sent_request;
  uint64_t slot_free;
  bool held;  // told to stall
  // the cube's side
  tex_ring_t mtu_ring, response_ring;
  uint8_t mtu[TextureMaxInFlight];
  uint8_t response[TextureMaxInFlight];
  uint64_t response_ready[TextureMaxInFlight];  // [slot]
  bool full, told_full;
};

// A line on its way from memory or cube into the second-level cache.
typedef struct {
  int32_t index;
  uint64_t units;
  uint8_t miss[TextureMaxUnits];
} tex_l2_miss_t;

typedef struct {
  uint64_t cycle;
  uint8_t unit, miss;
} tex_event_t;

struct texture_units {
  texture_params_t params;
  const texture_map_t *map;
  texture_memory_t memory;
  texture_link_t link;
  const texture_design_t *design;
  uint32_t line_reuse;  // angle codes of lines may differ by less; 0: no line is looked up
  texture_stats_t stats;
  uint64_t pending;
  tex_unit_t *units;

  texture_cache_t l2;
  uint16_t *l2_line_miss;  // [line of l2]: miss + 1
  tex_l2_miss_t *l2_misses;
  uint16_t *l2_miss_free;
  uint32_t l2_miss_free_count;
  uint64_t l2_waiting;    // units with something in to_l2
  uint32_t l2_turn;       // unit that comes first
  tex_ring_t event_ring;  // in order of their cycles
  tex_event_t *events;
  uint64_t offering;  // units with something in offload
};

// Makes the unit's next step due: something came from outside of it.
static inline void tex_wake(tex_unit_t *u) { u->wake = 0; }

// Counts the cycles from a request's acceptance to its result.
static inline void tex_latency(texture_units_t *t, uint64_t cycles) {
  texture_stats_t *s = &t->stats;
  uint32_t bin = cycles ? 63 - (uint32_t)__builtin_clzll(cycles) : 0;
  s->latency_sum += cycles;
  s->latency_max = cycles > s->latency_max ? cycles : s->latency_max;
  s->latency[bin < TextureLatencyBins ? bin : TextureLatencyBins - 1]++;
}

// ---- texture_address.c

// Takes a request into flight; the caller has made sure that there is room. slot: S-TFIM's.
void tex_begin(texture_units_t *t, tex_unit_t *u, const tex_request_t *request, uint8_t slot);

// Takes the unit's oldest request into flight; false if there is none.
bool tex_take(texture_units_t *t, tex_unit_t *u);

// Makes addresses for one cycle. Returns false if the unit is stalled or has nothing to do.
bool tex_address(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now);

// ---- texture_fetch.c

// Adds a miss of a first-level cache to those that wait, and takes the unit's oldest one away.
void tex_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint8_t miss);
void tex_pop_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit);

// Reads a plain line from memory; returns false if memory refuses.
bool tex_read_line(texture_units_t *t, uint64_t now, uint32_t line, uint32_t tag);

// Brings the line of a miss to a unit at a cycle that is no earlier than any added before.
void tex_add_event(texture_units_t *t, uint64_t cycle, uint32_t unit, uint8_t miss);

// Fills the lines whose cycle has come.
void tex_events(texture_units_t *t, uint64_t now, uint64_t *next);

// Makes the look-ups of one cycle in the second-level cache.
void tex_l2_step(texture_units_t *t, uint64_t now, uint64_t *next);

// ---- texture_plain.c: steps of texture_design_t

void tex_plain_group(texture_units_t *t, tex_unit_t *u, tex_flight_t *f);
bool tex_plain_look_up(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f);
tex_lookup_e tex_plain_look_up_second(texture_units_t *t, uint32_t unit, uint32_t miss,
                                      uint64_t now);
void tex_plain_read_done(texture_units_t *t, uint64_t now, uint32_t tag);
void tex_plain_fill(tex_unit_t *u, uint32_t miss);
void tex_plain_sample(texture_units_t *t, const tex_flight_t *f, uint32_t pixel, float out[4]);

// The steps of a design whose caches hold plain lines only.
#define TEX_PLAIN_STEPS                                                         \
  .group = tex_plain_group, .look_up = tex_plain_look_up, .fetch = tex_l2_step, \
  .look_up_second = tex_plain_look_up_second, .read_done = tex_plain_read_done, \
  .fill = tex_plain_fill, .sample = tex_plain_sample, .take = tex_take

#endif
