// SPDX-License-Identifier: Apache-2.0
// Says what a result comes from, for --version and the head of a regression's report.
#ifndef NOCTURNE_HARNESS_ORIGIN_H
#define NOCTURNE_HARNESS_ORIGIN_H

#define NOCTURNE_VERSION "0.1"

// Returns the git revision that the program was built from, with -dirty if files differed, or ""
// without a repository. Make writes it as `revision` beside the program and not into it, because
// results are kept by the program's bytes.
const char *origin_revision(void);

const char *origin_compiler(void);   // built this program
const char *origin_verilator(void);  // first line of `verilator --version`, or ""
const char *origin_host(void);

#endif
