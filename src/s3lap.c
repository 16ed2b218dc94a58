/* SPDX-License-Identifier: MIT */
/* s3lap: what s3perf needs to time other S3 clients. Not for people. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "complain.h"
#include "credentials.h"
#include "lap.h"
#include "payload.h"
#include "units.h"
#include "version.h"

#define TEXT_MAX_BYTES ((size_t) 1 << 20)
#define PIECE ((size_t) 1 << 20) /* bytes generated at a time */
#define PATH_SIZE 4096

static const char help[] =
    "Usage: s3lap run [--to FILE] [--env FILE] [--timeout TIME]\n"
    "                 [--out FILE] [--result FILE --size N] -- COMMAND...\n"
    "  or:  s3lap tally --laps FILE --cell FILE --phase NAME ...\n"
    "  or:  s3lap files --dir DIR --name TEXT --count N --size N --seed N\n"
    "  or:  s3lap keys --to FILE [--profile NAME]\n"
    "Part of s3perf, for its --client: runs a command and adds a line with\n"
    "its times to FILE; adds such lines up; makes the files to upload; and\n"
    "writes the keys, as s3op finds them, to a new file that only its owner\n"
    "can read.\n"
    "\n"
    "  -h, --help     print this and exit\n"
    "  -V, --version  print the version and exit\n"
    "\n"
    "Exit status: 0 fine; 1 the command failed; 2 usage; 3 no keys; 4 a file\n"
    "cannot be read or written.\n";

/* Every option of every verb; not given ones are NULL. */
struct options {
    const char *to, *env, *timeout, *out, *result, *size; /* run */
    const char *laps, *cell, *phase, *op, *program, *version, *command,
        *endpoint, *region, *addressing, *bucket, *key, *count, *concurrency,
        *started; /* tally */
    const char *dir, *name, *seed; /* files */
    const char *profile; /* keys */
    char **rest; /* what follows the options, ends in NULL */
};

static const struct {
    const char *name;
    size_t at;
} rows[] = {
#define ROW(name)                                                              \
    {                                                                          \
#name, offsetof(struct options, name)                                  \
    }
    ROW(to),         ROW(env),      ROW(timeout), ROW(out),
    ROW(result),     ROW(size),     ROW(laps),    ROW(cell),
    ROW(phase),      ROW(op),       ROW(program), ROW(version),
    ROW(command),    ROW(endpoint), ROW(region),  ROW(count),
    ROW(addressing), ROW(bucket),   ROW(key),     ROW(concurrency),
    ROW(started),    ROW(dir),      ROW(name),    ROW(seed),
    ROW(profile),
#undef ROW
};
#define ROWS (sizeof rows / sizeof *rows)

/* Returns -1, or the exit status. */
static int
parse(struct options *o, int argc, char **argv)
{
    struct option names[ROWS + 1] = {0};
    int c;

    for (size_t i = 0; i < ROWS; i++)
        names[i] = (struct option){rows[i].name, required_argument, NULL,
                                   256 + (int) i};
    while ((c = getopt_long(argc, argv, "+", names, NULL)) != -1) {
        if (c < 256)
            return 2; /* getopt has said it */
        *(const char **) ((char *) o + rows[c - 256].at) = optarg;
    }
    o->rest = argv + optind;
    return -1;
}

static int
need_number(uint64_t *out, const char *name, const char *text)
{
    if (text == NULL || !units_parse_count(out, text))
        return complain(2, "bad or no --%s", name);
    return 0;
}

/* --- run --- */

static int
read_environment(const char *path)
{
    FILE *file = fopen(path, "re");
    int err;

    if (file == NULL)
        return complain(4, "cannot read '%s': %s", path, strerror(errno));
    err = lap_read_environment(file);
    fclose(file);
    return err == 0 ? 0
                    : complain(4, "cannot use '%s': %s", path, strerror(err));
}

static int
append_lap(const char *path, const struct lap *lap)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    struct buf line;
    int err = fd < 0 ? errno : 0;

    buf_init(&line, LAP_LINE_MAX);
    if (err == 0)
        err = lap_add_line(&line, lap);
    errno = 0;
    /* One write, since many of us share the file. */
    if (err == 0 && write(fd, line.data, line.len) != (ssize_t) line.len)
        err = errno != 0 ? errno : ENOSPC;
    if (fd >= 0 && close(fd) != 0 && err == 0)
        err = errno;
    buf_clear(&line);
    return err == 0 ? 0
                    : complain(4, "cannot write '%s': %s", path, strerror(err));
}

/* End when GNU parallel does. False: it has ended already. */
static bool
follow_parent(void)
{
    const char *pid = getenv("PARALLEL_PID");
    uint64_t expected;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return pid == NULL || !units_parse_count(&expected, pid) ||
           expected == (uint64_t) getppid();
}

