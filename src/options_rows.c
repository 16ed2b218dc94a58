/* SPDX-License-Identifier: MIT */
/* The table of s3op's options, and its verbs. */
#include "config.h"

#include "options_parts.h"

#define EACH ((1u << VERB_COUNT) - 1)
#define ANY (EACH & ~OPTIONS_BIT(VERB_RUN))
#define SIGNS                                                                  \
    (OPTIONS_BIT(VERB_SIGN) | OPTIONS_BIT(VERB_PRESIGN)) /* and send nothing   \
                                                          */
#define LOOKS                                                                  \
    (OPTIONS_BIT(VERB_WHOAMI) | OPTIONS_BIT(VERB_PROBE)) /* at itself, around  \
                                                          */
#define RUN OPTIONS_BIT(VERB_RUN) /* what it hands on to its stages, too */
#define PROBES (LIVE | OPTIONS_BIT(VERB_PROBE))
#define LIVE (ANY & ~SIGNS & ~LOOKS)
#define MANY (LIVE)
#define BEGINS                                                                 \
    (OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_CREATE_UPLOAD)) /* an object */
#define MIXED OPTIONS_BIT(VERB_MIXED)
#define LISTED /* one object after another */                                  \
    (OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD) |  \
     OPTIONS_BIT(VERB_RM) | OPTIONS_BIT(VERB_CP) | OPTIONS_BIT(VERB_RELEASE))
#define NAMED (LISTED | MIXED) /* are about objects */

static const char *const verb_names[VERB_COUNT] = {
    [VERB_MB] = "mb",         [VERB_RB] = "rb",
    [VERB_PUT] = "put",       [VERB_GET] = "get",
    [VERB_HEAD] = "head",     [VERB_RM] = "rm",
    [VERB_LS] = "ls",         [VERB_SIGN] = "sign",
    [VERB_WHOAMI] = "whoami", [VERB_PRESIGN] = "presign",
    [VERB_PROBE] = "probe",   [VERB_CREATE_UPLOAD] = "create-upload",
    [VERB_CP] = "cp",         [VERB_MIXED] = "mixed",
    [VERB_RUN] = "run",       [VERB_RELEASE] = "release",
};

const char *
options_verb_name(enum verb verb)
{
    return verb_names[verb];
}

bool
options_are_for_one(const struct options *o)
{
    return (OPTIONS_BIT(o->verb) & LIVE) == 0;
}

