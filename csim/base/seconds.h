// SPDX-License-Identifier: Apache-2.0
// Clocks, in seconds from an arbitrary start.
#ifndef NOCTURNE_BASE_SECONDS_H
#define NOCTURNE_BASE_SECONDS_H

double seconds_wall(void);  // never goes back
double seconds_cpu(void);   // processor time of this process, all threads together

#endif
