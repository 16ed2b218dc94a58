#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --workers: processes under GNU parallel, one result as of one process.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column

no_folder_is_left() {
    is "$(find "$TMPDIR" -name 's3op-workers.*')" '' 'folders left'
}

keys_are_dealt_out() {
    load put -n 100 -c 10 -s 1000 --workers 3 --log log "s3://$bucket/k"
    check sum '.ops == 100 and .errors == 0 and .good_bytes == 100000'
    check sum '.count == 100 and .concurrency == 10'
    check sum '[.workers[].ops] == [34, 33, 33]'
    check sum '[.workers[].lost] == [false, false, false]'
    check sum '([.intervals[].ops] | add) == 100'
    check sum '.service_us.count == 100 and .stages_us.first.count == 100'
    is "$(column log key | sort)" "$(printf 'k%d\n' {1..100} | sort)" keys
    is "$(column log lane | sort -nu | tr '\n' ' ')" '0 1 2 3 4 5 6 7 8 9 '
    # Key I belongs to worker I modulo 3, as do the lanes.
    paste <(column log key) <(column log lane) | tr -d k |
        awk '($1 - 1) % 3 != $2 % 3 { bad++ } END { exit bad > 0 }'
    is "$(column log end_us)" "$(column log end_us | sort -n)" 'order of ends'
    is "$(awk -F'\t' '!/^#/ && NF != 25' log)" '' 'broken records'
    is "$(grep -c '^#' log)" 7 'lines of the head'
    no_folder_is_left
}

contents_are_verified() {
    load get -n 100 -c 10 -s 1000 --verify --workers 3 -o got "s3://$bucket/k"
    check sum '.verify == "after" and .verified == 100 and .mismatched == 0'
    is "$(find got -type f | wc -l)" 100 files
    expect_exit 1 "$S3OP" get -n 100 -c 10 -s 1000 --seed 2 --verify \
        --workers 3 --json "s3://$bucket/k" >sum 2>err
    check sum '.mismatched == 100 and .errors == 100 and .ops == 0'
    check sum '.failures[0].transport == "mismatch"'
    has err 'content differs at byte .* \[100 times\]'
}

objects_go_round() {
    load put -n 60 -c 4 -s 10 --objects 5 --workers 4 --log log \
        "s3://$bucket/o"
    is "$(column log key | sort | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" \
        '12o1 12o2 12o3 12o4 12o5 ' 'how often each'
    load get -n 60 -c 4 -s 10 --objects 6 --workers 4 --log log \
        "s3://$bucket/k" || : # their size differs
    is "$(column log key | sort | uniq -c | awk '{ print $1 }' | sort -u)" 10
    load get -n 15 -c 4 -s 10 --objects 5 --workers 4 --verify \
        "s3://$bucket/o"
    load rm -n 5 --batch "s3://$bucket/o"
}

timed_keys_never_collide() {
    load put -d 500ms -c 4 -s 10 --workers 2 --log log "s3://$bucket/d"
    check sum '.errors == 0 and .steady and .imbalance < 0.001'
    check sum '.window_s > 0.3 and .window_s <= 0.5'
    check sum '(.ops_per_s * .window_s - .ops | fabs) < 1'
    check sum '([.workers[].ops_per_s] | add) / .ops_per_s - 1 | fabs < 1e-6'
    is "$(column log key | sort | uniq -d | wc -l)" 0 'keys put twice'
    load ls -n 1 "s3://$bucket/d"
    check sum ".entries == $(column log key | wc -l)"
    load rm -n "$(column log key | tr -d d | sort -n | tail -n 1)" -c 4 \
        --batch=10 --workers 4 "s3://$bucket/d"
    load ls -n 1 "s3://$bucket/d"
    check sum '.entries == 0'
}

# The percentile P (nearest rank) of the numbers on standard input.
nearest_rank() { # P
    sort -n | awk -v p="$1" '
        { v[NR] = $1 }
        END { r = p * NR; if (r > int(r)) r = int(r) + 1; print v[r] }'
}

