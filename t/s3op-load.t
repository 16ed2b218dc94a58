#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Load means what it says: counts, durations, rates, windows, threads.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

a_thousand_lanes() {
    load put -n 3072 -c 1024 --threads 1 -s 100 --log log "s3://$bucket/w"
    check sum '.ops == 3072 and .errors == 0'
    is "$(column log lane | sort -u | wc -l)" 1024 'lanes that were used'
    is "$(column log key | sort -u | wc -l)" 3072 'keys'
    load get -n 3072 -c 1024 -s 100 --verify "s3://$bucket/w"
    check sum '.verified == 3072 and .mismatched == 0'
    load rm -n 3072 --batch "s3://$bucket/w"
}

time_ends_it() {
    load get -d 500ms -c 4 -s 1000 "s3://$bucket/k"
    check sum '.steady and .window_s > 0.3 and .window_s <= 0.5'
    check sum '.count == null and .duration_s == 0.5 and .errors == 0'
    check sum '.imbalance < 0.001'
    check sum '(.ops_per_s * .window_s - .ops | fabs) < 1'
    load put -d 300ms -c 4 -s 10 --log log "s3://$bucket/d"
    is "$(column log key | sort | uniq -d | wc -l)" 0 'keys put twice'
    check sum ".whole | .ops + .errors + .unfinished ==
        $(column log key | wc -l) and .wire_bytes >= 10 * .ops"
    check sum '.whole.ops > .ops'
    load rm -n "$(column log key | wc -l)" --batch "s3://$bucket/d"
    load get -n 10 -d 60s -c 4 "s3://$bucket/n"
    check sum '.ops == 10 and (has("whole") | not)'
}

# 20 MB over a line of 1 Mbit/s is more than it carries, and over one of
# 1000 Tbit/s nothing; what TCP carried is a little more than the bodies.
the_line_has_a_share() {
    load put -n 20 -c 2 -s 1000000 --line-rate 1Mbit "s3://$bucket/l"
    check sum '.line_bits_per_s == 1000000 and .line_share > 1'
    check sum '.tcp_bytes > 20000000 and .tcp_bytes < 21000000'
    check sum '.line_overhead > 0.001 and .line_overhead < 0.1'
    check sum '(.line_share * 1e6 / 8 /
        (.bytes_per_s * (1 + .line_overhead)) - 1 | fabs) < 0.01'
    "$S3OP" get -n 20 -c 2 --line-rate 1Mbit "s3://$bucket/l" >text
    grep -Eq '^line +[0-9.]+ % of its rate, with [0-9.]+ % of overhead' text
    grep -q '^MORE THAN THE LINE CARRIES' text
    load get -n 20 -c 2 --line-rate 1000Tbit/s "s3://$bucket/l"
    check sum '.line_share < 0.001'
    load rm -n 20 "s3://$bucket/l"
    check sum '.line_share == null and .line_overhead == null'
    expect_exit 2 "$S3OP" put --line-rate 1GB -s 1 "s3://$bucket/l" 2>err
    grep -q "bad line-rate '1GB': it is a number with kbit" err
}

objects_go_round() {
    load put -n 25 -c 5 -s 10 --objects 5 --log log "s3://$bucket/o"
    is "$(column log key | sort | uniq -c | awk '{ print $1 }' | sort -u)" 5
    load get -d 200ms -c 4 -s 10 --objects 5 --verify --log log \
        "s3://$bucket/o"
    is "$(column log key | sort -u | wc -l)" 5
    check sum '.errors == 0 and .verified > 5'
    load rm -n 5 --batch "s3://$bucket/o"
}

a_rate_is_kept() {
    load get -r 200/s -d 2s -s 1000 --log log "s3://$bucket/k"
    check sum '.due == 400 and .started_ops >= 396'
    check sum '(.ops_per_s - 200 | fabs) < 5'
    check sum '.marks | index("rate-missed") == null'
    # Each was due 5 ms after the one before.
    column log due_us | sort -n | awk '
        NR > 1 { gap = $1 - last; if (gap < 4999 || gap > 5001) bad++ }
        { last = $1 }
        END { exit bad > 0 }'
    load get -r 6000/m --arrivals poisson -d 1s -s 1000 "s3://$bucket/k"
    check sum '.rate_asked == 100 and .arrivals == "poisson"'
    load get -r 10 -n 10 -s 1000 "s3://$bucket/n"
    check sum '.ops == 10 and .window_s > 0.89'
}

threads_share_the_work() {
    load get -d 500ms -c 10 --threads 3 -s 1000 --log log "s3://$bucket/k"
    check sum '.threads == 3 and .errors == 0 and .imbalance < 0.001'
    is "$(column log lane | sort -u | wc -l)" 10
    load get -r 300 --arrivals constant --threads 3 -d 1s "s3://$bucket/k"
    check sum ".due == 300 and .started_ops >= 297"
}

connections_can_be_new() {
    load get -n 20 -c 2 -s 1000 --connection new "s3://$bucket/n"
    check sum '.ops == 20 and .reused == 0'
    load get -n 20 -c 2 -s 1000 "s3://$bucket/n"
    check sum '.reused == 18'
}

lanes_ramp_and_think() {
    load get -d 700ms -c 4 --ramp 400ms --log log "s3://$bucket/k"
    # When the last of the lanes had its first operation.
    paste <(column log lane) <(column log start_us) | sort -k 2n | awk '
        !seen[$1]++ { last = $2 }
        END { exit !(last >= 290000 && last < 400000) }'
    load get -n 4 -c 1 --think 100ms "s3://$bucket/n"
    check sum '.window_s >= 0.3 and .busy_share < 0.5'
}

