/* SPDX-License-Identifier: MIT */
/*
 * The CRCs, within the checksum module.
 */
#ifndef S3PERF_CHECKSUM_PARTS_H
#define S3PERF_CHECKSUM_PARTS_H

#include "checksum.h"

/* Go on with the register CRC of KIND over N bytes. The register is the
 * CRC's complement, its lowest bit the highest power. */
uint64_t checksum_crc_add(enum checksum_kind kind, uint64_t crc,
                          const unsigned char *bytes, size_t n, bool portable);

#endif
