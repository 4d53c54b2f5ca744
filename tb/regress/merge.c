// SPDX-License-Identifier: Apache-2.0
#include "merge.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remove_tree.h"

static int by_id(const void *a, const void *b, void *list) {
  const test_t *tests = ((const test_list_t *)list)->tests;
  return strcmp(tests[*(const size_t *)a].id, tests[*(const size_t *)b].id);
}

bool merge_open(merge_t *m) {
  m->by_id = calloc(m->list->count + 1, sizeof *m->by_id);
  for (size_t i = 0; m->by_id && i < m->list->count; i++) {
    m->by_id[i] = i;
  }
  if (m->by_id) {
    qsort_r(m->by_id, m->list->count, sizeof *m->by_id, by_id, (void *)m->list);
  }
  return m->by_id != NULL;
}

void merge_close(merge_t *m) {
  free(m->by_id);
  m->by_id = NULL;
}

// The test of this id, or the number of tests.
static size_t test_of(const merge_t *m, const char *id) {
  size_t low = 0, high = m->list->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(m->list->tests[m->by_id[middle]].id, id);
    if (order == 0) {
      return m->by_id[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return m->list->count;
}

// Files and folders; what an earlier merge has already moved is there.
static bool move_files(const char *from, const char *to, char error[TestErrorSize]) {
  char old[1024], new[1024];
  bool ok = true;
  DIR *folder = opendir(from);
  for (struct dirent *e; ok && folder && (e = readdir(folder));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
      continue;
    }
    snprintf(old, sizeof old, "%.600s/%.400s", from, e->d_name);
    snprintf(new, sizeof new, "%.500s/%.400s", to, e->d_name);
    ok = rename(old, new) == 0;
    if (!ok && (errno == ENOTEMPTY || errno == EEXIST)) {
      ok = remove_tree(new) && rename(old, new) == 0;
    }
    if (!ok) {
      snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", new, strerror(errno));
    }
  }
  if (folder) {
    closedir(folder);
  }
  return ok;
}

static bool take(void *context, const journal_entry_t *e, const char *files) {
  merge_t *m = context;
  size_t test = test_of(m, e->id);
  if (test == m->list->count || !m->left[test] || strcmp(m->keys[test], e->key) != 0) {
    return true;
  }
  if (!move_files(files, m->logs, m->error)) {
    return false;
  }
  m->left[test] = false;
  return m->ended(m->context, test, &e->result, m->error);
}

bool merge_shard(merge_t *m, shard_reader_t *reader, char error[TestErrorSize]) {
  m->error = error;
  return shard_read(reader, take, m);
}
