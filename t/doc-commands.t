#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The commands in the pages for users of other tools: each block that is
# marked "sh run" is run, against s3mem, scaled down:
#   -d and --cell-time   minutes become tenths of a second
#   sizes                Mi becomes Ki, and Ki bytes
#   -n and --objects     of 100 and more are divided by 100
#   http://endpointN     1 and 2 are s3mem, on another loopback address each,
#                        3 is another one
. "${srcdir:-.}/t/test-lib.sh"

scale_down() {
    sed -E -e 's/(-d|--cell-time) ([0-9]+)m\b/\1 0.\2s/g' \
        -e 's/\b([0-9]+)Ki\b/\1/g' -e 's/\b([0-9]+)Mi\b/\1Ki/g' \
        -e 's/(-n|--objects) ([0-9]+)00\b/\1 \2/g' \
        -e "s,http://endpoint3:[0-9]+,$other,g" \
        -e "s,http://endpoint(\\{1\\.\\.\\.2\\}|[0-9]):[0-9]+,http://127.0.0.\\1:$port,g"
}

# Block NUMBER, from 1, of PAGE.
block() { # PAGE NUMBER
    awk -v want="$2" '
        $0 == "```sh run" { on = ++n == want; next }
        $0 == "```" { on = 0 }
        on' "$1"
}

# Programs as the pages call them; any that fails ends the block.
s3op() {
    "$S3OP" "$@" || {
        local status=$?

        note "s3op $*: status $status"
        return "$status"
    }
}

s3stat() {
    "$S3STAT" "$@"
}

block_runs() { # PAGE NUMBER
    local folder=$test_tmp/block

    rm -rf "$folder"
    mkdir "$folder"
    block "$1" "$2" | scale_down >"$folder/text"
    [[ -s $folder/text ]] || return
    sed -i 's,\./s3perf\.sh,"$S3PERF",' "$folder/text"
    (
        cd -- "$folder"
        set -e
        # shellcheck disable=SC1091 # it has just been made
        . ./text
    ) >out 2>err || {
        note "$1, block $2:" "$(tail -n 5 err)"
        return 1
    }
}

start_s3mem
other=$AWS_ENDPOINT_URL
start_s3mem --listen 0.0.0.0
port=${AWS_ENDPOINT_URL##*:}
export AWS_ENDPOINT_URL=http://127.0.0.1:$port
for page in from-ossperf from-s3bench from-warp; do
    file=$srcdir/doc/$page.md
    count=$(grep -c '^```sh run$' "$file")
    for ((number = 1; number <= count; number++)); do
        test_expect "$page, block $number" block_runs "$file" "$number"
        for bucket in loadgen test; do
            "$S3OP" rb "s3://$bucket" >out 2>&1 || :
        done
    done
done
done_testing
