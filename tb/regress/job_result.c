// SPDX-License-Identifier: Apache-2.0
#include "job_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool job_result_copy(job_result_t *to, const job_result_t *from) {
  *to = *from;
  to->signature = strdup(from->signature);
  to->what = strdup(from->what);
  if (to->signature && to->what) return true;
  job_result_free(to);
  return false;
}

void job_result_free(job_result_t *r) {
  free(r->signature);
  free(r->what);
  r->signature = r->what = NULL;
}

json_t *job_result_json(const job_result_t *r) {
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:i, s:I}", "verdict",
                   r->verdict == JobPassed ? "passed" : "failed", "signature", r->signature, "what",
                   r->what, "digest", r->digest, "good", (json_int_t)r->good, "bad",
                   (json_int_t)r->bad, "seconds", r->seconds, "cpu", r->cpu, "building",
                   r->building, "status", r->status, "peak_memory_bytes",
                   (json_int_t)r->peak_memory);
}

bool job_result_read(json_t *json, job_result_t *r) {
  const char *verdict, *signature, *what, *digest;
  json_int_t good, bad, memory = 0;
  *r = (job_result_t){0};
  if (json_unpack(json, "{s:s, s:s, s:s, s:s, s:I, s:I, s:F, s:F, s:F, s?i, s?I}", "verdict",
                  &verdict, "signature", &signature, "what", &what, "digest", &digest, "good",
                  &good, "bad", &bad, "seconds", &r->seconds, "cpu", &r->cpu, "building",
                  &r->building, "status", &r->status, "peak_memory_bytes", &memory) != 0 ||
      good < 0 || bad < 0 || memory < 0 || good > UINT32_MAX || bad > UINT32_MAX ||
      strlen(digest) >= sizeof r->digest)
    return false;
  r->good = (uint32_t)good;
  r->bad = (uint32_t)bad;
  r->peak_memory = (uint64_t)memory;
  r->verdict = strcmp(verdict, "passed") == 0 ? JobPassed : JobFailed;
  memcpy(r->digest, digest, strlen(digest) + 1);
  r->signature = strdup(signature);
  r->what = strdup(what);
  if (r->signature && r->what) return true;
  job_result_free(r);
  return false;
}
