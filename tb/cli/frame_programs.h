// SPDX-License-Identifier: Apache-2.0
// nocturne frame programs: the recorded skeletons of a frame's draws, and a frame that takes those
// of another one.
#ifndef NOCTURNE_CLI_FRAME_PROGRAMS_H
#define NOCTURNE_CLI_FRAME_PROGRAMS_H

// Each skeleton of a frame or a sequence, with the draws that name it. The exit status.
int frame_programs_list(const char *name);

// Writes `name` as `path`, its draws with the programs of those draws of `from` that have the same
// lengths, texture stages and alpha test, if these all have the same program; the other draws with
// none. Says how many. The exit status.
int frame_programs_take(const char *name, const char *from, const char *path);

#endif
