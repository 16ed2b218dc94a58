/* SPDX-License-Identifier: MIT */
/*
 * The command line of s3op: one table gives parsing, defaults and --help.
 */
#ifndef S3PERF_OPTIONS_H
#define S3PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "endpoint.h"
#include "mix.h"
#include "offsets.h"
#include "pace.h"
#include "sizes.h"

#define OPTIONS_LIST_MAX 32 /* of each option that may be repeated */
#define OPTIONS_BATCH_MAX 1000 /* keys that S3 deletes with a request */
#define OPTIONS_LANES_MAX 65536
#define OPTIONS_RETRIES_MAX 100
#define OPTIONS_THREADS_MAX 1024
#define OPTIONS_WORKERS_MAX 256
#define OPTIONS_UNSET UINT64_MAX

enum verb {
    VERB_MB,
    VERB_RB,
    VERB_PUT,
    VERB_GET,
    VERB_HEAD,
    VERB_RM,
    VERB_LS,
    VERB_SIGN,
    VERB_WHOAMI,
    VERB_PRESIGN,
    VERB_PROBE,
    VERB_CREATE_UPLOAD,
    VERB_CP,
    VERB_MIXED,
    VERB_RUN,
    VERB_RELEASE,
    VERB_COUNT
};

struct options_list {
    const char *items[OPTIONS_LIST_MAX];
    size_t count;
};

/* Texts are argv's. */
struct options {
    enum verb verb;
    char **targets;
    size_t target_count;

    uint64_t count; /* OPTIONS_UNSET: one plain operation */
    uint64_t concurrency; /* OPTIONS_UNSET: 1 */
    int64_t duration_ns; /* 0: no deadline */
    double rate_per_s; /* 0: closed loop */
    const char *mix_text;
    struct mix mix; /* mixed: what it says */
    enum pace_arrivals arrivals;
    bool arrivals_set;
    int64_t warmup_ns, ramp_ns, think_ns;
    uint64_t objects; /* OPTIONS_UNSET: not given */
    uint64_t threads; /* OPTIONS_UNSET: as many as there are cores */
    uint64_t workers; /* OPTIONS_UNSET: this process alone */
    const char *share, *start_at, *part_file; /* NULL: this is no worker */
    const char *endpoint_file; /* what a worker is told of its endpoints */
    char **argv; /* the command line, options first */
    int argc;
    const char *connection; /* "reuse", "new", "new-tls" */
    uint64_t size; /* the largest; OPTIONS_UNSET: not given */
    struct sizes sizes; /* if size_text was given */
    const char *size_text;
    uint64_t prefixes; /* 0: not given */
    const char *key_entropy, *pick, *keys_file; /* NULL: not given */
    bool keys_null;
    uint64_t seed;
    const char *file, *output, *payload;
    uint64_t compressible; /* percent */
    bool verify;
    uint64_t batch; /* keys in one request; 0: not given */
    const char *range, *offset; /* range NULL: all of the object */
    struct offsets offsets; /* ... as both say */
    uint64_t append_offset; /* what --offset says of --append */
    const char *version_id, *version_ids;
    bool versions;
    const char *prefix, *delimiter;
    uint64_t max_keys, list_type, pages; /* 0: the server's, all */
    const char *encoding_type;
    const char *source_version;
    const char *location;
    const char *content_type, *tags, *storage_class; /* of objects; NULL: */
    const char *sse, *if_match, *retention;
    bool if_none_match, legal_hold, bypass_governance, append;
    bool object_lock, versioned; /* of a new bucket */
    struct options_list metadata; /* K=V */
    uint64_t metadata_size; /* 0: no random metadata */
    const char *upload_id;
    uint64_t part_number; /* 0: not given */

    struct options_list endpoints; /* as endpoints_add() takes them */
    const char *endpoint_select;
    bool resolve_all;
    const char *region, *profile, *s3cfg;
    enum addressing addressing;
    bool addressing_set;
    const char *payload_hash, *signature, *chunked, *checksum;
    struct options_list headers;
    const char *cacert;
    bool insecure, fix_clock, expect_100, trace_signing;
    int64_t connect_timeout_ns, timeout_ns;
    uint64_t retries;
    const char *tls_version, *ciphers, *session_reuse, *proxy; /* NULL: */
    const char *cert, *key, *interface;
    struct options_list resolves; /* HOST:PORT:ADDR */

    const char *stop_when; /* NULL: the deadline alone */
    int64_t min_duration_ns;
    bool autoterm, detect_warmup;
    int64_t interval_ns;
    double line_rate; /* bits per second; 0: not given */
    const char *progress; /* NULL: a line on a terminal */
    const char *log, *cell, *hist, *phase, *ceiling;
    bool json, columns, verbose, quiet;

    const char *method, *at, *service; /* sign and presign */
    uint64_t query_auth; /* seconds; OPTIONS_UNSET: sign the header */
    int64_t expires_ns;
    struct options_list queries;
    bool no_content_sha256;

    struct options_list sets; /* run: NAME=VALUE */
    bool check;
};

const char *options_verb_name(enum verb verb);

/* Whether O's verb is about one endpoint only: it sends nothing, or has a
 * look around. */
bool options_are_for_one(const struct options *o);

/* Returns: false, *OUT untouched, when no verb is called NAME. */
bool options_verb_find(enum verb *out, const char *name);

/* How a long option is given: alone, with a value, or as one likes. */
enum options_form { OPTIONS_NONE, OPTIONS_FLAG, OPTIONS_VALUE, OPTIONS_EITHER };

/* What --NAME is; OPTIONS_NONE when there is none of that name. */
enum options_form options_form(const char *name);

/* Whether O makes objects that are encrypted with a customer's key, so that
 * one is needed. */
bool options_need_key(const struct options *o);

/* Does VERB take --NAME? */
bool options_goes_with(const char *name, enum verb verb);

/* Does O, of the verb run, say --NAME itself? Then it beats the job file. */
bool options_beats(const struct options *o, const char *name);

/*
 * Add what O, of the verb run, says for all stages, and a stage of VERB
 * takes, as words of a command line: "--NAME=VALUE" NUL ...
 * Returns: 0, or a buffer's errno value.
 */
int options_hand_on(const struct options *o, enum verb verb, struct buf *words);

/*
 * Read the command line. Prints --help and --version and exits with 0; on
 * bad usage prints one line on standard error and exits with 2.
 */
void options_parse(struct options *o, int argc, char **argv);

/* The same of a command line that was made from FILE, whose refusals name
 * FILE and a line: LINES[I] is that of argv[I], LINES[0] that of the whole. */
void options_parse_file(struct options *o, int argc, char **argv,
                        const char *file, const unsigned *lines);

/* Print "s3op: " and the message on standard error, and exit with 2. */
void options_refuse(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* Refuse with WHY if the options are WRONG. */
void options_refuse_if(bool wrong, const char *why);

/* A target: "s3://", "s3://bucket", "s3://bucket/key". */
struct target {
    char bucket[256]; /* "" for the service */
    const char *key; /* into the argument; "" when there is none */
};

/* Returns: NULL, or a static text that says what is wrong. */
const char *target_parse(struct target *out, const char *text);

#endif
