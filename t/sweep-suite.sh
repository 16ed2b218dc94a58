# shellcheck shell=bash disable=SC2034 # names are for the tests
# SPDX-License-Identifier: MIT
#
# What tests of sweeps share. Sourced after test-lib.sh.

# A small sweep: four cells and one of buckets.
readonly small=(--sizes '1,4Ki' --concurrency '1,4' --cell-time 2s
    --cell-ops 20 --bucket-ops 2 --seed 5 --yes)
readonly small_lines=18 # of its cells.tsv: 4 x 4 + 2

sweep() { # [ARG]...: what it says in ./out and ./err
    "$S3PERF" sweep "$@" >out 2>err </dev/null
}

# Column NAME of the cells of RUN, one a line.
cells() { # RUN NAME
    awk -F'\t' -v want="$2" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == want) at = i; next }
        { print $at }' "$1/cells.tsv"
}

# Which phases of which cells there are, in order of their names.
cells_of() { # RUN
    awk -F'\t' '!/^#/ && $1 != "target" { print $1, $2, $3, $4, $5 }' \
        "$1/cells.tsv" | sort
}

# Lines are whole, and none is there twice.
cells_are_sound() { # RUN LINES
    is "$(cells_of "$1" | wc -l)" "$2" 'lines' || return
    is "$(cells_of "$1" | uniq -d)" '' 'lines twice' || return
    is "$(awk -F'\t' '!/^#/ && NF != 30' "$1/cells.tsv")" '' 'odd lines'
}

buckets() { # the names of all of them
    "$top_builddir/s3op" ls -o buckets.tsv >/dev/null || return
    cut -f 3 buckets.tsv
}

keys() { # BUCKET
    "$top_builddir/s3op" ls -o keys.tsv "s3://$1" >/dev/null || return
    cut -f 3 keys.tsv
}

nothing_left() { # RUN [BUCKET]: on the server but BUCKET, and no claim
    is "$(buckets)" "${2:-}" buckets || return
    is "$(find "$1" -name 'created*')" '' claims
}

# An s3op that runs CODE first: "$phase" is the verb, or the phases of the
# job, which is in the file "$job"; "$real" the program, "$here" this folder.
hook_s3op() { # CODE
    cat >s3op-hooked <<END
#!/usr/bin/env bash
real='$top_builddir/s3op' here='$PWD' phase=\$1 job=/dev/null
if [[ \$1 == run ]]; then
    job=\${!#}
    phase=\$(sed -n 's/^\[\(.*\)\]\$/\1/p' "\$job" | tr '\n' ' ')
fi
printf '%s\n' \$phase >>"\$here/phases"
$1
exec "\$real" "\$@"
END
    chmod +x s3op-hooked
    : >phases
    export S3OP=$PWD/s3op-hooked
}

unhook() { export S3OP=$top_builddir/s3op; }

in_phase() { grep -qxF -- "$1" phases; }

# Start a sweep in the background, in a group of its own and with the signals
# that a terminal's child has.
start_sweep() { # ARG...
    env --default-signal=INT setsid "$S3PERF" sweep "$@" >out 2>err \
        </dev/null &
    sweep_pid=$!
}

sweep_ends() { # STATUS
    local status=0

    wait "$sweep_pid" || status=$?
    is "$status" "$1" "the sweep's status"
}

# The s3op of a sweep that was killed has ended, too.
is_free() { # RUN
    flock -n "$1" true
}

# Kill sweeps of RUN at moments up to MILLISECONDS after their start, each time
# taking it up again, until one finishes. $kills counts.
kill_until_finished() { # RUN MILLISECONDS ARG...
    local run=$1 most=$2 moment status

    shift 2
    kills=0
    while :; do
        if [[ -e $run/plan.tsv ]]; then
            wait_for 20 is_free "$run" || return
            set -- --resume "$run"
        fi
        start_sweep "$@"
        moment=$((RANDOM % most))
        sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
        status=0
        if kill -KILL "$sweep_pid" 2>/dev/null; then
            wait "$sweep_pid" || status=$?
            ((status == 137)) || break
            kills=$((kills + 1))
        else
            wait "$sweep_pid" || status=$?
            break
        fi
        # A busy machine gets more time.
        most=$((most + most / 8))
    done
    is "$status" 0 "status after $kills kills" || {
        note "$(tail -n 5 err)"
        return 1
    }
}
