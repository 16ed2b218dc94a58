#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Secret key and session token are seen nowhere: not in what s3op prints or
# writes, not in the process list, not in a core dump.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

readonly secret='wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
readonly token='FwoGZXIvYXdzEJr//////////wEa,DPart&of+Token=/ZZtail=='
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=$secret
export AWS_SESSION_TOKEN=$token

# Forms in which they might leak, and parts of them.
write_forms() {
    local text

    for text in "$secret" "$token"; do
        printf '%s\n' "$text" "${text:8:16}" "${text: -12}"
        printf '%s' "$text" | base64 -w 0
        echo
        text=${text//+/%2B}
        text=${text//,/%2C}
        text=${text//&/%26}
        text=${text//=/%3D}
        printf '%s\n' "${text//\//%2F}"
        text=${text//%2B/%2b}
        text=${text//%3D/%3d}
        printf '%s\n' "${text//\//%2f}"
    done >forms
}

shows_no_secret() { # FILE...
    local file

    write_forms
    for file in "$@"; do
        test -s "$file"
        if grep -aFif forms "$file" >found; then
            note "in $file:" "$(<found)"
            return 1
        fi
    done
}

forms_are_found() {
    write_forms
    printf '> x-amz-security-token: %s\n' "$token" >leak
    fails shows_no_secret leak
    printf 'secret=%s\n' "$secret" >leak
    fails shows_no_secret leak
    echo 'nothing here' >leak
    shows_no_secret leak
}

operations_show_none() { # ARG...
    start_canned
    canned_answer '' '403 Forbidden' \
        '<Error><Code>SignatureDoesNotMatch</Code><Message>Check</Message></Error>'
    export AWS_ENDPOINT_URL=$canned_url
    "$S3OP" "$@" >out 2>err || :
    shows_no_secret out err
    "$S3OP" --json "$@" >out 2>err || :
    shows_no_secret out err
    "$S3OP" -v --columns "$@" >out 2>err || :
    has err '^> x-amz-security-token: \*+$' 'Signature=\*+$'
    shows_no_secret out err
    "$S3OP" -v -n 3 --log log --cell cell "$@" >out 2>err || :
    shows_no_secret out err log cell
    "$S3OP" -n 3 --json --log log --cell cell "$@" >out 2>err || :
    shows_no_secret out log cell err
    # The server was given the token, of course, and never the secret.
    has "$canned_dir/request.1" '^x-amz-security-token: FwoG'
    fails grep -qF "$secret" "$canned_dir/request.1"
}

sign_shows_none() {
    "$S3OP" sign --endpoint http://h s3://b/k >out 2>err
    has out '^x-amz-security-token:\*+$'
    shows_no_secret out
    "$S3OP" sign --json --endpoint http://h s3://b/k >out 2>err
    shows_no_secret out
}

success_shows_none() {
    start_canned
    canned_answer '' '200 OK' ''
    "$S3OP" put -v -n 3 --size 10 --endpoint "$canned_url" --log log \
        --cell cell s3://b/k >out 2>err
    shows_no_secret out err log cell
}

# A token that does not fit into one piece of anything.
long_token_is_masked() { # ARG...
    local part

    start_s3mem "$@"
    printf -v part '%09000d' 0
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=$secret
    export AWS_SESSION_TOKEN=begin/${part//0/Ab3+}/end
    "$S3OP" head -v s3://b/k >out 2>err || :
    "$S3OP" put -v --size 100 s3://b/k >>out 2>>err || :
    "$S3OP" put -v --size 3Mi s3://b/k >>out 2>>err || :
    has err '^> x-amz-security-token: \*+$'
    hasnt err 'Ab3'
    hasnt out 'Ab3'
    shows_no_secret out err
}

errors_show_none() {
    local args

    for args in '--endpoint http://127.0.0.1:1' '--endpoint http://h/x' \
        '--profile nobody' '--header x-amz-security-token:1' \
        '--region no/where'; do
        # shellcheck disable=SC2086 # two words
        "$S3OP" get $args s3://b/k >out 2>err || :
        shows_no_secret err
    done
    # Half a pair, or what cannot be one.
    AWS_ACCESS_KEY_ID='' "$S3OP" get s3://b/k >out 2>err || :
    shows_no_secret err
    AWS_SECRET_ACCESS_KEY=$secret$'\n' "$S3OP" get s3://b/k >out 2>err || :
    shows_no_secret err
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
    export AWS_SHARED_CREDENTIALS_FILE=$PWD/credentials
    printf '[default]\naws_access_key_id\n  %s\n aws_secret_access_key %s\n' \
        "$token" "$secret" >credentials
    expect_exit 3 "$S3OP" get s3://b/k >out 2>err
    shows_no_secret err
    has err 'credentials'
}

# The first field after NAME in /proc/PID/status.
status_of() { # PID NAME
    awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}

# How to run s3op as somebody whose own /proc files tell whether a process
# can be dumped, which root's do not: in $as, empty when there is no way.
find_other_user() {
    as=()
    [[ $(id -u) == 0 ]] || return 0
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${as[@]}" "$S3OP" --version >version 2>&1 || as=()
}

process_shows_none() {
    local pid as

    [[ -r /proc/self/cmdline ]] || return 0
    start_canned # does not answer
    find_other_user
    HOME=/nonexistent "${as[@]}" "$S3OP" get --endpoint "$canned_url" s3://b/k \
        >out 2>err &
    pid=$!
    wait_for 10 test -e "$canned_dir/request.1"
    tr '\0' '\n' <"/proc/$pid/cmdline" >cmdline
    has cmdline '^get$'
    shows_no_secret cmdline
    # PR_SET_DUMPABLE 0: no core, and its memory is root's alone.
    is "$(stat -c %u "/proc/$pid/mem")" 0 "owner of the process's memory"
    kill -KILL "$pid"
    expect_exit 137 wait "$pid"
}

test_expect 'this test would find them' forms_are_found
test_expect 'get shows none' operations_show_none get s3://b/k
test_expect 'put shows none' operations_show_none put --size 10 s3://b/k
test_expect 'ls shows none' operations_show_none ls s3://b
test_expect 'mb shows none' operations_show_none mb s3://b
test_expect 'rm shows none' operations_show_none rm s3://b/k
test_expect 'success shows none' success_shows_none
test_expect 'sign shows none' sign_shows_none
test_expect 'a long token is masked' long_token_is_masked
test_expect 'a long token is masked with TLS' long_token_is_masked --tls
test_expect 'errors show none' errors_show_none
test_expect 'the process list shows none' process_shows_none
done_testing
