/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define PIECE 65536u

bool
sink_keeps(bool verify, const char *output, uint64_t count, uint64_t size)
{
    return (verify || output != NULL) && size <= SINK_KEEP_MAX &&
           count <= SINK_KEEP_MAX / (size + 1024);
}

int
sink_init(struct sink *s, bool verify, const char *output, bool folder,
          uint64_t count, uint64_t size)
{
    void *kept;

    *s = (struct sink){.verify = verify,
                       .output = output,
                       .folder = folder,
                       .size = size,
                       .count = count};
    s->create_mode = umask(0); /* there is no way to ask without setting */
    umask(s->create_mode);
    s->create_mode = 0666 & ~s->create_mode;
    if (folder && mkdir(output, 0777) != 0 && errno != EEXIST)
        return errno;
    if (!verify && output == NULL)
        return 0;
    s->mode = SINK_STREAM;
    if (!sink_keeps(verify, output, count, size))
        return 0;
    s->mode = SINK_KEEP;
    if (size == 0)
        return 0;
    /* Touched now, so that no page fault falls into the timed part. */
    kept = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (kept == MAP_FAILED)
        return errno;
    s->kept = kept;
    return 0;
}

void
sink_clear(struct sink *s)
{
    if (s->kept != NULL)
        munmap(s->kept, s->count * s->size);
    *s = (struct sink){0};
}

void
sink_body_init(struct sink_body *b, struct sink *s, struct payload *payload)
{
    *b = (struct sink_body){.sink = s, .payload = payload};
    buf_init(&b->path, 8192);
    buf_init(&b->temporary, 8192 + 16);
}

/* A new file beside PATH, which takes its place when it is complete: what is
 * there survives a download that fails. */
static int
open_beside(struct sink_body *b, const char *path, mode_t mode)
{
    int fd, err = 0;

    buf_reset(&b->temporary);
    err = buf_addf(&b->temporary, "%s.XXXXXX", path);
    if (err != 0)
        return err;
    fd = mkostemp(b->temporary.data, O_CLOEXEC);
    if (fd < 0) {
        err = errno;
        buf_reset(&b->temporary);
        return err;
    }
    b->file = fdopen(fd, "w+b");
    if (b->file == NULL || fchmod(fd, mode) != 0)
        err = errno;
    if (b->file == NULL)
        close(fd);
    if (err != 0)
        unlink(b->temporary.data);
    return err;
}

/* Open what stands for PATH. A pipe or a device is written as it is; a link
 * stays, and what it points to is replaced. */
static int
open_path(struct sink_body *b)
{
    struct stat about;
    char *target;
    int err;

    buf_reset(&b->temporary);
    if (stat(b->path.data, &about) != 0)
        return open_beside(b, b->path.data, b->sink->create_mode);
    if (!S_ISREG(about.st_mode)) {
        b->file = fopen(b->path.data, "wbe");
        return b->file == NULL ? errno : 0;
    }
    target = realpath(b->path.data, NULL);
    if (target == NULL)
        return errno;
    buf_reset(&b->path);
    err = buf_adds(&b->path, target);
    free(target);
    return err != 0 ? err : open_beside(b, b->path.data, about.st_mode & 07777);
}

/* Open what NAME is to be written to. */
static int
open_file(struct sink_body *b, const struct buf *name)
{
    const struct sink *s = b->sink;
    const char *slash = strrchr(name->data, '/');
    const char *last = slash != NULL ? slash + 1 : name->data;
    int err;

    if (!s->folder && strcmp(s->output, "-") == 0) {
        b->file = stdout;
        return 0;
    }
    buf_reset(&b->path);
    err = s->folder ? buf_addf(&b->path, "%s/%s", s->output, last)
                    : buf_adds(&b->path, s->output);
    return err != 0 ? err : open_path(b);
}

static void
begin(struct sink_body *b, const struct buf *name, uint64_t offset)
{
    b->offset = offset;
    if (b->sink->verify)
        b->object = payload_object(name->data, name->len);
    b->received = 0;
    b->differs_at = UINT64_MAX;
    b->verify_ns = b->sink->verify ? 0 : -1;
    b->err = 0;
}

