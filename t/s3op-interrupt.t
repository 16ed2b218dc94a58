#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGINT and SIGTERM: results are written, then s3op dies of the signal.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

milliseconds() {
    echo "$((${EPOCHREALTIME/./} / 1000))"
}

# Records, summary and cell tell of the same operations.
results_agree() {
    local ops errors all

    ops=$(member sum ops) errors=$(member sum errors)
    all=$((ops + errors + $(member sum unfinished)))
    is "$(wc -l <sum)" 1 'lines of JSON'
    is "$(awk -F'\t' '!/^#/ && NF != 25' log)" '' 'broken records'
    is "$(column log status | grep -c '^200$')" "$ops" 'successes in the log'
    is "$(column log status | wc -l)" "$all" 'records'
    is "$(column log good_bytes | awk '{ n += $1 } END { print n + 0 }')" \
        "$(member sum good_bytes)" 'good bytes'
    is "$(column log key | sort -u | wc -l)" "$all" 'keys'
    is "$(column cell ops)" "$ops" "the cell's operations"
    is "$(column cell errors)" "$errors" "the cell's errors"
    is "$(tail -c 1 log | od -An -c | tr -d ' ')" '\n' 'end of the log'
}

# A long run in the background, on its way: sets $pid.
start_run() { # ARG...
    rm -f log cell
    "$S3OP" "$@" --json --log log --cell cell s3://bucket/k >sum 2>err &
    pid=$!
    wait_for 30 grep -q '^[0-9]' log
}

is_interrupted() { # SIGNAL STATUS ARG...
    local pid

    start_s3mem --delay-first 300ms
    "$S3OP" mb s3://bucket >out
    start_run "${@:3}"
    kill -s "$1" "$pid"
    expect_exit "$2" wait "$pid"
    results_agree
    is "$(member sum count)" 100000
    (($(member sum ops) >= 32 && $(member sum ops) < 100000))
    is "$(member sum errors)" 0 'what was in flight was waited for'
}

verified_download_is_interrupted() {
    local pid

    start_s3mem --delay-first 30ms
    "$S3OP" mb s3://bucket >out
    "$S3OP" put -n 500 -c 50 --size 3000 s3://bucket/k >out
    rm -f log cell
    "$S3OP" get -n 500 -c 4 --size 3000 --verify -o got --json --log log \
        --cell cell s3://bucket/k >sum 2>err &
    pid=$!
    # Bodies are kept, so records come after the end: wait for the server.
    wait_for 20 test -d got
    wait_for 20 grep -q '^State:.[SR]' "/proc/$pid/status"
    sleep 0.3
    kill -TERM "$pid"
    expect_exit 143 wait "$pid"
    results_agree
    (($(member sum ops) < 500))
    is "$(member sum verified)" "$(member sum ops)"
    is "$(find got -type f | wc -l)" "$(member sum ops)" 'files'
}

# Nothing answers: what is in flight is given up after a moment.
silent_server_is_given_up() {
    local pid begun

    start_canned
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    export AWS_ENDPOINT_URL=$canned_url
    rm -f log cell
    "$S3OP" get -n 100 -c 4 --json --log log --cell cell s3://bucket/k \
        >sum 2>err &
    pid=$!
    wait_for 20 test -e "$canned_dir/request.4"
    begun=$(milliseconds)
    kill -INT "$pid"
    expect_exit 130 wait "$pid"
    (($(milliseconds) < begun + 15000))
    results_agree
    is "$(member sum ops)" 0
    is "$(member sum errors)" 0
    is "$(member sum unfinished)" 4
    is "$(column log transport | sort -u)" cancelled
}

single_operation_is_given_up() {
    local pid

    start_canned
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    "$S3OP" --columns get --endpoint "$canned_url" s3://bucket/k >out 2>err &
    pid=$!
    wait_for 20 test -e "$canned_dir/request.1"
    kill -TERM "$pid"
    expect_exit 143 wait "$pid"
    is "$(column out transport)" cancelled
    is "$(column out good_bytes)" 0
}

# The first signal waits for what is in flight, the second does not.
second_signal_ends_at_once() {
    local pid begun

    start_canned
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    "$S3OP" get -n 100 --endpoint "$canned_url" s3://bucket/k >sum 2>err &
    pid=$!
    wait_for 20 test -e "$canned_dir/request.1"
    begun=$(milliseconds)
    kill -INT "$pid"
    kill -TERM "$pid"
    wait "$pid" || status=$?
    has <(echo "$status") '^(130|143)$'
    (($(milliseconds) < begun + 1500))
    is "$(cat sum)" ''
}

# Before the first request: while payloads are hashed.
preparation_is_interrupted() {
    local pid begun

    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    : >err
    "$S3OP" put -n 100000 --size 64Mi --json --endpoint http://127.0.0.1:1 \
        s3://bucket/k >sum 2>err &
    pid=$!
    wait_for 20 test -s err
    begun=$(milliseconds)
    kill -INT "$pid"
    expect_exit 130 wait "$pid"
    (($(milliseconds) < begun + 10000))
    is "$(member sum ops)" 0
    is "$(member sum errors)" 0
}

test_expect 'SIGINT in a run of puts' is_interrupted INT 130 \
    put -n 100000 -c 32 --size 1000
test_expect 'SIGTERM in a run of puts' is_interrupted TERM 143 \
    put -n 100000 -c 32 --size 1000
test_expect 'SIGTERM in a verified download' verified_download_is_interrupted
test_expect 'a silent server is given up' silent_server_is_given_up
test_expect 'a single operation is given up' single_operation_is_given_up
test_expect 'a second signal ends at once' second_signal_ends_at_once
test_expect 'the preparation is interrupted' preparation_is_interrupted
done_testing
