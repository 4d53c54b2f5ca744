// Parameters of the GDDR5 memory.
#include <string.h>

#include "gddr5.h"

// The ns figures of the 1 Gb x32 device as DRAMsim3 has them, at a command clock of 1 ns.
static const char Device[] = "DRAMsim3, 1 Gb x32; gem5, SK Hynix H5GQ1H24AFR";
static const char Dramsim3[] = "DRAMsim3, 1 Gb x32";
static const char Currents[] = "DRAMsim3, 1 Gb x32: supply currents, 1.5 V";
static const char Chosen[] = "chosen";

typedef gddr5_params_t P;

const config_key_t gddr5_keys[] = {
    CONFIG_UINT(P, channels, "channels", 8, 1, 64, "channels",
                "A-TFIM, Table I: 128 GB/s; 32 bits at 4 Gb/s a pin", "a power of two"),
    CONFIG_UINT(P, banks, "banks", 16, 1, 32, "banks", Device, "of a channel; a power of two"),
    CONFIG_UINT(P, row_bytes, "row_size", 2048, 256, 65536, "bytes", Device,
                "row buffer; a power of two"),
    CONFIG_UINT(P, rows, "rows", 16384, 1, 1048576, "rows", "chosen: 4 GiB, as the cube",
                "of a bank; a power of two"),
    CONFIG_UINT(P, interleave, "interleave", 64, 32, 65536, "bytes",
                "chosen: a cache line stays in a channel", "that a channel holds in sequence"),
    CONFIG_UINT(P, burst, "burst", 2, 1, 64, "cycles", "GDDR5: 8 beats, 4 a clock",
                "of 32 bytes on the data lines"),
    CONFIG_UINT(P, queue, "queue", 64, 9, 64, "accesses",
                "chosen: DRAMsim3 has 32, and 8 for each bank", "of a channel"),
    CONFIG_UINT(P, requests, "requests", 1024, 1, 16384, "requests", Chosen,
                "under way or not yet popped"),
    CONFIG_UINT(P, latency, "latency", 1, 1, 1000, "cycles",
                "set so that unloaded reads take what DRAMsim3 takes",
                "controller and wires, there and back"),
    CONFIG_UINT(P, tcl, "tcl", 16, 1, 255, "cycles", Dramsim3, "read command to data"),
    CONFIG_UINT(P, trcd, "trcd", 12, 1, 255, "cycles", Device, "activate to column command"),
    CONFIG_UINT(P, trp, "trp", 12, 1, 255, "cycles", Device, "precharge"),
    CONFIG_UINT(P, tras, "tras", 28, 1, 255, "cycles", Device, "activate to precharge"),
    CONFIG_UINT(P, trrd, "trrd", 6, 1, 255, "cycles", Device, "activate to activate"),
    CONFIG_UINT(P, tfaw, "tfaw", 23, 0, 255, "cycles", Device, "window of four activates; 0: none"),
    CONFIG_UINT(P, tccd, "tccd", 2, 1, 255, "cycles", Device, "column command to column command"),
    CONFIG_UINT(P, cwl, "cwl", 5, 1, 255, "cycles", Dramsim3, "write command to data"),
    CONFIG_UINT(P, twr, "twr", 12, 1, 255, "cycles", Device, "data written to precharge"),
    CONFIG_UINT(P, twtr, "twtr", 5, 1, 255, "cycles", Device, "data written to read command"),
    CONFIG_UINT(P, trtp, "trtp", 2, 1, 255, "cycles", Device, "read command to precharge"),
    CONFIG_UINT(P, trfc, "trfc", 65, 1, 10000, "cycles", Device, "refresh"),
    CONFIG_UINT(P, trefi, "trefi", 7800, 0, 1000000, "cycles", Dramsim3,
                "between refreshes; 0: none"),
    CONFIG_UINT(P, starve, "starve", 1000, 1, 1000000, "cycles", Chosen,
                "an access this old goes before row hits"),
    CONFIG_UINT(P, activate_energy, "activate_energy", 6000, 0, 1000000, "pJ", Currents,
                "a row cycle: 1.5 V x (490 mA x 40 ns - 450 x 28 - 250 x 12)"),
    CONFIG_UINT(P, read_energy, "read_energy", 1260, 0, 1000000, "pJ", Currents,
                "32 bytes: 1.5 V x (1080 - 450) mA x 1.33 ns"),
    CONFIG_UINT(P, write_energy, "write_energy", 1420, 0, 1000000, "pJ", Currents,
                "32 bytes: 1.5 V x (1160 - 450) mA x 1.33 ns"),
    CONFIG_UINT(P, background, "background", 675, 0, 1000000, "mW", Currents,
                "a channel: 1.5 V x 450 mA"),
};

const size_t gddr5_key_count = sizeof gddr5_keys / sizeof *gddr5_keys;

bool gddr5_params_default(gddr5_params_t *params) {
  char error[ConfigErrorSize];
  memset(params, 0, sizeof *params);
  config_t *config = config_create();
  bool ok = config && config_add(config, "gddr5", gddr5_keys, gddr5_key_count, params, error);
  config_destroy(config);
  return ok;
}
