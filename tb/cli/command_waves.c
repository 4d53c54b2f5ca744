// SPDX-License-Identifier: Apache-2.0
// Writes waves around a failure, for every command that drives units.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static void repeat(const char *command) {
  char line[4200];
  mkdir("build", 0777);
  mkdir("build/waves", 0777);
  snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
  fflush(stdout);
  if (system(line) != -1) {
    const char *file = strstr(command, " --waves "), *all = strstr(command, " --system-waves ");
    if (file) {
      printf("  waves: %.*s\n", (int)strcspn(file + 9, " "), file + 9);
    }
    if (all) {
      printf("  of all units: %.*s\n", (int)strcspn(all + 16, " "), all + 16);
    }
  }
}

void cli_repeat_with_waves(const harness_t *harness) {
  const char *command = harness_waves_command(harness);
  if (command && !getenv("NOCTURNE_NO_WAVES")) {
    repeat(command);
  }
}

void cli_repeat_machine(const char *command, uint64_t cycle, uint64_t before) {
  char line[4096];
  uint64_t window = before ? before : 200;
  if (!getenv("NOCTURNE_NO_WAVES")) {
    snprintf(line, sizeof line, "%s --system-waves build/waves/system.vcd --from %" PRIu64, command,
             cycle > window ? cycle - window : 0);
    repeat(line);
  }
}
