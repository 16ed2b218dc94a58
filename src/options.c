/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "units.h"
#include "version.h"

#define BIT(verb) (1u << (verb))
#define ANY ((1u << VERB_COUNT) - 1)
#define SIGNS (BIT(VERB_SIGN) | BIT(VERB_PRESIGN)) /* and send nothing */
#define LOOKS (BIT(VERB_WHOAMI) | BIT(VERB_PROBE)) /* at itself, around */
#define PROBES (LIVE | BIT(VERB_PROBE))
#define LIVE (ANY & ~SIGNS & ~LOOKS)
#define MANY (LIVE)

static const char *const verb_names[VERB_COUNT] = {
    [VERB_MB] = "mb",         [VERB_RB] = "rb",
    [VERB_PUT] = "put",       [VERB_GET] = "get",
    [VERB_HEAD] = "head",     [VERB_RM] = "rm",
    [VERB_LS] = "ls",         [VERB_SIGN] = "sign",
    [VERB_WHOAMI] = "whoami", [VERB_PRESIGN] = "presign",
    [VERB_PROBE] = "probe",   [VERB_CREATE_UPLOAD] = "create-upload",
    [VERB_CP] = "cp",
};

enum kind {
    TITLE, /* a heading of --help, no option */
    FLAG,
    TEXT,
    LIST,
    COUNT,
    NATURAL, /* a count, but not 0 */
    SIZE,
    DURATION,
    RATE,
    ARRIVALS,
    ADDRESSING,
    HELP,
    VERSION
};

struct option_row {
    enum kind kind;
    char letter; /* 0: none */
    const char *name; /* long name, or the title */
    const char *argument; /* its name in --help, NULL for none */
    size_t offset; /* of the field in struct options */
    unsigned verbs; /* which take it */
    const char *help;
};

#define FIELD(name) offsetof(struct options, name)

