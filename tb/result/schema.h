// SPDX-License-Identifier: Apache-2.0
// The JSON Schema (draft 7) of a run's result, made from the rows.
#ifndef NOCTURNE_RESULT_SCHEMA_H
#define NOCTURNE_RESULT_SCHEMA_H

#include <jansson.h>

// Returns the schema, which the caller releases; NULL if memory runs out.
json_t *schema_of_rows(void);

#endif
