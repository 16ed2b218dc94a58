/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_upload.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#include "clock.h"
#include "mem_map.h"
#include "sigv4.h"

#define BUCKET_MAX 63
#define NAME_MAX_LEN (BUCKET_MAX + 1 + MEM_KEY_MAX + 1 + MEM_UPLOAD_ID_SIZE)

struct mem_uploads {
    pthread_mutex_t lock;
    struct mem_map map; /* BUCKET NUL KEY NUL ID: struct mem_upload */
};

int
mem_uploads_new(struct mem_uploads **out)
{
    struct mem_uploads *u = calloc(1, sizeof(*u));

    if (u == NULL)
        return ENOMEM;
    pthread_mutex_init(&u->lock, NULL);
    mem_map_init(&u->map);
    *out = u;
    return 0;
}

void
mem_upload_free(struct mem_upload *upload)
{
    if (upload == NULL)
        return;
    for (size_t i = 0; i < upload->count; i++)
        mem_object_drop(upload->parts[i].object);
    mem_object_drop(upload->object);
    free(upload->parts);
    free(upload);
}

static void
free_value(void *value)
{
    mem_upload_free(value);
}

void
mem_uploads_free(struct mem_uploads *u)
{
    if (u == NULL)
        return;
    mem_map_clear(&u->map, free_value);
    pthread_mutex_destroy(&u->lock);
    free(u);
}

/* Write the map's key for the N bytes of a key. Returns: its length, 0 when
 * such an upload cannot be. */
static size_t
write_name(char out[NAME_MAX_LEN], const char *bucket, const char *key,
           size_t n, const char *id)
{
    size_t bucket_len = strlen(bucket), id_len = strlen(id);

    if (bucket_len > BUCKET_MAX || n > MEM_KEY_MAX ||
        id_len >= MEM_UPLOAD_ID_SIZE)
        return 0;
    memcpy(out, bucket, bucket_len + 1);
    out += bucket_len + 1;
    memcpy(out, key, n);
    out[n] = '\0';
    memcpy(out + n + 1, id, id_len);
    return bucket_len + 1 + n + 1 + id_len;
}

int
mem_uploads_begin(struct mem_uploads *u, char id[MEM_UPLOAD_ID_SIZE],
                  const char *bucket, const char *key, size_t key_len,
                  struct mem_object *object, bool sum_whole)
{
    unsigned char random[(MEM_UPLOAD_ID_SIZE - 1) / 2];
    struct mem_upload *upload = calloc(1, sizeof(*upload));
    char name[NAME_MAX_LEN];
    void *old;
    size_t n;
    int err = 0;

    if (upload == NULL)
        return ENOMEM;
    if (RAND_bytes(random, sizeof(random)) != 1)
        err = EIO;
    sigv4_hex(upload->id, random, sizeof(random));
    n = write_name(name, bucket, key, key_len, upload->id);
    if (err == 0 && n == 0)
        err = ENAMETOOLONG;
    upload->initiated = clock_wall();
    upload->sum_whole = sum_whole;
    memcpy(id, upload->id, MEM_UPLOAD_ID_SIZE);
    pthread_mutex_lock(&u->lock);
    if (err == 0)
        err = mem_map_put(&u->map, &old, name, n, upload);
    if (err == 0) {
        atomic_fetch_add(&object->refs, 1);
        upload->object = object;
    }
    pthread_mutex_unlock(&u->lock);
    if (err != 0)
        mem_upload_free(upload);
    return err;
}

/* Under the lock. */
static struct mem_upload *
find(const struct mem_uploads *u, const struct mem_upload_name *name)
{
    char text[NAME_MAX_LEN];
    size_t n = write_name(text, name->bucket, name->key, name->key_len, //
                          name->id);
    struct mem_map_node *node = n > 0 ? mem_map_find(&u->map, text, n) : NULL;

    return node != NULL ? node->value : NULL;
}

/* Make room for one more part. */
static int
make_room(struct mem_upload *upload)
{
    size_t room = upload->room > 0 ? upload->room * 2 : 16;
    struct mem_part *parts;

    if (upload->count < upload->room)
        return 0;
    parts = realloc(upload->parts, room * sizeof(*parts));
    if (parts == NULL)
        return ENOMEM;
    upload->parts = parts;
    upload->room = room;
    return 0;
}

