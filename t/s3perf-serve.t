#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3perf serve: the built-in endpoint in the foreground, and what to paste.
. "${srcdir:-.}/t/test-lib.sh"

# Sets server; its lines go to the file exports.
start_serve() { # ARG...
    : >exports  # of an earlier case
    env --default-signal=INT "$S3PERF" serve "$@" >exports 2>err </dev/null &
    server=$!
    test_servers+=("$server")
    wait_for 20 grep -q '^export AWS_REGION=' exports
}

end_serve() { # SIGNAL
    local status=0

    kill -s "$1" "$server"
    wait "$server" || status=$?
    is "$status" 0 "status after SIG$1"
}

what_it_prints_works() {
    start_serve --threads 1
    [[ ! -s err ]]
    is "$(sed 's/=.*//' exports)" 'export AWS_ENDPOINT_URL
export AWS_ACCESS_KEY_ID
export AWS_SECRET_ACCESS_KEY
export AWS_REGION'
    # shellcheck source=/dev/null
    . ./exports
    "$S3OP" mb s3://mine >/dev/null
    "$S3PERF" -n 2 -s 10 >out 2>err
    has out "^$AWS_ENDPOINT_URL\$"
    [[ ! -s err ]]
    end_serve INT
}

keys_of_the_environment() {
    export AWS_ACCESS_KEY_ID=MYKEY AWS_SECRET_ACCESS_KEY=do-not-print-me
    start_serve
    hasnt exports do-not-print-me ACCESS_KEY
    has exports '^# keys: those of your environment$'
    # shellcheck source=/dev/null
    . ./exports
    "$S3OP" mb s3://mine >/dev/null
    end_serve TERM
}

over_tls() {
    start_serve --tls --cacert-out 'my ca.pem'
    has exports '^export AWS_ENDPOINT_URL=https://127.0.0.1:[0-9]+$'
    # shellcheck source=/dev/null
    . ./exports
    is "$AWS_CA_BUNDLE" "$PWD/my ca.pem"
    "$S3OP" mb s3://mine >/dev/null
    end_serve TERM
}

a_port_in_use() {
    local port

    start_s3mem
    port=${AWS_ENDPOINT_URL##*:}
    expect_exit 3 "$S3PERF" serve --port "$port" >out 2>err </dev/null
    [[ ! -s out ]]
    has err "$port"
    is "$(wc -l <err)" 1
    stop_s3mem
}

bad_usage() {
    expect_exit 2 "$S3PERF" serve --frob >out 2>err </dev/null
    [[ ! -s out ]]
    has err frob
}

help_and_version() {
    "$S3PERF" serve --help >out 2>err
    has out '^Usage: s3perf serve '
    "$S3PERF" serve -V >out 2>>err
    has out '^s3perf serve '
    "$S3PERF" cleanup --help >out 2>>err
    has out '^Usage: s3perf cleanup '
    [[ ! -s err ]]
}

test_expect 'what it prints works in another shell' what_it_prints_works
test_expect 'keys of the environment are not printed' keys_of_the_environment
test_expect 'over TLS, with its certificate' over_tls
test_expect 'a port in use: status 3' a_port_in_use
test_expect 'bad usage: status 2' bad_usage
test_expect 'help and version' help_and_version
done_testing
