/* SPDX-License-Identifier: MIT */
/*
 * The only source of time: monotonic nanoseconds for durations, wall
 * clock for signing and for dates.
 */
#ifndef S3PERF_CLOCK_H
#define S3PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_S INT64_C(1000000000)
#define CLOCK_NS_PER_MS INT64_C(1000000)
#define CLOCK_NS_PER_US INT64_C(1000)

/* "20130524T000000Z" and its final NUL: the form that SigV4 signs. */
#define CLOCK_AMZ_SIZE 17
/* "2013-05-24T00:00:00Z" and its final NUL: the form of dates in files. */
#define CLOCK_ISO_SIZE 21
/* "Fri, 24 May 2013 00:00:00 GMT" and its final NUL: the form of HTTP. */
#define CLOCK_HTTP_SIZE 30

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_now_ns(void);

/* CPU time of the whole process in nanoseconds. */
int64_t clock_cpu_ns(void);

/* Seconds since 1970, UTC. */
time_t clock_wall(void);

/* The same in microseconds: for logs. */
int64_t clock_wall_us(void);

/* Write WALL in one of the forms; all are locale-free. */
void clock_format_amz(char out[CLOCK_AMZ_SIZE], time_t wall);
void clock_format_iso(char out[CLOCK_ISO_SIZE], time_t wall);
void clock_format_http(char out[CLOCK_HTTP_SIZE], time_t wall);

/* The reverse; false, *OUT untouched, on bad TEXT. An ISO time may have a
 * fraction, which is dropped. */
bool clock_parse_amz(time_t *out, const char *text);
bool clock_parse_iso(time_t *out, const char *text);
bool clock_parse_http(time_t *out, const char *text);

#endif
