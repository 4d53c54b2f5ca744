// SPDX-License-Identifier: Apache-2.0
// A warp is in one of three places: ready, with its next operation's unit; asleep in a wheel of
// cycles until a result is there; or waiting for texture. A step wakes what is due and lets each
// free scheduler pick, so its cost is that of the operations issued, not of the warps that wait.
// An SM is left behind while its warps compute: When one may read, branch, kill or end, the SM
// catches up, event by event.
#include "shader.h"

#include <stdlib.h>

#include "shader_warp.h"

enum {
  Words = ShaderMaxWarps / 64,
  MaxTurn = 1024,  // cycles of a wheel
  MarkBits = 64,
};

typedef struct {
  uint64_t word[Words];
} warp_set_t;

typedef struct {
  uint64_t free;  // the cycle from which it may issue
  uint64_t idle_since;
  uint8_t idle_cause;  // shader_idle_e
  uint16_t last;       // warp issued last
} scheduler_t;

typedef struct {
  warp_set_t resident, textured, ready[Needs];
  uint32_t count, asleep;
  uint64_t seen;     // the wheel is turned up to this cycle
  uint64_t sampled;  // the earliest cycle of a warp in `textured`
  uint64_t resident_since;
  uint64_t alu_free[ShaderMaxSchedulers], sfu_free;
  scheduler_t scheduler[ShaderMaxSchedulers];
  warp_set_t *wheel;                   // of the cycles to come
  uint64_t marks[MaxTurn / MarkBits];  // its cycles with a warp
  warp_t warp[ShaderMaxWarps];
} sm_t;

struct shader {
  shader_params_t params;
  shader_ports_t ports;
  uint32_t alu_groups, alu_busy, sfu_busy;
  uint64_t launched;
  uint32_t turn;  // cycles of a wheel less one: a power of two above all latencies
  warp_set_t *wheels;
  warp_set_t mine[ShaderMaxSchedulers];  // places of each scheduler
  uint64_t next;                         // nothing that others see is due in any SM before
  uint64_t next_of[ShaderMaxSms];        // nothing is due in this one before
  uint64_t seen_of[ShaderMaxSms];        // nothing that others see
  shader_stats_t stats;
  sm_t *sm;
  branch_t *stacks;  // apart from what every operation looks at
};

// ---- Sets of warps ----

static void put(warp_set_t *s, uint32_t i) { s->word[i / 64] |= 1ull << i % 64; }
static void take(warp_set_t *s, uint32_t i) { s->word[i / 64] &= ~(1ull << i % 64); }
static bool has(const warp_set_t *s, uint32_t i) { return s->word[i / 64] >> i % 64 & 1; }

static bool any(const warp_set_t *s) {
  uint64_t bits = 0;
  for (uint32_t k = 0; k < Words; k++) {
    bits |= s->word[k];
  }
  return bits != 0;
}

// Returns the first warp of the set from place `from` on, around the end; the set is not empty.
static uint32_t first_from(const warp_set_t *s, uint32_t from) {
  for (uint32_t n = 0; n <= Words; n++) {
    uint32_t k = (from / 64 + n) % Words;
    uint64_t bits = s->word[k];
    if (n == 0) {
      bits &= UINT64_MAX << from % 64;
    }
    if (bits) {
      return k * 64 + (uint32_t)__builtin_ctzll(bits);
    }
  }
  return 0;
}

// ---- Places ----

// Returns the first cycle from `from` on whose place of the wheel holds a warp; `end`: none before.
static uint64_t next_marked(const shader_t *s, const sm_t *m, uint64_t from, uint64_t end) {
  if (s->turn == MarkBits - 1) {
    uint32_t by = from % MarkBits;
    uint64_t bits = m->marks[0] >> by | m->marks[0] << (MarkBits - by) % MarkBits;
    uint64_t at = bits ? from + (uint32_t)__builtin_ctzll(bits) : end;
    return at < end ? at : end;
  }
  while (m->asleep && from < end) {
    uint32_t place = from & s->turn;
    if (m->marks[place / MarkBits] >> place % MarkBits & 1) {
      return from;
    }
    from++;
  }
  return end;
}

