#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With other clients, too, s3perf deletes what it created and nothing else,
# and keys are for the client's eyes only.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/standin.sh
. "$srcdir/t/standin.sh"
state=$HOME/.local/state/s3perf

keys() { # [BUCKET]: the names in it, or those of all buckets
    "$S3OP" ls -o keys.tsv "s3://${1:-}" >/dev/null || return
    cut -f 3 keys.tsv
}

nothing_left() { # [BUCKET]: no other bucket, no claim, no process, no file
    is "$(keys)" "${1:-}" buckets || return
    [[ ! -d $state || -z $(find "$state" -name created.tsv) ]] || return
    is "$(ls "$TMPDIR")" '' 'temporary files'
}

start_run() { # ARG...
    env --default-signal=INT setsid "$S3PERF" --client "$standin" "$@" \
        >out 2>err &
    run_pid=$!
}

run_ends() { # STATUS
    local status=0

    wait "$run_pid" || status=$?
    is "$status" "$1" "the run's status"
}

called() { grep -q "^$1" standin-calls; }

a_foreign_bucket_is_only_borrowed() {
    make_standin
    start_s3mem
    "$S3OP" mb s3://theirs >/dev/null
    "$S3OP" put -n 3 --size 3 s3://theirs/s3perf-testfile >/dev/null
    "$S3OP" put -n 3 --size 3 s3://theirs/testfile >/dev/null
    keys theirs >before
    "$S3PERF" --client "s3op,$standin" -n 3 -s 10 -b theirs >out 2>err
    hasnt standin-calls '^(mb|rb)' ' s3://theirs/[^s]' 's3://theirs/s3perf-testfile'
    keys theirs >after
    diff before after
    nothing_left theirs
    stop_s3mem
}

the_claim_comes_first() {
    make_standin '[[ $verb != mb ]] ||
        cp '"$state"'/*/created.tsv "$here/claim"'
    start_s3mem
    "$S3PERF" --client "$standin" -n 4 -s 10 >out 2>err
    has claim $'^bucket\ts3perf-[-0-9a-f]+\tcreated$' \
        $'^range\ts3perf-testfile\t1\t4$'
    hasnt claim "$AWS_SECRET_ACCESS_KEY" "$AWS_ACCESS_KEY_ID"
    nothing_left
    stop_s3mem
}

stopped_in() { # VERB SIGNAL STATUS PHASE
    : >standin-calls
    start_run -n 6 -s 10 -p -j 2
    wait_for 30 called "$1"
    kill -s "$2" -- "-$run_pid"
    run_ends "$3"
    has out "^INTERRUPTED by SIG$2 in $4\$"
    nothing_left
}

a_signal_in_any_phase() {
    start_s3mem
    # The phase is under way, and one that takes long is not waited for.
    make_standin '[[ $verb != "$(cat "$here/slow")" ]] || sleep 15'
    for pair in 'mb/create bucket' put/upload ls/list get/download \
        'rm/erase objects'; do
        echo "${pair%/*}" >slow
        stopped_in "${pair%/*}" INT 130 "${pair#*/}"
    done
    echo put >slow
    stopped_in put TERM 143 upload
    stopped_in put HUP 129 upload
    # No further process is started.
    (($(grep -c '^put' standin-calls) <= 2))
    stop_s3mem
}

what_is_at_work_may_finish() {
    start_s3mem
    make_standin '[[ $verb != put ]] || sleep 0.5'
    : >standin-calls
    start_run -n 6 -s 10 -p -j 2 --json -q
    wait_for 30 called put
    kill -s INT "$run_pid"
    run_ends 130
    jq -e '.phases[1] | .state == "interrupted" and .s3op.ops >= 1 and
        .s3op.errors == 0' out
    nothing_left
    stop_s3mem
}

several_end_with_one_signal() {
    start_s3mem
    make_standin '[[ $verb != put ]] || sleep 15'
    env --default-signal=INT setsid "$S3PERF" --client "$standin,s3op" \
        -n 2 -s 10 >out 2>err &
    run_pid=$!
    wait_for 30 called put
    kill -s INT -- "-$run_pid"
    run_ends 130
    has out '^standin: INTERRUPTED by SIGINT in upload$'
    hasnt out '^wall .*s3op'
    nothing_left
    stop_s3mem
}

claim_of() { find "$state" -name created.tsv; }

killed_then_cleaned() {
    start_s3mem
    make_standin '[[ $verb$key != put*[3-9] ]] || sleep 15'
    start_run -n 6 -s 10 -p -j 4
    wait_for 30 called 'put.*testfile3'
    wait_for 30 called 'put.*testfile4'
    kill -KILL "$run_pid"
    run_ends 137
    # No client outlives us: its lock goes with the last of them.
    wait_for 10 flock -n "$(claim_of)" true
    rm -rf "$TMPDIR"/s3perf.*
    "$S3PERF" cleanup "$(claim_of)" 2>err
    nothing_left
    stop_s3mem
}

