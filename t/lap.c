/* SPDX-License-Identifier: MIT */
/* Timing another program, and adding laps up. */
#include "config.h"

#include "lap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "clock.h"
#include "tap.h"

#define MS CLOCK_NS_PER_MS

static struct lap lap;

/* Run SCRIPT by sh, with whatever else ORDER says. */
static int
run_order(struct lap_order order, const char *script)
{
    char *argv[] = {(char *) "sh", (char *) "-c", (char *) script, NULL};

    order.argv = argv;
    return lap_run(&lap, &order);
}

static int
run(const char *script)
{
    return run_order((struct lap_order){0}, script);
}

static void
test_ends(void)
{
    char *absent[] = {(char *) "/nonexistent/program", NULL};
    struct lap_order order = {.argv = absent};

    is_int(run("exit 0"), 0, "a program");
    is_int(lap.end, LAP_DONE, "ends well");
    is_int(lap_status(&lap), 0, "which is status 0");
    run("echo first; echo second >&2; echo ' '; exit 7");
    is_int(lap.end, LAP_EXIT, "one that fails");
    is_int(lap.number, 7, "with its status");
    is_str(lap.said, "second", "and the last line that it printed");
    is_int(lap_status(&lap), 1, "which is status 1");
    run("kill -9 $$");
    is_int(lap.end, LAP_SIGNAL, "one that is killed");
    is_int(lap.number, 9, "by its signal");
    is_int(lap_run(&lap, &order), 0, "one that is not there");
    is_int(lap.number, 127, "has status 127");
    is_str(lap.said, "/nonexistent/program: No such file or directory",
           "and says why");
    run("printf 'a\\001b\\tc\\n'");
    is_str(lap.said, "a?b?c", "control characters do not stay");
    run("yes | head -c 200000; echo; echo end");
    is_str(lap.said, "end", "only the end of much is kept");
    run("head -c 9999 /dev/zero | tr '\\0' x");
    is_int((int64_t) strlen(lap.said), LAP_SAID_SIZE - 1, "a long line is cut");
    run("cat");
    is_int(lap.end, LAP_DONE, "standard input is empty");
}

static void
test_times(void)
{
    int64_t before = clock_now_ns();

    run("sleep 0.2");
    ok(lap.start_ns >= before && lap.end_ns <= clock_now_ns(),
       "a lap lies within its call");
    ok(lap.end_ns - lap.start_ns >= 200 * MS, "and takes as long as it does");
    ok(lap.cpu_ns < 150 * MS, "sleep takes no CPU time");
    ok(lap.rss_kib > 100, "it takes some memory");
    run("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done");
    ok(lap.cpu_ns > 20 * MS, "a loop takes CPU time");
    run("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; true");
    ok(lap.cpu_ns > 20 * MS, "also in a child of the program");
    before = clock_now_ns();
    run("sleep 100 & exit 0");
    ok(clock_now_ns() - before < 50000 * MS,
       "a child that keeps the pipe is not waited for");
}

static void
test_limits(void)
{
    pid_t child;
    int status = 0;

    run_order((struct lap_order){.timeout_ns = 200 * MS}, "sleep 100");
    is_int(lap.end, LAP_TIMEOUT, "a slow one is ended");
    run_order((struct lap_order){.timeout_ns = 200 * MS},
              "trap '' TERM; sleep 100 & wait");
    is_int(lap.end, LAP_TIMEOUT, "with all its children");
    run_order((struct lap_order){.timeout_ns = 60000 * MS}, "true");
    is_int(lap.end, LAP_DONE, "a quick one is not");
    child = fork();
    if (child == 0) {
        /* We are told to stop, and give it a second. */
        run("kill -TERM $PPID; sleep 100");
        _exit(lap.end == LAP_STOPPED ? 10 : 11);
    }
    waitpid(child, &status, 0);
    is_int(WEXITSTATUS(status), 10, "SIGTERM stops it");
    child = fork();
    if (child == 0) {
        run("kill -TERM $PPID; sleep 0.1; exit 0");
        _exit(lap.end == LAP_DONE ? 10 : 11);
    }
    waitpid(child, &status, 0);
    is_int(WEXITSTATUS(status), 10, "unless it ends in that moment");
}

static void
test_files(void)
{
    char folder[] = "/tmp/s3perf-lap-XXXXXX", out[64], got[64], text[16] = "";
    struct lap_order order = {.output = out, .result = got, .result_size = 3};
    FILE *file;

    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        exit(99);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(got, sizeof got, "%s/got", folder);
    run_order(order, "echo hello; echo oops >&2; printf abc >got");
    is_int(lap.end, LAP_DONE, "a result of the right size");
    is_str(lap.said, "oops", "only standard error is listened to");
    file = fopen(out, "re");
    ok(file != NULL && fgets(text, sizeof text, file) != NULL, "output");
    is_str(text, "hello\n", "went to its file");
    if (file != NULL)
        fclose(file);
    run_order(order, "printf ab >got");
    is_int(lap.end, LAP_SHORT, "a shorter one");
    run_order(order, "rm got");
    is_int(lap.end, LAP_SHORT, "none at all");
    run_order(order, "rm -f got; exit 3");
    is_int(lap.end, LAP_EXIT, "a failure is a failure first");
    unlink(out);
    unlink(got);
    rmdir(folder);
    order.output = "/nonexistent/out";
    is_int(run_order(order, "true"), ENOENT, "an output that cannot be");
}