static int
run(const struct options *o)
{
    struct lap_order order = {
        .argv = o->rest, .output = o->out, .result = o->result};
    struct lap lap;
    int status = 0, err;

    if (!follow_parent())
        return complain(1, "GNU parallel has ended");
    if (o->rest[0] == NULL)
        return complain(2, "no command");
    if (o->timeout != NULL &&
        !units_parse_duration(&order.timeout_ns, o->timeout))
        return complain(2, "bad timeout '%s'", o->timeout);
    if (o->result != NULL)
        status = need_number(&order.result_size, "size", o->size);
    if (status == 0 && o->env != NULL)
        status = read_environment(o->env);
    if (status != 0)
        return status;
    err = lap_run(&lap, &order);
    if (err != 0)
        return complain(4, "cannot run '%s': %s", o->rest[0], strerror(err));
    if (o->to != NULL)
        status = append_lap(o->to, &lap);
    return status != 0 ? status : lap_status(&lap);
}

/* --- tally --- */

static const char *
or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static int
fill_asked(struct report_asked *a, const struct options *o)
{
    uint64_t concurrency = 1;
    int status = need_number(&a->size, "size", o->size);

    if (status == 0)
        status = need_number(&a->count, "count", o->count);
    if (status == 0)
        status = need_number(&concurrency, "concurrency", o->concurrency);
    if (status == 0)
        status = need_number(&a->seed, "seed", o->seed);
    if (status == 0 && (o->laps == NULL || o->cell == NULL))
        return complain(2, "tally needs --laps and --cell");
    a->concurrency = (uint32_t) concurrency;
    a->threads = 1;
    a->program = or_empty(o->program);
    a->version = or_empty(o->version);
    a->command = or_empty(o->command);
    a->op = or_empty(o->op);
    a->phase = or_empty(o->phase);
    a->bucket = or_empty(o->bucket);
    a->key = or_empty(o->key);
    a->endpoint = or_empty(o->endpoint);
    a->region = or_empty(o->region);
    a->addressing = or_empty(o->addressing);
    a->payload_hash = "-"; /* the client's own affair */
    a->connection = "new";
    snprintf(a->started, sizeof a->started, "%s", or_empty(o->started));
    return status;
}

/* Add the cell line to PATH, after a header in a new file. */
static int
write_cell(const char *path, const struct report *r)
{
    FILE *file = fopen(path, "ae");
    struct stat s = {0};
    struct buf text;
    int err = 0;

    if (file == NULL)
        return complain(4, "cannot write '%s': %s", path, strerror(errno));
    if (fstat(fileno(file), &s) != 0)
        err = errno;
    buf_init(&text, TEXT_MAX_BYTES);
    if (err == 0 && s.st_size == 0)
        err = report_add_header(&text, &r->asked, REPORT_CELLS_FORMAT,
                                report_cell_columns);
    if (err == 0)
        err = report_add_cell(&text, r);
    if (err == 0 && fwrite(text.data, 1, text.len, file) != text.len)
        err = EIO;
    if (fclose(file) != 0 && err == 0)
        err = errno;
    buf_clear(&text);
    return err == 0 ? 0
                    : complain(4, "cannot write '%s': %s", path, strerror(err));
}

static int
print_summary(const struct report *r)
{
    struct buf text;
    int err;

    buf_init(&text, TEXT_MAX_BYTES);
    err = report_add_json(&text, r);
    if (err == 0 && (fwrite(text.data, 1, text.len, stdout) != text.len ||
                     fflush(stdout) != 0))
        err = EIO;
    buf_clear(&text);
    return err == 0
               ? 0
               : complain(4, "cannot write the summary: %s", strerror(err));
}

/* A line for each kind of failure, in the name of s3perf. */
static void
explain_failures(const struct report *r)
{
    uint32_t order[REPORT_FAILURES_MAX];

    report_order_failures(order, r);
    for (uint32_t i = 0; i < r->failure_count; i++) {
        const struct report_failure *f = &r->failures[order[i]];

        fprintf(stderr, "s3perf: %s in %s: %s", r->asked.program,
                r->asked.phase, f->transport != NULL ? f->transport : f->code);
        if (f->message[0] != '\0')
            fprintf(stderr, ": %s", f->message);
        if (f->count > 1)
            fprintf(stderr, " [%" PRIu64 " times]", f->count);
        fputc('\n', stderr);
    }
}

static int
tally(const struct options *o)
{
    struct report_asked asked = {0};
    struct report report = {0};
    bool moves;
    FILE *file;
    int status = fill_asked(&asked, o), err;

    if (status != 0)
        return status;
    if (report_init(&report, &asked) != 0)
        return complain(4, "no memory");
    moves = strcmp(asked.op, "put") == 0 || strcmp(asked.op, "get") == 0;
    /* Without any lap there is no file. */
    file = fopen(o->laps, "re");
    err = file != NULL      ? lap_tally(&report, file, moves)
          : errno == ENOENT ? 0
                            : errno;
    if (file != NULL)
        fclose(file);
    if (err != 0)
        status = complain(4, "cannot read '%s': %s", o->laps, strerror(err));
    if (status == 0)
        status = write_cell(o->cell, &report);
    if (status == 0)
        status = print_summary(&report);
    explain_failures(&report);
    if (status == 0 && report.errors + report.unfinished > 0)
        status = 1;
    report_clear(&report);
    return status;
}

