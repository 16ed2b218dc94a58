#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libs3's program s3 on the built-in endpoint. It has no multi-object delete.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

needs s3 libs3-2
start_for_client
export S3_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID S3_HOSTNAME=${url#http://} \
    S3_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY
readonly b=$test_id
head -c 20000000 /dev/urandom >huge # it splits above 15 MiB

libs3() { # ARG...
    s3 -u "$@" >out 2>err || {
        note "$(tail -n 3 err)"
        return 1
    }
}

makes_a_bucket() {
    libs3 create "$b"
    logged "^200 PUT /$b"
    libs3 test "$b"
    has out "^$b +USA"
}

puts_and_gets() {
    libs3 put "$b/dir/key=1" filename=small x-amz-meta-colour=red
    libs3 get "$b/dir/key=1" filename=back
    same small back
    libs3 head "$b/dir/key=1"
    has out '^x-amz-meta-colour: red'
}

uploads_in_parts() {
    libs3 put "$b/huge" filename=huge
    logged "^200 POST /$b/huge\?uploads" \
        "^200 PUT /$b/huge\?partNumber=2&uploadId=" \
        "^200 POST /$b/huge\?uploadId="
    libs3 get "$b/huge" filename=back
    same huge back
}

lists() {
    libs3 list
    has out "^$b "
    libs3 list "$b"
    has out '^dir/key=1 .* 1000$' '^huge '
    libs3 list "$b" prefix=d delimiter=/
    has out '^Common Prefix: dir/'
}

reads_a_range() {
    libs3 get "$b/huge" startByte=1000 byteCount=1000 filename=part
    bytes_of huge 1000 1000 >want
    same want part
    logged "^206 GET /$b/huge"
}

copies() {
    libs3 copy "$b/dir/key=1" "$b/copy"
    libs3 get "$b/copy" filename=back
    same small back
}

presigns() {
    libs3 gqs "$b/copy"
    fetch "$(cat out)" back
    same small back
}

has_an_acl() {
    libs3 getacl "$b/copy"
    has out 'FULL_CONTROL'
}

deletes() {
    local key

    for key in copy huge dir/key=1; do
        libs3 delete "$b/$key"
    done
    libs3 delete "$b"
    logged "^204 DELETE /$b/copy" "^204 DELETE /$b(/|\$)"
}

test_expect 'libs3 makes a bucket' makes_a_bucket
test_expect 'libs3 puts and gets' puts_and_gets
test_expect 'libs3 uploads in parts' uploads_in_parts
test_expect 'libs3 lists' lists
test_expect 'libs3 reads a range' reads_a_range
test_expect 'libs3 copies' copies
test_expect 'libs3 presigns' presigns
test_expect 'libs3 reads an ACL' has_an_acl
test_expect 'libs3 deletes' deletes
stop_s3mem
done_testing
