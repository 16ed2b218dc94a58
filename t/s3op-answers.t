#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What s3op makes of answers, good, odd and hostile.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
}

op() { # STATUS ARG...: the record, with column names, in ./record
    expect_exit "$1" "$S3OP" --columns --timeout 20s "${@:2}" >record 2>err
}

many() { # STATUS ARG...: the summary in ./sum, the records in ./log
    rm -f log
    expect_exit "$1" "$S3OP" --json --log log --timeout 20s "${@:2}" >sum 2>err
}

outcome() { # FILE: status, code, transport and good bytes, one line a record
    awk -F'\t' '!/^#/ && $1 != "due_us" { print $18, $19, $20, $16 }' "$1"
}

requests() { # how many the server was asked
    find "$canned_dir" -name 'request.*' | wc -l
}

connections() {
    wc -l <"$canned_dir/connections"
}

# --- errors ---

error_is_named() {
    start
    canned_answer '' '404 Not Found' '<?xml version="1.0"?>
        <Error><Code>NoSuchKey</Code><Message>It is
        gone &amp; lost</Message></Error>'
    op 1 get s3://b/k
    is "$(outcome record)" '404 NoSuchKey - 0'
    has err '^s3op: get s3://b/k: 404 NoSuchKey: It is +gone & lost$'
    is "$(wc -l <err)" 1 'lines of explanation'
    op 1 -q get s3://b/k
    is "$(cat err)" '' 'quiet'
}

error_is_derived() { # STATUS BODY CODE
    start
    canned_answer '' "$1" "$2"
    op 1 put --size 10 s3://b/k
    is "$(outcome record)" "${1%% *} $3 - 0"
    has err "^s3op: put s3://b/k: ${1%% *} $3\$"
}

cut_error_keeps_its_code() {
    start
    canned_answer '' '403 Forbidden' \
        '<Error><Code>RequestTimeTooSkewed</Code><Mess'
    op 1 get s3://b/k
    is "$(outcome record)" '403 RequestTimeTooSkewed - 0'
}

# The peak of s3op's memory, in KiB, when it has read an error of HEAD and 32
# MiB of x, and waits for more.
peak_of() { # HEAD
    local pid size=$((32 << 20))

    start
    printf '%s\r\n' 'HTTP/1.1 500 Oh' "Content-Length: $((size + 99999))" '' \
        >"$canned_dir/answer"
    printf '%s' "$1" >>"$canned_dir/answer"
    head -c "$size" /dev/zero | tr '\0' x >>"$canned_dir/answer"
    "$S3OP" --columns get s3://b/k >record 2>err &
    pid=$!
    wait_for 20 test -e "$canned_dir/sent.1"
    sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status"
    kill -TERM "$pid"
    kill -TERM "$pid" 2>/dev/null || : # do not wait for the rest
    expect_exit 143 wait "$pid"
    rm "$canned_dir/answer"
}

# Any part of an error that were kept would show.
memory_stays_bounded() {
    local small large head

    [[ -r /proc/self/status ]] || return 0
    small=$(peak_of 'none of it is XML')
    ((0 < small && small < 409600))
    for head in '<Error><Message>' '<Error><' '<Error><!--' '<Error a="'; do
        large=$(peak_of "$head")
        ((large < small + 8192)) ||
            note "$head: peak $large KiB, $small KiB without"
        ((large < small + 8192))
    done
}

# --- bodies ---

short_body_is_a_failure() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly these'
    : >"$canned_dir/close"
    op 1 get -o kept s3://b/k
    is "$(outcome record)" '200 - short 0'
    is "$(column record wire_bytes)" 10
    has err '^s3op: get s3://b/k: 200 short: '
    fails test -e kept
    many 1 get -n 4 s3://b/k
    is "$(member sum ops)" 0
    is "$(member sum errors)" 4
    is "$(member sum good_bytes)" 0
    is "$(member sum wire_bytes)" 40
}

