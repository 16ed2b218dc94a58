#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Generated content is what --payload and --compressible say, goes up and is
# verified, and the summary says what it cost.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

readonly size=4194304

put_and_verify() { # OPTION...: three objects up, their copies in ./copies
    rm -rf copies
    "$S3OP" put -n 3 -c 2 -s "$size" "$@" -o copies --json "s3://$bucket/p" \
        >put.json
    "$S3OP" get -n 3 -c 2 -s "$size" "$@" --verify --json "s3://$bucket/p" \
        >get.json
    is "$(member get.json verified)" 3 'objects that are as uploaded'
    is "$(member get.json mismatched)" 0 'objects that differ'
}

# What COMMAND takes away of a copy, in percent with one decimal.
saving() { # COMMAND...
    "$@" <copies/p2 >packed
    awk -v size="$size" -v left="$(stat -c %s packed)" \
        'BEGIN { printf "%.1f\n", 100 * (1 - left / size) }'
}

is_near() { # PERCENT WANTED WHAT: within two points
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b <= 2 && b - a <= 2) }' || {
        note "$3 saves $1 %, not $2 %"
        return 1
    }
}

# No 4 KiB of any object twice.
no_duplicates() {
    local total

    cat copies/p1 copies/p2 copies/p3 >all
    split -b 4096 -a 6 --filter='sha256sum' all >sums
    total=$(wc -l <sums)
    is "$total" $((3 * size / 4096)) 'blocks of 4 KiB'
    is "$(sort -u sums | wc -l)" "$total" 'different blocks'
}

compresses_as_asked() { # PERCENT
    put_and_verify --compressible "$1"
    is "$(member put.json compressible)" "$1"
    is_near "$(saving gzip -c)" "$1" gzip
    is_near "$(saving zstd -q -c)" "$1" zstd
    is_near "$(saving xz -1 -c)" "$1" xz
}

every_share() {
    local percent

    for percent in 0 10 25 50 75 90 100; do
        compresses_as_asked "$percent"
    done
}

compressible_is_unique() {
    put_and_verify --compressible 100
    no_duplicates
    put_and_verify --compressible 50
    no_duplicates
}

small_objects_too() {
    "$S3OP" put -n 1 -s 8192 --compressible 50 -o small "s3://$bucket/s" \
        >record
    gzip -c <small/s1 >packed
    is_near "$(awk -v n="$(stat -c %s packed)" \
        'BEGIN { print 100 * (1 - n / 8192) }')" 50 gzip
}

text_is_text() {
    local saved

    put_and_verify --payload text
    is "$(member put.json payload)" text
    grep -aqv '^[a-z ]*$' copies/p1 && return 1
    saved=$(saving gzip -c)
    awk -v s="$saved" 'BEGIN { exit !(s > 50 && s < 80) }' || {
        note "gzip saves $saved %"
        return 1
    }
    no_duplicates
}

zero_is_zero() {
    put_and_verify --payload zero
    cmp -n "$size" copies/p1 /dev/zero
    is "$(stat -c %s copies/p1)" "$size"
}

a_file_repeats() {
    printf 'seventeen bytes.\n' >unit
    put_and_verify --payload unit
    is "$(member put.json payload)" unit
    cmp <(yes 'seventeen bytes.' | head -c "$size") copies/p3
}

another_content_is_found() {
    put_and_verify --payload text
    expect_exit 1 "$S3OP" get -n 3 -s "$size" --verify --json \
        "s3://$bucket/p" >get.json 2>err
    is "$(member get.json mismatched)" 3
    grep -q 'differs at byte 0' err
}

random_is_the_default() {
    put_and_verify --payload random
    is "$(member put.json payload)" random
    "$S3OP" get -n 3 -s "$size" --verify "s3://$bucket/p" >text
    no_duplicates
}

signed_hashes_hold() {
    local style

    # s3mem refuses a body whose hash is not the one that was signed.
    for style in random text zero unit; do
        "$S3OP" put -n 5 -s 100000 --payload "$style" --payload-hash signed \
            --json "s3://$bucket/h" >put.json
        is "$(member put.json ops)" 5
        is "$(member put.json late_hashes)" 0
    done
}

hashes_keep_ahead() {
    # s3mem checks them: none is another body's.
    "$S3OP" put -d 500ms -c 8 -s 1000 --payload-hash signed --json \
        "s3://$bucket/l" >put.json 2>err
    grep -q 'during the run, by a thread of their own' err
    is "$(member put.json errors)" 0
    [[ $(member put.json ops) -gt 0 ]]
    # So much that the thread cannot keep up: lanes wait, and it is said.
    "$S3OP" put -d 1s -c 64 -s 64Mi --payload-hash signed --json \
        "s3://$bucket/l" --endpoint "$null_endpoint" >put.json 2>err
    is "$(member put.json errors)" 0
    [[ $(member put.json late_hashes) -gt 0 ]]
    # All alike: one hash does.
    "$S3OP" put -d 300ms -c 4 -s 1000 --payload-hash signed --payload zero \
        --json "s3://$bucket/l" >put.json 2>err
    is "$(member put.json late_hashes)" 0
    expect_empty err
}

expect_empty() { # FILE
    [[ ! -s $1 ]] || {
        note "$(cat "$1")"
        return 1
    }
}

refused() { # TEXT OPTION...
    expect_exit 2 "$S3OP" put "${@:2}" "s3://$bucket/x" 2>err &&
        grep -qF -- "$1" err
}

nonsense_is_refused() {
    : >empty
    refused 'is 0 to 100 percent' -s 1 --compressible 101
    refused 'is for random content' -s 1 --compressible 1 --payload text
    refused "cannot read the payload 'none'" -s 1 --payload none
    refused "the payload 'empty' is empty" -s 1 --payload empty
    refused 'not for --file' --file unit --payload zero
    refused 'not for --file' --file unit --compressible 5
}

the_summary_states_the_client() {
    "$S3OP" put -n 2 -s 10 --json "s3://$bucket/f" >put.json
    [[ $(member put.json max_rss_kib) -gt 4000 ]]
    [[ $(member put.json client_library) == libcurl/* ]]
    is "$(member put.json kernel)" "$(uname -s) $(uname -r) $(uname -m)"
    is "$(member put.json cores)" "$(nproc)"
    "$S3OP" put -n 2 -s 10 "s3://$bucket/f" >text
    grep -Eq '^memory +[0-9.]+ MiB at most' text
    grep -q '^transport  libcurl/' text
    grep -q "^host .* core" text
}

bucket=$test_id
start_s3mem --null
null_endpoint=$AWS_ENDPOINT_URL
"$S3OP" mb "s3://$bucket" >record
start_s3mem
"$S3OP" mb "s3://$bucket" >record

test_expect 'random is the default and has no duplicates' random_is_the_default
test_expect 'compressible content compresses as asked' every_share
test_expect 'small objects compress as asked' small_objects_too
test_expect 'compressible content has no duplicates' compressible_is_unique
test_expect 'text is text, without duplicates' text_is_text
test_expect 'zero is zero' zero_is_zero
test_expect 'a file is repeated' a_file_repeats
test_expect 'another content does not verify' another_content_is_found
test_expect 'payload hashes hold for all kinds' signed_hashes_hold
test_expect 'hashes of an endless run keep ahead, or are waited for' hashes_keep_ahead
test_expect 'nonsense is refused' nonsense_is_refused
test_expect 'the summary states client and host' the_summary_states_the_client
done_testing
