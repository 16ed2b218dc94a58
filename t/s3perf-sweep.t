#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A sweep measures what it planned, keeps to its limits, and leaves nothing.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/sweep-suite.sh
. "$srcdir/t/sweep-suite.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

the_whole_of_it() {
    sweep -o run "${small[@]}"
    cells_are_sound run "$small_lines"
    is "$(cells run phase | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        ' 1 create; 4 download; 4 erase; 4 list; 1 remove; 4 upload;'
    is "$(cells run target | sort -u)" "$AWS_ENDPOINT_URL"
    is "$(cells run errors | sort -u)" 0
    awk -F'\t' '!/^#/ && ($2 == "upload" || $2 == "download") &&
        ($7 != 20 || $9 != 20 * $3 || $4 * $3 == 0) { print; exit 1 }' \
        run/cells.tsv
    awk -F'\t' '!/^#/ && ($2 == "create" || $2 == "remove") &&
        !($7 == 2 && $3 == 0 && $4 == 1) { print; exit 1 }' run/cells.tsv
    nothing_left run
    is "$(tail -n 1 out)" run
    has out '^5 cells measured$' '^upload +up to .*/s \(' \
        '^cells +5: 2 sizes \(1 B to 4 KiB\) x 2 concurrency levels'
    has err '^ +cell +size +lanes +upload +list +download +erase +left$' \
        '^ +5/5 '
}

# Each line names its histograms, which hold what it says.
histograms_are_beside() {
    local hist ops

    awk -F'\t' '!/^#/ && $1 != "target" { print $30, $7 }' run/cells.tsv >names
    is "$(wc -l <names)" "$small_lines"
    while read -r hist ops; do
        is "$(sed -n '1p;/^# stage: service/,/^# stage: response/s/^# count: //p' \
            "run/$hist" | tr '\n' ' ')" "# s3perf-hist 1 $ops "
        jq -e ".ops == $ops" "run/${hist%.hist}.json" >/dev/null
    done <names
}

the_manifest_says_what_and_where() {
    jq -e '.format == "s3perf-manifest 1" and .state == "complete" and
        .seed == 5 and .settings.sizes == "1,4Ki" and
        .settings["cell-ops"] == "20" and (.targets | length) == 1 and
        .targets[0].probe.connect_us > 0 and .targets[0].latency_us > 0 and
        .client_host.cores > 0 and .ended >= .started' run/manifest.json
    is "$(jq -r '.targets[0].endpoint' run/manifest.json)" "$AWS_ENDPOINT_URL"
    fails grep -rqF "$AWS_SECRET_ACCESS_KEY" run
}

a_finished_run_has_nothing_to_resume() {
    cp run/cells.tsv before
    sweep --resume run
    diff before run/cells.tsv
    expect_exit 2 sweep -o run "${small[@]}"
    has err "^s3perf sweep: 'run' is there already: --resume it"
    nothing_left run
}

other_settings_are_refused() {
    expect_exit 2 sweep --resume run --sizes 1,8Ki
    has err "the run has --sizes '1,4Ki', not '1,8Ki'"
    expect_exit 2 sweep --resume run --cold
    expect_exit 2 sweep --resume run --target a=http://127.0.0.1:1
    has err 'the run has other targets'
    expect_exit 2 sweep --resume run --preset quick
    sweep --resume run --sizes 1,4Ki --max-time 1h --quiet
    expect_exit 2 sweep --resume nowhere
    has err "'nowhere' is no run"
}

a_foreign_bucket_is_only_borrowed() {
    "$S3OP" mb s3://theirs >/dev/null
    "$S3OP" put -n 3 -s 3 s3://theirs/s3perf-1- >/dev/null
    keys theirs >before
    sweep -o borrow -b theirs "${small[@]}"
    cells_are_sound borrow 16
    keys theirs >after
    diff before after
    nothing_left borrow theirs
    "$S3OP" rm -n 3 s3://theirs/s3perf-1- >/dev/null
    "$S3OP" rb s3://theirs >/dev/null
}

a_dry_run_changes_nothing() {
    : >access
    sweep -o dry "${small[@]}" --dry-run
    has out '^requests +at most [0-9]+: ' '^time +about '
    [[ ! -e dry ]]
    is "$(cut -f 4 access | grep -v HEAD)" '' 'requests but HEAD'
}

somebody_must_agree() {
    expect_exit 2 sweep -o asked "${small[@]::10}" --seed 5
    has err 'nobody to ask: --yes starts it'
    [[ ! -e asked ]]
}

prices_are_shown() {
    printf 'currency EUR\nput-1000 1\nlist-1000 0\n' >prices
    sweep -n --prices prices "${small[@]}"
    has out '^money +at most 0\.09 EUR$'
    echo 'put-1000 much' >prices
    expect_exit 2 sweep -n --prices prices "${small[@]}"
    has err '^s3perf sweep: prices:1: bad number$'
}

