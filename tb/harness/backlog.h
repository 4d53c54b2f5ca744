// SPDX-License-Identifier: Apache-2.0
// A worker thread that handles records in the order in which they were put: the RTL's half of
// lockstep, for which nobody waits. Records travel in batches, so a hand-over costs next to
// nothing. Only one thread may put records.
#ifndef NOCTURNE_HARNESS_BACKLOG_H
#define NOCTURNE_HARNESS_BACKLOG_H

#include <stddef.h>

typedef struct backlog backlog_t;

// Handles one record on the worker thread.
typedef void (*backlog_handle_t)(const void *record);

backlog_t *backlog_create(backlog_handle_t handle);  // NULL: out of memory or of threads

// Returns room for the next record, 16-byte aligned, which the caller fills before the next call.
// Waits while the worker is far behind. bytes: at most BacklogMaxRecord.
enum { BacklogMaxRecord = 65536 };
void *backlog_put(backlog_t *backlog, size_t bytes);
// Shortens the record that was put last to the bytes that were filled.
void backlog_trim(backlog_t *backlog, void *record, size_t bytes);

// Waits until every record has been handled.
void backlog_drain(backlog_t *backlog);
void backlog_destroy(backlog_t *backlog);  // drains first; NULL is allowed

#endif