# Percentiles of the merged histograms are those of the merged records.
percentiles_are_exact() {
    local p name

    load get -n 4000 -c 16 -s 1000 --objects 100 --workers 4 --log log \
        --hist hist --cell cell "s3://$bucket/k"
    column log total_us >total
    for p in 0.5 0.9 0.99 0.999; do
        name=p${p#0.}
        [[ $p != 0.5 && $p != 0.9 ]] || name=${name}0
        nearest_rank "$p" <total >want
        check sum "(.service_us.$name / $(<want) - 1 | fabs) <= 0.001"
    done
    check sum ".service_us.max == $(sort -n total | tail -n 1)"
    check sum ".service_us.min == $(sort -n total | head -n 1)"
    # The file has all stages, and the cell names it.
    is "$(column cell hist)" hist
    is "$(sed -n 's/^# stage: //p' hist | tr '\n' ' ')" \
        'service response failed lag lookup connect tls sent first body '
    is "$(grep -c '^$' hist)" 9 'blank lines'
    is "$(awk '/^$/ { exit } /^[0-9]/ { n += $2 } END { print n }' hist)" 4000
    is "$(awk '/^# stage/ { s = $3 } /^# count/ && s == "first" { print $3 }' \
        hist)" 4000
}

a_rate_is_kept() {
    load get -r 200/s -d 2s -s 1000 --workers 4 --log log "s3://$bucket/k1"
    check sum '.due == 400 and .started_ops == 400 and .rate_asked == 200'
    check sum '(.ops_per_s - 200 | fabs) < 5'
    check sum '.marks | index("rate-missed") == null'
    check sum '[.workers[].ops] == [100, 100, 100, 100]'
    # Arrivals of all workers are 5 ms apart.
    column log due_us | sort -n | awk '
        NR > 1 { gap = $1 - last; if (gap < 4999 || gap > 5001) bad++ }
        { last = $1 }
        END { exit bad > 0 }'
    load get -r 400 --arrivals poisson -d 2s -s 1000 --workers 4 --log log \
        "s3://$bucket/k1"
    check sum '.ops > 650 and .ops < 950'
    is "$(column log due_us | sort | uniq -d)" '' 'arrivals at one moment'
}

odd_texts_survive_the_shell() {
    local key='a {} {#} '\''q" $(touch x) `touch x` ; \ %s
é'

    load put -n 4 -c 2 -s 10 --workers 2 --log log --phase 'a b' \
        "s3://$bucket/$key"
    check sum '.phase == "a b" and .ops == 4'
    load get -n 4 -c 2 -s 10 --workers 2 --verify "s3://$bucket/$key"
    check sum '.verified == 4'
    [[ ! -e x ]]
    load rm -n 4 -c 2 --workers 2 "s3://$bucket/$key"
}

failures_are_added_up() {
    expect_exit 1 "$S3OP" get -n 30 -c 6 --workers 3 --json \
        "s3://$bucket/none" >sum 2>err
    check sum '.errors == 30 and .ops == 0 and (.failures | length) == 1'
    check sum '.failures[0].code == "NoSuchKey"'
    check sum '.failures[0].count == 30'
    is "$(wc -l <err)" 1 'lines'
    has err "^s3op: get .*404 NoSuchKey.* \[30 times\]$"
    AWS_ENDPOINT_URL=http://127.0.0.1:1 expect_exit 3 "$S3OP" get -n 4 -c 2 \
        --workers 2 "s3://$bucket/k" >sum 2>err
    has err '127.0.0.1:1'
}

records_go_where_they_are_told() {
    load get -n 40 -c 4 -s 1000 --workers 2 --log log.zst "s3://$bucket/k"
    zstd -q -d -f log.zst
    is "$(column log key | sort -u | wc -l)" 40 'records through zstd'
    "$S3OP" get -n 40 -c 4 -s 1000 --workers 2 --log - --columns \
        "s3://$bucket/k" >log 2>out
    is "$(column log key | sort -u | wc -l)" 40 'records on standard output'
    has out '^get  40 ops, 0 errors'
    expect_exit 4 "$S3OP" get -n 40 -c 4 --workers 2 --log /dev/full \
        "s3://$bucket/k" >out 2>err
    has err '/dev/full'
}

text_tells_of_workers() {
    "$S3OP" get -n 40 -c 4 -s 1000 --workers 2 "s3://$bucket/k" >out 2>err
    has out '^get  40 ops, 0 errors' '^workers    2 processes, .* ops/s each$' \
        '^client .* 2 threads$'
    is "$(awk 'length($0) > 80' out)" '' 'lines over 80 columns'
}

refused() { # REGEX ARG...
    expect_exit 2 "$S3OP" "${@:2}" >out 2>err
    is "$(wc -l <err)" 1 'lines on standard error'
    has err "$1"
}

nonsense_is_refused() {
    refused 'bad workers' get --workers 0 -n 5 s3://b/k
    refused 'bad workers' get --workers 1000 -n 5 s3://b/k
    refused '--workers needs an end' get --workers 2 s3://b/k
    refused '4 workers need as many' get --workers 4 -n 5 s3://b/k
    refused '4 workers need as many' get --workers 4 -n 3 -c 5 s3://b/k
    refused 'cannot write to one' get --workers 2 -d 1s -c 2 -o - s3://b/k
    refused 'cannot write to one' ls --workers 2 -n 5 -c 2 -o x s3://b
    refused "has no --progress 'line'" get --workers 2 -n 5 -c 2 \
        --progress line s3://b/k
    refused 'cannot read one' put --workers 2 -n 5 -c 2 --file - s3://b/k
    refused "bad share '3/2'" get -n 5 --share 3/2 --part-file p s3://b/k
    refused "bad share '0/2'" get -n 5 --share 0/2 --part-file p s3://b/k
    refused 'needs a --part-file' get -n 5 --share 1/2 s3://b/k
    refused 'need a --share' get -n 5 --start-at - s3://b/k
}

parallel_is_needed() {
    mkdir bin
    printf '#!/bin/sh\necho "parallel from moreutils"\n' >bin/parallel
    chmod +x bin/parallel
    PATH=$PWD/bin:$PATH refused 'needs GNU parallel' get -n 4 -c 2 \
        --workers 2 "s3://$bucket/k"
    rm bin/parallel
    PATH=$PWD/bin expect_exit 2 "$S3OP" get -n 4 -c 2 --workers 2 \
        "s3://$bucket/k" 2>err
    has err 'needs GNU parallel'
}

# The seam for other starters: one worker by itself, then its part file.
a_share_can_be_asked_for() {
    "$S3OP" get -n 10 -c 4 -s 1000 --share 2/4 --part-file part --log x \
        "s3://$bucket/k" >out 2>err
    is "$(cat out err)" ''
    is "$(head -n 1 part)" '# s3perf-part 1'
    is "$(tail -n 1 part)" end
    has part '^number	1$' '^of	4$'
    is "$(sed -n 's/^ops	//p' part | head -n 1)" 3 'operations'
    is "$(cut -f 14 part.ops | sort | tr '\n' ' ')" 'k10 k2 k6 '
    [[ ! -e x ]]
    # The agreed moment is long past: it begins at once, and counts from then.
    "$S3OP" get -n 10 -c 4 -s 1000 --share 1/4 --part-file part --start-at 1 \
        "s3://$bucket/k"
    has part '^begin_ns	1$'
}

# The process ids of the workers of run PID, one a line.
workers_of() { # PID
    pgrep -f -- "--share [0-9]+/[0-9]+ --start-at - .*$bucket/$1" || :
}

all_work() { # KEY COUNT
    (($(workers_of "$1" | wc -l) == $2))
}

a_dead_worker_is_said() {
    local pid victim

    "$S3OP" get -d 60s -c 4 -s 1000 --workers 3 --json --log log \
        --cell cell "s3://$bucket/k1" >sum 2>err &
    pid=$!
    wait_for 20 all_work k1 3
    victim=$(pgrep -f -- "--share 2/3 .*$bucket/k1")
    # Secrets reach workers by the environment alone.
    fails grep -qsF "$AWS_SECRET_ACCESS_KEY" /proc/[0-9]*/cmdline \
        "$TMPDIR"/s3op-workers.*/jobs
    is "$(stat -c %a "$TMPDIR"/s3op-workers.*)" 700 'mode of the folder'
    sleep 0.5 # of work, which is not to get lost
    kill -KILL "$victim"
    expect_exit 1 wait "$pid"
    has err '^s3op: worker 2 of 3 was killed by signal 9 .*: what it did is'
    check sum '[.workers[].lost] == [false, true, false]'
    check sum '.marks | index("worker-lost")'
    check sum '.ops == .workers[0].ops + .workers[2].ops and .ops > 0'
    check sum '.workers[1].ops == null'
    has <(column cell mark) worker-lost
    is "$(awk -F'\t' '!/^#/ && NF != 25' log)" '' 'broken records'
    no_folder_is_left
}

# What SIGTERM to one worker, or the death of GNU parallel, leaves undone.
what_is_not_done_is_said() {
    local pid

    "$S3OP" get -d 3s -c 4 -s 1000 --workers 2 --json "s3://$bucket/k4" \
        >sum 2>err &
    pid=$!
    wait_for 20 all_work k4 2
    sleep 0.3 # of work
    pkill -TERM -f -- "--share 2/2 .*$bucket/k4"
    expect_exit 1 wait "$pid"
    has err '^s3op: worker 2 of 2 was stopped by a signal before'
    check sum '.workers[1].ops > 0 and .workers[1].ops < .workers[0].ops'
    "$S3OP" get -d 60s -c 4 -s 1000 --workers 2 --json "s3://$bucket/k5" \
        >sum 2>err &
    pid=$!
    wait_for 20 all_work k5 2
    pkill -KILL -P "$pid"
    expect_exit 1 wait "$pid"
    has err '^s3op: GNU parallel was killed by signal 9'
    wait_for 20 all_work k5 0
    no_folder_is_left
}

interrupted() { # SIGNAL STATUS
    local pid

    rm -f log
    "$S3OP" put -n 1000000 -c 4 -s 1000 --workers 3 --json --log log \
        --payload-hash unsigned "s3://$bucket/int" >sum 2>err &
    pid=$!
    wait_for 20 all_work int 3
    sleep 0.5
    kill -s "$1" "$pid"
    expect_exit "$2" wait "$pid"
    is "$(workers_of int)" '' 'workers left'
    check sum '.ops > 0 and .errors == 0 and .count == 1000000'
    check sum ".ops == $(column log status | grep -c '^200$')"
    is "$(cat err)" ''
    no_folder_is_left
}

# What the terminal sends to all goes to s3op alone: workers are told.
the_second_signal_ends_at_once() {
    local pid status=0

    start_canned
    "$S3OP" get -n 100 -c 4 --workers 2 --endpoint "$canned_url" \
        "s3://$bucket/silent" >sum 2>err &
    pid=$!
    wait_for 20 all_work silent 2
    wait_for 20 test -e "$canned_dir/request.4"
    kill -INT "$pid"
    kill -TERM "$pid"
    wait "$pid" || status=$?
    has <(echo "$status") '^(130|143)$'
    is "$(cat sum)" ''
    # Their channel is closed now.
    wait_for 20 all_work silent 0
}

an_orphan_stops() {
    local pid

    "$S3OP" get -d 60s -c 4 --workers 2 "s3://$bucket/k2" >sum 2>err &
    pid=$!
    wait_for 20 all_work k2 2
    sleep 0.3
    kill -KILL "$pid"
    wait_for 20 all_work k2 0
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null
test_expect 'parallel is needed' parallel_is_needed
test_expect 'nonsense is refused' nonsense_is_refused
command -v parallel >/dev/null || {
    [[ ${CI:-} != true ]] || die 'CI=true, and there is no parallel'
    test_skip 'the rest' 'there is no GNU parallel'
    done_testing
}
test_expect 'keys are dealt out' keys_are_dealt_out
test_expect 'contents are verified' contents_are_verified
test_expect 'objects go round' objects_go_round
test_expect 'timed keys never collide' timed_keys_never_collide
test_expect 'percentiles are exact' percentiles_are_exact
test_expect 'a rate is kept' a_rate_is_kept
test_expect 'odd texts survive the shell' odd_texts_survive_the_shell
test_expect 'failures are added up' failures_are_added_up
test_expect 'records go where they are told' records_go_where_they_are_told
test_expect 'the text tells of workers' text_tells_of_workers
test_expect 'a share can be asked for' a_share_can_be_asked_for
test_expect 'a dead worker is said' a_dead_worker_is_said
test_expect 'what is not done is said' what_is_not_done_is_said
test_expect 'SIGINT reaches all' interrupted INT 130
test_expect 'SIGTERM reaches all' interrupted TERM 143
test_expect 'a second signal ends at once' the_second_signal_ends_at_once
test_expect 'an orphan stops' an_orphan_stops
done_testing
