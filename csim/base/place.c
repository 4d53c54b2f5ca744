// SPDX-License-Identifier: Apache-2.0
#include "place.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static char *data;     // NULL: in the tree
static char *program;  // its path
static char *work;     // NULL until it is there
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

// Returns the target of a symbolic link, which the caller frees; NULL: it is none.
static char *read_link(const char *path) {
  size_t room = 256;
  char *target = NULL;
  for (;;) {
    char *more = realloc(target, room);
    const ssize_t n = more ? readlink(path, more, room) : -1;
    target = more ? more : target;
    if (n < 0) {
      free(target);
      return NULL;
    }
    if ((size_t)n < room) {
      target[n] = '\0';
      return target;
    }
    room *= 2;
  }
}

// Returns the tree that the program was built in, where the working folder is none; NULL otherwise.
static char *tree_elsewhere(void) {
  char *folder = program && access("tb/unit.mk", F_OK) != 0 ? strdup(program) : NULL;
  for (char *end; folder && (end = strrchr(folder, '/')) && end != folder;) {
    *end = '\0';
    char *mark = text_make("%s/tb/unit.mk", folder);
    const bool is_tree = mark && access(mark, F_OK) == 0;
    free(mark);
    if (is_tree) {
      return folder;
    }
  }
  free(folder);
  return NULL;
}

static void find_once(void) {
  const char *given = getenv("NOCTURNE_DATA");
  program = read_link("/proc/self/exe");
#ifdef PLACE_DATA
  given = given && *given ? given : PLACE_DATA;
#endif
  if (given && *given) {
    data = realpath(given, NULL);
    data = data ? data : strdup(given);  // a missing folder is reported where it is read
  } else {
    data = tree_elsewhere();
  }
}

const char *place_data(void) {
  pthread_once(&once, find_once);
  return data;
}

const char *place_program(void) {
  return !place_data() ? "build/nocturne" : program ? program : "nocturne";
}

char *place_find(const char *name) {
  if (place_data() && name[0] != '/' && access(name, F_OK) != 0) {
    char *path = text_make("%s/%s", data, name);
    if (!path || access(path, F_OK) == 0) {
      return path;
    }
    free(path);
  }
  return strdup(name);
}

FILE *place_open(const char *name) {
  char *path = place_find(name);
  FILE *file = path ? fopen(path, "rb") : NULL;
  const int why = path ? errno : ENOMEM;
  free(path);
  errno = why;
  return file;
}

bool place_make_folder(const char *path) {
  char *folder = strdup(path);
  if (!folder) {
    return false;
  }
  bool ok = true;
  for (char *c = folder + (folder[0] == '/'); ok && (c = strchr(c, '/')); c++) {
    *c = '\0';
    ok = mkdir(folder, 0777) == 0 || errno == EEXIST;
    *c = '/';
  }
  ok = ok && (mkdir(folder, 0777) == 0 || errno == EEXIST);
  free(folder);
  return ok;
}

// ---- The folder of builds ----

// Links work/NAME to data/NAME; other processes may do the same.
static bool link_to_data(const char *folder, const char *name) {
  char *from = text_make("%s/%s", folder, name), *to = text_make("%s/%s", data, name);
  char *fresh = text_make("%s/%s.%ld", folder, name, (long)getpid());
  char *old = from ? read_link(from) : NULL;
  errno = ENOMEM;
  const bool ok = from && to && fresh &&
                  ((old && strcmp(to, old) == 0) ||
                   ((symlink(to, fresh) == 0 || errno == EEXIST) && rename(fresh, from) == 0));
  free(old);
  free(fresh);
  free(to);
  free(from);
  return ok;
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
  char stamp[128] = "", *path = text_make("%s/stamp", data);
  FILE *file = path ? fopen(path, "r") : NULL;
  free(path);
  if (file && !fgets(stamp, sizeof stamp, file)) {
    stamp[0] = '\0';
  }
  if (file) {
    fclose(file);
  }
  return hash(hash(0xcbf29ce484222325u, data), stamp);
}

static bool make_work(err_t *err) {
  static const char *const Names[] = {"rtl", "tb", "csim", "dpi", "build/unit"};
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool is_given = cache && cache[0] == '/';
  if (!is_given && (!home || !*home)) {
    return err_set(err, ErrMachine,
                   "neither XDG_CACHE_HOME nor HOME is set, expected one, where "
                   "RTL is built");
  }
  char *folder = text_make("%s%s/nocturne/%016llx", is_given ? cache : home,
                           is_given ? "" : "/.cache", (unsigned long long)data_key());
  char *build = folder ? text_make("%s/build", folder) : NULL;
  bool ok = build && !strchr(folder, '\'');
  errno = build ? EINVAL : ENOMEM;
  ok = ok && place_make_folder(build);
  for (size_t i = 0; ok && i < sizeof Names / sizeof *Names; i++) {
    ok = link_to_data(folder, Names[i]);
  }
  if (ok) {
    work = folder;
  } else {
    err_set(err, ErrCheck, "%s: RTL cannot be built there: %s", folder ? folder : "",
            strerror(errno));
    free(folder);
  }
  free(build);
  return ok;
}

const char *place_work(err_t *err) {
  if (!place_data()) {
    return ".";
  }
  pthread_mutex_lock(&making);
  const bool ok = work || make_work(err);
  pthread_mutex_unlock(&making);
  return ok ? work : NULL;
}

char *place_remedy(const char *packages) {
  return text_make(place_data() ? "install what it takes: apt-get install %s" : "run `make setup`",
                   packages);
}
