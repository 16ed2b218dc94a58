#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sizes, names and the order in which objects come.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

refuses() { # REGEX ARG...
    expect_exit 2 "$S3OP" "${@:2}" >out 2>err
    has err "^s3op: $1"
}

classes_are_exact() {
    load put -n 40 -c 8 -s 0:1,1Ki:2,64Ki..70Ki:1 --log log "s3://$bucket/c"
    check sum '.ops == 40 and .sizes == "0:1,1Ki:2,64Ki..70Ki:1"'
    check sum '[.slices[] | select(.by == "size") | [.name, .ops]] ==
        [["0", 10], ["1Ki", 20], ["64Ki..70Ki", 10]]'
    check sum '([.slices[].good_bytes] | add) == .good_bytes'
    is "$(column log size | awk '$1 == 0' | wc -l)" 10
    is "$(column log size | awk '$1 >= 65536 && $1 <= 71680' | wc -l)" 10
}

# What one run puts, any other one finds, by its number alone.
sizes_agree() {
    local spec

    for spec in 0..3000 log2:100Ki lognormal:4Ki,1,64Ki 1:1,70Ki:1; do
        load put -n 60 -c 8 -s "$spec" --seed 7 "s3://$bucket/a"
        check sum '.ops == 60'
        load get -n 60 -c 8 -s "$spec" --seed 7 --verify --pick shuffle \
            "s3://$bucket/a"
        check sum '.verified == 60 and .errors == 0'
        load head -n 100 -c 8 -s "$spec" --seed 7 --objects 60 \
            --pick uniform "s3://$bucket/a"
        check sum '.ops == 100'
    done
    load get -n 60 -c 4 -s "$spec" --seed 7 --verify --workers 3 \
        "s3://$bucket/a"
    check sum '.verified == 60 and ([.slices[].ops] | add) == 60'
    expect_exit 1 "$S3OP" get -n 60 -s "$spec" --seed 8 "s3://$bucket/a" \
        >out 2>err
    expect_exit 1 "$S3OP" head -n 60 -s 5 --seed 8 --json "s3://$bucket/a" \
        >sum 2>err
    check sum '.errors == 60 and .failures[0].transport == "short"'
}

empty_objects_are_objects() {
    load put -n 20 -c 4 -s 0 "s3://$bucket/e"
    check sum '.ops == 20 and .good_bytes == 0 and (.slices // []) == []'
    load get -n 20 -c 4 -s 0 --verify "s3://$bucket/e"
    check sum '.verified == 20'
}

# Uploads of bodies that differ in size carry the right hash: s3mem checks.
hashes_fit_the_bodies() {
    local how

    for how in signed unsigned; do
        load put -d 0.5 -c 4 -s 0..9000 --payload-hash "$how" \
            "s3://$bucket/h"
        check sum '.errors == 0 and .ops > 10'
        load put -n 50 -c 4 -s 60Ki..70Ki --objects 10 --pick zipf:1 \
            --payload-hash "$how" "s3://$bucket/h"
        check sum '.ops == 50 and .late_hashes == 0'
    done
    # Content that is alike is as many bodies as there are sizes.
    load put -n 50 -c 4 -s 0..9000 --payload zero --payload-hash signed \
        "s3://$bucket/h"
    check sum '.ops == 50 and .errors == 0'
}

key_numbers() { # LOG: of each record
    column "$1" key | sed 's/.*[^0-9]//'
}

differ() { # FILE FILE
    if cmp -s "$1" "$2"; then return 1; fi
}

order_is_the_chosen_one() {
    load put -n 50 -s 1 "s3://$bucket/o"
    load head -n 100 --objects 50 --log log "s3://$bucket/o"
    key_numbers log >seen
    { seq 50 && seq 50; } | cmp - seen
    load head -n 100 --objects 50 --pick shuffle --log log "s3://$bucket/o"
    key_numbers log >seen
    head -n 50 seen | sort -n | cmp - <(seq 50)
    tail -n 50 seen | sort -n | cmp - <(seq 50)
    differ <(head -n 50 seen) <(seq 50)
    differ <(head -n 50 seen) <(tail -n 50 seen)
    load head -n 100 --objects 50 --pick shuffle --log log2 "s3://$bucket/o"
    key_numbers log2 | cmp - seen
    load head -n 100 --objects 50 --pick shuffle --seed 2 --log log2 \
        "s3://$bucket/o"
    differ <(key_numbers log2) seen
    # Zipf: of 50 objects the first has 22 %, the second 11 %.
    load head -n 2000 -c 4 --objects 50 --pick zipf:1 --log log \
        "s3://$bucket/o"
    key_numbers log | sort | uniq -c | sort -rn | awk '
        NR == 1 && ($1 < 380 || $1 > 510) { print "first: " $1; exit 1 }
        NR == 2 && ($1 < 170 || $1 > 280) { print "second: " $1; exit 1 }
        END { if (NR < 40) exit 1 }'
    # Several processes visit what one does.
    load head -n 2000 -c 4 --objects 50 --pick zipf:1 --workers 2 --log log2 \
        "s3://$bucket/o"
    cmp <(key_numbers log | sort) <(key_numbers log2 | sort)
    load rm -n 50 --pick shuffle --batch "s3://$bucket/o"
    load ls --prefix o -n 1 "s3://$bucket"
    check sum '.entries == 0'
}