static const struct option_row rows[] = {
    {TITLE, 0, "Load", NULL, 0, 0, NULL},
    {NATURAL, 'n', "count", "N", FIELD(count), MANY,
     "do N operations on KEY1, KEY2, ... and print a summary"},
    {COUNT, 'c', "concurrency", "N", FIELD(concurrency), MANY,
     "keep N operations in flight (default 1), without -n or -d do N; with -r:"
     " at most so many (default 256)"},
    {DURATION, 'd', "duration", "TIME", FIELD(duration_ns), MANY,
     "go on for this long; with -n: whichever ends first"},
    {RATE, 'r', "rate", "N[/s|/m]", FIELD(rate_per_s), MANY,
     "start operations at this rate, whether or not others have ended"},
    {ARRIVALS, 0, "arrivals", "HOW", FIELD(arrivals), MANY,
     "with -r: constant, or poisson for independent arrivals (default"
     " constant)"},
    {NATURAL, 0, "objects", "N", FIELD(objects), MANY,
     "go round over KEY1 to KEYN"},
    {DURATION, 0, "warmup", "TIME", FIELD(warmup_ns), MANY,
     "with -d: leave out what comes before; it lasts so much longer"},
    {DURATION, 0, "ramp", "TIME", FIELD(ramp_ns), MANY,
     "start the lanes spread over this time"},
    {DURATION, 0, "think", "TIME", FIELD(think_ns), MANY,
     "let each lane pause for this long after an operation"},
    {COUNT, 0, "threads", "N", FIELD(threads), MANY,
     "event loops (default: one for each core, at most one a lane)"},
    {COUNT, 0, "workers", "N", FIELD(workers), MANY,
     "share all that -n, -c and -r say among N processes, which GNU parallel"
     " starts"},
    {TEXT, 0, "connection", "HOW", FIELD(connection), MANY,
     "reuse connections, or open a new one for each operation: new-tls"
     " resumes no TLS session (default reuse)"},
    {SIZE, 's', "size", "BYTES", FIELD(size), BIT(VERB_PUT) | BIT(VERB_GET),
     "put: generate objects of this size; get: what must arrive"},
    {COUNT, 0, "seed", "N", FIELD(seed), BIT(VERB_PUT) | BIT(VERB_GET),
     "seed of generated content (default 1)"},
    {TEXT, 0, "payload", "KIND", FIELD(payload), BIT(VERB_PUT) | BIT(VERB_GET),
     "generated content is random, zero, text, or this file again and again"
     " (default random)"},
    {COUNT, 0, "compressible", "PCT", FIELD(compressible),
     BIT(VERB_PUT) | BIT(VERB_GET),
     "make random content of which so many percent compress away"},
    {TITLE, 0, "Data", NULL, 0, 0, NULL},
    {TEXT, 0, "file", "PATH", FIELD(file), BIT(VERB_PUT),
     "upload this file, - for standard input"},
    {TEXT, 'o', "output", "PATH", FIELD(output),
     BIT(VERB_PUT) | BIT(VERB_GET) | BIT(VERB_LS) | BIT(VERB_CREATE_UPLOAD),
     "get: keep the object, - for standard output, a folder with -n;"
     " ls: write the names; put -n: keep copies in a folder"},
    {FLAG, 0, "verify", NULL, FIELD(verify), BIT(VERB_GET),
     "compare with the content that put generates"},
    {FLAG, 0, "batch", NULL, FIELD(batch), BIT(VERB_RM),
     "delete up to 1000 keys with each request"},
    {TEXT, 0, "upload-id", "ID", FIELD(upload_id), BIT(VERB_PUT) | BIT(VERB_RM),
     "put: as a part of this upload; rm: end the upload, drop its parts"},
    {NATURAL, 0, "part", "N", FIELD(part_number), BIT(VERB_PUT),
     "the number of the part, from 1"},
    {TEXT, 0, "prefix", "TEXT", FIELD(prefix), BIT(VERB_LS),
     "list only keys that begin so"},
    {TEXT, 0, "delimiter", "TEXT", FIELD(delimiter), BIT(VERB_LS),
     "group keys up to this text, usually /"},
    {NATURAL, 0, "max-keys", "N", FIELD(max_keys), BIT(VERB_LS),
     "ask for pages of N entries (default: the server's)"},
    {COUNT, 0, "list-type", "1|2", FIELD(list_type), BIT(VERB_LS),
     "ask by marker (1) or by token (2, the default)"},
    {TEXT, 0, "encoding-type", "url", FIELD(encoding_type), BIT(VERB_LS),
     "ask for names in a form that XML can carry, and decode them"},
    {TEXT, 0, "location", "NAME", FIELD(location), BIT(VERB_MB),
     "LocationConstraint of the new bucket, or none (default: the region, on"
     " AWS only)"},
    {TEXT, 0, "source-version", "ID", FIELD(source_version), BIT(VERB_CP),
     "copy this version"},
    {TITLE, 0, "Service", NULL, 0, 0, NULL},
    {TEXT, 0, "endpoint", "URL", FIELD(endpoint), ANY,
     "where the service is; aws for AWS's own (default: the environment,"
     " then the profile, then AWS)"},
    {TEXT, 0, "region", "NAME", FIELD(region), ANY, "region to sign for"},
    {TEXT, 0, "profile", "NAME", FIELD(profile), ANY, "profile in AWS's files"},
    {TEXT, 0, "s3cfg", "FILE", FIELD(s3cfg), ANY,
     "use this file of s3cmd's instead of AWS's files"},
    {ADDRESSING, 0, "addressing", "STYLE", FIELD(addressing), ANY,
     "auto, path or virtual"},
    {TEXT, 0, "signature", "VERSION", FIELD(signature), ANY,
     "v4, or v2 for old stores (default v4)"},
    {TEXT, 0, "payload-hash", "HOW", FIELD(payload_hash),
     ANY & ~BIT(VERB_PRESIGN),
     "signed or unsigned (default: signed over http, unsigned over https)"},
    {TEXT, 0, "chunked", "FORM", FIELD(chunked), BIT(VERB_PUT),
     "send the body aws-chunked: signed, signed-trailer or unsigned-trailer"},
    {LIST, 0, "header", "'NAME: VALUE'", FIELD(headers), ANY,
     "send and sign this header too"},
    {TEXT, 0, "cacert", "FILE", FIELD(cacert), LIVE | LOOKS,
     "trust the certificates in this PEM file"},
    {FLAG, 0, "insecure", NULL, FIELD(insecure), LIVE | LOOKS,
     "do not verify the server's certificate"},
    {TEXT, 0, "cert", "FILE", FIELD(cert), PROBES,
     "show the server the client certificate in this PEM file"},
    {TEXT, 0, "key", "FILE", FIELD(key), PROBES,
     "the private key of --cert (default: in the same file)"},
    {LIST, 0, "resolve", "HOST:PORT:ADDR", FIELD(resolves), PROBES,
     "connect to this address instead of looking the name up"},
    {TEXT, 0, "interface", "NAME|ADDR", FIELD(interface), PROBES,
     "connect from this network interface or local address"},
    {DURATION, 0, "connect-timeout", "TIME", FIELD(connect_timeout_ns), PROBES,
     "give up connecting after this (default 10s)"},
    {DURATION, 0, "timeout", "TIME", FIELD(timeout_ns), LIVE,
     "give up an operation after this (default 300s)"},
    {COUNT, 0, "retries", "N", FIELD(retries), LIVE,
     "after a failure that may pass, try again up to N times, after a pause"
     " (default 0)"},
    {FLAG, 0, "fix-clock", NULL, FIELD(fix_clock), LIVE,
     "sign for the server's time when it says that the clock here is wrong"},
    {FLAG, 0, "expect-100", NULL, FIELD(expect_100), BIT(VERB_PUT),
     "send a body when the server says so, or after a second"},
    {TITLE, 0, "Results", NULL, 0, 0, NULL},
    {TEXT, 0, "log", "FILE", FIELD(log), LIVE,
     "write each operation's record here, - for standard output, through zstd"
     " if it ends in .zst; and print a summary"},
    {TEXT, 0, "cell", "FILE", FIELD(cell), LIVE,
     "append the summary as a line of cells.tsv"},
    {TEXT, 0, "phase", "NAME", FIELD(phase), LIVE,
     "what to call this run in the summary (default: the verb)"},
    {TEXT, 0, "hist", "FILE", FIELD(hist), LIVE,
     "write the histograms here, those of all stages"},
    {DURATION, 0, "interval", "TIME", FIELD(interval_ns), LIVE,
     "width of the intervals in the JSON summary (default 1s)"},
    {TEXT, 0, "progress", "HOW", FIELD(progress), LIVE,
     "none, line or json, once a second on standard error (default: line on"
     " a terminal)"},
    {FLAG, 0, "json", NULL, FIELD(json), ANY, "print JSON"},
    {FLAG, 0, "columns", NULL, FIELD(columns), LIVE,
     "print the column names before the records"},
    {FLAG, 'v', "verbose", NULL, FIELD(verbose), LIVE,
     "show requests and answers, without secrets, on standard error"},
    {FLAG, 0, "trace-signing", NULL, FIELD(trace_signing), LIVE,
     "show how each request is signed on standard error"},
    {FLAG, 'q', "quiet", NULL, FIELD(quiet), PROBES,
     "do not explain failures on standard error"},
    {HELP, 'h', "help", NULL, 0, ANY, "print this and exit"},
    {VERSION, 'V', "version", NULL, 0, ANY, "print the version and exit"},
    {TITLE, 0, "Workers (for whoever starts them, as --workers does)", NULL, 0,
     0, NULL},
    {TEXT, 0, "share", "I/N", FIELD(share), MANY,
     "be worker I of N: take its share of the work"},
    {TEXT, 0, "part-file", "FILE", FIELD(part_file), MANY,
     "write what it saw here; records, with --log, to FILE.ops"},
    {TEXT, 0, "start-at", "NS", FIELD(start_at), MANY,
     "begin at this moment of CLOCK_MONOTONIC, - to agree on it over standard"
     " input and output"},
    {TITLE, 0, "Signing (verbs sign and presign)", NULL, 0, 0, NULL},
    {TEXT, 0, "method", "NAME", FIELD(method), SIGNS,
     "HTTP method (default GET)"},
    {TEXT, 0, "at", "TIME", FIELD(at), SIGNS,
     "sign for this moment, as 20130524T000000Z (default: now)"},
    {LIST, 0, "query", "K=V", FIELD(queries), SIGNS,
     "a query parameter, not encoded"},
    {TEXT, 0, "service", "NAME", FIELD(service), BIT(VERB_SIGN),
     "service in the scope (default s3)"},
    {COUNT, 0, "query-auth", "SECONDS", FIELD(query_auth), BIT(VERB_SIGN),
     "sign a URL that is good so long, not a header"},
    {DURATION, 0, "expires", "TIME", FIELD(expires_ns), BIT(VERB_PRESIGN),
     "how long the URL is good, at most 168h (default 1h)"},
    {FLAG, 0, "no-content-sha256", NULL, FIELD(no_content_sha256),
     BIT(VERB_SIGN), "leave x-amz-content-sha256 out"},
};