static void wake_at(const shader_t *s, sm_t *m, uint64_t now, uint32_t i, uint64_t at) {
  if (at <= now) {
    put(&m->ready[m->warp[i].need], i);
    return;
  }
  put(&m->wheel[at & s->turn], i);
  m->marks[(at & s->turn) / MarkBits] |= 1ull << at % MarkBits;
  m->asleep++;
}

// Puts a warp where its next operation waits. `at`: the cycle from which results let it go on.
static void place(shader_t *s, sm_t *m, uint64_t now, uint32_t i, uint64_t at) {
  warp_t *w = &m->warp[i];
  w->need = warp_need(w);
  w->earliest = at;
  uint64_t samples = warp_sampled(w);
  if (w->repeats == 0) {
    w->seen = warp_seen_from(&s->params, w, samples > at ? samples : at);
    cycle_earliest(&s->seen_of[m - s->sm], w->seen);
  }
  if (samples > now && samples >= at) {
    put(&m->textured, i);
    m->sampled = samples < m->sampled ? samples : m->sampled;
    return;
  }
  wake_at(s, m, now, i, at);
}

// Turns the wheel to `now` and looks for warps whose samples have come.
static void wake(const shader_t *s, sm_t *m, uint64_t now) {
  for (uint64_t at = m->seen; (at = next_marked(s, m, at + 1, now + 1)) <= now;) {
    warp_set_t *due = &m->wheel[at & s->turn];
    m->marks[(at & s->turn) / MarkBits] &= ~(1ull << at % MarkBits);
    for (uint32_t k = 0; k < Words; k++) {
      for (; due->word[k]; due->word[k] &= due->word[k] - 1) {
        uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(due->word[k]);
        m->asleep--;
        put(&m->ready[m->warp[i].need], i);
      }
    }
  }
  m->seen = now;
  if (m->sampled > now) {
    return;
  }
  m->sampled = SHADER_LATER;
  for (uint32_t k = 0; k < Words; k++) {
    for (uint64_t rest = m->textured.word[k]; rest; rest &= rest - 1) {
      uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(rest);
      uint64_t at = warp_sampled(&m->warp[i]);
      if (at <= now) {
        take(&m->textured, i);
        wake_at(s, m, now, i, m->warp[i].earliest);
      } else {
        m->sampled = at < m->sampled ? at : m->sampled;
      }
    }
  }
}

// ---- Issue ----

static void count_lanes(shader_t *s, const warp_t *w, uint8_t kind) {
  shader_stats_t *t = &s->stats;
  t->issued[kind]++;
  t->active[w->counted[LaneActive]]++;
  t->lanes_helper += w->counted[LaneHelper];
  t->lanes_diverged += w->counted[LaneDiverged];
  t->lanes_killed += w->counted[LaneKilled];
  t->lanes_empty += w->counted[LaneEmpty];
}

static void count_down(warp_t *w) {
  for (uint32_t k = 0; k < ShaderMaxStages; k++) {
    w->wait_after[k] -= w->wait_after[k] > 0;
  }
}

static void read_texture(shader_t *s, uint64_t now, uint32_t sm, uint32_t i) {
  warp_t *w = &s->sm[sm].warp[i];
  const program_op_t *op = warp_op(w);
  uint32_t stage = op->stage % ShaderMaxStages;
  uint32_t stamps = warp_stamps(w->active & w->alive);
  count_down(w);
  if (stamps) {
    // Before the call: the answer may come within it.
    w->reading |= (uint8_t)(1u << stage);
    w->sampled[stage] = SHADER_LATER;
    w->wait_after[stage] = op->count;
    uint64_t at = s->ports.texture(s->ports.self, now, sm, i, stage, stamps);
    if (at != SHADER_LATER) {
      w->sampled[stage] = at;
    }
  }
  w->at++;
}

