/* SPDX-License-Identifier: MIT */
/*
 * Where uploaded bodies come from: generated, a file, or standard input;
 * and their hashes and checksums, made before the clock starts.
 */
#ifndef S3PERF_SOURCE_H
#define S3PERF_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "hasher.h"
#include "payload.h"
#include "workload.h"

/* Generated bodies up to this size lie in memory when an operation starts;
 * larger ones are generated straight into the transport's buffer. */
#define SOURCE_SMALL ((uint64_t) 65536)

/* Bodies whose hashes are made ahead: 32 bytes of memory each, and as much
 * more for their checksums. */
#define SOURCE_HASHES_MAX ((uint64_t) 1 << 20)

/* Shared by all lanes; not changed once the run is under way. */
struct source {
    uint64_t size; /* bytes of the largest body, and of each that is not
                      generated */
    bool sign; /* payload hashes are wanted */
    const unsigned char *bytes; /* the file's; NULL: generated */
    enum checksum_kind sum; /* that is wanted, too */
    char hash[PAYLOAD_HASH_SIZE]; /* of `bytes` */
    bool mapped; /* bytes is a mapping */
    bool owned; /* bytes is allocated, also when there are none */
    struct hasher_cut cut; /* whole objects, or parts of them */
    unsigned char *hashes, *sums; /* those of each body of the first `hashed`
                                     names, of 32 bytes and as texts; or
                                     NULL */
    uint64_t hashed;
    struct hasher *hasher; /* makes them during the run; NULL: none does */
};

/* Generated bodies of at most SIZE bytes. */
void source_init(struct source *s, uint64_t size, bool sign);

/* Bodies that all are the content of PATH ("-": standard input, read to its
 * end). Returns 0 or an errno value. */
int source_init_file(struct source *s, const char *path, bool sign);

void source_clear(struct source *s);

/* Checksums of KIND are wanted, too. Before source_cut(). */
void source_want_sums(struct source *s, enum checksum_kind kind);

/* Objects go in parts, as RULE says. Before source_hash_ahead(). */
void source_cut(struct source *s, const struct parts_rule *rule);

/*
 * Compute what is wanted of all the workload's different bodies, if anything
 * is; objects that are all alike need those of one. Of more than
 * SOURCE_HASHES_MAX a thread makes them ahead of the run; operations wait for
 * those that it has not got to yet. Gives up early, with 0, when *STOP is set.
 * Returns: 0, an errno value, or EIO of OpenSSL.
 */
int source_hash_ahead(struct source *s, const struct workload *w,
                      const struct payload_style *style, uint64_t seed,
                      const atomic_int *stop);

/* A lane's body. */
struct source_body {
    struct payload *payload; /* the thread's generator, not owned */
    uint64_t object;
    uint64_t offset; /* of the body in its object */
    uint64_t size; /* bytes */
    unsigned char *small; /* owned; room for a small generated body */
    struct digester digester; /* for those that come late */
    struct digests digests;
    bool waits; /* for them */
    uint64_t late_hashes; /* that it had to wait for */
};

/* Returns: 0 or ENOMEM. */
int source_body_init(struct source_body *b, const struct source *s,
                     struct payload *payload);
void source_body_clear(struct source_body *b);

/* The run is over: no more hashes are made ahead. Safe twice. */
void source_hash_end(struct source *s);

/* Make B the body of ITEM of W, whose name's text is NAME. Returns false
 * when its hash is still to come: try again. */
bool source_prepare(struct source_body *b, const struct source *s,
                    const struct workload *w, const struct workload_item *item,
                    const struct buf *name);

/* Make B part PIECE, from 0, of that body, cut as PARTS says. A hash that is
 * still to come is made now. */
void source_prepare_part(struct source_body *b, const struct source *s,
                         const struct workload *w,
                         const struct workload_item *item,
                         const struct buf *name, const struct parts *parts,
                         uint32_t piece);

/* The body in memory, or NULL when source_read() must give it. */
const void *source_bytes(const struct source_body *b, const struct source *s);

/* An exchange_read_fn over a source_body. */
void source_read(void *body, void *out, size_t n, uint64_t offset);

#endif
