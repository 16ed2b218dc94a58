/* SPDX-License-Identifier: MIT */
/* Values that are out of range, options that do not go together. */
#include "config.h"

#include "options_parts.h"

#include <string.h>

#include "clock.h"
#include "stop.h"
#include "units.h"

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
check_stop(const struct options *o)
{
    bool stops = o->stop_when != NULL || o->autoterm;
    struct stop_rule rule;

    if (o->stop_when != NULL && !stop_parse(&rule, o->stop_when))
        options_refuse("bad stop-when '%s': it is like ci(p50)<2%%, "
                       "ci(rate)<1%% or steady(7.5%%,15s)",
                       o->stop_when);
    options_refuse_if(o->stop_when != NULL && o->autoterm,
                      "--stop-when and --autoterm exclude each other");
    options_refuse_if((stops || o->detect_warmup) && o->duration_ns == 0,
                      stops ? "--stop-when and --autoterm need the longest "
                              "time: -d"
                            : "--detect-warmup needs a duration: -d");
    options_refuse_if(o->min_duration_ns > 0 && !stops,
                      "--min-duration needs --stop-when or --autoterm");
    options_refuse_if(o->min_duration_ns > o->duration_ns && stops,
                      "--min-duration is more than -d");
    options_refuse_if((stops || o->detect_warmup) &&
                          o->workers != OPTIONS_UNSET,
                      "--stop-when, --autoterm and --detect-warmup do not go "
                      "with --workers");
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
    check_stop(o);
}

static void
settle_range(struct options *o)
{
    const char *offset = o->offset != NULL ? o->offset : "0";
    const char *why;

    if (o->append && o->offset != NULL &&
        !units_parse_size(&o->append_offset, o->offset))
        options_refuse("bad offset '%s': it is bytes", o->offset);
    if (o->offset != NULL && o->range == NULL && o->verb != VERB_PUT)
        options_refuse("--offset needs to know how many bytes: --range");
    if (o->range == NULL)
        return;
    if (o->offset == NULL && strcmp(o->range, "random") == 0)
        offset = "random";
    why = offsets_parse(&o->offsets, o->range, offset);
    if (why != NULL)
        options_refuse("bad range '%s', offset '%s': %s", o->range, offset,
                       why);
}

static void
settle_mix(struct options *o)
{
    const char *why;

    if (o->verb != VERB_MIXED)
        return;
    if (o->mix_text == NULL)
        options_refuse("mixed needs to know what is mixed: --mix "
                       "get=45,head=30,put=15,rm=10, for example");
    why = mix_parse(&o->mix, o->mix_text);
    if (why != NULL)
        options_refuse("bad mix '%s': %s", o->mix_text, why);
    if (o->mix.rate_per_s <= 0)
        return;
    options_refuse_if(o->rate_per_s > 0,
                      "--mix says the rates already: -r does not go with it");
    o->rate_per_s = o->mix.rate_per_s;
}

void
options_settle(struct options *o)
{
    if (o->interval_ns < 0)
        o->interval_ns = o->stop_when != NULL || o->autoterm || o->detect_warmup
                             ? 100 * CLOCK_NS_PER_MS
                             : CLOCK_NS_PER_S;
    settle_range(o);
    settle_mix(o);
}

void
options_check(const struct options *o)
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
    if (o->batch > OPTIONS_BATCH_MAX)
        options_refuse("bad batch: it is at most %d", OPTIONS_BATCH_MAX);
    options_refuse_if(o->max_keys > 1000, "bad max-keys: it is at most 1000");
}
