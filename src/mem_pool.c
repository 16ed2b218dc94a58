/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_pool.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "random.h"

#define WINDOW (MEM_POOL_PIECE_MAX + MEM_POOL_BLOCK)

/* Fill the first block, from a fixed seed. */
static void
fill(char *block)
{
    uint64_t *words = (uint64_t *) (void *) block;
    uint64_t state = 0;

    for (size_t i = 0; i < MEM_POOL_BLOCK / sizeof(*words); i++)
        words[i] = random_next(&state);
}

int
mem_pool_make(struct mem_pool *p)
{
    int fd = memfd_create("s3mem", MFD_CLOEXEC);
    char *window = MAP_FAILED;
    int err = 0;

    p->window = NULL;
    if (fd < 0)
        return errno;
    if (ftruncate(fd, (off_t) MEM_POOL_BLOCK) != 0) {
        err = errno;
        goto done;
    }
    /* Reserve the addresses, then put the block there again and again. */
    window = mmap(NULL, WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (window == MAP_FAILED) {
        err = errno;
        goto done;
    }
    for (size_t at = 0; at < WINDOW && err == 0; at += MEM_POOL_BLOCK)
        if (mmap(window + at, MEM_POOL_BLOCK, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
            err = errno;
    if (err == 0) {
        fill(window);
        p->window = window;
    } else {
        munmap(window, WINDOW);
    }
done:
    close(fd);
    return err;
}

void
mem_pool_clear(struct mem_pool *p)
{
    if (p->window != NULL)
        munmap(p->window, WINDOW);
    p->window = NULL;
}

const char *
mem_pool_at(const struct mem_pool *p, uint64_t offset)
{
    return p->window + offset % MEM_POOL_BLOCK;
}