const struct option_row option_rows[] = {
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
    {TEXT, 0, "mix", "SHARES", FIELD(mix_text), MIXED,
     "mixed: get=45,head=30,put=15,rm=10, also get-range, ls and cp; or their"
     " rates, as get=200/s,put=20/s"},
    {TEXT, 0, "pick", "HOW", FIELD(pick), LISTED,
     "of -n or --objects: sequential, shuffle (each once a round), uniform,"
     " or zipf:S (default sequential)"},
    {NATURAL, 0, "prefixes", "N", FIELD(prefixes), NAMED,
     "spread the keys over KEY1/ to KEYN/"},
    {TEXT, 0, "key-entropy", "WHERE", FIELD(key_entropy), NAMED,
     "put random digits at the head or the tail of the numbers in keys"},
    {TEXT, 0, "keys", "FILE", FIELD(keys_file), LISTED,
     "instead of numbers, these names follow KEY, one a line, - for standard"
     " input; without -n and -d: each once"},
    {FLAG, 0, "null", NULL, FIELD(keys_null), LISTED,
     "names in --keys end with NUL, not with a newline"},
    {DURATION, 0, "warmup", "TIME", FIELD(warmup_ns), MANY,
     "with -d: leave out what comes before; it lasts so much longer"},
    {TEXT, 0, "stop-when", "RULE", FIELD(stop_when), MANY,
     "with -d, which is then the most: end when numbers are known well enough:"
     " ci(p50)<2%, ci(rate)<1%, or both, with a comma"},
    {DURATION, 0, "min-duration", "TIME", FIELD(min_duration_ns), MANY,
     "with --stop-when or --autoterm: go on for this long in any case"},
    {FLAG, 0, "autoterm", NULL, FIELD(autoterm), MANY,
     "with -d, which is then the most: end when the rates of the last 7 of 25"
     " blocks of time, 15s at least, are within 7.5 %, as warp does"},
    {FLAG, 0, "detect-warmup", NULL, FIELD(detect_warmup), MANY,
     "with -d: say how much --warmup would leave out of what is not steady"},
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
    {SIZES, 's', "size", "SPEC", FIELD(size),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD) |
         MIXED,
     "put: generate objects of this size; get, head: what they must have:"
     " BYTES, MIN..MAX, log2:MAX, lognormal:MEDIAN,SIGMA or classes with"
     " weights, 4Ki:70,1Mi:30"},
    {COUNT, 0, "seed", "N", FIELD(seed), NAMED,
     "seed of generated content, sizes and picks (default 1)"},
    {TEXT, 0, "payload", "KIND", FIELD(payload),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | MIXED,
     "generated content is random, zero, text, or this file again and again"
     " (default random)"},
    {COUNT, 0, "compressible", "PCT", FIELD(compressible),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | MIXED,
     "make random content of which so many percent compress away"},
    {TITLE, 0, "Data", NULL, 0, 0, NULL},
    {TEXT, 0, "file", "PATH", FIELD(file), OPTIONS_BIT(VERB_PUT),
     "upload this file, - for standard input"},
    {TEXT, 'o', "output", "PATH", FIELD(output),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_LS) |
         OPTIONS_BIT(VERB_CREATE_UPLOAD),
     "get: keep the object, - for standard output, a folder with -n;"
     " ls: write the names; put -n: keep copies in a folder"},
    {FLAG, 0, "verify", NULL, FIELD(verify), OPTIONS_BIT(VERB_GET) | MIXED,
     "compare with the content that put generates"},
    {BATCH, 0, "batch", "N", FIELD(batch), OPTIONS_BIT(VERB_RM),
     "delete up to N keys with each request (at most 1000, the default)"},
    {TEXT, 0, "content-type", "TYPE", FIELD(content_type), BEGINS,
     "Content-Type of the objects"},
    {LIST, 0, "metadata", "K=V", FIELD(metadata), BEGINS,
     "give the objects this metadata, x-amz-meta-K"},
    {SIZE, 0, "metadata-size", "BYTES", FIELD(metadata_size), BEGINS,
     "give the objects random metadata of this length, the same to all"},
    {TEXT, 0, "tags", "K=V,...", FIELD(tags), BEGINS,
     "give the objects these tags"},
    {TEXT, 0, "sse", "HOW", FIELD(sse),
     BEGINS | OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD) |
         OPTIONS_BIT(VERB_CP),
     "have the objects encrypted: s3, kms, kms:KEY-ID, or c: with a key that is"
     " sent along, from S3PERF_SSE_C_KEY or made for the run"},
    {TEXT, 0, "storage-class", "NAME", FIELD(storage_class),
     BEGINS | OPTIONS_BIT(VERB_CP),
     "storage class of the objects, STANDARD_IA for example"},
    {FLAG, 0, "if-none-match", NULL, FIELD(if_none_match),
     OPTIONS_BIT(VERB_PUT), "put only what is not there yet: If-None-Match: *"},
    {TEXT, 0, "if-match", "ETAG", FIELD(if_match), OPTIONS_BIT(VERB_PUT),
     "put only in the place of the object with this ETag"},
    {TEXT, 0, "retention", "MODE:TIME", FIELD(retention), BEGINS,
     "lock the objects for so long from now: governance:1h, or compliance:1h,"
     " which nobody can take back"},
    {FLAG, 0, "legal-hold", NULL, FIELD(legal_hold), BEGINS,
     "put the objects under legal hold, until `release`"},
    {FLAG, 0, "bypass-governance", NULL, FIELD(bypass_governance),
     OPTIONS_BIT(VERB_RM),
     "delete what --retention governance:TIME still locks"},
    {FLAG, 0, "object-lock", NULL, FIELD(object_lock), OPTIONS_BIT(VERB_MB),
     "make a bucket whose objects can be locked"},
    {FLAG, 0, "versioned", NULL, FIELD(versioned), OPTIONS_BIT(VERB_MB),
     "make a bucket that keeps all versions"},
    {TEXT, 0, "upload-id", "ID", FIELD(upload_id),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_RM),
     "put: as a part of this upload; rm: end the upload, drop its parts"},
    {NATURAL, 0, "part", "N", FIELD(part_number),
     OPTIONS_BIT(VERB_PUT) | OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD),
     "put: the number of the part, from 1; get, head: only what was uploaded"
     " as this part"},
    {TEXT, 0, "range", "BYTES", FIELD(range), OPTIONS_BIT(VERB_GET) | MIXED,
     "read only so many bytes of each object, or random: from one byte to"
     " another"},
    {TEXT, 0, "offset", "BYTES", FIELD(offset),
     OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_PUT) | MIXED,
     "with --range: from this byte on (default 0), or random, aligned (to"
     " whole ranges), sequential (one range after another); with --append:"
     " bytes that the objects have already"},
    {FLAG, 0, "append", NULL, FIELD(append), OPTIONS_BIT(VERB_PUT),
     "add to the objects, on servers that can, with each round over them"},
    {TEXT, 0, "version-id", "ID", FIELD(version_id),
     OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD) | OPTIONS_BIT(VERB_RM) |
         OPTIONS_BIT(VERB_RELEASE),
     "this version of the object, not the newest"},
    {TEXT, 0, "version-ids", "FILE", FIELD(version_ids),
     OPTIONS_BIT(VERB_GET) | OPTIONS_BIT(VERB_HEAD) | OPTIONS_BIT(VERB_RM) |
         OPTIONS_BIT(VERB_RELEASE),
     "of the keys in --keys these versions, an id a line"},
    {TEXT, 0, "prefix", "TEXT", FIELD(prefix), OPTIONS_BIT(VERB_LS),
     "list only keys that begin so"},
    {TEXT, 0, "delimiter", "TEXT", FIELD(delimiter), OPTIONS_BIT(VERB_LS),
     "group keys up to this text, usually /"},
    {NATURAL, 0, "max-keys", "N", FIELD(max_keys), OPTIONS_BIT(VERB_LS),
     "ask for pages of N entries (default: the server's)"},
    {NATURAL, 0, "pages", "N", FIELD(pages), OPTIONS_BIT(VERB_LS),
     "ask for N pages at most (default: all)"},
    {FLAG, 0, "versions", NULL, FIELD(versions), OPTIONS_BIT(VERB_LS),
     "list all versions of all keys; -o: with their ids"},
    {COUNT, 0, "list-type", "1|2", FIELD(list_type), OPTIONS_BIT(VERB_LS),
     "ask by marker (1) or by token (2, the default)"},
    {TEXT, 0, "encoding-type", "url", FIELD(encoding_type),
     OPTIONS_BIT(VERB_LS),
     "ask for names in a form that XML can carry, and decode them"},
    {TEXT, 0, "location", "NAME", FIELD(location), OPTIONS_BIT(VERB_MB),
     "LocationConstraint of the new bucket, or none (default: the region, on"
     " AWS only)"},
    {TEXT, 0, "source-version", "ID", FIELD(source_version),
     OPTIONS_BIT(VERB_CP), "copy this version"},
    {TITLE, 0, "Service", NULL, 0, 0, NULL},
    {LIST, 0, "endpoint", "URL", FIELD(endpoints), ANY | RUN,
     "where the service is; aws for AWS's own (default: the environment,"
     " then the profile, then AWS); several spread the load: more options,"
     " http://node{1...8}:9000, file:PATH with one a line; with the keys of"
     " another profile: profile=NAME,URL"},
    {TEXT, 0, "endpoint-select", "HOW", FIELD(endpoint_select), LIVE,
     "which of several: roundrobin, least-busy or per-lane (default"
     " roundrobin)"},
    {FLAG, 0, "resolve-all", NULL, FIELD(resolve_all), LIVE,
     "spread over all addresses that the endpoint's name has"},
    {TEXT, 0, "region", "NAME", FIELD(region), ANY | RUN, "region to sign for"},
    {TEXT, 0, "profile", "NAME", FIELD(profile), ANY | RUN,
     "profile in AWS's files"},
    {TEXT, 0, "s3cfg", "FILE", FIELD(s3cfg), ANY | RUN,
     "use this file of s3cmd's instead of AWS's files"},
    {ADDRESSING, 0, "addressing", "STYLE", FIELD(addressing), ANY,
     "auto, path or virtual"},
    {TEXT, 0, "signature", "VERSION", FIELD(signature), ANY,
     "v4, or v2 for old stores (default v4)"},
    {TEXT, 0, "payload-hash", "HOW", FIELD(payload_hash),
     ANY & ~OPTIONS_BIT(VERB_PRESIGN),
     "signed or unsigned (default: signed over http, unsigned over https)"},
    {TEXT, 0, "chunked", "FORM", FIELD(chunked), OPTIONS_BIT(VERB_PUT),
     "send the body aws-chunked: signed, signed-trailer or unsigned-trailer"},
    {TEXT, 0, "checksum", "KIND", FIELD(checksum),
     BEGINS | OPTIONS_BIT(VERB_GET),
     "put: send it along, as a trailer with --chunked; get: compare with what"
     " the server says: crc32, crc32c, crc64nvme, sha1, sha256; put: or md5"},
    {LIST, 0, "header", "'NAME: VALUE'", FIELD(headers), ANY,
     "send and sign this header too"},
    {TEXT, 0, "cacert", "FILE", FIELD(cacert), LIVE | LOOKS | RUN,
     "trust the certificates in this PEM file"},
    {FLAG, 0, "insecure", NULL, FIELD(insecure), LIVE | LOOKS | RUN,
     "do not verify the server's certificate"},
    {TEXT, 0, "tls-version", "VERSION", FIELD(tls_version), LIVE,
     "TLS 1.2 or 1.3 and no other (default: what both sides can)"},
    {TEXT, 0, "ciphers", "LIST", FIELD(ciphers), LIVE,
     "cipher suites to offer, as OpenSSL calls them, with colons between them"},
    {TEXT, 0, "session-reuse", "on|off", FIELD(session_reuse), LIVE,
     "whether new connections resume TLS sessions of others (default on)"},
    {TEXT, 0, "cert", "FILE", FIELD(cert), PROBES,
     "show the server the client certificate in this PEM file"},
    {TEXT, 0, "key", "FILE", FIELD(key), PROBES,
     "the private key of --cert (default: in the same file)"},
    {LIST, 0, "resolve", "HOST:PORT:ADDR", FIELD(resolves), PROBES,
     "connect to this address instead of looking the name up"},
    {TEXT, 0, "interface", "NAME|ADDR", FIELD(interface), PROBES,
     "connect from this network interface or local address"},
    {TEXT, 0, "proxy", "URL", FIELD(proxy), LIVE,
     "go through this proxy (http, https, socks5h); those of the environment"
     " are never used"},
    {DURATION, 0, "connect-timeout", "TIME", FIELD(connect_timeout_ns), PROBES,
     "give up connecting after this (default 10s)"},
    {DURATION, 0, "timeout", "TIME", FIELD(timeout_ns), LIVE,
     "give up an operation after this (default 300s)"},
    {COUNT, 0, "retries", "N", FIELD(retries), LIVE,
     "after a failure that may pass, try again up to N times, after a pause"
     " (default 0)"},
    {FLAG, 0, "fix-clock", NULL, FIELD(fix_clock), LIVE,
     "sign for the server's time when it says that the clock here is wrong"},
    {FLAG, 0, "expect-100", NULL, FIELD(expect_100), OPTIONS_BIT(VERB_PUT),
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
    {BIT_RATE, 0, "line-rate", "RATE", FIELD(line_rate), LIVE,
     "of the network, as 10Gbit: say what share of it was used, and for what"},
    {TEXT, 0, "ceiling", "FILE", FIELD(ceiling), LIVE,
     "compare with what `s3perf doctor --ceiling` has kept here, or none"
     " (default: where it keeps it)"},
    {DURATION, 0, "interval", "TIME", FIELD(interval_ns), LIVE,
     "width of the intervals in the JSON summary (default 1s; 100ms where these"
     " decide when to end)"},
    {TEXT, 0, "progress", "HOW", FIELD(progress), LIVE | RUN,
     "none, line or json, once a second on standard error (default: line on"
     " a terminal)"},
    {FLAG, 0, "json", NULL, FIELD(json), ANY | RUN, "print JSON"},
    {FLAG, 0, "columns", NULL, FIELD(columns), LIVE,
     "print the column names before the records"},
    {FLAG, 'v', "verbose", NULL, FIELD(verbose), LIVE | RUN,
     "show requests and answers, without secrets, on standard error"},
    {FLAG, 0, "trace-signing", NULL, FIELD(trace_signing), LIVE | RUN,
     "show how each request is signed on standard error"},
    {FLAG, 'q', "quiet", NULL, FIELD(quiet), PROBES | RUN,
     "do not explain failures on standard error"},
    {HELP, 'h', "help", NULL, 0, EACH, "print this and exit"},
    {VERSION, 'V', "version", NULL, 0, EACH, "print the version and exit"},
    {TITLE, 0,
     "Job files (verb run; --endpoint, --region, --profile, --s3cfg,"
     " --cacert,\n--insecure, --progress, --json, -v and -q then"
     " hold for all stages)",
     NULL, 0, 0, NULL},
    {LIST, 0, "set", "NAME=VALUE", FIELD(sets), RUN,
     "give a variable of the file another value"},
    {FLAG, 0, "check", NULL, FIELD(check), RUN,
     "check the file, print what its stages are, and do nothing"},
    {TITLE, 0, "Workers (for whoever starts them, as --workers does)", NULL, 0,
     0, NULL},
    {TEXT, 0, "share", "I/N", FIELD(share), MANY,
     "be worker I of N: take its share of the work"},
    {TEXT, 0, "part-file", "FILE", FIELD(part_file), MANY,
     "write what it saw here; records, with --log, to FILE.ops"},
    {TEXT, 0, "start-at", "NS", FIELD(start_at), MANY,
     "begin at this moment of CLOCK_MONOTONIC, - to agree on it over standard"
     " input and output"},
    {TEXT, 0, "endpoint-file", "FILE", FIELD(endpoint_file), MANY,
     "the endpoints are those in this file, whatever else is said of them"},
    {TITLE, 0, "Signing (verbs sign and presign)", NULL, 0, 0, NULL},
    {TEXT, 0, "method", "NAME", FIELD(method), SIGNS,
     "HTTP method (default GET)"},
    {TEXT, 0, "at", "TIME", FIELD(at), SIGNS,
     "sign for this moment, as 20130524T000000Z (default: now)"},
    {LIST, 0, "query", "K=V", FIELD(queries), SIGNS,
     "a query parameter, not encoded"},
    {TEXT, 0, "service", "NAME", FIELD(service), OPTIONS_BIT(VERB_SIGN),
     "service in the scope (default s3)"},
    {COUNT, 0, "query-auth", "SECONDS", FIELD(query_auth),
     OPTIONS_BIT(VERB_SIGN), "sign a URL that is good so long, not a header"},
    {DURATION, 0, "expires", "TIME", FIELD(expires_ns),
     OPTIONS_BIT(VERB_PRESIGN),
     "how long the URL is good, at most 168h (default 1h)"},
    {FLAG, 0, "no-content-sha256", NULL, FIELD(no_content_sha256),
     OPTIONS_BIT(VERB_SIGN), "leave x-amz-content-sha256 out"},
};

const size_t option_row_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTIONS_ROWS_MAX,
               "options_parse() has room for so many");
