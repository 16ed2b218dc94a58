#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the numbers mean (doc/measuring.md), against staged delays. A busy
# machine only adds, so the fastest of several operations is looked at.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

# The smallest difference of two columns of ./log, in us without fraction.
fastest() { # LATER [EARLIER]
    paste <(column log "$1") <(column log "${2:-due_us}") |
        awk -v one="${2:-}" '{ d = one == "" ? $1 : $1 - $2 }
            NR == 1 || d < min { min = d } END { printf "%d\n", min }'
}

# The largest: a stamp that comes late makes the time from there on shorter,
# so on a busy machine it is the largest that has the whole delay.
slowest() { # LATER EARLIER
    paste <(column log "$1") <(column log "$2") |
        awk '{ d = $1 - $2 } d > max { max = d } END { printf "%d\n", max }'
}

is_between() { # VALUE LOW HIGH WHAT
    (($2 <= $1 && $1 < $3)) || {
        note "$4: $1 us, not $2 to $3"
        return 1
    }
}

# ARG...: operations with their records in ./log
many() {
    rm -f log
    "$S3OP" --json --log log "$@" >sum
    is "$(member sum errors)" 0 errors
}

# LOW and HIGH of the time that the server waits before its first byte.
delay_shows_before_the_first_byte() {
    local op

    start_s3mem --delay-first 50ms
    "$S3OP" mb s3://bucket >out
    for op in 'put --size 10' 'put --size 200000' get head rm; do
        # shellcheck disable=SC2086 # a verb and its options
        many $op -n 5 s3://bucket/k
        is_between "$(fastest first_us sent_us)" 1 90000 "$op: wait"
        is_between "$(slowest first_us sent_us)" 48000 9000000 "$op: wait"
        is_between "$(fastest sent_us)" 1 40000 "$op: sent"
        is_between "$(fastest total_us first_us)" 0 40000 "$op: after first"
        is_between "$(fastest total_us)" 50000 90000 "$op: service time"
        awk -v min="$(sed 's/.*"service_us":{[^}]*"min":\([^,]*\).*/\1/' sum)" \
            'BEGIN { exit !(50000 <= min && min < 90000) }'
    done
}

delay_shows_before_the_last_byte() {
    start_s3mem --delay-last 50ms
    "$S3OP" mb s3://bucket >out
    "$S3OP" put -n 5 --size 100000 s3://bucket/k >out
    many get -n 5 s3://bucket/k
    is_between "$(fastest first_us)" 1 40000 'first byte'
    is_between "$(fastest body_us first_us)" 0 40000 'first byte of the body'
    is_between "$(fastest total_us body_us)" 1 90000 'the body'
    is_between "$(slowest total_us body_us)" 48000 9000000 'the body'
    is_between "$(fastest total_us)" 50000 90000 'service time'
    # An answer without a body has no last byte.
    many head -n 5 s3://bucket/k
    is_between "$(fastest total_us)" 1 40000 'HEAD'
}

stages_are_in_order() { # ARG... of s3mem
    local tls=no

    [[ ${1:-} != --tls ]] || tls=yes
    start_s3mem "$@"
    "$S3OP" mb s3://bucket >out
    many put -n 5 --size 100000 s3://bucket/k
    column log start_us | awk 'NR == 1 && $1 < 0 { exit 1 }'
    awk -F'\t' -v tls="$tls" '
        /^#/ || $1 == "due_us" { next }
        function bad(what) { print "record " n ": " what; exit 1 }
        { n++ }
        $1 != $2 { bad("due is not start") } # a closed loop
        ($3 - $2 - $10) ^ 2 > 0.01 { bad("end - start is not total") }
        n == 1 && !(0 < $4 && $4 <= $5 && $5 < $7) { bad("connect") }
        n == 1 && tls == "yes" && !($5 < $6 && $6 < $7) { bad("tls") }
        n > 1 && ($4 + $5 + $6 != 0 || $22 != 1) { bad("reused") }
        (tls == "no") != ($6 == "") { bad("tls where there is none") }
        !(0 < $7 && $7 <= $8 && $8 <= $10) { bad("sent, first, total") }
        n > 1 && $2 < end { bad("two at a time on one lane") }
        { end = $3 }' log
    is "$(member sum reused)" 4
}

# The numbers of a distribution: MEMBER of the object NAME in FILE.
part() { # FILE NAME MEMBER
    sed -E "s/.*\"$2\":\{([^}]*)\}.*/\1/; s/.*\"$3\":([^,]*).*/\1/" "$1"
}

# Count, minimum, mean, maximum and percentiles of NAME in the summary are
# those of the times in ./service, to a thousandth.
is_made_of_times() { # NAME
    local n

    n=$(wc -l <service)
    is "$(part sum "$1" count)" "$n" "$1: count"
    sort -n service | awk -v min="$(part sum "$1" min)" \
        -v mean="$(part sum "$1" mean)" -v max="$(part sum "$1" max)" \
        -v p50="$(part sum "$1" p50)" -v p90="$(part sum "$1" p90)" '
        { at[NR] = $1; sum += $1 }
        function rank(p) { r = p * NR; return r == int(r) ? r : int(r) + 1 }
        function check(what, got, want) {
            if (got < want * 0.9985 - 0.01 || got > want * 1.0015 + 0.01) {
                print what ": " got " is not " want
                bad = 1
            }
        }
        END {
            check("min", min, at[1]); check("max", max, at[NR])
            check("mean", mean, sum / NR)
            check("p50", p50, at[rank(0.5)]); check("p90", p90, at[rank(0.9)])
            exit bad
        }'
}

