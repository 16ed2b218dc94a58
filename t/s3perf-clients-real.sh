# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# The clients that Debian has, through the six phases on the service of the
# environment. Sourced after test-lib.sh.

# Debian's, where there are others in front of them.
PATH=/usr/bin:$PATH

six_phases() { # CLIENT [ARG...]
    "$S3PERF" --client "$1" -n 2 -s 70000 -p -j 2 --json "${@:2}" >out 2>err
    jq -e '.outcome == "complete" and .listed == 2 and .left == null and
        .downloads == {asked: 2, verified: 2, mismatched: 0} and
        (.phases | length) == 6 and .client_version != null and
        .phases[1].s3op.ops == 2 and .phases[1].s3op.cpu_us_per_op > 1000' out
    # s4cmd has no command to erase a bucket.
    is "$(jq -r '.phases[5].state' out)" \
        "$([[ $1 == s4cmd ]] && echo skipped || echo ok)"
    expect_exit 1 "$S3OP" head "s3://$(jq -r .bucket out)" >answer 2>err
}

borrowed() { # CLIENT
    "$S3OP" mb "s3://$test_id" >/dev/null
    "$S3OP" put -n 3 --size 5 "s3://$test_id/testfile" >/dev/null
    "$S3PERF" --client "$1" -n 2 -s 10 -b "$test_id" --json >out 2>err
    jq -e '.outcome == "complete" and .listed == 2 and
        .downloads.verified == 2 and (.phases | length) == 4' out
    "$S3OP" ls -o names "s3://$test_id" >answer
    is "$(cut -f 3 names | xargs)" 'testfile1 testfile2 testfile3'
    "$S3OP" rm -n 3 "s3://$test_id/testfile" >/dev/null
    "$S3OP" rb "s3://$test_id" >/dev/null
}

# Run CASE with each client that is there, or with those NAMEs alone.
with_each() { # TITLE CASE [NAME...]
    local pair

    for pair in s3cmd:s3cmd aws:awscli s4cmd:s4cmd rclone:rclone s3:libs3-2; do
        (($# == 2)) || [[ " ${*:3} " == *" ${pair%:*} "* ]] || continue
        if command -v "${pair%:*}" >/dev/null; then
            test_expect "$1: ${pair%:*}" "$2" "${pair%:*}"
        else
            [[ ${CI:-} != true ]] || die "CI=true, and there is no ${pair#*:}"
            test_skip "$1: ${pair%:*}" "there is no Debian package ${pair#*:}"
        fi
    done
}
