// SPDX-License-Identifier: Apache-2.0
#include "place.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char data[PlaceSize];     // empty: in the tree
static char program[PlaceSize];
static char work[PlaceSize];     // once it is there
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void find_once(void) {
  const char *given = getenv("NOCTURNE_DATA");
#ifdef PLACE_DATA
  given = given && *given ? given : PLACE_DATA;
#endif
  if (given && *given && !realpath(given, data)) {
    snprintf(data, sizeof data, "%s", given);  // what is missing there is told where it is read
  }
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) {
    snprintf(program, sizeof program, "nocturne");
  }
}

const char *place_data(void) {
  pthread_once(&once, find_once);
  return data[0] ? data : NULL;
}

const char *place_program(void) { return place_data() ? program : "build/nocturne"; }

const char *place_find(const char *name, char path[PlaceSize]) {
  snprintf(path, PlaceSize, "%s", name);
  if (place_data() && name[0] != '/' && access(name, F_OK) != 0) {
    const int n = snprintf(path, PlaceSize, "%s/%s", data, name);
    if (n >= PlaceSize || access(path, F_OK) != 0) {
      snprintf(path, PlaceSize, "%s", name);
    }
  }
  return path;
}

FILE *place_open(const char *name) {
  char path[PlaceSize];
  return fopen(place_find(name, path), "rb");
}

// ---- The folder of builds ----

// The folder and those above it.
static bool make_folders(char *path) {
  for (char *c = path + 1; *c; c++) {
    if (*c == '/') {
      *c = '\0';
      const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
      *c = '/';
      if (!made) {
        return false;
      }
    }
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

// Links work/NAME to data/NAME; other processes may do the same.
static bool link_to_data(const char *folder, const char *name) {
  char from[PlaceSize], to[PlaceSize], old[PlaceSize], fresh[PlaceSize];
  if (snprintf(from, sizeof from, "%s/%s", folder, name) >= PlaceSize ||
      snprintf(to, sizeof to, "%s/%s", data, name) >= PlaceSize ||
      snprintf(fresh, sizeof fresh, "%s.%ld", from, (long)getpid()) >= PlaceSize) {
    errno = ENAMETOOLONG;
    return false;
  }
  const ssize_t n = readlink(from, old, sizeof old - 1);
  if (n > 0 && strlen(to) == (size_t)n && memcmp(to, old, (size_t)n) == 0) {
    return true;
  }
  return (symlink(to, fresh) == 0 || errno == EEXIST) && rename(fresh, from) == 0;
}

// FNV-1a.
static uint64_t hash(uint64_t h, const char *text) {
  for (; *text; text++) {
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  }
  return h;
}

// Objects are newer than the sources that they were made from only as long as these stay the same
// (a package has old times): each data folder and each content of one (its `stamp`) builds by
// itself.
static uint64_t data_key(void) {
  char stamp[128] = "", path[PlaceSize + 8];
  snprintf(path, sizeof path, "%s/stamp", data);
  FILE *file = fopen(path, "r");
  if (file && !fgets(stamp, sizeof stamp, file)) {
    stamp[0] = '\0';
  }
  if (file) {
    fclose(file);
  }
  return hash(hash(0xcbf29ce484222325u, data), stamp);
}

static bool make_work(char error[PlaceErrorSize]) {
  static const char *const Names[] = {"rtl", "tb", "csim", "dpi", "build/unit"};
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool is_given = cache && cache[0] == '/';
  char folder[PlaceSize], build[PlaceSize];
  if (!is_given && (!home || !*home)) {
    snprintf(error, PlaceErrorSize, "neither XDG_CACHE_HOME nor HOME is set, expected one, where "
                                    "RTL is built");
    return false;
  }
  int n = snprintf(folder, sizeof folder, "%s%s/nocturne/%016llx", is_given ? cache : home,
                   is_given ? "" : "/.cache", (unsigned long long)data_key());
  bool ok = n < PlaceSize - 64 && !strchr(folder, '\'');
  errno = EINVAL;
  snprintf(build, sizeof build, "%.*s/build", PlaceSize - 16, folder);
  ok = ok && make_folders(build);
  for (size_t i = 0; ok && i < sizeof Names / sizeof *Names; i++) {
    ok = link_to_data(folder, Names[i]);
  }
  if (!ok) {
    snprintf(error, PlaceErrorSize, "%.150s: RTL cannot be built there: %s", folder,
             strerror(errno));
    return false;
  }
  memcpy(work, folder, sizeof work);
  return true;
}

const char *place_work(char error[PlaceErrorSize]) {
  if (!place_data()) {
    return ".";
  }
  pthread_mutex_lock(&making);
  const bool ok = work[0] || make_work(error);
  pthread_mutex_unlock(&making);
  return ok ? work : NULL;
}

const char *place_remedy(const char *packages, char text[PlaceErrorSize]) {
  snprintf(text, PlaceErrorSize, place_data() ? "install what it takes: apt-get install %s"
                                              : "run `make setup`", packages);
  return text;
}
