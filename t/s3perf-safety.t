#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3perf deletes what it created and nothing else, whatever happens.
. "${srcdir:-.}/t/test-lib.sh"
state=$HOME/.local/state/s3perf

put() { # TARGET...
    local target

    for target in "$@"; do "$S3OP" put --size 3 "$target" >/dev/null; done
}

keys() { # [BUCKET]: the names in it, or those of all buckets
    "$top_builddir/s3op" ls -o keys.tsv "s3://${1:-}" >/dev/null || return
    cut -f 3 keys.tsv
}

nothing_left() { # [BUCKET]: no other bucket, and no claim
    is "$(keys)" "${1:-}" buckets || return
    [[ ! -d $state || -z $(find "$state" -name created.tsv) ]]
}

# An s3op that notes the phase it begins, and runs CODE first: "$phase" is
# the phase or the verb, "$real" the program.
hook_s3op() { # CODE
    cat >s3op-hooked <<END
#!/usr/bin/env bash
real='$top_builddir/s3op' here='$PWD' phase=\$1 verb=\$1 previous=
for arg in "\$@"; do
    [[ \$previous != --phase ]] || phase=\$arg
    previous=\$arg
done
printf '%s\n' "\$phase" >>"\$here/phases"
$1
exec "\$real" "\$@"
END
    chmod +x s3op-hooked
    : >phases
    export S3OP=$PWD/s3op-hooked
}

unhook() { export S3OP=$top_builddir/s3op; }

# Start s3perf in the background, in a group of its own and with the signals
# that a terminal's child has. Ctrl-C is a SIGINT to all of its group.
start_run() { # ARG...
    env --default-signal=INT setsid "$S3PERF" "$@" >out 2>err &
    run_pid=$!
}

run_ends() { # STATUS
    local status=0

    wait "$run_pid" || status=$?
    is "$status" "$1" "the run's status"
}

in_phase() { grep -qxF -- "$1" phases; }

a_foreign_bucket_is_only_borrowed() {
    start_s3mem
    "$S3OP" mb s3://theirs >/dev/null
    put s3://theirs/s3perf-testfile s3://theirs/s3perf-testfile{1,2,3} \
        s3://theirs/testfile1 s3://theirs/s3perf-x/testfile1
    keys theirs >before
    "$S3PERF" -n 3 -s 10 -b theirs -p >out 2>err
    has out '^3 of 3 downloads' '^bucket theirs, existed, kept, prefix s3perf-'
    hasnt out '^(create|erase) bucket'
    "$S3PERF" -n 3 -s 10 -b theirs --erase batch >out 2>err
    keys theirs >after
    diff before after
    "$S3OP" get --verify --size 3 s3://theirs/s3perf-testfile2 >/dev/null
    nothing_left theirs
    stop_s3mem
}

an_absent_bucket_is_ours() {
    start_s3mem
    "$S3PERF" -n 2 -s 10 -b fresh >out 2>err
    has out '^create bucket' '^erase bucket' '^bucket fresh, created and rem'
    nothing_left
    stop_s3mem
}

the_claim_comes_first() {
    start_s3mem
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != create-bucket ]] ||
        cp "$HOME"/.local/state/s3perf/*/created.tsv "$here/claim"'
    # It is on disk by then.
    mkdir -p bin
    printf '#!/bin/sh\nprintf "sync %%s\\n" "$2" >>"%s"\nexec %s "$@"\n' \
        "$PWD/phases" "$(command -v sync)" >bin/sync
    chmod +x bin/sync
    PATH=$PWD/bin:$PATH "$S3PERF" -n 4 -s 10 >out 2>err
    is "$(head -n 3 phases | sed "s|$state/.*/|STATE/|")" \
        $'head\nsync STATE/created.tsv\ncreate-bucket'
    is "$(head -n 1 claim)" '# s3perf-created 1'
    has claim "^# endpoint: $AWS_ENDPOINT_URL\$" '^# region: us-east-1$' \
        '^# addressing: path$' '^# command: s3perf -n 4 -s 10$' \
        $'^bucket\ts3perf-[-0-9a-f]+\tcreated$' \
        $'^prefix\ts3perf-testfile$' $'^range\ts3perf-testfile\t1\t4$'
    hasnt claim "$AWS_SECRET_ACCESS_KEY" "$AWS_ACCESS_KEY_ID"
    stop_s3mem
}

no_claim_no_request() {
    start_s3mem
    hook_s3op ''
    : >not-a-folder
    XDG_STATE_HOME=$PWD/not-a-folder \
        expect_exit 4 "$S3PERF" -n 1 -s 1 >out 2>err
    is "$(<phases)" head
    unhook
    nothing_left
    stop_s3mem
}

