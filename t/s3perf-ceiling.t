#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The client's own ceiling is measured once and kept with its machine.
. "${srcdir:-.}/t/test-lib.sh"

ceiling() { # ARG...
    S3PERF_LIBEXEC=$srcdir/scripts XDG_CACHE_HOME=$PWD/cache \
        "$srcdir/scripts/s3perf-ceiling" --duration 100ms "$@"
}

is_measured_and_kept() {
    ceiling --ops put,get --sizes 1,4Ki --concurrency 2 >out 2>err
    has out '^put +1 +2 +[1-9][0-9]* ' '^get +4096 +2 +[1-9][0-9]* '
    is "$(grep -c '^[0-9a-f]\{16\}	' cache/s3perf/ceiling.tsv)" 4 'lines'
    has cache/s3perf/ceiling.tsv '^# s3perf-ceiling 1$' \
        '	put	1	2	http	signed	'
}

is_shown_again() {
    ceiling --ops get --sizes 1 --concurrency 2 >first
    ceiling --ops get --sizes 1 --concurrency 2 >second
    cmp first second
    ceiling --ops get --sizes 1 --concurrency 2 --refresh >third
    is "$(grep -c '	get	1	2	' cache/s3perf/ceiling.tsv)" 1 'lines'
}

differs_over_tls() {
    ceiling --ops get --sizes 1 --concurrency 2 --tls >out
    has cache/s3perf/ceiling.tsv '	get	1	2	https	unsigned	'
}

# Columns 6 and 7: what s3op says it did, not what we think it does.
key_is_s3ops() {
    local one two

    ceiling --ops get --sizes 1 --concurrency 1,2 --refresh >out
    start_s3mem
    "$S3OP" mb s3://bucket >out
    "$S3OP" put -n 1 -c 1 --size 1 --json s3://bucket/k >json
    one=$(sed 's/.*"threads":\([0-9]*\).*/\1/' json)
    "$S3OP" put -n 2 -c 2 --objects 2 --size 1 --json s3://bucket/k >json
    two=$(sed 's/.*"threads":\([0-9]*\).*/\1/' json)
    has cache/s3perf/ceiling.tsv \
        "	get	1	1	http	signed	$one	reuse	" \
        "	get	1	2	http	signed	$two	reuse	"
    ceiling --ops put --sizes 1 --concurrency 2 --payload-hash unsigned \
        --threads 1 >out
    has cache/s3perf/ceiling.tsv '	put	1	2	http	unsigned	1	reuse	'
}

# A run whose like has a ceiling says how near it came.
a_run_is_compared() {
    local machine
    local run=("$S3OP" get -n 20 -c 1 --threads 1 --size 1 s3://bucket/k)
    local key

    start_s3mem
    "$S3OP" mb s3://bucket >out
    "$S3OP" put -n 20 --size 1 s3://bucket/k >out
    "${run[@]}" --json --ceiling none >json
    machine=$(sed 's/.*"machine":"\([0-9a-f]*\)".*/\1/' json)
    has json '"ceiling_ops_per_s":null,"ceiling_share":null'
    key=$machine$'\tget\t1\t1\thttp\tsigned\t1\treuse\t'
    mkdir -p own/s3perf
    printf '# s3perf-ceiling 1\nmachine\n%s\n' "${key}0.5"$'\tx' \
        >own/s3perf/ceiling.tsv
    XDG_CACHE_HOME=$PWD/own "${run[@]}" --json >json
    has json '"ceiling_ops_per_s":0.500,"ceiling_share":[1-9]' '"client-bound"'
    XDG_CACHE_HOME=$PWD/own "${run[@]}" >text
    has text '^ceiling *0.5 ops/s can be done here: [0-9]* % of it was$' \
        '^Client-bound: '
    # One that is far above, and one of another machine, mark nothing.
    printf '# s3perf-ceiling 1\nmachine\n%s\n%s\n' "${key}1e12"$'\tx' \
        "0123456789abcdef${key#*"$machine"}1"$'\tx' >far
    "${run[@]}" --ceiling far --json >json
    has json '"ceiling_ops_per_s":1000000000000.000,"ceiling_share":0.0000,'
    expect_exit 2 "${run[@]}" --ceiling nowhere 2>err
    has err "cannot use the ceilings in 'nowhere': No such file"
    expect_exit 2 "${run[@]}" --ceiling json 2>err
    has err "cannot use the ceilings in 'json': they are not s3perf's"
}

nonsense_is_refused() {
    expect_exit 2 ceiling --ops mb 2>err
    has err "bad op 'mb'"
    expect_exit 2 ceiling --sizes 4x 2>err
    has err "bad size '4x'"
    expect_exit 2 ceiling --concurrency 0 2>err
    has err "bad concurrency '0'"
}

unwritable_is_4() {
    : >file
    expect_exit 4 env XDG_CACHE_HOME="$PWD/file" \
        "$srcdir/scripts/s3perf-ceiling" --duration 100ms --ops get \
        --sizes 1 --concurrency 1 >out 2>err
    has err 'cannot create'
}

test_expect 'the ceiling is measured and kept' is_measured_and_kept
test_expect 'it is shown again, not measured' is_shown_again
test_expect 'it differs over TLS' differs_over_tls
test_expect 'it is kept under what s3op says it did' key_is_s3ops
test_expect 'a run is compared with its ceiling' a_run_is_compared
test_expect 'nonsense is refused' nonsense_is_refused
test_expect 'a cache that cannot be written is 4' unwritable_is_4
done_testing
