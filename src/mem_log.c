/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

/* A request has at most 16 KiB; its bytes come twice, as %XX. */
#define LINE_MAX_LEN ((size_t) 128 << 10)
#define HEAD                                                                   \
    "# s3mem-access 1\n"                                                       \
    "time\tid\tconnection\tmethod\ttarget\thost\tauth\tsigned_headers\t"       \
    "headers\tcontent_length\tbytes_in\tbytes_out\tstatus\tcode\tfirst_us\t"   \
    "total_us\tended\n"

struct mem_log {
    pthread_mutex_t lock;
    struct buf line; /* under the lock */
    int fd;
    bool failed;
};

int
mem_log_open(struct mem_log **out, const char *path)
{
    struct mem_log *l = calloc(1, sizeof(*l));
    struct stat st;
    int err = 0;

    if (l == NULL)
        return ENOMEM;
    l->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (l->fd < 0) {
        err = errno;
        free(l);
        return err;
    }
    pthread_mutex_init(&l->lock, NULL);
    buf_init(&l->line, LINE_MAX_LEN);
    if (fstat(l->fd, &st) != 0 ||
        (st.st_size == 0 && write(l->fd, HEAD, strlen(HEAD)) < 0)) {
        err = errno;
        mem_log_close(l);
        return err;
    }
    *out = l;
    return 0;
}

void
mem_log_close(struct mem_log *l)
{
    if (l == NULL)
        return;
    close(l->fd);
    buf_clear(&l->line);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* Add N bytes; what would break the table or a terminal becomes %XX. */
static void
add_raw(struct buf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char) text[i];

        if (c > ' ' && c < 0x7f)
            (void) buf_addc(out, (char) c);
        else
            (void) buf_addf(out, "%%%02X", c);
    }
}

/* Add a text, "-" when there is none, and a tab. */
static void
add_field(struct buf *out, const char *text, size_t n)
{
    if (n == 0)
        (void) buf_addc(out, '-');
    else
        add_raw(out, text, n);
    (void) buf_addc(out, '\t');
}

/* Path and query as they came, but for the session token: that is secret. */
static void
add_target(struct buf *out, const struct mem_request *r)
{
    static const char token[] = "x-amz-security-token=";
    const char *at = r->query;

    add_raw(out, r->path, strlen(r->path));
    if (at[0] != '\0')
        (void) buf_addc(out, '?');
    while (*at != '\0') {
        size_t n = strcspn(at, "&"), skip = at[n] == '&' ? n + 1 : n;

        if (strncasecmp(at, token, strlen(token)) == 0) {
            add_raw(out, at, strlen(token));
            (void) buf_adds(out, at[n] == '&' ? "***&" : "***");
        } else {
            add_raw(out, at, skip);
        }
        at += skip;
    }
    (void) buf_addc(out, '\t');
}

/* The names of all headers, in the order they came. */
static void
add_names(struct buf *out, const struct mem_request *r)
{
    for (size_t i = 0; i < r->header_count; i++) {
        if (i > 0)
            (void) buf_addc(out, ';');
        add_raw(out, r->headers[i].name, strlen(r->headers[i].name));
    }
    (void) buf_adds(out, r->header_count > 0 ? "\t" : "-\t");
}

static void
write_line(struct buf *out, const struct mem_log_entry *e,
           const struct mem_op *op)
{
    const struct mem_request *r = &op->request;
    const char *host = mem_request_find(r, "host");
    const char *length = mem_request_find(r, "content-length");
    const char *code = mem_code_name(op->answer.code);
    char iso[CLOCK_ISO_SIZE];

    buf_reset(out);
    clock_format_iso(iso, (time_t) (e->begin_wall_us / 1000000));
    iso[CLOCK_ISO_SIZE - 2] = '\0'; /* the Z comes behind the fraction */
    (void) buf_addf(out, "%s.%06dZ\t%s\t%llu\t", iso,
                    (int) (e->begin_wall_us % 1000000), e->request_id,
                    (unsigned long long) e->connection);
    add_field(out, r->method, strlen(r->method));
    add_target(out, r);
    add_field(out, host != NULL ? host : "", host != NULL ? strlen(host) : 0);
    add_field(out, mem_auth_name(op->auth.kind),
              strlen(mem_auth_name(op->auth.kind)));
    add_field(out, op->auth.signed_headers, op->auth.signed_headers_len);
    add_names(out, r);
    add_field(out, length != NULL ? length : "",
              length != NULL ? strlen(length) : 0);
    (void) buf_addf(out, "%llu\t%llu\t", (unsigned long long) e->bytes_in,
                    (unsigned long long) e->bytes_out);
    if (e->first_ns >= 0)
        (void) buf_addf(out, "%d\t%s\t%.3f\t", op->answer.status,
                        code[0] != '\0' ? code : "-",
                        (double) e->first_ns / 1000);
    else
        (void) buf_adds(out, "-\t-\t-\t");
    (void) buf_addf(out, "%.3f\t%s\n", (double) e->total_ns / 1000, e->ended);
}

void
mem_log_write(struct mem_log *l, const struct mem_log_entry *e,
              const struct mem_op *op)
{
    pthread_mutex_lock(&l->lock);
    write_line(&l->line, e, op);
    if (write(l->fd, l->line.data, l->line.len) != (ssize_t) l->line.len &&
        !l->failed) {
        l->failed = true;
        complain(0, "the access log could not be written: %s", strerror(errno));
    }
    pthread_mutex_unlock(&l->lock);
}
