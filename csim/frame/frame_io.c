// SPDX-License-Identifier: Apache-2.0
// Frame files: header, checksums, zstd, atomic writing. docs/frame-format.md.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "frame.h"
#include "frame_codec.h"

static const uint8_t magic[8] = {0x89, 'N', 'F', 'R', '\r', '\n', 0x1a, '\n'};

// Large sections (generated workloads) would take minutes at the best level.
enum { BestLevel = 19, FastLevel = 9, FastFrom = 16 << 20 };

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

// A long path keeps its end, so that the message fits.
static const char *short_path(const char *path) {
  const size_t length = strlen(path), most = 80;
  return length > most ? path + (length - most) : path;
}

// ---- reading

typedef struct {
  FILE *file;
  const char *path;
  char *error;
  uint64_t size;     // of the file
  uint64_t at;       // bytes read
  uint64_t section;  // where the section being read begins
  const char *name;  // its name
} reader_t;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool damaged(const reader_t *r, uint64_t offset, const char *format, ...) {
  char text[FrameMessageSize];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  snprintf(r->error, FrameErrorSize, "%s: byte %llu: section %s: %.110s", short_path(r->path),
           (unsigned long long)offset, r->name, text);
  return false;
}

static bool read_bytes(reader_t *r, uint8_t *to, uint64_t count) {
  if (count > r->size - r->at) {
    return damaged(r, r->size, "the file ends, expected %llu bytes more",
                   (unsigned long long)(count - (r->size - r->at)));
  }
  if (fread(to, 1, (size_t)count, r->file) != count) {
    return damaged(r, r->at, "cannot be read: %s, expected %llu bytes",
                   ferror(r->file) ? strerror(errno) : "the file shrank",
                   (unsigned long long)count);
  }
  r->at += count;
  return true;
}

// Unpacks into a buffer that grows with what really comes, so that a false size
// costs no memory.
static bool unpack(reader_t *r, const uint8_t *packed, size_t packed_size, size_t size,
                   frame_bytes_t *raw) {
  ZSTD_DCtx *context = ZSTD_createDCtx();
  size_t room = size < 1u << 20 ? size : 1u << 20;
  if (room == 0) {
    room = 1;
  }
  raw->data = malloc(room);
  raw->size = 0;
  bool good = context && raw->data;
  if (!good) {
    damaged(r, r->section, "no memory, expected a machine with more");
  }
  ZSTD_inBuffer in = {packed, packed_size, 0};
  size_t rest = 1;
  while (good && rest) {
    ZSTD_outBuffer out = {raw->data, room, raw->size};
    const size_t in_before = in.pos;
    rest = ZSTD_decompressStream(context, &out, &in);
    const bool moved = out.pos != raw->size || in.pos != in_before;
    raw->size = out.pos;
    if (ZSTD_isError(rest)) {
      good = damaged(r, r->section, "zstd: %s, expected a sound zstd frame",
                     ZSTD_getErrorName(rest));
    } else if (rest && raw->size == room && room < size) {
      room = 2 * room < size ? 2 * room : size;
      uint8_t *grown = realloc(raw->data, room);
      if (grown) {
        raw->data = grown;
      } else {
        good = damaged(r, r->section, "no memory for %zu bytes, expected more", room);
      }
    } else if (rest && !moved) {
      good = damaged(r, r->section, "%s, expected %zu bytes unpacked",
                     raw->size == size ? "more comes out" : "the zstd frame ends early", size);
    }
  }
  if (good && (raw->size != size || in.pos != packed_size)) {
    good = damaged(r, r->section, "%zu bytes unpacked, expected %zu", raw->size, size);
  }
  ZSTD_freeDCtx(context);
  return good;
}

static bool read_section(reader_t *r, frame_codec_t *codec, frame_part_e part, uint32_t index,
                         uint64_t offsets[FramePartTexture + 1]) {
  uint8_t head[FrameSectionBytes];
  r->name = frame_part_name[part];
  r->section = offsets[part] = r->at;
  if (!read_bytes(r, head, sizeof head)) {
    return false;
  }
  if (frame_get32(head + 16) != crc_of(head, 16)) {
    return damaged(r, r->section, "wrong checksum of the section's header, expected %08x",
                   crc_of(head, 16));
  }
  if (memcmp(head, frame_part_name[part], 4) != 0) {
    return damaged(r, r->section, "another section stands here, expected %s",
                   frame_part_name[part]);
  }
  const uint32_t raw_size = frame_get32(head + 4), packed_size = frame_get32(head + 8);
  if (raw_size > FrameMaxRaw) {
    return damaged(r, r->section + 4, "%u bytes unpacked, expected at most %d", raw_size,
                   FrameMaxRaw);
  }
  if (packed_size > r->size - r->at) {
    return damaged(r, r->size, "the file ends, expected %llu bytes more",
                   (unsigned long long)(packed_size - (r->size - r->at)));
  }
  uint8_t *packed = malloc(packed_size ? packed_size : 1);
  if (!packed) {
    return damaged(r, r->section, "no memory for %u bytes, expected more", packed_size);
  }
  frame_bytes_t raw = {0};
  bool good = read_bytes(r, packed, packed_size);
  if (good && crc_of(packed, packed_size) != frame_get32(head + 12)) {
    good = damaged(r, r->section + FrameSectionBytes, "wrong checksum %08x, expected %08x",
                   crc_of(packed, packed_size), frame_get32(head + 12));
  }
  good = good && unpack(r, packed, packed_size, raw_size, &raw);
  free(packed);
  char message[FrameMessageSize];
  if (good && !frame_codec_decode(codec, &part, index, &raw, message)) {
    r->name = frame_part_name[part];
    good = damaged(r, offsets[part], "%s", message);
  }
  free(raw.data);
  return good;
}

