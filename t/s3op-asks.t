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

# What curl, which signs by itself, is told of KEY.
ask() { # KEY[?QUERY] [OPTION]...
    curl -sS --aws-sigv4 aws:amz:us-east-1:s3 \
        --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -D answer \
        -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "${@:2}" \
        "$AWS_ENDPOINT_URL/$bucket/$1" >body
    tr -d '\r' <answer >headers
}

objects_are_what_was_said() {
    local random

    load put -n 3 -s 5 --content-type text/x-odd --metadata 'b-c=d e=é' \
        --metadata-size 1500 --tags 'a b=c&d,e=,f=g=h' \
        --storage-class STANDARD_IA "s3://$bucket/said"
    check sum '.request == {"content type": "text/x-odd",
        "metadata": "1 given, 1500 B random", "tags": "a b=c&d,e=,f=g=h",
        "storage class": "STANDARD_IA"}'
    ask said2
    has headers '^[Cc]ontent-[Tt]ype: text/x-odd$' '^x-amz-meta-b-c: d e=é$' \
        '^x-amz-storage-class: STANDARD_IA$' \
        '^x-amz-meta-random: [A-Za-z0-9_-]{1500}$' '^x-amz-tagging-count: 3$'
    random=$(grep '^x-amz-meta-random' headers)
    ask 'said2?tagging='
    has body '<Key>a b</Key><Value>c&amp;d</Value>' \
        '<Key>e</Key><Value></Value>' '<Key>f</Key><Value>g=h</Value>'
    "$S3OP" put -s 5 --metadata-size 1500 "s3://$bucket/said2" >record
    ask said2
    is "$(grep '^x-amz-meta-random' headers)" "$random" 'of the same seed'
    "$S3OP" put -s 5 --metadata-size 1500 --seed 2 "s3://$bucket/said2" >record
    ask said2
    [[ $(grep '^x-amz-meta-random' headers) != "$random" ]]
}

checksum_comes_back() { # KIND
    local form=()

    for form in '' signed-trailer unsigned-trailer; do
        load put -n 5 -c 2 -s 0..200000 --checksum "$1" \
            ${form:+--chunked "$form"} "s3://$bucket/sum"
        check sum ".ops == 5 and .request.checksum == \"$1\""
        load get -n 5 -c 2 --checksum "$1" "s3://$bucket/sum"
        check sum '.ops == 5 and .verified == 5 and .verify == "inline"'
        load get -n 5 -s 0..200000 --verify --checksum "$1" "s3://$bucket/sum"
        check sum '.ops == 5 and .verified == 5'
    done
}

# Made before, or during the run, or of a file.
all_have_checksums() {
    local hash

    for hash in signed unsigned; do
        load put -n 3 -s 0 --checksum sha1 --payload-hash "$hash" \
            "s3://$bucket/all/"
        load put -n 30 -c 3 -s 300000 --checksum crc32 --payload-hash "$hash" \
            "s3://$bucket/all/"
        load put -d 300ms -s 5..500 --checksum md5 --payload-hash "$hash" \
            "s3://$bucket/all/"
        check sum '.errors == 0 and .ops > 0'
        load put -d 300ms -s 500 --payload zero --checksum crc32c \
            --payload-hash "$hash" "s3://$bucket/all/"
        load put -n 3 --file "$srcdir/LICENSE" --checksum crc64nvme \
            --payload-hash "$hash" "s3://$bucket/all/"
        load get -n 3 --checksum crc64nvme "s3://$bucket/all/"
        check sum '.verified == 3'
    done
    load get -n 3 --checksum sha1 "s3://$bucket/all/" # is not there
    check sum '.ops == 3 and .verified == 0'
}

parts_have_theirs() {
    local kind id

    for kind in crc32 crc64nvme sha256; do
        s3op create-upload -o id --checksum "$kind" "$k.parts"
        id=$(<id)
        s3op put -s 70000 --checksum "$kind" --upload-id "$id" --part 1 \
            "$k.parts"
        is "$(column record status)" 200
        s3op rm --upload-id "$id" "$k.parts"
    done
}

