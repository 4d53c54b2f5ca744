// SPDX-License-Identifier: Apache-2.0
// Corners of fields in the inputs of any stimulus, by the unit's description: all ones, the top bit
// alone, the least and the largest that limit or names allow, and the first beyond.
//
// Stands between a stimulus and its unit, and draws from numbers of its own, so that what the
// stimulus draws is as without. A payload is changed as it becomes valid and stays so until it is
// taken; a constant pin from one reset to the next; other pins and what goes back with ready for a
// step. Valid, ready and peeks remain.
#ifndef NOCTURNE_CORNERS_H
#define NOCTURNE_CORNERS_H

#include "stimulus.h"

#define CORNERS_KNOB "corners"
#define CORNERS_MEANING "payloads and pins that get corners: 0, with every eighth seed 30"

// Returns true if the unit has had an input that its stimulus knows nothing of, whose own checks no
// longer hold.
bool corners_acted(void);

#endif
