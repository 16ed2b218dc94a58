#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libs3's program s3 on the built-in endpoint, by signature version 2. It
# has neither multi-object delete nor uploads in parts.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

needs s3 libs3-2
start_for_client
export S3_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID S3_HOSTNAME=${url#http://} \
    S3_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY
readonly b=$test_id

libs3() { # ARG...
    s3 -u "$@" >out 2>err || {
        note "$(tail -n 3 err)"
        return 1
    }
}

# A file that is there already would be written over, but not cut.
new_file() {
    back=$(mktemp -u back.XXXXXX)
}

makes_a_bucket() {
    libs3 create "$b"
    logged "^200 PUT /$b"
    libs3 test "$b"
    has out "^$b +USA"
}

puts_and_gets() {
    new_file
    libs3 put "$b/dir/key=1" filename=small x-amz-meta-colour=red
    libs3 get "$b/dir/key=1" filename="$back"
    same small "$back"
    libs3 head "$b/dir/key=1"
    has out '^x-amz-meta-colour: red'
}

puts_much() {
    new_file
    libs3 put "$b/large" filename=large
    libs3 get "$b/large" filename="$back"
    same large "$back"
}

lists() {
    libs3 list
    has out "^$b "
    libs3 list "$b"
    has out '^dir/key=1 .* 1000$' '^large '
    libs3 list "$b" prefix=d delimiter=/
    has out '^Common Prefix: dir/'
}

reads_a_range() {
    libs3 get "$b/large" startByte=1000 byteCount=1000 filename=part
    bytes_of large 1000 1000 >want
    same want part
    logged "^206 GET /$b/large"
}

copies() {
    new_file
    libs3 copy "$b/dir/key=1" "$b/copy"
    libs3 get "$b/copy" filename="$back"
    same small "$back"
}

presigns() {
    new_file
    libs3 gqs "$b/copy"
    fetch "$(cat out)" "$back"
    same small "$back"
}

has_an_acl() {
    libs3 getacl "$b/copy"
    has out 'FULL_CONTROL'
}

deletes() {
    local key

    for key in copy large dir/key=1; do
        libs3 delete "$b/$key"
    done
    libs3 delete "$b"
    logged "^204 DELETE /$b/copy" "^204 DELETE /$b(/|\$)"
}

test_expect 'libs3 makes a bucket' makes_a_bucket
test_expect 'libs3 puts and gets' puts_and_gets
test_expect 'libs3 puts 12 MB' puts_much
test_expect 'libs3 lists' lists
test_expect 'libs3 reads a range' reads_a_range
test_expect 'libs3 copies' copies
test_expect 'libs3 presigns' presigns
test_expect 'libs3 reads an ACL' has_an_acl
test_expect 'libs3 deletes' deletes
stop_s3mem
done_testing
