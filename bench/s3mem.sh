#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast the built-in endpoint answers: s3mem --null --anonymous on one
# core, wrk -t1 on another, in interleaved rounds. See --help.
set -euo pipefail
export LC_ALL=C
readonly me=${0##*/}
top=$(cd "${0%/*}/.." && pwd)
readonly top
readonly s3mem=${S3MEM:-$top/s3mem} s3op=${S3OP:-$top/s3op}
readonly bucket=bench-s3mem
rounds=3 seconds=1 out=bench-s3mem.tsv
# SIZE CONNECTIONS KIND GOAL: requests/s, "-" for none
readonly cases=(
    '1 16 plain 100000' '1 256 plain 100000' '1 1024 plain -'
    '4096 16 plain 100000' '4096 256 plain 100000' '4096 1024 plain -'
    '65536 16 plain 45000' '65536 256 plain 45000' '65536 1024 plain -'
    '4096 16 signed -')
readonly signature_us=5 # a checked signature costs at most that much more

usage() {
    cat <<END
usage: $me [-r ROUNDS] [-s SECONDS] [-o FILE]
Measure s3mem with wrk on loopback: $rounds rounds of ${#cases[@]} cases, $seconds s each.

  -r ROUNDS   rounds ($rounds)
  -s SECONDS  of each case in each round ($seconds)
  -o FILE     every measurement as TSV ($out)
  -h          this help

Printed are, for each case: the best and the median rate; of the best round
the server's CPU time for a request, and how much of its core the server had;
and the share of the goal that was reached. A goal that is missed while the
server had much less than 100 % of its core says more about the machine than
about the server: the CPU time tells what a free core would do. Then what a
checked signature costs: the difference of the CPU times of signed and plain
requests in the same round, the median of all rounds.

Needs wrk and taskset (./bootstrap.sh --with-tests), two cores, and s3mem and
s3op of this tree, or of \$S3MEM and \$S3OP.
Exit status: 0 all goals reached, 1 not, 2 usage or not possible here.
END
}

die() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

parse_options() { # ARG...
    local option

    while getopts ':r:s:o:h' option; do
        case $option in
            r) rounds=$OPTARG ;;
            s) seconds=$OPTARG ;;
            o) out=$OPTARG ;;
            h)
                usage
                exit 0
                ;;
            *) die 2 "unknown option '-$OPTARG' (try -h)" ;;
        esac
    done
    [[ $rounds$seconds =~ ^[1-9][0-9]*$ ]] || die 2 'bad number'
}

