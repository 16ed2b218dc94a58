#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op beside other S3 clients: operations per second and CPU for each, one
# core for the client, one for the endpoint. Clients that are not installed
# are left out.
# usage: bench/vs-clients.sh [--quick] [--rounds=N]
# Prints a table; every round goes to bench-vs-clients.tsv. The full run
# takes about 6 minutes, --quick about 2.
set -euo pipefail
readonly me=${0##*/}
# shellcheck source=SCRIPTDIR/lib.sh
. "${0%/*}/lib.sh"
rounds=5 size=4096
server_options=()

write_settings() {
    cat >"$work/s3cfg" <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = ${url#http://}
host_bucket = ${url#http://}
use_https = False
END
    head -c "$size" /dev/urandom >"$work/object"
    {
        printf 'aws-sigv4 = "aws:amz:us-east-1:s3"\n'
        printf 'user = "%s:%s"\n' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY"
        # libcurl 7.88 would hash the body of each upload, and some bytes of
        # none for a download.
        printf 'header = "x-amz-content-sha256: UNSIGNED-PAYLOAD"\n'
        printf 'silent\nshow-error\nfail\n'
    } >"$work/curlrc"
    export S3_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID
    export S3_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY
    export S3_HOSTNAME=${url#http://}
}

# Each client's way to do N operations of VERB; one process for all where it
# can, one for each where it cannot.
by_s3op() { # VERB N
    "$s3op" "$1" "s3://$bucket/s$size-" --objects="$objects" -n "$2" \
        -s "$size" --json
}

by_s3op_16() { # VERB N
    "$s3op" "$1" "s3://$bucket/s$size-" --objects="$objects" -n "$2" -c 16 \
        --threads=1 -s "$size" --json
}

by_s3op_each() { # VERB N: a process for each operation
    local i

    for ((i = 0; i < $2; i++)); do
        "$s3op" "$1" "s3://$bucket/s$size-1" -s "$size"
    done
}

curl_list() { # VERB N: what curl is to do, in its config file's form
    local i

    for ((i = 1; i <= $2; i++)); do
        if [[ $1 == get ]]; then
            printf 'url = "%s"\noutput = "/dev/null"\n' \
                "$url/$bucket/s$size-1"
        else
            printf 'url = "%s"\noutput = "/dev/null"\nupload-file = "%s"\n' \
                "$url/$bucket/c$i" "$work/object"
        fi
    done >"$work/curl-list"
}

by_curl() { # VERB N: one process
    curl -q -K "$work/curlrc" -K "$work/curl-list"
}

by_curl_16() { # VERB N: one process, 16 in flight
    curl -q -K "$work/curlrc" -K "$work/curl-list" --parallel --parallel-max 16
}

by_s3() { # VERB N: libs3's program, a process for each operation
    local i

    for ((i = 0; i < $2; i++)); do
        if [[ $1 == get ]]; then
            s3 -u get "$bucket/s$size-1" filename=/dev/null
        else
            s3 -u put "$bucket/c" filename="$work/object"
        fi
    done
}

by_s3cmd() { # VERB N: a process for each operation
    local i

    for ((i = 0; i < $2; i++)); do
        if [[ $1 == get ]]; then
            s3cmd -q -c "$work/s3cfg" get --force "s3://$bucket/s$size-1" \
                "$work/got"
        else
            s3cmd -q -c "$work/s3cfg" put "$work/object" "s3://$bucket/c"
        fi
    done
}

by_aws() { # VERB N: a process for each operation
    local i

    for ((i = 0; i < $2; i++)); do
        if [[ $1 == get ]]; then
            aws --endpoint-url "$url" s3api get-object --bucket "$bucket" \
                --key "s$size-1" "$work/got"
        else
            aws --endpoint-url "$url" s3api put-object --bucket "$bucket" \
                --key c --body "$work/object"
        fi
    done
}

# Sets $rate (operations a second) and $cpu (us each); "-" where the client
# cannot do it or the endpoint turns it away.
run_client() { # NAME VERB N
    local begun ended TIMEFORMAT='%U %S'

    rate=- cpu=-
    [[ $1 != curl* ]] || curl_list "$2" "$3"
    begun=${EPOCHREALTIME/./}
    { time "by_$1" "$2" "$3" >"$work/out" 2>"$work/err"; } 2>"$work/times" ||
        return 0
    ended=${EPOCHREALTIME/./}
    rate=$(awk -v n="$3" -v us=$((ended - begun)) \
        'BEGIN { printf "%.1f", n * 1e6 / us }')
    cpu=$(awk -v n="$3" '{ printf "%.1f", ($1 + $2) * 1e6 / n }' "$work/times")
}

measure() { # NAME N COMMAND: two rows of the table
    local i verb rate cpu rates cpus

    command -v "$3" >/dev/null || return 0
    for verb in get put; do
        rates=() cpus=()
        for ((i = 1; i <= rounds; i++)); do
            run_client "$1" "$verb" "$2"
            rates+=("$rate")
            cpus+=("$cpu")
            printf '%s\t%s\t%d\t%d\t%s\t%s\n' "$1" "$verb" "$i" "$2" "$rate" \
                "$cpu" >>"$work/tsv"
            [[ $rate != - ]] || break
        done
        printf '%-12s %-3s %7d %12s %12s\n' "$1" "$verb" "$2" \
            "$(median "${rates[@]}")" "$(median "${cpus[@]}")"
    done
}

main() {
    local arg

    for arg in "$@"; do
        case $arg in
            --quick) rounds=1 ;;
            --rounds=[1-9]*) rounds=${arg#*=} ;;
            *) die 2 "bad argument '$arg'" ;;
        esac
    done
    need jq taskset
    # It keeps what it gets: some clients compare the ETag of an upload.
    start_server plain "$server_core"
    export AWS_ENDPOINT_URL=$url
    fill_server "$url" "$size"
    write_settings
    run_s3op "$client_core" "$url" get "$size" 1 0.1s
    printf '#client\tverb\tround\tops\tops_per_s\tcpu_us\n' >"$work/tsv"
    printf '%s; %d bytes, medians of %d rounds\n' "$(machine)" "$size" "$rounds"
    printf '%-12s %-3s %7s %12s %12s\n' client '' ops ops/s 'CPU us/op'
    taskset -cp "$client_core" "$BASHPID" >/dev/null
    measure s3op_16 50000 "$s3op"
    measure s3op 10000 "$s3op"
    measure s3op_each 100 "$s3op"
    measure curl_16 10000 curl
    measure curl 2000 curl
    measure s3 100 s3
    measure s3cmd 10 s3cmd
    measure aws 3 aws
    printf '%s\n' '_16: with 16 in flight; s3op, curl: one process for all, the others,' \
        's3op_each too: one for each. -: the client or the endpoint cannot'
    cp "$work/tsv" bench-vs-clients.tsv
}

main "$@"
