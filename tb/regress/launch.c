// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "csim/base/sha256.h"
#include "folders.h"
#include "test_key.h"

extern char **environ;

// Seconds between two looks at an attempt, and between two beats of a launched process, at most.
static const double LookEach = 0.25, BeatEach = 2;

// ---- Folders ----

static const char *test_folder(const launcher_t *l, const test_t *test, text_t *path) {
  char digest[BaseSha256Text];
  base_sha256_t sha;
  base_sha256_begin(&sha);
  base_sha256_add(&sha, test->id, strlen(test->id));
  base_sha256_end(&sha, digest);
  return text_set(path, "%s/%.16s", l->folder, digest);
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static double delay_of(const char *folder) {
  enum { Nfs = 0x6969, NfsSeconds = 60 };
  struct statfs info;
  return statfs(folder, &info) == 0 && info.f_type == Nfs ? NfsSeconds : 1;
}

static void mark_over(const char *attempt) {
  text_t path = {0};
  int mark = open(text_set(&path, "%s/over", attempt), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (mark >= 0) close(mark);
  text_free(&path);
}

// A launched process ends when its folder is gone, but may fill it again until it looks.
static bool clear(const char *folder, err_t *err) {
  for (uint32_t i = 0; i < 100 && !folder_remove(folder); i++) {
    nanosleep(&(struct timespec){0, 50000000}, NULL);
  }
  return !exists(folder) ||
         err_set(err, ErrCheck, "%s: cannot be removed: %s", folder, strerror(errno));
}

bool launcher_open(launcher_t *l, const launch_options_t *options, const char *folder, bool resume,
                   err_t *err) {
  text_t path = {0};
  bool ok = true;
  *l = (launcher_t){.options = *options};
  text_set(&path, "%s/launched", folder);
  if (!resume) ok = clear(text_string(&path), err);
  if (ok && options->prefix && mkdir(text_string(&path), 0777) != 0 && errno != EEXIST) {
    ok = err_set(err, ErrCheck, "%s: %s", text_string(&path), strerror(errno));
  }
  l->folder = realpath(text_string(&path), NULL);
  if (!l->folder) l->folder = strdup(text_string(&path));
  l->program = realpath("/proc/self/exe", NULL);
  l->delay = delay_of(folder);
  text_free(&path);
  return ok && ((l->folder && l->program) || err_memory(err, folder));
}

void launcher_close(launcher_t *l) {
  free(l->folder);
  free(l->program);
  *l = (launcher_t){0};
}

void launch_forget(const launcher_t *l, const test_t *test) {
  text_t path = {0};
  folder_remove(test_folder(l, test, &path));
  text_free(&path);
}

// ---- What to run ----

static json_t *words_json(char *const *words, const char *only) {
  json_t *list = json_array();
  for (; words && *words; words++) {
    if (strncmp(*words, only, strlen(only)) == 0) json_array_append_new(list, json_string(*words));
  }
  return list;
}

static json_t *test_json(const test_t *t) {
  return json_pack("{s:s, s:s, s:i, s:f, s:b, s:I, s:b, s:o, s:o}", "id", t->id, "name", t->name,
                   "kind", (int)t->kind, "seconds", t->seconds, "counts", t->counts, "memory",
                   (json_int_t)t->memory, "result", t->result_wanted, "arguments",
                   words_json(t->arguments, ""), "environment", words_json(t->environment, ""));
}

// A launcher need not pass on the environment or the working folder.
static json_t *job_json(const launcher_t *l, const test_t *test, const char *key) {
  struct stat program = {0};
  char *here = getcwd(NULL, 0);
  double beat = l->options.lost_after / 20;
  stat(l->program, &program);
  json_t *json =
      json_pack("{s:o, s:s, s:s, s:s, s:I, s:f, s:o}", "test", test_json(test), "key", key,
                "directory", here ? here : "", "program", test_key_program(), "program_time",
                (json_int_t)program.st_mtim.tv_sec * 1000000000 + program.st_mtim.tv_nsec, "beat",
                beat < BeatEach ? beat : BeatEach, "environment", words_json(environ, "NOCTURNE_"));
  free(here);
  return json;
}

// Makes the folder of the next attempt.
static bool make_attempt(const launcher_t *l, const test_t *test, launch_t *launch, err_t *err) {
  text_t of_test = {0}, path = {0};
  bool made = mkdir(test_folder(l, test, &of_test), 0777) == 0 || errno == EEXIST;
  for (uint32_t n = 1; made; n++) {
    made = mkdir(text_set(&path, "%s/%u", text_string(&of_test), n), 0777) == 0;
    if (made || errno != EEXIST) break;
    made = true;
  }
  if (!made) {
    err_set(err, ErrCheck, "%s: no attempt can begin: %s",
            text_string(path.length ? &path : &of_test), strerror(errno));
  }
  if (made) launch->folder = text_take(&path);
  text_free(&of_test);
  text_free(&path);
  return made && (launch->folder || err_memory(err, test->id));
}

// ---- The launcher ----

// Runs in the child.
static void become_launcher(const launcher_t *l, const launch_t *launch) {
  text_t path = {0}, line = {0};
  setpgid(0, 0);
  int log =
      open(text_set(&path, "%s/launcher.log", launch->folder), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int none = open("/dev/null", O_RDONLY);
  if (log < 0 || none < 0) _exit(127);
  dup2(none, 0);
  dup2(log, 1);
  dup2(log, 2);
  text_set(&line, "exec %s \"$@\"", l->options.prefix);
  execl("/bin/sh", "sh", "-c", text_string(&line), "nocturne", l->program, "job", launch->folder,
        (char *)NULL);
  _exit(127);
}

bool launch_start(const launcher_t *l, const test_t *test, const char *key, launch_t *launch,
                  err_t *err) {
  text_t path = {0};
  *launch = (launch_t){.heard = job_now()};
  if (!make_attempt(l, test, launch, err)) return false;
  json_t *json = job_json(l, test, key);
  text_set(&path, "%s/job.json", launch->folder);
  bool ok =
      (json && json_dump_file(json, text_string(&path), JSON_COMPACT) == 0) ||
      err_set(err, ErrCheck, "%s: cannot be written: %s", text_string(&path), strerror(errno));
  json_decref(json);
  text_free(&path);
  if (!ok) return false;
  fflush(NULL);
  launch->pid = fork();
  if (launch->pid == 0) become_launcher(l, launch);
  return launch->pid > 0 || err_set(err, ErrMachine, "cannot start a process: %s", strerror(errno));
}

char *launch_last_words(const launch_t *launch) {
  text_t path = {0};
  char *line = NULL, *last = NULL;
  size_t room = 0;
  FILE *log = fopen(text_set(&path, "%s/launcher.log", launch->folder), "r");
  while (log && getline(&line, &room, log) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0]) {
      free(last);
      last = strdup(line);
    }
  }
  if (log) fclose(log);
  free(line);
  text_free(&path);
  return last;
}

void launch_give_up(const launch_t *launch) {
  mark_over(launch->folder);
  if (launch->pid > 0) kill(-launch->pid, SIGTERM);
}

void launch_free(launch_t *launch) {
  free(launch->folder);
  *launch = (launch_t){0};
}

// ---- What has come ----

static bool read_result(const char *attempt, const char *key, job_result_t *result) {
  text_t path = {0};
  json_t *json = json_load_file(text_set(&path, "%s/result.json", attempt), 0, NULL);
  const char *its = json_string_value(json_object_get(json, "key"));
  bool good = its && strcmp(its, key) == 0 && job_result_read(json, result);
  json_decref(json);
  text_free(&path);
  return good;
}

char *launch_find(const launcher_t *l, const test_t *test, const char *key, job_result_t *result) {
  text_t of_test = {0}, path = {0};
  bool found = false;
  test_folder(l, test, &of_test);
  for (uint32_t n = 1; !found && exists(text_set(&path, "%s/%u", text_string(&of_test), n)); n++) {
    found = read_result(text_string(&path), key, result);
  }
  text_free(&of_test);
  char *attempt = found ? text_take(&path) : NULL;
  text_free(&path);
  return attempt;
}

// Returns the seconds since the launched process touched its file, by the clock of the file system;
// < 0: it has not.
static double age_of(const char *attempt) {
  text_t path = {0};
  struct stat alive, now;
  double age = -1;
  bool is_alive = stat(text_set(&path, "%s/alive", attempt), &alive) == 0;
  int probe = open(text_set(&path, "%s/probe", attempt), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (is_alive && probe >= 0 && futimens(probe, NULL) == 0 && fstat(probe, &now) == 0) {
    age = (double)(now.st_mtim.tv_sec - alive.st_mtim.tv_sec) +
          1e-9 * (double)(now.st_mtim.tv_nsec - alive.st_mtim.tv_nsec);
    age = age > 0 ? age : 0;
  }
  if (probe >= 0) close(probe);
  text_free(&path);
  return age;
}

static bool is_of_key(const char *attempt, const char *key) {
  text_t path = {0};
  json_t *json = json_load_file(text_set(&path, "%s/job.json", attempt), 0, NULL);
  const char *its = json_string_value(json_object_get(json, "key"));
  bool same = its && strcmp(its, key) == 0;
  json_decref(json);
  text_free(&path);
  return same;
}

bool launch_adopt(const launcher_t *l, const test_t *test, const char *key, launch_t *launch) {
  text_t of_test = {0}, path = {0};
  *launch = (launch_t){0};
  test_folder(l, test, &of_test);
  for (uint32_t n = 1; exists(text_set(&path, "%s/%u", text_string(&of_test), n)); n++) {
    const char *attempt = text_string(&path);
    double age = launch->folder || !l->options.prefix ? -1 : age_of(attempt);
    bool wanted = age >= 0 && age < l->options.lost_after / 2 && is_of_key(attempt, key);
    text_t over = {0};
    if (wanted && !exists(text_set(&over, "%s/over", attempt))) {
      *launch = (launch_t){.folder = strdup(attempt), .heard = job_now(), .begun = job_now()};
    } else {
      mark_over(attempt);
    }
    text_free(&over);
  }
  text_free(&of_test);
  text_free(&path);
  return launch->folder != NULL;
}

launch_state_e launch_look(const launcher_t *l, const char *key, launch_t *launch,
                           job_result_t *result) {
  double now = job_now(), last;
  text_t path = {0};
  struct stat alive;
  if (now - launch->looked < LookEach) return LaunchRuns;
  launch->looked = now;
  if (launch->gone > 0) {
    // Opening the folder makes a client of NFS ask the server for what is new in it.
    DIR *folder = opendir(launch->folder);
    if (folder) closedir(folder);
  }
  if (read_result(launch->folder, key, result)) return LaunchEnded;
  if (stat(text_set(&path, "%s/alive", launch->folder), &alive) == 0 &&
      (alive.st_mtim.tv_sec != launch->beat.tv_sec ||
       alive.st_mtim.tv_nsec != launch->beat.tv_nsec)) {
    launch->beat = alive.st_mtim;
    launch->heard = now;
    launch->begun = launch->begun > 0 ? launch->begun : now;
  }
  text_free(&path);
  if (launch->begun > 0 && now - launch->heard > l->options.lost_after) return LaunchLost;
  // Where the connection alone was lost, the launched process may live on and end its test.
  last = launch->heard > launch->gone ? launch->heard : launch->gone;
  double patience = l->delay + (launch->begun > 0 ? 3 * BeatEach : 0);
  patience = patience < l->options.lost_after ? patience : l->options.lost_after;
  return launch->gone > 0 && now - last > patience ? LaunchLost : LaunchRuns;
}

bool launch_collect(const char *attempt, const char *logs, err_t *err) {
  text_t from = {0}, old = {0}, new = {0};
  bool ok = true;
  DIR *folder = opendir(text_set(&from, "%s/files", attempt));
  for (struct dirent *e; ok && folder && (e = readdir(folder));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    text_set(&old, "%s/%s", text_string(&from), e->d_name);
    text_set(&new, "%s/%s", logs, e->d_name);
    ok = rename(text_string(&old), text_string(&new)) == 0;
    if (!ok && (errno == ENOTEMPTY || errno == EEXIST || errno == EISDIR || errno == ENOTDIR)) {
      ok = folder_remove(text_string(&new)) && rename(text_string(&old), text_string(&new)) == 0;
    }
    if (!ok) {
      err_set(err, ErrCheck, "%s: cannot be written: %s", text_string(&new), strerror(errno));
    }
  }
  if (folder) closedir(folder);
  text_free(&from);
  text_free(&old);
  text_free(&new);
  return ok;
}
