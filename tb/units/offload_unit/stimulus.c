// SPDX-License-Identifier: Apache-2.0
// Texture units that ask, a link that holds back, and a cube that answers in any order, fails
// some reads, is reset now and then, and in some runs breaks the protocol. Without such breaks
// every answer is compared with its request.
#include <string.h>

#include "csim/units/atfim/package.h"
#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

enum {
  MaxIds = 2048,
  MaxSent = 4096,   // packages that the cube has and responses on their way
  MaxStale = 1024,  // of these, of old epochs
  OldestEpoch = 64  // of a package or response that waits, when the cube is reset: epochs ago
};

typedef struct {
  rng_t rng;
  offload_unit_params_t p;
  uint32_t request_rate, package_rate, response_rate, answer_rate;
  uint32_t failed_rate, restart_rate, error_rate;
  bool in_order;
  uint64_t held;  // units whose request waits
  bool response_held;
  uint8_t epoch;  // the cube's
  uint32_t down;  // cycles until the cube is up again
  uint32_t sent_count;
  atfim_response_t sent[MaxSent];  // what the cube answers, oldest first
  uint64_t request[MaxIds];        // digest of the slot's request
  bool owed[MaxIds];               // its answer
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(request_rate, "request", "steps in which a texture unit has a request", 1000,
                    1000, 300, 50, 5),
    STIMULUS_CHOICE(package_rate, "package", "steps in which the link takes a package", 1000, 1000,
                    800, 300, 50),
    STIMULUS_CHOICE(response_rate, "response", "steps in which the cube has a response", 1000, 1000,
                    800, 300, 50),
    STIMULUS_CHOICE(answer_rate, "answer", "steps in which a texture unit takes its answer", 1000,
                    1000, 800, 300, 50),
    STIMULUS_CHOICE(failed_rate, "failed", "responses that failed", StimulusAsDrawn, 0, 20, 300),
    STIMULUS_CHOICE(restart_rate, "restart", "restarts of the cube", 0, 0, 2, 20),
    STIMULUS_CHOICE(error_rate, "errors", "faults of link, cube and texture units", 0, 0, 0, 0, 3,
                    10),
    {0}};

static uint64_t digest(const uint32_t words[AtfimRequestWords]) {
  uint64_t d = 0;
  for (uint32_t i = 0; i < AtfimRequestWords; i++) {
    d = (d ^ words[i]) * 0x9e3779b97f4a7c15u;
    d ^= d >> 29;
  }
  return d;
}

// The cube's answer to a request.
static atfim_response_t answer_to(uint16_t id, uint8_t epoch, uint64_t d, uint32_t failed_rate) {
  atfim_response_t r = {.id = id, .epoch = epoch};
  bool fails = (d >> 8) % 1000 < failed_rate;
  r.refused = fails && (d >> 32 & 3) == 0;
  r.failed = (uint16_t)(!fails ? 0 : r.refused ? 0xffff : d >> 40);
  for (uint32_t k = 0; k < AtfimParents; k++) {
    r.texel[k] = (uint32_t)(d >> 3 * k | d << (63 - 3 * k) << 1);  // also where a cube has 0
  }
  return r;
}

static void from_units(traffic_t *t, const offload_unit_out_t *out, offload_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->request_valid = t->held;
  in->answer_ready = 0;
  for (uint32_t u = 0; u < t->p.units; u++) {
    uint64_t bit = UINT64_C(1) << u;
    if (!(t->held & bit) && rng_chance(r, t->request_rate)) {
      in->request_valid |= bit;
      for (uint32_t i = 0; i < AtfimRequestWords; i++) {
        in->request[u][i] = (uint32_t)rng_u64(r);
      }
    }
    if (rng_chance(r, t->answer_rate)) {
      in->answer_ready |= bit;
    }
  }
  t->held = in->request_valid & ~out->request_ready;
}

// Packages that the link takes go to the cube, which drops those of an old epoch.
static void from_link(traffic_t *t, const offload_unit_out_t *out, offload_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->package_ready = rng_chance(r, t->package_rate) && t->sent_count < MaxSent;
  if (out->package_valid && in->package_ready && t->down == 0) {
    uint8_t epoch = (uint8_t)(out->package[0] >> 24);
    if (epoch == t->epoch) {
      t->sent[t->sent_count++] = answer_to((uint16_t)(out->package[0] >> 12 & 0x7ff), epoch,
                                           digest(&out->package[1]), t->failed_rate);
    }
  }
}

static void respond(traffic_t *t, offload_unit_in_t *in, const atfim_response_t *response) {
  rng_t *r = &t->rng;
  in->response_valid = true;
  atfim_response_pack(response, in->response);
  if (rng_chance(r, 200)) {
    // Bits that the unit ignores.
    in->response[0] ^= (uint32_t)rng_u64(r) & 0x00800fff;
    in->response[1] ^= (uint32_t)rng_u64(r) & 0xfffe0000;
  }
}

