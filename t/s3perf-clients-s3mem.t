#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Other clients through the six phases, and what they ask for meanwhile.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3perf-clients-real.sh
. "$srcdir/t/s3perf-clients-real.sh"
access=$test_tmp/access.tsv
start_s3mem --access-log "$access"

# The plain requests of METHOD for an object with such a STATUS (a regular
# expression): a line with the target for each.
requests() { # METHOD STATUS
    awk -F '\t' -v method="$1" -v status="$2" '
        NR > 2 && $4 == method && $13 ~ status && $5 ~ /testfile[0-9]+$/ {
            print $5
        }' "$access"
}

# At 20 MiB clients would rather upload in parts, which a kill leaves behind.
plain_requests() { # CLIENT
    : >"$access"
    "$S3PERF" --client "$1" -n 1 -s 20Mi -q >out 2>err
    wait_for 10 asked_for_all
    hasnt "$access" 'uploadId|partNumber|uploads='
}

asked_for_all() {
    [[ $(requests PUT 200 | wc -l) == 1 && $(requests DELETE 204 | wc -l) == 1 &&
    $(requests GET '20[06]' | wc -l) == 1 ]]
}

side_by_side() {
    "$S3PERF" --client s3op,s3 -n 3 -s 1Ki >out 2>err
    has out '^wall +s3op +s3$' '^upload( +[0-9.]+ (us|ms)){2}$' \
        '^upload +- +[0-9.]+ ms$'
    is "$(grep -c '^erase bucket' out)" 1
}

refused_by() { # CLIENT OPTION
    expect_exit 2 "$S3PERF" --client "$1" -n 1 -s 1 -d "$AWS_ENDPOINT_URL" \
        "$2" -q >out 2>err
    has err "^s3perf: $1 cannot do $2\$"
    "$S3PERF" --client "s3op,$1" -n 1 -s 1 "$2" -q >out 2>err && return 1
    has out "^$1: FAILED in its settings: it cannot do $2\$" '^total +[0-9]'
}

cannot_be_insecure() { refused_by "$1" --insecure; }

with_each 'six phases' six_phases
with_each 'in a bucket that is there' borrowed
with_each 'one plain request for 20 MiB' plain_requests s3cmd aws s4cmd rclone
with_each 'an option it does not have' cannot_be_insecure s4cmd s3
test_expect 's3op and s3 side by side' side_by_side
stop_s3mem
done_testing
