# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script
# What the benchmarks share: a built-in endpoint that keeps nothing on one
# core, clients on another, medians. Sourced; needs $me. Loopback only.
export LC_ALL=C
top=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
readonly top
build=${top_builddir:-$top}
s3op=${S3OP:-$build/s3op} s3mem=${S3MEM:-$build/s3mem}
server_core=0 client_core=1
bucket=bench objects=16
server_options=(--null --anonymous)
work=$(mktemp -d "${TMPDIR:-/dev/shm}/s3perf-bench.XXXXXX")
servers=()

die() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

finish() {
    local pid

    for pid in "${servers[@]}"; do
        kill "$pid" 2>/dev/null || :
        wait "$pid" 2>/dev/null || :
    done
    rm -rf "$work"
}
trap finish EXIT

need() { # COMMAND...
    local name

    for name in "$@"; do
        command -v "$name" >/dev/null ||
            die 2 "no $name: run ./bootstrap.sh --with-tests"
    done
    [[ -x $s3op && -x $s3mem ]] || die 2 "no $s3op: build first"
    (($(nproc) > 1)) || die 2 'needs two cores: one for each side'
}

# Start an endpoint; sets $url and exports what clients need.
start_server() { # NAME CORES [OPTION]...
    local name=$1 cores=$2 i line

    shift 2
    taskset -c "$cores" "$s3mem" "${server_options[@]}" "$@" \
        >"$work/$name.out" 2>"$work/$name.err" </dev/null &
    servers+=("$!")
    # With keys in the environment it prints fewer lines; this is the last.
    for ((i = 0; i < 200; i++)); do
        ! grep -qs '^AWS_REGION=' "$work/$name.out" || break
        sleep 0.05
    done
    ((i < 200)) || die 3 "s3mem did not start: $(cat "$work/$name.err")"
    url=$(head -n 1 "$work/$name.out")
    while IFS= read -r line; do
        export "${line?}"
    done < <(tail -n +2 "$work/$name.out")
}

stop_server() { # the last one started
    local pid=${servers[-1]}

    kill "$pid"
    wait "$pid" 2>/dev/null || :
    unset 'servers[-1]'
}

# The bucket, and $objects keys of each SIZE for downloads: s4096-1, ...
fill_server() { # URL SIZE...
    local at=$1 size

    shift
    "$s3op" mb "s3://$bucket" --endpoint="$at" --insecure >/dev/null
    for size in "$@"; do
        "$s3op" put "s3://$bucket/s$size-" --objects="$objects" -n "$objects" \
            -c 8 -s "$size" --endpoint="$at" --insecure --payload-hash=unsigned \
            >/dev/null || die 3 "cannot fill the endpoint"
    done
}

# A member of the summary in $work/json; "-" for null.
member() { # NAME
    jq -r ".$1 // \"-\"" "$work/json"
}

median() { # VALUE...: of those that are numbers; "-" when none is
    printf '%s\n' "$@" | sort -g | awk '$1 ~ /^-?[0-9]/ { v[++n] = $1 }
        END { if (n == 0) print "-"
              else print n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }'
}

machine() { # one line about it; after the first run
    printf '%d cores, Linux %s, s3op %s, %s\n' "$(nproc)" "$(uname -r)" \
        "$("$s3op" --version | awk 'NR == 1 { print $NF }')" \
        "$(jq -r '.client_library // .transport' "$work/json")"
}

# One run of s3op pinned to CORES; its summary goes to $work/json.
run_s3op() { # CORES URL VERB SIZE LANES TIME [OPTION]...
    local cores=$1 at=$2 verb=$3 size=$4 lanes=$5 time=$6

    shift 6
    taskset -c "$cores" "$s3op" "$verb" "s3://$bucket/s$size-" \
        --objects="$objects" -s "$size" -c "$lanes" -d "$time" --threads=1 \
        --payload-hash=unsigned --insecure --endpoint="$at" --json \
        --progress=none "$@" >"$work/json" 2>"$work/err" ||
        die 1 "s3op $verb of $size bytes on $lanes lanes: $(tail -n 2 "$work/err")"
}
