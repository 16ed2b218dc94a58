#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op beside wrk: the same endpoint, connections and time, one core each,
# in interleaved rounds. wrk's requests are not signed, s3op's are.
# usage: bench/vs-wrk.sh [--quick] [--rounds=N] [--only=PATTERN]
# Prints a table; every round goes to bench-vs-wrk.tsv. --only takes an
# extended regular expression for rows: 'http get 4096 .*'.
# The full run takes about 45 minutes, --quick about 2.
set -euo pipefail
readonly me=${0##*/}
# shellcheck source=SCRIPTDIR/lib.sh
. "${0%/*}/lib.sh"
rounds=5 quick=no only=.

# What the table of goals says: the least share of wrk's rate and the most
# microseconds of CPU for a request; "-" where there is no goal.
goals() { # SCHEME VERB SIZE LANES: sets $want_share $want_cpu
    local scheme=$1 verb=$2 size=$3 lanes=$4

    want_share=- want_cpu=-
    if [[ $scheme == https ]]; then
        if ((size <= 4096)); then
            want_share=0.25
            [[ $verb/$size/$lanes == put/1/16 ]] && want_share=0.15
            ((size == 4096 && lanes >= 16 && lanes <= 64)) && want_cpu=34
        elif ((size <= 65536)); then
            want_share=0.5
        else
            want_share=0.6
            [[ $verb/$lanes == put/1024 ]] && want_share=0.45
        fi
    elif ((size > 1048576)); then
        want_share=0.85
        [[ $verb/$lanes == put/1 ]] && want_share=0.5
    elif ((size > 65536)); then
        want_share=0.75
        [[ $verb == put ]] && want_share=0.6
        [[ $verb/$lanes == put/1 ]] && want_share=0.45
    elif ((lanes == 1)); then
        want_share=0.75
    elif ((size > 4096)); then
        want_share=0.35
        [[ $verb == put ]] && want_share=0.2
    elif ((lanes > 256)); then
        want_share=0.2 want_cpu=34
    else
        want_share=0.25 want_cpu=24
    fi
    return 0
}

# Seconds of one run: long enough for each lane to finish some operations,
# and for wrk, which counts from its first connection on, to open them all.
seconds() { # SCHEME SIZE LANES
    local bytes=$(($2 * $3))

    if [[ $1 == https ]]; then
        printf '%d\n' $((1 + 3 * bytes / 500000000 + $3 / 200))
    else
        printf '%d\n' $((1 + 3 * bytes / 2000000000))
    fi
}

# wrk for SECONDS; sets $wrk_rate and $wrk_cpu.
run_wrk() { # URL VERB SIZE LANES SECONDS
    local script=() TIMEFORMAT='%U %S'

    if [[ $2 == put ]]; then
        printf 'wrk.method = "PUT"\nwrk.body = string.rep("x", %d)\n' "$3" \
            >"$work/put.lua"
        script=(-s "$work/put.lua")
    fi
    { time taskset -c "$client_core" wrk -t1 -c"$4" -d"$5" --timeout 60 \
        "${script[@]}" "$1/$bucket/s$3-1" >"$work/wrk" 2>&1; } 2>"$work/times"
    ! grep -q 'Non-2xx' "$work/wrk" || die 1 "wrk: $(cat "$work/wrk")"
    wrk_rate=$(awk '/^Requests\/sec/ { print $2 }' "$work/wrk")
    wrk_cpu=$(awk -v n="$(awk '/requests in/ { print $1 }' "$work/wrk")" \
        '{ if (n > 0) printf "%.2f", ($1 + $2) * 1e6 / n; else print "-" }' \
        "$work/times")
}

measure() { # SCHEME VERB SIZE LANES: one row of the table
    local at=${urls[$1]} i time shares=() ours=() cpus=() theirs=() wrk_cpus=()
    local want_share want_cpu share

    time=$(seconds "$1" "$3" "$4")
    goals "$@"
    for ((i = 1; i <= rounds; i++)); do
        run_wrk "$at" "$2" "$3" "$4" "$time"
        run_s3op "$client_core" "$at" "$2" "$3" "$4" "${time}s"
        ours+=("$(member ops_per_s)")
        cpus+=("$(member cpu_us_per_op)")
        theirs+=("$wrk_rate")
        wrk_cpus+=("$wrk_cpu")
        share=$(awk -v a="${ours[-1]}" -v b="$wrk_rate" \
            'BEGIN { if (b > 0) printf "%.4f", a / b; else print "-" }')
        shares+=("$share")
        printf '%s\t' "$1" "$2" "$3" "$4" "$i" "$wrk_rate" "${ours[-1]}" \
            "$share" "$wrk_cpu" >>"$work/tsv"
        printf '%s\n' "${cpus[-1]}" >>"$work/tsv"
    done
    printf '%s ' "$1" "$2" "$3" "$4" "$(median "${theirs[@]}")" \
        "$(median "${ours[@]}")" "$(median "${shares[@]}")" "$want_share" \
        "$(median "${wrk_cpus[@]}")" "$(median "${cpus[@]}")" "$want_cpu" |
        awk '{
            missed = ($8 != "-" && $7 < $8) || ($11 != "-" && $10 > $11)
            printf "%-5s %-3s %8d %5d %9.0f %9.0f %6.2f %5s %7.1f %8.1f %4s%s\n",
                $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
                missed ? "  missed" : "" }'
}

