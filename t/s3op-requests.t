#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What s3op sends, byte for byte: headers, lengths, encodings.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
}

op() { # STATUS ARG...
    expect_exit "$1" "$S3OP" --timeout 20s "${@:2}" >record 2>err
}

# curl#11738 (A3)
date_is_sent_once() {
    local i date

    start
    canned_answer '' '200 OK' ''
    op 0 put --size 10 --header 'X-Amz-Meta-Date: 1' s3://b/k
    op 0 get s3://b/k
    op 0 head s3://b/k
    op 0 mb s3://b
    "$S3OP" rm s3://b/k s3://b/l >record 2>err || :
    test -e "$canned_dir/request.5"
    for i in 1 2 3 4 5; do
        date=$(sent_header "$i" x-amz-date)
        is "$(wc -l <<<"$date")" 1 'dates'
        has <(sent_header "$i" authorization) \
            "Credential=AKIDEXAMPLE/${date%%T*}/us-east-1/s3/aws4_request,"
        is "$(sent_header "$i" date)" ''
    done
    expect_exit 2 "$S3OP" get --header "X-AMZ-Date: $date" s3://b/k 2>err
    has err "^s3op: bad header 'X-AMZ-Date': it is set by the program"
}

# marfs#139 (A9), s3-benchmark#8 (A18)
lengths_are_sent() {
    local i

    start
    canned_answer '' '200 OK' ''
    op 0 put --size 0 s3://b/k
    is "$(sent_header 1 content-length)" 0
    op 0 mb s3://b
    is "$(sent_header 2 content-length)" 0
    op 0 put --size 100000 s3://b/k
    is "$(sent_header 3 content-length)" 100000
    head -c 70000 /dev/zero >file
    op 0 put --file - s3://b/k <file
    is "$(sent_header 4 content-length)" 70000
    op 0 put --size 3Mi --payload-hash unsigned s3://b/k
    is "$(sent_header 5 content-length)" 3145728
    "$S3OP" rm s3://b/k s3://b/l >record 2>err || :
    is "$(sent_header 6 content-length)" "$(sent_body 6 | wc -c)"
    op 0 mb --location eu-central-1 s3://b
    is "$(sent_header 7 content-length)" "$(sent_body 7 | wc -c)"
    sent_body 7 >body
    has body '<LocationConstraint>eu-central-1</LocationConstraint>'
    op 0 mb --region eu-central-1 s3://b
    is "$(sent_header 8 content-length)" 0
    for i in 1 2 3 4 5 6 7 8; do
        is "$(sent_header "$i" transfer-encoding)" ''
        is "$(sent_header "$i" expect)" ''
        is "$(sent_header "$i" content-length | wc -l)" 1
    done
}

# s3cmd#780, ceph#10919 (A14)
blank_and_plus_are_encoded() {
    start
    canned_answer '' '200 OK' ''
    op 0 put --size 1 's3://b/a b+c'
    has "$canned_dir/request.1" '^PUT /b/a%20b%2Bc HTTP'
    op 0 rm 's3://b/a b+c'
    has "$canned_dir/request.2" '^DELETE /b/a%20b%2Bc HTTP'
    "$S3OP" ls --delimiter + 's3://b/a b+c' >record 2>err || :
    has "$canned_dir/request.3" \
        '^GET /b\?delimiter=%2B&list-type=2&prefix=a%20b%2Bc HTTP'
    "$S3OP" rm 's3://b/a b+c' 's3://b/d&e' >record 2>err || :
    has "$canned_dir/request.4" '^POST /b\?delete= HTTP'
    sent_body 4 >body
    has body '<Key>a b\+c</Key>' '<Key>d&amp;e</Key>'
}

# s3cmd#974, minio-dotnet#321 (A15)
host_is_the_signed_one() {
    local url

    start
    canned_answer '' '200 OK' ''
    op 0 get s3://b/k
    is "$(sent_header 1 host)" "${canned_url#http://}"
    expect_exit 0 "$S3OP" sign s3://b/k >out
    has out "^host:${canned_url#http://}\$"
    for url in http://h http://h:80 https://h https://h:443; do
        expect_exit 0 "$S3OP" sign --endpoint "$url" s3://b/k >out
        has out '^host:h$'
    done
    expect_exit 0 "$S3OP" sign --endpoint http://h:443 s3://b/k >out
    has out '^host:h:443$'
}

# minio#20845 (A19)
delete_has_its_md5() {
    start
    canned_answer '' '200 OK' '<DeleteResult/>'
    op 0 rm s3://b/one 's3://b/<two>'
    is "$(sent_header 1 content-md5)" \
        "$(sent_body 1 | openssl md5 -binary | base64)"
    is "$(sent_header 1 x-amz-content-sha256)" \
        "$(sent_body 1 | openssl sha256 | sed 's/.* //')"
    has <(sent_header 1 authorization) 'SignedHeaders=content-md5;'
}

# rclone#6670 (A20)
hops_headers_are_not_signed() {
    local names

    start
    canned_answer '' '200 OK' ''
    op 0 put --size 10 --header 'Accept-Encoding: gzip' \
        --header 'User-Agent: mine' --header 'TE: trailers' \
        --header 'Connection: keep-alive' --header 'Accept: */*' s3://b/k
    names=$(sent_header 1 authorization)
    names=${names##*SignedHeaders=}
    is "${names%%,*}" 'host;x-amz-content-sha256;x-amz-date'
    is "$(sent_header 1 user-agent)" mine
    is "$(sent_header 1 accept-encoding)" gzip
    op 0 get s3://b/k
    has <(sent_header 2 user-agent) '^s3op/'
    is "$(sent_header 2 accept)" ''
    op 2 get --header 'Transfer-Encoding: chunked' s3://b/k
}

test_expect 'the date is sent once' date_is_sent_once
test_expect 'lengths are sent' lengths_are_sent
test_expect 'blank and plus are encoded' blank_and_plus_are_encoded
test_expect 'the host is the signed one' host_is_the_signed_one
test_expect 'a delete of many has its MD5' delete_has_its_md5
test_expect "a hop's headers are not signed" hops_headers_are_not_signed
done_testing
