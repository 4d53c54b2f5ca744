// SPDX-License-Identifier: Apache-2.0
// Schemes: how a frame is split among the GPUs, on three axes (docs/model/driver.md). A scheme is a
// word for a place on each axis; the keys schedule.* choose a place on one axis alone.
#ifndef NOCTURNE_MACHINE_SCHEME_H
#define NOCTURNE_MACHINE_SCHEME_H

// Who draws: enumerator, word, what the GPUs share, and for MachineSharesDraws the draw scheduler's
// policy. A policy of the unit needs a row here and nothing else in csim/machine.
#define MACHINE_DRAWS(X)                                                      \
  X(MachineDrawsSingle, single, MachineSharesTiles, LeastRemaining)           \
  X(MachineDrawsDuplication, duplication, MachineSharesTiles, LeastRemaining) \
  X(MachineDrawsGpupd, gpupd, MachineSharesPrimitives, LeastRemaining)        \
  X(MachineDrawsRoundRobin, round_robin, MachineSharesDraws, RoundRobin)      \
  X(MachineDrawsLeast, least_remaining, MachineSharesDraws, LeastRemaining)

// The work that the GPUs share among them.
typedef enum {
  MachineSharesTiles,       // each GPU processes all triangles and draws the tiles that it owns
  MachineSharesPrimitives,  // primitives are distributed to the owners of their tiles
  MachineSharesDraws,       // draws go to GPUs, whose sub-images are composed
} machine_share_e;

// Who orders the compositions: naive direct-send, or a composition scheduler (the one with
// lookahead if composition_scheduler.lookahead is not 0).
#define MACHINE_ORDERS(X)        \
  X(MachineOrdersDirect, direct) \
  X(MachineOrdersScheduler, scheduler)

// Schemes: enumerator, word, who draws, who orders, and whether transfers between GPUs have no
// latency and no limit of bandwidth or buffers (CHOPIN, V).
#define MACHINE_SCHEMES(X)                                                                     \
  X(MachineSingle, single, MachineDrawsSingle, MachineOrdersScheduler, false)                  \
  X(MachineDuplication, duplication, MachineDrawsDuplication, MachineOrdersScheduler, false)   \
  X(MachineChopinRoundRobin, chopin_rr, MachineDrawsRoundRobin, MachineOrdersScheduler, false) \
  X(MachineChopinDirect, chopin_direct, MachineDrawsLeast, MachineOrdersDirect, false)         \
  X(MachineChopin, chopin, MachineDrawsLeast, MachineOrdersScheduler, false)                   \
  X(MachineGpupd, gpupd, MachineDrawsGpupd, MachineOrdersScheduler, false)                     \
  X(MachineGpupdIdeal, gpupd_ideal, MachineDrawsGpupd, MachineOrdersScheduler, true)           \
  X(MachineChopinIdeal, chopin_ideal, MachineDrawsLeast, MachineOrdersScheduler, true)

#define MACHINE_ENUMERATOR(enumerator, ...) enumerator,
// A place on an axis; 0 is the one of the scheme.
typedef enum {
  MachineDrawsOfScheme,
  MACHINE_DRAWS(MACHINE_ENUMERATOR) MachineDrawsEnd,
} machine_draws_e;
typedef enum {
  MachineOrdersOfScheme,
  MACHINE_ORDERS(MACHINE_ENUMERATOR) MachineOrdersEnd,
} machine_orders_e;
typedef enum {
  MachineIdealOfScheme,
  MachineIdealFalse,
  MachineIdealTrue,
  MachineIdealEnd,
} machine_ideal_e;
typedef enum { MACHINE_SCHEMES(MACHINE_ENUMERATOR) MachineSchemeCount } machine_scheme_e;
#undef MACHINE_ENUMERATOR

// Words by enumerator; NULL ends each list.
extern const char *const MachineSchemeNames[MachineSchemeCount + 1];
extern const char *const MachineDrawsNames[MachineDrawsEnd + 1];
extern const char *const MachineOrdersNames[MachineOrdersEnd + 1];
extern const char *const MachineIdealNames[MachineIdealEnd + 1];

#endif
