#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3stat timeline, cdf, stages, errors, slowest and convert against awk, and
# what they refuse. Their golden files are in s3stat-summary.t.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3stat-suite.sh
. "$srcdir/t/s3stat-suite.sh"

rows() { # FILE: a table without its head
    grep -v '^#' "$1" | tail -n +2
}

# Operations, errors, bytes and time in flight in each interval.
intervals_are_those_of_awk() {
    "$S3STAT" timeline --interval 100ms --tsv records.tsv >timeline.tsv
    rows timeline.tsv | cut -f 2,3,5-8,12 >got
    rows records.tsv | awk -F '\t' -v width=100000 '
        { k = int($3 / width); op = $12
          if ($19 == "-") n[op, k]++; else bad[op, k]++
          good[op, k] += $16; wire[op, k] += $17
          if (k > last[op]) last[op] = k
          for (i = int($2 / width); i <= k; i++) {
              from = i * width > $2 ? i * width : $2
              to = (i + 1) * width < $3 ? (i + 1) * width : $3
              flight[op, i] += to - from } }
        END { for (op in last)
                  for (k = 0; k <= last[op]; k++)
                      printf "%s\t%.6f\t%d\t%d\t%d\t%d\t%.3f\n", op,
                          k * width / 1e6, n[op, k], bad[op, k], good[op, k],
                          wire[op, k], flight[op, k] / width }' |
        sort -k 1,1 -k 2,2g >want
    diff want got
}

# In intervals a median is within 0.8 %.
medians_are_near() {
    local from p50 want

    while read -r from p50; do
        rows records.tsv | awk -F '\t' -v from="$from" '
            $12 == "get" && $19 == "-" && int($3 / 1e5) == int(from * 10 + 0.5) {
                print $10 }' | sort -g >values
        want=$(nearest_rank 0.5 values)
        awk -v a="$p50" -v b="$want" 'BEGIN {
            d = a / b - 1; exit !(d < 0.0081 && d > -0.0081) }' || {
            note "from $from: $p50, not $want"
            return 1
        }
    done < <(rows timeline.tsv | awk -F '\t' '$2 == "get" { print $3, $13 }')
}

shares_are_those_of_awk() {
    local p us beyond

    column total_us '$at["op"] == "put" && $at["code"] == "-"' records.tsv \
        >values
    "$S3STAT" cdf --op put --tsv records.tsv >cdf.tsv
    (($(rows cdf.tsv | wc -l) > 80))
    while read -r p us beyond; do
        is "$us" "$(nearest_rank "$p" values)" "at $p"
        is "$beyond" "$(awk -v us="$us" '$1 > us + 0.0001' values | wc -l)" \
            "beyond $us"
    done < <(rows cdf.tsv | awk -F '\t' '{ print $4, $6, $8 }')
    is "$(rows cdf.tsv | tail -n 1 | cut -f 4,6,8)" \
        "$(printf '1.000000000\t%s\t0' "$(tail -n 1 values)")" 'the last point'
}

# Steps add up to the time of operations; waiting is from sent to first.
steps_are_those_of_awk() {
    local total

    "$S3STAT" stages --op get --tsv records.tsv >stages.tsv
    is "$(rows stages.tsv | cut -f 3 | tr '\n' ' ')" \
        'lookup connect send wait head receive ' 'steps'
    is "$(rows stages.tsv | awk -F '\t' '{ s += $5 }
        END { printf "%.4f", s }')" 1.0000 'sum of shares'
    column total_us '$at["op"] == "get" && $at["code"] == "-"' records.tsv \
        >values
    total=$(awk '{ s += $1 } END { printf "%.3f", s }' values)
    rows records.tsv | awk -F '\t' -v total="$total" '
        $12 == "get" && $19 == "-" { n++; s += $8 - $7; v[n] = $8 - $7 }
        END { printf "wait\t%d\t%.4f\t%.2f\n", n, s / total, s / n }' >want
    rows stages.tsv | awk -F '\t' '$3 == "wait" {
        printf "%s\t%d\t%.4f\t%.2f\n", $3, $4, $5, $6 }' >got
    diff want got
}

