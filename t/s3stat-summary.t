#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3stat summary: golden outputs, brute force, properties, and what s3op says
# of the same run.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3stat-suite.sh
. "$srcdir/t/s3stat-suite.sh"

prints_what_it_printed() { # NAME STATUS ARG...
    expect_exit "$2" stat_golden "${@:3}" >got
    diff "$stat_data/$1.out" got
}

summary() { # OUT [ARG]...: --json; failed records are fine
    local status=0

    "$S3STAT" summary --json "${@:2}" >"$1" || status=$?
    ((status <= 1))
}

percentiles_are_those_of_awk() { # OP
    local c p name

    column total_us '$at["op"] == "'"$1"'" && $at["code"] == "-"' \
        records.tsv >values
    for c in p50:0.5 p75:0.75 p90:0.9 p99:0.99 p999:0.999; do
        name=${c%:*} p=${c#*:}
        is "$(number ".operations[] | select(.op == \"$1\") | .service_us.$name |
            if . == null then \"-\" else . end" all.json |
            awk '{ print $1 == "-" ? "-" : sprintf("%.3f", $1) }')" \
            "$(if awk -v p="$p" 'END { exit !(NR * (1 - p) + 1e-6 >= 1) }' \
                values; then
                nearest_rank "$p" values
            else
                echo -
            fi)" "$name"
    done
    is "$(number ".operations[] | select(.op == \"$1\") | .service_us.count" \
        all.json)" "$(wc -l <values)" 'count'
    is "$(number ".operations[] | select(.op == \"$1\") | .service_us |
        [.mean, .stddev, .min, .max][]" all.json |
        awk '{ printf "%.3f ", $1 }')" \
        "$(awk '{ s += $1; v[NR] = $1 }
            END { m = s / NR
                  for (i = 1; i <= NR; i++) q += (v[i] - m) ^ 2
                  printf "%.3f %.3f %.3f %.3f ", m, sqrt(q / (NR - 1)), v[1],
                      v[NR] }' values)" 'mean, deviation, minimum, maximum'
}

rates_are_those_of_awk() {
    awk -F '\t' '/^#/ || !seen { seen = seen || !/^#/; next }
        { if (first[$12] == "" || $2 < first[$12]) first[$12] = $2
          if ($3 > last[$12]) last[$12] = $3
          if ($19 == "-") { n[$12]++; bytes[$12] += $16 } else bad[$12]++ }
        END { for (op in n)
                  printf "%s %d %d %.3f %.1f\n", op, n[op], bad[op],
                      n[op] / (last[op] - first[op]) * 1e6,
                      bytes[op] / (last[op] - first[op]) * 1e6 }' \
        records.tsv | sort >want
    number '.operations[] |
        [.op, .ops, .errors, .ops_per_s, .bytes_per_s] | @tsv' all.json |
        awk '{ printf "%s %d %d %.3f %.1f\n", $1, $2, $3, $4, $5 }' |
        sort >got
    diff want got
}

parts_are_summed_up() { # every operation lies in one size class, at least
    local op

    summary by.json --by size records.tsv
    for op in get put; do
        is "$(number "[.parts[] | select(.op == \"$op\") | .ops] | add" \
            by.json)" \
            "$(number ".operations[] | select(.op == \"$op\") | .ops" by.json)"
        is "$(number "[.parts[] | select(.op == \"$op\") | .good_bytes] | add" \
            by.json)" \
            "$(number ".operations[] | select(.op == \"$op\") | .good_bytes" \
                by.json)"
    done
    # and what a part says is what a filter of that size says
    summary filtered.json --size 4Ki --whole records.tsv
    is "$(number '.parts[] | select(.op == "get" and .part == "4 KiB") |
        .service_us' by.json)" \
        "$(number '.operations[] | select(.op == "get") | .service_us' \
            filtered.json)"
}

# What does not depend on the name of the file.
without_name() { # FILE
    jq -S 'del(.file, .command)' "$1"
}

order_does_not_matter() {
    { grep -e '^#' -e '^due_us' records.tsv && grep -v -e '^#' -e '^due_us' \
        records.tsv | sort -t $'\t' -k 14,14; } >shuffled.tsv
    fails cmp -s records.tsv shuffled.tsv
    summary shuffled.json shuffled.tsv
    diff <(without_name all.json) <(without_name shuffled.json)
}

merged_parts_are_the_whole() {
    local i

    for i in 0 1 2; do
        awk -v i="$i" '/^#/ || /^due_us/ || NR % 3 == i' records.tsv >"part$i"
    done
    summary merged.json --merge part0 part1 part2
    diff <(without_name all.json) <(without_name merged.json)
    # not so when each is by itself
    summary single.json part0 part1 part2
    is "$(wc -l <single.json)" 3 'objects'
}

packed_files_and_pipes_are_the_same() {
    zstd -q records.tsv -o records.zst
    gzip -c records.tsv >records.gz # names without their usual endings
    mv records.zst records.x
    summary zstd.json records.x
    summary gzip.json records.gz
    summary input.json - <records.tsv
    summary packed-input.json - <records.gz
    summary pipe.json <(cat records.x) # a pipe cannot go back
    summary fifo.json <(cat records.gz)
    for f in zstd gzip input packed-input pipe fifo; do
        diff <(without_name all.json) <(without_name "$f.json")
    done
}

a_histogram_is_near_the_records() {
    "$S3OP" mb "s3://$test_id" >out
    "$S3OP" put "s3://$test_id/k" -n 2000 -c 4 -s 1Ki --hist h --log l >out
    summary h.json h
    summary l.json l
    is "$(number '.operations[0].service_us.count' h.json)" 2000
    is "$(number .percentiles h.json)" histogram
    is "$(number .percentiles l.json)" exact
    jq -e --slurp '. as [$a, $b] | [$a, $b] |
        map(.operations[0]) | . as [$h, $l] |
        all(("p50", "p90", "p99"); . as $p |
            ($h.service_us[$p] / $l.service_us[$p] - 1 | fabs) < 0.0011) and
        all(("p50", "p90", "p99"); . as $p |
            ($h.stages_us.first[$p] / $l.stages_us.first[$p] - 1 | fabs)
                < 0.011) and
        ($h.service_us.mean / $l.service_us.mean - 1 | fabs) < 1e-6 and
        $h.service_us.max == $l.service_us.max and
        $h.window_s == null and $h.ops_per_s == null' h.json l.json >out
}

# The head of a histogram says what was asked, and is no part of its numbers.
a_timed_histogram_is_read() {
    "$S3OP" get "s3://$test_id/k" --objects=2000 -n 300 -d 20 -c 2 --hist h \
        >out
    expect_exit 0 "$S3STAT" summary h >out
    has out '^get  300 ops, 0 errors$'
}

# s3op counts a run while it goes on, s3stat from its records.
agrees_with_s3op() { # [OPTION]...
    "$S3OP" get "s3://$test_id/k" --objects=2000 --log run.zst --json \
        --progress=none "$@" >run.json || :
    summary stat.json run.zst
    jq -e --slurp '. as [$run, $stat] | $stat.operations[0] as $s |
        def near($a; $b; $share): ($a - $b | fabs) <= $share * ($b | fabs);
        $s.ops == $run.ops and $s.errors == $run.errors and
        $s.good_bytes == $run.good_bytes and
        $s.unfinished == $run.unfinished and
        $s.service_us.count == $run.service_us.count and
        near($s.window_s; $run.window_s; 1e-6) and
        near($s.ops_per_s; $run.ops_per_s; 1e-6) and
        near($s.service_us.mean; $run.service_us.mean; 1e-6) and
        near($s.in_flight_mean; $run.in_flight_mean; 0.01) and
        all(("p50", "p90", "p99"); . as $p |
            near($s.service_us[$p]; $run.service_us[$p]; 0.0011) and
            near($s.response_us[$p]; $run.response_us[$p]; 0.0011) and
            near($s.stages_us.first[$p]; $run.stages_us.first[$p]; 0.011))' \
        run.json stat.json >out || {
        note "$(jq -c '{ops, errors, unfinished, window_s, service_us,
            in_flight_mean, stages_us}' run.json)"
        note "$(jq -c '.operations[0] | {ops, errors, unfinished, window,
            service_us, in_flight_mean, stages_us}' stat.json)"
        return 1
    }
}

a_timed_window_is_found() {
    agrees_with_s3op -c 4 -d 0.5
    is "$(number '.operations[0].window.kind' stat.json)" steady
    agrees_with_s3op -c 4 -d 0.4 --warmup 0.2
    is "$(number '.operations[0].window.kind' stat.json)" steady
    agrees_with_s3op -r 300 -d 0.5
    is "$(number '.operations[0].window.kind' stat.json)" timed
}

late_lanes_are_not_steady() {
    agrees_with_s3op -c 4 -d 0.5 --ramp 0.45
    is "$(number '.operations[0].window.kind' stat.json)" not-steady
    is "$(number '.operations[0].marks[]' stat.json)" not-steady
}

a_window_that_cannot_be_told_is_said() {
    "$S3OP" get "s3://$test_id/k" --objects=2000 -c 4 -d 0.3 --log run.tsv >out
    { grep -e '^#' -e '^due_us' run.tsv && grep -v -e '^#' -e '^due_us' \
        run.tsv | tac; } >back.tsv
    expect_exit 2 "$S3STAT" summary back.tsv >out 2>err
    has err '^s3stat: back.tsv:[0-9]+: lane [0-9]+ goes back in time.*--whole'
    summary back.json --whole back.tsv
    is "$(number '.operations[0].window.kind' back.json)" whole
}

failures_set_the_status() {
    "$S3OP" get "s3://$test_id/none" -n 5 --log bad.tsv >out || :
    expect_exit 1 "$S3STAT" summary bad.tsv >out
    has out '^get  0 ops, 5 errors' '404  NoSuchKey'
    expect_exit 0 "$S3STAT" summary records.tsv --where ok=1 >out
}

many_files_have_names() {
    "$S3STAT" summary records.tsv part0 >out || :
    has out '^== records.tsv$' '^== part0$'
    mkdir -p run/ops run/hist
    cp part0 run/ops/b.tsv
    gzip -c part1 >run/ops/a.tsv.gz
    "$S3STAT" summary run --tsv >out || :
    is "$(grep -v '^#' out | cut -f 1 | sort -u | tr '\n' ' ')" \
        'file run/ops/a.tsv.gz run/ops/b.tsv ' 'files'
    rm -r run/ops
    cp "$stat_data/get.hist" run/hist/
    echo '{}' >run/hist/get.json # a sweep keeps its summaries there
    "$S3STAT" summary run >out
    has out '^get  500 ops, 0 errors$'
    rm run/hist/*
    expect_exit 2 "$S3STAT" summary run >out 2>err
    has err '^s3stat: run: has no records'
}

options_are_checked() {
    local args

    while read -r args; do
        # shellcheck disable=SC2086 # they are words
        expect_exit 2 "$S3STAT" summary $args >out 2>err
        is "$(wc -l <err)" 1 "lines of error for $args"
        is "$(cat out)" '' 'standard output'
    done <<'END'

--no-such records.tsv
--by colour records.tsv
--style=x records.tsv
--interval 1us records.tsv
--json --tsv records.tsv
--from 2 --to 1 records.tsv
--from 1 --skip 1 records.tsv
--whole --to 1 records.tsv
--size 4x records.tsv
--where total_us records.tsv
--where none=1 records.tsv
--by
END
}

"$make_records" 5000 8 1 50 >records.tsv
start_s3mem --anonymous --null
while read -r name status args; do
    # shellcheck disable=SC2086 # they are words
    test_expect "the output $name is as it was" \
        prints_what_it_printed "$name" "$status" $args
done < <(stat_golden_commands)
summary all.json records.tsv
for op in get put; do
    test_expect "percentiles of $op are those of awk" \
        percentiles_are_those_of_awk "$op"
done
test_expect 'rates are those of awk' rates_are_those_of_awk
test_expect 'parts add up' parts_are_summed_up
test_expect 'the order of records does not matter' order_does_not_matter
test_expect 'merged parts are the whole' merged_parts_are_the_whole
test_expect 'packed files and pipes' packed_files_and_pipes_are_the_same
test_expect 'histograms are near records' a_histogram_is_near_the_records
test_expect 'histograms of a timed run' a_timed_histogram_is_read
test_expect 'a counted run is as s3op has it' agrees_with_s3op -n 1500 -c 4
test_expect 'timed runs are as s3op has them' a_timed_window_is_found
test_expect 'a run that is not steady' late_lanes_are_not_steady
test_expect 'records out of order' a_window_that_cannot_be_told_is_said
test_expect 'failures set the status' failures_set_the_status
test_expect 'many files and runs' many_files_have_names
test_expect 'options are checked' options_are_checked
stop_s3mem
done_testing