// Issues the warp's next operation; returns the cycles that its unit is busy.
static uint32_t execute(shader_t *s, uint64_t now, uint32_t sm, uint32_t i) {
  sm_t *m = &s->sm[sm];
  warp_t *w = &m->warp[i];
  const program_op_t *op = warp_op(w);
  count_lanes(s, w, op->kind);
  if (op->kind == ProgramTex) {
    read_texture(s, now, sm, i);
    warp_settle(&s->params, w);
    return s->alu_busy;
  }
  bool special = op->kind == ProgramSfu;
  uint32_t busy = special ? s->sfu_busy : s->alu_busy;
  uint32_t latency = special ? s->params.sfu_latency : s->params.alu_latency;
  w->result = cycle_later(w->result, now + latency);
  count_down(w);
  if (warp_counts(op)) {
    if (++w->repeats == op->count) {
      w->repeats = 0;
      w->at++;
    }
  } else if (op->kind == ProgramKill) {
    w->alive &= ~(s->ports.lanes(s->ports.self, sm, i, op) & w->active);
    w->active &= w->alive;
    w->at++;
    warp_recount(w);
  } else {
    uint32_t taken = s->ports.lanes(s->ports.self, sm, i, op);
    s->stats.branches++;
    s->stats.divergent += warp_branch(&s->params, w, taken);
  }
  warp_settle(&s->params, w);
  return busy;
}

// Returns a free unit of the kind, or -1. The owner charges for texture.
static int32_t free_unit(const shader_t *s, const sm_t *m, uint64_t now, uint8_t need) {
  if (need == NeedTexture) {
    return 0;
  }
  if (need == NeedSfu) {
    return m->sfu_free <= now ? 0 : -1;
  }
  for (uint32_t g = 0; g < s->alu_groups; g++) {
    if (m->alu_free[g] <= now) {
      return (int32_t)g;
    }
  }
  return -1;
}

static uint32_t occupy(shader_t *s, uint64_t now, uint32_t sm, uint32_t i, int32_t unit,
                       uint8_t need) {
  uint32_t busy = execute(s, now, sm, i);
  if (need == NeedSfu) {
    s->sm[sm].sfu_free = now + busy;
  } else if (need == NeedAlu) {
    s->sm[sm].alu_free[unit] = now + busy;
  }
  return busy;
}

static bool may_go_at_once(const shader_t *s, const warp_t *w, uint64_t now, uint8_t before) {
  return !warp_ended(w) && warp_need(w) != before && warp_sampled(w) <= now &&
         !warp_dependent(&s->params, w);
}

// Returns the cycle from which the scoreboard lets the warp's next operation go.
static uint64_t scoreboard(const shader_t *s, const warp_t *w, uint64_t now, uint32_t busy,
                           bool after_branch) {
  bool wait = warp_ended(w) || after_branch || warp_dependent(&s->params, w);
  return wait ? cycle_later(w->result, now + busy) : now + busy;
}

// Counts the time for which the scheduler had nothing to issue.
static void count_idle(shader_t *s, const scheduler_t *c, uint64_t now) {
  static const uint8_t series[ShaderIdleCauses] = {[ShaderScoreboard] = ShaderPartScoreboard,
                                                   [ShaderTexture] = ShaderPartTexture,
                                                   [ShaderUnit] = ShaderPartUnit};
  s->stats.idle[c->idle_cause] += now - c->idle_since;
  if (c->idle_cause != ShaderNoWarp) {
    shader_parts_add(&s->stats.parts, series[c->idle_cause], c->idle_since, now, 1);
  }
}

