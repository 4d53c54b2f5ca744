// SPDX-License-Identifier: Apache-2.0
// Random stimulus of any unit from its page's tables alone, for units without a stimulus file of
// their own and for what an own one never does.
//
// A lane of an input stream becomes valid with the stream's share, and stays so with its payload
// until it is taken. Payloads are values of their widths, names and limits: small, wide and of all
// ones. Ready of output streams comes with their shares. A stream of pulses without payload whose
// lanes are those of one output stream returns credits: one for each transaction of it, unless it
// is in error. Constant pins are drawn at each reset. A share of errors breaks limits, names and
// credits. Which order the unit wants is not on the page: it must answer any with its error output.
#ifndef NOCTURNE_STIMULUS_PAGE_H
#define NOCTURNE_STIMULUS_PAGE_H

#include "stimulus.h"

// Drives a unit with the parameters that its page says, or the knobs param.NAME. True if every step
// was right.
bool stimulus_page(const stimulus_t *s, const unit_info_t *info, harness_t *harness, err_t *err);

// Drives a unit with its own stimulus; without one, as stimulus_page does. True if every step was
// right.
bool stimulus_drive(const stimulus_t *s, const unit_model_t *model, harness_t *harness, err_t *err);

// Prints the knobs: STREAM (its share), value.FIELD, param.NAME, errors, peek, resets.
void stimulus_page_knobs(const unit_info_t *info);

#endif
