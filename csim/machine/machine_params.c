// SPDX-License-Identifier: Apache-2.0
#include "machine_params.h"

#include "unit/draw_scheduler/draw_scheduler.h"

#define WORD(enumerator, word, ...) #word,
const char *const MachineSchemeNames[] = {MACHINE_SCHEMES(WORD) NULL};
const char *const MachineDrawsNames[] = {"scheme", MACHINE_DRAWS(WORD) NULL};
const char *const MachineOrdersNames[] = {"scheme", MACHINE_ORDERS(WORD) NULL};
const char *const MachineIdealNames[] = {"scheme", "false", "true", NULL};

static const struct {
  machine_share_e share;
  draw_scheduler_policy_e policy;
} Draws[] = {
#define ROW(enumerator, word, shares, with) [enumerator] = {shares, DrawSchedulerPolicy##with},
    MACHINE_DRAWS(ROW)
#undef ROW
};

typedef struct {
  uint32_t draws, orders;
  bool ideal;
} axes_t;

static const axes_t Schemes[] = {
#define ROW(enumerator, word, draws, orders, ideal) [enumerator] = {draws, orders, ideal},
    MACHINE_SCHEMES(ROW)
#undef ROW
};

static axes_t axes_of(const machine_params_t *p) {
  axes_t a = Schemes[p->scheme];
  a.draws = p->draws ? p->draws : a.draws;
  a.orders = p->orders ? p->orders : a.orders;
  a.ideal = p->ideal ? p->ideal == MachineIdealTrue : a.ideal;
  return a;
}

const char *machine_scheme_name(const machine_params_t *p) {
  // Combinations that are no scheme have the words of their axes.
#define COMBINED(enumerator, word, ...)                     \
  [enumerator] = {{#word "+direct", #word "+direct+ideal"}, \
                  {#word "+scheduler", #word "+scheduler+ideal"}},
  static const char *const combined[][2][2] = {MACHINE_DRAWS(COMBINED)};
  const axes_t a = axes_of(p);
  for (uint32_t s = 0; s < MachineSchemeCount; s++) {
    const axes_t *of = &Schemes[s];
    if (of->draws == a.draws && of->ideal == a.ideal &&
        (of->orders == a.orders || !machine_composes(p))) {
      return MachineSchemeNames[s];
    }
  }
  return combined[a.draws][a.orders == MachineOrdersScheduler][a.ideal];
}

uint32_t machine_draws(const machine_params_t *p) { return axes_of(p).draws; }

uint32_t machine_policy(const machine_params_t *p) { return Draws[machine_draws(p)].policy; }

bool machine_single(const machine_params_t *p) { return machine_draws(p) == MachineDrawsSingle; }

static machine_share_e share_of(const machine_params_t *p) { return Draws[machine_draws(p)].share; }

bool machine_composes(const machine_params_t *p) { return share_of(p) == MachineSharesDraws; }

bool machine_distributes(const machine_params_t *p) {
  return share_of(p) == MachineSharesPrimitives;
}

bool machine_ideal(const machine_params_t *p) { return axes_of(p).ideal; }

bool machine_schedules(const machine_params_t *p) {
  return machine_composes(p) && axes_of(p).orders == MachineOrdersScheduler;
}

bool machine_exchanges(const machine_params_t *p) {
  bool at_once = machine_schedules(p) && machine_ideal(p) && p->ideal_merge == MachineMergeNone;
  return machine_composes(p) && !at_once;
}

uint32_t machine_lookahead(const machine_params_t *p) {
  return machine_schedules(p) && !machine_ideal(p) ? p->lookahead : 0;
}

uint32_t machine_early(const machine_params_t *p) { return machine_lookahead(p) ? p->early : 0; }

uint32_t machine_distributors(const machine_params_t *p) {
  return machine_exchanges(p) ? p->gpus << (machine_early(p) > 0) : 1;
}
