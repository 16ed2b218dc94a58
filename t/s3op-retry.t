#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --retries: what is tried again, what is not, and how it is counted.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key
readonly slow='<Error><Code>SlowDown</Code><Message>reduce</Message></Error>'
readonly idle='<Error><Code>RequestTimeout</Code><Message>idle</Message></Error>'

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
    canned_answer '' '200 OK' ''
}

many() { # STATUS ARG...: the summary in ./sum, the records in ./log
    rm -f log
    expect_exit "$1" "$S3OP" --json --log log --timeout 20s "${@:2}" >sum 2>err
}

# Status, code, transport error and attempt, one line a record.
outcome() {
    awk -F'\t' '!/^#/ && $1 != "due_us" { print $18, $19, $20, $21 }' log
}

requests() { # how many the server was asked
    find "$canned_dir" -name 'request.*' | wc -l
}

sent_header() { # NUMBER NAME
    sed -n -e $'s/\r$//' -e '/^$/q' -e "s/^$2: *//Ip" "$canned_dir/request.$1"
}

# s3fs-fuse#2584 (A6): given up by the server, with a 400, and closed.
idle_upload_is_repeated() {
    start
    canned_answer 1 '400 Bad Request' "$idle"
    : >"$canned_dir/close.1"
    many 0 put -n 1 --size 5000 --retries 3 s3://b/k
    is "$(outcome)" $'400 RequestTimeout - 1\n200 - - 2'
    is "$(member sum ops) $(member sum errors) $(member sum retried)" '1 0 1'
    is "$(wc -l <"$canned_dir/connections")" 2 connections
    is "$(jq -c '.failures[] | [.code, .count, .retried]' sum)" \
        '["RequestTimeout",1,1]'
    has err '400 RequestTimeout: idle \[tried again\]$'
    cmp <(sed $'1,/^\r$/d' "$canned_dir/request.1") \
        <(sed $'1,/^\r$/d' "$canned_dir/request.2")
    start
    canned_answer '' '400 Bad Request' '<Error><Code>InvalidArgument</Code></Error>'
    many 1 put -n 1 --size 5000 --retries 3 s3://b/k
    is "$(outcome)" '400 InvalidArgument - 1'
    is "$(member sum errors) $(member sum retried)" '1 0'
}

off_by_default() {
    start
    canned_answer 1 '503 Slow Down' "$slow"
    many 1 put -n 1 --size 10 s3://b/k
    is "$(outcome)" '503 SlowDown - 1'
    is "$(member sum retries) $(member sum retried)" '0 0'
}

# aws-sdk-cpp#345 (A12): HEAD has no body to tell the code.
head_of() { # STATUS WANT
    start
    canned_raw '' "HTTP/1.1 $1 Oh\r\nContent-Length: 0\r\n\r\n"
    # Missing is another status than denied.
    many "$(($1 == 403 ? 3 : 1))" head -n 1 --retries 1 s3://b/k
    is "$(requests)" "$2" "requests after a $1"
}

heads() {
    head_of 404 1
    head_of 403 1
    head_of 301 1
    head_of 400 1
    head_of 503 2
}

# cvmfs#4434: the answer to DeleteObjects is cut off.
cut_delete_is_repeated() {
    start
    canned_raw 1 'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<DeleteRes'
    : >"$canned_dir/close.1"
    canned_raw 2 'HTTP/1.1 200 OK\r\n\r\n<DeleteResult><Deleted><Key>a</Key>'
    : >"$canned_dir/close.2"
    : >"$canned_dir/drop.3"
    canned_answer '' '200 OK' '<DeleteResult/>'
    many 0 rm -n 2 --batch --retries 5 s3://b/k
    is "$(outcome)" "200 - short 1
200 InvalidAnswer - 2
0 - reset 3
200 - - 4"
    is "$(member sum ops) $(member sum errors) $(member sum retried)" '1 0 3'
    is "$(requests)" 3 # the dropped one is not kept
}

# The last attempt decides; the others are no errors.
last_one_decides() {
    start
    canned_answer '' '503 Slow Down' "$slow"
    many 1 put -n 1 --size 10 --retries 2 s3://b/k
    is "$(outcome)" "503 SlowDown - 1
503 SlowDown - 2
503 SlowDown - 3"
    is "$(member sum ops) $(member sum errors) $(member sum retried)" '0 1 2'
    is "$(jq -c '.failures[] | [.code, .count, .retried]' sum)" \
        '["SlowDown",3,2]'
    is "$(jq -c .marks sum)" '["few","errors","throttled"]'
    is "$(jq .failed_us.count sum)" 3
    is "$(jq '[.intervals[].errors] | add' sum)" 1
    has err '503 SlowDown: reduce \[3 times\] \[2 tried again\]$'
    expect_exit 1 "$S3OP" put -n 1 --size 10 --retries 1 s3://b/k >text 2>err
    has text '^put  0 ops, 1 error ' '^retried    1 attempt failed and was rep' \
        '^ +2      503   SlowDown '
}

# ex_aws#159: each attempt is signed for its own time, and waits its turn.
signed_anew() {
    local due start

    start
    canned_answer 1 '503 Slow Down' "$slow" 'Retry-After: 2'
    many 0 get -n 1 --retries 1 --connection new s3://b/k
    fails test "$(sent_header 1 x-amz-date)" = "$(sent_header 2 x-amz-date)"
    fails test "$(sent_header 1 authorization)" = \
        "$(sent_header 2 authorization)"
    # due with the first, started when the server wanted it
    mapfile -t due < <(column log due_us)
    mapfile -t start < <(column log start_us)
    is "${due[0]}" "${due[1]}"
    awk -v a="${start[0]}" -v b="${start[1]}" \
        'BEGIN { exit !(b - a >= 2e6 && b - a < 8e6) }'
    # the service time is the attempt's, the response time the operation's
    jq -e '.service_us.max < 1e6 and .response_us.max >= 2e6' sum
}

