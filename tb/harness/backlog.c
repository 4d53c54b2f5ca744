// SPDX-License-Identifier: Apache-2.0
#include "backlog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Batches are made while all are in use: the machine draws for long without a step of a unit, and
// then composes faster than the worker clocks.
enum { BatchBytes = 2 * BacklogMaxRecord, MostBatches = 512, Align = 16 };

// Each record follows a header of Align bytes that holds its length with the header.
typedef struct batch {
  struct batch *next;
  size_t used;
  _Alignas(Align) uint8_t bytes[BatchBytes];
} batch_t;

struct backlog {
  batch_t *filling;
  batch_t *first, *last;  // filled, in order; the worker's is the first
  batch_t *spare;         // the one that was used last comes first: it is in the cache
  uint32_t made, most;
  bool ending;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  backlog_handle_t handle;
};

static void handle_batch(const backlog_t *b, const batch_t *batch) {
  for (size_t at = 0; at < batch->used;) {
    const uint8_t *header = batch->bytes + at;
    b->handle(header + Align);
    at += *(const size_t *)(const void *)header;
  }
}

static void *work(void *context) {
  backlog_t *b = context;
  pthread_mutex_lock(&b->mutex);
  for (;;) {
    while (!b->first && !b->ending) {
      pthread_cond_wait(&b->changed, &b->mutex);
    }
    batch_t *batch = b->first;
    if (!batch) {
      break;
    }
    pthread_mutex_unlock(&b->mutex);
    handle_batch(b, batch);
    pthread_mutex_lock(&b->mutex);
    b->first = batch->next;
    batch->next = b->spare;
    b->spare = batch;
    pthread_cond_signal(&b->changed);
  }
  pthread_mutex_unlock(&b->mutex);
  return NULL;
}

// Takes an empty batch to fill, which is made if there is none; the lock is held. Waits if no more
// may be made, or memory runs out.
static void take_batch(backlog_t *b) {
  if (!b->spare && b->made < b->most) {
    b->spare = aligned_alloc(Align, sizeof *b->spare);
    if (b->spare) {
      b->spare->next = NULL;
      b->made++;
    } else {
      b->most = b->made;
    }
  }
  while (!b->spare && b->made) {
    pthread_cond_wait(&b->changed, &b->mutex);
  }
  b->filling = b->spare;
  if (b->filling) {
    b->spare = b->filling->next;
    b->filling->used = 0;
  }
}

static void free_batches(batch_t *batch) {
  while (batch) {
    batch_t *next = batch->next;
    free(batch);
    batch = next;
  }
}

backlog_t *backlog_create(backlog_handle_t handle) {
  backlog_t *b = calloc(1, sizeof *b);
  if (!b) {
    return NULL;
  }
  b->handle = handle;
  b->most = MostBatches;
  pthread_mutex_init(&b->mutex, NULL);
  pthread_cond_init(&b->changed, NULL);
  take_batch(b);
  if (!b->filling || pthread_create(&b->thread, NULL, work, b) != 0) {
    free(b->filling);
    free(b);
    return NULL;
  }
  pthread_setname_np(b->thread, "rtl");
  return b;
}

// Hands the batch being filled to the worker and takes an empty one.
static void hand_over(backlog_t *b) {
  pthread_mutex_lock(&b->mutex);
  b->filling->next = NULL;
  if (b->first) {
    b->last->next = b->filling;
  } else {
    b->first = b->filling;
  }
  b->last = b->filling;
  pthread_cond_signal(&b->changed);
  take_batch(b);
  pthread_mutex_unlock(&b->mutex);
}

static size_t length_of(size_t bytes) { return (bytes + Align - 1) / Align * Align + Align; }

void *backlog_put(backlog_t *b, size_t bytes) {
  const size_t length = length_of(bytes);
  if (b->filling->used + length > BatchBytes) {
    hand_over(b);
  }
  uint8_t *header = b->filling->bytes + b->filling->used;
  *(size_t *)(void *)header = length;
  b->filling->used += length;
  return header + Align;
}

void backlog_trim(backlog_t *b, void *record, size_t bytes) {
  size_t *length = (size_t *)(void *)((uint8_t *)record - Align);
  b->filling->used -= *length - length_of(bytes);
  *length = length_of(bytes);
}

void backlog_drain(backlog_t *b) {
  if (b->filling->used > 0) {
    hand_over(b);
  }
  pthread_mutex_lock(&b->mutex);
  while (b->first) {
    pthread_cond_wait(&b->changed, &b->mutex);
  }
  pthread_mutex_unlock(&b->mutex);
}

void backlog_destroy(backlog_t *b) {
  if (!b) {
    return;
  }
  backlog_drain(b);
  pthread_mutex_lock(&b->mutex);
  b->ending = true;
  pthread_cond_signal(&b->changed);
  pthread_mutex_unlock(&b->mutex);
  pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->changed);
  pthread_mutex_destroy(&b->mutex);
  free_batches(b->spare);
  free(b->filling);
  free(b);
}
