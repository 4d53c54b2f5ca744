// SPDX-License-Identifier: Apache-2.0
// Files of one frame in the first version of the format.
#ifndef NOCTURNE_FRAME_FRAME_IO_H
#define NOCTURNE_FRAME_FRAME_IO_H

#include "frame.h"
#include "frame_file.h"

// Reads the frame behind an open header; NULL after a complaint.
frame_t *frame_io_read(frame_reader_t *reader);

// Writes a frame without programs; false after err_set.
bool frame_io_write(const frame_t *frame, const char *path, err_t *err);

#endif
