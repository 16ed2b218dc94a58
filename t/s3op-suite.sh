# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What s3op must do on any S3 server: sourced by s3op-SERVER.t, which has
# started one and set the environment.

# Column NAME of the records in FILE, one a line.
column() { # FILE NAME
    awk -F'\t' -v want="$2" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == want) at = i; next }
        { print $at }' "$1"
}

# Run s3op with its records, under their column names, in ./record.
s3op() { # [ARG]...
    "$S3OP" --columns "$@" >record 2>err || {
        local status=$?

        note "s3op $* ended with $status:" "$(cat err)"
        return "$status"
    }
}

# The first member NAME of a JSON summary.
member() { # FILE NAME
    awk -v name="\"$2\":" '{
        at = index($0, name)
        if (!at) exit 1
        value = substr($0, at + length(name))
        if (value ~ /^"/) {
            value = substr(value, 2)
            sub(/".*/, "", value)
        } else {
            sub(/[,}].*/, "", value)
        }
        print value
    }' "$1"
}

# An expression (jq) holds of a JSON summary: check sum '.ops == 5'
check() { # FILE JQ-EXPRESSION
    jq -e "$2" "$1" >/dev/null || {
        note "$1: not $2"
        note "$(jq -c 'del(.intervals)' "$1")"
        return 1
    }
}

load() { # ARG...: run s3op, its summary in ./sum
    "$S3OP" "$@" --json >sum 2>err || {
        local status=$?

        note "s3op $* ended with $status:" "$(cat err)"
        return "$status"
    }
}

bucket_comes_and_goes() {
    expect_exit 1 "$S3OP" --columns head "s3://$bucket-x" >record 2>err
    is "$(column record status)" 404
    has err '^s3op: head s3://.*: 404 NoSuchBucket$'
    s3op mb "s3://$bucket-x"
    is "$(column record status)" 200
    is "$(column record op)" mb
    is "$(column record bucket)" "$bucket-x"
    is "$(column record key)" -
    s3op head "s3://$bucket-x"
    is "$(column record status)" 200
    s3op rb "s3://$bucket-x"
    is "$(column record status)" 204
    expect_exit 1 "$S3OP" head "s3://$bucket-x" >record 2>err
}

size_comes_back() { # SIZE BYTES
    s3op put --size "$1" "s3://$bucket/size"
    is "$(column record status)" 200
    is "$(column record good_bytes)" "$2" 'bytes put'
    s3op get --size "$1" --verify -o got "s3://$bucket/size"
    is "$(column record good_bytes)" "$2" 'bytes got'
    is "$(stat -c %s got)" "$2" 'bytes written'
    s3op rm "s3://$bucket/size"
    is "$(column record status)" 204
}

verify_notices() {
    s3op put --size 10000 --seed 1 "s3://$bucket/v"
    expect_exit 1 "$S3OP" --columns get --size 10000 --seed 2 --verify \
        "s3://$bucket/v" >record 2>err
    is "$(column record transport)" mismatch
    is "$(column record good_bytes)" 0
    has err 'content differs at byte [0-9]+'
    expect_exit 1 "$S3OP" --columns get --size 9999 "s3://$bucket/v" \
        >record 2>err
    is "$(column record good_bytes)" 0
    s3op rm "s3://$bucket/v"
}

file_comes_back() {
    head -c 300000 /dev/urandom >original
    s3op put --file original "s3://$bucket/file"
    s3op get -o copy "s3://$bucket/file"
    cmp original copy
    "$S3OP" get -o - "s3://$bucket/file" >copy 2>record.err
    cmp original copy
    has record.err '	get	'
    : >empty
    s3op put --file empty "s3://$bucket/file"
    s3op get -o copy "s3://$bucket/file"
    cmp empty copy
    s3op put --file - "s3://$bucket/file" <original
    s3op get -o copy "s3://$bucket/file"
    cmp original copy
    s3op rm "s3://$bucket/file"
}

