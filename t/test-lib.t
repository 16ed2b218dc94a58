#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The test library itself: a failure must never look like a success.
. "${srcdir:-.}/t/test-lib.sh"

run_test() { # TEXT: a test of its own, in run.out; prints its status
    printf '%s\n' ". '$srcdir/t/test-lib.sh'" "$1" >run.t
    bash run.t >run.out 2>&1 || echo $?
}

success_is_success() {
    is "$(run_test 'good() { true; }
        test_expect "fine" good
        done_testing')" ''
    is "$(cat run.out)" $'ok 1 - fine\n1..1'
}

a_failure_anywhere_counts() {
    is "$(run_test 'bad() { echo before; false; echo after; }
        good() { true; }
        test_expect one bad
        test_expect two good
        done_testing')" 1
    is "$(cat run.out)" $'not ok 1 - one\n# before\n# status 1\nok 2 - two\n1..2'
}

a_failure_in_a_helper_counts() {
    is "$(run_test 'helper() { false; true; }
        bad() { helper; true; }
        test_expect one bad
        done_testing')" 1
    has run.out '^not ok 1 - one'
}

a_condition_is_refused() {
    is "$(run_test 'good() { true; }
        test_expect one good || true
        done_testing')" 99
    has run.out '^Bail out!.*plain command'
    hasnt run.out '^1\.\.'
}

an_early_end_has_no_plan() {
    run_test 'good() { true; }
        test_expect one good
        exit 0' >status
    hasnt run.out '^1\.\.'
}

an_unset_variable_ends_the_test() {
    is "$(run_test 'echo "$nothing"; done_testing')" 1
    hasnt run.out '^1\.\.'
}

statuses_are_compared() {
    expect_exit 3 bash -c 'exit 3'
    expect_exit 0 true
    expect_exit 1 expect_exit 3 bash -c 'exit 4'
    expect_exit 1 expect_exit 3 true
    fails false
    expect_exit 1 fails true
}

matchers_match() {
    printf 'one\ntwo\n' >file
    has file '^one$' tw
    hasnt file three
    expect_exit 1 has file one three
    expect_exit 1 hasnt file three two
    expect_exit 1 is a b
    is a a
}

messages_survive_redirection() {
    is "$(run_test 'bad() { expect_exit 2 true 2>err; }
        test_expect one bad
        done_testing')" 1
    has run.out '^# status 0, not 2: true'
}

waiting_ends() {
    wait_for 5 true
    expect_exit 1 wait_for 0 false
    start=$SECONDS
    expect_exit 1 wait_for 1 false
    ((SECONDS - start < 30))
}

the_caller_stays_outside() {
    is "$(AWS_PROFILE=x S3PERF_Y=1 http_proxy=http://p run_test \
        'env >env.out; cp env.out "$OLDPWD"; pwd >"$OLDPWD/pwd.out"
        done_testing')" ''
    hasnt env.out ^AWS_ ^http_proxy ^S3PERF_Y
    has env.out ^S3PERF_SHARED= ^LC_ALL=C$ ^HOME=/
    expect_exit 1 test -e "$(cat pwd.out)"
}

skipping_needs_a_reason_and_no_cases() {
    is "$(run_test 'skip_all "not here"')" ''
    is "$(cat run.out)" '1..0 # SKIP not here'
    is "$(run_test 'good() { true; }
        test_expect one good
        skip_all late')" 99
}

ci_wants_the_server() { # an empty PATH has no radosgw
    mkdir -p bin
    for program in bash cat grep sed mktemp mkdir rm env; do
        ln -sf "$(command -v "$program")" bin/
    done
    is "$(PATH=$PWD/bin CI=true run_test 'start_radosgw; done_testing')" 99
    hasnt run.out '^1\.\.'
    is "$(PATH=$PWD/bin CI='' run_test 'start_radosgw; done_testing')" ''
    has run.out '^1\.\.0 # SKIP'
}

s3mem_serves_and_ends_with_the_test() {
    is "$(run_test 'start_s3mem
        echo "$AWS_ENDPOINT_URL $AWS_ACCESS_KEY_ID $AWS_REGION $s3mem_pid" \
            >"$OLDPWD/started"
        [[ -n $AWS_SECRET_ACCESS_KEY ]]
        kill -KILL $$')" 137
    read -r url key region pid <started
    [[ $url == http://127.0.0.1:* && -n $key && $region == us-east-1 ]]
    wait_for 10 process_ended "$pid"
}

s3mem_can_be_stopped() {
    start_s3mem
    stop_s3mem
    expect_exit 1 grep -q ERROR "$s3mem_dir/err"
}

test_expect 'a success' success_is_success
test_expect 'a failing command within a case' a_failure_anywhere_counts
test_expect 'a failing command within a helper' a_failure_in_a_helper_counts
test_expect 'a case in a condition is refused' a_condition_is_refused
test_expect 'a test that ends early' an_early_end_has_no_plan
test_expect 'a variable that is not set' an_unset_variable_ends_the_test
test_expect 'expect_exit' statuses_are_compared
test_expect 'is, has, hasnt' matchers_match
test_expect 'why it failed is shown' messages_survive_redirection
test_expect 'wait_for' waiting_ends
test_expect 'a clean environment and folder' the_caller_stays_outside
test_expect 'skip_all' skipping_needs_a_reason_and_no_cases
test_expect 'CI=true and no radosgw' ci_wants_the_server
test_expect 's3mem ends with a killed test' \
    s3mem_serves_and_ends_with_the_test
test_expect 'stop_s3mem' s3mem_can_be_stopped
done_testing
