#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A run ends when its numbers are known well enough, and looks for its
# warm-up.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

# Whatever the machine does: nothing is ever known that badly for long.
known_well_enough_ends_it() {
    load get -d 300s -c 4 -s 1000 --stop-when 'ci(p50)<99%' "s3://$bucket/k"
    check sum '.stop_met and .stop_when == "ci(p50)<99%"'
    check sum '.stop_reached[0] < 0.99 and .stop_after_s >= 2'
    check sum '.window_s < 299 and .duration_s == 300 and .interval_s == 0.1'
    check sum '.marks | index("imprecise") == null'
    check sum '(.window_s - .stop_after_s | fabs) < 1'
    # An operation that was under way counts for nothing when it ends later.
    check sum '.ops > 0 and .errors == 0 and .imbalance < 0.001'
}

several_must_hold() {
    load get -d 300s -c 4 -s 1000 "s3://$bucket/k" \
        --stop-when 'ci(p50)<99%,ci(rate)<99%,ci(p90)<99%'
    check sum '.stop_met and (.stop_reached | length) == 3'
    check sum '.stop_reached | max < 0.99'
}

not_before_its_least_time() {
    load get -d 300s -c 4 -s 1000 --stop-when 'ci(p50)<99%' \
        --min-duration 3s "s3://$bucket/k"
    check sum '.stop_met and .stop_after_s >= 3 and .window_s >= 3'
}

what_is_not_met_is_said() {
    expect_exit 1 "$S3OP" get -d 1s -c 4 -s 1000 --json --cell cells \
        --stop-when 'ci(p50)<0.0001%' "s3://$bucket/k" >sum 2>err
    check sum '.stop_met == false and (.marks | index("imprecise"))'
    check sum '.stop_reached == [null]' # too short to tell
    has err "'ci\\(p50\\)<0.0001%' was not met within -d"
    has cells 'imprecise'
    expect_exit 1 "$S3OP" get -d 1s -c 4 -s 1000 \
        --stop-when 'ci(p50)<0.0001%' "s3://$bucket/k" >text 2>err
    has text '^stop +ci\(p50\)<0.0001%: not met after [0-9.]+ s, too little'
}

failures_are_said_first() {
    expect_exit 1 "$S3OP" get -d 1s -c 2 -s 7 --json \
        --stop-when 'ci(p50)<2%' "s3://$bucket/k" >sum 2>err
    has err 'short' && hasnt err 'was not met'
}

warps_rule_is_an_offer() {
    load get -d 1s -c 4 -s 1000 --autoterm "s3://$bucket/k"
    check sum '.stop_when == "steady(7.5%,15s)" and .stop_met == false'
    check sum '.marks | index("imprecise") == null'
}

a_rate_ends_early_too() {
    load get -d 300s -r 100/s -c 20 -s 1000 --stop-when 'ci(rate)<99%' \
        "s3://$bucket/k"
    check sum '.stop_met and .window_s < 299'
}

a_signal_is_no_miss() {
    "$S3OP" get -d 300s -c 2 -s 1000 --json --log log \
        --stop-when 'ci(p50)<0.0001%' "s3://$bucket/k" >sum 2>err &
    pid=$!
    wait_for 30 grep -qs '^[0-9]' log
    kill -s INT "$pid"
    expect_exit 130 wait "$pid"
    hasnt err 'was not met'
    check sum '.stop_met == false and (.marks | index("imprecise") == null)'
}

the_warm_up_is_looked_for() {
    load get -d 5s -c 4 -s 1000 --detect-warmup "s3://$bucket/k"
    check sum 'has("warmup_settled") and has("stop_when") == false'
    check sum 'if .warmup_settled then .warmup_found_s >= 0 and
        .warmup_found_s < 5 else .warmup_found_s == null end'
    check sum '.window_s > 4' # nothing is left out
    load get -d 1s -c 4 -s 1000 --detect-warmup "s3://$bucket/k"
    check sum '.warmup_settled == false' # ten intervals tell nothing
    "$S3OP" get -d 1s -c 4 -s 1000 --detect-warmup "s3://$bucket/k" >text
    has text '^warm-up +too short to tell, or never steady'
}

others_are_not_told_of_it() {
    load get -d 300ms -c 4 -s 1000 "s3://$bucket/k"
    check sum '(has("stop_when") or has("warmup_settled")) | not'
    check sum '.interval_s == 1'
    load get -d 300ms -c 4 -s 1000 --autoterm --interval 50ms "s3://$bucket/k"
    check sum '.interval_s == 0.05'
}

refuses() { # REGEX OPTION...
    expect_exit 2 "$S3OP" get -c 2 "${@:2}" "s3://$bucket/k" 2>err &&
        has err "$1"
}

nonsense_is_refused() {
    refuses "bad stop-when 'p50<2%'" -d 1s --stop-when 'p50<2%' &&
        refuses "bad stop-when 'ci\\(p50\\)<2%,'" -d 1s \
            --stop-when 'ci(p50)<2%,' &&
        refuses 'need the longest time: -d' -n 5 --stop-when 'ci(p50)<2%' &&
        refuses 'need the longest time: -d' -n 5 --autoterm &&
        refuses 'needs a duration: -d' -n 5 --detect-warmup &&
        refuses 'exclude each other' -d 1s --autoterm --stop-when 'ci(p50)<2%' &&
        refuses '--min-duration needs' -d 1s --min-duration 1s &&
        refuses 'is more than -d' -d 1s --min-duration 2s --autoterm &&
        refuses 'do not go with --workers' -d 1s --workers 2 --autoterm &&
        refuses 'bad interval' -d 1s --interval 0
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null
"$S3OP" put -s 1000 "s3://$bucket/k" >/dev/null
test_expect 'known well enough ends it' known_well_enough_ends_it
test_expect 'several conditions must hold' several_must_hold
test_expect 'not before its least time' not_before_its_least_time
test_expect 'what is not met is said' what_is_not_met_is_said
test_expect 'failures are said first' failures_are_said_first
test_expect "warp's rule is an offer" warps_rule_is_an_offer
test_expect 'a rate ends early, too' a_rate_ends_early_too
test_expect 'a signal is no miss' a_signal_is_no_miss
test_expect 'the warm-up is looked for' the_warm_up_is_looked_for
test_expect 'others are not told of it' others_are_not_told_of_it
test_expect 'nonsense is refused' nonsense_is_refused
done_testing
