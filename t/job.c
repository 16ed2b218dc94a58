/* SPDX-License-Identifier: MIT */
/* The form of job files. */
#include "config.h"

#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* All of a job as text: "[section] name=value name". */
static const char *
show(const struct job *j)
{
    static char text[4000];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < j->count; i++) {
        const struct job_section *s = &j->sections[i];

        n += (size_t) snprintf(text + n, sizeof text - n, "%s[%s:%u]",
                               n > 0 ? " " : "", s->name, s->line);
        for (size_t k = 0; k < s->count; k++)
            n += (size_t) snprintf(
                text + n, sizeof text - n, " %s:%u%s%s", s->entries[k].name,
                s->entries[k].line, s->entries[k].value != NULL ? "=" : "",
                s->entries[k].value != NULL ? s->entries[k].value : "");
    }
    return text;
}

/* The start of TEXT as one line. */
static const char *
brief(const char *text)
{
    static char line[41];

    snprintf(line, sizeof line, "%s", text);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char) *c < 0x20)
            *c = '|';
    return line;
}

static void
reads(const char *text, const char *want)
{
    struct job j;

    is_int(job_read(&j, text, strlen(text)), 0, "read '%s'", brief(text));
    is_str(show(&j), want, "what it says");
    job_clear(&j);
    job_clear(&j);
}

static void
refuses(const char *text, unsigned line, const char *error)
{
    struct job j;
    int err = job_read(&j, text, strlen(text));

    if (err == 0)
        err = job_expand(&j);
    is_int(err, EINVAL, "refused: '%s'", brief(text));
    is_int((int64_t) j.line, (int64_t) line, "in line %u", line);
    ok(strstr(j.error, error) != NULL, "says '%s', has '%s'", j.error, error);
    job_clear(&j);
}

static void
test_form(void)
{
    reads("", "");
    reads("[a]", "[a:1]");
    reads("# c\n; c\n\n  [a]\t\r\nx = 1\r\ny=2\n\tz\t=  3 4 \nflag\nempty =\n",
          "[a:4] x:5=1 y:6=2 z:7=3 4 flag:8 empty:9=");
    reads("[a]\nx = 1 # no comment ; nor here\n[b]\nx = = =\nx=2",
          "[a:1] x:2=1 # no comment ; nor here [b:3] x:4== = x:5=2");
    reads("[a.b-c_1]\nheader = x-amz-meta-a: b",
          "[a.b-c_1:1] header:2=x-amz-meta-a: b");
    refuses("x = 1", 1, "stands in no section");
    refuses("\n[a\n", 2, "a section is");
    refuses("[]", 1, "a section is");
    refuses("[a b]", 1, "a section is");
    refuses("[a]\n[b]\n[a]\n", 3, "already");
    refuses("[a]\nx y = 1\n", 2, "a line is");
    refuses("[a]\n= 1\n", 2, "a line is");
    refuses("[a]\n--size = 1\n", 2, "a line is");
    refuses("[a]\nsize: 4\n", 2, "a line is");
    refuses("[a]\nx = a\x01\n", 2, "control character");
    refuses("[variables]\na = 1\na = 2\n", 3, "already");
}

static void
test_limits(void)
{
    static char text[JOB_SIZE_MAX + 10];
    struct job j;
    size_t n = 0;

    is_int(job_read(&j, "[a]\nx\0y", 7), EINVAL, "a NUL byte");
    is_int(j.line, 2, "in its line");
    job_clear(&j);
    memset(text, '\n', sizeof text);
    is_int(job_read(&j, text, JOB_SIZE_MAX), 0, "as large as it may be");
    job_clear(&j);
    is_int(job_read(&j, text, JOB_SIZE_MAX + 1), EINVAL, "larger");
    job_clear(&j);
    for (int i = 0; i <= JOB_SECTIONS_MAX; i++)
        n += (size_t) sprintf(text + n, "[s%d]\n", i);
    is_int(job_read(&j, text, n), EINVAL, "too many sections");
    is_int(j.line, JOB_SECTIONS_MAX + 1, "is told where");
    job_clear(&j);
    n = (size_t) sprintf(text, "[s]\n");
    for (int i = 0; i <= JOB_ENTRIES_MAX; i++)
        n += (size_t) sprintf(text + n, "x\n");
    is_int(job_read(&j, text, n), EINVAL, "too many lines");
    job_clear(&j);
    snprintf(text, sizeof text, "[%0*d]", JOB_NAME_MAX + 1, 0);
    is_int(job_read(&j, text, strlen(text)), EINVAL, "too long a name");
    job_clear(&j);
}

