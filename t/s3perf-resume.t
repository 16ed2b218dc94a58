#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever ends a sweep: finished cells stay, the rest is done later, nothing
# of it is left on the server, and nothing else is touched.
# Environment: sweep_kills, sweeps to kill until they finish (3);
# sweep_kill_seed, of the moments.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/sweep-suite.sh
. "$srcdir/t/sweep-suite.sh"
rounds=${sweep_kills:-3}

# Objects that look like ours, beside them and in a bucket of their own.
put_theirs() {
    "$S3OP" mb s3://theirs >/dev/null
    "$S3OP" put -n 3 -s 9 s3://theirs/s3perf-1- >/dev/null
}

theirs_are_untouched() {
    is "$(keys theirs | tr '\n' ' ')" 's3perf-1-1 s3perf-1-2 s3perf-1-3 ' &&
        "$S3OP" get -n 3 -s 9 --verify s3://theirs/s3perf-1- >/dev/null
}

kills_at_any_moment() {
    local round all=0

    RANDOM=$seed
    for ((round = 0; round < rounds; round++)); do
        kill_until_finished "run$round" 1500 -o "run$round" "${small[@]}"
        all=$((all + kills))
        cells_are_sound "run$round" "$small_lines"
        cells_of "run$round" | cut -d ' ' -f 2- >"cells$round"
        diff cells0 "cells$round"
        is "$(cells "run$round" errors | sort -u)" 0
        nothing_left "run$round" theirs
        theirs_are_untouched
    done
    note "$all kills"
    ((all > 0))
}

kills_in_a_foreign_bucket() {
    RANDOM=$((seed + 1))
    kill_until_finished borrow 1500 -o borrow "${small[@]}" -b theirs
    cells_are_sound borrow 16
    nothing_left borrow theirs
    theirs_are_untouched
}

killed_then_cleaned() {
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != *download* ]] || sleep 5'
    start_sweep -o gone "${small[@]}"
    wait_for 30 in_phase download
    expect_exit 2 "$S3PERF" cleanup gone 2>err2
    has err2 'its run is still going'
    kill -KILL "$sweep_pid"
    sweep_ends 137
    unhook
    wait_for 20 is_free gone
    # What others put among ours is theirs.
    bucket=$(buckets | grep -v theirs)
    "$S3OP" put -s 1 "s3://$bucket/other" >/dev/null
    expect_exit 1 "$S3PERF" cleanup gone 2>err2
    has err2 "^  bucket s3://$bucket\$" 's3perf cleanup .*gone/created.tsv$'
    is "$(keys "$bucket")" other
    "$S3OP" rm "s3://$bucket/other" >/dev/null
    "$S3PERF" cleanup gone 2>err2
    nothing_left gone theirs
    "$S3PERF" cleanup gone 2>err2
    # And then it can still go on.
    sweep --resume gone
    cells_are_sound gone "$small_lines"
    nothing_left gone theirs
}

stopped_by_a_signal() { # SIGNAL STATUS PHASE
    # shellcheck disable=SC2016 # for the hook
    hook_s3op "[[ \$phase != *$3* ]] || sleep 0.3"
    rm -rf stopped
    start_sweep -o stopped "${small[@]}"
    wait_for 30 in_phase "$3"
    kill -s "$1" -- "-$sweep_pid"
    sweep_ends "$2"
    unhook
    has err "stopping on SIG$1"
    nothing_left stopped theirs
    wait_for 20 is_free stopped # by the hook's sleep
    sweep --resume stopped
    cells_are_sound stopped "$small_lines"
    nothing_left stopped theirs
}

two_at_once() {
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != *list* ]] || sleep 3'
    start_sweep -o both "${small[@]}"
    wait_for 30 in_phase list
    expect_exit 2 "$S3PERF" sweep --resume both >out2 2>err2
    has err2 'both: another sweep works in it$'
    expect_exit 2 "$S3PERF" sweep -o both "${small[@]}" >out2 2>err2
    has err2 "'both' is there already"
    kill -s TERM "$sweep_pid"
    sweep_ends 143
    unhook
    nothing_left both theirs
}

# No file may grow beyond a few KiB: the first to meet that is a histogram,
# or cells.tsv.
no_room_for_results() {
    local blocks repeat

    for blocks in 3 6; do
        repeat=$((blocks == 3 ? 1 : 3))
        rm -rf full
        (
            ulimit -f "$blocks"
            expect_exit 4 env --ignore-signal=XFSZ "$S3PERF" sweep -o full \
                "${small[@]}" --repeat "$repeat" \
                >/dev/null 2>"$test_tmp/full.err" </dev/null
        )
        has "$test_tmp/full.err" '^s3perf sweep: cannot write full/?.* \(when there is room: s3perf sweep --resume full\)$'
        nothing_left full theirs
        sweep --resume full
        cells_are_sound full $((small_lines * repeat))
        nothing_left full theirs
    done
}

