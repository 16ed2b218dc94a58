/* SPDX-License-Identifier: MIT */
/* Parts as text. */
#include "config.h"

#include "part.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "histogram_file.h"
#include "part_members.h"
#include "uri.h"

#define OF(kind, member)                                                       \
    {                                                                          \
#member, kind, offsetof(struct part, member)                           \
    }
const struct part_member part_members[] = {
    OF(PART_U32, number),    OF(PART_U32, of),       OF(PART_I64, begin_ns),
    OF(PART_I64, open_ns),   OF(PART_I64, close_ns), OF(PART_I64, ended_ns),
    OF(PART_FLAG, timed),    OF(PART_FLAG, stopped), OF(PART_INT, err),
    OF(PART_INT, write_err), OF(PART_INT, log_err),
};
#undef OF

#define OF(kind, member)                                                       \
    {                                                                          \
#member, kind, offsetof(struct report, member)                         \
    }
const struct part_member part_report_members[] = {
    OF(PART_U64, ops),
    OF(PART_U64, errors),
    OF(PART_U64, good_bytes),
    OF(PART_U64, wire_bytes),
    OF(PART_U64, reused),
    OF(PART_U64, resent),
    OF(PART_U64, retried),
    OF(PART_U64, late_hashes),
    OF(PART_U64, entries),
    OF(PART_U64, verified),
    OF(PART_U64, mismatched),
    OF(PART_U64, verify_ns),
    OF(PART_I64, first_start_ns),
    OF(PART_I64, last_end_ns),
    OF(PART_U64, unfinished),
    OF(PART_U64, unstarted),
    OF(PART_FLAG, rate_missed),
    OF(PART_U64, due),
    OF(PART_U64, started),
    OF(PART_REAL, books.flight_ns),
    OF(PART_REAL, books.residence_ns),
    OF(PART_U32, tls.first),
    OF(PART_U32, tls.other),
    OF(PART_U64, tls.handshakes),
    OF(PART_U64, tls.resumed),
    OF(PART_U32, retransmits),
    OF(PART_U64, tcp_bytes),
    OF(PART_U64, tcp_segments),
    OF(PART_U64, kernel_bytes),
    OF(PART_U64, max_rss_kib),
    OF(PART_I64, loop_ran_ns),
    OF(PART_I64, loop_waited_ns),
    OF(PART_I64, cpu_ns),
};
#undef OF

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const size_t part_member_count = COUNT_OF(part_members);
const size_t part_report_member_count = COUNT_OF(part_report_members);

const char *const part_verify_names[] = {"after", "inline"};

static int
add_member(struct buf *out, const struct part_member *m, const void *owner)
{
    const void *at = (const char *) owner + m->at;

    switch (m->kind) {
    case PART_FLAG:
        return buf_addf(out, "%s\t%d\n", m->name, *(const bool *) at);
    case PART_INT:
        return buf_addf(out, "%s\t%d\n", m->name, *(const int *) at);
    case PART_U32:
        return buf_addf(out, "%s\t%" PRIu32 "\n", m->name,
                        *(const uint32_t *) at);
    case PART_U64:
        return buf_addf(out, "%s\t%" PRIu64 "\n", m->name,
                        *(const uint64_t *) at);
    case PART_I64:
        return buf_addf(out, "%s\t%" PRId64 "\n", m->name,
                        *(const int64_t *) at);
    default: /* enough digits for the same number to come back */
        return buf_addf(out, "%s\t%.17g\n", m->name, *(const double *) at);
    }
}

static int
add_failure(struct buf *out, const struct report_failure *f)
{
    int err = buf_addf(out, "failure\t%d\t%" PRIu64 "\t%" PRIu64 "\t",
                       f->status, f->count, f->retried);

    if (err == 0)
        err = record_add_field(out, f->code);
    if (err == 0)
        err = buf_addc(out, '\t');
    if (err == 0)
        err = record_add_field(out, f->transport);
    if (err == 0)
        err = buf_addc(out, '\t');
    if (err == 0)
        err = record_add_field(out, f->message);
    return err != 0 ? err : buf_addc(out, '\n');
}

static int
add_report(struct buf *out, const struct report *r, const char *view)
{
    const struct histogram *h;
    const char *name;
    int err = 0;

    if (view != NULL)
        err = buf_addf(out, "view\t%s\n", view);

    for (size_t i = 0; err == 0 && i < part_report_member_count; i++)
        err = add_member(out, &part_report_members[i], r);
    for (uint32_t i = 0; err == 0 && i < r->failure_count; i++)
        err = add_failure(out, &r->failures[i]);
    for (size_t i = 0; err == 0 && (h = report_histogram(r, i, &name)) != NULL;
         i++) {
        err = buf_adds(out, "histogram\n");
        if (err == 0)
            err = histogram_add_text(out, h, r->asked.op, name, "");
        if (err == 0)
            err = buf_addc(out, '\n');
    }
    for (uint32_t i = 0; err == 0 && i < r->asked.slice_count; i++) {
        err = buf_addf(out, "slice\t%" PRIu32 "\n", i);
        if (err == 0)
            err = add_report(out, &r->slices[i], NULL);
    }
    return err;
}

static int
add_row(struct buf *out, const struct interval *row, uint32_t index)
{
    const char *between = "\t";
    int err = buf_addf(out,
                       "row\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                       "\t%" PRIu64 "\t%.17g",
                       index, row->ops, row->errors, row->good_bytes,
                       row->wire_bytes, row->flight_ns);

    for (uint32_t i = 0; err == 0 && i < INTERVAL_BUCKETS; i++) {
        if (row->counts[i] == 0)
            continue;
        err =
            buf_addf(out, "%s%" PRIu32 ":%" PRIu32, between, i, row->counts[i]);
        between = " ";
    }
    return err != 0 ? err : buf_addc(out, '\n');
}

int
part_add_text(struct buf *out, const struct part *p)
{
    const struct interval_table *t = &p->intervals;
    int err =
        report_add_header(out, &p->whole.asked, PART_FORMAT, "name\tvalue");

    for (size_t i = 0; err == 0 && i < part_member_count; i++)
        err = add_member(out, &part_members[i], p);
    if (err == 0)
        err =
            buf_addf(out, "verify\t%s\n", p->verify != NULL ? p->verify : "-");
    if (err == 0)
        err = add_report(out, &p->whole, "whole");
    if (err == 0)
        err = add_report(out, &p->inside, "inside");
    if (err == 0)
        err = buf_addf(out, "intervals\t%" PRId64 "\t%" PRIu32 "\n",
                       t->width_ns, t->count);
    for (uint32_t i = 0; err == 0 && i < t->count; i++)
        err = add_row(out, &t->rows[i], i);
    return err != 0 ? err : buf_adds(out, "end\n");
}