intervals_add_up() {
    load put -n 400 -c 4 -s 5000 --interval 10ms "s3://$bucket/i"
    check sum '([.intervals[].ops] | add) == .ops'
    check sum '([.intervals[].wire_bytes] | add) == .wire_bytes'
    check sum '([.intervals[].good_bytes] | add) == .good_bytes'
    load rm -n 400 --batch "s3://$bucket/i"
}

progress_is_shown() {
    "$S3OP" get -d 1300ms -c 1 --progress json "s3://$bucket/k" >out 2>err
    jq -e 'select(.format == "s3perf-progress 1") | .ops > 0' err >/dev/null
    "$S3OP" get -d 1300ms -c 1 "s3://$bucket/k" >out 2>err
    is "$(wc -c <err)" 0 'bytes on standard error that is no terminal'
}

interrupted_load_reports() {
    local pid status=0

    "$S3OP" get -d 60s -c 4 --log int.log "s3://$bucket/k" >out 2>err &
    pid=$!
    wait_for 10 test -s int.log
    kill -INT "$pid"
    wait "$pid" || status=$?
    is "$status" 130
    has out '^get  [0-9]+ ops, 0 errors in '
    hasnt out 'given up'
}

refused() { # TEXT ARG...
    local text=$1

    shift
    expect_exit 2 "$S3OP" get "$@" "s3://$bucket/k" >out 2>err
    has err "$text"
}

nonsense_is_refused() {
    refused '-r needs an end' -r 100
    refused "bad rate '0'" -r 0 -d 1s
    refused "bad rate '5/h'" -r 5/h -d 1s
    refused '--warmup needs a duration' --warmup 1s -n 5
    refused '--arrivals needs a rate' --arrivals poisson -n 5
    refused '--ramp and --think' -r 5 -d 1s --think 1s
    refused "bad connection 'old'" --connection old
    refused "bad threads" --threads 0
    refused "bad progress 'dots'" --progress dots
}

# One lane, an arrival each 5 ms, and the server stands still for a second:
# one operation has a long service time, those behind it only waited.
a_stall_shows_in_response_times() {
    local pid

    "$S3OP" get -r 200 -c 1 -d 4s -s 1000 --json "s3://$bucket/k" >sum &
    pid=$!
    sleep 1.5 # into the run: there is nothing to wait for
    kill -STOP "$s3mem_pid"
    sleep 1 # the stall itself
    kill -CONT "$s3mem_pid"
    wait "$pid"
    check sum '.errors == 0 and .started_ops == .due'
    check sum '.response_us.p99 > 800000'
    check sum '.service_us.p99 < 100000'
    check sum '.service_us.max > 900000'
}

a_missed_rate_is_said() {
    expect_exit 1 "$S3OP" get -r 1000 -c 2 -d 1s "s3://$bucket/k" \
        --json >sum 2>err
    check sum '.marks | index("rate-missed")'
    check sum '.unstarted > 900'
    check sum '.response_us.p99 == null and .response_us.censored > 900'
    has err 'the rate was not delivered'
    expect_exit 1 "$S3OP" get -r 1000 -c 2 -d 1s "s3://$bucket/k" >out 2>err
    has out 'RATE NOT DELIVERED' '^response .* >'
}

late_lanes_are_said() {
    load get -d 90ms -c 2 "s3://$bucket/k"
    check sum '.steady == false and (.marks | index("not-steady"))'
}

the_window_leaves_the_start_out() {
    load get -d 1s -c 2 --log log "s3://$bucket/k"
    # Each lane's first operation ends after 50 ms.
    check sum '.steady and .window_s > 0.9 and .window_s < 0.951'
    load get -d 500ms --warmup 500ms -c 2 "s3://$bucket/k"
    check sum '.steady and .warmup_s == 0.5'
    check sum '(.window_s - 0.5 | fabs) < 0.01'
}

what_is_given_up_is_counted() {
    load get -r 10 -d 2s "s3://$bucket/k"
    check sum '.unfinished >= 9 and .unfinished <= 11'
    check sum '.ops < 15 and .errors == 0'
    check sum '.response_us.p90 == null'
    check sum '.imbalance < 0.001'
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null
"$S3OP" put -s 1000 "s3://$bucket/k" >/dev/null
"$S3OP" put -s 1000 -n 20 "s3://$bucket/n" >/dev/null
test_expect 'a thousand lanes' a_thousand_lanes
test_expect 'time ends a run' time_ends_it
test_expect 'the line has a share' the_line_has_a_share
test_expect 'objects go round' objects_go_round
test_expect 'a rate is kept' a_rate_is_kept
test_expect 'threads share the work' threads_share_the_work
test_expect 'connections can be new' connections_can_be_new
test_expect 'lanes ramp and think' lanes_ramp_and_think
test_expect 'intervals add up' intervals_add_up
test_expect 'progress is shown' progress_is_shown
test_expect 'an interrupted load reports' interrupted_load_reports
test_expect 'nonsense is refused' nonsense_is_refused
test_expect 'a stall shows in response times' a_stall_shows_in_response_times
stop_s3mem

start_s3mem --delay-first 50ms
"$S3OP" mb "s3://$bucket" >/dev/null
"$S3OP" put -s 1000 "s3://$bucket/k" >/dev/null
test_expect 'a missed rate is said' a_missed_rate_is_said
test_expect 'late lanes are said' late_lanes_are_said
test_expect 'the window leaves the start out' the_window_leaves_the_start_out
stop_s3mem

start_s3mem --null --delay-first 3s
test_expect 'what is given up is counted' what_is_given_up_is_counted
done_testing