# One and two event loops; server and client share both cores.
measure_threads() {
    local i one=() two=() shares=() url

    start_server both "$server_core,$client_core"
    fill_server "$url" 4096
    for ((i = 1; i <= rounds; i++)); do
        run_s3op "$server_core,$client_core" "$url" get 4096 256 1s
        one+=("$(member ops_per_s)")
        run_s3op "$server_core,$client_core" "$url" get 4096 256 1s --threads=2
        two+=("$(member ops_per_s)")
        shares+=("$(awk -v a="${two[-1]}" -v b="${one[-1]}" \
            'BEGIN { printf "%.3f", a / b }')")
        printf 'threads\tget\t4096\t256\t%d\t%s\t%s\t%s\t-\t-\n' "$i" \
            "${one[-1]}" "${two[-1]}" "${shares[-1]}" >>"$work/tsv"
    done
    printf 'two threads on two cores, GET of 4096 on 256 lanes: '
    printf '%.0f/s, %.0f/s with one, %.2f times (wanted: 1.4)\n' \
        "$(median "${two[@]}")" "$(median "${one[@]}")" \
        "$(median "${shares[@]}")"
    stop_server
}

rows() { # SCHEME VERB SIZE LANES, one a line
    local scheme verb size lanes

    if [[ $quick == yes ]]; then
        printf '%s\n' 'http get 4096 1' 'http get 4096 16' 'http put 4096 16' \
            'http get 4096 256' 'http get 4096 1024' 'http put 4096 1024' \
            'http get 65536 64' 'http put 65536 64' 'http get 1048576 16' \
            'http put 1048576 16' 'https get 4096 16'
        return
    fi
    for scheme in http https; do
        for size in 1 4096 65536 1048576 16777216; do
            for verb in get put; do
                for lanes in 1 16 64 256 1024; do
                    printf '%s %s %d %d\n' "$scheme" "$verb" "$size" "$lanes"
                done
            done
        done
    done
}

read_options() { # ARG...
    local arg

    for arg in "$@"; do
        case $arg in
            --quick) quick=yes ;;
            --rounds=[1-9]*) rounds=${arg#*=} ;;
            --only=*) only=${arg#*=} ;;
            *) die 2 "bad argument '$arg'" ;;
        esac
    done
}

main() {
    local row sizes=(1 4096 65536 1048576 16777216)
    declare -A urls

    read_options "$@"
    need wrk jq taskset
    start_server plain "$server_core"
    urls[http]=$url
    fill_server "$url" "${sizes[@]}"
    start_server tls "$server_core" --tls
    urls[https]=$url
    fill_server "$url" "${sizes[@]}"
    printf '#scheme\tverb\tbytes\tlanes\tround\twrk_per_s\ts3op_per_s\tshare\twrk_cpu_us\ts3op_cpu_us\n' >"$work/tsv"
    run_s3op "$client_core" "${urls[http]}" get 1 1 0.1s
    printf '%s; medians of %d rounds\n' "$(machine)" "$rounds"
    printf '%-5s %-3s %8s %5s %9s %9s %6s %5s %7s %8s %4s\n' '' '' bytes \
        lanes wrk/s s3op/s share want 'wrk us' 's3op us' want
    while read -r row; do
        # shellcheck disable=SC2086
        [[ ! $row =~ $only ]] || measure $row
    done < <(rows)
    [[ ! threads =~ $only ]] || measure_threads
    printf '%s\n' 'us: CPU of the client for a request. All of s3op is signed, bodies as' \
        'UNSIGNED-PAYLOAD; uploads are generated, incompressible; wrk repeats one.'
    cp "$work/tsv" bench-vs-wrk.tsv
}

main "$@"
