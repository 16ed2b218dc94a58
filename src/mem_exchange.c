/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#include "clock.h"
#include "units.h"
#include "version.h"

/* Refused bodies up to this length are read, so that the connection can be
 * used again; longer ones are answered at once and the connection ends. */
#define DRAIN_MAX (INT64_C(64) << 20)
#define COPY_BLOCK ((size_t) 64 << 10)
/* How far ahead of its moment a sleeper is woken, at most. */
#define LEAD_MAX_NS (150 * CLOCK_NS_PER_US)
#define LEAD_STEP_NS (2 * CLOCK_NS_PER_US)

/* One request and its answer. */
struct exchange {
    struct mem_exchanges *env;
    struct MHD_Connection *connection;
    enum { NEW, BODY, DELAYED, ANSWERED } state;
    bool waited; /* for the last byte */
    int64_t due_ns; /* when the sleep is over */
    char request_id[17];
    struct mem_log_entry entry; /* when there is a log */
    int64_t begin_ns; /* the same */
    struct mem_op op;
};

/* What a thread keeps from one request to the next. */
struct local {
    struct mem_signer *signer;
    struct exchange *spare; /* an exchange that is over, with its buffers */
};

static void
free_exchange(struct exchange *x)
{
    if (x != NULL)
        mem_op_clear(&x->op);
    free(x);
}

static void
free_local(void *ctx)
{
    struct local *local = ctx;

    free_exchange(local->spare);
    mem_signer_free(local->signer);
    free(local);
}

/* This thread's, or NULL without memory. */
static struct local *
get_local(const struct mem_exchanges *s)
{
    struct local *local = pthread_getspecific(s->local);

    if (local != NULL)
        return local;
    local = calloc(1, sizeof(*local));
    if (local != NULL && mem_signer_new(&local->signer) == 0 &&
        pthread_setspecific(s->local, local) == 0)
        return local;
    if (local != NULL)
        free_local(local);
    return NULL;
}

/* One that has no request yet. */
static struct exchange *
new_exchange(struct mem_exchanges *s)
{
    struct local *local = get_local(s);
    struct exchange *x;

    if (local != NULL && local->spare != NULL) {
        x = local->spare;
        local->spare = NULL;
        return x;
    }
    x = malloc(sizeof(*x));
    if (x != NULL)
        mem_op_init(&x->op, s->service);
    return x;
}

static void
wake(void *connection)
{
    MHD_resume_connection(connection);
}

/*
 * Put X's connection to sleep until DUE_NS. It is woken a little ahead,
 * since two threads have to get going first.
 */
static void
sleep_until(struct exchange *x, int64_t due_ns)
{
    struct MHD_Connection *connection = x->connection;
    struct mem_exchanges *s = x->env;

    x->due_ns = due_ns;
    MHD_suspend_connection(connection);
    if (!mem_delay_add(s->delay, connection, due_ns - atomic_load(&s->lead_ns)))
        MHD_resume_connection(connection);
}

/*
 * Back from a sleep: never before its end. The lead settles where about
 * one sleeper in ten comes back too early and has to wait here, some
 * microseconds.
 */
static void
end_sleep(struct exchange *x)
{
    atomic_int_fast64_t *lead = &x->env->lead_ns;
    int64_t lead_ns = atomic_load(lead), now_ns = clock_now_ns();

    if (now_ns >= x->due_ns) {
        if (lead_ns < LEAD_MAX_NS)
            atomic_store(lead, lead_ns + LEAD_STEP_NS);
        return;
    }
    /* Long before: the server is stopping. */
    if (x->due_ns - now_ns > LEAD_MAX_NS)
        return;
    atomic_store(lead,
                 lead_ns > 10 * LEAD_STEP_NS ? lead_ns - 10 * LEAD_STEP_NS : 0);
    while (clock_now_ns() < x->due_ns)
        ;
}

/* The bytes of X's answer from POS on; of pool bytes only a piece. */
static const char *
answer_bytes(const struct exchange *x, uint64_t pos)
{
    const struct mem_answer *a = &x->op.answer;

    if (a->object == NULL)
        return a->xml.out.data + pos;
    if (x->env->pool != NULL)
        return mem_pool_at(x->env->pool, a->offset + pos);
    return a->object->bytes + a->offset + pos;
}

static uint64_t
answer_length(const struct mem_answer *a)
{
    return a->object != NULL ? a->length : a->xml.out.len;
}