short_chunks_are_a_failure() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc'
    : >"$canned_dir/close"
    op 1 get s3://b/k
    is "$(outcome record)" '200 - short 0'
    canned_raw '' 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'
    op 1 get s3://b/k
    is "$(outcome record)" '200 - short 0'
}

other_length_is_a_failure() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\n\r\nfive!'
    : >"$canned_dir/close"
    op 1 get --size 10 s3://b/k
    is "$(outcome record)" '200 - short 0'
    rm "$canned_dir/close"
    canned_answer '' '200 OK' 'eleven byte'
    op 1 get --size 10 s3://b/k
    is "$(column record good_bytes)" 0
    op 0 get --size 11 s3://b/k
    is "$(outcome record)" '200 - - 11'
}

bytes_beyond_the_length_are_not_counted() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef'
    many 0 get -n 3 s3://b/k
    is "$(outcome log | sort -u)" '200 - - 3'
}

part_of_an_object_counts() {
    start
    canned_answer '' '206 Partial Content' '0123456789'
    op 0 get --header 'Range: bytes=0-9' s3://b/k
    is "$(outcome record)" '206 - - 10'
    is "$(sent_header 1 Range)" 'bytes=0-9'
    has "$canned_dir/request.1" 'SignedHeaders=host;range;'
}

# curl#2027 (A4): HEAD must not wait for the body that its length promises.
head_has_no_body() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'
    many 0 head -n 5 s3://b/k
    is "$(outcome log | sort -u)" '200 - - 0'
    is "$(connections)" 1
    is "$(column log reused | tr -d '\n')" 01111
    column log total_us | awk '$1 > 1e6 { print "took " $1 " us"; exit 1 }'
}

head_tells_what_is_missing() { # STATUS CODE TARGET
    start
    canned_raw '' "HTTP/1.1 $1 Oh\r\nContent-Length: 300\r\n\r\n"
    op "$(($1 == 403 ? 3 : 1))" head "$3" # denied is not missing
    is "$(outcome record)" "$1 $2 - 0"
    has err "^s3op: head $3: $1 $2(; .*)?\$"
}

# --- when the answer comes ---

interim_answers_do_not_count() {
    start
    canned_raw '' 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r
Link: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
    many 0 put -n 3 --size 100 s3://b/k
    is "$(outcome log | sort -u)" '200 - - 100'
    is "$(connections)" 1
    canned_raw '' 'HTTP/1.1 100 Continue\r\n\r\n'
    : >"$canned_dir/close"
    op 1 put --size 100 s3://b/k
    is "$(column record good_bytes)" 0
    is "$(column record transport)" reset
}

# The answer is there before the upload was read.
early_refusal_is_the_answer() {
    start
    : >"$canned_dir/early"
    canned_answer '' '403 Forbidden' '<Error><Code>AccessDenied</Code></Error>'
    op 1 put --size 64Mi --payload-hash unsigned s3://b/k
    is "$(outcome record)" '403 AccessDenied - 0'
    (($(column record wire_bytes) < 64 << 20))
    many 1 put -n 3 --size 64Mi --payload-hash unsigned s3://b/k
    is "$(outcome log | sort -u)" '403 AccessDenied - 0'
    # A server that does not read the rest either may break the connection
    # before its answer is seen.
    : >"$canned_dir/deaf"
    many 1 put -n 3 --size 64Mi --payload-hash unsigned s3://b/k
    is "$(member sum good_bytes)" 0
    is "$(outcome log | grep -vE '^(403 AccessDenied - 0|0 - reset 0)$')" ''
}

early_success_is_none() {
    start
    : >"$canned_dir/early"
    : >"$canned_dir/deaf"
    canned_answer '' '200 OK' ''
    op 1 put --size 64Mi --payload-hash unsigned s3://b/k
    is "$(column record good_bytes)" 0
    has <(column record transport) '^(short|reset)$'
}