# A moment before the one in front of it ends no step later than that.
early_answers_are_no_negative_steps() {
    head -n 4 records.tsv | awk -F '\t' -v OFS='\t' '
        NR > 3 { $4 = $5 = "0.000"; $22 = 1; $7 = "900.000"
            $8 = "400.000"; $9 = "500.000"; $10 = "1000.000" }
        { print }' >early.tsv
    "$S3STAT" stages --tsv early.tsv >stages.tsv
    is "$(rows stages.tsv | awk -F '\t' '{ printf "%s %s ", $3, $6 }')" \
        'send 900.000 wait 0.000 head 0.000 receive 100.000 '
}

failures_are_those_of_awk() {
    expect_exit 1 "$S3STAT" errors --tsv records.tsv >errors.tsv
    rows records.tsv | awk -F '\t' '
        { all[$12]++ }
        $19 != "-" { n[$12]++; if (!($12 in first)) first[$12] = $3
            last[$12] = $3; if ($10 > max[$12]) max[$12] = $10
            if ($3 < first[$12]) first[$12] = $3 }
        END { for (op in n) printf "%s\t503\t%d\t%.6f\t%.6f\t%.3f\t%s\n", op,
            n[op], n[op] / all[op], first[op] / 1e6, max[op], "SlowDown" }' |
        sort >want
    rows errors.tsv | cut -f 2-6,10,11 | sort >got
    diff want got
    expect_exit 0 "$S3STAT" errors --where ok=1 records.tsv >out
}

the_slowest_are_those_of_sort() {
    "$S3STAT" slowest -n 20 --tsv records.tsv >slowest.tsv
    rows records.tsv | sort -t $'\t' -k 10,10gr >sorted
    head -n 20 sorted >want
    diff want <(rows slowest.tsv)
    # it reads what it wrote; what is in two files is looked at together
    "$S3STAT" slowest -n 20 --tsv slowest.tsv slowest.tsv >twice.tsv
    is "$(rows twice.tsv | sort -u)" "$(sed -n 4,13p slowest.tsv | sort)"
    "$S3STAT" slowest -n 3 --op put --json records.tsv >slowest.json
    is "$(jq -r .op slowest.json | sort -u)" put
    is "$(jq -s 'length' slowest.json)" 3
}

# Each format holds the same numbers as the table.
formats_hold_the_same() {
    "$S3STAT" convert --to tsv records.tsv >copy.tsv
    diff <(rows records.tsv) <(rows copy.tsv)
    "$S3STAT" convert --to csv records.tsv | tr -d '\r' >records.csv
    diff <(rows records.tsv | tr '\t' ',') <(tail -n +2 records.csv)
    is "$(head -n 1 records.csv)" \
        "$(grep '^due_us' records.tsv | tr '\t' ',')" 'names of columns'
    "$S3STAT" convert --to jsonl records.tsv >records.jsonl
    jq -r '[.[] | if . == null then "" elif . == true then 1
        elif . == false then 0 else . end] | .[1:] | map(tostring) |
        join("\t")' records.jsonl | awk -F '\t' -v OFS='\t' '
        { for (i = 1; i <= 11; i++) if ($i != "") $i = sprintf("%.3f", $i)
          for (i = 12; i <= 25; i++) if ($i == "") $i = "-"; print }' >got
    diff <(rows records.tsv) got
}

influx_lines_have_a_time() {
    expect_exit 2 "$S3STAT" convert --to influx records.tsv >out 2>err
    has err '^s3stat: records.tsv: does not say when .*--start$'
    "$S3STAT" convert --to influx --start 2026-11-30T22:00:00Z records.tsv >got
    is "$(wc -l <got)" "$(rows records.tsv | wc -l)" 'lines'
    is "$(awk '{ print $NF }' got)" "$(rows records.tsv | awk -F '\t' '
        { split($3, t, "."); printf "1796076%09d%03d\n", t[1], t[2] }')" 'times'
    hasnt got '[^\\] .*[^\\] .*[^\\] '
}

