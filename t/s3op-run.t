#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Job files: s3op run FILE.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column

# The one line on standard error, of a job of LINEs; nothing else comes.
refuses() { # STATUS REGEX LINE...
    printf '%s\n' "${@:3}" >job
    expect_exit "$1" "$S3OP" run job >out 2>err
    is "$(cat out)" '' 'standard output'
    is "$(wc -l <err)" 1 'lines on standard error'
    has err "^s3op: $2"
    hasnt err '[.!]$'
}

use_no_server() {
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    export AWS_ENDPOINT_URL=http://127.0.0.1:1
}

bad_options_are_named() {
    local put=('[a]' 'verb = put' 'target = s3://b/k' 'size = 1')

    use_no_server
    refuses 2 "job:5: bad size '4x'" "${put[@]}" 'size = 4x'
    refuses 2 "job:5: unknown option 'sizee'" "${put[@]}" 'sizee = 4'
    refuses 2 "job:5: unknown option 's'" "${put[@]}" 's = 4'
    refuses 2 "job:5: unknown option 'help'" "${put[@]}" help
    refuses 2 "job:5: unknown option 'share'" "${put[@]}" 'share = 1/2'
    refuses 2 "job:5: 'count' needs a value" "${put[@]}" count
    refuses 2 "job:5: bad quiet 'perhaps'" "${put[@]}" 'quiet = perhaps'
    refuses 2 'job:5: --verify does not go with put' "${put[@]}" verify
    refuses 2 'job:1: put takes one target, not 2' "${put[@]}" \
        'target = s3://b/l'
    refuses 2 'job:1: -r needs an end' "${put[@]}" 'rate = 5'
    refuses 2 'job:1: put needs one of --size and --file' '[a]' 'verb = put' \
        'target = s3://b/k'
    refuses 2 "job:1: bad target 'b/k'" '[a]' 'verb = get' 'target = b/k'
    # The second stage is looked at before the first one begins.
    refuses 2 "job:5: bad duration 'x'" '[a]' 'verb = ls' '[b]' 'verb = ls' \
        'duration = x'
    refuses 2 "job:3: bad endpoint 'ftp://h'" '[a]' 'verb = ls' '[b]' \
        'verb = ls' 'endpoint = ftp://h'
    refuses 2 "job:1: bad header 'x-amz-date'" '[a]' 'verb = ls' \
        'header = x-amz-date: today'
}

bad_settings_are_named() {
    use_no_server
    refuses 2 "job:2: bad verb 'fetch': a stage does " '[a]' 'verb = fetch'
    refuses 2 "job:2: bad verb 'run'" '[a]' 'verb = run'
    refuses 2 "job:2: bad verb 'probe'" '[a]' 'verb = probe'
    refuses 2 "job:1: the stage 'a' has no verb" '[a]' 'count = 1'
    refuses 2 "job:3: bad on-failure 'x'" '[a]' 'verb = ls' 'on-failure = x'
    refuses 2 "job:3: bad cleanup 'x'" '[a]' 'verb = ls' 'cleanup = x'
    refuses 2 'job: there is no stage' '# nothing' '[global]'
    refuses 2 'job:2: a line is ' '' '--size = 4'
    refuses 2 'job:3: there is a section \[a\] already' '[a]' 'verb = ls' '[a]'
    # shellcheck disable=SC2016 # that is a variable of the file
    refuses 2 "job:4: there is no variable 'x'" '[variables]' '[a]' \
        'verb = ls' 'prefix = ${x}'
    refuses 2 "job:2: 'size' is for none of the stages" '[global]' 'size = 4' \
        '[a]' 'verb = ls'
    refuses 2 'job:2: cleanup is for a stage' '[global]' cleanup '[a]' \
        'verb = ls'
    refuses 2 "job:5: bad without 'size'" '[global]' 'count = 1' '[a]' \
        'verb = ls' 'without = count size'
}