static void from_cube(traffic_t *t, const offload_unit_out_t *out, offload_unit_in_t *in) {
  rng_t *r = &t->rng;
  if (!t->response_held) {
    in->response_valid = false;
    if (rng_chance(r, t->error_rate)) {
      // Nobody waits for it, or by chance somebody does; or it is of a foreign epoch.
      uint8_t epoch = (uint8_t)(rng_chance(r, 800) ? t->epoch : rng_u64(r));
      uint32_t ids = rng_chance(r, 800) ? t->p.units * t->p.slots : MaxIds;
      atfim_response_t wrong = answer_to((uint16_t)rng_below(r, ids), epoch, rng_u64(r), 300);
      respond(t, in, &wrong);
    } else if (t->sent_count > 0 && rng_chance(r, t->response_rate)) {
      uint32_t i = t->in_order ? 0 : rng_below(r, t->sent_count);
      respond(t, in, &t->sent[i]);
      // In error runs now and then an answer is given twice.
      if (!rng_chance(r, 10 * t->error_rate)) {
        t->sent_count--;
        memmove(&t->sent[i], &t->sent[i + 1], (t->sent_count - i) * sizeof *t->sent);
      }
    }
  }
  t->response_held = in->response_valid && !out->response_ready;
}

// Some answers that the cube owed are lost with its reset, the others are on their way already.
static void lose(traffic_t *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->sent_count; i++) {
    if (rng_chance(&t->rng, 500) && kept < MaxStale) {
      t->sent[kept++] = t->sent[i];
    }
  }
  t->sent_count = kept;
}

// Nothing that is still under way carries the new epoch.
static void clear_epoch(traffic_t *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->sent_count; i++) {
    if (t->sent[i].epoch != t->epoch) {
      t->sent[kept++] = t->sent[i];
    }
  }
  t->sent_count = kept;
}

static void restart_cube(traffic_t *t, const offload_unit_out_t *out, offload_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->reissue_valid = false;
  uint8_t package_age = out->package_valid ? (uint8_t)(t->epoch - (out->package[0] >> 24)) : 0;
  uint8_t response_age = t->response_held ? (uint8_t)(t->epoch - (in->response[0] >> 24)) : 0;
  if (t->down > 0 && --t->down == 0) {
    t->epoch = (uint8_t)(t->epoch + 1 + (rng_chance(r, 200) ? rng_below(r, 4) : 0));
    clear_epoch(t);
    in->reissue_valid = true;
    in->reissue_epoch = t->epoch;
  } else if (t->down == 0 && rng_chance(r, t->restart_rate) && package_age < OldestEpoch &&
             (response_age < OldestEpoch || t->error_rate)) {
    lose(t);
    t->down = 1 + rng_below(r, rng_chance(r, 500) ? 4 : 60);
  }
  if (!in->reissue_valid && rng_chance(r, t->error_rate)) {
    in->reissue_valid = true;
    in->reissue_epoch = t->epoch;
  }
}

// Accounts for what a cycle accepts and gives; false: an answer that nobody waits for, or a wrong
// one.
static bool is_right(traffic_t *t, const offload_unit_in_t *in, const offload_unit_out_t *out,
                     err_t *err) {
  uint64_t given = out->answer_valid & in->answer_ready;
  if (given) {
    uint32_t u = (uint32_t)__builtin_ctzll(given), id = u * t->p.slots + out->answer_slot;
    const atfim_response_t due = answer_to(0, 0, t->request[id], t->failed_rate);
    if (!t->owed[id] || due.failed != out->answer_failed || due.refused != out->answer_refused ||
        memcmp(due.texel, out->answer_texel, sizeof due.texel) != 0) {
      err_set(err, ErrInput, "offload_unit: unit %u, slot %u: %s", u, out->answer_slot,
              t->owed[id] ? "a wrong answer" : "an answer too many");
      return false;
    }
    t->owed[id] = false;
  }
  for (uint64_t rest = in->request_valid & out->request_ready; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest), id = u * t->p.slots + out->request_slot[u];
    if (t->owed[id]) {
      err_set(err, ErrInput, "offload_unit: unit %u, slot %u is given out twice", u,
              out->request_slot[u]);
      return false;
    }
    t->owed[id] = true;
    t->request[id] = digest(in->request[u]);
  }
  return true;
}

// After each reset a kind of traffic of its own.
static void start(traffic_t *t, const stimulus_t *s) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, Choices, t);
  t->in_order = rng_chance(r, 400);
  t->held = 0;
  t->response_held = false;
  t->epoch = 0;
  t->down = t->sent_count = 0;
  memset(t->owed, 0, sizeof t->owed);
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  stimulus_params(s, &offload_unit_info, &t.rng, &t.p);
  offload_unit_t unit;
  if (!stimulus_unit(s, harness, &offload_unit_info, &t.p, 0, &unit, err)) {
    return false;
  }
  static offload_unit_in_t in;
  static offload_unit_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    restart_cube(&t, &out, &in);
    from_units(&t, &out, &in);
    from_link(&t, &out, &in);
    from_cube(&t, &out, &in);
    in.peek_valid = !s->busy && rng_chance(&t.rng, 50);
    in.peek_index = (uint8_t)(rng_chance(&t.rng, 900) ? rng_below(&t.rng, OffloadUnitCounters + 2)
                                                      : rng_u64(&t.rng));
    bool is_checked = t.error_rate == 0 && !corners_acted();
    if (is_checked && out.error) {
      err_set(err, ErrInput, "offload_unit: error %u without a fault", out.error);
      return false;
    }
    if (is_checked && !is_right(&t, &in, &out, err)) {
      return false;
    }
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 4000) == 0) {
      unit.reset(unit.self, &out);
      start(&t, s);
    }
  }
  return true;
}

const stimulus_unit_t offload_unit_stimulus = {drive, Choices};
