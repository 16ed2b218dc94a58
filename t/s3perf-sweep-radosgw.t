#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A sweep of a real S3 server, killed and taken up again.
# Environment: sweep_kills, sweeps to kill until they finish (1).
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/sweep-suite.sh
. "$srcdir/t/sweep-suite.sh"
start_radosgw
theirs=$test_id-$RANDOM

# Other tests may be at work there, too.
ours_are_gone() { # RUN
    local run

    run=$(sed -n 's/^# run: //p' "$1/plan.tsv")
    buckets >names
    hasnt names "^s3perf-$run"
    is "$(find "$1" -name 'created*')" '' claims
}

a_sweep() {
    sweep -o run "${small[@]}" --phases create,upload,list,head,download,erase,remove
    cells_are_sound run $((small_lines + 4))
    is "$(cells run errors | sort -u)" 0
    ours_are_gone run
}

killed_in_a_foreign_bucket() {
    local round

    "$S3OP" mb "s3://$theirs" >/dev/null
    "$S3OP" put -n 3 -s 9 "s3://$theirs/s3perf-1-" >/dev/null
    RANDOM=7
    for ((round = 0; round < ${sweep_kills:-1}; round++)); do
        kill_until_finished "run$round" 3000 -o "run$round" "${small[@]}" \
            -b "$theirs"
        cells_are_sound "run$round" 16
        is "$(find "run$round" -name 'created*')" '' claims
        is "$(keys "$theirs" | tr '\n' ' ')" \
            's3perf-1-1 s3perf-1-2 s3perf-1-3 '
    done
    "$S3OP" rm -n 3 "s3://$theirs/s3perf-1-" >/dev/null
    "$S3OP" rb "s3://$theirs" >/dev/null
}

killed_with_buckets_of_its_own() {
    RANDOM=8
    kill_until_finished own 3000 -o own "${small[@]}"
    cells_are_sound own "$small_lines"
    ours_are_gone own
}

test_expect 'a sweep' a_sweep
test_expect 'killed in a foreign bucket' killed_in_a_foreign_bucket
test_expect 'killed with buckets of its own' killed_with_buckets_of_its_own
done_testing
