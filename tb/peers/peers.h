// SPDX-License-Identifier: Apache-2.0
// A unit in lockstep beside the benches that a user would write instead, on the same inputs.
#ifndef NOCTURNE_PEERS_PEERS_H
#define NOCTURNE_PEERS_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"

enum { PeersMax = 7 };

typedef struct {
  const char *name;    // key of the JSON, and of tb/peers/peers.sh
  const char *what;    // for tables
  const char *checks;  // what it compares in each cycle
} peer_t;

// Lockstep and the bare unit, which tb/harness/speed.h measures, then those of peers.sh.
enum { PeerLockstep, PeerBare, PeerScripts };
extern const peer_t Peers[PeersMax + 1];  // ends with a NULL name

typedef struct {
  const char *unit;
  double hz[PeersMax];  // cycles a second, of processor time
} peers_t;

// Builds and runs the peers of tb/peers/peers.sh on FOLDER/UNIT-0.vec, what is built under FOLDER.
// False with one line in error: one has another result than the vectors, cannot be built, or a
// tool is missing (*lacking).
bool peers_measure(peers_t *peers, const char *folder, bool *lacking, err_t *err);

// FOLDER/peers.md, a table of their speed over lockstep's, and FOLDER/peers.svg, the same drawn by
// gnuplot. False with one line in error.
bool peers_write(const peers_t *units, uint32_t count, const char *folder, err_t *err);

#endif