# An upload in parts is begun, gets a part, and is ended again.
parts_come_and_go() {
    local id

    s3op create-upload -o id "s3://$bucket/p/a b"
    is "$(column record op) $(column record status)" 'create-upload 200'
    id=$(<id)
    [[ -n $id ]]
    s3op put --size 70000 --upload-id "$id" --part 1 "s3://$bucket/p/a b"
    is "$(column record good_bytes)" 70000
    expect_exit 1 "$S3OP" head "s3://$bucket/p/a b" >record 2>err
    s3op rm --upload-id "$id" "s3://$bucket/p/a b"
    is "$(column record status)" 204
    expect_exit 1 "$S3OP" --columns put --size 10 --upload-id "$id" --part 2 \
        "s3://$bucket/p/a b" >record 2>err
    is "$(column record code)" NoSuchUpload
}

a_file_survives_a_failure() {
    echo precious >there
    ln -sf there link
    chmod 640 there
    expect_exit 1 "$S3OP" get "s3://$bucket/nothing" -o there >record 2>err
    is "$(cat there)" precious
    expect_exit 1 "$S3OP" get "s3://$bucket/nothing" -o link >record 2>err
    is "$(cat there)" precious
    s3op put --size 5 "s3://$bucket/five"
    s3op get -o link "s3://$bucket/five"
    [[ -L link ]]
    is "$(stat -c '%s %a' there)" '5 640' 'size and mode'
    s3op rm "s3://$bucket/five"
    is "$(echo there.* link.*)" 'there.* link.*' 'temporary files'
}

many_come_back() {
    "$S3OP" put -n 40 -c 8 -s 5000 --json "s3://$bucket/m" >sum
    is "$(member sum ops)" 40
    is "$(member sum errors)" 0
    is "$(member sum good_bytes)" 200000
    "$S3OP" ls -o names "s3://$bucket/m" >record
    is "$(wc -l <names)" 40
    has names "^5000	[^	]+	m1$" "^5000	[^	]+	m40$"
    "$S3OP" get -n 40 -c 8 -s 5000 --verify -o got.d --log log --json \
        "s3://$bucket/m" >sum
    is "$(member sum verified)" 40
    is "$(find got.d -type f | wc -l)" 40
    is "$(column log good_bytes | sort -u)" 5000
    is "$(column log key | sort -u | wc -l)" 40
    "$S3OP" head -n 40 -c 8 --json "s3://$bucket/m" >sum
    is "$(member sum ops)" 40
    "$S3OP" rm -n 20 -c 8 --json "s3://$bucket/m" >sum
    is "$(member sum ops)" 20
    "$S3OP" rm -n 40 --batch --json "s3://$bucket/m" >sum
    is "$(member sum ops)" 1
    "$S3OP" ls --json -n 1 "s3://$bucket/m" >sum
    is "$(member sum entries)" 0
}

copies_are_what_was_sent() {
    "$S3OP" put -n 3 -c 3 -s 70000 -o sent.d "s3://$bucket/dir/c" >sum
    "$S3OP" get -n 3 -c 3 -s 70000 -o back.d "s3://$bucket/dir/c" >sum
    diff -r sent.d back.d
    is "$(find sent.d -type f | wc -l)" 3
    s3op rm "s3://$bucket/dir/c1" "s3://$bucket/dir/c2" "s3://$bucket/dir/c3"
    is "$(column record op)" rm
}

# The names that break other clients: blanks, plus, equals, tilde, UTF-8.
odd_keys_come_back() {
    local key keys=('a b+c=é' 'dt=2024-05-22/x' "a!b\$c&d'e(f)g*h,i;j=k"
        '~tilde~' 'per%cent%41' 'double//slash' '😀' 'q?m#h' 'a:b@c' '"<>|^{}[]\`')

    for key in "${keys[@]}"; do
        s3op put --size 10 "s3://$bucket/$key"
        s3op get --size 10 --verify "s3://$bucket/$key"
        s3op head "s3://$bucket/$key"
    done
    "$S3OP" ls -o names "s3://$bucket" >record
    is "$(wc -l <names)" "${#keys[@]}"
    has names '	a%20b%2Bc%3D%C3%A9$' '	per%25cent%2541$'
    "$S3OP" rm "${keys[@]/#/s3://$bucket/}" >record
    "$S3OP" ls -n 1 --json "s3://$bucket" >sum
    is "$(member sum entries)" 0
}

