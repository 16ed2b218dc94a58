#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3perf --client: the six phases through other programs.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/standin.sh
. "$srcdir/t/standin.sh"

refuses() { # MESSAGE ARG...
    expect_exit 2 "$S3PERF" "${@:2}" >out 2>err || return
    is "$(<err)" "s3perf: $1" 'message' || return
    [[ ! -s out ]]
}

wrong_clients_are_named() {
    local list try=" (try 's3perf --help')"
    local known='(there are: s3op aws mc rclone s3 s3cmd s4cmd; or a path to a file)'

    for list in '' ',' 's3op,' ',s3op' 's3op,,aws'; do
        refuses "bad list of clients '$list'$try" --client "$list"
    done
    refuses "no client 'frob' $known$try" --client frob
    refuses "no client 's 3' $known$try" --client 's 3'
    refuses "no client './no/file' $known$try" --client s3op,./no/file
    refuses "client 's3op' is listed twice$try" --client s3op,s3op
    refuses "--erase batch: only s3op can$try" --client s3op,aws --erase batch
    make_standin
    for list in '--compat s3perf' -o -k; do
        # shellcheck disable=SC2086 # two words
        refuses "--compat, --results and --keep take one client$try" \
            --client "s3op,$standin" $list
    done
    grep -v erase_bucket "$standin" >./half.sh
    refuses './half.sh: no function client_erase_bucket' --client ./half.sh
    sed "/^client_version/s/1\.2.*/none'; }/" "$standin" >./odd.sh
    refuses "client './odd.sh' cannot be run (Debian package standin)" \
        --client ./odd.sh
}

ossperfs_letters_name_it() {
    local pair

    for pair in m:mc w:aws r:s4cmd; do
        expect_exit 2 "$S3PERF" "-${pair%:*}" >out 2>err
        has err "to time that client: --client ${pair#*:} \("
    done
}

without_its_programs() {
    mkdir -p empty
    make_standin
    printf '#!/bin/sh\necho "parallel from moreutils"\n' >empty/parallel
    chmod +x empty/parallel
    PATH=$PWD/empty:$PATH refuses \
        "--client needs GNU parallel, and there is no such 'parallel' here" \
        --client "$standin"
    PATH=$PWD/empty:$PATH "$S3PERF" --client s3op -n 1 -s 1 -q >out
}

one_process_for_each() {
    make_standin
    "$S3PERF" --client "$standin" -n 7 -s 5000 -p -j 3 >out 2>err
    is "$(head -n 1 out)" '7 objects of 5000 B, 3 at once'
    is "$(cut -d ' ' -f 1 standin-calls | sort | uniq -c | xargs)" \
        '7 get 1 ls 1 mb 7 put 1 rb 7 rm'
    has out '^create bucket ' '^upload ' '^list ' '^erase bucket ' \
        '^7 of 7 downloads verified' \
        "^by standin 1\.2\.3-beta, a process for each object\$" \
        '^CPU time of each: upload [0-9.]+ ms, download .*, erase objects ' \
        '^region us-east-1, path addressing$' \
        '^bucket s3perf-.*, created and removed$'
    hasnt out '^.{81}' 'payload'
    is "$(wc -l <err)" 1
}

lanes_are_cores() {
    make_standin
    "$S3PERF" --client "$standin" -n 200 -s 0 -p --json -q >out 2>err &
    # Only how many there would be at once; not the whole run.
    wait_for 30 grep -q '^put' standin-calls
    kill -TERM "$!"
    wait "$!" || :
    is "$(jq .concurrency out)" "$(nproc)"
    "$S3PERF" --client "$standin" -n 2 -s 0 --json -q >out
    is "$(jq .concurrency out)" 1
}

json_says_who() {
    make_standin
    "$S3PERF" --client "$standin" -n 3 -s 100 --json -q >out 2>err
    [[ ! -s err ]]
    jq -e '.format == "s3perf-quick 1" and .outcome == "complete" and
        .client_version == "1.2.3-beta" and .listed == 3 and
        .downloads == {asked: 3, verified: 3, mismatched: 0} and
        ([.phases[].state] | unique) == ["ok"] and (.phases | length) == 6' out
    is "$(jq -r .client out)" standin
    jq -e '.phases[1] | .wall_s > 0 and .wall_s == .s3op.window_s and
        .s3op.program == "standin" and .s3op.ops == 3 and
        .s3op.good_bytes == 300 and .s3op.cpu_us_per_op > 0 and
        .s3op.busy_share > 0 and .s3op.max_rss_kib > 1000 and
        .s3op.service_us.min <= .s3op.service_us.p50 and
        .s3op.format == "s3perf-summary 1"' out
}

