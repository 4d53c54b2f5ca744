// SPDX-License-Identifier: Apache-2.0
// For files whose loops are to become vector code: compiles them with -O3 and offers functions for
// two processors.
#ifndef NOCTURNE_BASE_CLONES_H
#define NOCTURNE_BASE_CLONES_H

// A function compiled twice, for the baseline and for AVX2, chosen when the program
// starts. Both give the same bits: no fused operations, no reassociation. Not under
// the sanitizers, which start after that choice.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

// At -O2 the compiler leaves most of these loops as they are. (Under the sanitizers that would take
// longer than the runs.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__)
#pragma GCC optimize("O3")
#endif

#endif
