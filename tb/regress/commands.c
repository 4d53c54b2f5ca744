// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regress.h"

typedef struct {
  const commands_options_t *options;
  const test_list_t *list;
  command_end_t *ends;
  bool *told;  // `ended` has been called
} set_t;

static const char *const LogSuffix = ".log";

static void fill_end(const set_t *s, size_t i, const job_result_t *r, bool cached) {
  char log[1024], folder[700];
  command_end_t *e = &s->ends[i];
  free(e->what);
  free(e->log);
  snprintf(folder, sizeof folder, "%s/logs", s->options->folder);
  job_file(s->list->tests[i].id, folder, LogSuffix, log, sizeof log);
  *e = (command_end_t){.passed = r->verdict == JobPassed, .cached = cached, .status = r->status,
                       .what = strdup(r->what), .log = strdup(log), .seconds = r->seconds,
                       .cpu = r->cpu};
}

static void on_end(void *context, size_t test, const job_result_t *result, bool cached) {
  set_t *s = context;
  fill_end(s, test, result, cached);
  s->told[test] = true;
  if (s->options->ended) s->options->ended(s->options->context, test, &s->ends[test]);
}

static char **copy_words(const char *const *words) {
  size_t count = 0;
  while (words && words[count]) count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++) copy[i] = strdup(words[i]);
  return copy;
}

static bool make_test(const command_t *c, test_t *t, err_t *err) {
  *t = (test_t){.id = strdup(c->name), .name = strdup(c->name), .tags = strdup(" "),
                .kind = TestCommand, .repeat = 1, .seconds = c->seconds, .takes = c->takes,
                .memory = c->memory, .inputs = c->key ? strdup(c->key) : NULL,
                .only_inputs = true, .environment = copy_words(c->environment)};
  for (size_t i = 0; c->arguments[i]; i++) {
    if (i == TestMaxArguments)
      return err_set(err, ErrInput, "%s: more than %d arguments", c->name, TestMaxArguments);
    t->arguments[i] = strdup(c->arguments[i]);
    if (!t->arguments[i]) return err_memory(err, c->name);
  }
  bool whole = t->id && t->name && t->tags && t->environment && (t->inputs || !c->key);
  return whole || err_memory(err, c->name);
}

static bool make_list(const command_t *commands, size_t count, test_list_t *list, err_t *err) {
  *list = (test_list_t){.tests = calloc(count + 1, sizeof *list->tests)};
  if (!list->tests) return err_memory(err, "commands");
  for (size_t i = 0; i < count; i++) {
    list->count++;
    if (!make_test(&commands[i], &list->tests[i], err)) return false;
  }
  return true;
}

static bool make_folder(const char *path, err_t *err) {
  char *copy = strdup(path);
  bool ok = copy != NULL;
  for (char *c = copy; ok && *c; c++) {
    bool ends = c[1] == '/' || !c[1];
    char next = c[1];
    if (!ends) continue;
    c[1] = '\0';
    ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
    if (!ok) err_set(err, ErrCheck, "%s: %s", copy, strerror(errno));
    c[1] = next;
  }
  free(copy);
  return ok;
}

bool commands_run(const command_t *commands, size_t count, const commands_options_t *o,
                  command_end_t *ends, err_t *err) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  char error[TestErrorSize] = "";
  test_list_t list;
  regress_t r = {0};
  memset(ends, 0, count * sizeof *ends);
  set_t set = {o, &list, ends, calloc(count + 1, sizeof *set.told)};
  regress_options_t options = {
      .jobs = o->jobs ? o->jobs : online > 1 ? (uint32_t)online : 1, .resume = o->resume,
      .use_cache = o->use_cache, .keep_logs = true, .quiet = o->quiet, .folder = o->folder,
      .cache = o->cache, .ended = on_end, .context = &set};
  bool ok = set.told && make_list(commands, count, &list, err) && make_folder(o->folder, err);
  if (ok && !regress_run(&r, &list, &options, error)) {
    ok = err_set(err, r.lacking ? ErrMachine : r.refused ? ErrInput : ErrCheck, "%s", error);
  }
  for (size_t i = 0; ok && i < count; i++) {
    if (!set.told[i]) on_end(&set, i, &r.ends[i].entry->result, true);  // of the journal
  }
  regress_free(&r);
  test_list_free(&list);
  free(set.told);
  return ok;
}

void commands_free(command_end_t *ends, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(ends[i].what);
    free(ends[i].log);
  }
}