#define ROWS (sizeof rows / sizeof *rows)

static const char intro[] =
    "Usage: s3op VERB [OPTION]... [TARGET]...\n"
    "Perform one signed S3 operation and print how long each step took; with"
    " -n\n"
    "or -c perform many and print a summary.\n"
    "\n"
    "Verbs:\n"
    "  mb s3://BUCKET        create a bucket\n"
    "  rb s3://BUCKET        delete an empty bucket\n"
    "  put s3://BUCKET/KEY   upload generated bytes (--size) or a file"
    " (--file)\n"
    "  get s3://BUCKET/KEY   download; the bytes are discarded unless -o"
    " keeps them\n"
    "  head s3://BUCKET[/KEY]  ask whether it is there\n"
    "  cp s3://BUCKET/KEY s3://BUCKET/KEY  copy on the server's side\n"
    "  rm s3://BUCKET/KEY... delete one key, or many with one request\n"
    "  ls [s3://BUCKET[/PREFIX]]  list buckets or keys; -o - prints the"
    " names\n"
    "  create-upload s3://BUCKET/KEY  begin an object in parts; -o - prints"
    " its id\n"
    "  sign TARGET           print how a request is signed; sends nothing\n"
    "  presign TARGET        print a URL that works without keys; sends"
    " nothing\n"
    "  whoami                print which endpoint, keys and settings were found"
    " where\n"
    "  probe                 print what is seen on the way to the service: "
    "name,"
    "\n"
    "                        connection, TLS, clock; needs no keys\n";

