#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3stat compare: verdicts over tables of cells and run directories, what is
# refused, and what other programs get.
. "${srcdir:-.}/t/test-lib.sh"

readonly golden=$srcdir/t/data/compare
readonly columns='target phase size concurrency repeat mark ops errors
    good_bytes wire_bytes window_s ops_per_s bytes_per_s rate_asked mean_us
    min_us p50_us p90_us p99_us p999_us max_us first_p50_us first_p99_us
    response_p50_us response_p99_us cpu_us_per_op lag_p99_us reused_share
    started hist'

print_head() { # [COMMAND]
    echo '# s3perf-cells 1'
    echo '# program: s3op 0.1.0'
    echo "# command: ${1:-s3op put s3://bucket/key -d 10s}"
    echo '# seed: 1'
    echo '# endpoint: http://127.0.0.1:9000'
    echo '# payload hash: signed'
    echo '# started: 2026-11-30T22:00:00Z'
    # shellcheck disable=SC2086 # each is a word
    printf '%s\t' $columns | sed 's/\t$/\n/'
}

# A night's cells: two phases, three sizes on one lane and four, each
# NIGHT's own share and its cells' shares off. PHASE is FACTOR slower.
print_night() { # NUMBER REPEATS [PHASE FACTOR]
    awk -v night="$1" -v repeats="$2" -v slow="${3:-}" -v factor="${4:-1}" '
        # Scatter that is the same on every machine: no rand().
        function noise(a, b, c, d) {
            seed = (seed * 1103515245 + 12345 + a + 7 * b + 13 * c + 29 * d) \
                % 2147483648
            return seed / 1073741824 - 1
        }
        BEGIN {
            OFS = "\t"
            seed = night * 7919
            all = 1 + 0.03 * noise(1, 2, 3, 4)
            for (r = 1; r <= repeats; r++)
                for (p = 0; p < 2; p++)
                    for (s = 0; s < 3; s++)
                        for (c = 1; c <= 4; c += 3) {
                            phase = p ? "download" : "upload"
                            us = (200 + 300 * s + 40 * c) * all
                            us *= 1 + 0.02 * noise(r, p, s, c)
                            if (phase == slow)
                                us *= factor
                            rate = 1e6 * c / us
                            size = 1024 * 16 ^ s
                            bytes = sprintf("%.0f", int(rate * 10) * size)
                            print "http://127.0.0.1:9000", phase, size, c, r,
                                "-", int(rate * 10), 0, bytes, bytes,
                                "10.000000000",
                                sprintf("%.3f", rate),
                                sprintf("%.1f", rate * size), "-",
                                sprintf("%.3f", us * 1.1), "100.000",
                                sprintf("%.3f", us),
                                sprintf("%.3f", us * 1.5),
                                sprintf("%.3f", us * 2), ">9000.000",
                                "9000.000", "50.000", "90.000",
                                sprintf("%.3f", us), sprintf("%.3f", us * 2),
                                "20.000", "10.000", "0.9900",
                                "2026-11-30T22:00:00Z", "-"
                        }
        }'
}

make_night() { # FILE NUMBER REPEATS [PHASE FACTOR]
    {
        print_head
        print_night "${@:2}"
    } >"$1"
}

make_nights() {
    local i

    for i in 1 2 3 4 5; do
        make_night "a$i" "$i" 1
        make_night "b$i" $((i + 10)) 1
        make_night "slow$i" $((i + 10)) 1 upload 1.2
    done
}

# Numbers of this version do not belong into a golden file.
is_golden() { # FILE NAME
    sed -E 's/s3stat [0-9][^ "]*/s3stat VERSION/' "$1" >"$2.got"
    [[ -z ${UPDATE_GOLDEN:-} ]] || cp "$2.got" "$golden/$2"
    diff "$golden/$2" "$2.got"
}

equal_nights_are_not_worse() {
    expect_exit 0 "$S3STAT" compare a? -- b? >out &&
        is_golden out equal.txt && has out 'nothing worse' '5 runs of A, 5 of B'
}