# Two different cores of those that we may use.
find_cores() {
    local allowed part

    allowed=$(taskset -cp $$)
    allowed=${allowed##*: }
    cores=()
    for part in ${allowed//,/ }; do
        mapfile -t -O "${#cores[@]}" cores < <(seq "${part%-*}" "${part#*-}")
    done
    ((${#cores[@]} >= 2)) || die 2 'two cores are needed'
}

start_server() {
    local name value

    mkfifo "$work/in"
    # shellcheck disable=SC2034 # only held open
    exec {input}<>"$work/in"
    taskset -c "${cores[0]}" "$s3mem" --null --anonymous \
        --until-parent-exits <"$work/in" >"$work/env" 2>"$work/err" &
    server=$!
    until grep -q ^AWS_REGION= "$work/env"; do
        kill -0 "$server" || die 2 "s3mem: $(cat "$work/err")"
        sleep 0.02
    done
    url=$(head -n 1 "$work/env")
    while IFS='=' read -r name value; do
        [[ $name != AWS_* ]] || export "$name=$value"
    done <"$work/env"
    export AWS_ENDPOINT_URL=$url
}

finish() {
    [[ -z ${server:-} ]] || kill "$server" 2>/dev/null || :
    wait
    rm -rf "$work"
}

fill_server() {
    local size

    "$s3op" mb "s3://$bucket" >"$work/op"
    for size in 1 4096 65536; do
        "$s3op" put -s "$size" "s3://$bucket/$size" >"$work/op"
    done
}

# Arguments that make wrk send a signed request for a 4096-byte object. They
# stay valid for 15 minutes.
sign_request() {
    local date authorization

    "$s3op" sign "s3://$bucket/4096" >"$work/sign"
    date=$(sed -n 's/^x-amz-date://p' "$work/sign")
    authorization=$(sed -n '/^Authorization:/{n;p}' "$work/sign")
    [[ -n $date && -n $authorization ]] || die 2 'cannot sign a request'
    signed=(-H "x-amz-date: $date" -H "Authorization: $authorization" -H
        "x-amz-content-sha256: $(sed -n 's/^x-amz-content-sha256://p' "$work/sign")")
}

cpu_ns() { # of the server, all threads
    cat "/proc/$server/task/"*/schedstat 2>/dev/null |
        awk '{ ns += $1 } END { printf "%.0f", ns }'
}

measure() { # ROUND SIZE CONNECTIONS KIND: a line of TSV
    local before after args=()

    [[ $4 != signed ]] || args=("${signed[@]}")
    before=$(cpu_ns)
    taskset -c "${cores[1]}" wrk -t1 -c"$3" -d"$seconds" "${args[@]}" \
        "$url/$bucket/$2" >"$work/wrk"
    after=$(cpu_ns)
    awk -v round="$1" -v size="$2" -v connections="$3" -v kind="$4" \
        -v cpu_ns="$((after - before))" '
        / requests in / { n = $1 }
        /^Requests\/sec:/ { rate = $2 }
        /Socket errors:/ { gsub(",", ""); errors += $4 + $6 + $8 + $10 }
        /Non-2xx/ { errors += $NF }
        END {
            printf "%d\t%d\t%d\t%s\t%.0f\t%.3f\t%d\n", round, size,
                connections, kind, rate, n ? cpu_ns / 1000 / n : 0, errors
        }' "$work/wrk"
}

print_table() { # how each case did; status 1 when a goal was missed
    printf '%s\n' "${cases[@]}" | awk -F '\t' -v limit="$signature_us" '
        function median(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
                    t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
                }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        FILENAME != "-" {
            if ($1 !~ /^[0-9]/) next
            k = $2 " " $3 " " $4
            n[k]++
            rate[k, n[k]] = $5; cpu[k, n[k]] = $6; errors[k] += $7
            next
        }
        FNR == 1 {
            printf "%7s %6s %-7s %9s %9s %7s %6s %6s %s\n", "bytes", "conns",
                "kind", "best/s", "median/s", "cpu us", "core %", "errors",
                "goal"
        }
        {
            split($0, c, " ")
            k = c[1] " " c[2] " " c[3]
            best = 0
            for (i = 1; i <= n[k]; i++) {
                list[i] = rate[k, i]
                if (rate[k, i] > best) { best = rate[k, i]; us = cpu[k, i] }
            }
            goal = c[4] == "-" ? "-" : sprintf("%.2f of %d%s", best / c[4],
                c[4], best < c[4] ? " MISSED" : "")
            if (errors[k]) goal = goal " STALLED OR REFUSED"
            failed += goal ~ /MISSED|STALLED/
            printf "%7d %6d %-7s %9d %9d %7.2f %6.0f %6d %s\n", c[1], c[2],
                c[3], best, median(list, n[k]), us, best * us / 10000,
                errors[k], goal
        }
        END {
            m = n["4096 16 signed"]
            for (i = 1; i <= m; i++)
                list[i] = cpu["4096 16 signed", i] - cpu["4096 16 plain", i]
            us = median(list, m)
            printf "a checked signature costs %.2f us, goal: at most %d%s\n",
                us, limit, (us > limit) ? " MISSED" : ""
            exit (failed > 0 || us > limit)
        }' "$out" -
}

main() {
    local round size connections kind

    parse_options "$@"
    command -v wrk >/dev/null || die 2 'there is no wrk'
    [[ -x $s3mem && -x $s3op ]] || die 2 "no $s3mem or $s3op: build first"
    find_cores
    work=$(mktemp -d "${TMPDIR:-/tmp}/s3mem-bench.XXXXXX")
    trap finish EXIT
    start_server
    fill_server
    {
        printf '# %s rounds=%s seconds=%s\n' "$("$s3mem" --version)" \
            "$rounds" "$seconds"
        printf 'round\tsize\tconnections\tkind\trequests_per_s\tcpu_us\terrors\n'
    } >"$out"
    for ((round = 1; round <= rounds; round++)); do
        sign_request
        while read -r size connections kind _; do
            measure "$round" "$size" "$connections" "$kind" >>"$out"
        done < <(printf '%s\n' "${cases[@]}")
    done
    print_table
}

main "$@"
