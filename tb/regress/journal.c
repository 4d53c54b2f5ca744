// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

static void free_entry(journal_entry_t *e) {
  if (!e) return;
  free(e->id);
  job_result_free(&e->result);
  free(e);
}

static int by_id(const void *a, const void *b) {
  return strcmp(((const journal_entry_t *)a)->id, ((const journal_entry_t *)b)->id);
}

const journal_entry_t *journal_find(const journal_t *journal, const char *id) {
  const journal_entry_t wanted = {.id = (char *)id};
  journal_entry_t **found = tfind(&wanted, &journal->by_id, by_id);
  return found ? *found : NULL;
}

// Takes over the entry, or frees it and returns false. Of a test that ran again, from other
// sources, the later result counts.
static bool remember(journal_t *journal, journal_entry_t *e) {
  size_t n = journal->count;
  journal_entry_t *known = (journal_entry_t *)journal_find(journal, e->id);
  if (known) {
    journal_entry_t old = *known;
    *known = *e;
    *e = old;
    free_entry(e);
    return true;
  }
  if ((n & (n - 1)) == 0) {
    journal_entry_t **entries = realloc(journal->entries, (n ? 2 * n : 16) * sizeof *entries);
    if (entries) journal->entries = entries;
    if (!entries) {
      free_entry(e);
      return false;
    }
  }
  if (!tsearch(e, &journal->by_id, by_id)) {
    free_entry(e);
    return false;
  }
  journal->entries[journal->count++] = e;
  return true;
}

static journal_entry_t *new_entry(const char *id, const char *key, bool cached) {
  journal_entry_t *e = strlen(key) < TestKeySize ? calloc(1, sizeof *e) : NULL;
  if (!e) return NULL;
  e->id = strdup(id);
  e->cached = cached;
  memcpy(e->key, key, strlen(key) + 1);
  return e;
}

// Reads a line of a journal; one that is no entry is skipped.
static void read_line(journal_t *journal, const char *line) {
  json_t *j = json_loads(line, 0, NULL);
  const char *id, *key;
  int cached = 0;
  journal_entry_t *e = NULL;
  if (j && json_unpack(j, "{s:s, s:s, s:b}", "id", &id, "key", &key, "cached", &cached) == 0) {
    e = new_entry(id, key, cached);
  }
  if (e && e->id && job_result_read(j, &e->result)) {
    remember(journal, e);
  } else {
    free_entry(e);
  }
  json_decref(j);
}

// Reads whole lines; returns the length of the file up to the last of them.
static off_t read_lines(journal_t *journal, FILE *file) {
  char *line = NULL;
  size_t room = 0;
  off_t whole = 0;
  ssize_t n;
  while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
    read_line(journal, line);
    whole += n;
  }
  free(line);
  return whole;
}

bool journal_read(journal_t *journal, const char *folder, const char *name) {
  *journal = (journal_t){.file = -1, .path = text_make("%s/%s", folder, name)};
  FILE *file = journal->path ? fopen(journal->path, "r") : NULL;
  if (!file) return false;
  read_lines(journal, file);
  fclose(file);
  return true;
}

bool journal_open(journal_t *journal, const char *folder, bool resume, err_t *err) {
  text_t before = {0};
  *journal = (journal_t){.file = -1, .path = text_make("%s/journal.jsonl", folder)};
  if (!journal->path) return err_memory(err, folder);
  if (!resume) rename(journal->path, text_set(&before, "%s/journal-before.jsonl", folder));
  text_free(&before);
  FILE *old = fopen(journal->path, "r");
  off_t whole = old ? read_lines(journal, old) : 0;
  if (old) fclose(old);
  journal->file = open(journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  return (journal->file >= 0 && ftruncate(journal->file, whole) == 0) ||
         err_set(err, ErrCheck, "%s: %s", journal->path, strerror(errno));
}

// Writes all of it, or returns false with errno.
static bool write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t n = write(file, text, length);
    if (n < 0 && errno != EINTR) return false;
    text += n > 0 ? n : 0;
    length -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

static char *line_of(const test_t *test, const char *key, const job_result_t *result, bool cached) {
  text_t command = {0};
  job_command(test, &command);
  json_t *j = job_result_json(result);
  json_object_set_new(j, "id", json_string(test->id));
  json_object_set_new(j, "key", json_string(key));
  json_object_set_new(j, "cached", json_boolean(cached));
  json_object_set_new(j, "command", json_string(text_string(&command)));
  char *line = command.failed ? NULL : json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(j);
  text_free(&command);
  return line;
}

bool journal_add(journal_t *journal, const test_t *test, const char *key,
                 const job_result_t *result, bool cached, err_t *err) {
  journal_entry_t *e = new_entry(test->id, key, cached);
  char *line = line_of(test, key, result, cached);
  size_t length = line ? strlen(line) : 0;
  bool ok = e && e->id && job_result_copy(&e->result, result) && line;
  if (!ok) {
    free_entry(e);
    free(line);
    return err_memory(err, journal->path);
  }
  ok = remember(journal, e) || err_memory(err, journal->path);
  if (ok) {
    line[length++] = '\n';  // in place of the terminator: the line goes out in one write
    ok = write_all(journal->file, line, length) ||
         err_set(err, ErrCheck, "%s: cannot be written: %s", journal->path, strerror(errno));
  }
  free(line);
  return ok;
}

void journal_close(journal_t *journal) {
  if (journal->file >= 0) {
    fsync(journal->file);
    close(journal->file);
  }
  for (size_t i = 0; i < journal->count; i++) {
    tdelete(journal->entries[i], &journal->by_id, by_id);
    free_entry(journal->entries[i]);
  }
  free(journal->entries);
  free(journal->path);
  *journal = (journal_t){.file = -1};
}
