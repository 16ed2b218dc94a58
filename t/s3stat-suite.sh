# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the tests of s3stat share. Sourced after test-lib.sh.
make_records=$top_builddir/bench/make-records
stat_data=$srcdir/t/data/s3stat
[[ -x $make_records ]] || die "no $make_records: make check builds it"

# Run s3stat in the folder of the data, so that files have short names; what
# varies from build to build goes away. The status is its own.
stat_golden() { # ARG...
    local status=0

    (cd "$stat_data" && "$S3STAT" "$@") >raw 2>err || status=$?
    sed -e 's/^\(# program: s3stat\) .*/\1/' \
        -e 's/"version":"[^"]*"/"version":""/' raw
    cat err
    return "$status"
}

# The commands whose output is kept: NAME STATUS ARG..., a line each.
stat_golden_commands() {
    grep -v '^#' "$stat_data/commands"
}

number() { # JQ-EXPRESSION FILE
    jq -r "$1" "$2"
}

# Field values of the records in FILE that AWK-CONDITION selects, sorted.
column() { # NAME CONDITION FILE
    awk -F '\t' -v name="$1" '
        /^#/ { next }
        !seen { for (i = 1; i <= NF; i++) at[$i] = i; seen = 1; next }
        '"$2"' && $at[name] != "" { print $at[name] }' "$3" | sort -g
}

nearest_rank() { # P FILE-OF-SORTED-VALUES
    awk -v p="$1" '{ v[NR] = $1 }
        END { r = p * NR; i = int(r); if (i < r - 1e-6) i++; if (i < 1) i = 1
              printf "%.3f\n", v[i] }' "$2"
}