/* Put OBJECT in its place. *OLD is what it replaces, or NULL. */
static int
put_part(struct mem_upload *upload, struct mem_object **old, unsigned number,
         struct mem_object *object)
{
    size_t at = upload->count;

    while (at > 0 && upload->parts[at - 1].number > number)
        at--;
    if (at > 0 && upload->parts[at - 1].number == number) {
        *old = upload->parts[at - 1].object;
        upload->parts[at - 1].object = object;
        return 0;
    }
    if (make_room(upload) != 0)
        return ENOMEM;
    memmove(upload->parts + at + 1, upload->parts + at,
            (upload->count - at) * sizeof(*upload->parts));
    upload->parts[at] = (struct mem_part){number, object};
    upload->count++;
    return 0;
}

int
mem_uploads_put(struct mem_uploads *u, const struct mem_upload_name *name,
                unsigned number, struct mem_object *object)
{
    struct mem_object *old = NULL;
    struct mem_upload *upload;
    int err = ENODATA;

    object->modified = clock_wall();
    atomic_fetch_add(&object->refs, 1);
    pthread_mutex_lock(&u->lock);
    upload = find(u, name);
    if (upload != NULL)
        err = put_part(upload, &old, number, object);
    pthread_mutex_unlock(&u->lock);
    mem_object_drop(err == 0 ? old : object);
    return err;
}

int
mem_uploads_look(struct mem_uploads *u, struct mem_upload **taken,
                 const struct mem_upload_name *name,
                 bool (*look)(void *ctx, const struct mem_upload *upload),
                 void *ctx)
{
    struct mem_upload *upload;
    char text[NAME_MAX_LEN];

    *taken = NULL;
    pthread_mutex_lock(&u->lock);
    upload = find(u, name);
    if (upload != NULL && look(ctx, upload)) {
        *taken = upload;
        mem_map_remove(
            &u->map, text,
            write_name(text, name->bucket, name->key, name->key_len, name->id));
    }
    pthread_mutex_unlock(&u->lock);
    return upload != NULL ? 0 : ENODATA;
}

int
mem_uploads_put_back(struct mem_uploads *u, const struct mem_upload_name *name,
                     struct mem_upload *upload)
{
    char text[NAME_MAX_LEN];
    size_t n = write_name(text, name->bucket, name->key, name->key_len, //
                          name->id);
    void *old;
    int err;

    pthread_mutex_lock(&u->lock);
    err = mem_map_put(&u->map, &old, text, n, upload);
    pthread_mutex_unlock(&u->lock);
    if (err != 0)
        mem_upload_free(upload);
    return err;
}

void
mem_uploads_list(struct mem_uploads *u, const char *bucket, const char *after,
                 const char *after_id,
                 bool (*each)(void *ctx, const char *key, size_t key_len,
                              const struct mem_upload *upload),
                 void *ctx)
{
    size_t bucket_len = strlen(bucket), n;
    const struct mem_map_node *node;
    char name[NAME_MAX_LEN];

    /* Above every id when there is none: behind all of that key. */
    if (after[0] != '\0' && after_id[0] == '\0')
        after_id = "~";
    n = write_name(name, bucket, after, strlen(after), after_id);
    if (n == 0)
        return;
    if (after[0] == '\0')
        n = bucket_len + 1;
    pthread_mutex_lock(&u->lock);
    node = mem_map_from(&u->map, name, n, true);
    while (node != NULL && node->key_len > bucket_len + 1 &&
           memcmp(mem_map_key(node), bucket, bucket_len + 1) == 0) {
        const char *key = mem_map_key(node) + bucket_len + 1;

        if (!each(ctx, key, strlen(key), node->value))
            break;
        node = mem_map_next(node);
    }
    pthread_mutex_unlock(&u->lock);
}

void
mem_uploads_drop(struct mem_uploads *u, const char *bucket)
{
    size_t n = strlen(bucket) + 1;

    pthread_mutex_lock(&u->lock);
    for (;;) {
        const struct mem_map_node *node =
            mem_map_from(&u->map, bucket, n, false);

        if (node == NULL || node->key_len < n ||
            memcmp(mem_map_key(node), bucket, n) != 0)
            break;
        mem_upload_free(
            mem_map_remove(&u->map, mem_map_key(node), node->key_len));
    }
    pthread_mutex_unlock(&u->lock);
}
