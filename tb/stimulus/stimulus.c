// SPDX-License-Identifier: Apache-2.0
#include "stimulus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/spelling.h"

static bool parse(const char *text, stimulus_range_t *r) {
  int used = 0;
  *r = (stimulus_range_t){0};
  if (strspn(text, "0123456789.*,") != strlen(text)) {  // sscanf takes signs and spaces
    return false;
  }
  if (sscanf(text, "%u..%u%n", &r->low, &r->high, &used) == 2 && !text[used]) {
    return r->low <= r->high && r->high < UINT32_MAX;
  }
  used = 0;
  if (sscanf(text, "%u%n", &r->low, &used) == 1 && !text[used]) {
    r->high = r->low;
    return true;
  }
  for (const char *c = text; r->count < StimulusMaxWeighted; c++) {
    used = 0;
    if (sscanf(c, "%u*%u%n", &r->value[r->count], &r->weight[r->count], &used) != 2) {
      return false;
    }
    r->sum += r->weight[r->count++];
    c += used;
    if (!*c) {
      return r->sum > 0;
    }
    if (*c != ',') {
      return false;
    }
  }
  return false;
}

void stimulus_seed(const stimulus_t *s, rng_t *rng) {
  *rng = (rng_t){.state = s->seed, .source = s->source};
}

bool stimulus_knob_valid(const char *value) {
  stimulus_range_t r;
  return parse(value, &r);
}

static void keep_name(stimulus_knob_t *k, const char *name) {
  const size_t used = strlen(k->offered), length = strlen(name);
  for (const char *at = k->offered; (at = strstr(at, name)); at += length) {
    if ((at == k->offered || at[-1] == ' ') && (at[length] == ',' || !at[length])) {
      return;
    }
  }
  if (!used || spelling_distance(k->name, name) < spelling_distance(k->name, k->nearest)) {
    snprintf(k->nearest, sizeof k->nearest, "%s", name);
  }
  if (used + 2 + length < sizeof k->offered) {
    snprintf(k->offered + used, sizeof k->offered - used, "%s%s", used ? ", " : "", name);
  }
}

bool stimulus_knob_range(const stimulus_t *s, const char *name, stimulus_range_t *range) {
  for (stimulus_knob_t *k = s->knobs; k && k < s->knobs + StimulusMaxKnobs && k->name; k++) {
    if (strcmp(k->name, name) == 0 && parse(k->value, range)) {
      k->used = true;
      return true;
    }
    keep_name(k, name);
  }
  return false;
}

uint32_t stimulus_range_draw(const stimulus_range_t *r, rng_t *rng) {
  if (r->count == 0) {
    return r->low + rng_below(rng, r->high - r->low + 1);
  }
  uint32_t at = rng_below(rng, r->sum), i = 0;
  while (at >= r->weight[i]) {
    at -= r->weight[i++];
  }
  return r->value[i];
}

uint32_t stimulus_choose(const stimulus_t *s, rng_t *rng, const char *name, const uint32_t *choices,
                         uint32_t count) {
  uint32_t drawn = choices[rng_below(rng, count)];
  stimulus_range_t range;
  rng_t own;
  if (!stimulus_knob_range(s, name, &range)) {
    return drawn;
  }
  rng_fork(&own, s->source, s->seed ^ rng_name(name));
  return stimulus_range_draw(&range, &own);
}

// The set that begins at *at, which moves to the one after it.
static const unit_set_t *next_set(const unit_info_t *info, const char **at) {
  const size_t length = strcspn(*at, ",");
  const unit_set_t *set = info->sets;
  while (set->name && !(strncmp(set->name, *at, length) == 0 && !set->name[length])) {
    set++;
  }
  *at += length + ((*at)[length] == ',');
  return set;
}

bool stimulus_sets_valid(const unit_info_t *info, const char *sets, err_t *err) {
  const char *at = sets;
  for (bool more = true; more;) {
    const char *name = at;
    more = name[strcspn(name, ",")] == ',';
    if (next_set(info, &at)->name) {
      continue;
    }
    text_t list = {0};
    for (const unit_set_t *set = info->sets; set->name; set++) {
      text_format(&list, "%s %s", set == info->sets ? "" : ",", set->name);
    }
    err_set(err, ErrInput, "%.*s: %s has %s%s", (int)strcspn(name, ","), name, info->name,
            info->sets->name ? "the parameter sets" : "no parameter sets", text_string(&list));
    text_free(&list);
    return false;
  }
  return true;
}

void stimulus_params(const stimulus_t *s, const unit_info_t *info, rng_t *rng, void *params) {
  uint32_t drawn = info->random_count ? rng_below(rng, info->random_count) : 0;
  if (info->random_count && !s->source) {
    // Neighbouring seeds, and those of one number in different hundreds, draw different sets.
    drawn = (uint32_t)((s->seed + s->seed / 100) % info->random_count);
  }
  const unit_set_t *set = &info->sets[info->random_sets[drawn]];
  if (s->set) {
    uint32_t count = 1, left;
    const char *at = s->set;
    rng_t own;
    for (const char *c = s->set; *c; c++) {
      count += *c == ',';
    }
    rng_fork(&own, s->source, s->seed ^ rng_name("params"));
    for (left = rng_below(&own, count) + 1; left > 0; left--) {
      set = next_set(info, &at);
    }
  } else if (s->busy) {
    set = info->sets;
  }
  memcpy(params, set->name ? set->params : info->defaults, info->params_size);
  for (const unit_param_t *p = info->params; p->name; p++) {
    if (strcmp(p->name, "gpus") == 0) {
      const uint64_t gpus = s->gpus;
      memcpy((uint8_t *)params + p->offset, &gpus, p->size);
    }
  }
}

void stimulus_draw(const stimulus_t *s, rng_t *rng, const stimulus_choice_t *choices,
                   void *traffic) {
  for (const stimulus_choice_t *c = choices; c->name; c++) {
    rng_t apart;
    rng_fork(&apart, s->source, s->seed ^ rng_name(c->name));
    uint32_t value = stimulus_choose(s, c->apart ? &apart : rng, c->name, c->values, c->count);
    if (s->busy && c->busy != StimulusAsDrawn) {
      value = c->busy;
    }
    memcpy((uint8_t *)traffic + c->offset, &value, sizeof value);
  }
}
