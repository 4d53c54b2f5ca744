// SPDX-License-Identifier: Apache-2.0
// A message channel between one GPU and the schedulers (CHOPIN, VI-D): 4-byte
// messages in order, one a cycle, a fixed latency.
//
// A message sent at cycle t is readable from t + latency on, or from one cycle after
// the message before it. The queue grows when needed, never in steady state.
#ifndef NOCTURNE_LINK_CHANNEL_H
#define NOCTURNE_LINK_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_NEVER UINT64_MAX
enum { ChannelMessageBytes = 4 };

typedef struct {
  uint32_t kind;  // the caller's
  uint32_t value;
  uint64_t payload;
} channel_message_t;

typedef struct {
  uint32_t latency;
  uint32_t capacity;  // a power of two
  uint64_t sent, taken;
  uint64_t next_free;  // earliest arrival of the next message
  uint64_t *arrival;
  channel_message_t *messages;
  bool failed;  // out of memory: a message was lost
} channel_t;

// False: out of memory.
bool channel_create(channel_t *channel, uint32_t latency);
void channel_destroy(channel_t *channel);
// Sends a message; returns the cycle of arrival.
uint64_t channel_send(channel_t *channel, uint64_t now, channel_message_t message);
// Returns the oldest message if it is readable at cycle `now`, or NULL.
static inline const channel_message_t *channel_head(const channel_t *channel, uint64_t now) {
  const uint64_t place = channel->taken & (channel->capacity - 1);
  const bool is_there = channel->taken != channel->sent && channel->arrival[place] <= now;
  return is_there ? &channel->messages[place] : NULL;
}
static inline void channel_pop(channel_t *channel) { channel->taken++; }
// Returns the cycle at which the oldest message is readable, or CHANNEL_NEVER.
static inline uint64_t channel_next(const channel_t *channel) {
  const uint64_t place = channel->taken & (channel->capacity - 1);
  return channel->taken == channel->sent ? CHANNEL_NEVER : channel->arrival[place];
}

#endif
