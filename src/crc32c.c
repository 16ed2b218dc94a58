/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "crc32c.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78u /* bits reversed */
#define SLICES 8

/* tables[k][b]: what byte B does to the checksum when K bytes follow. */
static uint32_t tables[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;

        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][b] = crc;
    }
    for (int k = 1; k < SLICES; k++)
        for (int b = 0; b < 256; b++) {
            uint32_t crc = tables[k - 1][b];

            tables[k][b] = crc >> 8 ^ tables[0][crc & 0xff];
        }
}

uint32_t
crc32c(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    pthread_once(&once, make_tables);
    crc = ~crc;
    /* Eight bytes a step, about five times as fast as one by one. */
    for (; n >= SLICES; n -= SLICES, p += SLICES)
        crc = tables[7][p[0] ^ (crc & 0xff)] ^
              tables[6][p[1] ^ (crc >> 8 & 0xff)] ^
              tables[5][p[2] ^ (crc >> 16 & 0xff)] ^
              tables[4][p[3] ^ crc >> 24] ^ tables[3][p[4]] ^ tables[2][p[5]] ^
              tables[1][p[6]] ^ tables[0][p[7]];
    for (; n > 0; n--, p++)
        crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
    return ~crc;
}