warp_becomes_ours() {
    "$S3STAT" convert --to tsv "$stat_data/warp.csv" >warp.tsv
    expect_exit 1 "$S3STAT" summary --json warp.tsv >ours.json
    expect_exit 1 "$S3STAT" summary --json "$stat_data/warp.csv" >theirs.json
    diff <(jq -S '.operations' ours.json) <(jq -S '.operations' theirs.json)
}

# Readers of OpenMetrics want each bucket to hold the ones below it, too.
metrics_add_up() {
    "$S3STAT" convert --to openmetrics records.tsv >metrics
    is "$(tail -n 1 metrics)" '# EOF' 'end'
    column total_us '$at["op"] == "get" && $at["code"] == "-"' records.tsv \
        >values
    is "$(sed -n 's/^s3perf_service_seconds_bucket{op="get",le="0.002"} //p' \
        metrics)" "$(awk '$1 <= 2000' values | wc -l)" 'up to 2 ms'
    is "$(sed -n 's/^s3perf_service_seconds_count{op="get"} //p' metrics)" \
        "$(wc -l <values)" 'count'
    awk '/_bucket/ { key = $1; sub(/,le=.*/, "", key)
        if (key == last && $2 < before) exit 1; last = key; before = $2 }' \
        metrics
    is "$(awk '$1 ~ /^s3perf_failures_total/ { s += $2 } END { print s }' \
        metrics)" "$(rows records.tsv | awk -F '\t' '$19 != "-"' | wc -l)"
}

windows_and_filters_apply() {
    "$S3STAT" timeline --from 100ms --to 200ms --interval 100ms --op get --tsv \
        records.tsv >out
    is "$(rows out | cut -f 3 | tr '\n' ' ')" '0.100000 ' 'intervals'
    "$S3STAT" stages --where 'total_us>1s' records.tsv >out
    is "$(wc -l <out)" 1 'only the head'
}

bad_input_prints_nothing() {
    local command

    awk -F '\t' -v OFS='\t' 'NR == 50 { $2 = "NaN" } { print }' records.tsv \
        >bad.tsv
    for command in timeline cdf stages errors slowest; do
        expect_exit 2 "$S3STAT" "$command" bad.tsv >out 2>err
        is "$(cat out)" '' "standard output of $command"
        is "$(cat err)" "s3stat: bad.tsv:50: bad start_us 'NaN'"
        expect_exit 2 "$S3STAT" "$command" >out 2>err
        has err "^s3stat: $command: no FILE"
        expect_exit 2 "$S3STAT" "$command" --json --tsv bad.tsv >out 2>err
        expect_exit 0 "$S3STAT" "$command" --help >out
        is "$(awk 'length($0) > 80' out)" '' 'lines over 80 columns'
    done
    for command in timeline stages slowest; do
        expect_exit 2 "$S3STAT" "$command" "$stat_data/get.hist" >out 2>err
        has err 'get.hist: has no records$'
    done
    expect_exit 2 "$S3STAT" convert records.tsv >out 2>err
    has err '^s3stat: convert: --to what'
    expect_exit 2 "$S3STAT" convert --to xml records.tsv >out 2>err
    has err "^s3stat: bad --to 'xml'"
}

"$make_records" 4000 8 1 50 >records.tsv
test_expect 'intervals are those of awk' intervals_are_those_of_awk
test_expect 'medians of intervals are near' medians_are_near
test_expect 'shares are those of awk' shares_are_those_of_awk
test_expect 'steps are those of awk' steps_are_those_of_awk
test_expect 'early answers' early_answers_are_no_negative_steps
test_expect 'failures are those of awk' failures_are_those_of_awk
test_expect 'the slowest are those of sort' the_slowest_are_those_of_sort
test_expect 'formats hold the same' formats_hold_the_same
test_expect 'InfluxDB lines' influx_lines_have_a_time
test_expect "warp's records become ours" warp_becomes_ours
test_expect 'OpenMetrics' metrics_add_up
test_expect 'windows and filters' windows_and_filters_apply
test_expect 'bad input and options' bad_input_prints_nothing
done_testing
