// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folders.h"
#include "regress.h"

typedef struct {
  const commands_options_t *options;
  const test_list_t *list;
  command_end_t *ends;
  const char *logs;
  bool *told;  // by test: `ended` has been called
} set_t;

static void fill_end(const set_t *s, size_t i, const job_result_t *r, bool cached) {
  text_t log = {0};
  job_file(&log, s->logs, s->list->tests[i].id, ".log");
  s->ends[i] = (command_end_t){.passed = r->verdict == JobPassed,
                               .cached = cached,
                               .status = r->status,
                               .what = strdup(r->what),
                               .log = text_take(&log),
                               .seconds = r->seconds,
                               .cpu = r->cpu,
                               .peak_memory = r->peak_memory};
}

static void on_end(void *context, size_t test, const job_result_t *result, bool cached) {
  set_t *s = context;
  fill_end(s, test, result, cached);
  s->told[test] = true;
  if (s->options->ended) s->options->ended(s->options->context, test, &s->ends[test]);
}

static bool copy_words(const char *const *from, char ***to) {
  bool ok = true;
  for (; ok && from && *from; from++) ok = test_add_word(to, "%s", *from);
  return ok;
}

static bool make_test(const command_t *c, test_t *t, err_t *err) {
  *t = (test_t){.id = strdup(c->name),
                .name = strdup(c->name),
                .tags = strdup(" "),
                .kind = TestCommand,
                .repeat = 1,
                .seconds = c->seconds,
                .takes = c->takes,
                .memory = c->memory,
                .inputs = c->key ? strdup(c->key) : NULL,
                .only_inputs = true};
  return (t->id && t->name && t->tags && (t->inputs || !c->key) &&
          copy_words(c->arguments, &t->arguments) && copy_words(c->environment, &t->environment)) ||
         err_memory(err, c->name);
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

bool commands_run(const command_t *commands, size_t count, const commands_options_t *o,
                  command_end_t *ends, err_t *err) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  test_list_t list = {0};
  regress_t r = {0};
  memset(ends, 0, count * sizeof *ends);
  set_t set = {o, &list, ends, NULL, calloc(count + 1, sizeof *set.told)};
  text_t logs = {0};
  set.logs = text_set(&logs, "%s/logs", o->folder);
  regress_options_t options = {.jobs = o->jobs      ? o->jobs
                                       : online > 1 ? (uint32_t)online
                                                    : 1,
                               .launch = LaunchDefaults,
                               .resume = o->resume,
                               .use_cache = o->use_cache,
                               .keep_logs = true,
                               .quiet = o->quiet,
                               .folder = o->folder,
                               .cache = o->cache,
                               .ended = on_end,
                               .context = &set};
  options.launch.prefix = o->launch;
  bool ok = set.told ? make_list(commands, count, &list, err) : err_memory(err, o->folder);
  ok = ok && folder_make(o->folder, err) && regress_run(&r, &list, &options, err);
  for (size_t i = 0; ok && i < count; i++) {
    if (!set.told[i]) on_end(&set, i, &r.ends[i].entry->result, true);  // of the journal
  }
  regress_free(&r);
  test_list_free(&list);
  free(set.told);
  text_free(&logs);
  return ok;
}

void commands_free(command_end_t *ends, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(ends[i].what);
    free(ends[i].log);
  }
}