wrong_keys_are_status_3() {
    start_s3mem
    AWS_SECRET_ACCESS_KEY=wrong expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    has err '^s3perf: bucket s3perf-.*: HEAD answered 403'
    [[ ! -s out ]]
    nothing_left
    stop_s3mem
}

stopped_in() { # PHASE SIGNAL STATUS
    : >phases
    start_run -n 4 -s 10
    wait_for 20 in_phase "$1"
    kill -s "$2" -- "-$run_pid"
    run_ends "$3"
    has out "^INTERRUPTED by SIG$2 in ${1/-/ }\$"
    has <(tail -n 1 out) '^bucket s3perf-.*, (created and |.*if it was cr)'
    hasnt out '0\.000 ns' '^region ,'
    nothing_left
}

a_signal_in_any_phase() {
    local phase

    start_s3mem --delay-first 60ms
    hook_s3op ''
    for phase in create-bucket upload list download erase-objects; do
        stopped_in "$phase" INT 130
    done
    stopped_in upload TERM 143
    stopped_in download HUP 129
    has out '^upload '
    hasnt out '^erase '
    # The last phase may finish before it can be stopped.
    : >phases
    start_run -n 1 -s 10
    wait_for 20 in_phase erase-bucket
    kill -s INT -- "-$run_pid"
    run_ends 130
    nothing_left
    stop_s3mem
}

ctrl_c_on_the_built_in_endpoint() {
    hook_s3op '[[ $phase != upload ]] || sleep 0.2'
    start_run -n 3 -s 10 --json
    wait_for 20 in_phase upload
    kill -s INT -- "-$run_pid"
    run_ends 130
    jq -e '.outcome == "interrupted" and .reason == "SIGINT" and
        .left == null' out
}

the_built_in_endpoint_never_stays() {
    local url

    # shellcheck disable=SC2016 # for the hook
    hook_s3op 'printf "%s\n" "$@" >>"$here/args"
        [[ $phase != upload ]] || sleep 5'
    start_run -n 3 -s 10
    wait_for 20 in_phase upload
    url=$(grep -m 1 '^http://127' args)
    (exec 3<>"/dev/tcp/127.0.0.1/${url##*:}")
    kill -KILL "$run_pid"
    run_ends 137
    wait_for 5 refused "${url##*:}"
}

refused() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1"); } 2>/dev/null

run_of_claim() { # print the only run that left a claim
    local path

    path=$(find "$state" -name created.tsv)
    path=${path%/created.tsv}
    printf '%s\n' "${path##*/}"
}

a_second_signal_ends_at_once() {
    start_s3mem --delay-first 300ms
    hook_s3op ''
    start_run -n 50 -s 10
    wait_for 20 in_phase upload
    kill -s INT -- "-$run_pid"
    wait_for 20 grep -q 'a second signal ends at once' err
    kill -s INT -- "-$run_pid"
    run_ends 130
    has err "^s3perf: what was created is listed in $state/.*/created.tsv"
    unhook
    "$S3PERF" cleanup "$(run_of_claim)" 2>err
    nothing_left
    stop_s3mem
}

killed_then_cleaned() {
    local run bucket

    start_s3mem --delay-first 50ms
    hook_s3op ''
    start_run -n 400 -s 10
    wait_for 20 in_phase upload
    expect_exit 2 "$S3PERF" cleanup "$(run_of_claim)" 2>err2
    has err2 'its run is still going'
    kill -KILL "$run_pid"
    run_ends 137
    unhook
    run=$(run_of_claim)
    bucket=s3perf-$run
    is "$(keys)" "$bucket"
    # Its s3op ended with it and let go of the lock; what others put into
    # our bucket is theirs.
    put "s3://$bucket/s3perf-testfile-not" "s3://$bucket/s3perf-testfile401"
    wait_for 5 flock -n "$state/$run/created.tsv" true
    expect_exit 1 "$S3PERF" cleanup "$run" 2>err
    has err "^  bucket s3://$bucket\$" "listed in $state/$run/created.tsv" \
        "s3perf cleanup $run\$"
    is "$(keys "$bucket")" $'s3perf-testfile-not\ns3perf-testfile401'
    "$S3OP" rm "s3://$bucket/s3perf-testfile-not" \
        "s3://$bucket/s3perf-testfile401" >/dev/null
    "$S3PERF" cleanup "$state/$run/created.tsv" 2>err
    nothing_left
    expect_exit 2 "$S3PERF" cleanup "$run" 2>err
    has err "no run and no file '$run'"
    stop_s3mem
}

