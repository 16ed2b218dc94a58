/* SPDX-License-Identifier: MIT */
/*
 * canned DIR: a server for tests that answers what files say, byte for byte,
 * and keeps what it was asked.
 *
 * Its URL goes to DIR/url. The N-th request (from 1, over all connections)
 * is written to DIR/request.N, head and body as they came; the answer is
 * DIR/answer.N, else DIR/answer. Then, if DIR/close.N or DIR/close exists,
 * the connection is closed. DIR/early.N or DIR/early: answer as soon as the
 * head is there; DIR/continue.N or DIR/continue: say 100 Continue then.
 * DIR/deaf.N or DIR/deaf: do not read the body, so that the
 * connection breaks when it is closed. DIR/drop.N: close without an answer.
 * DIR/sent.N appears when the answer has been sent. DIR/connections has one
 * line for each connection: the address that it came from. Ends at end of file
 * on standard input.
 */
#include "config.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX (1 << 20)

static const char *dir;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests; /* guarded by lock */

static void
path_of(char *out, size_t size, const char *name, int number)
{
    if (number > 0)
        snprintf(out, size, "%s/%s.%d", dir, name, number);
    else
        snprintf(out, size, "%s/%s", dir, name);
}

/* Whether DIR/NAME.NUMBER, or DIR/NAME unless ONLY, exists; its PATH. */
static bool
find(char *path, size_t size, const char *name, int number, bool only)
{
    path_of(path, size, name, number);
    if (access(path, R_OK) == 0)
        return true;
    path_of(path, size, name, 0);
    return !only && access(path, R_OK) == 0;
}

static bool
has(const char *name, int number, bool only)
{
    char path[4096];

    return find(path, sizeof path, name, number, only);
}

static void
send_answer(int fd, int number)
{
    char path[4096], bytes[65536];
    size_t n;
    FILE *f;

    if (!find(path, sizeof path, "answer", number, false))
        return;
    f = fopen(path, "rb");
    while (f != NULL && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        for (size_t sent = 0; sent < n;) {
            ssize_t k = send(fd, bytes + sent, n - sent, MSG_NOSIGNAL);

            if (k <= 0)
                goto done;
            sent += (size_t) k;
        }
done:
    if (f != NULL)
        fclose(f);
    path_of(path, sizeof path, "sent", number);
    f = fopen(path, "wb");
    if (f != NULL)
        fclose(f);
}

static void
say_continue(int fd)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (send(fd, text, sizeof text - 1, MSG_NOSIGNAL) < 0)
        return; /* the answer will fail as well */
}

static unsigned long long
content_length(const char *head)
{
    const char *line = strcasestr(head, "\r\ncontent-length:");

    return line != NULL ? strtoull(line + 17, NULL, 10) : 0;
}

/* Read a head into HEAD, which holds *LEN bytes of it already. Returns its
 * length, 0 when the connection ended. */
static size_t
read_head(int fd, char *head, size_t *len)
{
    for (;;) {
        char *end;
        ssize_t n;

        head[*len] = '\0';
        end = strstr(head, "\r\n\r\n");
        if (end != NULL)
            return (size_t) (end - head) + 4;
        n = read(fd, head + *len, HEAD_MAX - 1 - *len);
        if (n <= 0)
            return 0;
        *len += (size_t) n;
    }
}

/* Serve one request; false when the connection is to be closed. */
static bool
serve(int fd, char *head, size_t *len)
{
    char path[4096], bytes[65536];
    size_t head_len = read_head(fd, head, len);
    unsigned long long left;
    size_t here;
    int number;
    bool early;
    FILE *f;

    if (head_len == 0)
        return false;
    pthread_mutex_lock(&lock);
    number = ++requests;
    pthread_mutex_unlock(&lock);
    if (has("drop", number, true))
        return false;
    early = has("early", number, false);
    if (early)
        send_answer(fd, number);
    else if (has("continue", number, false))
        say_continue(fd);
    left = content_length(head);
    here = *len - head_len < left ? *len - head_len : (size_t) left;
    path_of(path, sizeof path, "request", number);
    f = fopen(path, "wb");
    if (f == NULL)
        return false;
    fwrite(head, 1, head_len + here, f);
    memmove(head, head + head_len + here, *len - head_len - here);
    *len -= head_len + here;
    left -= here;
    while (left > 0 && !has("deaf", number, false)) {
        ssize_t n = read(fd, bytes, left < sizeof bytes ? left : sizeof bytes);

        if (n <= 0)
            break;
        fwrite(bytes, 1, (size_t) n, f);
        left -= (unsigned long long) n;
    }
    fclose(f);
    if (!early)
        send_answer(fd, number);
    return left == 0 && !has("close", number, false);
}

static const char *
peer_of(int fd, char text[INET_ADDRSTRLEN])
{
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;

    if (getpeername(fd, (struct sockaddr *) &peer, &size) != 0)
        return "?";
    return inet_ntop(AF_INET, &peer.sin_addr, text, INET_ADDRSTRLEN);
}

static void *
connection(void *ctx)
{
    int fd = (int) (intptr_t) ctx;
    char path[4096], peer[INET_ADDRSTRLEN], *head = malloc(HEAD_MAX);
    size_t len = 0;
    FILE *f;

    pthread_mutex_lock(&lock);
    path_of(path, sizeof path, "connections", 0);
    f = fopen(path, "ab");
    if (f != NULL) {
        fprintf(f, "%s\n", peer_of(fd, peer));
        fclose(f);
    }
    pthread_mutex_unlock(&lock);
    while (head != NULL && serve(fd, head, &len))
        ;
    shutdown(fd, SHUT_WR);
    close(fd);
    free(head);
    return NULL;
}

static void *
acceptor(void *ctx)
{
    int listener = (int) (intptr_t) ctx;

    for (;;) {
        int fd = accept(listener, NULL, NULL);
        pthread_t thread;

        if (fd >= 0 && pthread_create(&thread, NULL, connection,
                                      (void *) (intptr_t) fd) == 0)
            pthread_detach(thread);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char path[4096], final[4096], byte;
    pthread_t thread;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    FILE *f;

    if (argc != 2 || listener < 0)
        return 2;
    dir = argv[1];
    if (bind(listener, (struct sockaddr *) &address, sizeof address) != 0 ||
        listen(listener, 1024) != 0 ||
        getsockname(listener, (struct sockaddr *) &address, &size) != 0 ||
        pthread_create(&thread, NULL, acceptor, (void *) (intptr_t) listener) !=
            0)
        return 3;
    path_of(path, sizeof path, "url.new", 0);
    path_of(final, sizeof final, "url", 0);
    f = fopen(path, "w");
    if (f == NULL)
        return 4;
    fprintf(f, "http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fclose(f);
    if (rename(path, final) != 0)
        return 4;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
