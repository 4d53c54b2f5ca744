// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "frame_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "csim/base/place.h"

static const uint8_t magic[8] = {0x89, 'N', 'F', 'R', '\r', '\n', 0x1a, '\n'};

// Large sections (generated workloads) would take minutes at the best level.
enum { BestLevel = 19, FastLevel = 9, FastFrom = 16 << 20 };
// Powers of two of bytes that zstd looks back; more than the greatest is refused by its readers.
enum { LeastWindow = 10, MostWindow = 27 };

static uint32_t crc_of(const uint8_t *data, size_t size) {
  uLong crc = crc32(0, NULL, 0);
  while (size) {
    const uInt part = size > 1u << 30 ? 1u << 30 : (uInt)size;
    crc = crc32(crc, data, part);
    data += part;
    size -= part;
  }
  return (uint32_t)crc;
}

// ---- reading

bool frame_failed(const frame_reader_t *r, err_status_e status, uint64_t offset, const char *format,
                  ...) {
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  err_set(r->err, status, "%s: byte %llu: section %s: %s", r->path, (unsigned long long)offset,
          r->name, text_string(&text));
  text_free(&text);
  return false;
}

static bool read_bytes(frame_reader_t *r, uint8_t *to, uint64_t count) {
  if (count > r->size - r->at) {
    return frame_damaged(r, r->size, "the file ends, expected %llu bytes more",
                         (unsigned long long)(count - (r->size - r->at)));
  }
  if (fread(to, 1, (size_t)count, r->file) != count) {
    return frame_damaged(r, r->at, "cannot be read: %s, expected %llu bytes",
                         ferror(r->file) ? strerror(errno) : "the file shrank",
                         (unsigned long long)count);
  }
  r->at += count;
  return true;
}

static bool read_head(frame_reader_t *r) {
  uint8_t head[FrameHeaderBytes];
  if (!read_bytes(r, head, sizeof head)) {
    return false;
  }
  if (memcmp(head, magic, sizeof magic) != 0) {
    return frame_damaged(r, 0, "not a frame file, expected the magic \\x89NFR");
  }
  if (frame_get32(head + 28) != crc_of(head, 28)) {
    return frame_damaged(r, 28, "wrong checksum of the header %08x, expected %08x",
                         frame_get32(head + 28), crc_of(head, 28));
  }
  const uint64_t stated = frame_get32(head + 16) | (uint64_t)frame_get32(head + 20) << 32;
  r->version = frame_get32(head + 8);
  r->sections = frame_get32(head + 12);
  if (r->version != FrameVersion && r->version != FrameVersionSequence) {
    return frame_damaged(r, 8, "format version %u, expected %d or %d", r->version, FrameVersion,
                         FrameVersionSequence);
  }
  if (r->size > stated) {
    return frame_damaged(r, stated, "the file has %llu bytes, expected %llu",
                         (unsigned long long)r->size, (unsigned long long)stated);
  }
  return true;
}

bool frame_reader_open(frame_reader_t *r, const char *path, err_t *err) {
  struct stat info;
  *r = (frame_reader_t){.path = path, .err = err, .name = "HEAD"};
  r->file = place_open(path);
  if (!r->file || fstat(fileno(r->file), &info) != 0) {
    err_set(err, ErrInput, "%s: cannot be opened: %s, expected a frame file", path,
            strerror(errno));
    return false;
  }
  if (!S_ISREG(info.st_mode)) {
    err_set(err, ErrInput, "%s: not a regular file, expected a frame file", path);
    return false;
  }
  r->size = (uint64_t)info.st_size;
  return read_head(r);
}

void frame_reader_close(frame_reader_t *r) {
  if (r->file) {
    fclose(r->file);
  }
}

