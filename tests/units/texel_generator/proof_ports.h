// SPDX-License-Identifier: Apache-2.0
// The duties of the texel generator, stated on its ports, with a monitor that follows them
// (texel_generator.c).
#ifndef NOCTURNE_PROVE_TEXEL_GENERATOR_PORTS_H
#define NOCTURNE_PROVE_TEXEL_GENERATOR_PORTS_H

enum {
  MostWaiting = 7,  // packages without a request that was taken: queue, L, P, R, request queue
  MostOrdered = S + RequestDepth,
  MostDistance = 13,  // cycles to a beat or request, if both are taken
};

// Packages of this epoch whose request was not taken, in order: id. Slots: handed out, from
// the request on until they are free again; sending: those whose last beat has not left, in order.
// is_misused: the epoch changed, or a slot came free before its last beat had left; of packages
// nothing is said from then on.
struct {
  uint16_t id[MostWaiting + 1];
  uint64_t handed;
  uint8_t waiting, epoch, sending[S + 1], sendings;
  bool has_epoch, is_misused;
} Monitor;

static const uint64_t SlotMask = UINT64_MAX >> (64 - S);

static void narrow_monitor(void) {
  Monitor.waiting = Monitor.waiting > MostWaiting ? 0 : Monitor.waiting & 7;
  Monitor.handed &= SlotMask;
  Monitor.sendings = Monitor.sendings > S ? 0 : Monitor.sendings & (2 * S - 1);
  for (uint32_t i = 0; i <= S; i++) {
    Monitor.sending[i] &= S - 1;
  }
}

static bool has_parents(const texel_generator_request_t *q) {
  return q->refused ? !q->mask && !q->slot && !q->extent : q->mask != 0;
}

// ---- What the monitor knows of the inside ----

// The next of the packages inside: whether it is the next that the ports know.
static void check_next(bool valid, uint8_t epoch, uint16_t id, uint32_t *n, bool *same) {
  const bool counts = valid && epoch == Monitor.epoch;
  *same &= !counts || (*n < Monitor.waiting && Monitor.id[*n & 7] == id);
  *n += counts;
}

static void check_waiting(const golden_t *g) {
  const work_t *const Works[] = {&g->ready, &g->prepare, &g->load};
  const bool valid[] = {g->ready_valid, g->prepare_valid, g->load_valid};
  bool same = true, present = true;
  uint32_t n = 0;
  for (uint32_t k = 0; k < RequestDepth; k++) {
    check_next(k < g->requests, g->request[k].epoch, g->request[k].id, &n, &same);
    present &= k >= g->requests || g->request[k].epoch == Monitor.epoch;
  }
  for (uint32_t i = 0; i < 3; i++) {
    check_next(valid[i], Works[i]->package.epoch, Works[i]->package.id, &n, &same);
  }
  for (uint32_t k = 0; k < PackageDepth; k++) {
    check_next(k < g->packages, g->package[k].epoch, g->package[k].id, &n, &same);
  }
  prove_check("requests are of this epoch", Monitor.is_misused || present);
  prove_check("the ports tell the packages inside",
              Monitor.is_misused || (same && n == Monitor.waiting));
  prove_check("nothing is inside before the first cycle",
              Monitor.has_epoch || (g->packages + g->requests == 0 && !g->load_valid &&
                                    !g->prepare_valid && !g->ready_valid));
}

// Slots in the order in which their beats go: those handed out, then those of requests that wait.
static uint32_t order_of(const golden_t *g, uint8_t order[MostOrdered]) {
  uint32_t count = Monitor.sendings;
  memcpy(order, Monitor.sending, S);
  for (uint32_t k = 0; k < RequestDepth; k++) {
    if (k < g->requests && !g->request[k].refused && count < MostOrdered) {
      order[count++] = g->request[k].slot;
    }
  }
  return count;
}

// Beats and groups inside, oldest first: of the next package from each last one on.
static void check_item(bool valid, uint8_t slot, bool last, const uint8_t *order, uint32_t count,
                       uint32_t *n, bool *same) {
  *same &= !valid || (*n < count && *n < MostOrdered && order[*n] == slot);
  *n += valid && last;
}

static void check_sending(const golden_t *g) {
  uint8_t order[MostOrdered] = {0};
  uint64_t queued = 0;
  const uint32_t count = order_of(g, order);
  uint32_t n = 0;
  bool same = true, handed = true;
  for (uint32_t s = LineStages; s-- > 0;) {
    const line_t *l = &g->lines[s];
    handed &= !l->valid || n < Monitor.sendings;
    check_item(l->valid, l->beat.slot, l->beat.last, order, count, &n, &same);
  }
  check_item(g->emit.valid, g->emit.slot, g->emit.last, order, count, &n, &same);
  for (uint32_t s = AddressStages; s-- > 0;) {
    const group_t *group = stage(g, s);
    check_item(group->valid, group->slot, group->last, order, count, &n, &same);
  }
  check_item(g->work_valid, g->work.slot, true, order, count, &n, &same);
  for (uint32_t i = 0; i < S; i++) {
    handed &= i >= Monitor.sendings || bit(Monitor.handed, Monitor.sending[i]);
  }
  prove_check("beats go in the order of requests", Monitor.is_misused || (same && n == count));
  prove_check("beats are of slots that are handed out", Monitor.is_misused || handed);
  for (uint32_t k = 1; k < MostOrdered; k++) {
    bool other = true;
    for (uint32_t i = 0; i < k; i++) {
      other &= order[i] != order[k];
    }
    prove_check("a slot has one package", Monitor.is_misused || k >= count || other);
  }
  for (uint32_t k = 0; k < RequestDepth; k++) {
    if (k < g->requests && !g->request[k].refused) {
      queued |= UINT64_C(1) << g->request[k].slot;
    }
  }
  prove_check("the ports tell the free slots",
              Monitor.is_misused || (g->free == (~(Monitor.handed | queued) & SlotMask) &&
                                     (Monitor.handed & queued) == 0));
}

