#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Encryption on the server's side, and the customer's key for it.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

readonly key=MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=

keys_come_from_the_environment() {
    export S3PERF_SSE_C_KEY=$key
    s3op put -s 5000 --sse c "s3://$bucket/e"
    s3op get -s 5000 --verify --sse c "s3://$bucket/e"
    s3op head --sse c "s3://$bucket/e"
    s3op cp --sse c "s3://$bucket/e" "s3://$bucket/copy"
    s3op get -o got --sse c "s3://$bucket/copy"
    is "$(stat -c %s got)" 5000
    expect_exit 1 "$S3OP" --columns get "s3://$bucket/e" >record 2>err
    is "$(column record status)" 400 'without the key'
    S3PERF_SSE_C_KEY=${key/MTIz/NTIz}
    expect_exit 1 "$S3OP" --columns get --sse c "s3://$bucket/e" >record 2>err
    is "$(column record status)" 403 'with another key'
}

a_job_makes_one_key() {
    unset S3PERF_SSE_C_KEY
    cat >job <<END
[global]
sse = c
count = 4
size = 3000
target = s3://$bucket/job/
[write]
verb = put
[read]
verb = get
verify = yes
[ask]
verb = head
END
    "$S3OP" run --json job >out 2>err
    is "$(grep -c '"errors":0' out)" 3 'stages without errors'
    expect_exit 3 "$S3OP" get --sse c "s3://$bucket/job/1" >record 2>err
    has err '^s3op: no key for --sse c: .*S3PERF_SSE_C_KEY'
}

workers_have_the_same_key() {
    unset S3PERF_SSE_C_KEY
    load put -n 8 -c 4 -s 100 --workers 2 --sse c "s3://$bucket/w"
    check sum '.ops == 8 and .errors == 0 and .request.encryption == "c"'
    export S3PERF_SSE_C_KEY=$key
    load put -n 8 -c 4 -s 100 --workers 2 --sse c "s3://$bucket/w"
    load get -n 8 -s 100 --verify --sse c "s3://$bucket/w"
    check sum '.verified == 8'
}

parts_take_it_along() {
    local id

    export S3PERF_SSE_C_KEY=$key
    s3op create-upload -o id --sse c "s3://$bucket/parts"
    id=$(<id)
    s3op put -s 100 --sse c --upload-id "$id" --part 1 "s3://$bucket/parts"
    is "$(column record status)" 200
    expect_exit 1 "$S3OP" put -s 100 --upload-id "$id" --part 2 \
        "s3://$bucket/parts" >record 2>err
    s3op rm --upload-id "$id" "s3://$bucket/parts"
}

the_key_is_never_shown() {
    local form

    export S3PERF_SSE_C_KEY=$key
    "$S3OP" put -v -s 10 --sse c --trace-signing --log log "s3://$bucket/v" \
        >out 2>err
    "$S3OP" cp -v --sse c --trace-signing "s3://$bucket/v" "s3://$bucket/v2" \
        >>out 2>>err
    has err '^> x-amz-server-side-encryption-customer-key: \*+$' \
        '^x-amz-server-side-encryption-customer-key:\*+$'
    for form in "$key" "${key:4:16}" 12345678901234; do
        hasnt err "$form"
        hasnt out "$form"
        hasnt log "$form"
    done
}

is_refused() { # STATUS PATTERN ARG...
    expect_exit "$1" "$S3OP" "${@:3}" >record 2>err
    has err "^s3op: $2"
}

what_cannot_be_is_refused() {
    export S3PERF_SSE_C_KEY=$key
    is_refused 2 '--sse c sends its key along: not over plain http to 192' \
        put -s 1 --sse c --endpoint http://192.0.2.1 s3://b/k
    is_refused 2 '--sse c sends .*to 127.0.0.1.example' \
        put -s 1 --sse c --endpoint http://127.0.0.1.example s3://b/k
    is_refused 2 '--sse c sends its key along' put -s 1 --sse c \
        --proxy http://127.0.0.1:1 s3://b/k
    is_refused 2 "bad sse 'x': it is s3, kms, kms:KEY-ID or c" \
        put -s 1 --sse x s3://b/k
    is_refused 2 "bad sse 'kms:'" put -s 1 --sse kms: s3://b/k
    is_refused 2 '--sse kms is said of an object as it begins' \
        get --sse kms s3://b/k
    is_refused 2 "bad header 'X-Amz-Server-Side-Encryption'" put -s 1 \
        --sse s3 --header 'X-Amz-Server-Side-Encryption: AES256' s3://b/k
    S3PERF_SSE_C_KEY=${key%?}
    is_refused 3 'bad S3PERF_SSE_C_KEY: it is the base64 of 32 bytes' \
        put -s 1 --sse c s3://b/k
    hasnt err "${key:4:12}"
}

# A server that lacks it says so, and so do we.
lacking_is_told() {
    start_s3mem --without sse
    export S3PERF_SSE_C_KEY=$key
    expect_exit 1 "$S3OP" mb "s3://$bucket" >record 2>err || :
    expect_exit 1 "$S3OP" --columns put -s 1 --sse s3 "s3://$bucket/k" \
        >record 2>err
    is "$(column record code)" NotImplemented
    has err '501 NotImplemented'
}

bucket=$test_id
start_s3mem
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
test_expect 'keys come from the environment' keys_come_from_the_environment
test_expect 'a job makes one key for its stages' a_job_makes_one_key
test_expect 'workers have the same key' workers_have_the_same_key
test_expect 'parts take it along' parts_take_it_along
test_expect 'the key is never shown' the_key_is_never_shown
test_expect 'what cannot be is refused' what_cannot_be_is_refused
test_expect 'what a server lacks is told' lacking_is_told
done_testing