/* libmicrohttpd wants up to MAX bytes of the answer from POS on. */
static ssize_t
read_answer(void *ctx, uint64_t pos, char *out, size_t max)
{
    struct exchange *x = ctx;
    uint64_t left = answer_length(&x->op.answer) - pos;
    int64_t delay_ns = x->env->delay_last_ns;

    if (left == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (delay_ns > 0 && left == 1) {
        if (!x->waited) {
            x->waited = true;
            sleep_until(x, clock_now_ns() + delay_ns);
            return 0;
        }
        end_sleep(x);
    }
    if (delay_ns > 0 && left > 1)
        left--; /* the last byte comes alone */
    if (max > left)
        max = (size_t) left;
    if (max > COPY_BLOCK)
        max = COPY_BLOCK;
    memcpy(out, answer_bytes(x, pos), max);
    return (ssize_t) max;
}

static struct MHD_Response *
make_response(struct exchange *x)
{
    const struct mem_answer *a = &x->op.answer;
    uint64_t length = answer_length(a);
    size_t block = length < COPY_BLOCK ? (size_t) length : COPY_BLOCK;
    bool delayed = x->env->delay_last_ns > 0 && length > 0;
    bool large = a->object != NULL && x->env->pool != NULL &&
                 length > MEM_POOL_PIECE_MAX;

    if (delayed || large)
        return MHD_create_response_from_callback(length, block, read_answer, x,
                                                 NULL);
    /* No copy: the exchange lives until the answer has been sent. */
    return MHD_create_response_from_buffer(
        (size_t) length, length > 0 ? (void *) answer_bytes(x, 0) : NULL,
        MHD_RESPMEM_PERSISTENT);
}

static bool
add_headers(struct MHD_Response *response, const struct exchange *x, bool last)
{
    const struct mem_answer *a = &x->op.answer;
    const char *at = a->headers.data;
    bool good = MHD_add_response_header(response, "Server",
                                        "s3mem/" S3PERF_VERSION) == MHD_YES &&
                MHD_add_response_header(response, "x-amz-request-id",
                                        x->request_id) == MHD_YES;

    if (last)
        good = good && MHD_add_response_header(response, "Connection",
                                               "close") == MHD_YES;
    if (a->xml.out.len > 0)
        good = good && MHD_add_response_header(response, "Content-Type",
                                               "application/xml") == MHD_YES;
    while (good && at < a->headers.data + a->headers.len) {
        const char *value = at + strlen(at) + 1;

        good = MHD_add_response_header(response, at, value) == MHD_YES;
        at = value + strlen(value) + 1;
    }
    return good;
}

/* Hand the answer over; LAST ends the connection after it. */
static enum MHD_Result
send_answer(struct exchange *x, bool last)
{
    struct MHD_Response *response = make_response(x);
    enum MHD_Result result = MHD_NO;

    x->state = ANSWERED;
    if (x->env->log != NULL)
        x->entry.first_ns = clock_now_ns() - x->begin_ns;
    if (response == NULL)
        return MHD_NO;
    if (add_headers(response, x, last))
        result = MHD_queue_response(x->connection,
                                    (unsigned) x->op.answer.status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result
take_header(void *ctx, enum MHD_ValueKind kind, const char *name,
            const char *value)
{
    struct exchange *x = ctx;

    (void) kind;
    mem_request_header(&x->op.request, name, value != NULL ? value : "");
    return MHD_YES;
}

/* All headers are there. */
static enum MHD_Result
start(struct exchange *x, const char *method)
{
    struct mem_op *op = &x->op;
    struct local *local = get_local(x->env);
    const char *length, *expect;
    uint64_t n;

    if (local == NULL)
        return MHD_NO;
    op->request.method = method;
    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, take_header, x);
    op->chunked = mem_request_find(&op->request, "transfer-encoding") != NULL;
    length = mem_request_find(&op->request, "content-length");
    if (!op->chunked && length != NULL && units_parse_count(&n, length))
        op->length = n <= INT64_MAX ? (int64_t) n : INT64_MAX;
    mem_op_begin(op, local->signer, clock_wall());
    x->state = BODY;
    expect = mem_request_find(&op->request, "expect");
    if (op->answer.code != MEM_OK &&
        (expect != NULL || op->chunked || op->length > DRAIN_MAX)) {
        mem_op_end(op, x->request_id);
        return send_answer(x, true);
    }
    return MHD_YES;
}

/* The whole request is there. */
static enum MHD_Result
complete(struct exchange *x)
{
    int64_t delay_ns = x->env->delay_first_ns;
    int64_t now_ns = delay_ns > 0 ? clock_now_ns() : 0;

    mem_op_end(&x->op, x->request_id);
    if (delay_ns == 0)
        return send_answer(x, false);
    x->state = DELAYED;
    sleep_until(x, now_ns + delay_ns);
    return MHD_YES;
}

enum MHD_Result
mem_exchange_request(void *cls, struct MHD_Connection *connection,
                     const char *url, const char *method, const char *version,
                     const char *body, size_t *body_len, void **ctx)
{
    struct exchange *x = *ctx;

    (void) cls;
    (void) connection;
    (void) url;
    (void) version;
    if (x == NULL)
        return MHD_NO;
    switch (x->state) {
    case NEW:
        return start(x, method);
    case BODY:
        if (*body_len == 0)
            return complete(x);
        x->entry.bytes_in += *body_len;
        mem_op_body(&x->op, body, *body_len);
        *body_len = 0;
        return MHD_YES;
    case DELAYED:
        end_sleep(x);
        return send_answer(x, false);
    default:
        x->entry.bytes_in += *body_len;
        /* The rest of a body whose answer is already on its way. */
        *body_len = 0;
        return MHD_YES;
    }
}

static void
make_request_id(char out[17], struct mem_exchanges *s)
{
    static const char digits[] = "0123456789ABCDEF";
    /* Not in sequence to the eye, but never twice: odd factor mod 2^64. */
    uint64_t id = atomic_fetch_add(&s->next_id, 1) * 0x9e3779b97f4a7c15;

    for (int i = 0; i < 16; i++, id >>= 4)
        out[i] = digits[id & 15];
    out[16] = '\0';
}

static void
begin_entry(struct exchange *x)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        x->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    x->begin_ns = clock_now_ns();
    x->entry = (struct mem_log_entry){
        .begin_wall_us = clock_wall_us(),
        .first_ns = -1,
        .connection = info != NULL ? (uintptr_t) info->socket_context : 0,
        .request_id = x->request_id};
}

/* The request is over: tell the log. */
static void
end_entry(struct exchange *x, enum MHD_RequestTerminationCode how)
{
    struct mem_log_entry *e = &x->entry;
    bool complete = how == MHD_REQUEST_TERMINATED_COMPLETED_OK;

    e->total_ns = clock_now_ns() - x->begin_ns;
    e->ended = complete                                        ? "sent"
               : how == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? "timeout"
               : how == MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN ? "shutdown"
                                                               : "closed";
    if (complete && strcmp(x->op.request.method, "HEAD") != 0 &&
        x->op.answer.status != 304)
        e->bytes_out = answer_length(&x->op.answer);
    mem_log_write(x->env->log, e, &x->op);
}

/* A request line has come: TARGET is still raw here. */
void *
mem_exchange_target(void *cls, const char *target,
                    struct MHD_Connection *connection)
{
    struct mem_exchanges *s = cls;
    struct exchange *x = new_exchange(s);
    const char *query;

    if (x == NULL)
        return NULL;
    x->env = s;
    x->connection = connection;
    x->state = NEW;
    x->waited = false;
    make_request_id(x->request_id, s);
    x->entry.bytes_in = 0;
    if (s->log != NULL)
        begin_entry(x);
    /* One that does not fit stays empty, and is refused as such. */
    (void) mem_request_target(&x->op.request, target);
    /*
     * The library would now take the query apart into its own memory, for
     * nothing, and it hangs and leaks when that memory ends: so the query
     * ends here. The text is the library's read buffer, not a constant.
     */
    query = strchr(target, '?');
    if (query != NULL && query[1] != '\0')
        ((char *) query)[1] = '\0';
    return x;
}

void
mem_exchange_completed(void *cls, struct MHD_Connection *connection, void **ctx,
                       enum MHD_RequestTerminationCode how)
{
    struct exchange *x = *ctx;
    struct local *local;

    (void) cls;
    (void) connection;
    if (x == NULL)
        return;
    if (x->env->log != NULL)
        end_entry(x, how);
    local = get_local(x->env);
    if (local != NULL && local->spare == NULL) {
        mem_op_reset(&x->op);
        local->spare = x;
    } else {
        free_exchange(x);
    }
    *ctx = NULL;
}

int
mem_exchanges_init(struct mem_exchanges *s, size_t connections)
{
    uint64_t seed = 0;
    int err = pthread_key_create(&s->local, free_local);

    s->has_local = err == 0;
    if (err == 0)
        err = RAND_bytes((unsigned char *) &seed, sizeof(seed)) == 1 ? 0 : EIO;
    atomic_init(&s->next_id, seed);
    atomic_init(&s->lead_ns, 0);
    if (err == 0 && (s->delay_first_ns > 0 || s->delay_last_ns > 0))
        err = mem_delay_new(&s->delay, connections, wake);
    return err;
}

void
mem_exchanges_clear(struct mem_exchanges *s)
{
    mem_delay_free(s->delay);
    s->delay = NULL;
    if (s->has_local) {
        /* Stopping a daemon may have ended exchanges on this thread. */
        struct local *local = pthread_getspecific(s->local);

        if (local != NULL)
            free_local(local);
        pthread_key_delete(s->local);
    }
    s->has_local = false;
}