static void
expands(const char *set, const char *text, const char *want)
{
    struct job j;

    is_int(job_read(&j, text, strlen(text)), 0, "read '%s'", brief(text));
    if (set != NULL)
        is_int(job_set(&j, set), 0, "set %s", set);
    is_int(job_expand(&j), 0, "expand");
    is_str(show(&j), want, "what becomes of it");
    job_clear(&j);
}

static void
test_variables(void)
{
    static const char vars[] = "[variables]\na = 1\nb = ${a}2\nc\n[s]\n";
    char text[200];
    struct job j;

    expands(NULL, "[variables]\na = 1\nb = ${a}2\n[s]\nx = ${b}-${a}-$c$$\n",
            "[variables:1] a:2=1 b:3=12 [s:4] x:5=12-1-$c$$");
    expands("a=9", "[variables]\na = 1\nb = ${a}2\n[s]\nx = ${b}\n",
            "[variables:1] a:2=9 b:3=92 [s:4] x:5=92");
    expands("c=x=y", "[variables]\nc\n[s]\nx = ${c}\n",
            "[variables:1] c:2=x=y [s:3] x:4=x=y");
    expands("c=", "[variables]\nc = 1\n[s]\nx = ${c}\n",
            "[variables:1] c:2= [s:3] x:4=");
    expands("c=${a}", "[variables]\na = 1\nc\n[s]\nx = ${c}\n",
            "[variables:1] a:2=1 c:3=${a} [s:4] x:5=${a}");
    expands(NULL, "[s]\nx = $${a} $$${a\n[variables]\n",
            "[s:1] x:2=${a} $${a [variables:3]");
    expands(NULL, "[s]\nx = ${v}\n[variables]\nv = late\n",
            "[s:1] x:2=late [variables:3] v:4=late");
    snprintf(text, sizeof text, "%sx = ${c}", vars);
    refuses(text, 6, "--set c=");
    snprintf(text, sizeof text, "%sx = ${d}", vars);
    refuses(text, 6, "no variable 'd'");
    snprintf(text, sizeof text, "%sx = ${a", vars);
    refuses(text, 6, "a variable is ${NAME}");
    snprintf(text, sizeof text, "%sx = ${}", vars);
    refuses(text, 6, "a variable is ${NAME}");
    refuses("[variables]\na = ${b}\nb = 1\n", 2, "above this line");
    refuses("[variables]\na = ${a}\n", 2, "above this line");
    refuses("[s]\na = ${b}\n", 2, "no variable 'b'");

    refuses("[s]\na = ${run}\n", 2, "no variable 'run'");
    for (int own = 0; own < 2; own++) {
        const char *ours = "[s]\nx = ${run}\n[variables]\nrun = mine\n";

        is_int(job_read(&j, ours, own ? strlen(ours) : 15), 0, "read");
        j.run = "0123";
        is_int(job_expand(&j), 0, "with a name of its own");
        is_str(j.sections[0].entries[0].value, own ? "mine" : "0123",
               "unless the file gives one");
        job_clear(&j);
    }
    is_int(job_read(&j, vars, strlen(vars)), 0, "read");
    is_int(job_set(&j, "d=1"), EINVAL, "set what is not there");
    is_str(j.error, "bad set 'd=1': there is no such name in [variables]",
           "is told");
    is_int(job_set(&j, "a"), EINVAL, "set nothing");
    is_int(job_set(&j, "=a"), EINVAL, "set no name");
    job_clear(&j);
}

/* Values that double each time stay bounded. */
static void
test_growth(void)
{
    char text[4000];
    size_t n = (size_t) snprintf(text, sizeof text,
                                 "[variables]\nv0 = 0123456789abcdef\n");

    for (int i = 1; i < 40; i++)
        n += (size_t) snprintf(text + n, sizeof text - n,
                               "v%d = ${v%d}${v%d}\n", i, i - 1, i - 1);
    refuses(text, 15, "more than 65536 bytes");
}

int
main(void)
{
    test_form();
    test_limits();
    test_variables();
    test_growth();
    return done_testing();
}
