// SPDX-License-Identifier: Apache-2.0
// Parameters of a system on a chip around one GPU (Emerald, case study I; docs/model/soc.md).
#ifndef NOCTURNE_MACHINE_SOC_PARAMS_H
#define NOCTURNE_MACHINE_SOC_PARAMS_H

#include <stdint.h>

#include "../base/config.h"
#include "../memory/gddr5.h"

enum { SocMaxCores = 8, SocIps = 2 };  // IPs: GPU, display
#define SOC_CPU_BASE (4ull << 30)      // address of core 0's memory; the others' follow

typedef enum {
  SocOff,
  SocFrfcfs,   // no priorities: Emerald's baseline
  SocDashCpu,  // DASH, whose total bandwidth is that of the CPUs
  SocDashAll,  // DASH, whose total bandwidth is that of all sources
} soc_scheduler_e;

typedef enum { SocShared, SocSplit } soc_organization_e;

// The CPUs: entries of the set soc.cpu. Instructions of work are in thousands.
typedef struct {
  uint32_t cores;
  uint32_t ipc;     // instructions in 1,000 cycles
  uint32_t window;  // reads under way at which a core stops
  uint32_t run;     // lines in a row, in the mean
  uint32_t writes;  // permille of the reads with a posted write beside
  uint32_t mpki[SocMaxCores];
  uint32_t prepare[SocMaxCores], beside[SocMaxCores];
  uint32_t background[SocMaxCores];  // requests in a million cycles
} soc_cpu_params_t;

typedef struct {
  uint32_t scheduler, organization;  // soc_scheduler_e, soc_organization_e
  uint32_t pace;
  uint32_t urgency;  // 0: also by progress; 1: by the threshold alone
  uint32_t cluster_factor, threshold, gpu_threshold;  // permille
  uint32_t gpu_period, display_period;
  uint32_t buffer;  // bytes of the display
  bool polled;      // for tests: the GPU is called in each cycle. No key
  soc_cpu_params_t cpu;
} soc_params_t;

// Returns who shares the memory.
gddr5_sources_t soc_params_sources(const soc_params_t *params);

// Registers the keys of *params, a soc_params_t.
bool soc_config_add(config_t *config, void *params, err_t *err);

// Checks values that are each in range but impossible together.
bool soc_config_check(const config_t *config, const soc_params_t *params, err_t *err);

#endif
