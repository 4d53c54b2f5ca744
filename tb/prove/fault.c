// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void fault(int status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fflush(stdout);
  fputs("prove: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  exit(status);
}

void *fault_calloc(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) {
    fault(FaultLacking, "out of memory");
  }
  return memory;
}

void *fault_realloc(void *memory, size_t count, size_t size) {
  void *larger = count < SIZE_MAX / size ? realloc(memory, count * size) : NULL;
  if (!larger) {
    fault(FaultLacking, "out of memory");
  }
  return larger;
}

enum { PieceSize = 1 << 20 };

typedef struct piece {
  struct piece *next;
  _Alignas(16) uint8_t bytes[];
} piece_t;

struct arena {
  piece_t *pieces;
  size_t used, room;
};

arena_t *arena_create(void) { return fault_calloc(1, sizeof(arena_t)); }

void arena_destroy(arena_t *arena) {
  while (arena && arena->pieces) {
    piece_t *next = arena->pieces->next;
    free(arena->pieces);
    arena->pieces = next;
  }
  free(arena);
}

void *arena_take(arena_t *arena, size_t count, size_t size) {
  size_t bytes = (count * size + 15) & ~(size_t)15;
  if (bytes > arena->room - arena->used || !arena->pieces) {
    size_t room = bytes > PieceSize ? bytes : PieceSize;
    piece_t *piece = fault_realloc(NULL, 1, sizeof *piece + room);
    piece->next = arena->pieces;
    arena->pieces = piece;
    arena->used = 0;
    arena->room = room;
  }
  void *memory = arena->pieces->bytes + arena->used;
  arena->used += bytes;
  return memory;
}
