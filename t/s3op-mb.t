#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mb: which location is sent, and what is said of a bucket that is there.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
    canned_answer '' '200 OK' ''
}

op() { # STATUS ARG...: the record, with column names, in ./record
    expect_exit "$1" "$S3OP" --columns --timeout 20s "${@:2}" >record 2>err
}

# As if the server were AWS's of REGION.
aws_mb() { # REGION ARG...
    local port=${canned_url##*:} host=s3.$1.amazonaws.com

    op 0 --endpoint "http://$host:$port" --region "$1" --addressing path \
        --resolve "$host:$port:127.0.0.1" mb "${@:2}" s3://b
}

constraint() { # NUMBER: '-' for an empty body
    local body

    body=$(sent_body "$1")
    [[ -n $body ]] || {
        is "$(sent_header "$1" content-length)" 0
        echo -
        return
    }
    is "$(sent_header "$1" content-length)" "${#body}"
    is "${body%%<Loc*}" '<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    is "${body##*</Loc}" 'ationConstraint></CreateBucketConfiguration>'
    body=${body#*<LocationConstraint>}
    echo "${body%%</Loc*}"
}

# dvassallo/s3-benchmark#8, versity/versitygw#1654 (A18)
aws_is_told_the_region() {
    start
    aws_mb us-east-1
    is "$(constraint 1)" -
    aws_mb eu-central-1
    is "$(constraint 2)" eu-central-1
    aws_mb eu-central-1 --location none
    is "$(constraint 3)" -
    aws_mb eu-central-1 --location EU
    is "$(constraint 4)" EU
    aws_mb eu-central-1 --location us-east-1
    is "$(constraint 5)" -
}

# Others have locations of their own: a foreign one is refused.
others_are_told_when_asked() {
    start
    op 0 mb --region eu-central-1 s3://b
    is "$(constraint 1)" -
    op 0 mb --region eu-central-1 --location eu-central-1 s3://b
    is "$(constraint 2)" eu-central-1
    op 0 mb --location 'a<&b' s3://b
    is "$(constraint 3)" 'a&lt;&amp;b'
    op 0 mb --location '' s3://b
    is "$(constraint 4)" -
}

# breuner/elbencho#31 (A17): both facts are told.
bucket_is_there() { # CODE HEAD-STATUS TEXT
    start
    canned_answer 1 '409 Conflict' "<Error><Code>$1</Code><Message>taken\
</Message></Error>"
    canned_raw 2 "HTTP/1.1 $2\r\nContent-Length: 0\r\n\r\n"
    op 1 mb s3://b
    has "$canned_dir/request.2" '^HEAD /b HTTP'
    fails test -e "$canned_dir/request.3"
    has err "^s3op: mb s3://b: 409 $1: taken; HeadBucket answers $3\$"
    is "$(column record op | tr '\n' ' ')" 'head mb '
    is "$(column record status | tr '\n' ' ')" "${2%% *} 409 "
    is "$(wc -l <err)" 1
}

other_conflicts_ask_nothing() {
    start
    canned_answer 1 '409 Conflict' '<Error><Code>OperationAborted</Code></Error>'
    op 1 mb s3://b
    fails test -e "$canned_dir/request.2"
}

many_buckets_are_there() {
    start
    canned_answer '' '409 Conflict' \
        '<Error><Code>BucketAlreadyExists</Code></Error>'
    expect_exit 1 "$S3OP" mb -n 3 --json --log log s3://b >sum 2>err
    is "$(member sum errors)" 3
    is "$(column log op | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        ' 3 head; 3 mb;'
}

test_expect 'AWS is told the region' aws_is_told_the_region
test_expect 'others are told when asked' others_are_told_when_asked
test_expect 'a bucket of ours is there' bucket_is_there \
    BucketAlreadyOwnedByYou '200 OK' '200: these keys can use it'
test_expect 'a bucket that we may use is there' bucket_is_there \
    BucketAlreadyExists '200 OK' '200: these keys can use it'
test_expect "another's bucket is there" bucket_is_there \
    BucketAlreadyExists '403 Forbidden' \
    '403 AccessDenied: these keys cannot use it'
test_expect 'other conflicts ask nothing' other_conflicts_ask_nothing
test_expect 'many buckets are there' many_buckets_are_there
done_testing
