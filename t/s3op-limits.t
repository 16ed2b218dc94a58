#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A run that the machine cannot carry is refused before it starts.
. "${srcdir:-.}/t/test-lib.sh"

export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
# Nobody listens there, and nobody is asked.
readonly endpoint=http://127.0.0.1:9

refused() { # TEXT ARG...
    expect_exit 2 "$S3OP" "${@:2}" --endpoint "$endpoint" 2>err || {
        note "$(head -n 3 err)"
        return 1
    }
    grep -qE -- "$1" err && is "$(wc -l <err)" 1 'lines'
}

more_lanes_than_ports() {
    local first last

    if ! read -r first last </proc/sys/net/ipv4/ip_local_port_range ||
        ((last - first > 60000)); then
        note 'the range has nearly all ports: not tested'
        return 0
    fi
    ulimit -n 200000 2>/dev/null || {
        note 'open files cannot be raised: not tested'
        return 0
    }
    refused 'need as many local ports.*lower -c' \
        get -n 65000 -c 65000 s3://bucket/k
}

too_little_address_space() {
    (
        ulimit -v 600000
        refused 'needs about [0-9.]+ [MG]iB of memory.*ulimit -v.*: lower -c' \
            get -n 8000 -c 8000 --threads 1 s3://bucket/k
    )
}

too_much_is_kept() {
    (
        ulimit -v 300000
        refused 'needs about .*: lower -n' \
            get -n 250 -s 1Mi --threads 1 --verify s3://bucket/k
    )
}

open_files_are_refused() {
    [[ $(id -u) != 0 ]] || {
        note 'root may raise the limit: not tested'
        return 0
    }
    (
        ulimit -n 100
        refused 'need [0-9]+ open files' get -n 500 -c 500 s3://bucket/k
    )
}

ports_may_run_out() {
    "$S3OP" get -n 100 -c 10 --connection new --endpoint "$endpoint" \
        s3://bucket/k >out 2>err || :
    ! grep -q 'run out of local ports' err || return
    "$S3OP" get -r 100000 -d 2s -n 2000000 -c 1 --connect-timeout 1ms \
        --connection new --endpoint "$endpoint" s3://bucket/k >out 2>err || :
    grep -q 'may run out of local ports: up to [0-9]* at a time' err
    "$S3OP" get -r 100000 -d 100ms -c 1 --connect-timeout 1ms \
        --endpoint "$endpoint" s3://bucket/k >out 2>err || :
    ! grep -q 'run out of local ports' err
}

if [[ -r /proc/sys/net/ipv4/ip_local_port_range ]]; then
    test_expect 'more lanes than ports are refused' more_lanes_than_ports
    test_expect 'new connections that may run out of ports are announced' \
        ports_may_run_out
fi
# Sanitizers take all the address space there is.
if ! grep -qE '^CFLAGS.*sanitize|^SANITIZER_FLAGS = .*sanitize' \
    "$top_builddir/Makefile"; then
    test_expect 'too little memory for the lanes is refused' \
        too_little_address_space
    test_expect 'too much that would be kept is refused' too_much_is_kept
fi
test_expect 'open files that cannot be had are refused' open_files_are_refused
done_testing
