// SPDX-License-Identifier: Apache-2.0
#include "origin.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/place.h"

static void first_line(FILE *file, char *line, int size) {
  if (!file || !fgets(line, size, file)) {
    line[0] = '\0';
  }
  line[strcspn(line, "\n")] = '\0';
}

const char *origin_revision(void) {
  static char revision[128];
  char program[PATH_MAX], path[PATH_MAX + 16];
  if (!revision[0]) {
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    snprintf(path, sizeof path, "%s/revision", dirname(program));
    FILE *file = n > 0 ? fopen(path, "r") : NULL;
    if (!file && place_data()) {
      snprintf(path, sizeof path, "%s/revision", place_data());
      file = fopen(path, "r");
    }
    first_line(file, revision, sizeof revision);
    if (file) {
      fclose(file);
    }
  }
  return revision;
}

const char *origin_compiler(void) {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

const char *origin_verilator(void) {
  static char version[128];
  FILE *pipe = version[0] ? NULL : popen("verilator --version 2>/dev/null", "r");
  if (pipe) {
    first_line(pipe, version, sizeof version);
    pclose(pipe);
  }
  return version;
}

const char *origin_host(void) {
  static char host[128];
  if (!host[0] && gethostname(host, sizeof host - 1) != 0) {
    snprintf(host, sizeof host, "unknown");
  }
  return host;
}
