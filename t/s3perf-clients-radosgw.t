#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Other clients through the six phases, on a real S3 server.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3perf-clients-real.sh
. "$srcdir/t/s3perf-clients-real.sh"
start_radosgw

over_tls() { # CLIENT
    export AWS_ENDPOINT_URL=$RADOSGW_TLS_URL AWS_CA_BUNDLE=$RADOSGW_CACERT
    six_phases "$1"
}

with_each 'six phases' six_phases
with_each 'in a bucket that is there' borrowed
with_each 'over TLS' over_tls s3cmd aws rclone
done_testing
