#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op on Ceph radosgw, over https.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

start_radosgw
export AWS_ENDPOINT_URL=$RADOSGW_TLS_URL AWS_CA_BUNDLE=$RADOSGW_CACERT
s3op_suite "$test_id"

customers_keys_work() {
    export S3PERF_SSE_C_KEY=MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=
    s3op mb "s3://$bucket"
    load put -n 4 -c 2 -s 70000 --sse c "s3://$bucket/c"
    load get -n 4 -c 2 -s 70000 --verify --sse c "s3://$bucket/c"
    check sum '.verified == 4 and .request.encryption == "c"'
    s3op head --sse c "s3://$bucket/c1"
    expect_exit 1 "$S3OP" get "s3://$bucket/c1" >record 2>err
    s3op rm "s3://$bucket"/c{1,2,3,4}
    s3op rb "s3://$bucket"
}

checksums_and_the_like_are_taken() {
    s3op mb "s3://$bucket"
    load put -n 2 -s 70000 --checksum sha256 --tags 'a b=c,d=e' \
        --metadata 'm=x  y' --metadata-size 500 --content-type text/x-odd \
        "s3://$bucket/a"
    load get -n 2 -s 70000 --checksum sha256 --verify "s3://$bucket/a"
    s3op rm "s3://$bucket"/a{1,2}
    s3op rb "s3://$bucket"
}

# Each version's id, of KEY.
version_of() { # KEY
    "$S3OP" ls --versions -o names "s3://$bucket-l/$1" >record
    cut -f 4 names
}

locks_hold() {
    local id

    s3op mb --object-lock "s3://$bucket-l"
    s3op put -s 10 --retention governance:1h --checksum md5 "s3://$bucket-l/r"
    id=$(version_of r)
    expect_exit 1 "$S3OP" rm --version-id "$id" "s3://$bucket-l/r" 2>err
    has err '403 AccessDenied'
    s3op rm --version-id "$id" --bypass-governance "s3://$bucket-l/r"
    s3op put -s 10 --legal-hold --checksum sha256 "s3://$bucket-l/h"
    id=$(version_of h)
    expect_exit 1 "$S3OP" rm --version-id "$id" "s3://$bucket-l/h" 2>err
    s3op release "s3://$bucket-l/h"
    s3op rm --version-id "$id" "s3://$bucket-l/h"
    s3op rb "s3://$bucket-l"
}

versions_come_and_go() {
    s3op mb --versioned "s3://$bucket-v"
    is "$(column record status | tr '\n' ' ')" '200 200 '
    load put -n 6 -c 2 -s 10 --objects 2 "s3://$bucket-v/o"
    "$S3OP" ls --versions -o names "s3://$bucket-v" >record
    cut -f 3 names >keys
    cut -f 4 names >ids
    is "$(sort -u ids | wc -l)" 6 versions
    load get --keys keys --version-ids ids -c 2 -s 10 --verify "s3://$bucket-v/"
    check sum '.verified == 6'
    load rm --batch 4 --keys keys --version-ids ids "s3://$bucket-v/"
    s3op rb "s3://$bucket-v"
}

# This server takes each for the whole object.
appends_are_noticed() {
    s3op mb "s3://$bucket"
    s3op put -s 5 --append "s3://$bucket/a"
    expect_exit 1 "$S3OP" put -s 5 --append --offset 5 "s3://$bucket/a" 2>err
    has err 'InvalidAnswer: the object should have 10 bytes'
    s3op rm "s3://$bucket/a"
    s3op rb "s3://$bucket"
}

test_expect 'locks hold until they are lifted' locks_hold
test_expect 'versions come and go' versions_come_and_go
test_expect 'what is no append is noticed' appends_are_noticed
test_expect 'keys of the customer' customers_keys_work
test_expect 'checksums, tags, metadata' checksums_and_the_like_are_taken
done_testing
