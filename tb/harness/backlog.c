// SPDX-License-Identifier: Apache-2.0
#include "backlog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { Batches = 4, BatchBytes = 4 * BacklogMaxRecord, Align = 16 };

// Each record follows a header of Align bytes that holds its length with the header.
typedef struct {
  size_t used;
  uint8_t *bytes;
} batch_t;

struct backlog {
  batch_t batches[Batches];
  uint64_t filled, handled;  // batches so far; the one being filled is filled % Batches
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
    while (b->handled == b->filled && !b->ending) {
      pthread_cond_wait(&b->changed, &b->mutex);
    }
    if (b->handled == b->filled) {
      break;
    }
    batch_t *batch = &b->batches[b->handled % Batches];
    pthread_mutex_unlock(&b->mutex);
    handle_batch(b, batch);
    pthread_mutex_lock(&b->mutex);
    batch->used = 0;
    b->handled++;
    pthread_cond_broadcast(&b->changed);
  }
  pthread_mutex_unlock(&b->mutex);
  return NULL;
}

backlog_t *backlog_create(backlog_handle_t handle) {
  backlog_t *b = calloc(1, sizeof *b);
  if (!b) {
    return NULL;
  }
  b->handle = handle;
  bool ok = true;
  for (uint32_t i = 0; i < Batches; i++) {
    b->batches[i].bytes = aligned_alloc(Align, BatchBytes);
    ok = ok && b->batches[i].bytes;
  }
  pthread_mutex_init(&b->mutex, NULL);
  pthread_cond_init(&b->changed, NULL);
  if (!ok || pthread_create(&b->thread, NULL, work, b) != 0) {
    for (uint32_t i = 0; i < Batches; i++) {
      free(b->batches[i].bytes);
    }
    free(b);
    return NULL;
  }
  pthread_setname_np(b->thread, "rtl");
  return b;
}

// Hands the batch being filled to the worker and waits for an empty one.
static void hand_over(backlog_t *b) {
  pthread_mutex_lock(&b->mutex);
  b->filled++;
  pthread_cond_broadcast(&b->changed);
  while (b->filled - b->handled == Batches) {
    pthread_cond_wait(&b->changed, &b->mutex);
  }
  pthread_mutex_unlock(&b->mutex);
}

void *backlog_put(backlog_t *b, size_t bytes) {
  size_t length = (bytes + Align - 1) / Align * Align + Align;
  if (b->batches[b->filled % Batches].used + length > BatchBytes) {
    hand_over(b);
  }
  batch_t *batch = &b->batches[b->filled % Batches];
  uint8_t *header = batch->bytes + batch->used;
  *(size_t *)(void *)header = length;
  batch->used += length;
  return header + Align;
}

void backlog_drain(backlog_t *b) {
  if (b->batches[b->filled % Batches].used > 0) {
    hand_over(b);
  }
  pthread_mutex_lock(&b->mutex);
  while (b->handled != b->filled) {
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
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->mutex);
  pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->changed);
  pthread_mutex_destroy(&b->mutex);
  for (uint32_t i = 0; i < Batches; i++) {
    free(b->batches[i].bytes);
  }
  free(b);
}