limits_hold() {
    local run

    # Of a cell alone.
    sweep -o alive "${small[@]}" --max-alive 1000
    is "$(cells alive mark | grep -c skipped:max-alive)" 8
    has out '^3 cells measured, 2 skipped \(max-alive\)$'
    cells_are_sound alive "$small_lines"
    # Of all of them: one is done, the next might be too much.
    for run in 'max-requests 170' 'max-bytes 400K'; do
        : >access
        # shellcheck disable=SC2086 # an option and its value
        expect_exit 1 sweep -o "${run% *}" "${small[@]}" --$run \
            --phases upload,list,download,erase
        cells_are_sound "${run% *}" 16
        cells "${run% *}" mark >marks
        has marks "^skipped:${run% *}\$" '^few|^-|^client'
        nothing_left "${run% *}"
    done
    is "$(awk -F'\t' '{ sum += $10 } END { print (sum > 0 && sum <= 400000) }' \
        max-bytes/cells.tsv)" 1
    # HEADs of the start and listings of the end are not counted.
    : >access
    sweep -o count "${small[@]}" --phases upload,list,download,erase \
        --max-requests 400
    (($(grep -vc HEAD access) <= 400))
}

time_is_up() {
    expect_exit 1 sweep -o brief "${small[@]}" --max-time 1ms
    is "$(cells brief mark | sort -u)" skipped:max-time
    has out 'go on: s3perf sweep --resume brief$'
    sweep --resume brief
    cells_are_sound brief "$small_lines"
    is "$(cells brief mark | grep -c skipped)" 0
    nothing_left brief
}

targets_take_turns() {
    local first=$AWS_ENDPOINT_URL

    sweep -o two "${small[@]}" --repeat 2 \
        --target "a=$first,bucket=one-$test_id" --target "b=$first"
    cells_are_sound two $((4 * small_lines))
    is "$(cells two target | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        " $((2 * small_lines)) a; $((2 * small_lines)) b;"
    # The same cell of one comes right after that of the other.
    is "$(awk -F'\t' '!/^#/ && $1 != "cell" { print $4, $5, $6 }' \
        two/plan.tsv | uniq -c | awk '{ print $1 }' | sort -u)" 2
    is "$(awk -F'\t' '!/^#/ && $1 != "cell" { print $6 }' two/plan.tsv |
        uniq | tr '\n' ' ')" '1 2 '
    nothing_left two
    expect_exit 2 sweep -o bad "${small[@]}" --target "a=$first,key=x"
    has err "target 'a': no option 'key=x'"
}

plan_files() {
    printf '%s\n' '# for cron' 'sizes = 1,4Ki' 'concurrency=1' 'ordered' \
        'cell-ops = 10' 'phases = upload,download' '' >plan
    sweep --plan plan -o planned --yes --cell-ops 5 -q
    is "$(cells_of planned | cut -d ' ' -f 2-4 | tr '\n' ';')" \
        'download 1 1;download 4096 1;upload 1 1;upload 4096 1;'
    is "$(cells planned ops | sort -u)" 5
    is "$(cells planned size | tr '\n' ' ')" '1 1 4096 4096 '
    [[ ! -s err ]]
    echo 'size = 1' >plan
    expect_exit 2 sweep --plan plan --yes
    has err "plan:1: no option 'size'"
    echo 'ordered = no' >plan
    expect_exit 2 sweep --plan plan --yes
    has err "plan:1: 'ordered' takes no value"
}

# All uploads come before the first read, in another order.
cold_reads() {
    : >access
    sweep -o cold "${small[@]}" --cold --phases upload,head,download
    cells_are_sound cold 12
    is "$(cells cold phase | uniq -c | head -n 1 | tr -s ' ')" ' 4 upload'
    awk -F'\t' '$4 == "GET" && $5 ~ /-[0-9]+$/ { read = 1 }
        $4 == "PUT" && read { print "late:", $0; exit 1 }' access
    nothing_left cold
}

a_pause_before_reading() {
    local start=$EPOCHREALTIME

    sweep -o settled --sizes 1 --concurrency 1 --cell-ops 5 --yes \
        --phases upload,download --settle 300ms
    start=$((${EPOCHREALTIME/./} - ${start/./}))
    ((start > 300000))
}

records_are_kept() {
    sweep -o logged --sizes 1 --concurrency 1 --cell-ops 5 --yes --log \
        --phases upload,erase
    is "$(zstd -dcq logged/ops/0001-upload.tsv.zst | grep -vc '^#')" 6
    [[ -s logged/ops/0001-erase.tsv.zst ]]
}