/* --- files --- */

/* Returns 0 or an errno value. */
static int
make_file(const char *path, struct payload *payload, uint64_t object,
          uint64_t size, void *piece)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int err = fd < 0 ? errno : 0;

    for (uint64_t at = 0; err == 0 && at < size;) {
        size_t n = size - at < PIECE ? (size_t) (size - at) : PIECE;
        ssize_t done;

        payload_fill(payload, object, at, piece, n);
        done = write(fd, piece, n);
        if (done >= 0)
            at += (uint64_t) done;
        else if (errno != EINTR)
            err = errno;
    }
    if (fd >= 0 && close(fd) != 0 && err == 0)
        err = errno;
    return err;
}

/* The same content as s3op would upload under that name. */
static int
files(const struct options *o)
{
    static const struct payload_style style;
    uint64_t count = 0, size = 0, seed = 0;
    struct payload *payload = NULL;
    void *piece = malloc(PIECE);
    char path[PATH_SIZE] = "", name[256];
    int status = need_number(&count, "count", o->count), err = 0;

    if (status == 0)
        status = need_number(&size, "size", o->size);
    if (status == 0)
        status = need_number(&seed, "seed", o->seed);
    if (status == 0 && (o->dir == NULL || o->name == NULL))
        status = complain(2, "files needs --dir and --name");
    if (status == 0)
        err = piece != NULL ? payload_new(&payload, &style, seed) : ENOMEM;
    for (uint64_t i = 1; status == 0 && err == 0 && i <= count; i++) {
        int n = snprintf(name, sizeof name, "%s%" PRIu64, o->name, i);

        snprintf(path, sizeof path, "%s/%s", o->dir, name);
        err = make_file(path, payload, payload_object(name, (size_t) n), size,
                        piece);
    }
    if (err != 0)
        status = complain(4, "cannot write '%s': %s", path, strerror(err));
    if (payload != NULL)
        payload_free(payload);
    free(piece);
    return status;
}

/* --- keys --- */

static int
write_keys(const char *path, const struct credentials *creds)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int err = fd < 0 ? errno : 0;
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    if (err == 0)
        err = buf_reserve(&text, 65536); /* it must not move: it is secret */
    if (err == 0)
        err =
            buf_addf(&text, "AWS_ACCESS_KEY_ID=%s\nAWS_SECRET_ACCESS_KEY=%s\n",
                     creds->access_key, creds->secret_key);
    if (err == 0 && creds->session_token != NULL)
        err = buf_addf(&text, "AWS_SESSION_TOKEN=%s\n", creds->session_token);
    errno = 0;
    if (err == 0 && write(fd, text.data, text.len) != (ssize_t) text.len)
        err = errno != 0 ? errno : ENOSPC;
    if (fd >= 0 && close(fd) != 0 && err == 0)
        err = errno;
    buf_wipe(&text);
    return err == 0 ? 0
                    : complain(4, "cannot write '%s': %s", path, strerror(err));
}

static int
keys(const struct options *o)
{
    struct credentials creds;
    int status;

    if (o->to == NULL)
        return complain(2, "keys needs --to");
    credentials_init(&creds);
    if (credentials_load(&creds, o->profile, NULL, NULL) != 0)
        status = complain(3, "%s", creds.error);
    else if (creds.access_key == NULL)
        status = complain(3, "no credentials: set AWS_ACCESS_KEY_ID and "
                             "AWS_SECRET_ACCESS_KEY, or name a --profile");
    else
        status = write_keys(o->to, &creds);
    credentials_clear(&creds);
    return status;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *o);
    } verbs[] = {
        {"run", run}, {"tally", tally}, {"files", files}, {"keys", keys}};
    struct options o = {0};
    const char *verb = argc > 1 ? argv[1] : "--help";
    int status;

    /* Keys are in memory: no core dump may carry them. */
    prctl(PR_SET_DUMPABLE, 0);
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? 4 : 0;
    if (strcmp(verb, "--version") == 0 || strcmp(verb, "-V") == 0)
        return printf("s3lap %s\n", S3PERF_VERSION) < 0 || fflush(stdout) != 0
                   ? 4
                   : 0;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verb, verbs[i].name) != 0)
            continue;
        status = parse(&o, argc - 1, argv + 1);
        return status >= 0 ? status : verbs[i].run(&o);
    }
    return complain(2, "no verb '%s'", verb);
}
