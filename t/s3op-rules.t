#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Conditional writes, versions, retention and legal hold; and servers that
# lack them.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

fails_with() { # STATUS/CODE ARG...
    expect_exit 1 "$S3OP" --columns "${@:2}" >record 2>err
    is "$(column record status)/$(column record code)" "$1" "of ${*:2}"
}

refuses() { # PATTERN VERB ARG...
    expect_exit 2 "$S3OP" "${@:2}" >record 2>err
    has err "^s3op: $1"
}

conditions_hold() {
    s3op put -s 10 --if-none-match "s3://$bucket/c"
    fails_with 412/PreconditionFailed put -s 10 --if-none-match \
        "s3://$bucket/c"
    s3op put -s 0 "s3://$bucket/empty"
    s3op put -s 1 --if-match d41d8cd98f00b204e9800998ecf8427e \
        "s3://$bucket/empty"
    fails_with 412/PreconditionFailed put -s 1 \
        --if-match '"d41d8cd98f00b204e9800998ecf8427e"' "s3://$bucket/empty"
    expect_exit 1 "$S3OP" put -n 10 -s 1 --objects 5 --if-none-match --json \
        "s3://$bucket/many" >sum 2>err
    check sum '.ops == 5 and .errors == 5 and
        .request["if-none-match"] == "*"'
}

a_bucket_keeps_versions() {
    s3op mb --versioned "s3://$bucket-v"
    is "$(column record op | tr '\n' ' ')" 'mb versioning '
    is "$(column record status | tr '\n' ' ')" '200 200 '
    load put -n 6 -s 10 --objects 2 "s3://$bucket-v/o"
    "$S3OP" ls --versions -o names "s3://$bucket-v" >record
    is "$(wc -l <names)" 6 versions
    expect_exit 1 "$S3OP" mb --versioned "s3://$bucket-v/k" 2>err || :
    load mb -n 2 --versioned "s3://$bucket-n"
    check sum '.ops == 4 and .errors == 0'
    load rb -n 2 "s3://$bucket-n"
}

version_of() { # KEY
    "$S3OP" ls --versions -o names "s3://$bucket-l/$1" >record
    cut -f 4 names
}

locks_hold() {
    local id

    s3op mb --object-lock "s3://$bucket-l"
    s3op put -s 10 --retention governance:1h --checksum crc32 \
        "s3://$bucket-l/r"
    id=$(version_of r)
    fails_with 403/AccessDenied rm --version-id "$id" "s3://$bucket-l/r"
    s3op rm --version-id "$id" --bypass-governance "s3://$bucket-l/r"
    s3op put -s 10 --legal-hold --checksum crc32 "s3://$bucket-l/h"
    id=$(version_of h)
    fails_with 403/AccessDenied rm --version-id "$id" --bypass-governance \
        "s3://$bucket-l/h"
    s3op release "s3://$bucket-l/h"
    is "$(column record op) $(column record status)" 'release 200'
    s3op rm --version-id "$id" "s3://$bucket-l/h"
    load put -n 3 -s 1 --legal-hold --retention governance:1h --checksum md5 \
        "s3://$bucket-l/m"
    load release -n 3 -c 3 "s3://$bucket-l/m"
    check sum '.ops == 3 and .errors == 0'
}

appends_add_up() {
    load put -n 600 -c 7 -s 70 --objects 3 --append "s3://$bucket/a"
    check sum '.ops == 600 and .errors == 0 and .good_bytes == 42000 and
        .request.append == "yes"'
    s3op head -s 14000 "s3://$bucket/a1"
    s3op head -s 14000 "s3://$bucket/a3"
    s3op put -s 5 --append --offset 14000 "s3://$bucket/a3"
    s3op head -s 14005 "s3://$bucket/a3"
    fails_with 400/InvalidWriteOffset put -s 5 --append --offset 7 \
        "s3://$bucket/a3"
    refuses '--offset of put needs --append' put -s 5 --offset 5 "$k"
    refuses '--append needs one size for all' put -n 2 -s 5..6 --append "$k"
    refuses '--append takes the objects in turn' put -n 2 -s 5 --append \
        --pick shuffle "$k"
}

