// SPDX-License-Identifier: Apache-2.0
// How wide the golden model's integers are, which nobody writes. A bit is state if it was other
// than made in runs from reset, or if it is the next one of a word that is an RTL register so far,
// whose next bit was not seen either. A short word of which all values from 0 up to some were seen
// is no more than that. Guesses, which the proof has to confirm: that a step leaves what they say.
#ifndef NOCTURNE_PROVE_WIDTHS_H
#define NOCTURNE_PROVE_WIDTHS_H

#include "transition.h"

// Makes state and moments of a transition system that needs_widths: reads what was found before, or
// finds it, for which it has to have its RTL.
void widths_make(transition_t *t, const transition_options_t *options);

// File of what was found, with the recorded runs that it was found in, for those that need it
// again: a checker, which has no RTL; mutants, whose RTL is wrong; another solver. It stands beside
// the bitcode. Objects are told by name, since other bitcode of the same model numbers them
// otherwise. False: there is no such file.
void widths_write(const transition_t *t, const char *bitcode, const char *const *runs,
                  uint32_t run_count);
bool widths_read(transition_t *t, const char *bitcode, const char *params);

#endif