bad_command_lines_are_named() {
    use_no_server
    printf '%s\n' '[a]' 'verb = ls' >job
    expect_exit 2 "$S3OP" run none >out 2>err
    is "$(cat err)" "s3op: cannot read 'none': No such file or directory"
    expect_exit 2 "$S3OP" run a b >out 2>err
    has err '^s3op: run takes one job file, not 2$'
    expect_exit 2 "$S3OP" run --set x job >out 2>err
    has err "^s3op: job: bad set 'x': it is NAME=VALUE$"
    expect_exit 2 "$S3OP" run --count 4 job >out 2>err
    has err '^s3op: --count does not go with run$'
    expect_exit 2 "$S3OP" ls --check >out 2>err
    has err '^s3op: --check does not go with ls$'
}

keys_stay_out_of_it() {
    local name

    use_no_server
    for name in access-key secret_key aws_secret_access_key \
        AWS_ACCESS_KEY_ID password; do
        refuses 2 'job:3: keys never stand in a job file' '[a]' 'verb = ls' \
            "$name = SECRET"
        hasnt err SECRET
        refuses 2 'job:2: keys never stand in a job file' '[variables]' \
            "$name = SECRET" '[a]' 'verb = ls'
        hasnt err SECRET
    done
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    refuses 3 'job:1: no credentials' '[a]' 'verb = ls'
}

check_only_prints() {
    export AWS_ENDPOINT_URL=http://127.0.0.1:1 # nobody is asked
    cat >job <<'END'
[variables]
n = 5
name = k${n}
[global]
count = ${n}
retries = 2
header = a: b
[one]
verb = put
target = s3://b/${name} $${n}
size = 1Ki
quiet = no
[two]
verb = rm
target = s3://b/x
target = s3://b/y
header = c: d
header = e: f
without = count retries
cleanup = yes
quiet
END
    "$S3OP" run --check job >out 2>err
    is "$(cat err)" ''
    is "$(cat out)" "one	s3op --phase=one --count=5 --retries=2 --header=a: b --size=1Ki put s3://b/k5 \${n}
two	s3op --phase=two --header=c: d --header=e: f --quiet rm s3://b/x s3://b/y"
    "$S3OP" run --check --set n=7 --set name= --json \
        --endpoint http://127.0.0.1:2 job >out
    is "$(head -n 1 out)" "one	s3op --phase=one --count=7 --retries=2 --header=a: b --size=1Ki --endpoint=http://127.0.0.1:2 --json put s3://b/ \${n}"
    "$S3OP" run --check - <job >out
    is "$(wc -l <out)" 2
}

command_line_beats_the_file() {
    printf '%s\n' '[global]' 'endpoint = http://127.0.0.1:1' '[a]' \
        'verb = ls' 'region = eu-x-1' >job
    "$S3OP" run --check --endpoint http://h --region us-y-2 job >out
    is "$(cat out)" "a	s3op --phase=a --endpoint=http://h --region=us-y-2 ls"
}

each_run_has_a_name() {
    # shellcheck disable=SC2016 # that is a variable of the file
    printf '%s\n' '[a]' 'verb = ls' 'prefix = ${run}' 'target = s3://b' >job
    "$S3OP" run --check job >one
    "$S3OP" run --check job >two
    has one 'prefix=[0-9a-f]{8} ls'
    fails cmp -s one two
}

examples_are_named() {
    local file

    for file in "$srcdir"/doc/examples/*.s3op; do
        has "$srcdir/doc/jobs.md" "examples/${file##*/}"
        has "$srcdir/t/s3op-run.t" "example_runs ${file##*/}"
    done
}

example_runs() { # FILE ARG...
    "$S3OP" run "${@:2}" "$srcdir/doc/examples/$1" >out 2>err
    hasnt err .
    "$S3OP" ls -o - >list
    is "$(awk -v own="$bucket" '$NF != own' list)" '' 'buckets that are left'
}

first_example() {
    example_runs first.s3op
    is "$(grep -c '^\(upload\|download\|delete\)  ' out)" 3
    has out '^upload  10 ops, 0 errors' '10 of 10 downloads verified'
    example_runs first.s3op --set count=3 --set size=100 --json
    is "$(wc -l <out)" 5
    jq -e -s 'length == 5 and .[1].phase == "upload" and .[1].ops == 3 and
        .[1].size == 100 and .[4].op == "rb" and
        (.[1].command | startswith("s3op --phase=upload --count=3"))' out
}

