# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# TAP for shell tests. Source it first:
#
#     . "${srcdir:-.}/t/test-lib.sh"
#     names_the_value() {
#         expect_exit 2 "$S3OP" get --size=4x s3://b/k 2>err
#         grep -q "bad size '4x'" err
#     }
#     test_expect 'a bad size names the value' names_the_value
#     done_testing
#
# The working directory is then a fresh one of the test's own, removed at
# exit. Given: $S3OP $S3MEM $S3STAT $S3LAP $S3PERF (programs of this build),
# $srcdir and $top_builddir (absolute), $test_id (unique, fit for a bucket name).
# Never pipe the program under test: write to a file, then look.

set -euo pipefail

die() { # MESSAGE...: the test itself is broken
    printf 'Bail out! %s\n' "$*"
    exit 99
}

# Where source and build are, before the environment is cleaned.
srcdir=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
top_builddir=${top_builddir:-${S3PERF_BUILD:-}}
if [[ -z $top_builddir ]]; then
    top_builddir=$srcdir
    [[ ! -e ./config.status ]] || top_builddir=.
fi
top_builddir=$(cd "$top_builddir" && pwd)
[[ -n ${S3PERF_SHARED:-} ]] || S3PERF_SHARED=$srcdir/../shared

clean_environment() { # nothing of the caller's accounts and habits gets in
    local name

    for name in $(compgen -e); do
        case $name in
            S3PERF_SHARED) ;;
            AWS_* | S3PERF_* | S3CMD_* | XDG_* | *_proxy | *_PROXY) unset "$name" ;;
            SSL_CERT_* | CURL_* | POSIXLY_CORRECT | GREP_*) unset "$name" ;;
        esac
    done
    export LC_ALL=C TZ=UTC0
}
clean_environment