static bool read_all(reader_t *r, frame_codec_t *codec) {
  uint8_t head[FrameHeaderBytes];
  r->name = "HEAD";
  if (!read_bytes(r, head, sizeof head)) {
    return false;
  }
  if (memcmp(head, magic, sizeof magic) != 0) {
    return damaged(r, 0, "not a frame file, expected the magic \\x89NFR");
  }
  if (frame_get32(head + 28) != crc_of(head, 28)) {
    return damaged(r, 28, "wrong checksum of the header %08x, expected %08x",
                   frame_get32(head + 28), crc_of(head, 28));
  }
  const uint32_t version = frame_get32(head + 8), sections = frame_get32(head + 12);
  const uint64_t stated = frame_get32(head + 16) | (uint64_t)frame_get32(head + 20) << 32;
  if (version != FrameVersion) {
    return damaged(r, 8, "format version %u, expected %d", version, FrameVersion);
  }
  if (r->size > stated) {
    return damaged(r, stated, "the file has %llu bytes, expected %llu", (unsigned long long)r->size,
                   (unsigned long long)stated);
  }
  uint64_t offsets[FramePartTexture + 1] = {0};
  for (int part = FramePartInfo; part < FramePartTexture; part++) {
    if (!read_section(r, codec, (frame_part_e)part, 0, offsets)) {
      return false;
    }
  }
  const frame_t *frame = codec->frame;
  if (sections != FramePartTexture + frame->texture_count) {
    r->name = "HEAD";
    return damaged(r, 12, "%u sections, expected %u", sections,
                   FramePartTexture + frame->texture_count);
  }
  for (uint32_t i = 0; i < frame->texture_count; i++) {
    if (!read_section(r, codec, FramePartTexture, i, offsets)) {
      return false;
    }
  }
  if (r->at != r->size) {
    r->name = "HEAD";
    return damaged(r, r->at, "%llu bytes follow the last section, expected none",
                   (unsigned long long)(r->size - r->at));
  }
  return true;
}

frame_t *frame_read(const char *path, char error[FrameErrorSize]) {
  reader_t r = {.path = path, .error = error, .name = "HEAD"};
  struct stat info;
  r.file = fopen(path, "rb");
  if (!r.file || fstat(fileno(r.file), &info) != 0) {
    snprintf(error, FrameErrorSize, "%s: cannot be opened: %s, expected a frame file",
             short_path(path), strerror(errno));
    if (r.file) {
      fclose(r.file);
    }
    return NULL;
  }
  if (!S_ISREG(info.st_mode)) {
    snprintf(error, FrameErrorSize, "%s: not a regular file, expected a frame file",
             short_path(path));
    fclose(r.file);
    return NULL;
  }
  r.size = (uint64_t)info.st_size;
  frame_codec_t codec = {.frame = calloc(1, sizeof(frame_t))};
  bool good = codec.frame || damaged(&r, 0, "no memory, expected a machine with more");
  good = good && read_all(&r, &codec);
  fclose(r.file);
  frame_codec_free(&codec);
  if (good) {
    return codec.frame;
  }
  frame_free(codec.frame);
  return NULL;
}

// ---- writing

static bool write_bytes(int file, const uint8_t *data, size_t size) {
  while (size) {
    const ssize_t done = write(file, data, size);
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return false;
    }
    data += done;
    size -= (size_t)done;
  }
  return true;
}

