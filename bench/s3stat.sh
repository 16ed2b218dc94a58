#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast s3stat reads records, and what it holds meanwhile.
# usage: bench/s3stat.sh [RECORDS]   (10000000; needs 180 bytes of disk each)
set -euo pipefail
export LC_ALL=C
top=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
build=${top_builddir:-$top} records=${1:-10000000}
work=$(mktemp -d "${TMPDIR:-/dev/shm}/s3perf-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
make -s -C "$build" s3stat bench/make-records
"$build/bench/make-records" "$records" 64 1 1000 >"$work/ops.tsv"
printf '%-10s %10s %8s %8s %10s\n' command records cpu_s wall_s rss_MiB
for command in summary timeline cdf stages errors slowest; do
    # the records have failures: status 1 is fine
    /usr/bin/time -f '%U %S %e %M' -o "$work/time" \
        "$build/s3stat" "$command" "$work/ops.tsv" >"$work/out" || :
    tail -n 1 "$work/time" | awk -v c="$command" -v n="$records" '{
        printf "%-10s %10d %8.2f %8.2f %10.1f\n", c, n, $1 + $2, $3, $4 / 1024 }'
done