silence_is_a_timeout() {
    start
    expect_exit 1 "$S3OP" --columns get --timeout 200ms s3://b/k >record 2>err
    is "$(outcome record)" '0 - timeout 0'
    has err "^s3op: get s3://b/k: timeout: .*\\($canned_url\\)\$"
    column record total_us | awk '!(2e5 <= $1 && $1 < 5e6) { exit 1 }'
}

closing_at_once_is_a_reset() {
    start
    : >"$canned_dir/drop.1"
    op 1 get s3://b/k
    is "$(outcome record)" '0 - reset 0'
}

# --- redirects ---

redirect_is_an_error() { # STATUS CODE [HEADER]
    start
    canned_answer '' "$1" '' "${@:3}"
    op 1 put --size 10 s3://b/k
    is "$(outcome record)" "${1%% *} $2 - 0"
    op 1 get s3://b/k
    is "$(outcome record)" "${1%% *} $2 - 0"
    is "$(requests)" 2 requests
}

redirect_is_not_followed() {
    start
    redirect_is_an_error '307 Temporary Redirect' TemporaryRedirect \
        "Location: $canned_url/other"
    redirect_is_an_error '301 Moved Permanently' PermanentRedirect \
        "Location: $canned_url/other"
}

# --- documents ---

chunked_listing_is_read() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r
1\r\n<\r\n2c\r\n?xml version="1.0"?><ListBucketResult><Conte\r
32;x=y\r\nnts><Key>a&amp;b</Key><Size>12</Size></Contents></\r
11\r\nListBucketResult>\r\n0\r\nTrailer: x\r\n\r\n'
    many 0 ls -n 2 -o names s3://b
    is "$(cat names)" $'12\t-\ta%26b\n12\t-\ta%26b'
    is "$(member sum entries)" 2
    is "$(connections)" 1
}

error_inside_a_success() { # BODY CODE ARG...
    start
    canned_answer '' '200 OK' "$1"
    op 1 "${@:3}"
    is "$(outcome record)" "200 $2 - 0"
    has err "^s3op: .*: 200 $2"
}

page() { # TOKEN: a truncated page
    printf '%s' '<ListBucketResult><IsTruncated>true</IsTruncated>' \
        '<Contents><Key>k</Key><Size>1</Size></Contents>' \
        "${1:+<NextContinuationToken>$1</NextContinuationToken>}" \
        '</ListBucketResult>'
}

stuck_listing_ends() {
    start
    canned_answer '' '200 OK' "$(page 'same/+')"
    op 1 ls s3://b
    is "$(outcome record)" $'200 - - 0\n200 InvalidAnswer - 0'
    has err 'does not advance'
    has "$canned_dir/request.2" '^GET /b\?continuation-token=same%2F%2B&'
    canned_answer '' '200 OK' "$(page '')"
    op 1 ls s3://b
    is "$(outcome record)" '200 InvalidAnswer - 0'
}

listing_in_a_circle_ends() {
    local i

    start
    for ((i = 1; i <= 40; i++)); do
        canned_answer "$i" '200 OK' "$(page "token$((i % 5))")"
    done
    op 1 ls s3://b
    is "$(outcome record | tail -n 1)" '200 InvalidAnswer - 0'
    (($(requests) < 20))
}

partly_failed_delete_is_a_failure() {
    start
    canned_answer '' '200 OK' '<DeleteResult><Deleted><Key>a</Key></Deleted>
        <Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message>
        </Error></DeleteResult>'
    op 1 rm s3://b/a s3://b/b
    is "$(column record status)" 200
    is "$(column record code)" AccessDenied
    has err '200 AccessDenied: 1 of the keys could not be deleted: b: no'
}

# --- what is no HTTP ---

no_http() { # TEXT
    start
    canned_raw '' "$1"
    : >"$canned_dir/close"
    op 1 get s3://b/k
    is "$(column record transport)" protocol
    is "$(column record good_bytes)" 0
}

