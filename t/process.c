/* SPDX-License-Identifier: MIT */
/* Running a helper program. */
#include "config.h"

#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "clock.h"
#include "tap.h"

#define SECOND CLOCK_NS_PER_S

static struct buf out;
static int status;

/* The words of LINE as "a|b|", NULL for a refused one. */
static const char *
words(const char *line)
{
    static char text[1024];
    struct process_command command;
    int err = process_split(&command, line);

    *text = '\0';
    for (size_t i = 0; err == 0 && command.words[i] != NULL; i++) {
        strcat(text, command.words[i]);
        strcat(text, "|");
    }
    process_clear(&command);
    process_clear(&command);
    return err == 0 ? text : NULL;
}

static void
test_split(void)
{
    struct process_command command;
    char *many = (char *) calloc(1, 2 * PROCESS_COMMAND_MAX);

    is_str(words("a bb\t ccc "), "a|bb|ccc|", "blanks");
    is_str(words("a 'b \"c' d"), "a|b \"c|d|", "single quotes");
    is_str(words("a \"b 'c\" d"), "a|b 'c|d|", "double quotes");
    is_str(words("a \"\\\"\\\\\\n\""), "a|\"\\\\n|", "backslashes in them");
    is_str(words("a '\\' b"), "a|\\|b|", "but not in single ones");
    is_str(words("a\\ b \\'c"), "a b|'c|", "backslashes outside");
    is_str(words("a '' \"\" x''y"), "a|||xy|", "empty words");
    is_str(words("a $HOME *;`b` | c # d"), "a|$HOME|*;`b`|||c|#|d|",
           "no shell");
    ok(words("a 'b") == NULL && words("a \"b") == NULL, "an open quote");
    ok(words("a b\\") == NULL, "a backslash at the end");
    ok(words("") == NULL && words("  ") == NULL && words("''") == NULL,
       "no program");
    if (many == NULL)
        return;
    for (int i = 0; i < PROCESS_WORDS_MAX; i++)
        strcat(many, "a ");
    is_int(process_split(&command, many), 0, "as many words as allowed");
    process_clear(&command);
    strcat(many, "a");
    is_int(process_split(&command, many), E2BIG, "one more");
    process_clear(&command);
    memset(many, 'a', PROCESS_COMMAND_MAX + 1);
    is_int(process_split(&command, many), E2BIG, "too long");
    process_clear(&command);
    free(many);
}

static int
run(const char *line, int64_t timeout_ns)
{
    struct process_command command;
    int err = process_split(&command, line);

    buf_wipe(&out);
    status = -1;
    if (err == 0)
        err = process_run(&out, &status, &command, timeout_ns);
    process_clear(&command);
    return err;
}

static void
test_run(void)
{
    int64_t start_ns;

    is_int(run("printf 'a b'", SECOND * 20), 0, "a program");
    is_str(out.data, "a b", "prints");
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "and ends well");
    is_int(run("sh -c 'exit 7'", SECOND * 20), 0, "one that fails");
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "with its status");
    is_int(run("sh -c 'kill -9 $$'", SECOND * 20), 0, "one that is killed");
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "by its signal");
    is_int(run("/nonexistent/program", SECOND), ENOENT,
           "one that is not there");
    is_int(run("/dev/null", SECOND), EACCES, "one that is none");
    is_int(run("cat", SECOND * 20), 0, "standard input is empty");
    is_int((int64_t) out.len, 0, "so nothing comes");
    is_int(run("sh -c 'pipe=$(readlink /proc/$$/fd/1);"
               " ls -l /proc/$$/fd | grep -cF \"$pipe\"'",
               SECOND * 20),
           0, "open files");
    is_str(out.data, "1\n", "it has the pipe once");

    start_ns = clock_now_ns();
    is_int(run("sleep 100", SECOND / 5), ETIMEDOUT, "a slow one");
    ok(clock_now_ns() - start_ns < SECOND * 20, "is ended");
    is_int(run("sh -c 'exec >&-; exec sleep 100'", SECOND / 5), ETIMEDOUT,
           "also when it has closed its output");
    is_int(run("sh -c 'sleep 100 2>&1 & echo a'", SECOND * 20), 0,
           "a child of the program that keeps the pipe");
    is_str(out.data, "a\n", "is not waited for");
    ok(clock_now_ns() - start_ns < SECOND * 40, "for long");
    is_int(run("yes", SECOND * 20), EMSGSIZE, "an endless one is ended");
    is_int((int64_t) out.len, (int64_t) out.max, "with the buffer full");
    is_int(run("head -c 4096 /dev/zero", SECOND * 20), 0, "just fits");
    is_int(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
    is_int(errno, ECHILD, "none at all");
}

int
main(void)
{
    buf_init(&out, 4096);
    test_split();
    test_run();
    buf_wipe(&out);
    return done_testing();
}