bad_checksums_are_named() {
    refuses "bad checksum 'crc': it is crc32, crc32c" --checksum crc
    refuses '--checksum md5 does not go into a trailer' --checksum md5 \
        --chunked unsigned-trailer
    refuses "bad header 'x-amz-checksum-sha1'" --checksum crc32 \
        --header 'x-amz-checksum-sha1: x'
    expect_exit 2 "$S3OP" get --checksum md5 "$k" 2>err
    has err '^s3op: --checksum md5 is for put'
    expect_exit 2 "$S3OP" get --checksum crc32 --range 5 "$k" 2>err
    has err '^s3op: --checksum is of whole objects, not of a --range$'
}

# What is encrypted cannot be read without the key, so another one is.
sees_key() { # VERB TARGET
    see 1 without "$1" "$k"
    see 1 with "$1" --sse c "$2"
    sed -i 's/^target=.*/target=/' with without
    is "$(diff without with | sed -n 's/^< /-/p; s/^> /+/p' | tr '\n' ' ' |
        sed 's/ $//')" "$customer"
}

condition_is_asked() {
    see 1 without put -s 1 "$k.1"
    see 1 with put -s 1 --if-none-match "$k.2"
    sed -i 's/^target=.*/target=/' with without
    is "$(diff without with | sed -n 's/^< /-/p; s/^> /+/p')" '+if-none-match'
}

changes_copy() {
    see 1 without cp "$k" "$k.copy"
    see 1 with cp --sse c "$k.c" "$k.copy"
    is "$(diff without with | sed -n 's/^< /-/p; s/^> /+/p' | tr '\n' ' ' |
        sed 's/ $//')" "$source $customer"
}

refuses() { # PATTERN OPTION...
    expect_exit 2 "$S3OP" put -s 1 "${@:2}" "$k" 2>err >record
    has err "^s3op: $1"
}

