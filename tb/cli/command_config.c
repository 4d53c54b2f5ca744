// SPDX-License-Identifier: Apache-2.0
// nocturne config: prints the reference of all keys, or of all sets and constants.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "csim/machine/machine_config.h"

int cli_config(int argc, char **argv) {
  err_auto_t err = {0};
  static machine_params_t params;
  bool csv = argc == 2 && strcmp(argv[1], "--csv") == 0;
  if (argc != 2 || (!csv && strcmp(argv[1], "--markdown") != 0)) {
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fprintf(help ? stdout : stderr, "Usage: nocturne config --markdown|--csv\n");
    return help ? ExitPassed : ExitUsage;
  }
  config_t *config = config_create();
  if (!config || !machine_config_add(config, &params, &err)) {
    return cli_refuse(ExitLacking, "%s", config ? err_text(&err) : "out of memory");
  }
  bool ok = config_document(config, csv, stdout, &err);
  config_destroy(config);
  return ok ? ExitPassed : cli_fail(&err);
}