bad_options() {
    local line args want

    while IFS='|' read -r line want; do
        read -r -a args <<<"$line"
        expect_exit 2 sweep --yes -o bad "${args[@]}"
        has err "^s3perf sweep: $want"
        is "$(wc -l <err)" 1 lines
        [[ ! -e bad ]]
    done <<'END'
--sizes 4x|bad --sizes '4x': it is no size
--concurrency 0|bad --concurrency '0'
--phases upload,fly|bad --phases 'fly'
--cell-time never|bad --cell-time 'never'
--cell-time 0s|bad --cell-time
--max-error-rate 200%|bad --max-error-rate '200%'
--max-alive many|bad --max-alive 'many'
--preset huge|no preset 'huge'
--label a/b|bad label 'a/b'
--frob|no option '--frob'
--repeat|option '--repeat' needs a value
--cold=yes|option '--cold' takes no value
--c 1|'--c' may be
--target nonsense|bad target 'nonsense'
-d http://127.0.0.1:1 --target a=http://127.0.0.1:2|--endpoint or --target
extra|unexpected argument 'extra'
END
}

errors_are_recorded() {
    # shellcheck disable=SC2016 # for the hook
    hook_s3op 'sed -i "/^.download.\$/,/^cell/s/^target=.*/&absent-/" "$job"'
    expect_exit 1 sweep -o failing "${small[@]}"
    unhook
    cells_are_sound failing "$small_lines"
    is "$(awk -F'\t' '$2 == "download" { print $8, $6 }' failing/cells.tsv |
        sed 's/client-bound,//' | sort -u)" '20 few,errors'
    is "$(awk -F'\t' '$2 == "erase" { print $7, $8 }' failing/cells.tsv |
        sort -u)" '20 0'
    has err 'download: 20 of 20 operations failed, 404 NoSuchKey'
    has out '^5 cells measured, 4 of them with errors$'
    jq -e '.failures[0].code == "NoSuchKey"' failing/hist/*-download.json
    nothing_left failing
}

# What would follow an upload that failed is not measured.
failed_uploads_end_a_cell() {
    # shellcheck disable=SC2016 # for the hook
    hook_s3op 'sed -i "/^.upload.\$/,/^cell/s/^target=.*/target=s3:\/\/absent\/k/" "$job"'
    expect_exit 1 sweep -o failing2 "${small[@]}" --back-off 1ms
    unhook
    cells_are_sound failing2 "$small_lines"
    is "$(awk -F'\t' '$4 > 0 && $2 ~ /list|load|erase/ && $2 != "upload" {
        print $6 }' failing2/cells.tsv | sort -u)" skipped:errors
    has err 'upload: 20 of 20 operations failed, 404 NoSuchBucket'
    nothing_left failing2
}

a_throttling_service_gets_pauses() {
    local start=$EPOCHREALTIME

    start_canned
    canned_answer '' '503 Slow Down' '<Error><Code>SlowDown</Code></Error>'
    # shellcheck disable=SC2016 # for the hook
    hook_s3op "sed -i '/^\\[download\\]/aendpoint=$canned_url' \"\$job\""
    expect_exit 1 sweep -o slow --sizes 1 --concurrency 1,2 --cell-ops 5 \
        --phases upload,download --yes --back-off 200ms --max-error-rate 100%
    unhook
    start=$((${EPOCHREALTIME/./} - ${start/./}))
    is "$(awk -F'\t' '$2 == "download" { print $6 }' slow/cells.tsv |
        sed 's/client-bound,//' | tr '\n' ' ')" 'few,errors,throttled few,errors,throttled '
    ((start > 600000)) # 200 ms, then 400 ms
    nothing_left slow
}

start_s3mem --access-log "$PWD/access"
test_expect 'a sweep measures what it planned' the_whole_of_it
test_expect 'histograms are beside the cells' histograms_are_beside
test_expect 'the manifest says what and where' the_manifest_says_what_and_where
test_expect 'a finished run has nothing to resume' \
    a_finished_run_has_nothing_to_resume
test_expect 'other settings are refused' other_settings_are_refused
test_expect 'a foreign bucket is only borrowed' \
    a_foreign_bucket_is_only_borrowed
test_expect 'a dry run changes nothing' a_dry_run_changes_nothing
test_expect 'somebody must agree' somebody_must_agree
test_expect 'money is counted' prices_are_shown
test_expect 'limits hold' limits_hold
test_expect 'what time left out is done later' time_is_up
test_expect 'targets take turns' targets_take_turns
test_expect 'plan files' plan_files
test_expect 'cold reads come a pass later' cold_reads
test_expect 'a pause before reading' a_pause_before_reading
test_expect 'records are kept' records_are_kept
test_expect 'bad options' bad_options
test_expect 'errors are recorded' errors_are_recorded
test_expect 'a failed upload ends its cell' failed_uploads_end_a_cell
test_expect 'a throttling service gets pauses' a_throttling_service_gets_pauses
done_testing
