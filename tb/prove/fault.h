// SPDX-License-Identifier: Apache-2.0
// The end of the prover on an error: one line on standard error, and the exit status. Memory that
// is always there.
#ifndef NOCTURNE_PROVE_FAULT_H
#define NOCTURNE_PROVE_FAULT_H

#include <stddef.h>

enum { FaultRefuted = 1, FaultUsage = 2, FaultLacking = 3 };

// Ends the program with the line "prove: ...".
_Noreturn void fault(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// As those without the prefix, of count elements; they end the program where there is no memory.
void *fault_calloc(size_t count, size_t size);
void *fault_realloc(void *memory, size_t count, size_t size);

// Memory in pieces that is given back all at once.
typedef struct arena arena_t;
arena_t *arena_create(void);
void arena_destroy(arena_t *arena);
void *arena_take(arena_t *arena, size_t count, size_t size);  // not cleared

#endif
