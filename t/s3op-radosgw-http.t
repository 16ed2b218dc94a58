#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op on Ceph radosgw, over http.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

# No unexplained error, however many are in flight.
at_all_concurrencies() {
    local lanes count

    "$S3OP" mb "s3://$bucket" >record
    for lanes in 1 64 256; do
        count=$((lanes < 50 ? 50 : 2 * lanes))
        load put -n "$count" -c "$lanes" -s 4096 "s3://$bucket/c"
        check sum ".ops == $count and .errors == 0"
        load get -n "$count" -c "$lanes" -s 4096 --verify "s3://$bucket/c"
        check sum ".verified == $count and .errors == 0 and .mismatched == 0"
        load rm -n "$count" -c "$lanes" "s3://$bucket/c"
        check sum ".ops == $count and .errors == 0"
    done
    "$S3OP" rb "s3://$bucket" >record
}

# What is being deleted is never read, so all succeed.
operations_mix() {
    "$S3OP" mb "s3://$bucket" >record
    load put -n 60 -c 8 -s 4096 "s3://$bucket/m"
    load mixed -n 600 -c 16 --objects 60 -s 4096 --verify \
        --mix get=40,get-range=10,head=15,put=15,rm=15,ls=2,cp=3 \
        --range random "s3://$bucket/m"
    check sum '.ops == 600 and .errors == 0 and .verified == 300'
    check sum '.slices | map(select(.name == "rm"))[0].ops == 90'
    load rm -n 160 --batch "s3://$bucket/m"
    load rm -n 160 --batch "s3://$bucket/mcopy-"
    "$S3OP" rb "s3://$bucket" >record
}

start_radosgw
s3op_suite "$test_id"
bucket=$test_id-lanes
test_expect 'no errors on 1, 64 and 256 lanes' at_all_concurrencies
test_expect 'operations mix' operations_mix
done_testing
