#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op on Ceph radosgw, over http.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

start_radosgw
s3op_suite "$test_id"
done_testing
