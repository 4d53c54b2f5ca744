// SPDX-License-Identifier: Apache-2.0
// Objects of the JSON whose members depend on the run. Each function returns a new object or list.
#ifndef NOCTURNE_RESULT_MADE_H
#define NOCTURNE_RESULT_MADE_H

#include <jansson.h>

#include "facts.h"

json_t *made_config(const facts_t *facts);         // values by key; in "sets" those of named sets
json_t *made_outside(const facts_t *facts);        // names of unused units
json_t *made_parts(const facts_t *facts);          // slots of the schedulers over time
json_t *made_reasons(const facts_t *facts);        // groups by reason
json_t *made_slices(const facts_t *facts);         // draws in the frame's order
json_t *made_quarters(const facts_t *facts);       // draws by cost
json_t *made_units(const facts_t *facts);          // what the engine counted
json_t *made_own(const facts_t *facts);            // hashes of what is the user's
json_t *made_soc_sources(const facts_t *facts);    // what the memory did for each source
json_t *made_soc_deadlines(const facts_t *facts);  // of GPU and display
json_t *made_soc_dash(const facts_t *facts);       // states of the scheduler
json_t *made_soc_parts(const facts_t *facts);      // bytes by source over time

#endif
