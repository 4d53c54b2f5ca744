// SPDX-License-Identifier: Apache-2.0
#include "soc_core.h"

enum { Milli = 1000, Lines = SocCoreBytes / SocLine };

static uint32_t mean_gap(const soc_core_t *c) { return 1000 / c->params->mpki[c->index]; }

// Returns 1/1000 instructions up to the next miss.
static uint64_t draw_gap(soc_core_t *c) {
  return (uint64_t)Milli * (1 + rng_below(&c->rng, 2 * mean_gap(c) - 1));
}

void soc_core_init(soc_core_t *c, const soc_cpu_params_t *params, uint32_t index, uint64_t seed,
                   memory_port_t port) {
  *c = (soc_core_t){.params = params, .index = index, .port = port};
  rng_seed(&c->rng, seed * SocMaxCores + index);
  rng_u64(&c->rng);
  c->miss = draw_gap(c);
}

void soc_core_work(soc_core_t *c, uint64_t now, uint32_t thousands) {
  c->end = c->at + (uint64_t)thousands * 1000 * Milli;
  c->since = now;
  c->mode = SocCoreWorks;
  c->runs = !c->has_read && c->under_way < c->params->window;
}

void soc_core_background(soc_core_t *c, uint64_t now) {
  uint32_t rate = c->params->background[c->index];
  c->mode = rate ? SocCoreBackground : SocCoreRests;
  c->due = rate ? now + 1000000 / rate : UINT64_MAX;
}

void soc_core_rest(soc_core_t *c) { c->mode = SocCoreRests; }

// Makes the next miss of the stream, and the write beside it.
static void make_miss(soc_core_t *c) {
  if (c->left == 0) {
    c->line = rng_below(&c->rng, Lines);
    c->left = 1 + rng_below(&c->rng, 2 * c->params->run - 1);
  } else {
    c->line = (c->line + 1) % Lines;
  }
  c->left--;
  c->has_read = true;
  c->has_write = rng_chance(&c->rng, c->params->writes);
  if (c->has_write) {
    c->write = rng_below(&c->rng, Lines);
  }
  c->misses++;
}

static uint64_t address_of(const soc_core_t *c, uint64_t line) {
  return SOC_CPU_BASE + (uint64_t)c->index * SocCoreBytes + line * SocLine;
}

// Sends the miss, its write first. False: no room.
static bool send(soc_core_t *c) {
  if (c->has_write &&
      !c->port.push(c->port.self, address_of(c, c->write), SocLine, true, c->index)) {
    return false;
  }
  c->has_write = false;
  if (!c->port.push(c->port.self, address_of(c, c->line), SocLine, false, c->index)) {
    return false;
  }
  c->has_read = false;
  c->under_way++;
  return true;
}

static void stop(soc_core_t *c, uint64_t at) {
  c->at = at;
  c->runs = false;
}

// Executes instructions up to now, with their misses. What is left of a cycle's instructions when
// it stops is lost.
static void work(soc_core_t *c, uint64_t now) {
  if (!c->runs) {
    if (c->under_way >= c->params->window) {
      return;
    }
    c->runs = true;
    c->since = now;
  }
  uint64_t done = c->at + (now - c->since) * c->params->ipc;
  while (c->runs && c->miss <= c->end && c->miss <= done) {
    uint64_t at = c->miss;
    c->miss += draw_gap(c);
    make_miss(c);
    if (!send(c) || c->under_way >= c->params->window) {
      stop(c, at);
    }
  }
  if (c->runs && done >= c->end) {
    stop(c, c->end);
    c->mode = SocCoreRests;
  }
}

void soc_core_step(soc_core_t *c, uint64_t now) {
  memory_answer_t answer;
  while (c->port.pop(c->port.self, &answer)) {
    c->under_way--;
  }
  if (c->has_read && !send(c)) {
    return;
  }
  if (c->mode == SocCoreWorks) {
    work(c, now);
  } else if (c->mode == SocCoreBackground && c->due <= now && c->under_way < c->params->window) {
    make_miss(c);
    send(c);
    c->extra += mean_gap(c);
    c->due = now + 1000000 / c->params->background[c->index];
  }
}

uint64_t soc_core_next(const soc_core_t *c, uint64_t now) {
  if (c->has_read) {
    return UINT64_MAX;
  }
  if (c->mode == SocCoreBackground) {
    return c->under_way < c->params->window ? (c->due > now ? c->due : now + 1) : UINT64_MAX;
  }
  if (c->mode != SocCoreWorks || !c->runs) {
    return UINT64_MAX;
  }
  uint64_t to = c->miss <= c->end ? c->miss : c->end;
  return c->since + (to - c->at + c->params->ipc - 1) / c->params->ipc;
}

uint64_t soc_core_instructions(const soc_core_t *c, uint64_t now) {
  uint64_t at = c->at + (c->runs ? (now - c->since) * c->params->ipc : 0);
  return at / Milli + c->extra;
}

void soc_core_describe(const soc_core_t *c, text_t *text) {
  static const char *const Modes[] = {"rests", "works", "makes background requests"};
  text_format(text, "CPU %u %s: %u of %u reads under way", c->index, Modes[c->mode], c->under_way,
              c->params->window);
  if (c->mode == SocCoreWorks) {
    text_format(text, ", %llu instructions left", (unsigned long long)((c->end - c->at) / Milli));
  }
  text_put(text, c->has_write  ? ", its write finds no room"
                 : c->has_read ? ", its read finds no room"
                               : "");
}
