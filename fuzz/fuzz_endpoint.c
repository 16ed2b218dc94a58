/* SPDX-License-Identifier: MIT */
/* Endpoint URLs: what is taken must survive being written and read again. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_url(const char *url)
{
    struct endpoint e, again;
    struct buf back;

    if (endpoint_parse(&e, url) != NULL)
        return;
    buf_init(&back, 1024);
    if (endpoint_add_url(&back, &e) != 0 ||
        endpoint_parse(&again, back.data) != NULL ||
        strcmp(e.host, again.host) != 0 || e.port != again.port ||
        e.tls != again.tls || e.ip != again.ip || e.aws != again.aws)
        abort();
    buf_reset(&back);
    if (endpoint_is_virtual(&e, ADDRESSING_VIRTUAL, url) &&
        (endpoint_add_host(&back, &e, url, true) != 0 ||
         strpbrk(back.data, "/@ \r\n") != NULL))
        abort();
    buf_clear(&back);
}

/* A key's path must decode to the key; a URL's path must stay as it is
 * when encoded twice. */
static void
check_path(const char *key, size_t n)
{
    struct buf path, back;

    buf_init(&path, 1 << 20);
    buf_init(&back, 1 << 20);
    if (endpoint_add_path(&path, "", key, n, true) != 0)
        abort();
    if (uri_decode(&back, path.data + 1, path.len - 1, false) == 0 &&
        (back.len != n || memcmp(back.data, key, n) != 0))
        abort();
    buf_reset(&path);
    buf_reset(&back);
    if (uri_encode_url_path(&path, key, n) != 0 ||
        uri_encode_url_path(&back, path.data, path.len) != 0 ||
        strcmp(path.data, back.data) != 0)
        abort();
    buf_clear(&path);
    buf_clear(&back);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) malloc(size + 1);

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    check_url(text);
    check_path(text, size);
    free(text);
    return 0;
}
