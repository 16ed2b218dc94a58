#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The table of the phases, from cells that are given.
. "${srcdir:-.}/t/test-lib.sh"

# A row of cells.tsv: only the columns that the table reads.
cell() { # PHASE OPS MIN P50 P90 P99 MAX
    printf 'x\t%s\t%s\t2.5\t10\t1048576' "$1" "$2"
    printf '\t%s' "${@:3}"
    printf '\n'
}

table() { # prints the rows of the cells in ./cells.tsv
    bash -euo pipefail -c '
        . "$1/scripts/s3perf-lib.sh"
        . "$1/scripts/s3perf-print.sh"
        work=. cells=cells.tsv erase=each files=1
        table_rows "" ""' table "$srcdir"
}

bounds_are_bounds() {
    {
        printf 'run\tphase\tops\twindow_s\tops_per_s\tbytes_per_s\tmin_us'
        printf '\tp50_us\tp90_us\tp99_us\tmax_us\n'
        cell upload 5000 100.000 2000.000 '>3000.000' '>4500000.000' 7000.000
        cell download 50 100.000 2000.000 3000.000 '>999.400' 7000.000
    } >cells.tsv
    table >out
    has out '^upload .* 100 us +2\.00 ms +>3\.00 ms +>4\.50 s +7\.00 ms$' \
        '^download .* 100 us +~?2\.00 ms +~3\.00 ms +>999 us +7\.00 ms$'
    hasnt out '0\.000' '~>' '^.{81}'
}

test_expect 'what lies beyond is shown as a bound' bounds_are_bounds
done_testing