static void issue(shader_t *s, uint64_t now, uint32_t sm, scheduler_t *c, uint32_t i) {
  sm_t *m = &s->sm[sm];
  warp_t *w = &m->warp[i];
  uint8_t need = w->need;
  take(&m->ready[need], i);
  bool branches = warp_op(w)->kind == ProgramIf;
  uint32_t busy = occupy(s, now, sm, i, free_unit(s, m, now, need), need);
  if (s->params.issue_per_warp > 1 && !branches && may_go_at_once(s, w, now, need)) {
    uint8_t second = warp_need(w);
    int32_t unit = free_unit(s, m, now, second);
    if (unit >= 0) {
      branches = warp_op(w)->kind == ProgramIf;
      uint32_t longer = occupy(s, now, sm, i, unit, second);
      busy = longer > busy ? longer : busy;
    }
  }
  count_idle(s, c, now);
  s->stats.slots += busy;
  shader_parts_add(&s->stats.parts, ShaderPartIssuing, now, now + busy, 1);
  c->free = c->idle_since = now + busy;
  c->idle_cause = ShaderNoWarp;
  c->last = (uint16_t)i;
  place(s, m, now, i, scoreboard(s, w, now, busy, branches));
}

// Picks a warp of those that may go, by the policy.
static uint32_t pick(const shader_t *s, const sm_t *m, const scheduler_t *c,
                     const warp_set_t *may) {
  if (!s->params.greedy) {
    return first_from(may, (c->last + 1u) % ShaderMaxWarps);
  }
  if (has(may, c->last)) {
    return c->last;
  }
  uint32_t oldest = first_from(may, 0);
  for (uint32_t k = 0; k < Words; k++) {
    for (uint64_t rest = may->word[k]; rest; rest &= rest - 1) {
      uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(rest);
      oldest = m->warp[i].sequence < m->warp[oldest].sequence ? i : oldest;
    }
  }
  return oldest;
}

static bool both(const warp_set_t *a, const warp_set_t *b) {
  return (a->word[0] & b->word[0]) || (a->word[1] & b->word[1]);
}

static uint8_t idle_cause(const sm_t *m, const warp_set_t *mine) {
  if (!both(&m->resident, mine)) {
    return ShaderNoWarp;
  }
  for (uint32_t n = 0; n < NeedEnd; n++) {
    if (both(&m->ready[n], mine)) {
      return ShaderUnit;
    }
  }
  for (uint32_t k = 0; k < Words; k++) {
    if (m->resident.word[k] & mine->word[k] & ~m->textured.word[k]) {
      return ShaderScoreboard;
    }
  }
  return ShaderTexture;
}

static void schedule(shader_t *s, uint64_t now, uint32_t sm, uint32_t n) {
  sm_t *m = &s->sm[sm];
  scheduler_t *c = &m->scheduler[n];
  if (c->free > now) {
    return;
  }
  warp_set_t may = {{0}};
  for (uint8_t need = 0; need < NeedEnd; need++) {
    if (both(&m->ready[need], &s->mine[n]) && free_unit(s, m, now, need) >= 0) {
      for (uint32_t k = 0; k < Words; k++) {
        may.word[k] |= m->ready[need].word[k] & s->mine[n].word[k];
      }
    }
  }
  if (any(&may)) {
    issue(s, now, sm, c, pick(s, m, c, &may));
    return;
  }
  count_idle(s, c, now);
  c->idle_since = now;
  c->idle_cause = idle_cause(m, &s->mine[n]);
}

// ---- Residency ----

static void catch_up(shader_t *s, uint32_t sm, uint64_t until);
static uint64_t due(const shader_t *s, uint32_t sm);

static void count_residents(shader_t *s, sm_t *m, uint64_t now) {
  s->stats.resident += m->count * (now - m->resident_since);
  shader_parts_add(&s->stats.parts, ShaderPartResident, m->resident_since, now, m->count);
  m->resident_since = now;
}

