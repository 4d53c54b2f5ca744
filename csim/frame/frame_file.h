// SPDX-License-Identifier: Apache-2.0
// A frame file as a header and a row of named sections: checksums, zstd, atomic writing. It knows
// nothing of what they hold. Internal to csim/frame; docs/reference/frame-format.md describes every
// byte.
#ifndef NOCTURNE_FRAME_FRAME_FILE_H
#define NOCTURNE_FRAME_FRAME_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame_bytes.h"
#include "frame_check.h"

enum {
  FrameVersion = 1,          // one frame
  FrameVersionSequence = 2,  // several
  FrameHeaderBytes = 32,
  FrameSectionBytes = 20,
  FrameMaxRaw = 512 << 20,  // bytes of one section, unpacked
};

// ---- reading

typedef struct {
  FILE *file;
  const char *path;
  err_t *err;
  uint64_t size;               // of the file
  uint64_t at;                 // bytes read
  uint64_t section;            // where the section being read begins
  char name[48];               // its name, and the frame's number in a sequence
  uint32_t version, sections;  // of the header
} frame_reader_t;

// Opens the file and reads its header. False with one line in error; close it all the same.
bool frame_reader_open(frame_reader_t *reader, const char *path, err_t *err);
void frame_reader_close(frame_reader_t *reader);

// Reads the section that stands next, which must have this name. before: the bytes that it was
// packed with, NULL: none. The caller frees raw->data, on failure too.
bool frame_reader_section(frame_reader_t *reader, const char *name, const frame_bytes_t *before,
                          frame_bytes_t *raw);

// Returns true if the header states so many sections; whether nothing follows the last.
bool frame_reader_count(frame_reader_t *reader, uint32_t sections);
bool frame_reader_end(frame_reader_t *reader);

// Refuses the file: sets what is wrong at a byte of the section named, with ErrInput or a status of
// its own. Returns false.
bool frame_failed(const frame_reader_t *reader, err_status_e status, uint64_t offset,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
#define frame_damaged(reader, offset, ...) frame_failed(reader, ErrInput, offset, __VA_ARGS__)

// ---- writing

typedef struct {
  const char *path;
  char *temporary;
  int file;
  uint64_t total;     // bytes written
  uint32_t sections;  // written
  int why;            // errno of the first failure, 0: none
} frame_writer_t;

// Begins a temporary file beside the path. False with one line in error.
bool frame_writer_begin(frame_writer_t *writer, const char *path, err_t *err);

// Packs and appends a section; before as in frame_reader_section.
bool frame_writer_section(frame_writer_t *writer, const char *name, const frame_bytes_t *before,
                          const frame_bytes_t *raw);

// Memory ran out before a section was whole, unless something failed before; the end will say so.
void frame_writer_give_up(frame_writer_t *writer);

// Writes the header and puts the file in its place; after a failure of any step nothing is left.
// False with one line in error.
bool frame_writer_end(frame_writer_t *writer, uint32_t version, err_t *err);

#endif
