#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --log: records pass through zstd when asked, and no loss is silent.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

records() { # FILE: how many are in it
    column "$1" key | wc -l
}

zstd_packs_them() {
    "$S3OP" put -n 3000 -c 8 -s 10 --json --log log.zst "s3://$bucket/z" >sum
    is "$(member sum ops)" 3000 'operations'
    zstd -q -d log.zst -o log
    is "$(records log)" 3000 'records'
    is "$(column log key | sort -u | wc -l)" 3000 'keys'
    is "$(head -n 1 log)" '# s3perf-ops 1' 'first line'
    (($(wc -c <log.zst) * 4 < $(wc -c <log))) ||
        note 'it is hardly smaller' || return 1
}

an_interrupted_log_is_whole() {
    local pid status=0 n

    "$S3OP" get -n 9999999 --objects=1 -c 4 --think=1ms -s 1000 --json \
        --log int.zst "s3://$bucket/k" --progress=json >sum 2>progress &
    pid=$!
    wait_for 30 grep -q elapsed progress
    kill -INT "$pid"
    wait "$pid" || status=$?
    is "$status" 130 'status'
    zstd -q -d int.zst -o int
    n=$(($(member sum ops) + $(member sum errors) + $(member sum unfinished)))
    is "$(records int)" "$n" 'records'
}

a_full_disk_is_said() {
    ln -sf /dev/full full.zst
    expect_exit 4 "$S3OP" put -n 2000 -s 10 --log full.zst "s3://$bucket/f" \
        >out 2>err
    has err "cannot write full.zst"
    has err '^zstd: error'
    expect_exit 4 "$S3OP" put -n 2000 -s 10 --log /dev/full "s3://$bucket/f" \
        >out 2>err
    has err "cannot write /dev/full: No space left on device"
}

# Before the first request, since nothing of the run would be kept.
no_run_without_its_head() {
    expect_exit 4 "$S3OP" put -n 1 -s 10 --log /dev/full "s3://$bucket/head" \
        >out 2>err
    has err '^s3op: cannot write /dev/full: No space left on device$'
    expect_exit 1 "$S3OP" head "s3://$bucket/head" >out 2>err
    has err '404'
    expect_exit 4 "$S3OP" head --columns "s3://$bucket/k" >/dev/full 2>err
    has err '^s3op: cannot write standard output: No space left on device$'
}

waits_for_lock() { # PID
    grep -q -- "-> FLOCK .* $1 " /proc/locks
}

# Runs that share a file of cells: one writes the header, none is torn.
cells_are_appended_one_by_one() {
    local lock pids=() pid

    exec {lock}>>shared
    flock "$lock"
    for _ in 1 2 3; do
        "$S3OP" put -n 2 -s 10 --cell shared "s3://$bucket/c" >out 2>err \
            {lock}>&- &
        pids+=("$!")
    done
    for pid in "${pids[@]}"; do wait_for 20 waits_for_lock "$pid"; done
    [[ ! -s shared ]]
    exec {lock}>&-
    for pid in "${pids[@]}"; do wait "$pid"; done
    is "$(grep -c '^# s3perf-cells' shared)" 1 'headers'
    is "$(column shared ops | wc -l)" 3 'cells'
    is "$(column shared ops | sort -u)" 2 'operations of each'
}

a_missing_zstd_is_said() {
    mkdir -p nothing
    PATH=$PWD/nothing expect_exit 4 "$S3OP" put -n 2 -s 10 --log x.zst \
        "s3://$bucket/m" >out 2>err
    has err "cannot write 'x.zst' through zstd: No such file or directory"
}

enough_done() { # PID: so many records that the queue must have overflown
    local ops

    kill -0 "$1" || return 0 # it has ended, the test will tell how
    ops=$(grep -o '"ops":[0-9]*' progress | tail -n 1 || :)
    ((10#0${ops##*:} >= 22000))
}

lost_records_are_said() {
    local pid reader status=0 n

    mkfifo pipe
    exec 7<>pipe # opens without waiting; nothing reads yet
    "$S3OP" get -n 80000 -c 64 -s 1000 --json --log pipe "s3://$bucket/k" \
        --objects=1 --progress=json --interval=100ms >sum 2>progress 7<&- &
    pid=$!
    wait_for 120 enough_done "$pid"
    exec 8<pipe 7<&- # in this order, or for a moment it has no reader
    cat <&8 >log &
    reader=$!
    exec 8<&-
    wait "$pid" || status=$?
    wait "$reader"
    is "$status" 4 'status'
    has progress 'cannot write pipe: records came faster than they could be'
    is "$(member sum ops)" 80000 'operations, all of which are counted'
    n=$(records log)
    ((n >= 16384 && n < 80000)) || note "$n records" || return 1
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null
"$S3OP" put -s 1000 "s3://$bucket/k" >/dev/null
"$S3OP" put -s 1000 -n 1 --objects=1 "s3://$bucket/k" >/dev/null
test_expect 'zstd packs records' zstd_packs_them
test_expect 'an interrupted log is whole' an_interrupted_log_is_whole
test_expect 'no run begins when its head cannot be written' \
    no_run_without_its_head
test_expect 'cells are appended one by one' cells_are_appended_one_by_one
test_expect 'a full disk is said' a_full_disk_is_said
test_expect 'a missing zstd is said' a_missing_zstd_is_said
test_expect 'lost records are said' lost_records_are_said
done_testing