a_slow_phase_is_worse() {
    expect_exit 5 "$S3STAT" compare a? -- slow? >out &&
        is_golden out slow.txt &&
        has out '^upload .*ops/s .* worse$' '^upload .*p99 .* worse$' &&
        hasnt out '^download .* worse$'
}

order_of_runs_does_not_matter() {
    "$S3STAT" compare --tsv a1 a2 a3 a4 a5 -- slow1 slow2 slow3 >one || :
    "$S3STAT" compare --tsv a4 a1 a5 a2 a3 -- slow3 slow2 slow1 >two || :
    diff one two
}

better_is_the_same_seen_from_behind() {
    expect_exit 0 "$S3STAT" compare slow? -- a? >out &&
        has out '^B against A: better, nothing worse' '^upload .*p50 .* better$'
}

programs_get_a_table() {
    expect_exit 5 "$S3STAT" compare --tsv a? -- slow? >out &&
        is_golden out slow.tsv
}

programs_get_json() {
    expect_exit 5 "$S3STAT" compare --json a? -- slow? >out &&
        is_golden out slow.json &&
        jq -e '.verdict == "worse" and (.cells | length) == 36 and
            (.phases | map(select(.phase == "upload" and .verdict == "worse"))
             | length) == 3 and
            (.phases[0].low < .phases[0].ratio)' out >/dev/null
}

the_table_and_json_agree() {
    "$S3STAT" compare --tsv a? -- slow? >table || :
    "$S3STAT" compare --json a? -- slow? >json || :
    awk -F'\t' '!/^#/ && $1 != "phase" { print $1, $6, $9, $19 }' table |
        sort >from-table
    jq -r '(.phases + .cells)[] | "\(.phase) \(.metric) \(.ratio) \(.verdict)"' \
        json | sort >from-json
    # jq drops zeros at the end.
    sed -E 's/(\.[0-9]*[1-9])0+ /\1 /; s/\.0+ / /' from-table | sort >want
    diff want <(sort from-json)
}

one_run_a_side_uses_its_repeats() {
    make_night once 1 5
    make_night again 1 5 upload 1.3
    expect_exit 5 "$S3STAT" compare once again >out &&
        has out '5 repeats of A, 5 of B' 'how runs differ .* is not covered'
}

lines_of_one_number_are_repeats() {
    print_head >lines
    for i in 1 2 3; do print_night "$i" 1; done >>lines
    expect_exit 0 "$S3STAT" compare lines a1 >out &&
        has out '3 repeats of A, 1 of B'
}

seven_nights_against_one() {
    local i

    for i in 6 7; do make_night "a$i" "$i" 1; done
    expect_exit 5 "$S3STAT" compare a? -- slow1 >out &&
        has out '7 runs of A, 1 of B' '^upload .* worse$'
}

one_and_one_cannot_tell() {
    expect_exit 0 "$S3STAT" compare --json a1 -- slow1 >out &&
        jq -e '.verdict == "cannot tell" and .cells[0].p == null and
            .cells[0].why == "one repeat a side"' out >/dev/null
}

a_threshold_is_what_is_worth_noticing() {
    expect_exit 0 "$S3STAT" compare --threshold=30% a? -- slow? >out &&
        has out 'worth noticing: 30 %' && hasnt out '%  worse$' &&
        expect_exit 5 "$S3STAT" compare --threshold=0.15 a? -- slow? >out
}

metrics_are_chosen() {
    expect_exit 5 "$S3STAT" compare --metric=mean_us --metric=cpu_us_per_op \
        a? -- slow? >out &&
        has out '^upload .* mean .* worse$' '^upload .* cpu/op .* same$' &&
        hasnt out p99 &&
        expect_exit 2 "$S3STAT" compare --metric=min_us a? -- b? 2>err &&
        has err "unknown --metric 'min_us'; there are .*p50_us"
}

phases_are_chosen() {
    expect_exit 0 "$S3STAT" compare --phase=download a? -- slow? >out &&
        hasnt out upload
}