// Unpacks into a buffer that grows with what really comes, so that a false size
// costs no memory.
static bool unpack(frame_reader_t *r, const uint8_t *packed, size_t packed_size, size_t size,
                   const frame_bytes_t *before, frame_bytes_t *raw) {
  ZSTD_DCtx *context = ZSTD_createDCtx();
  size_t room = size < 1u << 20 ? size : 1u << 20;
  if (room == 0) {
    room = 1;
  }
  raw->data = malloc(room);
  raw->size = 0;
  bool good = context && raw->data &&
              (!before || !ZSTD_isError(ZSTD_DCtx_refPrefix(context, before->data, before->size)));
  if (!good) {
    frame_failed(r, ErrMachine, r->section, "no memory, expected a machine with more");
  }
  ZSTD_inBuffer in = {packed, packed_size, 0};
  size_t rest = 1;
  while (good && rest) {
    ZSTD_outBuffer out = {raw->data, room, raw->size};
    const size_t in_before = in.pos;
    rest = ZSTD_decompressStream(context, &out, &in);
    const bool moved = out.pos != raw->size || in.pos != in_before;
    raw->size = out.pos;
    if (ZSTD_isError(rest) && ZSTD_getErrorCode(rest) == ZSTD_error_memory_allocation) {
      good = frame_failed(r, ErrMachine, r->section, "no memory, expected a machine with more");
    } else if (ZSTD_isError(rest)) {
      good = frame_damaged(r, r->section, "zstd: %s, expected a sound zstd frame",
                           ZSTD_getErrorName(rest));
    } else if (rest && raw->size == room && room < size) {
      room = 2 * room < size ? 2 * room : size;
      uint8_t *grown = realloc(raw->data, room);
      if (grown) {
        raw->data = grown;
      } else {
        good =
            frame_failed(r, ErrMachine, r->section, "no memory for %zu bytes, expected more", room);
      }
    } else if (rest && !moved) {
      good =
          frame_damaged(r, r->section, "%s, expected %zu bytes unpacked",
                        raw->size == size ? "more comes out" : "the zstd frame ends early", size);
    }
  }
  if (good && (raw->size != size || in.pos != packed_size)) {
    good = frame_damaged(r, r->section, "%zu bytes unpacked, expected %zu", raw->size, size);
  }
  ZSTD_freeDCtx(context);
  return good;
}

static bool check_section_head(const frame_reader_t *r, const uint8_t *head, const char *name) {
  const uint32_t raw_size = frame_get32(head + 4), packed_size = frame_get32(head + 8);
  if (frame_get32(head + 16) != crc_of(head, 16)) {
    return frame_damaged(r, r->section, "wrong checksum of the section's header, expected %08x",
                         crc_of(head, 16));
  }
  if (memcmp(head, name, 4) != 0) {
    return frame_damaged(r, r->section, "another section stands here, expected %s", name);
  }
  if (raw_size > FrameMaxRaw) {
    return frame_damaged(r, r->section + 4, "%u bytes unpacked, expected at most %d", raw_size,
                         FrameMaxRaw);
  }
  if (packed_size > r->size - r->at) {
    return frame_damaged(r, r->size, "the file ends, expected %llu bytes more",
                         (unsigned long long)(packed_size - (r->size - r->at)));
  }
  return true;
}

bool frame_reader_section(frame_reader_t *r, const char *name, const frame_bytes_t *before,
                          frame_bytes_t *raw) {
  uint8_t head[FrameSectionBytes];
  *raw = (frame_bytes_t){0};
  r->section = r->at;
  if (!read_bytes(r, head, sizeof head) || !check_section_head(r, head, name)) {
    return false;
  }
  const uint32_t packed_size = frame_get32(head + 8);
  uint8_t *packed = malloc(packed_size ? packed_size : 1);
  if (!packed) {
    return frame_failed(r, ErrMachine, r->section, "no memory for %u bytes, expected more",
                        packed_size);
  }
  bool good = read_bytes(r, packed, packed_size);
  if (good && crc_of(packed, packed_size) != frame_get32(head + 12)) {
    good = frame_damaged(r, r->section + FrameSectionBytes, "wrong checksum %08x, expected %08x",
                         crc_of(packed, packed_size), frame_get32(head + 12));
  }
  good = good && unpack(r, packed, packed_size, frame_get32(head + 4), before, raw);
  free(packed);
  return good;
}

bool frame_reader_count(frame_reader_t *r, uint32_t sections) {
  if (r->sections == sections) {
    return true;
  }
  strcpy(r->name, "HEAD");
  return frame_damaged(r, 12, "%u sections, expected %u", r->sections, sections);
}

bool frame_reader_end(frame_reader_t *r) {
  strcpy(r->name, "HEAD");
  return r->at == r->size ||
         frame_damaged(r, r->at, "%llu bytes follow the last section, expected none",
                       (unsigned long long)(r->size - r->at));
}

// ---- writing

// Remembers why, and is false.
static bool failed(frame_writer_t *w, int why) {
  if (!w->why) {
    w->why = why;
  }
  return false;
}

static bool write_bytes(frame_writer_t *w, const uint8_t *data, size_t size) {
  while (size) {
    const ssize_t done = write(w->file, data, size);
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return failed(w, done < 0 ? errno : EIO);
    }
    data += done;
    size -= (size_t)done;
  }
  return true;
}