killed_in_a_foreign_bucket() {
    start_s3mem --delay-first 50ms
    "$S3OP" mb s3://theirs >/dev/null
    put s3://theirs/s3perf-testfile1
    hook_s3op ''
    start_run -n 40 -s 10 -b theirs
    wait_for 20 in_phase upload
    kill -KILL "$run_pid"
    run_ends 137
    unhook
    wait_for 10 flock -n "$state/$(run_of_claim)/created.tsv" true
    "$S3PERF" cleanup -q "$(run_of_claim)" 2>err
    [[ ! -s err ]]
    is "$(keys theirs)" s3perf-testfile1
    nothing_left theirs
    stop_s3mem
}

a_range_in_the_middle() {
    start_s3mem
    "$S3OP" mb s3://theirs >/dev/null
    put s3://theirs/p/{1,2,3,4,5,03,6x}
    printf '%s\n' '# s3perf-created 1' "# endpoint: $AWS_ENDPOINT_URL" \
        $'bucket\ttheirs\texisting' $'prefix\tp/' $'range\tp/\t3\t4' >claim
    "$S3PERF" cleanup claim 2>err
    is "$(keys theirs)" $'p/03\np/1\np/2\np/5\np/6x'
    stop_s3mem
}

bad_claims_are_refused() {
    local line head='# s3perf-created 1'

    hook_s3op ''
    for line in $'prefix\tp' $'bucket\t\tcreated' $'bucket\ta/b\tcreated' \
        $'bucket\tb\tmine' $'range\tp\t1\t2' frob ''; do
        printf '%s\n' "$head" "$line" >claim
        expect_exit 2 "$S3PERF" cleanup claim 2>err
        has err 'claim:2: bad line '
    done
    for line in $'range\tq\t1\t2' $'range\tp\t0\t2' $'range\tp\t1\t' \
        $'range\t\t1\t2' $'range\tp\t1\t2x'; do
        printf '%s\n' "$head" $'bucket\tb\tcreated' $'prefix\tp' "$line" >claim
        expect_exit 2 "$S3PERF" cleanup claim 2>err
        has err 'claim:4: bad line '
    done
    printf '%s\n' "$head" $'bucket\tb\tcreated' $'prefix\t' >claim
    expect_exit 2 "$S3PERF" cleanup claim 2>err
    echo '# s3perf-created 2' >claim
    expect_exit 2 "$S3PERF" cleanup claim 2>err
    has err "not a 's3perf-created 1' file"
    expect_exit 2 "$S3PERF" cleanup 2>err
    [[ ! -s phases ]]
}

failed_phases_are_cleaned_up() {
    local phase

    start_s3mem
    for phase in upload list download erase-objects erase-bucket; do
        # shellcheck disable=SC2016 # for the hook
        hook_s3op "if [[ \$phase == $phase ]]; then
            set -- \"\${@/#s3:\/\/s3perf-2/s3://absent}\"; fi"
        expect_exit 1 "$S3PERF" -n 3 -s 10 -p >out 2>err
        has out "^FAILED in ${phase/-/ }: .* operations failed, 404 NoSuchB"
        has err 'NoSuchBucket'
        has out '^create bucket'
        has <(tail -n 1 out) '^bucket s3perf-.*, created and removed$'
        unhook
        nothing_left
    done
    stop_s3mem
}

changed_content_is_noticed() {
    start_s3mem
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != list ]] || "$real" put --size 10 --seed 7 \
        "${@: -1}/s3perf-testfile2" >/dev/null'
    expect_exit 1 "$S3PERF" -n 3 -s 10 >out 2>err
    has out '^FAILED in download: ' \
        '^2 of 3 downloads verified \(length and content\)$'
    unhook
    nothing_left
    stop_s3mem
}

missing_listing_is_noticed() {
    start_s3mem
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $phase != list ]] || "$real" rm \
        "${@: -1}/s3perf-testfile3" >/dev/null'
    expect_exit 1 "$S3PERF" -n 3 -s 10 >out 2>err
    has out '^FAILED in list: 2 of 3 objects were listed$'
    unhook
    nothing_left
    stop_s3mem
}