static bool write_section(int file, const frame_codec_t *codec, frame_part_e part, uint32_t index,
                          uint64_t *total) {
  frame_bytes_t raw = {0};
  uint8_t *packed = NULL;
  bool good = frame_codec_encode(codec, part, index, &raw);
  if (!good) {
    errno = ENOMEM;
  }
  if (good && raw.size > FrameMaxRaw) {
    errno = EFBIG;
    good = false;
  }
  if (good) {
    const size_t bound = ZSTD_compressBound(raw.size);
    packed = malloc(FrameSectionBytes + bound);
    const size_t size =
      packed ? ZSTD_compress(packed + FrameSectionBytes, bound, raw.data, raw.size,
                             raw.size < FastFrom ? BestLevel : FastLevel)
             : 0;
    if (!packed || ZSTD_isError(size)) {
      errno = ENOMEM;
      good = false;
    } else {
      memcpy(packed, frame_part_name[part], 4);
      frame_put32(packed + 4, (uint32_t)raw.size);
      frame_put32(packed + 8, (uint32_t)size);
      frame_put32(packed + 12, crc_of(packed + FrameSectionBytes, size));
      frame_put32(packed + 16, crc_of(packed, 16));
      good = write_bytes(file, packed, FrameSectionBytes + size);
      *total += FrameSectionBytes + size;
    }
  }
  free(raw.data);
  free(packed);
  return good;
}

static bool write_all(int file, const frame_codec_t *codec) {
  uint8_t head[FrameHeaderBytes] = {0};
  uint64_t total = sizeof head;
  if (!write_bytes(file, head, sizeof head)) {
    return false;
  }
  for (int part = FramePartInfo; part < FramePartTexture; part++) {
    if (!write_section(file, codec, (frame_part_e)part, 0, &total)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < codec->frame->texture_count; i++) {
    if (!write_section(file, codec, FramePartTexture, i, &total)) {
      return false;
    }
  }
  memcpy(head, magic, sizeof magic);
  frame_put32(head + 8, FrameVersion);
  frame_put32(head + 12, FramePartTexture + codec->frame->texture_count);
  frame_put32(head + 16, (uint32_t)total);
  frame_put32(head + 20, (uint32_t)(total >> 32));
  frame_put32(head + 28, crc_of(head, 28));
  return lseek(file, 0, SEEK_SET) == 0 && write_bytes(file, head, sizeof head) && fsync(file) == 0;
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

bool frame_write(const frame_t *frame, const char *path, char error[FrameErrorSize]) {
  char text[FrameErrorSize];
  if (!frame_check(frame, text)) {
    snprintf(error, FrameErrorSize, "%s: not written: %.160s", short_path(path), text);
    return false;
  }
  if (strlen(frame->name) > FrameMaxName) {
    snprintf(error, FrameErrorSize, "%s: not written: the name has %zu bytes, expected at most %d",
             short_path(path), strlen(frame->name), FrameMaxName);
    return false;
  }
  // The renaming would replace a device.
  struct stat old;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
    snprintf(error, FrameErrorSize, "%s: not a regular file, expected the path of a frame file",
             short_path(path));
    return false;
  }
  const size_t room = strlen(path) + 8;
  char *temporary = malloc(room);
  int file = -1;
  errno = ENOMEM;
  if (temporary) {
    snprintf(temporary, room, "%s.XXXXXX", path);
    file = mkstemp(temporary);
  }
  if (file < 0) {
    snprintf(error, FrameErrorSize, "%s: cannot be written: %s", short_path(path),
             strerror(errno));
    free(temporary);
    return false;
  }
  frame_codec_t codec = {0};
  bool good = frame_codec_begin(&codec, frame);
  if (!good) {
    errno = ENOMEM;
  }
  good = good && write_all(file, &codec);
  frame_codec_free(&codec);
  // mkstemp gives the owner alone access; a frame is as readable as any file.
  const mode_t mask = umask(0);
  umask(mask);
  good = good && fchmod(file, 0666 & ~mask) == 0;
  int why = errno;
  if (close(file) != 0 && good) {
    good = false;
    why = errno;
  }
  if (good && rename(temporary, path) != 0) {
    good = false;
    why = errno;
  }
  if (!good) {
    unlink(temporary);
  }
  free(temporary);
  if (good && !sync_directory(path)) {
    good = false;
    why = errno;
  }
  if (!good) {
    snprintf(error, FrameErrorSize, "%s: cannot be written: %s", short_path(path), strerror(why));
  }
  return good;
}

// FNV-1a over the unpacked sections, so that it depends on no version of zstd.
uint64_t frame_hash(const frame_t *frame) {
  uint64_t hash = 14695981039346656037u;
  frame_codec_t codec = {0};
  bool good = frame_codec_begin(&codec, frame);
  const uint32_t count = FramePartTexture + frame->texture_count;
  for (uint32_t i = 0; good && i < count; i++) {
    const bool texture = i >= FramePartTexture;
    frame_bytes_t raw = {0};
    good = frame_codec_encode(&codec, texture ? FramePartTexture : (frame_part_e)i,
                              texture ? i - FramePartTexture : 0, &raw);
    for (size_t k = 0; good && k < raw.size; k++) {
      hash = (hash ^ raw.data[k]) * 1099511628211u;
    }
    free(raw.data);
  }
  frame_codec_free(&codec);
  return good ? hash : 0;
}