bool frame_writer_begin(frame_writer_t *w, const char *path, err_t *err) {
  static const uint8_t head[FrameHeaderBytes];
  struct stat old;
  *w = (frame_writer_t){.path = path, .file = -1, .total = FrameHeaderBytes};
  // The renaming would replace a device.
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
    err_set(err, ErrCheck, "%s: not a regular file, expected the path of a frame file", path);
    return false;
  }
  const size_t room = strlen(path) + 8;
  w->temporary = malloc(room);
  errno = ENOMEM;
  if (w->temporary) {
    snprintf(w->temporary, room, "%s.XXXXXX", path);
    w->file = mkstemp(w->temporary);
  }
  if (w->file < 0) {
    err_set(err, ErrCheck, "%s: cannot be written: %s", path, strerror(errno));
    free(w->temporary);
    return false;
  }
  write_bytes(w, head, sizeof head);  // its place; a failure is told at the end
  return true;
}

// Bytes packed, or an error of zstd.
static size_t pack(uint8_t *to, size_t room, const frame_bytes_t *before,
                   const frame_bytes_t *raw) {
  const int level = raw->size < FastFrom ? BestLevel : FastLevel;
  if (!before) {
    return ZSTD_compress(to, room, raw->data, raw->size, level);
  }
  // All of both is within reach, so that what has not changed is found again.
  int window = LeastWindow;
  while (window < MostWindow && (size_t)1 << window < before->size + raw->size) {
    window++;
  }
  ZSTD_CCtx *context = ZSTD_createCCtx();
  size_t size = (size_t)-1;
  if (context) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
    ZSTD_CCtx_refPrefix(context, before->data, before->size);
    size = ZSTD_compress2(context, to, room, raw->data, raw->size);
  }
  ZSTD_freeCCtx(context);
  return size;
}

bool frame_writer_section(frame_writer_t *w, const char *name, const frame_bytes_t *before,
                          const frame_bytes_t *raw) {
  if (w->why) {
    return false;
  }
  if (raw->size > FrameMaxRaw) {
    return failed(w, EFBIG);
  }
  const size_t bound = ZSTD_compressBound(raw->size);
  uint8_t *packed = malloc(FrameSectionBytes + bound);
  const size_t size = packed ? pack(packed + FrameSectionBytes, bound, before, raw) : 0;
  if (!packed || ZSTD_isError(size)) {
    free(packed);
    return failed(w, ENOMEM);
  }
  memcpy(packed, name, 4);
  frame_put32(packed + 4, (uint32_t)raw->size);
  frame_put32(packed + 8, (uint32_t)size);
  frame_put32(packed + 12, crc_of(packed + FrameSectionBytes, size));
  frame_put32(packed + 16, crc_of(packed, 16));
  const bool good = write_bytes(w, packed, FrameSectionBytes + size);
  free(packed);
  w->total += FrameSectionBytes + size;
  w->sections++;
  return good;
}

void frame_writer_give_up(frame_writer_t *w) { failed(w, ENOMEM); }

static bool write_head(frame_writer_t *w, uint32_t version) {
  uint8_t head[FrameHeaderBytes] = {0};
  memcpy(head, magic, sizeof magic);
  frame_put32(head + 8, version);
  frame_put32(head + 12, w->sections);
  frame_put32(head + 16, (uint32_t)w->total);
  frame_put32(head + 20, (uint32_t)(w->total >> 32));
  frame_put32(head + 28, crc_of(head, 28));
  if (lseek(w->file, 0, SEEK_SET) != 0) {
    return failed(w, errno);
  }
  return write_bytes(w, head, sizeof head);
}

// mkstemp gives the owner alone access; a frame is as readable as any file.
static bool make_readable(frame_writer_t *w) {
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(w->file, 0666 & ~mask) == 0 || failed(w, errno);
}

// The rename is only safe on the disk once the directory is.
static bool sync_directory(const char *path) {
  char *copy = malloc(strlen(path) + 2);
  if (!copy) {
    return false;
  }
  strcpy(copy, path);
  char *slash = strrchr(copy, '/');
  if (slash) {
    slash[slash == copy] = 0;
  } else {
    strcpy(copy, ".");
  }
  const int directory = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(copy);
  if (directory < 0) {
    return false;
  }
  // Some file systems cannot sync a directory and say EINVAL; nothing is lost then.
  const bool good = fsync(directory) == 0 || errno == EINVAL;
  close(directory);
  return good;
}

bool frame_writer_end(frame_writer_t *w, uint32_t version, err_t *err) {
  bool good = !w->why && write_head(w, version) && make_readable(w) &&
              (fsync(w->file) == 0 || failed(w, errno));
  if (close(w->file) != 0) {
    good = failed(w, errno);
  }
  if (good && rename(w->temporary, w->path) != 0) {
    good = failed(w, errno);
  }
  if (!good) {
    unlink(w->temporary);
  }
  free(w->temporary);
  if (good && !sync_directory(w->path)) {
    good = failed(w, errno);
  }
  if (!good) {
    err_set(err, ErrCheck, "%s: cannot be written: %s", w->path, strerror(w->why));
  }
  return good;
}
