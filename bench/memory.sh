#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What s3op holds in memory with 1024 operations in flight, and what the
# kernel's socket buffers hold beside it.
# usage: bench/memory.sh [--quick] [--rounds=N]
# Prints a table; every round goes to bench-memory.tsv. The full run takes
# about 20 minutes, --quick about 2.
set -euo pipefail
readonly me=${0##*/}
# shellcheck source=SCRIPTDIR/lib.sh
. "${0%/*}/lib.sh"
rounds=5 lanes=1024
rows=('http get 4096 3 40' 'http put 4096 3 40' 'https get 4096 8 -'
    'https put 4096 8 -' 'http get 16777216 15 80' 'http put 16777216 15 128'
    'https get 16777216 30 140' 'https put 16777216 40 180')

measure() { # SCHEME VERB SIZE SECONDS GOAL_MIB: one row of the table
    local i rss=() kernel=() again=()

    for ((i = 1; i <= rounds; i++)); do
        run_s3op "$client_core" "${urls[$1]}" "$2" "$3" "$lanes" "${4}s" \
            --timeout=600s
        rss+=("$(member max_rss_kib)")
        kernel+=("$(member kernel_bytes)")
        again+=("$(member retransmits)")
        printf '%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n' "$1" "$2" "$3" "$lanes" \
            "$i" "${rss[-1]}" "${kernel[-1]}" "${again[-1]}" >>"$work/tsv"
    done
    printf '%s ' "$1" "$2" "$3" "$(median "${rss[@]}")" "$5" \
        "$(median "${kernel[@]}")" "$(median "${again[@]}")" |
        awk '{
            missed = $5 != "-" && $4 / 1024 > $5
            printf "%-5s %-3s %8d %8.1f %5s %10.1f %11d%s\n", $1, $2, $3,
                $4 / 1024, $5, $6 / 1048576, $7, missed ? "  missed" : "" }'
}

main() {
    local arg row sizes=(4096 16777216)
    declare -A urls

    for arg in "$@"; do
        case $arg in
            --quick) rounds=1 ;;
            --rounds=[1-9]*) rounds=${arg#*=} ;;
            *) die 2 "bad argument '$arg'" ;;
        esac
    done
    need jq taskset
    start_server plain "$server_core"
    urls[http]=$url
    fill_server "$url" "${sizes[@]}"
    start_server tls "$server_core" --tls
    urls[https]=$url
    fill_server "$url" "${sizes[@]}"
    printf '#scheme\tverb\tbytes\tlanes\tround\tmax_rss_kib\tkernel_bytes\tretransmits\n' >"$work/tsv"
    run_s3op "$client_core" "${urls[http]}" get 4096 1 0.1s
    printf '%s; %d lanes, medians of %d rounds\n' "$(machine)" "$lanes" \
        "$rounds"
    printf '%-5s %-3s %8s %8s %5s %10s %11s\n' '' '' bytes 'RSS MiB' want \
        'kernel MiB' retransmits
    for row in "${rows[@]}"; do
        # shellcheck disable=SC2086
        measure $row
    done
    printf '%s\n' 'kernel: the most that the buffers of our sockets held, which no RSS shows'
    cp "$work/tsv" bench-memory.tsv
}

main "$@"