listing_follows_pages() {
    "$S3OP" put -n 25 -c 5 -s 1 "s3://$bucket/p/" >sum
    "$S3OP" --columns ls --max-keys 10 -o names "s3://$bucket/p/" >record
    is "$(wc -l <names)" 25
    is "$(column record status | wc -l)" 3 pages
    "$S3OP" ls --delimiter / -o names "s3://$bucket" >record
    has names '^-	-	p/$'
    is "$(wc -l <names)" 1
    "$S3OP" ls -o names >record
    has names "	$bucket\$"
    "$S3OP" rm -n 25 --batch "s3://$bucket/p/" >sum
}

# A page, and the next one, for each way to ask; keys that XML cannot carry.
both_forms_list_the_same() {
    local key form keys=('a b+c=é' 'a%2Bb' $'new\nline' $'bell\a' 'd/e' 'd/f' 'g')

    for key in "${keys[@]}"; do
        s3op put --size 1 "s3://$bucket/l/$key"
    done
    for form in 1 2; do
        "$S3OP" ls --list-type "$form" --encoding-type url --max-keys 2 \
            -o names "s3://$bucket/l/" >record
        cut -f 3 names | sort >"sorted.$form"
        "$S3OP" ls --list-type "$form" --encoding-type url --max-keys 2 \
            --delimiter / -o names "s3://$bucket/l/" >record
        cut -f 3 names | sort >"grouped.$form"
    done
    is "$(wc -l <sorted.1)" "${#keys[@]}"
    has sorted.1 '^l/a%20b%2Bc%3D%C3%A9$' '^l/a%252Bb$' '^l/new%0Aline$' \
        '^l/bell%07$' '^l/g$'
    cmp sorted.1 sorted.2
    is "$(wc -l <grouped.1)" $((${#keys[@]} - 1))
    has grouped.1 '^l/d/$'
    cmp grouped.1 grouped.2
    for key in "${keys[@]}"; do
        s3op rm "s3://$bucket/l/$key"
    done
}

copy_is_the_same() {
    local key='from/a b+c=é?x'

    s3op put --size 100000 "s3://$bucket/$key"
    s3op cp "s3://$bucket/$key" "s3://$bucket/to/k=v"
    is "$(column record status)" 200
    is "$(column record op)" cp
    s3op get -o one "s3://$bucket/$key"
    s3op get -o two "s3://$bucket/to/k=v"
    cmp one two
    expect_exit 1 "$S3OP" --columns cp "s3://$bucket/nothing" \
        "s3://$bucket/to/n" >record 2>err
    is "$(column record code)" NoSuchKey
    "$S3OP" put -n 5 -c 5 -s 1000 "s3://$bucket/from/" >sum
    "$S3OP" cp -n 5 -c 5 --json "s3://$bucket/from/" "s3://$bucket/to/" >sum
    is "$(member sum ops)" 5
    "$S3OP" get -n 5 -s 1000 -o got.from "s3://$bucket/from/" >sum
    "$S3OP" get -n 5 -s 1000 -o got.to "s3://$bucket/to/" >sum
    diff -r got.from got.to
    "$S3OP" rm --batch -n 5 "s3://$bucket/from/" >sum
    "$S3OP" rm --batch -n 5 "s3://$bucket/to/" >sum
    s3op rm "s3://$bucket/$key" "s3://$bucket/to/k=v"
}

body_waits_when_asked() {
    s3op put --expect-100 --size 1Mi "s3://$bucket/expect"
    is "$(column record good_bytes)" 1048576
    column record total_us | awk '!($1 < 9e5) { exit 1 }'
    s3op get --verify --size 1Mi "s3://$bucket/expect"
    s3op rm "s3://$bucket/expect"
}

# s3fs-fuse#328, s3cmd#675 (A8): version 4 and one of the styles disagree.
both_styles_are_accepted() {
    local style version args key='a b/k=v'

    for style in path virtual; do
        for version in v4 v2; do
            # A name, so that a bucket can stand in front of it.
            args=(--endpoint "${AWS_ENDPOINT_URL/127.0.0.1/localhost}"
                --addressing "$style" --signature "$version")
            [[ $AWS_ENDPOINT_URL != https* ]] || args+=(--insecure)
            s3op mb "${args[@]}" "s3://$bucket-s"
            s3op head "${args[@]}" "s3://$bucket-s"
            s3op put "${args[@]}" -s 10 "s3://$bucket-s/$key"
            s3op get "${args[@]}" -s 10 --verify "s3://$bucket-s/$key"
            s3op cp "${args[@]}" "s3://$bucket-s/$key" "s3://$bucket-s/copy"
            s3op ls "${args[@]}" --prefix 'a b/' -o names "s3://$bucket-s"
            has names '	a%20b/k%3Dv$'
            s3op rm "${args[@]}" "s3://$bucket-s/$key" "s3://$bucket-s/copy"
            s3op rb "${args[@]}" "s3://$bucket-s"
        done
    done
}

missing_is_named() {
    expect_exit 1 "$S3OP" --columns get "s3://$bucket/nothing" >record 2>err
    is "$(column record code)" NoSuchKey
    has err "^s3op: get s3://$bucket/nothing: 404 NoSuchKey"
    expect_exit 1 "$S3OP" --columns head "s3://$bucket/nothing" >record 2>err
    is "$(column record code)" NoSuchKey
    expect_exit 1 "$S3OP" put --size 1 "s3://$bucket-no/k" >record 2>err
    has err '404 NoSuchBucket'
    "$S3OP" -q rm "s3://$bucket/nothing" >record
}

wrong_keys_are_named() {
    local AWS_SECRET_ACCESS_KEY=wrong

    export AWS_SECRET_ACCESS_KEY
    # A HEAD has no document: only the status tells missing from denied.
    expect_exit 3 "$S3OP" head "s3://$bucket/nothing" >record 2>err
    expect_exit 3 "$S3OP" ls "s3://$bucket" >record 2>err
    has err '^s3op: ls s3://.*: 403 SignatureDoesNotMatch'
}

connection_is_kept() {
    "$S3OP" put -n 20 -s 10 --log log "s3://$bucket/k" >sum
    is "$(column log reused | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        ' 1 0; 19 1;'
    is "$(column log lane | sort -u)" 0
    "$S3OP" rm -n 20 --batch "s3://$bucket/k" >sum
}

stages_are_in_order() {
    s3op put --size 100000 "s3://$bucket/s"
    tail -n 1 record | awk -F'\t' '
        !($1 <= $2 && $2 < $3) { print "due, start, end"; exit 1 }
        !(0 < $4 && $4 <= $5 && $5 < $7 && $7 <= $8 && $8 <= $10) {
            print "lookup, connect, sent, first, total"; exit 1 }
        NF != 25 { print NF " columns"; exit 1 }'
    s3op rm "s3://$bucket/s"
}

payload_hash_can_be_chosen() {
    local how

    for how in signed unsigned; do
        "$S3OP" put --json --payload-hash "$how" --size 1000 \
            "s3://$bucket/h" >sum
        is "$(member sum payload_hash)" "$how"
    done
    s3op rm "s3://$bucket/h"
}

s3op_suite() { # BUCKET
    bucket=$1
    test_expect 'a bucket comes and goes' bucket_comes_and_goes
    "$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
    test_expect '0 bytes come back' size_comes_back 0 0
    test_expect '1 byte comes back' size_comes_back 1 1
    test_expect '4095 bytes come back' size_comes_back 4095 4095
    test_expect '64 KiB come back' size_comes_back 64Ki 65536
    test_expect '64 KiB and a byte come back' size_comes_back 65537 65537
    test_expect '5 MiB come back' size_comes_back 5Mi 5242880
    test_expect 'verify notices other content' verify_notices
    test_expect 'a file comes back' file_comes_back
    test_expect 'a file survives a failed get' a_file_survives_a_failure
    test_expect 'many objects come back' many_come_back
    test_expect 'parts come and go' parts_come_and_go
    test_expect 'copies are what was sent' copies_are_what_was_sent
    test_expect 'odd keys come back' odd_keys_come_back
    test_expect 'a listing follows pages' listing_follows_pages
    test_expect 'both forms list the same' both_forms_list_the_same
    test_expect 'a copy is the same' copy_is_the_same
    test_expect 'a body waits for the word when asked' body_waits_when_asked
    test_expect 'both styles of addressing' both_styles_are_accepted
    test_expect 'what is missing is named' missing_is_named
    test_expect 'wrong keys are named' wrong_keys_are_named
    test_expect 'one lane keeps its connection' connection_is_kept
    test_expect 'stages are in order' stages_are_in_order
    test_expect 'the payload hash can be chosen' payload_hash_can_be_chosen
    "$S3OP" rb "s3://$bucket" >/dev/null ||
        die "something was left in $bucket"
}
