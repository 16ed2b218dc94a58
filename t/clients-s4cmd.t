#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s4cmd on the built-in endpoint. It has no presigned URLs and no command to
# remove a bucket, and reads ranges when it downloads with many threads.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

needs s4cmd s4cmd
start_for_client
export S3_ACCESS_KEY=$AWS_ACCESS_KEY_ID S3_SECRET_KEY=$AWS_SECRET_ACCESS_KEY
export AWS_DEFAULT_REGION=us-east-1 PYTHONWARNINGS=ignore
readonly b=s3://$test_id

s4() { # ARG...
    s4cmd --endpoint-url "$url" "$@" >out
}

makes_a_bucket() {
    s4 mb "$b"
    logged "^200 PUT /$test_id"
}

puts_and_gets() {
    s4 put small "$b/dir/a b+c"
    s4 get "$b/dir/a b+c" back
    same small back
    logged "^20[06] GET /$test_id/dir/a%20b%2Bc"
}

uploads_in_parts() {
    s4 put --multipart-split-size=5242880 \
        --max-singlepart-upload-size=5242880 large "$b/large"
    logged "^200 POST /$test_id/large\?uploads" \
        "^200 PUT /$test_id/large\?.*partNumber=3" \
        "^200 POST /$test_id/large\?uploadId="
}

downloads_in_ranges() {
    s4 get --multipart-split-size=5242880 \
        --max-singlepart-download-size=5242880 "$b/large" back2
    same large back2
    logged "^206 GET /$test_id/large"
}

lists() {
    s4 ls -r "$b/"
    has out "12000000 $b/large" "1000 $b/dir/a b\+c"
    s4 ls "$b/"
    has out "DIR $b/dir/"
    s4 du "$b/dir"
    has out '^1000'
}

copies() {
    s4 cp "$b/dir/a b+c" "$b/dir/copy"
    s4 get "$b/dir/copy" back3
    same small back3
}

deletes_many_at_once() {
    s4 del -r "$b/"
    logged "^200 POST /$test_id\?delete"
    s4 ls "$b"
    is "$(cat out)" ''
}

test_expect 's4cmd makes a bucket' makes_a_bucket
test_expect 's4cmd puts and gets a strange key' puts_and_gets
test_expect 's4cmd uploads in parts' uploads_in_parts
test_expect 's4cmd downloads in ranges' downloads_in_ranges
test_expect 's4cmd lists' lists
test_expect 's4cmd copies' copies
test_expect 's4cmd deletes many at once' deletes_many_at_once
stop_s3mem
done_testing