disks_that_fail() {
    mkdir -p bin
    # After the claim and the plan: when the first cell is to be kept.
    printf '#!/bin/sh\n[ "$1" != -d ] || exit 1\nexec %s "$@"\n' \
        "$(command -v sync)" >bin/sync
    chmod +x bin/sync
    PATH=$PWD/bin:$PATH expect_exit 4 sweep -o torn "${small[@]}"
    has err '^s3perf sweep: cannot write torn/cells.tsv \(when'
    nothing_left torn theirs
    sweep --resume torn
    cells_are_sound torn "$small_lines"
}

torn_tables_are_mended() {
    local last

    sweep -o mend "${small[@]}"
    cells_of mend >whole
    # A line that was cut off, lines of a cell that was not finished, one
    # that is there twice, and one of nobody.
    last=$(tail -n 1 mend/cells.tsv)
    {
        head -n -1 mend/cells.tsv
        tail -n 2 mend/cells.tsv | head -n 1
        printf '%s\n' "${last/$AWS_ENDPOINT_URL/elsewhere}"
        printf '%s' "${last::40}"
    } >cells
    mv cells mend/cells.tsv
    sweep --resume mend
    cells_of mend >mended
    diff whole mended
    cells_are_sound mend "$small_lines"
    # Nothing but the head, and nothing at all.
    : >mend/cells.tsv
    sweep --resume mend
    cells_of mend >mended
    diff whole mended
    rm mend/cells.tsv
    sweep --resume mend
    cells_of mend >mended
    diff whole mended
    has mend/cells.tsv '^# s3perf-cells 1$' '^# seed: 5$'
    nothing_left mend theirs
}

what_was_spent_stays_spent() {
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != *erase* ]] || sleep 5'
    start_sweep -o spent "${small[@]}" --max-requests 250
    wait_for 30 in_phase erase
    kill -KILL "$sweep_pid"
    sweep_ends 137
    unhook
    wait_for 20 is_free spent
    # The cell that was cut off counts for all that it may have done.
    (($(tail -n 1 spent/spent.tsv | cut -f 2) >= 80))
    expect_exit 1 sweep --resume spent
    has <(cells spent mark) '^skipped:max-requests$'
    nothing_left spent theirs
}

# Objects that wait for a later pass survive; they are not made again.
killed_between_passes() {
    local puts

    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != *download* ]] || sleep 5'
    start_sweep -o cold "${small[@]}" --cold --phases upload,download
    wait_for 30 in_phase download
    kill -KILL "$sweep_pid"
    sweep_ends 137
    unhook
    wait_for 20 is_free cold
    : >access
    sweep --resume cold
    puts=$(awk -F'\t' '$4 == "PUT" && $5 ~ /-[0-9]+$/' access | wc -l)
    is "$puts" 0 uploads
    cells_are_sound cold 8
    is "$(cells cold errors | sort -u)" 0
    nothing_left cold theirs
}

a_service_that_vanishes() {
    local port=${AWS_ENDPOINT_URL##*:}

    # shellcheck disable=SC2016 # for the hook
    hook_s3op "[[ \$phase != *download* ]] || [[ -e died ]] ||
        { : >died; kill $s3mem_pid; while kill -0 $s3mem_pid; do sleep 0.05; done; }"
    expect_exit 3 sweep -o dead "${small[@]}"
    unhook
    has err 'connect' 'what was created is listed in dead/created'
    has out 'go on: s3perf sweep --resume dead$'
    [[ -s dead/created.tsv ]]
    expect_exit 3 sweep --resume dead
    start_s3mem --port "$port"
    sweep --resume dead
    cells_are_sound dead "$small_lines"
    nothing_left dead
}

the_built_in_endpoint() {
    unset AWS_ENDPOINT_URL
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != *erase* ]] || sleep 5'
    start_sweep -o built "${small[@]}"
    wait_for 30 in_phase erase
    kill -KILL "$sweep_pid"
    sweep_ends 137
    unhook
    wait_for 20 is_free built
    sweep --resume built
    cells_are_sound built "$small_lines"
    is "$(cells built target | sort -u)" builtin
    is "$(find built -name 'created*')" ''
}

seed=${sweep_kill_seed:-1}
start_s3mem --access-log "$PWD/access"
put_theirs
test_expect 'killed at any moment, again and again' kills_at_any_moment
test_expect 'killed in a foreign bucket' kills_in_a_foreign_bucket
test_expect 'killed, cleaned up, taken up again' killed_then_cleaned
test_expect 'SIGINT leaves nothing, and can go on' \
    stopped_by_a_signal INT 130 download
test_expect 'SIGTERM likewise' stopped_by_a_signal TERM 143 upload
test_expect 'two at once: the second is refused' two_at_once
test_expect 'no room for results: status 4, then it goes on' \
    no_room_for_results
test_expect 'a disk that fails' disks_that_fail
test_expect 'torn tables are mended' torn_tables_are_mended
test_expect 'what was spent stays spent' what_was_spent_stays_spent
test_expect 'killed between two passes' killed_between_passes
test_expect 'a service that vanishes: status 3' a_service_that_vanishes
test_expect 'the built-in endpoint' the_built_in_endpoint
done_testing
