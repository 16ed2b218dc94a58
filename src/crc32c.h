/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli), the checksum that S3 calls CRC32C.
 * Source: RFC 3720, appendix B.4.
 */
#ifndef S3PERF_CRC32C_H
#define S3PERF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Go on from CRC, 0 at first, with N bytes. Returns the checksum so far.
 * Threads: any, at any time. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