what_was_given_up_counts_for_one_side_only() {
    local i

    for i in 1 2 3 4 5; do
        awk -F'\t' -v OFS='\t' '/^http/ { $19 = ">" 3 * $19 } 1' \
            "b$i" >"late$i"
        awk -F'\t' -v OFS='\t' '/^http/ { $19 = 9 * $19 } 1' \
            "b$i" >"later$i"
    done
    expect_exit 5 "$S3STAT" compare --metric=p99_us a? -- late? >out &&
        has out '^upload .* worse$' &&
        expect_exit 0 "$S3STAT" compare --metric=p99_us late? -- a? >out &&
        has out '^upload .* better$' &&
        expect_exit 0 "$S3STAT" compare --all --metric=p99_us later? -- late? \
            >out &&
        has out 'cannot tell: given up$' && hasnt out 'better$'
}

failures_are_compared() {
    local i

    for i in 1 2 3 4 5; do
        awk -F'\t' -v OFS='\t' '/^http/ && $2 == "upload" {
                $8 = $7; $7 = 0; for (i = 12; i <= 25; i++) $i = "-"
            } 1' "b$i" >"dead$i"
    done
    expect_exit 5 "$S3STAT" compare a? -- dead? >out &&
        has out '^upload .* success .* worse$' ': not measured' \
            'failed: 0 of [0-9]+ operations in A' &&
        hasnt out '^download .* worse$'
}

cells_of_one_side_are_said() {
    grep -v '	1024	1	' a1 >fewer
    expect_exit 0 "$S3STAT" compare a1 fewer >out &&
        has out '^10 cells \(2 only in A, 0 only in B\)'
}

skipped_cells_are_no_cells() {
    local i

    for i in 1 2 3; do
        sed -E 's/^(http[^\t]*\tupload\t[0-9]+\t4\t1\t)-/\1skipped:max-bytes/' \
            "b$i" >"skip$i"
    done
    expect_exit 0 "$S3STAT" compare a? -- skip? >out &&
        has out '^9 cells \(3 only in A'
}

marks_are_passed_on() {
    sed -E 's/^(http[^\t]*\tupload\t1024\t4\t1\t)-/\1few,client-bound/' a1 >m
    expect_exit 0 "$S3STAT" compare m a2 >out &&
        has out '^marked few: 1 cell of A, 0 of B' \
            '^marked client-bound: 1 cell of A'
}

response_times_count_at_a_rate() {
    local i

    for i in 1 2 3; do
        sed -E 's/^(http.*\t[0-9.]+\t[0-9.]+\t)-\t/\1100.000\t/' "a$i" >"open$i"
    done
    expect_exit 0 "$S3STAT" compare --threshold=50% open1 open2 -- open3 >out &&
        has out 'resp. p99' && hasnt out '[0-9]  p99' || return 1
    expect_exit 2 "$S3STAT" compare a1 open2 2>err &&
        has err 'measured differently: rate asked: - \(a1\), 100/s \(open2\)'
}

unlike_settings_are_refused() {
    sed 's/payload hash: signed/payload hash: unsigned/' b1 >unsigned
    expect_exit 2 "$S3STAT" compare a1 a2 -- b2 unsigned >out 2>err &&
        [[ ! -s out && $(wc -l <err) == 1 ]] &&
        has err 'payload hash: signed \(a1\), unsigned \(unsigned\)' \
            '--unlike compares' || return 1
    {
        print_head 's3op put s3://b/k --connection=new -d5 --threads 2'
        print_night 11 1
    } >other
    expect_exit 2 "$S3STAT" compare a1 other 2>err &&
        has err 'connection: - \(a1\), new \(other\)' \
            'duration: 10s \(a1\), 5 \(other\)' 'threads: -' &&
        expect_exit 0 "$S3STAT" compare --unlike a1 other >out &&
        has out '^measured differently: connection'
}

