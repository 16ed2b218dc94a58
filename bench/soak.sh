#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Does s3op's memory stay where it is? Uploads and downloads in turn, with
# records and intervals, its resident memory looked at once a second.
# usage: bench/soak.sh [SECONDS]     600 without an argument, half for each
# Prints a line for each verb; every look goes to bench-soak.tsv. Status 1
# when the last tenth lies more than 2 % above the second tenth. Intervals are
# short, so that their table, which is bounded, is full by then.
set -euo pipefail
readonly me=${0##*/}
# shellcheck source=SCRIPTDIR/lib.sh
. "${0%/*}/lib.sh"
lanes=256 size=4096

soak() { # VERB SECONDS
    local pid i rss

    taskset -c "$client_core" "$s3op" "$1" "s3://$bucket/s$size-" \
        --objects="$objects" -s "$size" -c "$lanes" -d "$2s" --threads=1 \
        --interval=10ms --log=/dev/null --json --progress=none \
        >"$work/json" 2>"$work/err" &
    pid=$!
    for ((i = 1; i <= $2; i++)); do
        sleep 1
        rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || :
        [[ -z $rss ]] ||
            printf '%s\t%d\t%d\n' "$1" "$i" "$rss" | tee -a "$work/tsv"
    done >"$work/rss"
    wait "$pid" || die 1 "s3op $1: $(tail -n 2 "$work/err")"
    awk -v n="$(wc -l <"$work/rss")" -v verb="$1" -v ops="$(member ops)" '
        NR > n / 10 && NR <= n / 5 { early += $3; e++ }
        NR > n * 9 / 10 { late += $3; l++ }
        END {
            if (e == 0 || l == 0) exit 2
            grown = (late / l) / (early / e) - 1
            printf "%s: %d operations in %d s, RSS %.1f MiB early, %.1f MiB late, %+.2f %%\n",
                verb, ops, n, early / e / 1024, late / l / 1024, 100 * grown
            exit grown > 0.02
        }' "$work/rss"
}

main() {
    local seconds=${1:-600} status=0

    if [[ ! $seconds =~ ^[1-9][0-9]*$ ]] || ((seconds < 60)); then
        die 2 "bad number of seconds '$seconds', at least 60"
    fi
    need jq taskset
    start_server plain "$server_core"
    export AWS_ENDPOINT_URL=$url
    fill_server "$url" "$size"
    printf '#verb\tsecond\trss_kib\n' >"$work/tsv"
    soak put "$((seconds / 2))" || status=1
    soak get "$((seconds / 2))" || status=1
    cp "$work/tsv" bench-soak.tsv
    return "$status"
}

main "$@"
