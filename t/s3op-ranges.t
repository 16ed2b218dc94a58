#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Parts of objects are read, and what comes is the part that was asked for.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

a_range_is_read() {
    s3op put --size 100000 "s3://$bucket/k"
    s3op get -o whole "s3://$bucket/k"
    s3op get --range 1000 --offset 5000 --verify -o part "s3://$bucket/k"
    is "$(column record status)" 206
    is "$(column record size) $(column record good_bytes)" '1000 1000'
    dd if=whole bs=1 skip=5000 count=1000 status=none >want
    cmp want part
    s3op get --range 1 --offset 99999 -o part "s3://$bucket/k"
    tail -c 1 whole >want
    cmp want part
    s3op get --range 100000 --size 100000 -o part "s3://$bucket/k"
    cmp whole part
}

ranges_are_compared() {
    local more

    "$S3OP" put -n 10 -s 50000 "s3://$bucket/n" >sum
    for more in '-n 10' '-n 10000 --objects 10'; do # few are kept till the end
        # shellcheck disable=SC2086 # words
        load get $more -c 3 -s 50000 --range 27Ki --offset 12345 --verify \
            "s3://$bucket/n"
        check sum '.verified == .ops and .errors == 0 and .mismatched == 0'
        check sum '.good_bytes == .ops * .size and .size == 27648'
        check sum ".verify == (if .ops == 10 then \"after\" else \"inline\" end)"
    done
    expect_exit 1 "$S3OP" get --range 4Ki --offset 12345 --verify --seed 2 \
        "s3://$bucket/n1" >record 2>err
    has err 'content differs at byte 1234[5-9]'
    "$S3OP" rm --batch -n 10 "s3://$bucket/n" >record
}

the_summary_says_it() {
    load get -n 1 --objects 1 --range 10Ki --offset 1Ki "s3://$bucket/one"
    check sum '.size == 10240 and .request.range == "10240 B from byte 1024"'
    "$S3OP" get -c 1 --range 10Ki --offset 1Ki "s3://$bucket/one1" >text
    has text '^range      10240 B from byte 1024$' '1 x 10 KiB'
    load get -c 1 "s3://$bucket/one1"
    check sum '.request == {}'
}

an_end_is_refused() {
    expect_exit 2 "$S3OP" get --size 1000 --range 1 --offset 1000 \
        "s3://$bucket/k" 2>err
    has err '^s3op: the range ends behind the object: 1 bytes from byte 1000'
    expect_exit 1 "$S3OP" --columns get --range 1 --offset 100000 \
        "s3://$bucket/k" >record 2>err
    is "$(column record status) $(column record code)" '416 InvalidRange'
    expect_exit 1 "$S3OP" --columns get --range 20 --offset 99990 \
        "s3://$bucket/k" >record 2>err
    is "$(column record transport) $(column record good_bytes)" 'short 0'
    has err 'received 10 bytes where 20 were expected'
    expect_exit 2 "$S3OP" get --offset 5 "s3://$bucket/k" 2>err
    has err 'needs to know how many bytes: --range'
    expect_exit 2 "$S3OP" get --range 0 "s3://$bucket/k" 2>err
    expect_exit 2 "$S3OP" get --range 5 --part 1 "s3://$bucket/k" 2>err
    expect_exit 2 "$S3OP" head --range 5 "s3://$bucket/k" 2>err
    has err '^s3op: --range does not go with head$'
}

another_answer_is_none() { # STATUS CONTENT-RANGE BODY WHY
    start_canned
    export AWS_ENDPOINT_URL=$canned_url AWS_ACCESS_KEY_ID=AK
    export AWS_SECRET_ACCESS_KEY=secret
    canned_answer '' "$1" "$3" ${2:+"Content-Range: $2"}
    expect_exit 1 "$S3OP" --columns get --range 4 --offset 2 s3://b/k \
        >record 2>err
    is "$(column record code) $(column record good_bytes)" 'InvalidAnswer 0'
    has err "bytes 2-5 were asked for, the answer $4"
    is "$(sent_header 1 range)" bytes=2-5
}

what_else_is_asked_for() { # TARGET ARG...
    start_canned
    export AWS_ENDPOINT_URL=$canned_url AWS_ACCESS_KEY_ID=AK
    export AWS_SECRET_ACCESS_KEY=secret
    canned_answer '' '200 OK' ''
    "$S3OP" "${@:2}" >record 2>err
    has "$canned_dir/request.1" "^[A-Z]+ $1 HTTP/1.1"
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
"$S3OP" put -s 64Ki "s3://$bucket/one1" >/dev/null || die "cannot put"
test_expect 'a range is read' a_range_is_read
test_expect 'ranges are compared' ranges_are_compared
test_expect 'the summary says what was read' the_summary_says_it
test_expect 'a range behind the end is refused' an_end_is_refused
test_expect 'a server that ignores ranges is noticed' another_answer_is_none \
    '200 OK' '' abcdefghij 'is not of a range'
test_expect 'another range is noticed' another_answer_is_none \
    '206 Partial Content' 'bytes 0-3/10' abcd 'says bytes 0-3/10'
test_expect 'a range without a place is noticed' another_answer_is_none \
    '206 Partial Content' '' cdef 'does not say which it has'
test_expect 'a part is asked for' what_else_is_asked_for \
    '/b/k\?partNumber=3' get --part 3 s3://b/k
test_expect 'about a part' what_else_is_asked_for \
    '/b/k\?partNumber=3' head --part 3 s3://b/k
for verb in get head rm; do
    test_expect "a version: $verb" what_else_is_asked_for \
        '/b/k\?versionId=a%2Bb' $verb --version-id a+b s3://b/k
done
stop_s3mem
if start_radosgw; then
    "$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
    test_expect 'radosgw: a range is read' a_range_is_read
    test_expect 'radosgw: ranges are compared' ranges_are_compared
    test_expect 'radosgw: a range behind the end' an_end_is_refused
    "$S3OP" rm "s3://$bucket/k" >/dev/null
    "$S3OP" rb "s3://$bucket" >/dev/null || die "something is left in $bucket"
fi
done_testing