bad_aspects_are_named() {
    local i many=()

    refuses "bad metadata '=v': it is K=V" --metadata =v
    refuses "bad metadata 'k': it is K=V" --metadata k
    refuses "bad metadata 'k=': it is K=V" --metadata k=
    refuses "bad metadata 'K=w': it is K=V, each K once" --metadata k=v \
        --metadata K=w
    refuses "bad metadata 'a b=c'" --metadata 'a b=c'
    refuses 'bad metadata: random is' --metadata random=1 --metadata-size 5
    refuses 'bad metadata-size: it is at most 16384' --metadata-size 16385
    refuses "bad tags 'a'" --tags a
    refuses "bad tags 'a=b,'" --tags a=b,
    refuses "bad tags ',a=b'" --tags ,a=b
    refuses "bad tags ''" --tags ''
    refuses "bad content-type ' x'" --content-type ' x'
    refuses "bad storage-class ''" --storage-class ''
    refuses "bad header 'content-type': another option sets it" \
        --header 'content-type: a/b' --content-type a/c
    refuses "x-amz-tagging is said of an object as it begins" --tags a=b \
        --upload-id x --part 1
    for i in {1..32}; do
        many+=(--metadata "k$i=v")
    done
    refuses '--tags is too much' "${many[@]}" --tags a=b \
        --content-type a/b --metadata-size 10 --storage-class X
    expect_exit 2 "$S3OP" get --tags a=b "$k" 2>err
    has err '^s3op: --tags does not go with get$'
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
put=(put -s 10 "$k")
test_expect '--content-type' changes '+content-type' \
    --content-type text/x-odd -- "${put[@]}"
test_expect '--metadata' changes '+x-amz-meta-a +x-amz-meta-b-c' \
    --metadata a=1 --metadata 'b-c=d  e=f' -- "${put[@]}"
test_expect '--metadata-size' changes '+x-amz-meta-random' \
    --metadata-size 1000 -- "${put[@]}"
test_expect '--tags' changes '+x-amz-tagging' --tags a=b,c= -- "${put[@]}"
test_expect '--storage-class' changes '+x-amz-storage-class' \
    --storage-class STANDARD_IA -- "${put[@]}"
test_expect 'cp --storage-class' changes '+x-amz-storage-class' \
    --storage-class STANDARD_IA -- cp "$k" "$k.copy"
test_expect 'an upload in parts begins with them' \
    changes '+content-type +x-amz-meta-a +x-amz-tagging' --metadata a=1 \
    --content-type text/x-odd --tags a=b -- create-upload "$k"
for kind in crc32 crc32c crc64nvme sha1 sha256; do
    test_expect "put --checksum $kind" changes "+x-amz-checksum-$kind" \
        --checksum "$kind" -- "${put[@]}"
    test_expect "checksum $kind comes back" checksum_comes_back "$kind"
done
test_expect 'put --checksum md5' changes '+content-md5' --checksum md5 -- \
    "${put[@]}"
test_expect 'a checksum follows when asked' changes \
    '-length=52 +length=59' --checksum crc64nvme -- "${put[@]}" \
    --chunked unsigned-trailer
test_expect 'get --checksum' changes '+x-amz-checksum-mode' \
    --checksum crc32 -- get "$k"
test_expect 'an upload in parts says the checksum' changes \
    '+x-amz-checksum-algorithm' --checksum sha1 -- create-upload "$k"
export S3PERF_SSE_C_KEY=MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=
sse=x-amz-server-side-encryption
customer="+$sse-customer-algorithm +$sse-customer-key +$sse-customer-key-md5"
source=${customer//amz-/amz-copy-source-}
test_expect '--sse s3' changes "+$sse" --sse s3 -- "${put[@]}"
test_expect '--sse kms' changes "+$sse" --sse kms -- "${put[@]}"
test_expect '--sse kms:KEY-ID' changes "+$sse +$sse-aws-kms-key-id" \
    --sse kms:k1 -- "${put[@]}"
test_expect 'cp --sse s3' changes "+$sse" --sse s3 -- cp "$k" "$k.copy"
test_expect 'put --sse c' changes "$customer" --sse c -- put -s 1 "$k.c"
"$S3OP" put -s 100 --sse c "$k.c" >/dev/null || die "cannot put $k.c"
test_expect 'get --sse c' sees_key get "$k.c"
test_expect 'head --sse c' sees_key head "$k.c"
test_expect 'cp --sse c' changes_copy
test_expect 'create-upload --sse c' changes "$customer" --sse c -- \
    create-upload "$k.c"
test_expect '--if-none-match' condition_is_asked
test_expect '--if-match' changes '+if-match' --if-match '*' -- "${put[@]}"
"$S3OP" mb --object-lock "s3://$bucket-l" >/dev/null || die 'cannot lock'
lock=x-amz-object-lock
test_expect '--append' changes '+x-amz-write-offset-bytes' \
    --append --offset 10 -- "${put[@]}"
test_expect '--retention' changes "+$lock-mode +$lock-retain-until-date" \
    --retention governance:1h -- put -s 1 --checksum md5 "s3://$bucket-l/k"
test_expect '--legal-hold' changes "+$lock-legal-hold" --legal-hold -- \
    put -s 1 --checksum md5 "s3://$bucket-l/k"
test_expect '--bypass-governance' changes \
    '+x-amz-bypass-governance-retention' --bypass-governance -- \
    rm "s3://$bucket-l/k"
test_expect 'all bodies have their checksums' all_have_checksums
test_expect 'parts have their checksums' parts_have_theirs
test_expect 'bad checksums are named' bad_checksums_are_named
test_expect 'objects are what was said' objects_are_what_was_said
test_expect 'bad aspects are named' bad_aspects_are_named
test_expect '--batch' batches 1 --batch
test_expect '--batch=4' batches 3 --batch=4
test_expect '--batch 5' batches 2 --batch 5
test_expect '--batch, then an option' batches 1 --batch -c 1
test_expect 'targets are shared out' targets_are_shared_out
test_expect 'bad batches are named' batch_is_bounded
done_testing
