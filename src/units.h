/* SPDX-License-Identifier: MIT */
/*
 * Numbers with units, to integers and back. No parser accepts trailing
 * junk, a sign, or a value that overflows; all leave *OUT alone on false.
 */
#ifndef S3PERF_UNITS_H
#define S3PERF_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any text that a units_format function writes. */
#define UNITS_TEXT_SIZE 32

/* A plain decimal number. */
bool units_parse_count(uint64_t *out, const char *text);

/* The same with a fraction allowed: "0.99". */
bool units_parse_decimal(double *out, const char *text);

/*
 * Bytes: a decimal number, a fraction allowed before a suffix ("1.5Mi"),
 * suffixes K M G T (powers of 1000), Ki Mi Gi Ti (powers of 1024), each
 * with or without B, or B alone; "b" is refused. Case: k and K are the
 * same, the others are upper case. The result must be a whole number of bytes.
 */
bool units_parse_size(uint64_t *out, const char *text);

/* Nanoseconds: a decimal number, fraction allowed, with ns us ms s m h;
 * a bare number is seconds. Rounded to whole nanoseconds. */
bool units_parse_duration(int64_t *out_ns, const char *text);

/* Of a network: "100Mbit", "2.5Gbit/s"; powers of ten. Above 0. */
bool units_parse_bit_rate(double *out_bits_per_s, const char *text);

/* Operations per second: "500", "500/s", "30/m", "0.5/s". Above 0. */
bool units_parse_rate(double *out_per_s, const char *text);

/* "1 MiB", "1.5 KiB", "5 B": three significant digits at most, 2^10 steps;
 * whole numbers from 1000 to 1023 keep all four digits. */
void units_format_size(char out[UNITS_TEXT_SIZE], double bytes);

/* "812 ns", "1.24 us", "12.4 ms", "3.21 s", "75.0 s"... three significant
 * digits, ns us ms s (seconds from there on). */
void units_format_duration(char out[UNITS_TEXT_SIZE], double ns);

#endif
