#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Mixed operations over one pool, and ranges of many kinds.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

refuses() { # PATTERN ARG...
    expect_exit 2 "$S3OP" "${@:2}" >record 2>err
    has err "^s3op: $1"
}

slice() { # NAME JQ-EXPRESSION
    check sum ".slices | map(select(.name == \"$1\"))[0] | $2"
}

# An object that is being deleted is never read: nothing fails.
a_mix_is_kept_by_count() {
    load put -n 50 -s 3000 "s3://$bucket/k"
    load mixed -n 2000 -c 32 -s 3000 --objects 50 --verify --log log \
        --mix get=45,head=15,put=15,rm=15,ls=3,cp=5,get-range=2 \
        --range 100 --offset random "s3://$bucket/k"
    check sum '.op == "mixed" and .ops == 2000 and .errors == 0'
    check sum '.request.mix | startswith("get=45")'
    check sum '.verified == 940 and .mismatched == 0'
    slice get '.by == "operation" and .ops == 900'
    slice get-range '.ops == 40'
    slice head '.ops == 300'
    slice put '.ops == 300'
    slice rm '.ops == 300'
    slice ls '.ops == 60'
    slice cp '.ops == 100'
    is "$(column log op | sort | uniq -c | awk '{ print $2 "=" $1 }' |
        tr '\n' ' ')" \
        'cp=100 get=900 get-range=40 head=300 ls=60 put=300 rm=300 ' records
    is "$(paste <(column log op) <(column log key) |
        awk '$1 == "ls" { print $2 }' | sort -u)" - 'a list has no key'
}

# What is deleted is put again under the same number: names do not run away.
names_are_used_again() {
    local most

    most=$(column log key | sed -n 's/^k\([0-9]*\)$/\1/p' | sort -n |
        tail -n 1)
    ((most <= 50 + 32)) || {
        note "k$most"
        return 1
    }
    column log key >keys
    has keys '^kcopy-[0-9]*$'
    load rm -n $((50 + 300)) --batch "s3://$bucket/k"
    load rm -n $((50 + 300)) --batch "s3://$bucket/kcopy-"
    load ls -n 1 "s3://$bucket/"
    check sum '.entries == 0'
}

rates_are_kept() {
    load put -n 40 -s 1..5000 "s3://$bucket/r"
    load mixed -d 500ms -s 1..5000 -c 16 --objects 40 --verify \
        --mix get=200/s,put=100/s,rm=100/s "s3://$bucket/r"
    check sum '.rate_asked == 400 and .errors == 0 and .late_hashes == 0'
    check sum '(.slices | map(select(.by == "operation").ops)) as [$g, $p, $r]
        | $g >= 95 and $g <= 102 and $p >= 47 and $p <= 51 and
            $r >= 47 and $r <= 51'
    check sum '.slices | map(select(.by == "size")) | length > 3'
    refuses 'at a rate each operation in flight' mixed -d 1s -s 1 \
        --objects 2 --mix get=1/s "s3://$bucket/r"
    refuses '--mix says the rates already' mixed -d 1s -r 5 -s 1 --objects 2 \
        --mix get=1/s "s3://$bucket/r"
}

workers_have_objects_of_their_own() {
    load put -n 41 -s 100 "s3://$bucket/w"
    load mixed -n 801 -c 8 -s 100 --objects 41 --workers 3 --verify \
        --mix get=4,put=2,rm=2 "s3://$bucket/w"
    check sum '.ops == 801 and .errors == 0 and .verified == .slices[0].ops'
    slice get '.ops >= 399 and .ops <= 402'
    slice put '.ops >= 199 and .ops <= 202'
}

# Once all are gone, only what is possible is done.
a_pool_runs_dry() {
    load put -n 10 -s 100 "s3://$bucket/d"
    load mixed -n 100 -s 100 --objects 10 --mix get=1,rm=1 "s3://$bucket/d"
    check sum '.errors == 0 and .ops >= 19 and .ops <= 21'
    slice rm '.ops == 10'
}