what_is_compared_may_differ() {
    sed 's/127.0.0.1:9000/127.0.0.1:9001/; s/s3op 0.1.0/s3op 0.2.0/' b1 >moved
    expect_exit 0 "$S3STAT" compare a1 moved >out &&
        has out '^differs: program: s3op 0.1.0 \(a1\), s3op 0.2.0' \
            '^differs: endpoint:' '^12 cells'
}

make_run() { # DIR NIGHT SETTINGS [PHASE FACTOR]
    mkdir -p "$1"
    make_night "$1/cells.tsv" "$2" 1 "${@:4}"
    printf '%s' "{\"format\":\"s3perf-manifest 1\",\"version\":\"0.1.0\"," \
        "\"label\":\"}{\\\"\",\"settings\":$3,\"targets\":[{\"name\":\"x\"}]}" \
        >"$1/manifest.json"
}

run_directories_are_compared() {
    make_run r1 1 '{"cell-time":"10s","label":"one","payload":"a}b"}'
    make_run r2 2 '{"cell-time":"10s","label":"two","payload":"a}b"}'
    make_run r3 3 '{"cell-time":"10s","payload":"a}b"}' upload 1.5
    expect_exit 5 "$S3STAT" compare r1 r2 -- r3 >out &&
        hasnt out differs || return 1
    make_run r4 3 '{"cell-time":"5s","payload":"a}b"}'
    expect_exit 2 "$S3STAT" compare r1 r4 2>err &&
        has err 'cell-time: 10s \(r1\), 5s \(r4\)' || return 1
    echo nonsense >r4/manifest.json
    expect_exit 2 "$S3STAT" compare r1 r4 2>err &&
        has err 'r4/manifest.json: is no manifest' || return 1
    rm r4/manifest.json r4/cells.tsv
    expect_exit 2 "$S3STAT" compare r1 r4 2>err && has err 'r4/cells.tsv'
}

targets_of_one_run_are_compared() {
    {
        print_head
        print_night 1 4 | sed 's,^http://127.0.0.1:9000,ceph,'
        print_night 1 4 upload 1.5 | sed 's,^http://127.0.0.1:9000,minio,'
    } >both
    expect_exit 5 "$S3STAT" compare --target-a=ceph --target-b=minio \
        both both >out && has out '^upload .* worse$' '^12 cells' &&
        expect_exit 0 "$S3STAT" compare both both >out && has out '^24 cells'
}

# Operations of one lane, one after the other, FACTOR slower than 1 ms.
make_records() { # FILE SEED FACTOR [COUNT]
    {
        sed '1s/cells/ops/; s/ -d 10s//; /^target/,$d' a1
        echo 'due_us start_us end_us lookup_us connect_us tls_us sent_us' \
            'first_us body_us total_us verify_us op bucket key size' \
            'good_bytes wire_bytes status code transport attempt reused lane' \
            'endpoint host' | tr ' ' '\t'
        awk -v seed="$2" -v factor="$3" -v count="${4:-6400}" 'BEGIN {
            OFS = "\t"
            for (i = 0; i < count; i++) {
                seed = (seed * 1103515245 + 12345) % 2147483648
                us = sprintf("%.3f", (900 + 200 * seed / 2147483648) * factor)
                end = sprintf("%.3f", now + us)
                start = sprintf("%.3f", now)
                print start, start, end, "0.000", "0.000", "", "10.000",
                    "50.000", us, us, "", "get", "b", "k", 4096, 4096, 4096,
                    200, "-", "-", 1, 1, 0, "http://127.0.0.1:9000", "here"
                now = end
            }
        }'
    } >"$1"
}

records_are_compared_by_blocks() {
    make_records ops1 1 1
    make_records ops2 2 1.001
    make_records ops3 3 1.3
    expect_exit 0 "$S3STAT" compare ops1 ops2 >out &&
        has out '^1 cell, one run a side' '^get +4KiB +1 p50 .* same$' \
            '^blocks of one run a side' &&
        expect_exit 5 "$S3STAT" compare ops1 ops3 >out &&
        has out '^get +4KiB +1 ops/s .* worse$' '^get .* p50 .* worse$' &&
        expect_exit 5 "$S3STAT" compare --json ops1 ops3 >out &&
        jq -e '.unit == "block" and .cells[0].concurrency == 1' out >/dev/null
}

