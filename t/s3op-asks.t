#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each option about requests changes what it says and nothing else, as the
# server's log tells it.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

log_has() { # LINES
    (($(wc -l <"$access") >= $1))
}

# Run s3op; what the server saw of its N requests goes to FILE, a thing a line.
see() { # N FILE ARG...
    local before

    before=$(wc -l <"$access")
    "$S3OP" "${@:3}" >record 2>err || {
        note "s3op ${*:3} failed:" "$(cat err)"
        return 1
    }
    wait_for 20 log_has $((before + $1)) # they are written after the answer
    tail -n +$((before + 1)) "$access" | awk -F'\t' '{
        print "method=" $4
        print "target=" $5
        n = split($9, names, ";")
        for (i = 1; i <= n; i++) print tolower(names[i])
        print "length=" $10
        n = split($8, names, ";")
        for (i = 1; i <= n; i++) signed[names[i]] = 1
        n = split($9, names, ";")
        for (i = 1; i <= n; i++) {
            name = tolower(names[i])
            if (name ~ /^(x-amz-|range$|if-|content-(md5|type)$)/ &&
                !(name in signed)) print name " is not signed"
        }
        print "requests"
    }' | sort >"$2"
}

# The option adds and takes away what WANT says, and the rest is as without.
changes() { # WANT OPTION... -- VERB ARG...
    local want=$1 option=()

    shift
    while [[ $1 != -- ]]; do
        option+=("$1")
        shift
    done
    shift
    see 1 without "$@"
    see 1 with "$@" "${option[@]}"
    is "$(diff without with | sed -n 's/^< /-/p; s/^> /+/p' | tr '\n' ' ' |
        sed 's/ $//')" "$want" "what ${option[*]} changes"
}

batches() { # REQUESTS OPTION...
    "$S3OP" put -n 10 -s 1 "s3://$bucket/n" >record
    see "$1" asked rm -n 10 "${@:2}" --json "s3://$bucket/n"
    check record ".ops == $1 and .errors == 0"
    is "$(grep -c '^method=POST$' asked)" "$1" requests
    "$S3OP" ls -n 1 --json "s3://$bucket/n" >sum
    check sum '.entries == 0'
}

batch_is_bounded() {
    expect_exit 2 "$S3OP" rm --batch 0 "s3://$bucket/k" 2>err
    has err "^s3op: bad batch '0'\$"
    expect_exit 2 "$S3OP" rm --batch=1001 "s3://$bucket/k" 2>err
    has err '^s3op: bad batch: it is at most 1000$'
    expect_exit 2 "$S3OP" rm --batch 2x "s3://$bucket/k" 2>err
    has err "^s3op: bad batch '2x'\$"
    expect_exit 2 "$S3OP" rm --batch 2 3 "s3://$bucket/k" 2>err
    has err "^s3op: bad target '3'"
}

targets_are_shared_out() {
    local n

    for n in 1 2 3 4 5; do
        "$S3OP" put -s 1 "s3://$bucket/t$n" >record
    done
    see 3 asked rm --batch 2 "s3://$bucket"/t{1,2,3,4,5}
    "$S3OP" ls -n 1 --json "s3://$bucket/t" >sum
    check sum '.entries == 0'
}

access=$PWD/access bucket=$test_id k=s3://$test_id/k
start_s3mem --access-log "$access"
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
"$S3OP" put -s 100 "$k" >/dev/null || die "cannot put $k"

test_expect 'nothing changes by itself' changes '' -- get "$k"
test_expect '--range' changes '+range' --range 10 -- get "$k"
test_expect '--offset' changes '+range' --range 10 --offset 3 -- get "$k"
test_expect '--part' changes "-target=/$bucket/k +target=/$bucket/k?partNumber=1" \
    --part 1 -- head "$k"
test_expect '--version-id' \
    changes "-target=/$bucket/k +target=/$bucket/k?versionId=null" \
    --version-id null -- get "$k"
test_expect '--batch' batches 1 --batch
test_expect '--batch=4' batches 3 --batch=4
test_expect '--batch 5' batches 2 --batch 5
test_expect '--batch, then an option' batches 1 --batch -c 1
test_expect 'targets are shared out' targets_are_shared_out
test_expect 'bad batches are named' batch_is_bounded
done_testing
