#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rclone on the built-in endpoint. It has no multi-object delete.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

needs rclone rclone
start_for_client
cat >rclone.conf <<END
[mem]
type = s3
provider = Other
access_key_id = $AWS_ACCESS_KEY_ID
secret_access_key = $AWS_SECRET_ACCESS_KEY
endpoint = $url
END
unset AWS_ENDPOINT_URL
readonly b=mem:$test_id

rc() { # ARG...
    rclone --config rclone.conf -q --retries 1 --low-level-retries 1 "$@" >out
}

makes_a_bucket() {
    rc mkdir "$b"
    logged "^200 PUT /$test_id"
}

puts_and_gets() {
    rc copyto small "$b/dir/a b+c=é"
    rc copyto "$b/dir/a b+c=é" back
    same small back
    logged "^200 GET /$test_id/dir/a%20b%2Bc%3D%C3%A9"
}

uploads_in_parts() {
    rc copyto --s3-upload-cutoff 5M --s3-chunk-size 5M large "$b/large"
    logged "^200 POST /$test_id/large\?uploads" \
        "^200 PUT /$test_id/large\?partNumber=3&uploadId=" \
        "^200 POST /$test_id/large\?uploadId="
    rc copyto "$b/large" back
    same large back
}

lists() {
    rc lsl "$b"
    has out '12000000 .* large$' ' 1000 .* dir/a b\+c=é$'
    rc lsf "$b"
    has out '^dir/$'
    rc --s3-versions lsf "$b"
    has out '^large$'
    rc check --include large . "$b"
}

reads_a_range() {
    rc cat --offset 1000 --count 1000 "$b/large"
    bytes_of large 1000 1000 >want
    same want out
    logged "^206 GET /$test_id/large"
}

presigns() {
    rc link "$b/large"
    fetch "$(cat out)" back
    same large back
}

copies() {
    rc copyto "$b/large" "$b/copy"
    logged "^200 PUT /$test_id/copy"
    rc copyto --s3-copy-cutoff 6M --s3-chunk-size 6M "$b/large" "$b/copy2"
    logged "^200 PUT /$test_id/copy2\?partNumber=2"
    rc copyto "$b/copy2" back
    same large back
}

# It gives no key over plain HTTP.
encrypts() {
    local key

    key=(--s3-sse-customer-algorithm AES256 --s3-sse-customer-key)
    key+=("$(printf 'k%.0s' {1..32})")
    start_s3mem --tls
    key+=(--s3-endpoint "$AWS_ENDPOINT_URL" --ca-cert "$AWS_CA_BUNDLE")
    unset AWS_ENDPOINT_URL AWS_CA_BUNDLE
    rc copyto "${key[@]}" --s3-upload-cutoff 5M --s3-chunk-size 5M large \
        "$b/keyed"
    rc copyto "${key[@]}" "$b/keyed" back
    same large back
    rc copyto "${key[@]:4}" "$b/keyed" other 2>err || : # 0, and no file
    [[ ! -e other ]]
    stop_s3mem
}

deletes() {
    rc deletefile "$b/copy"
    logged "^204 DELETE /$test_id/copy"
    rc purge "$b"
    logged "^204 DELETE /$test_id$"
}

test_expect 'rclone makes a bucket' makes_a_bucket
test_expect 'rclone puts and gets a strange key' puts_and_gets
test_expect 'rclone uploads in parts' uploads_in_parts
test_expect 'rclone lists' lists
test_expect 'rclone reads a range' reads_a_range
test_expect 'rclone presigns' presigns
test_expect 'rclone copies, also in parts' copies
test_expect 'rclone encrypts with a key of its own' encrypts
test_expect 'rclone deletes' deletes
stop_s3mem
done_testing