too_few_records_cannot_tell() {
    make_records short1 1 1 12
    make_records short2 2 1.5 12
    expect_exit 0 "$S3STAT" compare short1 short2 >out &&
        has out '^get .* p50 .* cannot tell$' && hasnt out '^blocks'
}

runs_of_records_are_runs() {
    make_records ops4 4 1.004
    make_records ops5 5 1.31
    expect_exit 5 "$S3STAT" compare ops1 ops2 ops4 -- ops3 ops5 >out &&
        has out '3 runs of A, 2 of B' '^get .* p99 .* worse$' &&
        hasnt out 'not covered' || return 1
    expect_exit 2 "$S3STAT" compare - ops2 <ops1 2>err && has err 'only cells'
}

# All values alike: one bucket of the histogram.
make_histogram() { # FILE US
    awk -v ns=$(($2 * 1000)) 'BEGIN {
        for (octave = 9; 2 ^ (octave + 1) <= ns;) octave++
        print "# s3perf-hist 1\n# unit: ns\n# op: put\n# stage: service"
        print "# sub-buckets: 512\n# range: 1000 3600000000000"
        print "# count: 2000\n# below: 0\n# above: 0"
        printf "# sum: %.0f\n# min: %d\n# max: %d\n", 2000 * ns, ns, ns
        print "bucket\tcount"
        printf "%d\t2000\n",
            (octave - 9) * 512 + int(ns / 2 ^ (octave - 9)) - 512
    }' >"$1"
}

histograms_are_compared() {
    local i

    for i in 0 1 2; do
        make_histogram "before$i" $((500 + i))
        make_histogram "after$i" $((600 + i))
    done
    expect_exit 5 "$S3STAT" compare before? -- after? >out &&
        has out '^put +- +- p99 .* worse$' && hasnt out ops/s &&
        expect_exit 0 "$S3STAT" compare before0 after0 >out &&
        has out '^put .* [+]20.* cannot tell$' &&
        expect_exit 0 "$S3STAT" compare --tsv before? -- before? >out &&
        has out '^put	-	1	-	-	p50_us	500.999	'
}

packed_tables_are_read() {
    zstd -q a1 -o packed.zst && gzip -k b1 &&
        expect_exit 0 "$S3STAT" compare packed.zst b1.gz >out &&
        expect_exit 0 "$S3STAT" compare - b1 <a1 >out
}

# Edit a good table, and see the line and column that are to blame.
blames() { # REGEX SED-COMMAND
    sed "$2" a1 >bad
    expect_exit 2 "$S3STAT" compare bad a2 >out 2>err &&
        [[ ! -s out && $(wc -l <err) == 1 ]] && has err "$1"
}

hostile_tables_are_refused() {
    blames "bad:9: bad ops_per_s 'nan'" '9s/\t[0-9.]*/\tnan/11' &&
        blames "bad:9: bad p50_us '-5.000'" '9s/\t[0-9.]*/\t-5.000/16' &&
        blames "bad:9: bad mean_us '>5'" '9s/\t[0-9.]*/\t>5/14' &&
        blames "bad:9: bad p50_us '1e300'" '9s/\t[0-9.]*/\t1e300/16' &&
        blames "bad:9: bad size '0x10'" '9s/\t[0-9.]*/\t0x10/2' &&
        blames "bad:9: bad concurrency$" '9s/\t[0-9.]*/\t/3' &&
        blames 'bad:9: too many lanes' '9s/\t[0-9.]*/\t99999999999/3' &&
        blames 'bad:9: fewer fields than columns' '9s/\t[^\t]*$//' &&
        blames 'bad:9: more fields than columns' '9s/$/\tmore/' &&
        blames 'bad:8: no column phase' '8s/phase/other/' &&
        blames 'bad:8: a column twice size' '8s/concurrency/size/' &&
        blames 'bad:9: a byte 0 in the line' '9s/\t/\x00/' &&
        blames 'no cell to compare' '9,$d' &&
        blames "is no '# s3perf" '1d'
}