a_second_signal_ends_at_once() {
    start_s3mem
    make_standin '[[ $verb != put ]] || { trap "" TERM; sleep 15; }'
    start_run -n 4 -s 10 -p -j 2
    wait_for 30 called put
    kill -s INT -- "-$run_pid"
    wait_for 20 grep -q 'a second signal ends at once' err
    kill -s INT -- "-$run_pid"
    run_ends 130
    wait_for 10 flock -n "$(claim_of)" true
    "$S3PERF" cleanup "$(claim_of)" 2>err
    stop_s3mem
}

# It fails to make the bucket, and somebody else's appears.
a_bucket_that_was_not_made() {
    make_standin '[[ $verb != mb ]] || { "$real" mb s3://named >/dev/null
        "$real" put -s 1 s3://named/theirs >/dev/null; exit 1; }'
    start_s3mem
    expect_exit 1 "$S3PERF" --client "$standin" -n 2 -s 10 -b named >out 2>err
    has out '^FAILED in create bucket: ' '^bucket named, not created$'
    is "$(keys named)" theirs
    nothing_left named
    stop_s3mem
}

a_client_that_cannot_erase() {
    make_standin
    sed -i 's/^client_erase_bucket.*/client_erase_bucket() { return 1; }/' \
        "$standin"
    start_s3mem
    "$S3PERF" --client "$standin" -n 2 -s 10 >out 2>err
    has err 'standin cannot erase a bucket: s3op does, unmeasured$'
    hasnt out '^erase bucket'
    has out ', created and removed$'
    nothing_left
    "$S3PERF" --client "$standin" -n 2 -s 10 --json -q >out
    jq -e '.outcome == "complete" and .phases[5].state == "skipped" and
        .phases[5].s3op == null' out
    stop_s3mem
}

keys_are_private() {
    local file

    # What others can see of the processes, and what they cannot of files.
    make_standin 'ps -eo args >>"$here/seen"
        ls -lR "'"$TMPDIR"'" >>"$here/files"; env >>"$here/env"'
    AWS_SECRET_ACCESS_KEY=sesame-open-wide AWS_ACCESS_KEY_ID=ALIBABA \
        start_s3mem
    export AWS_SECRET_ACCESS_KEY=sesame-open-wide AWS_ACCESS_KEY_ID=ALIBABA
    export RCLONE_CONFIG=mine S3_HOSTNAME=mine S3CMD_X=mine
    "$S3PERF" --client "$standin" -n 3 -s 10 -v >out 2>err
    has env '^AWS_SECRET_ACCESS_KEY=sesame-open-wide$'
    hasnt env '^RCLONE_CONFIG' '^S3_HOSTNAME' '^S3CMD_X'
    has seen 's3lap run' 'standin put'
    for file in seen out err files; do
        hasnt "$file" sesame ALIBABA
    done
    has files 's3perf\.'
    hasnt files '^.rw....r.. .* (env|keys)$' '^.rw.r..... .* (env|keys)$' \
        '^drwx.*[rwx-]{3}r.x .* s3perf\.'
    nothing_left
    stop_s3mem
}

no_keys() {
    make_standin
    start_s3mem
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    expect_exit 3 "$S3PERF" --client "$standin" -n 1 -s 1 >out 2>err
    [[ ! -s standin-calls ]]
    stop_s3mem
}

from_a_profile() {
    make_standin
    start_s3mem
    mkdir -p "$HOME/.aws"
    printf '[profile p]\nendpoint_url = %s\nregion = us-east-1\n' \
        "$AWS_ENDPOINT_URL" >"$HOME/.aws/config"
    printf '[p]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
        "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" >"$HOME/.aws/credentials"
    unset AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION
    "$S3PERF" --client "$standin" -n 2 -s 10 --profile p >out 2>err
    has out '^2 of 2 downloads verified'
    rm -r "$HOME/.aws"
    stop_s3mem
}

test_expect 'an existing bucket is only borrowed' \
    a_foreign_bucket_is_only_borrowed
test_expect 'the claim comes before the first process' the_claim_comes_first
test_expect 'a signal in any phase leaves nothing' a_signal_in_any_phase
test_expect 'what is at work has a moment to finish' what_is_at_work_may_finish
test_expect 'one signal ends the whole list' several_end_with_one_signal
test_expect 'killed, then cleaned up' killed_then_cleaned
test_expect 'a second signal ends at once' a_second_signal_ends_at_once
test_expect 'a bucket that the client did not make' a_bucket_that_was_not_made
test_expect 'a client that cannot erase buckets' a_client_that_cannot_erase
test_expect 'keys are seen by the client alone' keys_are_private
test_expect 'without keys: status 3' no_keys
test_expect 'keys from a profile' from_a_profile
done_testing
