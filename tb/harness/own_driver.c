// SPDX-License-Identifier: Apache-2.0
#include "own_driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"

typedef enum { AskCompose, AskByAll, AskWeight, AskSplit, AskCount } ask_e;
static const char *const Names[AskCount] = {"nocturne_compose", "nocturne_by_all",
                                            "nocturne_weight", "nocturne_split"};

// The library's functions, and the driver that they make.
static struct {
  bool (*compose)(const nocturne_group_t *group, bool built_in);
  bool (*by_all)(const nocturne_group_t *group, uint32_t draw, bool built_in);
  uint32_t (*weight)(const nocturne_group_t *group, uint32_t draw, uint32_t built_in);
  uint32_t (*split)(const nocturne_group_t *group, uint32_t draw, uint64_t left, uint32_t built_in);
  char path[PATH_MAX], failure[PATH_MAX + 400];
  harness_driver_t driver;
} own;

typedef struct {
  ask_e what;
  const nocturne_group_t *group;
  uint32_t draw;
  uint64_t left;
  uint32_t built_in, answer;
} question_t;

static void put(void *context) {
  question_t *q = context;
  switch (q->what) {
    case AskCompose: q->answer = own.compose(q->group, q->built_in); break;
    case AskByAll: q->answer = own.by_all(q->group, q->draw, q->built_in); break;
    case AskWeight: q->answer = own.weight(q->group, q->draw, q->built_in); break;
    default: q->answer = own.split(q->group, q->draw, q->left, q->built_in);
  }
}

static void fail(const question_t *q, const char *class, const char *what) {
  snprintf(own.failure, sizeof own.failure,
           "%s: driver, cycle 0: %s: %s, asked about command %u of the frame: %s", class, own.path,
           Names[q->what], q->group->draws[q->draw].number, what);
  own.driver.failure = own.failure;
}

// After the first failure nothing more is asked.
static uint32_t ask(question_t q, uint32_t least, uint32_t most) {
  if (own.driver.failure) {
    return q.built_in;
  }
  const char *why = guard_call(put, &q);
  if (why) {
    fail(&q, "LIBRARY", why);
    return q.built_in;
  }
  if (q.answer < least || q.answer > most) {
    char what[100];
    snprintf(what, sizeof what, "answer %u, expected %u to %u", q.answer, least, most);
    fail(&q, "LIBRARY", what);
    return q.built_in;
  }
  return q.answer;
}

static bool compose(void *context, const nocturne_group_t *group, bool built_in) {
  (void)context;
  return ask((question_t){.what = AskCompose, .group = group, .built_in = built_in}, 0, 1);
}

static bool by_all(void *context, const nocturne_group_t *group, uint32_t draw, bool built_in) {
  (void)context;
  return ask((question_t){AskByAll, group, draw, 0, built_in, 0}, 0, 1);
}

static uint32_t weight(void *context, const nocturne_group_t *group, uint32_t draw,
                       uint32_t built_in) {
  (void)context;
  return ask((question_t){AskWeight, group, draw, 0, built_in, 0}, built_in > 0, UINT16_MAX);
}

static uint32_t split(void *context, const nocturne_group_t *group, uint32_t draw, uint64_t left,
                      uint32_t built_in) {
  const uint32_t n = group->draws[draw].triangles;
  (void)context;
  return ask((question_t){AskSplit, group, draw, left, built_in, 0}, 1, n ? n : 1);
}

harness_driver_t *own_driver_load(const char *path, err_t *err) {
  void *object = realpath(path, own.path) ? dlopen(own.path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!object) {
    const char *why = access(path, R_OK) == 0 ? dlerror() : "no such file";
    err_set(err, ErrInput, "--driver %s: %s", path, why ? why : "cannot be loaded");
    return NULL;
  }
  const uint32_t *interface = dlsym(object, "nocturne_driver_interface");
  if (!interface || *interface != NocturneDriverInterface) {
    err_set(err, ErrInput, "--driver %s: %s, expected a library with NOCTURNE_DRIVER_LIBRARY", path,
            interface ? "of another interface" : "no nocturne_driver_interface");
    return NULL;
  }
  void *found[AskCount];
  for (uint32_t i = 0; i < AskCount; i++) {
    found[i] = dlsym(object, Names[i]);
  }
  memcpy(&own.compose, &found[AskCompose], sizeof own.compose);
  memcpy(&own.by_all, &found[AskByAll], sizeof own.by_all);
  memcpy(&own.weight, &found[AskWeight], sizeof own.weight);
  memcpy(&own.split, &found[AskSplit], sizeof own.split);
  own.driver.policy = (driver_policy_t){.compose = own.compose ? compose : NULL,
                                        .by_all = own.by_all ? by_all : NULL,
                                        .weight = own.weight ? weight : NULL,
                                        .split = own.split ? split : NULL};
  guard_begin();
  return &own.driver;
}
