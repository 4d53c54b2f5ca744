// SPDX-License-Identifier: Apache-2.0
// What a result comes from, for --version and the head of a regression's page.
#ifndef NOCTURNE_HARNESS_ORIGIN_H
#define NOCTURNE_HARNESS_ORIGIN_H

#define NOCTURNE_VERSION "0.1"

// The git revision that the program was built from, with -dirty if files differed; "" if it was not
// built in a repository. Make writes it as `revision` beside the program, not into it: results are
// kept by the program's bytes.
const char *origin_revision(void);

const char *origin_compiler(void);  // that built this program
const char *origin_verilator(void);  // first line of `verilator --version`, or ""
const char *origin_host(void);

#endif
