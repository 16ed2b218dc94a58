#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op on Ceph radosgw, over https.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

start_radosgw
export AWS_ENDPOINT_URL=$RADOSGW_TLS_URL AWS_CA_BUNDLE=$RADOSGW_CACERT
s3op_suite "$test_id"
done_testing