cut_and_long_tables_are_refused() {
    head -c -5 a1 >short
    expect_exit 2 "$S3STAT" compare short a2 2>err && has err 'cut off' || return 1
    {
        head -n 8 a1
        head -c 10000000 /dev/zero | tr '\0' 9
    } >long
    expect_exit 2 "$S3STAT" compare long a2 2>err && has err 'long:9: longer than'
}

operands_are_checked() {
    expect_exit 2 "$S3STAT" compare a1 2>err && has err "no '--'" &&
        expect_exit 2 "$S3STAT" compare a1 a2 a3 2>err && has err "no '--'" &&
        expect_exit 2 "$S3STAT" compare -- -- a1 2>err && has err 'before' &&
        expect_exit 2 "$S3STAT" compare a1 -- 2>err && has err 'after' &&
        expect_exit 2 "$S3STAT" compare a1 -- missing 2>err &&
        has err "'missing'.*No such file" &&
        expect_exit 2 "$S3STAT" compare --confidence=20% a1 a2 2>err &&
        expect_exit 2 "$S3STAT" compare --threshold=x a1 a2 2>err &&
        expect_exit 2 "$S3STAT" compare --json --tsv a1 a2 2>err
}

output_that_fails_is_said() {
    [[ -w /dev/full ]] || return 0
    expect_exit 4 "$S3STAT" compare a1 a2 >/dev/full 2>err &&
        expect_exit 4 "$S3STAT" compare --tsv a1 a2 >/dev/full 2>err
}

make_nights
test_expect 'equal nights are not worse' equal_nights_are_not_worse
test_expect 'a slow phase is worse: status 5' a_slow_phase_is_worse
test_expect 'order of runs does not matter' order_of_runs_does_not_matter
test_expect 'better is the same seen from behind' \
    better_is_the_same_seen_from_behind
test_expect 'programs get a table' programs_get_a_table
test_expect 'programs get JSON' programs_get_json
test_expect 'table and JSON agree' the_table_and_json_agree
test_expect 'one run a side uses its repeats' one_run_a_side_uses_its_repeats
test_expect 'lines of one number are repeats' lines_of_one_number_are_repeats
test_expect 'seven nights against one' seven_nights_against_one
test_expect 'one and one cannot tell' one_and_one_cannot_tell
test_expect 'a threshold is what is worth noticing' \
    a_threshold_is_what_is_worth_noticing
test_expect 'metrics are chosen' metrics_are_chosen
test_expect 'phases are chosen' phases_are_chosen
test_expect 'what was given up counts for one side only' \
    what_was_given_up_counts_for_one_side_only
test_expect 'failures are compared' failures_are_compared
test_expect 'cells of one side are said' cells_of_one_side_are_said
test_expect 'skipped cells are no cells' skipped_cells_are_no_cells
test_expect 'marks are passed on' marks_are_passed_on
test_expect 'response times count at a rate' response_times_count_at_a_rate
test_expect 'unlike settings are refused' unlike_settings_are_refused
test_expect 'what is compared may differ' what_is_compared_may_differ
test_expect 'run directories are compared' run_directories_are_compared
test_expect 'targets of one run are compared' targets_of_one_run_are_compared
test_expect 'records are compared by blocks' records_are_compared_by_blocks
test_expect 'too few records cannot tell' too_few_records_cannot_tell
test_expect 'runs of records are runs' runs_of_records_are_runs
test_expect 'histograms are compared' histograms_are_compared
test_expect 'packed tables are read' packed_tables_are_read
test_expect 'hostile tables are refused' hostile_tables_are_refused
test_expect 'cut and long tables are refused' cut_and_long_tables_are_refused
test_expect 'operands are checked' operands_are_checked
test_expect 'output that fails is said' output_that_fails_is_said
done_testing