encryption_example() {
    example_runs encrypted.s3op --set count=5 --set size=70000 --set lanes=2 \
        --json
    jq -e -s 'length == 8 and all((.errors // 0) == 0) and
        (map(select(.request.encryption == "c")) | length == 2) and
        .[4].phase == "download-encrypted" and .[4].good_bytes == 350000' out
}

measuring_example() {
    example_runs warm-measure.s3op --set objects=20 --set size=1Ki \
        --set seconds=0.1 --json
    jq -e -s '[.[] | .phase // .op] == ["mb", "prepare", "warm", "get-1",
        "get-16", "get-64", "delete", "rb"] and
        .[3].concurrency == 1 and .[5].concurrency == 64 and
        all(.[1:7][]; .errors == 0 and .ops > 0)' out
}

# On a machine that is busy a rate may be missed, which is 1.
rates_example() {
    local status=0

    example_runs rates.s3op --set rate=20 --set seconds=0.5 || status=$?
    ((status <= 1))
    has out '^at-rate  ' '^at-10-times-the-rate  ' '^list  '
}

mixed_example() {
    example_runs mixed.s3op --set objects=50 --set names=70 --set lanes=4 \
        --set seconds=0.3 --json
    jq -e -s '.[2].phase == "mixed" and all((.errors // 0) == 0) and
        (.[2].slices | map(select(.by == "operation").name)) ==
            ["get", "head", "put", "rm"] and
        .[2].verified >= .[2].slices[0].ops' out
}

sizes_example() {
    "$S3OP" mb "s3://$bucket" >out
    example_runs sizes.s3op --set bucket="$bucket" --set table=cells \
        --set count=4
    is "$(column cells phase | tr '\n' ' ')" \
        'put-4KiB get-4KiB put-64KiB get-64KiB put-1MiB get-1MiB '
    "$S3OP" ls "s3://$bucket" -o - >list
    is "$(cat list)" '' 'objects that are left'
    "$S3OP" rb "s3://$bucket" >out
}

# What a job of plain operations has done.
ops() {
    cut -f 12 out | tr '\n' ' '
}

failures_stop_all_but_cleanup() {
    cat >job <<END
[make]
verb = mb
target = s3://$bucket
[early]
verb = get
target = s3://$bucket/none
[late]
verb = put
target = s3://$bucket/late
size = 1
[unmake]
verb = rb
target = s3://$bucket
cleanup
END
    expect_exit 1 "$S3OP" run job >out 2>err
    is "$(ops)" 'mb get rb '
    has err "^s3op: job:4: the stage 'early' failed: only clean-up follows$"
}

failures_can_be_passed_over() {
    cat >job <<END
[global]
on-failure = continue
[early]
verb = get
target = s3://$bucket/none
[late]
verb = mb
target = s3://$bucket
[unmake]
verb = rb
target = s3://$bucket
END
    expect_exit 1 "$S3OP" run job >out 2>err
    is "$(ops)" 'get mb rb '
    hasnt err 'only clean-up'
}

# The worst of 4 (a full disk), 1 (no such bucket) and 0.
worst_status_counts() {
    cat >job <<END
[global]
on-failure = continue
[full]
verb = ls
log = /dev/full
[missing]
verb = ls
target = s3://$bucket-none
[fine]
verb = ls
END
    expect_exit 4 "$S3OP" run job >out 2>err
    has err '^s3op: job:3: cannot write ' "^s3op: ls s3://$bucket-none: 404"
    is "$(grep -c '^[0-9]' out)" 2 'records of the other two'
}

