#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3stat scaling: curves over concurrency, the law, the knee, the line.
. "${srcdir:-.}/t/test-lib.sh"

readonly golden=$srcdir/t/data/compare

# A published run: 16 MiB uploads over a line of 1 Gbit/s, MiB/s and p99 in ms
# on 1 to 1024 streams.
readonly published='1 3.13 5426.2
2 7.33 5476.4
4 16.71 5106.7
8 34.46 5147.6
16 45.34 8117.1
32 56.72 12318.4
64 68.68 22277.0
128 75.60 36268.3
256 82.84 59891.9
512 103.73 92461.1
1024 108.06 138701.5'

print_head() {
    echo '# s3perf-cells 1'
    printf 'target\tphase\tsize\tconcurrency\trepeat\tmark\t'
    printf 'ops_per_s\tbytes_per_s\tp99_us\n'
}

print_published() {
    awk -v OFS='\t' '{
        print "https://s3", "upload", 16777216, $1, 1, "-",
            sprintf("%.6f", $2 / 16), sprintf("%.0f", $2 * 1048576),
            sprintf("%.1f", $3 * 1000)
    }' <<<"$published"
}

# What the law says of a lane's 100/s, 2 % contention, 40 ppm coherency.
print_law() { # [REPEAT FACTOR]
    awk -v OFS='\t' -v repeat="${1:-1}" -v factor="${2:-1}" 'BEGIN {
        for (n = 1; n <= 1024; n *= 2) {
            rate = 100 * n / (1 + (n - 1) * (0.02 + 0.00004 * n)) * factor
            p99 = 8000 * (1 + n / 64)
            print "http://s3", "get", 4096, n, repeat, (n > 500 ? "few" : "-"),
                sprintf("%.6f", rate), sprintf("%.1f", rate * 4096), p99
        }
    }'
}

is_golden() { # FILE NAME
    sed -E 's/s3stat [0-9][^ "]*/s3stat VERSION/' "$1" >"$2.got"
    [[ -z ${UPDATE_GOLDEN:-} ]] || cp "$2.got" "$golden/$2"
    diff "$golden/$2" "$2.got"
}

member() { # JQ: of the only curve in out
    jq -r ".curves[0] | $1" out
}

the_law_is_found() {
    { print_head && print_law; } >cells
    expect_exit 0 "$S3STAT" scaling --json cells >out &&
        [[ $(member '.lambda | round') == 100 ]] &&
        [[ $(member '.sigma * 1000 | round') == 20 ]] &&
        [[ $(member '.kappa * 1000000 | round') == 40 ]] &&
        [[ $(member '.peak_lanes | round') == 157 ]] &&
        [[ $(member '.best_lanes') == 128 && $(member '.misfit') == 0 ]]
}

the_knee_is_found() {
    # p99 is 8125 us at 1 lane, 16000 at 64, 24000 at 128
    expect_exit 0 "$S3STAT" scaling cells >out &&
        has out 'knee +64 lanes: p99 16\.0 ms, within 2 times' \
            'marked +few at 512, 1024' &&
        expect_exit 0 "$S3STAT" scaling --knee=3 cells >out &&
        has out 'knee +128 lanes' &&
        expect_exit 0 "$S3STAT" scaling --knee=1 cells >out &&
        has out 'knee +1 lane: '
}

repeats_and_runs_are_averaged() {
    { print_head && print_law 1 0.8 && print_law 2 1.25; } >twice
    expect_exit 0 "$S3STAT" scaling --json twice >out &&
        [[ $(member '.lambda | round') == 100 ]] &&
        [[ $(member '.points[3].values') == 2 ]] || return 1
    { print_head && print_law 1 0.8; } >low
    { print_head && print_law 1 1.25; } >high
    expect_exit 0 "$S3STAT" scaling --json low high >both &&
        diff both out
}

a_published_run() {
    { print_head && print_published; } >published
    expect_exit 0 "$S3STAT" scaling --line-rate=1Gbit published >out &&
        is_golden out scaling.txt &&
        has out '113\.3 of 125\.0 MB/s are content: 90\.6 %; the other 9\.4 %' &&
        expect_exit 0 "$S3STAT" scaling --tsv published >out &&
        is_golden out scaling.tsv &&
        expect_exit 0 "$S3STAT" scaling --points published >out &&
        is_golden out scaling-points.tsv
}

more_than_the_line_carries_is_said() {
    expect_exit 0 "$S3STAT" scaling --line-rate=900Mbit published >out &&
        has out 'more than the line'
}

few_points_have_no_law() {
    { print_head && print_law | head -n 2; } >few
    expect_exit 0 "$S3STAT" scaling few >out &&
        has out 'law +none: too few' &&
        expect_exit 0 "$S3STAT" scaling --json few >out &&
        [[ $(member .lambda) == null ]] || return 1
    { print_head && print_law | head -n 3; } >three
    expect_exit 0 "$S3STAT" scaling --json three >out &&
        [[ $(member '.lambda | round') == 100 && $(member .lambda_low) == null ]]
}

what_was_given_up_has_no_p99() {
    sed -E 's/\t([0-9.]+)$/\t>\1/' cells >late
    expect_exit 0 "$S3STAT" scaling late >out && hasnt out knee
}

curves_are_told_apart() {
    {
        print_head
        print_law
        print_law | sed 's/	get	4096/	put	1024/'
        print_law | sed 's,http://s3,http://other,'
    } >three
    expect_exit 0 "$S3STAT" scaling three >out &&
        [[ $(grep -c concurrencies out) == 3 ]] &&
        has out '^get, 4 KiB, http://other: 11 concurrencies, 1 to 1024' &&
        expect_exit 0 "$S3STAT" scaling --phase=put three >out &&
        [[ $(grep -c concurrencies out) == 1 ]]
}

nothing_known_is_said() {
    { print_head && print_law | sed -E 's/\t[0-9.]+\t[0-9.]+\t[0-9]+$/\t-\t-\t-/'; } \
        >nothing
    expect_exit 0 "$S3STAT" scaling nothing >out &&
        has out 'no throughput is known' &&
        expect_exit 0 "$S3STAT" scaling --tsv nothing >out
}

bad_options_are_refused() {
    expect_exit 2 "$S3STAT" scaling 2>err && has err 'no RUN' &&
        expect_exit 2 "$S3STAT" scaling --knee=0.5 cells 2>err &&
        has err "bad --knee '0.5'" &&
        expect_exit 2 "$S3STAT" scaling --line-rate=1GB cells 2>err &&
        has err "bad --line-rate '1GB'" &&
        expect_exit 2 "$S3STAT" scaling --tsv --json cells 2>err &&
        expect_exit 2 "$S3STAT" scaling missing 2>err && has err missing
}

test_expect 'the law is found' the_law_is_found
test_expect 'the knee is found' the_knee_is_found
test_expect 'repeats and runs are averaged' repeats_and_runs_are_averaged
test_expect 'a published run' a_published_run
test_expect 'more than the line carries is said' \
    more_than_the_line_carries_is_said
test_expect 'few points have no law' few_points_have_no_law
test_expect 'what was given up has no p99' what_was_given_up_has_no_p99
test_expect 'curves are told apart' curves_are_told_apart
test_expect 'nothing known is said' nothing_known_is_said
test_expect 'bad options are refused' bad_options_are_refused
done_testing
