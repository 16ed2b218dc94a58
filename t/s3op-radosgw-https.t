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

test_expect 'keys of the customer' customers_keys_work
test_expect 'checksums, tags, metadata' checksums_and_the_like_are_taken
done_testing