leftovers_are_named() {
    start_s3mem
    # shellcheck disable=SC2016 # for the hook
    hook_s3op '[[ $verb != rm ]] || exit 1'
    expect_exit 1 "$S3PERF" -n 3 -s 10 >out 2>err
    has err 'the clean-up is not complete' \
        '^  objects s3://s3perf-.*/s3perf-testfile1 to 3$' \
        '^  bucket s3://s3perf-' "listed in $state/.*/created.tsv\$"
    unhook
    "$S3PERF" cleanup "$(run_of_claim)" 2>err
    nothing_left
    stop_s3mem
}

a_service_that_vanishes() {
    start_s3mem
    # shellcheck disable=SC2016 # for the hook
    hook_s3op "[[ \$phase != download ]] || kill $s3mem_pid"
    expect_exit 1 "$S3PERF" -n 3 -s 10 >out 2>err
    has out '^FAILED in download: ' '^upload '
    has err "listed in $state/.*/created.tsv\$"
    has <(tail -n 1 out) '^bucket s3perf-.*, created, NOT REMOVED$'
    rm -r "$state"
}

# Before any answer there is nothing to say about region and style.
stopped_at_the_first_request() {
    start_s3mem --delay-first 5s
    hook_s3op ''
    start_run -n 4 -s 10
    wait_for 20 in_phase head
    kill -s INT -- "-$run_pid"
    run_ends 130
    hasnt out '^region'
    has <(tail -n 1 out) '^bucket s3perf-.*, not created$'
    stop_s3mem
}

# The bucket went with an upload that the claim lists.
a_claim_about_nothing() {
    start_s3mem
    printf '%s\n' '# s3perf-created 1' "# endpoint: $AWS_ENDPOINT_URL" \
        $'bucket\tgone\tcreated' $'prefix\tp' $'range\tp\t1\t4' \
        $'upload\tp1\tsome-id' >claim
    "$S3PERF" cleanup claim 2>err
    has err 'nothing is left$'
    [[ ! -e claim ]]
    "$S3OP" mb s3://theirs >/dev/null
    printf '%s\n' '# s3perf-created 1' "# endpoint: $AWS_ENDPOINT_URL" \
        $'bucket\ttheirs\texisting' $'prefix\tp' \
        $'upload\tp1\tsome-id' >claim
    "$S3PERF" cleanup claim 2>err
    [[ ! -e claim ]]
    stop_s3mem
}

# One line that names the file, and none of the shell's own.
disks_without_room() {
    start_s3mem
    mkdir -p bin
    printf '#!/bin/sh\necho "sync: no space" >&2\nexit 1\n' >bin/sync
    chmod +x bin/sync
    PATH=$PWD/bin:$PATH expect_exit 4 "$S3PERF" -n 1 -s 1 >out 2>err
    is "$(wc -l <err)" 1
    has err "^s3perf: cannot write $state/.*/created.tsv\$"
    rm -r bin "$state"
    TMPDIR=$PWD/absent expect_exit 4 "$S3PERF" -n 1 -s 1 2>err
    is "$(<err)" "s3perf: cannot create a temporary folder in $PWD/absent"
    expect_exit 4 "$S3PERF" -V >/dev/full 2>err
    is "$(wc -l <err)" 1
    stop_s3mem
}

test_expect 'an existing bucket is only borrowed' \
    a_foreign_bucket_is_only_borrowed
test_expect 'an absent bucket is created and removed' an_absent_bucket_is_ours
test_expect 'the claim comes before the first request' the_claim_comes_first
test_expect 'without a claim nothing is created' no_claim_no_request
test_expect 'wrong keys: status 3' wrong_keys_are_status_3
test_expect 'a signal in any phase leaves nothing' a_signal_in_any_phase
test_expect 'Ctrl-C on the built-in endpoint' ctrl_c_on_the_built_in_endpoint
test_expect 'the built-in endpoint ends with a killed run' \
    the_built_in_endpoint_never_stays
test_expect 'a second signal ends at once' a_second_signal_ends_at_once
test_expect 'killed, then cleaned up' killed_then_cleaned
test_expect 'killed in a foreign bucket' killed_in_a_foreign_bucket
test_expect 'only claimed ranges are deleted' a_range_in_the_middle
test_expect 'bad claims are refused' bad_claims_are_refused
test_expect 'a failed phase is cleaned up' failed_phases_are_cleaned_up
test_expect 'changed content is noticed' changed_content_is_noticed
test_expect 'a short listing is noticed' missing_listing_is_noticed
test_expect 'leftovers are named' leftovers_are_named
test_expect 'a service that vanishes' a_service_that_vanishes
test_expect 'stopped at the first request' stopped_at_the_first_request
test_expect 'what is gone needs no clean-up' a_claim_about_nothing
test_expect 'disks without room: one line, status 4' disks_without_room
done_testing
