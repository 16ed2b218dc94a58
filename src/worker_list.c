/* SPDX-License-Identifier: MIT */
/* What operations find, written where it was asked for: the entries of
 * listings, ids of uploads; and how a listing goes on. */
#include "config.h"

#include "worker_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "uri.h"

/* Pages without an entry that a listing may have in a row: versions that are
 * gone are passed over in silence. */
#define EMPTY_PAGES_MAX 1000

static int
write_lines(FILE *listing, const struct buf *lines)
{
    errno = 0;
    if (fwrite(lines->data, 1, lines->len, listing) == lines->len)
        return 0;
    return errno != 0 ? errno : EIO;
}

/* Keep LINE until its page is known to be good. */
static int
keep_line(struct worker_lane *lane, const struct buf *line)
{
    int err = buf_add(&lane->page, line->data, line->len);

    if (err != EMSGSIZE)
        return err;
    err = write_lines(lane->op->listing, &lane->page);
    buf_reset(&lane->page);
    lane->written = true;
    return err == 0 ? buf_add(&lane->page, line->data, line->len) : err;
}

void
worker_write_page(struct worker_lane *lane)
{
    if (lane->page.len > 0)
        worker_note(&lane->w->write_err,
                    write_lines(lane->op->listing, &lane->page));
    buf_reset(&lane->page);
    lane->written = false;
}

/* Which version it is, and whether it is the one that counts. */
static int
add_version(struct buf *line, const struct answer_entry *e)
{
    const char *role = e->kind == ANSWER_PREFIX ? "-"
                       : e->kind == ANSWER_DELETE_MARKER
                           ? e->latest ? "latest-marker" : "marker"
                       : e->latest ? "latest"
                                   : "old";
    int err = buf_addc(line, '\t');

    if (err == 0)
        err = e->version[0] == '\0'
                  ? buf_addc(line, '-')
                  : uri_encode(line, e->version, strlen(e->version), true);
    return err != 0 ? err : buf_addf(line, "\t%s", role);
}

void
worker_on_entry(void *ctx, const struct answer_entry *e)
{
    struct worker_lane *lane = ctx;
    struct worker *w = lane->w;
    struct buf line;
    int err;

    if (lane->op->listing == NULL)
        return;
    buf_init(&line, 3 * (ANSWER_KEY_MAX + ANSWER_VERSION_MAX) + 256);
    err = e->kind == ANSWER_OBJECT ? buf_addf(&line, "%" PRIu64, e->size)
                                   : buf_addc(&line, '-');
    if (err == 0)
        err = buf_addf(&line, "\t%s\t",
                       e->modified[0] != '\0' ? e->modified : "-");
    if (err == 0)
        err = uri_encode(&line, e->name, strlen(e->name), true);
    if (err == 0 && lane->spec.op == REQUEST_LIST_VERSIONS)
        err = add_version(&line, e);
    if (err == 0)
        err = buf_addc(&line, '\n');
    if (err == 0 && w->config->retries > 0)
        err = keep_line(lane, &line);
    else if (err == 0)
        err = write_lines(lane->op->listing, &line);
    worker_note(&w->write_err, err);
    buf_clear(&line);
}

/* Whether the page that has just come, with the next one beginning at NEXT,
 * brings the listing no further. */
static bool
is_stuck(struct worker_lane *lane, const char *next)
{
    lane->empty_pages =
        lane->request.answer.entries > 0 ? 0 : lane->empty_pages + 1;
    return next[0] == '\0' || strcmp(next, lane->seen_token.data) == 0 ||
           lane->empty_pages > EMPTY_PAGES_MAX;
}

bool
worker_next_page(struct worker_lane *lane, struct request_outcome *o)
{
    const char *next;

    if (!o->ok || !request_is_listing(lane->spec.op))
        return false;
    lane->w->whole.entries += lane->request.answer.entries;
    next = request_next_page(&lane->request);
    if (next == NULL || lane->pages + 1 == lane->op->pages)
        return false;
    if (is_stuck(lane, next)) {
        o->ok = false;
        o->code = "InvalidAnswer";
        snprintf(o->message, sizeof o->message,
                 "the listing is truncated but does not advance");
        return false;
    }
    buf_reset(&lane->token);
    worker_note(&lane->w->err, buf_adds(&lane->token, next));
    /* Keep every 2^n-th: a circle of any length comes back to one. */
    lane->pages++;
    if ((lane->pages & (lane->pages - 1)) == 0) {
        buf_reset(&lane->seen_token);
        worker_note(&lane->w->err, buf_adds(&lane->seen_token, next));
    }
    return true;
}

bool
worker_next_step(struct worker_lane *lane, const struct request_outcome *o)
{
    if (!o->ok || lane->spec.op != REQUEST_CREATE_BUCKET ||
        !lane->spec.versioned)
        return false;
    lane->spec.op = REQUEST_SET_VERSIONING;
    lane->pages++;
    return true;
}

void
worker_write_upload(struct worker_lane *lane)
{
    struct buf line;
    int err;

    if (lane->op->listing == NULL)
        return;
    buf_init(&line, 4 * ANSWER_TEXT_MAX);
    err = record_add_field(&line, lane->request.answer.upload_id);
    if (err == 0)
        err = buf_addc(&line, '\n');
    if (err == 0)
        err = write_lines(lane->op->listing, &line);
    worker_note(&lane->w->write_err, err);
    buf_clear(&line);
}