versions_are_told_apart() {
    local all=s3://$bucket-w/o

    s3op mb --versioned "s3://$bucket-w"
    load put -n 6 -s 10 --objects 2 "$all"
    load put -n 2 -s 30 "$all"
    "$S3OP" ls --versions -o names "s3://$bucket-w" >record
    awk '$1 == 10' names | tee old | cut -f 3 | sed 's/^o//' >keys
    cut -f 4 old >ids
    load get --keys keys --version-ids ids -c 3 -s 10 --verify "$all"
    check sum '.ops == 6 and .verified == 6'
    load head -n 12 --keys keys --version-ids ids --pick shuffle -s 10 "$all"
    check sum '.ops == 12'
    load get -n 2 -s 30 "$all"
    load rm --batch 4 --keys keys --version-ids ids "$all"
    check sum '.ops == 2'
    load head -n 2 -s 30 "$all"
    "$S3OP" ls --versions -o names "s3://$bucket-w" >record
    is "$(cut -f 1,5 names | tr '\t\n' '  ')" '30 latest 30 latest '
    cut -f 3 names | sed 's/^o//' >keys
    cut -f 4 names >ids
    load rm --keys keys --version-ids ids "$all"
    s3op rb "s3://$bucket-w"
    refuses '--version-ids are those of --keys' get --version-ids ids "$all"
    echo more >>ids
    refuses '--keys has 2 names, --version-ids 3' get --keys keys \
        --version-ids ids "$all"
}

bad_rules_are_named() {
    local bad

    for bad in '' 1h governance governance: governance:0s compliance:1x \
        GOVERNANCE:1h governance:-1s governance:5ms; do
        refuses "bad retention '$bad': it is governance:TIME" put -s 1 \
            --retention "$bad" s3://b/k
    done
    refuses "bad if-match ''" put -s 1 --if-match '' s3://b/k
    refuses '--if-none-match does not go with get' get --if-none-match s3://b/k
    refuses 'If-None-Match is said of an object as it begins' put -s 1 \
        --if-none-match --upload-id x --part 1 s3://b/k
    refuses "bad target 's3://b': it is s3://BUCKET/KEY" release s3://b
    refuses "bad header 'if-match': another option sets it" put -s 1 \
        --if-match a --header 'if-match: b' s3://b/k
}

lacks() { # FEATURE WHAT VERB ARG...
    start_s3mem --without "$1"
    "$S3OP" mb "s3://$bucket" >record
    expect_exit 1 "$S3OP" "${@:3}" >record 2>err
    has err '501 NotImplemented' "the server may lack $2"
}

bucket=$test_id k=s3://$test_id/k
start_s3mem
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
test_expect 'conditions hold' conditions_hold
test_expect 'a bucket keeps versions' a_bucket_keeps_versions
test_expect 'locks hold until they are lifted' locks_hold
test_expect 'appends add up' appends_add_up
test_expect 'versions are told apart' versions_are_told_apart
test_expect 'bad rules are named' bad_rules_are_named
test_expect 'no locks' lacks lock 'object lock' mb --object-lock \
    "s3://$bucket-x"
test_expect 'no retention' lacks lock 'object lock' put -s 1 \
    --retention governance:1h --checksum crc32 "$k"
test_expect 'no versions' lacks versions versions mb --versioned \
    "s3://$bucket-x"
test_expect 'no conditions' lacks conditional-writes 'conditional writes' \
    put -s 1 --if-none-match "$k"
test_expect 'no appends' lacks append appends put -s 1 --append "$k"
test_expect 'no tags' lacks tags --tags put -s 1 --tags a=b "$k"
test_expect 'no encryption' lacks sse 'what --sse asks for' put -s 1 \
    --sse s3 "$k"
test_expect 'no checksums' lacks checksums --checksum put -s 1 \
    --checksum sha1 "$k"
test_expect 'no storage classes' lacks storage-class --storage-class \
    put -s 1 --storage-class STANDARD "$k"
test_expect 'no trailers' lacks trailers --chunked put -s 1 \
    --chunked unsigned-trailer "$k"
test_expect 'no deletion of many' lacks batch-delete 'the deletion of many' \
    rm --batch 2 "$k"
done_testing
