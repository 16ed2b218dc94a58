#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Does s3op report the time that the server took? The endpoint delays each
# answer by an exact time; whatever is reported beyond it is the machine's
# and ours. Where the client is saturated the run must say client-bound.
# Lanes begin spread over the delay, or all would stay in step and the last
# of them wait for the others each time.
# usage: bench/timing-truth.sh [--quick] [--rounds=N]
# Prints a table; every round goes to bench-timing-truth.tsv. The full run
# takes about 4 minutes, --quick about 1.
set -euo pipefail
readonly me=${0##*/}
# shellcheck source=SCRIPTDIR/lib.sh
. "${0%/*}/lib.sh"
rounds=5 time=3s

# DELAY_MS LANES P50_OVER_MS P99_OVER_MS; 1024 lanes on 100 ms are a third
# of what one core can do, on 20 and 5 ms they are more than it can do.
rows=('5 1 - -' '5 64 0.4 1.5' '20 1 - -' '20 64 0.4 1.5' '100 1 - -'
    '100 64 0.4 1.5' '100 1024 0.8 5' '20 1024 bound bound'
    '5 1024 bound bound')

measure() { # DELAY_MS LANES P50_OVER_MS P99_OVER_MS: one row of the table
    local i p50=() p99=() rate=() lag=() marks=()

    for ((i = 1; i <= rounds; i++)); do
        run_s3op "$client_core" "${urls[$1]}" get 4096 "$2" "$time" \
            --ramp="${1}ms" --warmup=1s
        p50+=("$(over "$1" p50)")
        p99+=("$(over "$1" p99)")
        rate+=("$(member ops_per_s)")
        lag+=("$(member lag_us.p99)")
        marks+=("$(jq -r '.marks | index("client-bound") | if . == null
            then "-" else "bound" end' "$work/json")")
        printf '%s\t' "$1" "$2" "$i" "${rate[-1]}" "${p50[-1]}" "${p99[-1]}" \
            "${lag[-1]}" >>"$work/tsv"
        printf '%s\n' "${marks[-1]}" >>"$work/tsv"
    done
    printf '%s ' "$1" "$2" "$(median "${rate[@]}")" "$(median "${p50[@]}")" \
        "$3" "$(median "${p99[@]}")" "$4" "$(median "${lag[@]}")" \
        "$(printf '%s\n' "${marks[@]}" | grep -c bound || :)" |
        awk -v rounds="$rounds" '{
            missed = $5 != "-" && ($4 > $5 || $6 > $7)
            if ($5 == "bound")
                missed = $9 < rounds
            printf "%8d %5d %8.0f %8.3f %5s %8.3f %5s %10.3f %3d of %d%s\n",
                $1, $2, $3, $4, $5, $6, $7, $8 / 1000, $9, rounds,
                missed ? "  missed" : "" }'
}

over() { # DELAY_MS PERCENTILE: by how many ms operations took longer
    jq -r --argjson delay "$1" --arg p "$2" \
        '.service_us[$p] | if . == null then "-" else . / 1000 - $delay end' \
        "$work/json"
}

main() {
    local arg row delay
    declare -A urls

    for arg in "$@"; do
        case $arg in
            --quick) rounds=2 time=1s ;;
            --rounds=[1-9]*) rounds=${arg#*=} ;;
            *) die 2 "bad argument '$arg'" ;;
        esac
    done
    need jq taskset
    for delay in 5 20 100; do
        start_server "delay$delay" "$server_core" --delay-first "${delay}ms"
        urls[$delay]=$url
        fill_server "$url" 4096
    done
    printf '#delay_ms\tlanes\tround\tops_per_s\tp50_over_ms\tp99_over_ms\tlag_p99_us\tclient_bound\n' >"$work/tsv"
    run_s3op "$client_core" "${urls[5]}" get 4096 1 0.1s
    printf '%s; medians of %d rounds\n' "$(machine)" "$rounds"
    printf '%8s %5s %8s %8s %5s %8s %5s %10s %s\n' 'delay ms' lanes s3op/s \
        'p50 +ms' want 'p99 +ms' want 'lag p99 ms' client-bound
    for row in "${rows[@]}"; do
        # shellcheck disable=SC2086
        measure $row
    done
    cp "$work/tsv" bench-timing-truth.tsv
}

main "$@"