# One signal ends the stage, whose results are written; clean-up is done,
# nothing else; then s3op dies of it.
is_interrupted() { # SIGNAL STATUS
    local pid

    cat >job <<END
[make]
verb = mb
target = s3://$bucket
[measure]
verb = put
target = s3://$bucket/k
size = 10
concurrency = 4
objects = 50
duration = 60s
log = records
[never]
verb = mb
target = s3://$bucket-never
[delete]
verb = rm
target = s3://$bucket/k
count = 50
batch
cleanup
[unmake]
verb = rb
target = s3://$bucket
cleanup
END
    rm -f records
    "$S3OP" run --json job >sum 2>err &
    pid=$!
    wait_for 30 grep -qs '^[0-9]' records
    kill -s "$1" "$pid"
    expect_exit "$2" wait "$pid"
    has err "^s3op: job:4: the stage 'measure' was interrupted: only clean-up follows$"
    jq -e -s '[.[] | .phase // .op] == ["mb", "measure", "delete", "rb"] and
        .[1].ops > 0 and .[1].errors == 0' sum
    fails "$S3OP" head "s3://$bucket" >out 2>err
    fails "$S3OP" head "s3://$bucket-never" >out 2>err
}

# A second one ends the clean-up, too.
cleanup_is_interrupted() {
    local pid

    cat >job <<'END'
[measure]
verb = ls
concurrency = 1
duration = 60s
log = first
[tidy]
verb = ls
concurrency = 1
duration = 60s
log = second
cleanup
[never]
verb = ls
cleanup
log = third
END
    "$S3OP" run --quiet job >out 2>err &
    pid=$!
    wait_for 30 grep -qs '^[0-9]' first
    kill -s INT "$pid"
    wait_for 30 grep -qs '^[0-9]' second
    kill -s INT "$pid"
    expect_exit 130 wait "$pid"
    [[ ! -e third ]]
}

stages_may_have_workers() {
    cat >job <<END
[make]
verb = mb
target = s3://$bucket
[put]
verb = put
target = s3://$bucket/k
size = 10
workers = 2
concurrency = 4
count = 40
[delete]
verb = rm
target = s3://$bucket/k
count = 40
batch
cleanup
[unmake]
verb = rb
target = s3://$bucket
cleanup
END
    "$S3OP" run --json job >sum
    jq -e -s '.[1].ops == 40 and (.[1].workers | length) == 2' sum
}

# Memory is each stage's own, not that of the largest before it.
memory_is_each_stages_own() {
    cat >job <<'END'
[large]
verb = ls
concurrency = 1000
count = 1000
[small]
verb = ls
count = 1
END
    "$S3OP" run --json job >sum
    jq -s -e '.[0].max_rss_kib > 1.5 * .[1].max_rss_kib' sum || {
        note "$(jq .max_rss_kib sum)"
        return 1
    }
}

test_expect 'bad options are named, with file and line' bad_options_are_named
test_expect 'bad settings are, too' bad_settings_are_named
test_expect 'and so are bad command lines' bad_command_lines_are_named
test_expect 'keys stay out of it' keys_stay_out_of_it
start_s3mem
readonly bucket=$test_id
test_expect '--check prints, and does nothing' check_only_prints
test_expect 'the command line beats the file' command_line_beats_the_file
test_expect 'each run has a name of its own' each_run_has_a_name
test_expect 'examples are in the manual, and run here' examples_are_named
test_expect 'example: first' first_example
test_expect 'example: encrypted' encryption_example
test_expect 'example: warm-measure' measuring_example
test_expect 'example: rates' rates_example
test_expect 'example: sizes' sizes_example
test_expect 'example: mixed' mixed_example
test_expect 'failures stop all but clean-up' failures_stop_all_but_cleanup
test_expect 'failures can be passed over' failures_can_be_passed_over
test_expect 'the worst status counts' worst_status_counts
test_expect 'SIGINT: the stage ends, clean-up follows' is_interrupted INT 130
test_expect 'SIGTERM: the same' is_interrupted TERM 143
test_expect 'a second signal ends clean-up' cleanup_is_interrupted
if command -v parallel >/dev/null; then
    test_expect 'stages may have workers' stages_may_have_workers
else
    test_skip 'stages may have workers' 'there is no GNU parallel'
fi
if grep -q __asan_init "$S3OP"; then
    test_skip 'memory is told of each stage alone' 'the sanitizer keeps it'
else
    test_expect 'memory is told of each stage alone' memory_is_each_stages_own
fi
stop_s3mem
done_testing