huge_headers() {
    local i

    start
    {
        printf 'HTTP/1.1 200 OK\r\nX-Big: '
        head -c 3000000 /dev/zero | tr '\0' x
        printf '\r\nContent-Length: 0\r\n\r\n'
    } >"$canned_dir/answer.1"
    op 1 get s3://b/k
    is "$(column record transport)" protocol
    is "$(column record good_bytes)" 0
    {
        printf 'HTTP/1.1 200 OK\r\n'
        for ((i = 0; i < 2000; i++)); do
            printf 'X-%d: %0100d\r\n' "$i" "$i"
        done
        printf 'Content-Length: 0\r\n\r\n'
    } >"$canned_dir/answer.2"
    # Many headers may be refused or read, as libcurl likes.
    "$S3OP" --columns get s3://b/k >record 2>err || [[ $? == 1 ]]
    is "$(column record good_bytes)" 0
    is "$(column record key)" k
}

# --- connections ---

closing_after_each_answer() { # [HEADER]
    start
    canned_answer '' '200 OK' '' "$@"
    : >"$canned_dir/close"
    many 0 put -n 10 --size 1000 s3://b/k
    is "$(member sum ops)" 10
    is "$(member sum errors)" 0
    is "$(member sum good_bytes)" 10000
    is "$(outcome log | grep -vc stale)" 10
}

# aws-sdk-cpp#1984 (A13)
refused_puts_keep_the_connection() { # SIZE
    local i

    start
    canned_answer '' '200 OK' ''
    for ((i = 2; i <= 100; i += 2)); do
        canned_answer "$i" '409 Conflict' \
            '<Error><Code>OperationAborted</Code></Error>'
    done
    many 1 put -n 100 --size "$1" s3://b/k
    is "$(member sum ops)" 50
    is "$(member sum errors)" 50
    is "$(outcome log | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        " 50 200 - - $1; 50 409 OperationAborted - 0;"
    is "$(connections)" 1 connections
}

# curl#18206 (A5): the server closes a connection as the PUT arrives.
put_meets_a_dead_connection() { # SIZE
    start
    canned_answer '' '200 OK' ''
    : >"$canned_dir/drop.2"
    many 0 put -n 12 --size "$1" s3://b/k
    is "$(member sum ops)" 12
    is "$(member sum errors)" 0
    is "$(member sum resent)" 1
    is "$(outcome log | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        " 1 0 - stale 0; 12 200 - - $1;"
    is "$(awk -F'\t' '$14 == "k2" { print $20, $21, $22 }' log)" \
        $'stale 1 1\n- 2 0'
    is "$(column log attempt | tr -d '\n')" 1121111111111
    is "$(connections)" 2 connections
    sent_body 3 >second
    is "$(wc -c <second)" "$1" 'bytes sent again'
    sent_body 1 >first
    [[ $1 == 0 ]] || fails cmp -s first second
}

# It would be wrong to send for ever to a server that only hangs up.
dead_connections_end() {
    local i

    start
    canned_answer '' '200 OK' ''
    for ((i = 2; i < 20; i++)); do
        : >"$canned_dir/drop.$i"
    done
    many 1 put -n 2 --size 10 s3://b/k
    is "$(member sum ops)" 1
    is "$(member sum errors)" 1
    is "$(outcome log | tail -n 1)" '0 - reset 0'
}

test_expect "an error's document is read" error_is_named
test_expect 'an HTML page names nothing' error_is_derived \
    '503 Service Unavailable' \
    '<!DOCTYPE html><html><head><title>503</title></head><br></html>' SlowDown
test_expect 'an empty error has a code' error_is_derived '500 Oh' '' \
    InternalError
test_expect 'plain text has a code' error_is_derived '507 Full' 'disk full' \
    InsufficientStorage
test_expect 'an unusual status has a code' error_is_derived '599 Odd' '' HTTP599
test_expect 'not modified is no success' error_is_derived '304 Same' '' \
    NotModified
