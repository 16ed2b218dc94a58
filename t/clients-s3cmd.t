#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3cmd on the built-in endpoint, by signature version 4 and 2.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

needs s3cmd s3cmd
start_for_client
cat >s3cfg <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = ${url#http://}
host_bucket = ${url#http://}
use_https = False
END
readonly b=s3://$test_id

s3cmd_() { # ARG...
    s3cmd --config s3cfg --no-progress "$@" >out
}

makes_a_bucket() {
    s3cmd_ mb "$b"
    logged "^200 PUT /$test_id/"
}

puts_and_gets() {
    s3cmd_ put small "$b/dir/a b+c=é"
    s3cmd_ get --force "$b/dir/a b+c=é" back
    same small back
    logged "^200 GET /$test_id/dir/a%20b%2Bc%3D%C3%A9"
}

uploads_in_parts() {
    s3cmd_ put --multipart-chunk-size-mb=5 large "$b/large"
    logged "^200 POST /$test_id/large\?uploads" \
        "^200 PUT /$test_id/large\?partNumber=3&uploadId=" \
        "^200 POST /$test_id/large\?uploadId="
    s3cmd_ get --force "$b/large" back
    same large back
}

goes_on_with_a_part_of_a_file() {
    bytes_of large 0 5000000 >back
    s3cmd_ get --continue "$b/large" back
    same large back
    logged "^206 GET /$test_id/large"
}

lists() {
    s3cmd_ ls --recursive "$b"
    has out "12000000 +$b/large" "1000 +$b/dir/a b\+c=é"
    s3cmd_ ls "$b"
    has out "DIR +$b/dir/"
    s3cmd_ info "$b/large"
    has out '^ +File size: 12000000'
    s3cmd_ info "$b"
    has out '^ +Location: +us-east-1'
}

copies() {
    s3cmd_ cp "$b/large" "$b/copy"
    s3cmd_ get --force "$b/copy" back
    same large back
    s3cmd_ mv "$b/copy" "$b/moved"
    logged "^204 DELETE /$test_id/copy"
    s3cmd_ modify --add-header=x-amz-meta-colour:red "$b/moved"
    s3cmd_ info "$b/moved"
    has out 'x-amz-meta-colour: red'
}

presigns() {
    s3cmd_ signurl "$b/large" +60
    fetch "$(cat out)" back
    same large back
}

shows_uploads() {
    s3cmd_ multipart "$b"
    has out "^$b/"
}

encrypts_and_stores() {
    s3cmd_ put --server-side-encryption --storage-class=STANDARD_IA small \
        "$b/encrypted"
    s3cmd_ info "$b/encrypted"
    has out 'SSE: +AES256' 'Storage: +STANDARD_IA'
    s3cmd_ put --server-side-encryption-kms-id=abc small "$b/encrypted"
    s3cmd_ get --force "$b/encrypted" back
    same small back
    s3cmd_ info "$b/encrypted"
    has out 'SSE: +aws:kms'
}

takes_version_2() {
    signed_by v2-query v4
    : >"$access"
    s3cmd_ --signature-v2 put small "$b/version 2"
    s3cmd_ --signature-v2 get --force "$b/version 2" back
    same small back
    s3cmd_ --signature-v2 put --multipart-chunk-size-mb=5 large "$b/large2"
    s3cmd_ --signature-v2 ls "$b"
    has out "$b/version 2"
    logged '^200 POST .*uploadId='
    signed_by v2
}

deletes_many_at_once() {
    s3cmd_ del --recursive --force "$b"
    logged "^200 POST /$test_id/\?delete"
    s3cmd_ rb "$b"
    logged "^204 DELETE /$test_id/"
}

test_expect 's3cmd makes a bucket' makes_a_bucket
test_expect 's3cmd puts and gets a strange key' puts_and_gets
test_expect 's3cmd uploads in parts' uploads_in_parts
test_expect 's3cmd reads a range' goes_on_with_a_part_of_a_file
test_expect 's3cmd lists' lists
test_expect 's3cmd copies, moves and modifies' copies
test_expect 's3cmd presigns' presigns
test_expect 's3cmd shows uploads' shows_uploads
test_expect 's3cmd encrypts, and names a storage class' encrypts_and_stores
test_expect 's3cmd by signature version 2' takes_version_2
test_expect 's3cmd deletes many at once' deletes_many_at_once
stop_s3mem
done_testing