static const char outro[] =
    "\n"
    "BYTES take the suffixes K M G T (powers of 1000) and Ki Mi Gi Ti (powers"
    " of\n"
    "1024), TIME takes ns us ms s m h. Keys come from AWS_ACCESS_KEY_ID,\n"
    "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or from AWS's or s3cmd's "
    "files;\n"
    "never from options. With sign, --payload-hash also takes a hex SHA-256,\n"
    "file:PATH, or the literal value to sign.\n"
    "\n"
    "Exit status: 0 all is well; 1 operations failed; 2 usage; 3 endpoint or\n"
    "credentials unusable; 4 results could not be written.\n";

const char *
options_verb_name(enum verb verb)
{
    return verb_names[verb];
}

void
options_refuse(const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    exit(complain(2, "%s", line));
}

void
options_refuse_if(bool wrong, const char *why)
{
    if (wrong)
        options_refuse("%s", why);
}

/* Print TEXT from column AT on, broken before column 79. */
static void
print_wrapped(const char *text, int at)
{
    int column = at;

    while (*text != '\0') {
        int word = (int) strcspn(text, " ");

        if (column > at && column + 1 + word > 79) {
            printf("\n%*s", at, "");
            column = at;
        } else if (column > at) {
            putchar(' ');
            column++;
        }
        printf("%.*s", word, text);
        column += word;
        text += word;
        while (*text == ' ')
            text++;
    }
    putchar('\n');
}

static void
print_help(void)
{
    fputs(intro, stdout);
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];
        char left[64];

        if (row->kind == TITLE) {
            printf("\n%s:\n", row->name);
            continue;
        }
        snprintf(left, sizeof left, "  %c%c%s --%s%s%s",
                 row->letter != 0 ? '-' : ' ',
                 row->letter != 0 ? row->letter : ' ',
                 row->letter != 0 ? "," : " ", row->name,
                 row->argument != NULL ? "=" : "",
                 row->argument != NULL ? row->argument : "");
        printf("%-29s", left);
        if (strlen(left) > 28)
            printf("\n%29s", "");
        print_wrapped(row->help, 29);
    }
    fputs(outro, stdout);
}

