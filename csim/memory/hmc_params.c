// SPDX-License-Identifier: Apache-2.0
// Parameters of the HMC: keys, constants, the timing of its vaults.
#include "hmc.h"

#include <stdlib.h>

static const char Table1[] = "A-TFIM, Table I";
static const char Chosen[] = "chosen";
static const char Large[] = "CasHMC, large buffers";

typedef hmc_params_t P;

#define CONSTANT(field, value, unit, source, meaning) \
  CONFIG_CONSTANT(P, field, #field, value, unit, source, meaning)

static const config_key_t Keys[] = {
    CONFIG_UINT(P, links, "links", 4, 1, 8, "links", "HMC specification 2.0",
                "of 16 lanes; a power of two"),
    CONFIG_UINT(P, vaults, "vaults", 32, 1, 64, "vaults", Table1, "a power of two"),
    CONFIG_UINT(P, banks, "banks", 8, 1, 16, "banks", Table1, "of a vault; a power of two"),
    CONFIG_UINT(P, bank_mib, "bank_size", 16, 1, 1024, "MiB",
                "HMC specification 2.0: 256 banks are 4 GB", "of a bank"),
    CONFIG_UINT(P, block, "block", 64, 32, 256, "bytes",
                "HMC specification: 32, 64, 128 or 256; the texture lines' 64",
                "that a vault holds in sequence"),
    CONFIG_BOOL(P, vault_hash, "vault_hash", "false", "for experiments",
                "vault is block bits 4:0 XOR 9:5, 14:10, 19:15, 24:20 (of 32 vaults)",
                .group = ConfigExtension),
    CONFIG_UINT(P, bandwidth, "bandwidth", 160, 1, 640, "GB/s",
                "A-TFIM, Table I: 320 in total, full duplex",
                "a direction, of all links together, headers included"),
    CONFIG_UINT(P, logic_reads, "logic_reads", 256, 1, 4096, "reads",
                "A-TFIM, V-D: the memory request queue", "of the logic layer, under way at once"),
    CONSTANT(link_latency, 1, "cycles", "set so that an unloaded read takes what CasHMC takes",
             "one way: the end of a packet on the wire to its use"),
    CONSTANT(host_queue, 64, "requests", Chosen, "of a link, before it"),
    CONSTANT(tokens, 256, "flits", Large, "receive buffer of a link in the cube"),
    CONSTANT(host_tokens, 256, "flits", Large, "receive buffer of a link in the host"),
    CONSTANT(switch_latency, 1, "cycles", "gem5: 1 cycle of arbitration",
             "through the switch, each way"),
    CONSTANT(vault_port, 2, "flits/cycle", "gem5: 32 bytes wide",
             "between switch and vault, each way"),
    CONSTANT(vault_queue, 32, "requests", "DRAMsim3",
             "of a vault, for the links and for the logic layer each"),
    CONSTANT(vault_responses, 16, "responses", Chosen, "of a vault, waiting for the switch"),
    CONSTANT(response_queue, 512, "flits", Large, "of a link, in the switch"),
    CONSTANT(tsv_latency, 1, "cycles", Table1,
             "between a vault's controller and its banks, each way"),
    CONSTANT(starve, 200, "cycles", Chosen,
             "a bank that waited so long for the other direction turns a vault's data lines"),
    CONFIG_GONE("refresh", "trefi: 0 in a file that hmc.timing names"),
};

#define ENTRY(field, low, high, meaning) \
  CONFIG_ENTRY(P, timing.field, #field, low, high, "ps", meaning)

static const config_key_t TimingEntries[] = {
    ENTRY(tck, 1, 100000, "memory clock"),
    ENTRY(trcd, 1, 1000000, "activate to column command"),
    ENTRY(tcl, 1, 1000000, "read command to data"),
    ENTRY(trp, 1, 1000000, "precharge"),
    ENTRY(tras, 1, 1000000, "activate to precharge"),
    ENTRY(trc, 1, 1000000, "activate to activate of a bank; tras at least"),
    ENTRY(trrd, 1, 1000000, "activate to activate of a vault"),
    ENTRY(tfaw, 0, 1000000, "window of four activates; 0: no such rule"),
    ENTRY(tccd, 1, 1000000, "column command to column command"),
    ENTRY(cwl, 1, 1000000, "write command to data"),
    ENTRY(twr, 1, 1000000, "data written to precharge"),
    ENTRY(twtr, 1, 1000000, "data written to read command"),
    ENTRY(trtp, 1, 1000000, "read command to precharge"),
    ENTRY(trfc, 1, 10000000, "refresh of a vault"),
    ENTRY(trefi, 0, 100000000, "between refreshes; 0: none"),
    ENTRY(command, 0, 100000, "a command's way to the DRAM, which the next one waits for"),
    CONFIG_ENTRY(P, timing.column_bytes, "column_bytes", 32, 64, "bytes",
                 "that a column command moves: 32 or 64"),
    CONFIG_ENTRY(P, timing.bandwidth, "vault_bandwidth", 1, 256, "GB/s", "of a vault's data lines"),
    CONFIG_ENTRY_BOOL(P, timing.staggered, "staggered",
                      "the vaults refresh one after the other, not all at once"),
};

static const config_set_t Timing = {
    .key = "hmc.timing",
    .prefix = "hmc",
    .initial = "cashmc_512",
    .source = "CasHMC, with tFAW 16 ns, columns of 64 bytes and 16 GB/s: 512 GB/s inside",
    .meaning = "timing of the vaults' DRAM",
    .entries = TimingEntries,
    .count = sizeof TimingEntries / sizeof *TimingEntries};

bool hmc_config_add(config_t *config, void *params, err_t *err) {
  return config_add(config, "hmc", Keys, sizeof Keys / sizeof *Keys, params, err) &&
         config_add_set(config, &Timing, params, err);
}

bool hmc_params_default(hmc_params_t *params, const char *timing, err_t *err) {
  char *assignment = text_make("hmc.timing=%s", timing ? timing : Timing.initial);
  const bool ok = assignment ? config_defaults(hmc_config_add, params, assignment, err)
                             : err_memory(err, "hmc.timing");
  free(assignment);
  return ok;
}

vault_timing_t hmc_timing(const hmc_params_t *params) {
  vault_timing_t t = params->timing;
  t.starve = params->starve * MemoryPsPerCycle;
  return t;
}

static inline bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

const char *hmc_check(const hmc_params_t *p) {
  const vault_timing_t *t = &p->timing;
  const uint32_t packet = 1 + HmcMaxRequest / HmcFlit;  // flits of the longest one
  const struct {
    bool wrong;
    const char *text;
  } rules[] = {
      {!power_of_two(p->links) || p->links > HmcMaxLinks, "hmc.links: 1, 2, 4 or 8"},
      {!power_of_two(p->vaults) || p->vaults > HmcMaxVaults || p->vaults < p->links,
       "hmc.vaults: a power of two, hmc.links to 64"},
      {!power_of_two(p->banks) || p->banks > VaultMaxBanks, "hmc.banks: a power of two, 1 to 16"},
      {!power_of_two(p->block) || p->block < VaultAtom || p->block > HmcMaxRequest,
       "hmc.block: 32, 64, 128 or 256"},
      {t->column_bytes != 32 && t->column_bytes != 64, "hmc.column_bytes: 32 or 64"},
      {!p->bandwidth || !t->bandwidth || !p->vault_port || !p->vault_queue || !p->vault_responses ||
           !p->host_queue || !p->logic_reads || !p->bank_mib,
       "hmc: bandwidths, queues and sizes are at least 1"},
      {!p->link_latency || !p->switch_latency,
       "hmc: latencies of links and switch are at least 1 cycle"},
      {p->tokens < 2 * packet - 2 || p->host_tokens < 2 * packet - 2 || p->response_queue < packet,
       "hmc: buffers of links hold 32 flits at least"},
      {t->trefi && t->trefi <= t->trfc + t->trc, "hmc.trefi: longer than a refresh and an access"},
      {t->trc < t->tras, "hmc.trc: hmc.tras at least"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (rules[i].wrong) {
      return rules[i].text;
    }
  }
  return NULL;
}
