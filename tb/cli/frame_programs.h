// SPDX-License-Identifier: Apache-2.0
// nocturne frame programs: lists the recorded program skeletons of a frame's draws, or gives a
// frame those of another.
#ifndef NOCTURNE_CLI_FRAME_PROGRAMS_H
#define NOCTURNE_CLI_FRAME_PROGRAMS_H

// Prints each skeleton of a frame or a sequence with the number of its draws. Returns the exit
// status.
int frame_programs_list(const char *name);

// Writes the frame `name` to `path` with programs of the frame `from`, and prints how many draws
// got one. A draw gets the program that all draws of the same lengths, texture stages and alpha
// test have in `from`, or none. Returns the exit status.
int frame_programs_take(const char *name, const char *from, const char *path);

#endif