side_by_side() {
    make_standin
    "$S3PERF" --client "s3op,$standin" -n 4 -s 1000 -p -j 2 >out 2>err
    is "$(head -n 1 out)" '4 objects of 1000 B, 2 at once'
    has out '^wall +s3op +standin$' '^create bucket( +[0-9.]+ (us|ms|s)){2}$' \
        '^total( +[0-9.]+ (us|ms|s)){2}$' '^one \(median\) +s3op +standin$' \
        '^CPU for one ' '^over s3op ' '^over s3op: how much longer'
    is "$(grep -c '^upload ' out)" 4
    hasnt out '^.{81}'
    has err '^s3perf: s3op: complete$' '^s3perf: standin 1.2.3-beta: complete$'
    # A whole process cannot be as quick as s3op, and the difference is shown.
    awk '/^over s3op / { on = 1 }
        on && /^upload / { if ($2 == "-" && $3 > 0) good = 1 }
        END { exit !good }' out
    "$S3PERF" --client "$standin,s3op" -n 2 -s 10 --json -q >out 2>err
    jq -e '.format == "s3perf-clients 1" and (.runs | length) == 2 and
        ([.runs[].outcome] | unique) == ["complete"] and
        .runs[1].client == "s3op" and .runs[1].client_version == null and
        .runs[0].bucket != .runs[1].bucket and .runs[0].seed == .runs[1].seed' \
        out
    "$S3PERF" --client "$standin,./twin.sh" -n 1 -s 1 -q >out 2>err &&
        return 1
    cp "$standin" twin.sh
    "$S3PERF" --client "$standin,./twin.sh" -n 1 -s 1 -q >out 2>err
    hasnt out 'over s3op'
}

the_same_content() {
    make_standin
    start_s3mem
    "$S3PERF" --client "$standin" -n 2 -s 70000 --seed 5 -k >out 2>err
    head -c 70000 s3perf-testfiles-*/files/s3perf-testfile2 >mine
    rm -r s3perf-testfiles-*
    "$S3PERF" -n 2 -s 70000 --seed 5 -k >out 2>err
    cmp mine s3perf-testfiles-*/files/s3perf-testfile2
    rm -r s3perf-testfiles-*
    stop_s3mem
}

keeps_files() {
    make_standin
    "$S3PERF" --client "$standin" -n 3 -s 100 -k -o >out 2>err
    has err '^s3perf: kept: s3perf-testfiles-'
    (cd s3perf-testfiles-* && md5sum -c --strict MD5SUM && cd downloads &&
        md5sum -c --strict MD5SUM) >sums
    is "$(grep -c ': OK$' sums)" 6
    is "$(wc -l <results.csv)" 2
    "$S3PERF" --client "$standin" -n 2 -s 10 --compat ossperf -q >out
    is "$(wc -l <out)" 10
}

failed_in() { # TEXT STANDIN-CODE [ARG...]
    make_standin "$2"
    expect_exit 1 "$S3PERF" --client "$standin" -n 3 -s 10 "${@:3}" >out 2>err
    is "$(head -n 1 out)" "FAILED in $1"
}

failures_are_told() {
    failed_in 'upload: 1 of 3 operations failed Exit9' \
        '[[ $verb$key != put*2 ]] || { echo "out of luck" >&2; exit 9; }'
    has err "^s3perf: standin in upload: Exit9: out of luck\$"
    failed_in 'erase objects: 3 of 3 operations failed Signal9' \
        '[[ $verb != rm ]] || kill -9 $$'
    has err "in erase-objects: Signal9 \[3 times\]\$"
    failed_in 'list: 2 of 3 objects were listed' \
        '[[ $verb != ls ]] || "$real" rm "s3://${key#s3://}1" >/dev/null'
    failed_in 'download: 3 of 3 operations failed, timeout' \
        '[[ $verb != get ]] || sleep 20' --timeout 0.5s
    failed_in 'create bucket: 1 of 1 operations failed Exit3' \
        '[[ $verb != mb ]] || exit 3'
}

what_did_not_arrive() {
    # It says it went well, and wrote nothing; a part; something else.
    failed_in 'download: 3 of 3 operations failed, short' \
        '[[ $verb != get ]] || exit 0'
    failed_in 'download: 1 downloads differ from what was uploaded' \
        '[[ $verb$key != get*2 ]] || { echo >"$3"; exit 0; }'
    has out '^2 of 3 downloads verified'
    has err '^s3perf: standin in download: short$'
    failed_in 'download: 1 downloads differ from what was uploaded' \
        '[[ $verb$key != get*2 ]] || { echo 123456789 >"$3"; exit 0; }'
    has out '^2 of 3 downloads verified'
}

# GNU parallel that starts none.
parallel_that_fails() {
    make_standin
    mkdir -p broken
    printf '#!/bin/sh\n[ "$1" = --version ] && exec %s --version\n%s\n' \
        "$(command -v parallel)" 'echo "no more processes" >&2; exit 255' \
        >broken/parallel
    chmod +x broken/parallel
    PATH=$PWD/broken:$PATH expect_exit 1 "$S3PERF" --client "$standin" \
        -n 3 -s 10 >out 2>err
    has out '^FAILED in upload: 0 of 3 processes could be run$'
    has err 'no more processes'
}

no_room_for_the_files() {
    make_standin
    expect_exit 4 "$S3PERF" --client "$standin" -n 1000000 -s 5Gi >out 2>err
    has err 's3perf: .* has room for [0-9]+ bytes, and [0-9]+ are needed'
}

test_expect 'wrong clients are named, status 2' wrong_clients_are_named
test_expect "ossperf's letters name --client" ossperfs_letters_name_it
test_expect 'without GNU parallel: status 2' without_its_programs
test_expect 'one process for each object' one_process_for_each
test_expect '-p: as many at once as cores' lanes_are_cores
test_expect '--json says who did it' json_says_who
test_expect 'several, side by side' side_by_side
test_expect 's3op and others upload the same' the_same_content
test_expect '-k, -o and --compat' keeps_files
test_expect 'failures are told' failures_are_told
test_expect 'what did not arrive is no success' what_did_not_arrive
test_expect 'processes that could not be started' parallel_that_fails
test_expect 'no room for the files: status 4' no_room_for_the_files
done_testing