static void check_monitor(const golden_t *g) {
  check_waiting(g);
  check_sending(g);
}

// ---- Safety ----

static void follow_epoch(void) {
  Monitor.is_misused |= Monitor.has_epoch && Monitor.epoch != In.epoch;
  if (!Monitor.has_epoch) {
    Monitor.epoch = In.epoch;
  }
  Monitor.has_epoch = true;
}

static void follow_request(const texel_generator_out_t *was) {
  const texel_generator_request_t *q = &was->request;
  prove_check("a request is that of the oldest package",
              Monitor.is_misused ||
                  (Monitor.waiting && q->id == Monitor.id[0] && q->epoch == Monitor.epoch));
  prove_check("a request has a slot that nobody has",
              Monitor.is_misused || q->refused || !bit(Monitor.handed, q->slot));
  prove_check("a refused request has no parents, any other has", has_parents(q));
  memmove(Monitor.id, Monitor.id + 1, sizeof Monitor.id - sizeof *Monitor.id);
  Monitor.waiting -= Monitor.waiting > 0;
  if (!q->refused) {
    Monitor.handed |= UINT64_C(1) << (q->slot & (S - 1));
    if (Monitor.sendings < S) {
      Monitor.sending[Monitor.sendings++] = q->slot;
    }
  }
}

static void follow_beat_out(const texel_generator_out_t *was) {
  const texel_generator_beat_t *b = &was->beat;
  prove_check("a beat is of the oldest package whose beats have not all left",
              Monitor.is_misused || (Monitor.sendings && b->slot == Monitor.sending[0]));
  prove_check("a beat takes a texel", b->texel != 0);
  if (b->last && Monitor.sendings) {
    memmove(Monitor.sending, Monitor.sending + 1, S);
    Monitor.sendings--;
  }
}

static void follow_free(void) {
  const uint32_t slot = In.free_slot & 63;
  for (uint32_t i = 0; i < S; i++) {
    Monitor.is_misused |= i < Monitor.sendings && Monitor.sending[i] == slot;
  }
  Monitor.is_misused |= slot < S && !bit(Monitor.handed, slot & (S - 1));
  if (slot < S) {
    Monitor.handed &= ~(UINT64_C(1) << slot);
  }
}

static void check_held(const texel_generator_out_t *was) {
  prove_check(
      "a request is held until it is taken",
      !was->request_valid || In.request_ready ||
          (Out.request_valid && Out.request.slot == was->request.slot &&
           Out.request.id == was->request.id && Out.request.epoch == was->request.epoch &&
           Out.request.mask == was->request.mask && Out.request.extent == was->request.extent &&
           Out.request.refused == was->request.refused));
  prove_check("a beat is held until it is taken",
              !was->beat_valid || In.beat_ready ||
                  (Out.beat_valid && Out.beat.slot == was->beat.slot &&
                   Out.beat.last == was->beat.last && Out.beat.along_y == was->beat.along_y &&
                   Out.beat.line == was->beat.line && Out.beat.texel == was->beat.texel &&
                   !memcmp(Out.beat.parent, was->beat.parent, sizeof Out.beat.parent)));
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

static bool is_refused_descriptor(void) {
  const texel_generator_descriptor_t *d = &In.descriptor;
  return In.descriptor_valid &&
         (d->index >= D || d->width == 0 || d->width > MaxSide || d->height == 0 ||
          d->height > MaxSide || d->wrap_x == 3 || d->wrap_y == 3);
}

// ---- Progress ----

// Cycles until a beat or request can be taken, if all are: by the foremost that nothing holds back.
static uint32_t distance(const golden_t *g, uint8_t epoch) {
  const bool stale = g->ready.package.epoch != epoch;
  uint32_t most = MostDistance + 1;
  if (!g->ready_valid && !g->work_valid) {
    most = g->prepare_valid ? 2 : g->load_valid ? 3 : g->packages ? 4 : most;
  } else if (g->ready_valid && (stale || g->ready.bad || (!g->work_valid && g->free))) {
    most = 1;
  }
  uint32_t from = g->work_valid ? MostDistance : MostDistance + 1;
  for (uint32_t s = 0; s < AddressStages; s++) {
    from = stage(g, s)->valid ? MostDistance - 1 - s : from;
  }
  from = g->emit.valid ? 3 : from;
  from = g->lines[0].valid ? 2 : from;
  from = g->lines[1].valid ? 1 : from;
  from = g->lines[2].valid || g->requests ? 0 : from;
  return from < most ? from : most;
}

static bool waits_for_slot(const golden_t *g) {
  return g->ready_valid && !g->ready.bad && !g->free;
}

static bool is_idle(const golden_t *g) {
  return !g->ready_valid && !g->prepare_valid && !g->load_valid && !g->packages && !g->work_valid &&
         !g->occupied && !g->emit.valid && !g->lines[0].valid && !g->lines[1].valid;
}

static void check_progress(uint32_t before, bool was_idle, bool did_wait, bool is_dropped) {
  const golden_t *g = golden();
  prove_check("a beat or request can be taken within 13 cycles if they are, or R waits for a slot",
              !In.beat_ready || !In.request_ready || before == 0 || was_idle || is_dropped ||
                  waits_for_slot(g) ||
                  (before > MostDistance ? did_wait : distance(g, In.epoch) < before));
}

#endif