static void end_warps(shader_t *s, uint64_t now, uint32_t sm) {
  sm_t *m = &s->sm[sm];
  for (uint32_t k = 0; k < Words; k++) {
    for (uint64_t rest = m->ready[NeedEnd].word[k]; rest; rest &= rest - 1) {
      uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(rest);
      count_residents(s, m, now);
      take(&m->ready[NeedEnd], i);
      take(&m->resident, i);
      m->count--;
      s->ports.end(s->ports.self, now, sm, i, m->warp[i].alive);
    }
  }
}

uint32_t shader_launch(shader_t *s, uint64_t now, uint32_t sm, const shader_launch_t *launch) {
  sm_t *m = &s->sm[sm];
  catch_up(s, sm, now);
  // The scheduler with the fewest warps, its first free place.
  uint32_t best = ShaderMaxWarps, fewest = UINT32_MAX;
  for (uint32_t n = 0; n < s->params.schedulers; n++) {
    uint32_t warps = 0, place_of = ShaderMaxWarps;
    for (uint32_t k = 0; k < Words; k++) {
      uint64_t taken = m->resident.word[k] & s->mine[n].word[k];
      uint64_t free_places = s->mine[n].word[k] & ~taken;
      warps += (uint32_t)__builtin_popcountll(taken);
      if (place_of == ShaderMaxWarps && free_places) {
        place_of = k * 64 + (uint32_t)__builtin_ctzll(free_places);
      }
    }
    if (place_of < ShaderMaxWarps && warps < fewest) {
      fewest = warps;
      best = place_of;
    }
  }
  count_residents(s, m, now);
  warp_t *w = &m->warp[best];
  warp_start(w, launch);
  w->result = now + 1;
  w->sequence = s->launched++;
  put(&m->resident, best);
  m->count++;
  s->stats.warps++;
  s->stats.peak = m->count > s->stats.peak ? m->count : s->stats.peak;
  warp_settle(&s->params, w);
  // Older sleepers wake first: the wheel stands at `seen`.
  if (!m->asleep) {
    m->seen = now;
  }
  place(s, m, now, best, now + 1);
  cycle_earliest(&s->next_of[sm], now + 1);
  cycle_earliest(&s->next, due(s, sm));
  return best;
}

void shader_textured(shader_t *s, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage) {
  sm_t *m = &s->sm[sm];
  catch_up(s, sm, now - 1);
  m->warp[warp].sampled[stage % ShaderMaxStages] = now;
  m->warp[warp].seen = now;
  m->sampled = now < m->sampled ? now : m->sampled;
  cycle_earliest(&s->next_of[sm], now);
  cycle_earliest(&s->seen_of[sm], now);
  cycle_earliest(&s->next, now);
}

static void step_sm(shader_t *s, uint64_t now, uint32_t sm) {
  sm_t *m = &s->sm[sm];
  wake(s, m, now);
  end_warps(s, now, sm);
  uint64_t next = SHADER_LATER;
  for (uint32_t n = 0; n < s->params.schedulers; n++) {
    schedule(s, now, sm, n);
    if (m->scheduler[n].free > now) {
      next = m->scheduler[n].free < next ? m->scheduler[n].free : next;
    }
  }
  // Warps that a unit holds up go on when it is free.
  for (uint32_t need = 0; need < NeedEnd; need++) {
    if (any(&m->ready[need])) {
      next = need == NeedSfu && m->sfu_free > now && m->sfu_free < next ? m->sfu_free : next;
      for (uint32_t g = 0; g < s->alu_groups; g++) {
        next = m->alu_free[g] > now && m->alu_free[g] < next ? m->alu_free[g] : next;
      }
    }
  }
  next = next_marked(s, m, now + 1, next);
  s->next_of[sm] = cycle_sooner(next, m->sampled);
}