names_are_spread() {
    load put -n 6 -s 10 --prefixes 3 "s3://$bucket/p/"
    "$S3OP" ls -o names "s3://$bucket/p/" >record
    cut -f 3 names >got
    printf 'p/%s\n' 1/1 1/4 2/2 2/5 3/3 3/6 | cmp - got
    load get -n 6 -s 10 --prefixes 3 --verify "s3://$bucket/p/"
    check sum '.verified == 6'
    load rm -n 6 --prefixes 3 "s3://$bucket/p/"
    load put -n 6 -s 10 --key-entropy head "s3://$bucket/p/"
    "$S3OP" ls -o names "s3://$bucket/p/" >record
    is "$(grep -cE '	p/[0-9a-f]{8}-[1-6]$' names)" 6
    load cp -n 6 --key-entropy head "s3://$bucket/p/" "s3://$bucket/q/"
    load get -n 6 -s 10 --key-entropy head "s3://$bucket/q/"
    load rm -n 6 --batch --key-entropy head "s3://$bucket/p/"
    load rm -n 6 --batch --key-entropy head "s3://$bucket/q/"
    load put -n 6 -s 10 --key-entropy tail --prefixes 2 "s3://$bucket/p/"
    "$S3OP" ls -o names "s3://$bucket/p/" >record
    is "$(grep -cE '	p/[12]/[1-6]-[0-9a-f]{8}$' names)" 6
    load rm -n 6 --batch --key-entropy tail --prefixes 2 "s3://$bucket/p/"
}

# The names that break other clients, from a list of the user's.
listed_names_are_used() {
    printf '%s\n' 'a b+c=é' 'dt=2024-05-22/x' "a!b\$c&d'e(f)g*h,i;j=k" \
        '~tilde~' 'per%cent%41' 'double//slash' '😀' 'q?m#h' >keys
    load put --keys keys -c 3 -s 10..20 "s3://$bucket/l/"
    check sum '.ops == 8'
    "$S3OP" ls -o names "s3://$bucket/l/" >record
    is "$(wc -l <names)" 8
    has names '	l/a%20b%2Bc%3D%C3%A9$' '	l/double//slash$'
    load get --keys keys -s 10..20 --verify "s3://$bucket/l/"
    check sum '.verified == 8'
    load get --keys keys -n 16 -c 2 --workers 2 -s 10..20 --verify \
        --log log "s3://$bucket/l/"
    check sum '.verified == 16'
    is "$(column log key | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
    load cp --keys keys "s3://$bucket/l/" "s3://$bucket"
    load head --keys - "s3://$bucket" <keys
    check sum '.ops == 8'
    load rm --keys keys --batch "s3://$bucket"
    check sum '.ops == 1'
    load rm --keys keys "s3://$bucket/l/"
    check sum '.ops == 8'
    printf 'new\nline\0cr\r\0' >keys
    load put --keys keys --null -s 1 "s3://$bucket/"
    "$S3OP" ls --encoding-type url -o names "s3://$bucket" >record
    has names '	new%0Aline$' '	cr%0D$'
    load rm --keys keys --null "s3://$bucket/"
}

nonsense_is_refused() {
    local target="s3://$bucket/k"

    printf 'fine\n\n' >empty
    printf 'fine\nd\xf6sen\n' >latin
    printf 'bell\a\n' >bell
    refuses "bad keys 'empty', line 2: it is empty" head --keys empty "$target"
    refuses "bad keys 'latin', line 2: it is not UTF-8" \
        head --keys latin "$target"
    refuses "cannot read the keys 'none': No such file" \
        head --keys none "$target"
    refuses "name 1 in 'bell' has a control" rm --batch --keys bell "$target"
    refuses '--keys has names of its own' head --keys bell --objects 3 \
        "$target"
    refuses '--keys does not go with -o' get --keys bell -o d "$target"
    refuses '--null says how' head --null "$target"
    refuses "bad pick 'zipf': it is sequential, shuffle" head --pick zipf \
        -n 5 "$target"
    refuses '--pick needs to know of how many' put -s 1 --pick shuffle -d 1 \
        "$target"
    refuses '--prefixes, --key-entropy and --pick are for' head --pick \
        shuffle "$target"
    refuses '--prefixes, --key-entropy and --pick are for' head --prefixes 3 \
        "$target"
    refuses 'rm deletes each object once' rm --pick uniform -n 5 "$target"
    refuses "bad key-entropy 'middle': it is head or tail" head -n 5 \
        --key-entropy middle "$target"
    refuses "bad prefixes '0'" head -n 5 --prefixes 0 "$target"
    refuses "bad size '1Ki:1,2Ki': each class is SIZE:WEIGHT" put \
        -s 1Ki:1,2Ki "$target"
    refuses "bad size 'log2:4x': it is bytes" put -s log2:4x "$target"
    refuses 'a single put takes at most 5 GiB' put -s 1..6Gi "$target"
    refuses '--pick does not go with ls' ls --pick shuffle "$target"
}

start_s3mem
bucket=$test_id
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
test_expect 'weighted classes have exact shares' classes_are_exact
test_expect 'sizes are what other runs say' sizes_agree
test_expect 'empty objects are objects' empty_objects_are_objects
test_expect 'hashes fit bodies of any size' hashes_fit_the_bodies
test_expect 'the order is the chosen one' order_is_the_chosen_one
test_expect 'names are spread' names_are_spread
test_expect 'listed names are used' listed_names_are_used
test_expect 'nonsense is refused' nonsense_is_refused
done_testing
