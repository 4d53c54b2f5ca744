// SPDX-License-Identifier: Apache-2.0
// A policy of the user's own: units in place of the tree's, and decisions in place of the driver's
// (docs/how-to/your-own-policy.md).
//
//   --unit NAME=DIR      DIR/NAME.yaml, DIR/NAME.so, and for rtl and lockstep DIR/NAME.sv
//   --driver LIB.so      csim/driver/nocturne_driver.h
//
// Their functions are called under guard.h. A unit that is wrong ends the run with a report, a
// decision that is wrong with one line.
#ifndef NOCTURNE_HARNESS_OWN_H
#define NOCTURNE_HARNESS_OWN_H

#include "csim/base/sha256.h"
#include "engine.h"

enum { OwnMaxUnits = 7 };

// The options as they were given; zeros: none.
typedef struct {
  const char *units[OwnMaxUnits];  // NAME=DIR
  uint32_t unit_count;
  const char *driver;
} own_options_t;

// Loads everything, once a process, and sets the options' own units and driver. Fails with one
// line: a file that is missing or stale, another page, an engine without its RTL.
bool own_load(const own_options_t *own, harness_options_t *options, err_t *err);

// Hashes the content of all files; an empty text if there are none.
bool own_hash(const own_options_t *own, char text[BaseSha256Text], err_t *err);

// Adds the options as they were given to a list of words; returns the new number of words.
uint32_t own_words(const own_options_t *own, const char **words, uint32_t count);

#endif
