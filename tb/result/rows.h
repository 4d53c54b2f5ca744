// SPDX-License-Identifier: Apache-2.0
// The JSON of a run as a table: one row per key, in the order of the JSON.
//
// A row makes the sum over the GPUs, the sum over the frames of a sequence, the JSON, the table in
// docs/reference/json.md and `nocturne run --list-keys`. To add a statistic, add the member to its
// struct, count it, and add its row to rows.c.
#ifndef NOCTURNE_RESULT_ROWS_H
#define NOCTURNE_RESULT_ROWS_H

#include <jansson.h>

#include "facts.h"

typedef enum {
  RowNumber,    // uint64_t
  RowCount,     // uint32_t
  RowReal,      // double
  RowTruth,     // bool
  RowWord,      // const char *
  RowText,      // char array
  RowList,      // uint64_t array
  RowClusters,  // gpu_by_cluster_t
  RowMade,      // what `make` returns
  RowWithin,    // a key inside of what a row above makes; a capital word in it stands for any
} row_kind_e;

// How the values of several GPUs become one.
typedef enum { GpusOne, GpusSum, GpusMax } row_gpus_e;

// How the values of several frames become the whole sequence's.
typedef enum {
  FramesNone,  // the whole has none
  FramesSame,  // the first frame's
  FramesSum,   // numbers, also those inside of an object
  FramesMax,
  FramesLast,   // the last frame's
  FramesAgain,  // computed from other keys of the whole
} row_frames_e;

typedef enum {
  RowAlways,
  RowWithFrames,
  RowWithBaseline,
  RowWithTextures,
  RowWithAtfim,
  RowWithErrors,
  RowWithBound,
  RowWithWarps,
  RowWithClusters,
  RowWithTiles,
  RowWithTileWarps,
  RowWithDfsl,
  RowWithTc,
  RowWithFronts,
  RowWithSoc,
  RowWithDash,
  RowWithCaches,
  RowWithHints,
  RowWithSplit,
  RowWithScouts,
  RowWithBarriers,
  RowWithLeft,
  RowWithBlocks,
  RowWithCoarse,
  RowWithEarly,
  RowWithRtl,
  RowWithOwn,
} row_when_e;

typedef struct {
  const char *key;   // members joined by dots; NULL: no key, but other values are computed from it
  const char *unit;  // "" if it has none
  row_kind_e kind;
  size_t at, size;  // of the value in facts_t
  json_t *(*make)(const facts_t *facts);
  row_gpus_e gpus;
  row_frames_e frames;
  bool once;  // stands in the whole and not in each frame
  row_when_e when;
  const char *what;
} row_t;

extern const row_t Rows[];  // ends with a row without a meaning

// Returns whether a run has the key, and in words which runs have it.
bool row_holds(const row_t *row, const result_t *r);
const char *row_presence(const row_t *row);

#endif
