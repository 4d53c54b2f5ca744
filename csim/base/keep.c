// SPDX-License-Identifier: Apache-2.0
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

// ---- What decides a result ----

void keep_add_text(base_sha256_t *sha, const char *text) {
  base_sha256_add(sha, text, strlen(text) + 1);
}

static void add_stream(base_sha256_t *sha, FILE *file) {
  char bytes[1 << 14];
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
    base_sha256_add(sha, bytes, n);
  }
}

void keep_add_content(base_sha256_t *sha, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) {
    add_stream(sha, file);
    fclose(file);
  }
}

void keep_add_file(base_sha256_t *sha, const char *path) {
  keep_add_text(sha, path);
  keep_add_content(sha, path);
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool ends_so(const char *name, const char *const *ends) {
  const size_t length = strlen(name);
  bool found = !ends;
  for (; ends && *ends; ends++) {
    const size_t end = strlen(*ends);
    found = found || (length >= end && strcmp(name + length - end, *ends) == 0);
  }
  return found;
}

void keep_add_trees(base_sha256_t *sha, const char *const *paths, const char *const *ends) {
  FTS *walk = fts_open((char *const *)(uintptr_t)paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
                       by_name);
  for (FTSENT *e; walk && (e = fts_read(walk));) {
    if (ends && e->fts_info == FTS_D && e->fts_level > 0) {
      fts_set(walk, e, FTS_SKIP);
    }
    if (e->fts_info == FTS_F && ends_so(e->fts_name, ends)) {
      keep_add_file(sha, e->fts_path);
    }
  }
  if (walk) {
    fts_close(walk);
  }
}

void keep_add_output(base_sha256_t *sha, const char *command) {
  FILE *pipe = popen(command, "r");
  if (pipe) {
    add_stream(sha, pipe);
    pclose(pipe);
  }
}

// ---- Files ----

// A name beside a path that no other process has.
static char *beside(const char *path) { return text_make("%s.%ld", path, (long)getpid()); }

// Closes a file and gives it its name, unless something has failed; then it is removed.
static bool finish(FILE *file, const char *fresh, const char *path, bool ok) {
  ok = file && fclose(file) == 0 && ok && rename(fresh, path) == 0;
  if (!ok && fresh) {
    const int why = errno;
    unlink(fresh);
    errno = why;
  }
  return ok;
}

bool keep_copy(const char *from, const char *to) {
  char bytes[1 << 14], *fresh = beside(to);
  FILE *in = fopen(from, "rb"), *out = in && fresh ? fopen(fresh, "wb") : NULL;
  bool ok = out != NULL;
  for (size_t n; ok && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
    ok = fwrite(bytes, 1, n, out) == n;
  }
  ok = ok && !ferror(in);
  if (in) {
    fclose(in);
  }
  ok = finish(out, fresh, to, ok);
  free(fresh);
  return ok;
}

// ---- Entries ----

char *keep_path(const char *folder, const char *hash, const char *suffix) {
  return text_make("%s/%c%c/%s%s", folder, hash[0], hash[1], hash, suffix);
}

bool keep_has(const char *folder, const char *hash, const char *suffix) {
  char *path = keep_path(folder, hash, suffix);
  const bool has = path && access(path, R_OK) == 0;
  free(path);
  return has;
}

// Returns the path of an entry whose folder is there; NULL after err_set.
static char *place_for(const char *folder, const char *hash, const char *suffix, err_t *err) {
  char *path = keep_path(folder, hash, suffix);
  char *slash = path ? strrchr(path, '/') : NULL;
  if (!path) {
    err_memory(err, folder);
    return NULL;
  }
  *slash = '\0';
  const bool ok = place_make_folder(path);
  *slash = '/';
  if (!ok) {
    err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
    free(path);
    return NULL;
  }
  return path;
}

bool keep_put_file(const char *folder, const char *hash, const char *suffix, const char *from,
                   err_t *err) {
  char *path = place_for(folder, hash, suffix, err);
  const bool ok = path && (keep_copy(from, path) || err_set(err, ErrCheck, "%s: not kept as %s: %s",
                                                            from, path, strerror(errno)));
  free(path);
  return ok;
}

bool keep_put(const char *folder, const char *hash, const char *suffix, const void *bytes,
              size_t size, err_t *err) {
  char *path = place_for(folder, hash, suffix, err), *fresh = path ? beside(path) : NULL;
  FILE *file = fresh ? fopen(fresh, "wb") : NULL;
  const bool written = file && fwrite(bytes, 1, size, file) == size;
  const bool ok = finish(file, fresh, path, written) ||
                  (path && err_set(err, ErrCheck, "%s: %s", path, strerror(errno)));
  free(fresh);
  free(path);
  return ok;
}

bool keep_take_file(const char *folder, const char *hash, const char *suffix, const char *to) {
  char *path = keep_path(folder, hash, suffix);
  const bool ok = path && keep_copy(path, to);
  if (ok) {
    utimensat(AT_FDCWD, path, NULL, 0);
  }
  free(path);
  return ok;
}

char *keep_take(const char *folder, const char *hash, const char *suffix, size_t *size) {
  char *path = keep_path(folder, hash, suffix), bytes[1 << 14];
  FILE *file = path ? fopen(path, "rb") : NULL;
  text_t text = {0};
  bool ok = file != NULL;
  for (size_t n; ok && (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
    text_bytes(&text, bytes, n);
  }
  ok = ok && !ferror(file);
  if (file) {
    fclose(file);
  }
  if (ok) {
    utimensat(AT_FDCWD, path, NULL, 0);
  }
  free(path);
  if (size) {
    *size = text.length;
  }
  if (!ok) {
    text_free(&text);
    return NULL;
  }
  return text_take(&text);
}

// ---- Limits ----

typedef struct {
  char *path;
  struct timespec used;
  uint64_t bytes;
} entry_t;

typedef struct {
  entry_t *list;
  size_t count;
  uint64_t bytes;
} entries_t;

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const entry_t *)a)->used, *y = &((const entry_t *)b)->used;
  return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool add_entry(entries_t *entries, const FTSENT *e) {
  if ((entries->count & (entries->count - 1)) == 0) {
    entry_t *list = realloc(entries->list, (2 * entries->count + 1) * sizeof *list);
    if (!list) {
      return false;
    }
    entries->list = list;
  }
  entry_t *entry = &entries->list[entries->count];
  *entry = (entry_t){strdup(e->fts_path), e->fts_statp->st_mtim, (uint64_t)e->fts_statp->st_size};
  entries->count += entry->path != NULL;
  entries->bytes += entry->bytes;
  return entry->path != NULL;
}

size_t keep_limit(const char *folder, uint64_t seconds, uint64_t bytes) {
  char *const paths[] = {(char *)(uintptr_t)folder, NULL};
  entries_t all = {0};
  FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *e; walk && (e = fts_read(walk));) {
    if (e->fts_info == FTS_F && e->fts_level == 2 && !add_entry(&all, e)) {
      break;
    }
  }
  if (walk) {
    fts_close(walk);
  }
  if (all.count) {
    qsort(all.list, all.count, sizeof *all.list, by_use);
  }
  const time_t now = time(NULL);
  size_t removed = 0;
  for (size_t i = 0; i < all.count; i++) {
    const bool old = seconds && (uint64_t)(now - all.list[i].used.tv_sec) > seconds;
    if ((old || (bytes && all.bytes > bytes)) && unlink(all.list[i].path) == 0) {
      all.bytes -= all.list[i].bytes;
      removed++;
    }
    free(all.list[i].path);
  }
  free(all.list);
  return removed;
}
