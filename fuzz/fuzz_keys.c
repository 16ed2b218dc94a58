/* SPDX-License-Identifier: MIT */
/* Lists of keys: no crash; what is accepted holds each byte of the file. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_list(const struct keys_list *list, const uint8_t *data, size_t size,
           char end)
{
    size_t at = 0;

    for (uint64_t i = 0; i < list->count; i++) {
        const char *name = keys_listed(list, i);
        size_t n = strlen(name);

        if (n == 0 || n > KEYS_LENGTH_MAX || n > size - at ||
            memcmp(name, data + at, n) != 0)
            abort();
        at += n;
        if (at < size && data[at++] != (uint8_t) end)
            abort();
    }
    if (at != size)
        abort();
}

/* The first byte says how names end. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("keys", MFD_CLOEXEC);
    struct keys_fault fault = {0, NULL};
    struct keys_list list;
    char path[64], end;
    int err;

    if (fd < 0 || size == 0)
        goto done;
    end = data[0] & 1 ? '\n' : '\0';
    if (write(fd, data + 1, size - 1) != (ssize_t) size - 1)
        goto done;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    err = keys_read(&list, path, end, &fault);
    if (err != 0 && (err != EINVAL || fault.what == NULL || fault.line == 0))
        abort();
    if (err == 0)
        check_list(&list, data + 1, size - 1, end);
    keys_clear(&list);
done:
    if (fd >= 0)
        close(fd);
    return 0;
}