failures_are_told_apart() {
    load put -n 10 -s 100 "s3://$bucket/f"
    expect_exit 1 "$S3OP" mixed -n 100 --objects 20 --mix get=3,rm=1 --json \
        "s3://$bucket/f" >sum 2>err
    slice rm '.errors == 0 and .ops > 0'
    slice get '.errors > 0 and .ops > 0'
    has err 'NoSuchKey'
}

mixes_that_cannot_be() {
    refuses 'mixed needs to know what is mixed' mixed -n 1 "s3://$bucket/k"
    refuses "bad mix 'get=1,dig=2'" mixed -n 1 --mix get=1,dig=2 \
        "s3://$bucket/k"
    refuses 'mixed needs to know how many objects' mixed -n 1 --mix get=1 \
        "s3://$bucket/k"
    refuses 'mixed needs an end' mixed --objects 3 --mix get=1 "s3://$bucket/k"
    refuses 'a mix with puts needs a --size' mixed -n 1 --objects 3 \
        --mix get=1,put=1 "s3://$bucket/k"
    refuses 'get-range in the mix and --range' mixed -n 1 --objects 3 \
        --mix get-range=1 "s3://$bucket/k"
    refuses 'bad target' mixed -n 1 --objects 3 --mix get=1 "s3://$bucket"
    refuses '--mix does not go with get' get -n 1 --mix get=1 "s3://$bucket/k"
}

# One range after another is the whole object.
ranges_follow_one_another() {
    load put -n 3 -s 10000 "s3://$bucket/s"
    load get -n 9 -c 2 -s 10000 --range 4000 --offset sequential --verify \
        --log log "s3://$bucket/s"
    check sum '.ops == 9 and .good_bytes == 30000 and .verified == 9'
    is "$(column log key | sort | uniq -c | awk '{ print $2 "=" $1 }' |
        tr '\n' ' ')" 's1=3 s2=3 s3=3 ' keys
}

ranges_are_inside() {
    load get -n 300 --objects 3 -s 10000 --range 4000 --offset random \
        --verify "s3://$bucket/s"
    check sum '.ops == 300 and .good_bytes == 1200000'
    load get -n 300 --objects 3 -s 10000 --range random --verify \
        "s3://$bucket/s"
    check sum '.ops == 300 and .good_bytes < 2700000'
    load get -n 300 --objects 3 -s 10000 --range 5000 --offset aligned \
        --verify "s3://$bucket/s"
    check sum '.request.range == "5000 B, aligned"'
    refuses 'such ranges need to know' get -n 3 --range 10 --offset random \
        "s3://$bucket/s"
    refuses 'the range ends behind the object' get -n 3 -s 10000 \
        --range 4000 --offset 6001 "s3://$bucket/s"
    refuses 'the range ends behind the object' get -n 3 -s 10..20 \
        --range 11 --offset random "s3://$bucket/s"
    refuses '--offset needs to know how many' get -n 3 --offset 3 \
        "s3://$bucket/s"
    refuses "bad range '0'" get -n 3 --range 0 "s3://$bucket/s"
}

pages_are_limited() {
    load put -n 30 -s 0 "s3://$bucket/p"
    load ls -n 1 --max-keys 10 "s3://$bucket/p"
    check sum '.ops == 3 and .entries == 30'
    load ls -n 2 --max-keys 10 --pages 2 "s3://$bucket/p"
    check sum '.ops == 4 and .entries == 40'
}

start_s3mem
bucket=mixed-$$
s3op mb "s3://$bucket"
test_expect 'a mix is kept by count' a_mix_is_kept_by_count
test_expect 'names are used again' names_are_used_again
test_expect 'rates are kept' rates_are_kept
if command -v parallel >/dev/null; then
    test_expect 'workers have objects of their own' \
        workers_have_objects_of_their_own
else
    test_skip 'workers have objects of their own' 'there is no GNU parallel'
fi
test_expect 'a pool runs dry' a_pool_runs_dry
test_expect 'failures are told apart' failures_are_told_apart
test_expect 'mixes that cannot be' mixes_that_cannot_be
test_expect 'ranges follow one another' ranges_follow_one_another
test_expect 'ranges are inside' ranges_are_inside
test_expect 'pages are limited' pages_are_limited
done_testing
