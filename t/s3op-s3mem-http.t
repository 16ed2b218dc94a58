#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op on the built-in endpoint, over http.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

start_s3mem
s3op_suite "$test_id"
done_testing
