// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <stdlib.h>
#include <string.h>

enum { FirstCapacity = 256 };

bool channel_create(channel_t *channel, uint32_t latency) {
  *channel = (channel_t){.latency = latency, .capacity = FirstCapacity};
  channel->arrival = calloc(FirstCapacity, sizeof *channel->arrival);
  channel->messages = calloc(FirstCapacity, sizeof *channel->messages);
  if (!channel->arrival || !channel->messages) {
    channel_destroy(channel);
    return false;
  }
  return true;
}

void channel_destroy(channel_t *channel) {
  free(channel->arrival);
  free(channel->messages);
  *channel = (channel_t){0};
}

static bool grow(channel_t *channel) {
  uint32_t old = channel->capacity, capacity = 2 * old;
  uint64_t *arrival = calloc(capacity, sizeof *arrival);
  channel_message_t *messages = calloc(capacity, sizeof *messages);
  if (!arrival || !messages) {
    free(arrival);
    free(messages);
    return false;
  }
  for (uint64_t i = channel->taken; i < channel->sent; i++) {
    arrival[i & (capacity - 1)] = channel->arrival[i & (old - 1)];
    messages[i & (capacity - 1)] = channel->messages[i & (old - 1)];
  }
  free(channel->arrival);
  free(channel->messages);
  channel->arrival = arrival;
  channel->messages = messages;
  channel->capacity = capacity;
  return true;
}

uint64_t channel_send(channel_t *channel, uint64_t now, channel_message_t message) {
  if (channel->sent - channel->taken == channel->capacity && !grow(channel)) {
    channel->failed = true;
    return CHANNEL_NEVER;
  }
  uint64_t arrival = now + channel->latency;
  if (arrival < channel->next_free) {
    arrival = channel->next_free;
  }
  channel->next_free = arrival + 1;
  uint64_t place = channel->sent++ & (channel->capacity - 1);
  channel->arrival[place] = arrival;
  channel->messages[place] = message;
  return arrival;
}
