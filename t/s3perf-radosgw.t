#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The main job on a real S3 server.
. "${srcdir:-.}/t/test-lib.sh"
start_radosgw
run=$test_id-$RANDOM

six_phases() { # ARG...
    "$S3PERF" -n 5 -s 1Mi --json "$@" >out 2>err
    [[ ! -s err ]]
    jq -e '.outcome == "complete" and .downloads.verified == 5 and
        .listed == 5 and (.phases | length) == 6 and .total_s > 0 and
        (.builtin | not) and .left == null' out
    expect_exit 1 "$S3OP" head "s3://$(jq -r .bucket out)" >answer 2>err
}

the_table() {
    "$S3PERF" -n 3 -s 0 >out 2>err
    has out '^create bucket ' '^upload ' '^list ' '^download ' \
        '^erase objects ' '^erase bucket ' '^3 of 3 downloads verified'
    hasnt out '^.{81}'
}

compatible() {
    "$S3PERF" -n 5 -s 4096 -p --compat ossperf >out 2>err
    [[ ! -s err ]]
    is "$(wc -l <out)" 10
    has out '^\[6\] Required time to erase the bucket: {18}[0-9.]+ s$'
}

upper_case() {
    expect_exit 1 "$S3PERF" -n 2 -s 10 -u >out 2>err
    has err 'InvalidBucketName'
    has out '^FAILED in create bucket: 1 of 1 operations failed, 400 InvalidB'
    is "$(wc -l <err)" 1
}

foreign_location() {
    expect_exit 1 "$S3PERF" -n 2 -s 10 -l nowhere >out 2>err
    has err 'InvalidLocationConstraint'
    has out '^FAILED in create bucket: .*InvalidLocationConstraint$'
}

existing_bucket() {
    "$S3OP" mb "s3://$run" >/dev/null
    "$S3OP" put --size 5 "s3://$run/s3perf-testfile1" >/dev/null
    "$S3PERF" -n 3 -s 10 -p -b "$run" >out 2>err
    has out '^3 of 3 downloads verified' "^bucket $run, existed, kept, prefix "
    "$S3OP" ls -o names "s3://$run" >/dev/null
    is "$(cut -f 3 names)" s3perf-testfile1
    "$S3OP" rm "s3://$run/s3perf-testfile1" >/dev/null
    "$S3OP" rb "s3://$run" >/dev/null
}

killed_then_cleaned() {
    local status=0 pid path bucket

    # Enough to be still at work when the signal comes.
    "$S3PERF" -n 5000 -s 4Ki -q >out 2>err &
    pid=$!
    path=$HOME/.local/state/s3perf
    wait_for 20 claimed "$path"
    path=$(find "$path" -name created.tsv)
    bucket=$(sed -n 's/^bucket\t\(.*\)\tcreated$/\1/p' "$path")
    wait_for 20 some_keys "$bucket"
    kill -KILL "$pid"
    wait "$pid" || status=$?
    is "$status" 137
    wait_for 20 flock -n "$path" true
    "$S3PERF" cleanup "$path" 2>err
    [[ ! -e $path ]]
    expect_exit 1 "$S3OP" head "s3://$bucket" >out 2>err
}

claimed() { [[ -n $(find "$1" -name created.tsv -size +0) ]]; } 2>/dev/null
some_keys() {
    "$S3OP" ls -o names "s3://$1" >/dev/null 2>&1 && [[ -s names ]]
}

over_tls() {
    export AWS_ENDPOINT_URL=$RADOSGW_TLS_URL
    expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    "$S3PERF" -n 1 -s 1 --cacert "$RADOSGW_CACERT" >out
    export AWS_CA_BUNDLE=$RADOSGW_CACERT
    six_phases -p
}

test_expect 'six phases, one after another' six_phases
test_expect 'six phases, all at once' six_phases -p
test_expect 'six phases, DeleteObjects' six_phases -p --erase batch
test_expect 'six phases over TLS' over_tls
test_expect 'the table' the_table
test_expect '--compat ossperf' compatible
test_expect '-u ends in InvalidBucketName' upper_case
test_expect '-l elsewhere: InvalidLocationConstraint' foreign_location
test_expect 'an existing bucket is only borrowed' existing_bucket
test_expect 'killed, then cleaned up' killed_then_cleaned
done_testing