/* End after --help or --version, which may be going to a full disk. */
static void __attribute__((noreturn)) finish_printing(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        exit(complain(4, "cannot write to standard output: %s",
                      strerror(errno)));
    exit(0);
}

static void
add_item(struct options_list *list, const struct option_row *row,
         const char *value)
{
    if (list->count == OPTIONS_LIST_MAX)
        options_refuse("too many --%s options", row->name);
    list->items[list->count++] = value;
}

static void
store(struct options *o, const struct option_row *row, const char *value)
{
    char *field = (char *) o + row->offset;
    bool good = true;

    switch (row->kind) {
    case FLAG:
        *(bool *) field = true;
        break;
    case TEXT:
        *(const char **) field = value;
        break;
    case LIST:
        add_item((struct options_list *) field, row, value);
        break;
    case COUNT:
    case NATURAL:
        good = units_parse_count((uint64_t *) field, value) &&
               *(uint64_t *) field != OPTIONS_UNSET &&
               (row->kind == COUNT || *(uint64_t *) field > 0);
        break;
    case SIZE:
        good = units_parse_size((uint64_t *) field, value) &&
               *(uint64_t *) field != OPTIONS_UNSET;
        break;
    case DURATION:
        good = units_parse_duration((int64_t *) field, value) &&
               (row->letter != 'd' || *(int64_t *) field > 0);
        break;
    case RATE:
        good = units_parse_rate(&o->rate_per_s, value); /* there is one */
        break;
    case ARRIVALS:
        o->arrivals_set = true;
        good = pace_parse_arrivals(&o->arrivals, value);
        break;
    case ADDRESSING:
        o->addressing_set = true;
        good = addressing_parse(&o->addressing, value);
        break;
    case HELP:
        print_help();
        finish_printing();
    case VERSION:
        printf("s3op %s\n", S3PERF_VERSION);
        finish_printing();
    case TITLE:
        break;
    }
    if (!good)
        options_refuse("bad %s '%s'%s", row->name, value,
                       row->kind == SIZE ? ": it is bytes, or has one of the "
                                           "suffixes K M G T Ki Mi Gi Ti"
                                         : "");
}

/* Build getopt's two views of the table. */
static void
fill_getopt(struct option longs[ROWS + 1], char shorts[3 * ROWS + 2])
{
    size_t n = 0, s = 0;

    shorts[s++] = ':';
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];

        if (row->kind == TITLE)
            continue;
        longs[n++] = (struct option){
            row->name, row->argument != NULL ? required_argument : no_argument,
            NULL, 256 + (int) i};
        if (row->letter == 0)
            continue;
        shorts[s++] = row->letter;
        if (row->argument != NULL)
            shorts[s++] = ':';
    }
    longs[n] = (struct option){0};
    shorts[s] = '\0';
}

static const struct option_row *
find_row(int found)
{
    if (found >= 256)
        return &rows[found - 256];
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].letter == found && rows[i].letter != 0)
            return &rows[i];
    return NULL;
}

static void
find_verb(struct options *o, const char *name)
{
    for (int v = 0; v < VERB_COUNT; v++) {
        if (strcmp(name, verb_names[v]) == 0) {
            o->verb = (enum verb) v;
            return;
        }
    }
    options_refuse("unknown verb '%s', see s3op --help", name);
}

