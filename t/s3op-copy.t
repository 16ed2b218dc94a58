#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cp: what is sent, and what counts as copied.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

readonly copied='<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>'

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
}

op() { # STATUS ARG...: the record, with column names, in ./record
    expect_exit "$1" "$S3OP" --columns --timeout 20s "${@:2}" >record 2>err
}

outcome() { # status, code, transport and good bytes, one line a record
    awk -F'\t' '!/^#/ && $1 != "due_us" { print $18, $19, $20, $16 }' record
}

# bji/libs3#108, apache/ozone#2912 (A10): copying "a+b" says NoSuchKey.
source_is_encoded() {
    start
    canned_answer '' '200 OK' "$copied"
    op 0 cp 's3://src/a b+c=é' 's3://dst/dir/k=v'
    is "$(sent_header 1 x-amz-copy-source)" '/src/a%20b%2Bc%3D%C3%A9'
    has "$canned_dir/request.1" '^PUT /dst/dir/k%3Dv HTTP/1\.1' \
        'SignedHeaders=host;x-amz-content-sha256;x-amz-copy-source;x-amz-date,'
    is "$(sent_header 1 content-length)" 0
    is "$(outcome)" '200 - - 0'
    is "$(column record op)" cp
    is "$(column record bucket)" dst
    is "$(column record key)" 'dir/k%3Dv'
    op 0 cp --source-version 'v+1/é' 's3://src/a b+c=é' s3://dst/k
    is "$(sent_header 2 x-amz-copy-source)" \
        '/src/a%20b%2Bc%3D%C3%A9?versionId=v%2B1%2F%C3%A9'
    op 0 cp --signature v2 s3://src/k s3://dst/k
    is "$(sent_header 3 x-amz-copy-source)" '/src/k'
    op 0 cp s3://src/x//./../y s3://dst/k
    is "$(sent_header 4 x-amz-copy-source)" '/src/x//./../y'
}

# s3fs-fuse and others (A11): it "succeeds", but the object is missing.
error_inside_is_a_failure() { # BODY CODE
    start
    canned_answer '' '200 OK' "$1"
    op 1 cp s3://a/k s3://b/k
    is "$(outcome)" "200 $2 - 0"
    has err "^s3op: cp s3://a/k s3://b/k: 200 $2"
}

blanks_come_first() {
    start
    canned_raw '' 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r
3\r\n   \r\n4\r\n\r\n\r\n\r\n34\r\n<CopyObjectResult><ETag>e</ETag></CopyObjectResult> \r
0\r\n\r\n'
    op 0 cp s3://a/k s3://b/k
    is "$(outcome)" '200 - - 0'
}

numbers_go_together() {
    local n

    start
    canned_answer '' '200 OK' "$copied"
    "$S3OP" cp -n 3 --json --log log s3://a/from/ s3://b/to/ >sum
    is "$(member sum ops)" 3
    is "$(column log key | tr '\n' ' ')" 'to/1 to/2 to/3 '
    is "$(column log op | sort -u)" cp
    for n in 1 2 3; do
        has "$canned_dir/request.$n" "^PUT /b/to/$n "
        is "$(sent_header "$n" x-amz-copy-source)" "/a/from/$n"
    done
    "$S3OP" cp -n 4 --objects 2 s3://a/from/ s3://b/to/ >sum
    is "$(sent_header 6 x-amz-copy-source)" /a/from/1
    has "$canned_dir/request.7" '^PUT /b/to/2 '
    is "$(sent_header 7 x-amz-copy-source)" /a/from/2
}

# Against time it is the same object over and over.
time_repeats_the_same() {
    start
    canned_answer '' '200 OK' "$copied"
    "$S3OP" cp -d 50ms --log log s3://a/k s3://b/l >sum
    is "$(column log key | sort -u)" l
    is "$(sent_header 1 x-amz-copy-source)" /a/k
}

bad_targets_are_named() { # WHY ARG...
    expect_exit 2 "$S3OP" cp "${@:2}" 2>err
    has err "^s3op: $1\$"
}

test_expect 'the source is encoded and signed' source_is_encoded
test_expect 'an error inside a 200' error_inside_is_a_failure \
    '  <Error><Code>InternalError</Code><Message>oh</Message></Error>' \
    InternalError
test_expect 'an empty 200' error_inside_is_a_failure '' InvalidAnswer
test_expect 'blanks alone' error_inside_is_a_failure '    ' InvalidAnswer
test_expect 'a cut answer' error_inside_is_a_failure '<CopyObjectResult>' \
    InvalidAnswer
test_expect 'blanks before the answer' blanks_come_first
test_expect 'source and target are numbered alike' numbers_go_together
test_expect 'time repeats the same copy' time_repeats_the_same
test_expect 'one target' bad_targets_are_named 'cp takes two targets, not 1' \
    s3://a/k
test_expect 'three targets' bad_targets_are_named \
    'cp takes two targets, not 3' s3://a/k s3://b/k s3://c/k
test_expect 'a bucket as source' bad_targets_are_named \
    "bad target 's3://a': it is s3://BUCKET/KEY" s3://a s3://b/k
test_expect 'a bucket as target' bad_targets_are_named \
    "bad target 's3://b': it is s3://BUCKET/KEY" s3://a/k s3://b
done_testing