test_expect 'a cut error keeps its code' cut_error_keeps_its_code
test_expect 'memory stays bounded, whatever the error' memory_stays_bounded

test_expect 'a short body is a failure' short_body_is_a_failure
test_expect 'short chunks are a failure' short_chunks_are_a_failure
test_expect 'another length is a failure' other_length_is_a_failure
test_expect 'bytes beyond the length are not counted' \
    bytes_beyond_the_length_are_not_counted
test_expect 'a part of an object counts' part_of_an_object_counts
test_expect 'HEAD has no body' head_has_no_body
test_expect 'HEAD: no key' head_tells_what_is_missing 404 NoSuchKey s3://b/k
test_expect 'HEAD: no bucket' head_tells_what_is_missing 404 NoSuchBucket s3://b
test_expect 'HEAD: denied' head_tells_what_is_missing 403 AccessDenied s3://b/k
test_expect 'HEAD: elsewhere' head_tells_what_is_missing 301 \
    PermanentRedirect s3://b
test_expect 'HEAD: bad' head_tells_what_is_missing 400 BadRequest s3://b
test_expect 'HEAD: busy' head_tells_what_is_missing 503 SlowDown s3://b/k

test_expect 'interim answers do not count' interim_answers_do_not_count
test_expect 'an early refusal is the answer' early_refusal_is_the_answer
test_expect 'an early success is none' early_success_is_none
test_expect 'silence is a timeout' silence_is_a_timeout
test_expect 'closing at once is a reset' closing_at_once_is_a_reset
test_expect '301 without Location' redirect_is_an_error \
    '301 Moved Permanently' PermanentRedirect
test_expect 'a redirect is not followed' redirect_is_not_followed

test_expect 'a chunked listing is read' chunked_listing_is_read
test_expect 'an error inside a listing' error_inside_a_success \
    '<Error><Code>InternalError</Code></Error>' InternalError ls s3://b
test_expect 'an error inside a list of buckets' error_inside_a_success \
    '<Error><Code>SlowDown</Code></Error>' SlowDown ls
test_expect 'an error inside a delete' error_inside_a_success \
    '  <Error><Code>InternalError</Code></Error>' InternalError \
    rm s3://b/k s3://b/l
test_expect 'a listing of nothing' error_inside_a_success '' InvalidAnswer \
    ls s3://b
test_expect 'a listing that is cut' error_inside_a_success \
    '<ListBucketResult><Contents><Key>k' InvalidAnswer ls s3://b
test_expect 'a listing of something else' error_inside_a_success \
    '<html></html>' InvalidAnswer ls s3://b
test_expect 'an empty answer to a delete' error_inside_a_success '' \
    InvalidAnswer rm s3://b/k s3://b/l
test_expect 'a listing that is stuck ends' stuck_listing_ends
test_expect 'a listing in a circle ends' listing_in_a_circle_ends
test_expect 'a partly failed delete' partly_failed_delete_is_a_failure

test_expect 'no HTTP: a banner' no_http 'SSH-2.0-OpenSSH_9.2\r\n'
test_expect 'no HTTP: a bare text' no_http 'hello, world\n'
test_expect 'no HTTP: binary' no_http '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03'
test_expect 'no HTTP: no status' no_http 'HTTP/1.1 abc OK\r\n\r\n'
test_expect 'huge headers' huge_headers

test_expect 'closing after each answer' closing_after_each_answer
test_expect 'closing after each answer, as announced' \
    closing_after_each_answer 'Connection: close'
test_expect 'refused PUTs keep the connection' \
    refused_puts_keep_the_connection 10
test_expect 'refused large PUTs keep it, too' \
    refused_puts_keep_the_connection 200000
for size in 0 10 100000 5242880; do
    test_expect "a PUT of $size meets a dead connection" \
        put_meets_a_dead_connection "$size"
done
test_expect 'dead connections end' dead_connections_end
done_testing