/* Whether TEXT is one of the words in LIST, separated by blanks. */
static bool
is_word(const char *text, const char *list)
{
    size_t n = strlen(text);

    for (const char *at = list; (at = strstr(at, text)) != NULL; at += n)
        if (n > 0 && (at == list || at[-1] == ' ') &&
            (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static void
check_words(const struct options *o)
{
    if (!is_word(o->connection, "reuse new new-tls"))
        options_refuse("bad connection '%s': it is reuse, new or new-tls",
                       o->connection);
    if (o->progress != NULL && !is_word(o->progress, "none line json"))
        options_refuse("bad progress '%s': it is none, line or json",
                       o->progress);
}

static void
check_load(const struct options *o)
{
    bool counted = o->count != OPTIONS_UNSET, rate = o->rate_per_s > 0;
    bool timed = o->duration_ns > 0;

    options_refuse_if(rate && !counted && !timed, "-r needs an end: -n or -d");
    options_refuse_if(rate && (o->ramp_ns > 0 || o->think_ns > 0),
                      "--ramp and --think are for lanes that start by "
                      "themselves, not at a rate (-r)");
    options_refuse_if(o->arrivals_set && !rate, "--arrivals needs a rate: -r");
    options_refuse_if(o->warmup_ns > 0 && !timed,
                      "--warmup needs a duration: -d");
    options_refuse_if(o->threads == 0 || (o->threads != OPTIONS_UNSET &&
                                          o->threads > OPTIONS_THREADS_MAX),
                      "bad threads: it is 1 to 1024");
    options_refuse_if(o->interval_ns < CLOCK_NS_PER_MS,
                      "bad interval: it is at least 1ms");
    check_words(o);
}

static void
check_numbers(const struct options *o)
{
    check_load(o);
    if (o->concurrency == 0 ||
        (o->concurrency != OPTIONS_UNSET && o->concurrency > OPTIONS_LANES_MAX))
        options_refuse("bad concurrency: it is 1 to %d", OPTIONS_LANES_MAX);
    /* What libcurl counts in; 0 would mean none. */
    options_refuse_if(o->connect_timeout_ns < CLOCK_NS_PER_MS,
                      "bad connect-timeout: it is at least 1ms");
    options_refuse_if(o->timeout_ns < CLOCK_NS_PER_MS,
                      "bad timeout: it is at least 1ms");
    if (o->retries > OPTIONS_RETRIES_MAX)
        options_refuse("bad retries: it is at most %d", OPTIONS_RETRIES_MAX);
    if (o->compressible > 100)
        options_refuse("bad compressible: it is 0 to 100 percent");
    if (o->compressible > 0 && strcmp(o->payload, "random") != 0)
        options_refuse("--compressible is for random content, not '%s'",
                       o->payload);
    options_refuse_if(o->list_type != 1 && o->list_type != 2,
                      "bad list-type: it is 1 or 2");
    if (o->encoding_type != NULL && strcmp(o->encoding_type, "url") != 0)
        options_refuse("bad encoding-type '%s': it is url", o->encoding_type);
    options_refuse_if(o->max_keys > 1000, "bad max-keys: it is at most 1000");
}

void
options_parse(struct options *o, int argc, char **argv)
{
    struct option longs[ROWS + 1];
    char shorts[3 * ROWS + 2];
    bool given[ROWS] = {false};
    int found;

    *o = (struct options){.count = OPTIONS_UNSET,
                          .concurrency = OPTIONS_UNSET,
                          .size = OPTIONS_UNSET,
                          .objects = OPTIONS_UNSET,
                          .threads = OPTIONS_UNSET,
                          .workers = OPTIONS_UNSET,
                          .connection = "reuse",
                          .interval_ns = INT64_C(1000000000),
                          .seed = 1,
                          .payload = "random",
                          .list_type = 2,
                          .connect_timeout_ns = INT64_C(10000000000),
                          .timeout_ns = INT64_C(300000000000),
                          .method = "GET",
                          .query_auth = OPTIONS_UNSET,
                          .expires_ns = INT64_C(3600000000000),
                          .service = "s3"};
    fill_getopt(longs, shorts);
    opterr = 0;
    while ((found = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct option_row *row;

        if (found == ':')
            options_refuse("option '%s' needs a value", argv[optind - 1]);
        row = find_row(found);
        if (row == NULL && optopt >= 256)
            options_refuse("option '--%s' takes no value",
                           rows[optopt - 256].name);
        if (row == NULL && optopt > 0)
            options_refuse("unknown option '-%c', see s3op --help", optopt);
        if (row == NULL)
            options_refuse("unknown option '%s', see s3op --help",
                           argv[optind - 1]);
        given[row - rows] = true;
        store(o, row, optarg);
    }
    if (optind == argc)
        options_refuse("no verb given, see s3op --help");
    find_verb(o, argv[optind++]);
    o->argv = argv;
    o->argc = argc;
    o->targets = argv + optind;
    o->target_count = (size_t) (argc - optind);
    for (size_t i = 0; i < ROWS; i++)
        if (given[i] && (rows[i].verbs & BIT(o->verb)) == 0)
            options_refuse("--%s does not go with %s", rows[i].name,
                           verb_names[o->verb]);
    check_numbers(o);
}
