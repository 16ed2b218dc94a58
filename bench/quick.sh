#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Five objects through six phases: s3perf beside s3cmd under GNU parallel, as
# ossperf drives it, on one throw-away radosgw, in interleaved rounds.
# usage: bench/quick.sh [ROUNDS]     prints a table; TSV goes to bench-quick.tsv
# Needs what ./bootstrap.sh --with-tests installs. Loopback only.
set -euo pipefail
export LC_ALL=C
readonly me=${0##*/}
top=$(cd "${0%/*}/.." && pwd)
readonly top
rounds=${1:-5} sizes=(1 1048576) files=5
work=$(mktemp -d "${TMPDIR:-/dev/shm}/s3perf-bench.XXXXXX")

die() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

finish() {
    "$top/t/servers/radosgw.sh" clean "$work/ceph" || :
    rm -rf "$work"
}
trap finish EXIT

now() { # microseconds
    printf '%s\n' "${EPOCHREALTIME/./}"
}

start_server() {
    local name value

    "$top/t/servers/radosgw.sh" start "$work/ceph" >"$work/env"
    while IFS='=' read -r name value; do
        case $name in
            endpoint) export AWS_ENDPOINT_URL=$value ;;
            access_key) export AWS_ACCESS_KEY_ID=$value ;;
            secret_key) export AWS_SECRET_ACCESS_KEY=$value ;;
        esac
    done <"$work/env"
    export AWS_REGION=us-east-1
    cat >"$work/s3cfg" <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = ${AWS_ENDPOINT_URL#http://}
host_bucket = ${AWS_ENDPOINT_URL#http://}
use_https = False
END
}

s3cmd_() { # ARG...
    s3cmd -c "$work/s3cfg" -q "$@" >/dev/null
}

# The six phases of ossperf with its default client, without its pauses.
run_s3cmd() { # SIZE: set $total_us, the sum of the phases
    local dir=$work/testfiles i begun bucket=s3cmd-bench-$RANDOM$RANDOM

    mkdir -p "$dir/back"
    for ((i = 1; i <= files; i++)); do
        head -c "$1" /dev/urandom >"$dir/f$i"
    done
    begun=$(now)
    s3cmd_ mb "s3://$bucket"
    parallel --will-cite -j "$files" s3cmd -c "$work/s3cfg" -q put {} \
        "s3://$bucket" ::: "$dir"/f? >/dev/null
    s3cmd_ ls "s3://$bucket"
    parallel --will-cite -j "$files" s3cmd -c "$work/s3cfg" -q get --force \
        "s3://$bucket/{/}" "$dir/back/{/}" ::: "$dir"/f? >/dev/null
    parallel --will-cite -j "$files" s3cmd -c "$work/s3cfg" -q del \
        "s3://$bucket/{/}" ::: "$dir"/f? >/dev/null
    s3cmd_ rb "s3://$bucket"
    total_us=$(($(now) - begun))
    for ((i = 1; i <= files; i++)); do
        cmp "$dir/f$i" "$dir/back/f$i" || die 1 "s3cmd brought back other bytes"
    done
    rm -rf "$dir"
}

run_s3perf() { # SIZE: set $total_us (sum of the phases) and $command_us
    local begun

    begun=$(now)
    (cd "$work" && "$top/s3perf.sh" -n "$files" -s "$1" -p --json >json) ||
        die 1 's3perf failed'
    command_us=$(($(now) - begun))
    total_us=$(sed -E 's/.*"total_s":([0-9.]+).*/\1/' "$work/json" |
        awk '{ printf "%d", $1 * 1e6 }')
}

median() { # VALUE...
    printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

measure() { # SIZE: one row of the table
    local i theirs=() ours=() commands=()

    for ((i = 0; i < rounds; i++)); do
        run_s3cmd "$1"
        theirs+=("$total_us")
        run_s3perf "$1"
        ours+=("$total_us")
        commands+=("$command_us")
        printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$((i + 1))" "${theirs[i]}" \
            "${ours[i]}" "${commands[i]}" >>"$work/tsv"
    done
    printf '%s %s %s %s\n' "$1" "$(median "${theirs[@]}")" \
        "$(median "${ours[@]}")" "$(median "${commands[@]}")" |
        awk '{ printf "%8d %9.3f s %9.3f s %8.1f x %9.3f s %6.1f x\n",
               $1, $2 / 1e6, $3 / 1e6, $2 / $3, $4 / 1e6, $2 / $4 }'
}

main() {
    local size

    [[ $rounds =~ ^[1-9][0-9]*$ ]] || die 2 "bad number of rounds '$rounds'"
    for size in s3cmd parallel radosgw; do
        command -v "$size" >/dev/null ||
            die 2 "no $size: run ./bootstrap.sh --with-tests"
    done
    start_server
    printf '#bytes\tround\ts3cmd_us\ts3perf_phases_us\ts3perf_command_us\n' \
        >"$work/tsv"
    run_s3perf 1 # the first bucket of a new radosgw takes 90 ms
    printf '%d files, medians of %d rounds\n' "$files" "$rounds"
    printf '%8s %11s %11s %10s %11s %8s\n' bytes s3cmd s3perf 'times' \
        'command' 'times'
    for size in "${sizes[@]}"; do
        measure "$size"
    done
    printf '%s\n' 's3cmd, s3perf: the six phases; command: all of' \
        's3perf.sh, with start-up, checks between the phases and verifying'
    cp "$work/tsv" bench-quick.tsv
}

main "$@"
