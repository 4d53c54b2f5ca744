// Waves around a failure, for every command that drives units.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

void cli_repeat_with_waves(const harness_t *harness) {
  const char *command = harness_waves_command(harness);
  if (!command || getenv("NOCTURNE_NO_WAVES")) {
    return;
  }
  char line[4200];
  mkdir("build", 0777);
  mkdir("build/waves", 0777);
  snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
  fflush(stdout);
  if (system(line) != -1) {
    const char *file = strstr(command, "--waves "), *all = strstr(command, "--system-waves ");
    printf("  waves: %.*s\n", file ? (int)strcspn(file + 8, " ") : 0, file ? file + 8 : "");
    if (all) {
      printf("  of all units: %.*s\n", (int)strcspn(all + 15, " "), all + 15);
    }
  }
}
