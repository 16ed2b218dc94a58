/* SPDX-License-Identifier: MIT */
/*
 * Readable text that compresses as text does. Private to payload.
 */
#ifndef S3PERF_PAYLOAD_TEXT_H
#define S3PERF_PAYLOAD_TEXT_H

#define PAYLOAD_TEXT_BLOCK 4096u /* made at a time */
#define PAYLOAD_TEXT_ROOM (PAYLOAD_TEXT_BLOCK + 16) /* what it is made in */
#define PAYLOAD_TEXT_CHOICES 1024u /* a byte for each word; more than fit */

/* Make a block of words: CHOICE says which. OUT ends with a newline and is no
 * string. */
void payload_text_make(char out[PAYLOAD_TEXT_ROOM],
                       const unsigned char choice[PAYLOAD_TEXT_CHOICES]);

#endif