static FILE *
file_of(const char *text)
{
    FILE *file = tmpfile();

    if (file == NULL || fputs(text, file) < 0)
        exit(99);
    rewind(file);
    return file;
}

static void
test_environment(void)
{
    FILE *file = file_of("LAP_A=1=2\nLAP_B\nLAP_C=\nLAP_D=no newline");

    setenv("LAP_B", "there", 1);
    is_int(lap_read_environment(file), 0, "an environment");
    fclose(file);
    is_str(getenv("LAP_A"), "1=2", "a value with =");
    ok(getenv("LAP_B") == NULL, "unset");
    is_str(getenv("LAP_C"), "", "empty");
    is_str(getenv("LAP_D"), "no newline", "the last line");
    file = file_of("LAP_A=3\n=x\n");
    is_int(lap_read_environment(file), EINVAL, "no name");
    fclose(file);
    file = file_of("\n");
    is_int(lap_read_environment(file), EINVAL, "an empty line");
    fclose(file);
}

static void
test_lines(void)
{
    static const char *const bad[] = {
        "",
        "1\t2\t3\t4\tdone\t0",
        "2\t1\t3\t4\tdone\t0\t",
        "1\t2\t3\t4\tfine\t0\t",
        "1\t2\t3\t4\texit\t256\t",
        "1\t2\t-3\t4\texit\t1\t",
        "x\t2\t3\t4\tdone\t0\t",
        "1\t2\t3\t4\tdone\t0\ta\tb\tc" /* tabs are no text of ours */};
    struct lap in = {.start_ns = 5,
                     .end_ns = 17,
                     .cpu_ns = 9,
                     .rss_kib = 77,
                     .end = LAP_EXIT,
                     .number = 3,
                     .said = "went wrong"};
    struct lap back;
    struct buf line;

    buf_init(&line, LAP_LINE_MAX);
    is_int(lap_add_line(&line, &in), 0, "a line");
    is_str(line.data, "5\t17\t9\t77\texit\t3\twent wrong\n", "of a lap");
    ok(lap_parse_line(&back, line.data), "is read");
    ok(memcmp(&back, &in, sizeof in) == 0, "back as it was");
    for (size_t i = 0; i < sizeof bad / sizeof *bad - 1; i++)
        ok(!lap_parse_line(&back, bad[i]), "bad line %zu", i);
    buf_clear(&line);
}

static void
test_tally(void)
{
    struct report_asked asked = {.op = "put",
                                 .phase = "upload",
                                 .bucket = "b",
                                 .key = "k",
                                 .endpoint = "http://h",
                                 .size = 100,
                                 .count = 5,
                                 .concurrency = 2};
    struct report r;
    FILE *file = file_of("1000000\t3000000\t500000\t40\tdone\t0\tok\n"
                         "2000000\t6000000\t700000\t90\tdone\t0\t\n"
                         "2000000\t4000000\t0\t50\texit\t3\tno\n"
                         "3000000\t5000000\t0\t50\ttimeout\t0\t\n"
                         "9000000\t99000000\t300000\t50\tstopped\t0\t\n");

    is_int(report_init(&r, &asked), 0, "a report");
    is_int(lap_tally(&r, file, true), 0, "laps add up");
    fclose(file);
    is_int((int64_t) r.ops, 2, "successes");
    is_int((int64_t) r.errors, 2, "failures");
    is_int((int64_t) r.unfinished, 1, "and one that was stopped");
    is_int((int64_t) r.good_bytes, 200, "bytes");
    is_int((int64_t) (report_window_s(&r) * 1e9 + 0.5), 5000000, "window");
    is_int(r.service.max_ns, 4000000, "the longest");
    is_int(r.cpu_ns, 1500000, "CPU time, all of it");
    is_int((int64_t) r.max_rss_kib, 90, "most memory");
    is_str(r.failures[0].code, "Exit3", "a status as code");
    is_str(r.failures[0].message, "no", "and what was said");
    is_str(r.failures[1].transport, "timeout", "a timeout");
    report_clear(&r);
    is_int(report_init(&r, &asked), 0, "another report");
    file = file_of("1\t3\t0\t0\tdone\t0\t\nrubbish\n");
    is_int(lap_tally(&r, file, false), EINVAL, "a line that is none");
    fclose(file);
    is_int((int64_t) r.good_bytes, 0, "nothing was moved");
    report_clear(&r);
}

int
main(void)
{
    test_ends();
    test_times();
    test_limits();
    test_files();
    test_environment();
    test_lines();
    test_tally();
    return done_testing();
}