# Every third operation fails, and none of those may make us look fast.
only_success_counts() {
    local i window

    start_canned
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    export AWS_ENDPOINT_URL=$canned_url
    canned_answer '' '200 OK' 0123456789
    for ((i = 3; i <= 60; i += 3)); do
        canned_answer "$i" '503 Slow Down' '<Error><Code>SlowDown</Code></Error>'
    done
    expect_exit 1 "$S3OP" get -n 60 --json --log log s3://b/k >sum 2>err
    is "$(member sum ops)" 40
    is "$(member sum errors)" 20
    is "$(member sum good_bytes)" 400
    is "$(member sum wire_bytes)" "$((400 + 20 * 36))"
    awk -F'\t' '$18 == 200 { print $10 }' log >service
    is_made_of_times service_us
    awk -F'\t' '$18 == 200 { print $8 }' log >service
    is "$(part sum first count)" 40
    awk -F'\t' '$18 == 503 { print $10 }' log >service
    is_made_of_times failed_us
    # The window is everything, the rate only what succeeded.
    window=$(awk -F'\t' '!/^#/ && $1 != "due_us" {
            if (!n++ || $2 < from) from = $2
            if ($3 > to) to = $3
        } END { print (to - from) / 1e6 }' log)
    awk -v window="$window" -v got="$(member sum window_s)" \
        -v ops="$(member sum ops_per_s)" -v bytes="$(member sum bytes_per_s)" '
        function near(a, b) { return a > b * 0.999 && a < b * 1.001 }
        BEGIN {
            if (near(got, window) && near(ops, 40 / got) &&
                near(bytes, 400 / got)) exit 0
            print got, window, ops, bytes
            exit 1
        }'
    has err '^s3op: get s3://b/k: 503 SlowDown \[20 times\]$'
    expect_exit 1 "$S3OP" get -n 60 s3://b/other >text 2>err || :
}

first_line_tells_of_failures() {
    start_canned
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    export AWS_ENDPOINT_URL=$canned_url
    canned_answer '' '200 OK' ''
    canned_answer 2 '500 Oh' ''
    expect_exit 1 "$S3OP" get -n 3 s3://b/k >out 2>err
    head -n 1 out >first
    has first '^get +2 ops, 1 error '
    has out '^failed ' '^ +1 +500 +InternalError '
}

# n operations; which percentiles stand there, and which with a ~.
percentiles_of() { # N P50 P90 P99 P999: 'yes', 'weak' or 'no'
    local n=$1 name row want i=1
    local names=(p50 p90 p99 p999)

    "$S3OP" head -n "$n" --json s3://bucket >sum
    "$S3OP" head -n "$n" s3://bucket >text
    row=$(sed -n 's/^service //p' text | sed -E 's/ (ns|us|ms|s)\b//g')
    read -ra row <<<"$row"
    for want in "${@:2}"; do
        name=$(part sum service_us "${names[i - 1]}")
        case $want in
            no)
                is "$name" null "$n: ${names[i - 1]}"
                is "${row[i]}" - "$n: ${names[i - 1]} in the text"
                ;;
            weak)
                has <(echo "$name") '^[0-9.]+$'
                has <(echo "${row[i]}") '^~[0-9.]+$'
                ;;
            yes)
                has <(echo "$name") '^[0-9.]+$'
                has <(echo "${row[i]}") '^[0-9.]+$'
                ;;
        esac
        i=$((i + 1))
    done
    # Minimum and maximum are always there.
    has <(part sum service_us min) '^[0-9.]+$'
    has <(part sum service_us max) '^[0-9.]+$'
}

percentiles_need_operations() {
    start_s3mem
    "$S3OP" mb s3://bucket >out
    percentiles_of 1 no no no no
    percentiles_of 2 weak no no no
    percentiles_of 9 weak no no no
    percentiles_of 10 weak weak no no
    percentiles_of 19 weak weak no no
    percentiles_of 20 yes weak no no
    percentiles_of 99 yes weak no no
    percentiles_of 100 yes yes weak no
    percentiles_of 999 yes yes weak no
    percentiles_of 1000 yes yes yes weak
}

# A rate is not what a sum of lanes would have been: the window is one.
lanes_share_the_window() {
    start_s3mem --delay-first 50ms
    "$S3OP" mb s3://bucket >out
    many head -n 20 -c 10 s3://bucket/
    # Two rounds of 50 ms, not twenty.
    awk -v window="$(member sum window_s)" \
        'BEGIN { exit !(0.1 <= window && window < 0.9) }'
}

test_expect 'a delay before the first byte' delay_shows_before_the_first_byte
test_expect 'a delay before the last byte' delay_shows_before_the_last_byte
test_expect 'stages are in order' stages_are_in_order
test_expect 'stages are in order with TLS' stages_are_in_order --tls
test_expect 'only success counts' only_success_counts
test_expect 'the first line tells of failures' first_line_tells_of_failures
test_expect 'percentiles need operations' percentiles_need_operations
test_expect 'lanes share the window' lanes_share_the_window
done_testing
