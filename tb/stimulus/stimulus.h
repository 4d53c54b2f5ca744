// SPDX-License-Identifier: Apache-2.0
// Constrained-random stimulus of the units alone, one function a unit.
//
// Each derives its weights (how often commands come, pieces are accepted, credits and
// progress return, errors are injected) from the seed, so that one seed is one kind of
// traffic; drives `cycles` steps; and resets the unit in the middle now and then.
#ifndef NOCTURNE_STIMULUS_H
#define NOCTURNE_STIMULUS_H

#include "csim/base/rng.h"
#include "tb/harness/harness.h"

// A knob of the traffic, given instead of the seed's choice: a number, a range A..B from which the
// seed draws, or values with weights, 20*1,1000*3.
typedef struct {
  const char *name, *value;
  bool used;
  // The most like it of the names that the unit asked for; all of these, with ", " between.
  char nearest[64], offered[256];
} stimulus_knob_t;

enum { StimulusMaxKnobs = 16 };

// Makes the unit in place of the harness: the engine to drive, or NULL with one line in error.
typedef struct {
  void *self;
  const unit_engine_t *(*make)(void *self, harness_t *harness, const unit_info_t *info,
                               const void *params, uint32_t instance, err_t *err);
} stimulus_host_t;

typedef struct {
  uint32_t gpus;
  const char *set;  // named parameter sets, "A" or "A,B", from which the seed chooses; NULL: any
  uint64_t seed, cycles;
  stimulus_knob_t *knobs;       // StimulusMaxKnobs, unused ones with a NULL name; or NULL
  uint64_t *clock;              // counted up with each step
  bool busy;                    // for benchmarks: inputs valid in most cycles, no errors, no resets
  rng_source_t *source;         // decides the traffic in place of the seed; or NULL
  const stimulus_host_t *host;  // or NULL
} stimulus_t;

// Begins the traffic's random numbers, by the seed or the source.
void stimulus_seed(const stimulus_t *s, rng_t *rng);

// Makes the unit that is driven; `typed`, its typed engine, may be NULL. Corners come between
// the stimulus and the unit (corners.h, which has it). NULL with one line in error.
const unit_engine_t *stimulus_unit(const stimulus_t *s, harness_t *harness, const unit_info_t *info,
                                   const void *params, uint32_t instance, void *typed, err_t *err);

// A choice that makes one kind of traffic, and the knob that overrides it: a member of the
// traffic, what it says, its value with busy, the values from which the seed chooses. Shares are
// in 1/1,000.
enum { StimulusMaxChoices = 8 };
#define StimulusAsDrawn UINT32_MAX  // with busy too
typedef struct {
  const char *name, *meaning;
  size_t offset;  // of a uint32_t in the traffic
  uint32_t busy, count, values[StimulusMaxChoices];
  bool apart;  // drawn from the seed and the name alone: what the others draw is as without it
} stimulus_choice_t;

#define STIMULUS_CHOICE(member, name, meaning, busy, ...)                          \
  {                                                                                \
    name, meaning, offsetof(traffic_t, member), busy,                              \
        sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), {__VA_ARGS__}, false \
  }
#define STIMULUS_CHOICE_APART(member, name, meaning, busy, ...)                   \
  {                                                                               \
    name, meaning, offsetof(traffic_t, member), busy,                             \
        sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), {__VA_ARGS__}, true \
  }

// Sets the members of all choices, which end with a NULL name: as given, else drawn by the seed.
// Draws alike in both cases, so that a knob changes nothing but itself.
void stimulus_draw(const stimulus_t *s, rng_t *rng, const stimulus_choice_t *choices,
                   void *traffic);

// One such value, of the knob that has this name.
uint32_t stimulus_choose(const stimulus_t *s, rng_t *rng, const char *name, const uint32_t *choices,
                         uint32_t count);

// Chooses the parameters to drive the unit with: of a set given, else of one of the random sets of
// its description; the first set with busy. A parameter "gpus" becomes s->gpus.
void stimulus_params(const stimulus_t *s, const unit_info_t *info, rng_t *rng, void *params);

// True if each name of "A,B" is a set of the unit; if not, one line in error.
bool stimulus_sets_valid(const unit_info_t *info, const char *sets, err_t *err);

// The values that a knob may take.
enum { StimulusMaxWeighted = 16 };
typedef struct {
  uint32_t low, high;                                                            // without weights
  uint32_t count, value[StimulusMaxWeighted], weight[StimulusMaxWeighted], sum;  // count 0: none
} stimulus_range_t;

// The range of the knob that has this name, which is then used. False: it is not given.
bool stimulus_knob_range(const stimulus_t *s, const char *name, stimulus_range_t *range);
uint32_t stimulus_range_draw(const stimulus_range_t *range, rng_t *rng);

// Returns true if a knob's value can be read.
bool stimulus_knob_valid(const char *value);

// A unit's own stimulus: NAME_stimulus in tb/units/NAME/stimulus.c, which the table of the units
// finds by this name. A unit without one is driven from its description alone (stimulus_page.h).
typedef struct stimulus_unit {
  // Returns true if every step was right.
  bool (*run)(const stimulus_t *s, harness_t *harness, err_t *err);
  const stimulus_choice_t *choices;  // ends with a NULL name
} stimulus_unit_t;

#endif