test_name=${0##*/}
test_name=${test_name%.t}
test_id=${test_name//[^a-z0-9-]/-}-$$
test_tmp=$(mktemp -d "${TMPDIR:-/tmp}/s3perf-$test_id.XXXXXX")
test_count=0 test_failed=0
test_servers=() # pids of s3mem
exec 9>&2       # for note(), wherever stderr goes

test_cleanup() {
    local pid

    for pid in "${test_servers[@]}"; do
        kill -TERM "$pid" 2>/dev/null || :
    done
    cd /
    rm -rf "$test_tmp"
}
trap test_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

export HOME=$test_tmp S3PERF_SHARED S3PERF_BUILD=$top_builddir
export S3OP=$top_builddir/s3op S3MEM=$top_builddir/s3mem
export S3STAT=$top_builddir/s3stat
export S3LAP=$top_builddir/s3lap
export S3PERF=$srcdir/s3perf.sh
export srcdir top_builddir
mkdir "$test_tmp/work" "$test_tmp/tmp"
export TMPDIR=$test_tmp/tmp
cd "$test_tmp/work"

diagnose() { # FILE: show it as TAP diagnostics
    sed 's/^/# /' "$1"
}

test_result() { # ok|'not ok' TITLE
    test_count=$((test_count + 1))
    printf '%s %d - %s\n' "$1" "$test_count" "$2"
}

# TITLE FUNCTION [ARG]...: run it in a subshell that stops at the first
# command that fails. Variables it sets are gone afterwards, files stay.
test_expect() {
    local title=$1 status log=$test_tmp/log

    shift
    set +e
    # Inside "if", "||" or "!" bash switches -e off, and tests would pass.
    (
        set -e
        false
        exit 42
    )
    (($? != 42)) || die "'$title': call test_expect as a plain command"
    (
        set -e
        "$@"
    ) >"$log" 2>&1 9>&1
    status=$?
    set -e
    if ((status == 0)); then
        test_result ok "$title"
        return
    fi
    test_failed=$((test_failed + 1))
    test_result 'not ok' "$title"
    diagnose "$log"
    echo "# status $status"
}

# TITLE REASON: a case that cannot run here.
test_skip() {
    test_result ok "$1 # SKIP $2"
}

# Nothing in this file can run here. Only before the first case.
skip_all() { # REASON
    ((test_count == 0)) || die "skip_all after $test_count cases"
    echo "1..0 # SKIP $*"
    exit 0
}

done_testing() {
    echo "1..$test_count"
    exit $((test_failed > 0))
}

note() { # TEXT...: into the diagnostics
    printf '%s\n' "$*" >&9
}

# Run COMMAND; fine when it ends with STATUS. Its output is the caller's.
expect_exit() { # STATUS COMMAND [ARG]...
    local want=$1 got=0

    shift
    "$@" || got=$?
    ((got == want)) || {
        note "status $got, not $want: $*"
        return 1
    }
}

fails() { # COMMAND [ARG]...: "! COMMAND" would not stop a case
    ! "$@" || {
        note "should have failed: $*"
        return 1
    }
}

is() { # GOT WANT [WHAT]: two texts are the same
    [[ $1 == "$2" ]] || {
        note "${3:-value}: got '$1', want '$2'"
        return 1
    }
}

has() { # FILE REGEX...: every regular expression (-E) matches a line
    local file=$1 regex

    shift
    for regex in "$@"; do
        grep -Eq -- "$regex" "$file" || {
            note "$file: no line matches '$regex':"
            note "$(head -c 4000 "$file")"
            return 1
        }
    done
}

hasnt() { # FILE REGEX...: none of them matches a line
    local file=$1 regex

    shift
    for regex in "$@"; do
        ! grep -E -- "$regex" "$file" >&9 || {
            note "$file: the above matches '$regex'"
            return 1
        }
    done
}

wait_for() { # SECONDS COMMAND [ARG]...: poll until it succeeds
    local limit=$1 start=$EPOCHREALTIME

    shift
    limit=$((${start/./} + limit * 1000000))
    until "$@"; do
        ((${EPOCHREALTIME/./} < limit)) || {
            note "waited in vain: $*"
            return 1
        }
        sleep 0.02
    done
}

process_ended() { # PID: also true for a zombie, which kill -0 is not
    local stat

    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    [[ ${stat##*) } == Z* ]]
}

s3mem_is_up() { # PID DIR
    grep -q '^AWS_REGION=.' "$2/out" || process_ended "$1"
}

# Start the built-in endpoint with ARGs and point the environment at it.
# --tls: its certificate is trusted, too (AWS_CA_BUNDLE).
# Sets s3mem_pid and s3mem_dir (out, err, ca.pem). It ends with this shell.
start_s3mem() { # [ARG]...
    local line args=("$@") input

    [[ -x $S3MEM ]] || die "no $S3MEM: build first"
    s3mem_dir=$(mktemp -d "$test_tmp/s3mem.XXXXXX")
    unset AWS_CA_BUNDLE
    if [[ " $* " == *' --tls '* && " $* " != *' --cacert-out'* ]]; then
        export AWS_CA_BUNDLE=$s3mem_dir/ca.pem
        args+=(--cacert-out "$AWS_CA_BUNDLE")
    fi
    mkfifo "$s3mem_dir/in"
    # Read and write, so that opening does not wait for the other side.
    exec {input}<>"$s3mem_dir/in"
    "$S3MEM" --until-parent-exits "${args[@]}" <"$s3mem_dir/in" \
        >"$s3mem_dir/out" 2>"$s3mem_dir/err" {input}>&- 9>&- &
    s3mem_pid=$!
    test_servers+=("$s3mem_pid")
    wait_for 20 s3mem_is_up "$s3mem_pid" "$s3mem_dir" || :
    grep -q '^AWS_REGION=.' "$s3mem_dir/out" || {
        diagnose "$s3mem_dir/err"
        die "s3mem ${args[*]} did not start"
    }
    AWS_ENDPOINT_URL=$(head -n 1 "$s3mem_dir/out")
    while IFS= read -r line; do
        # shellcheck disable=SC2163 # the line is NAME=VALUE
        [[ $line != AWS_[A-Z_]*=* ]] || export "$line"
    done <"$s3mem_dir/out"
    export AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION
}

# End one, the last started by default; its status is ours.
stop_s3mem() { # [PID]
    local pid=${1:-$s3mem_pid}

    kill -TERM "$pid" 2>/dev/null || :
    wait_for 10 process_ended "$pid" || kill -KILL "$pid"
    wait "$pid"
}

# Point the environment at a Ceph radosgw, shared by the tests that run at
# the same time. Sets RADOSGW_URL, RADOSGW_TLS_URL and RADOSGW_CACERT, and
# AWS_ENDPOINT_URL (http), the keys and the region. Bucket names must be
# unique: use $test_id. Where radosgw is not installed the whole test is
# skipped, or failed when CI=true; after the first case only one skipped
# case is printed, and the status is 1: if start_radosgw; then ...
start_radosgw() {
    local missing

    # shellcheck source=t/servers/lib
    . "$srcdir/t/servers/lib"
    missing=$(radosgw_missing)
    if [[ -n $missing ]]; then
        [[ ${CI:-} != true ]] || die "CI=true, and there is no $missing"
        ((test_count > 0)) || skip_all "radosgw: there is no $missing"
        test_skip 'on radosgw' "there is no $missing"
        return 1
    fi
    radosgw_share || die 'radosgw did not start'
    export AWS_ENDPOINT_URL=$RADOSGW_URL
}