lost_connections() {
    start
    : >"$canned_dir/drop.1"
    many 0 get -n 1 --retries 1 s3://b/k
    is "$(outcome)" $'0 - reset 1\n200 - - 2'
    export AWS_ENDPOINT_URL=http://127.0.0.1:1
    many 3 get -n 1 --retries 2 s3://b/k
    is "$(outcome)" $'0 - connect 1\n0 - connect 2\n0 - connect 3'
}

# What may have happened is not done again where that would differ.
ambiguous_is_final() {
    start
    : >"$canned_dir/drop.1"
    many 1 put -n 1 --size 10 --retries 3 --header 'If-None-Match: *' s3://b/k
    is "$(outcome)" '0 - reset 1'
    : >"$canned_dir/drop.2"
    many 1 mb -n 1 --retries 3 s3://b
    is "$(outcome)" '0 - reset 1'
}

other_length_is_final() {
    start
    canned_answer '' '200 OK' 'eleven byte'
    many 1 get -n 1 --size 10 --retries 3 s3://b/k
    is "$(outcome)" '200 - short 1'
}

# What half came is forgotten.
download_begins_again() {
    start
    canned_raw 1 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it'
    : >"$canned_dir/close.1"
    canned_answer '' '200 OK' 'all of it'
    expect_exit 0 "$S3OP" --columns get --retries 1 -o got s3://b/k >record 2>err
    is "$(<got)" 'all of it'
    is "$(column record attempt | tr '\n' ' ')" '1 2 '
    # what went down a pipe cannot be taken back
    start
    canned_raw 1 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it'
    : >"$canned_dir/close.1"
    mkfifo pipe
    cat pipe >piped &
    expect_exit 1 "$S3OP" get --retries 1 -o - s3://b/k >pipe 2>err
    wait $!
    is "$(<piped)" 'half of it'
}

listing_goes_on() {
    local one two

    start
    one='<Contents><Key>a</Key><Size>1</Size></Contents>'
    two='<Contents><Key>b</Key><Size>2</Size></Contents>'
    canned_answer 1 '200 OK' "<ListBucketResult><IsTruncated>true</IsTruncated>$one<NextContinuationToken>t</NextContinuationToken></ListBucketResult>"
    canned_raw 2 "HTTP/1.1 200 OK\r\n\r\n<ListBucketResult>$two"
    : >"$canned_dir/close.2"
    canned_answer 3 '503 Slow Down' "$slow"
    canned_answer 4 '200 OK' "<ListBucketResult>$two</ListBucketResult>"
    many 0 ls -n 1 --retries 2 -o names s3://b
    is "$(outcome)" "200 - - 1
200 InvalidAnswer - 1
503 SlowDown - 2
200 - - 3"
    is "$(cut -f 3 names | tr '\n' ' ')" 'a b '
    is "$(member sum entries) $(member sum ops)" '2 2'
    is "$(column log due_us | uniq | wc -l)" 2 'times when a page was due'
}

certificate_is_final() {
    start_s3mem --tls
    unset AWS_CA_BUNDLE
    many 3 get -n 1 --retries 3 s3://b/k
    is "$(outcome)" '0 - certificate 1'
}

# A pause is no reason to outlive the run.
end_of_the_run() {
    start
    canned_answer '' '503 Slow Down' "$slow" 'Retry-After: 20'
    SECONDS=0
    many 0 get -d 500ms --retries 3 -c 2 s3://b/k
    ((SECONDS < 10))
    is "$(member sum ops) $(member sum errors) $(member sum unfinished)" '0 0 2'
    is "$(outcome | sort -u)" '503 SlowDown - 1'
}

bad_numbers() {
    expect_exit 2 "$S3OP" get --retries 101 s3://b/k 2>err
    has err '^s3op: bad retries: it is at most 100$'
    expect_exit 2 "$S3OP" get --retries -1 s3://b/k 2>err
    expect_exit 2 "$S3OP" sign --retries 1 s3://b/k 2>err
}

test_expect 's3fs-fuse#2584 (A6): 400 RequestTimeout is tried again' \
    idle_upload_is_repeated
test_expect 'without --retries nothing is' off_by_default
test_expect 'aws-sdk-cpp#345 (A12): HEAD: 503 is, 404 and others are not' heads
test_expect 'cvmfs#4434: a cut-off answer to DeleteObjects is' \
    cut_delete_is_repeated
test_expect 'attempts are counted apart, the last one decides' last_one_decides
test_expect 'ex_aws#159: each attempt is signed anew; Retry-After' signed_anew
test_expect 'lost and refused connections' lost_connections
test_expect 'what may have happened is not repeated blindly' ambiguous_is_final
test_expect 'an object of another length is not tried again' \
    other_length_is_final
test_expect 'half a download is forgotten' download_begins_again
test_expect 'a page of a listing is, alone' listing_goes_on
test_expect 'a certificate that is not trusted never is' certificate_is_final
test_expect 'the end of the run ends the waiting' end_of_the_run
test_expect 'bad numbers of retries' bad_numbers
done_testing