// Does what is due until then, each in its cycle.
static void catch_up(shader_t *s, uint32_t sm, uint64_t until) {
  while (s->next_of[sm] <= until) {
    step_sm(s, s->next_of[sm], sm);
  }
}

// Finds the cycle at which one of the SM's warps may next do what others see.
static uint64_t look_ahead(shader_t *s, uint64_t now, uint32_t sm) {
  sm_t *m = &s->sm[sm];
  uint64_t first = SHADER_LATER;
  for (uint32_t k = 0; k < Words; k++) {
    for (uint64_t rest = m->resident.word[k]; rest; rest &= rest - 1) {
      warp_t *w = &m->warp[k * 64 + (uint32_t)__builtin_ctzll(rest)];
      if (w->seen <= now) {
        uint64_t from = cycle_later(now + 1, w->earliest);
        w->seen = warp_seen_from(&s->params, w, cycle_later(from, warp_sampled(w)));
      }
      cycle_earliest(&first, w->seen);
    }
  }
  return first;
}

static uint64_t due(const shader_t *s, uint32_t sm) {
  return s->params.watched ? cycle_sooner(s->next_of[sm], s->seen_of[sm]) : s->seen_of[sm];
}

void shader_step(shader_t *s, uint64_t now, uint64_t *next) {
  if (s->next <= now) {
    s->next = SHADER_LATER;
    for (uint32_t i = 0; i < s->params.sms; i++) {
      if (due(s, i) <= now) {
        catch_up(s, i, now);
        s->seen_of[i] = look_ahead(s, now, i);
      }
      cycle_earliest(&s->next, due(s, i));
    }
  }
  cycle_earliest(next, s->next);
}

// ---- Creation ----

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t cycles_of(uint32_t lanes) { return (ShaderLanes + lanes - 1) / lanes; }

shader_t *shader_create(const shader_params_t *params, shader_ports_t ports) {
  shader_t *s = calloc(1, sizeof *s);
  if (!s) {
    return NULL;
  }
  s->params = *params;
  s->ports = ports;
  s->alu_groups = params->alu_groups ? params->alu_groups : params->schedulers;
  s->alu_busy = cycles_of(params->lanes / s->alu_groups);
  s->sfu_busy = cycles_of(params->sfu_lanes);
  s->next = SHADER_LATER;
  for (uint32_t i = 0; i < params->warps; i++) {
    put(&s->mine[i % params->schedulers], i);
  }
  uint32_t longest = most(most(params->alu_latency, params->sfu_latency), ShaderLanes);
  s->turn = 1;
  while (s->turn <= longest) {
    s->turn = 2 * s->turn + 1;
  }
  s->sm = calloc(params->sms, sizeof *s->sm);
  s->wheels = calloc((size_t)params->sms * (s->turn + 1), sizeof *s->wheels);
  s->stacks = calloc((size_t)params->sms * ShaderMaxWarps * ShaderMaxStack, sizeof *s->stacks);
  if (!s->sm || !s->wheels || !s->stacks) {
    shader_destroy(s);
    return NULL;
  }
  for (uint32_t i = 0; i < params->sms; i++) {
    s->sm[i].sampled = s->next_of[i] = s->seen_of[i] = SHADER_LATER;
    for (uint32_t k = 0; k < ShaderMaxWarps; k++) {
      s->sm[i].warp[k].stack = &s->stacks[(i * ShaderMaxWarps + k) * ShaderMaxStack];
    }
    s->sm[i].wheel = &s->wheels[i * (s->turn + 1)];
  }
  return s;
}

void shader_destroy(shader_t *s) {
  if (s) {
    free(s->sm);
    free(s->wheels);
    free(s->stacks);
    free(s);
  }
}

uint32_t shader_resident(const shader_t *s, uint32_t sm) { return s->sm[sm].count; }

bool shader_due(const shader_t *s) { return s->next != SHADER_LATER; }

const shader_stats_t *shader_stats(const shader_t *s) { return &s->stats; }