void
sink_prepare(struct sink_body *b, uint64_t index, const struct buf *name,
             uint64_t offset)
{
    struct sink *s = b->sink;

    begin(b, name, offset);
    b->keep = s->kept != NULL ? s->kept + index * s->size : NULL;
    if (s->mode == SINK_STREAM && s->output != NULL)
        b->err = open_file(b, name);
}

static void
compare(struct sink_body *b, const void *bytes, size_t n)
{
    int64_t begun = clock_now_ns();
    uint64_t at = b->offset + b->received;
    size_t same = payload_match(b->payload, b->object, at, bytes, n);

    if (same < n && b->differs_at == UINT64_MAX)
        b->differs_at = at + same;
    b->verify_ns += clock_now_ns() - begun;
}

bool
sink_take(void *body, const void *bytes, size_t n)
{
    struct sink_body *b = body;
    const struct sink *s = b->sink;

    if (b->err != 0)
        return false;
    if (s->mode == SINK_KEEP) {
        if (n > s->size - b->received)
            return false;
        memcpy(b->keep + b->received, bytes, n);
    } else if (s->mode == SINK_STREAM) {
        if (s->verify)
            compare(b, bytes, n);
        errno = 0;
        if (b->file != NULL && fwrite(bytes, 1, n, b->file) != n) {
            b->err = errno != 0 ? errno : EIO;
            return false;
        }
    }
    b->received += n;
    return true;
}

bool
sink_restart(struct sink_body *b)
{
    if (b->file != NULL && b->received > 0 &&
        (fflush(b->file) != 0 || fseeko(b->file, 0, SEEK_SET) != 0 ||
         ftruncate(fileno(b->file), 0) != 0))
        return false;
    b->received = 0;
    b->differs_at = UINT64_MAX;
    return true;
}

void
sink_finish(struct sink_body *b, bool good)
{
    if (b->file == stdout) {
        if (fflush(stdout) != 0 && b->err == 0)
            b->err = errno;
    } else if (b->file != NULL) {
        if (fclose(b->file) != 0 && b->err == 0)
            b->err = errno;
        if (b->temporary.len > 0 && good && b->err == 0 &&
            rename(b->temporary.data, b->path.data) != 0)
            b->err = errno;
        if (b->temporary.len > 0 && (!good || b->err != 0))
            unlink(b->temporary.data);
    }
    b->file = NULL;
}

void
sink_body_clear(struct sink_body *b)
{
    sink_finish(b, false);
    buf_clear(&b->path);
    buf_clear(&b->temporary);
}

void
sink_replay(struct sink_body *b, uint64_t index, const struct buf *name,
            uint64_t offset, uint64_t received)
{
    struct sink *s = b->sink;
    const unsigned char *bytes =
        s->kept != NULL ? s->kept + index * s->size : (unsigned char *) "";

    begin(b, name, offset);
    if (s->verify && received > 0)
        compare(b, bytes, (size_t) received);
    if (s->output == NULL)
        return;
    b->err = open_file(b, name);
    errno = 0;
    if (b->err == 0 && fwrite(bytes, 1, (size_t) received, b->file) != received)
        b->err = errno != 0 ? errno : EIO;
    sink_finish(b, true);
}

int
sink_write_generated(struct sink_body *b, const struct buf *name, uint64_t size)
{
    unsigned char *piece = malloc(PIECE);
    uint64_t offset = 0;

    if (piece == NULL)
        return ENOMEM;
    begin(b, name, 0);
    b->object = payload_object(name->data, name->len);
    b->err = open_file(b, name);
    while (b->err == 0 && offset < size) {
        size_t n = size - offset < PIECE ? (size_t) (size - offset) : PIECE;

        payload_fill(b->payload, b->object, offset, piece, n);
        errno = 0;
        if (fwrite(piece, 1, n, b->file) != n)
            b->err = errno != 0 ? errno : EIO;
        offset += n;
    }
    sink_finish(b, true);
    free(piece);
    return b->err;
}
