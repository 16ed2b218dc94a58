#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is chosen reaches the wire: signature, region, addressing, hashes.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
    canned_answer '' '200 OK' ''
}

op() { # STATUS ARG...
    expect_exit "$1" "$S3OP" --timeout 20s "${@:2}" >record 2>err
}

# curl#10129 (A1): "?versioning" is refused, "?versioning=" is not.
names_without_value_have_their_sign() {
    local name

    start
    canned_answer '' '200 OK' '<DeleteResult/>'
    op 0 rm s3://b/k s3://b/l
    has "$canned_dir/request.1" '^POST /b\?delete= HTTP'
    for name in uploads delete versioning acl tagging versions; do
        "$S3OP" sign "$canned_url/b?$name" >signed
        has signed "^$name=\$"
    done
}

# curl#13754 (A2)
equals_is_encoded() {
    start
    op 0 get s3://b/dt=2024-05-22/x
    has "$canned_dir/request.1" '^GET /b/dt%3D2024-05-22/x HTTP'
    op 1 ls --prefix dt=1/ s3://b # an empty answer
    has "$canned_dir/request.2" 'prefix=dt%3D1%2F'
}

# cosbench#307, #429, warp#281 (A16): the option is parsed, and ignored.
signature_is_the_chosen_one() {
    start
    op 0 get --signature v4 s3://b/k
    has <(sent_header 1 authorization) '^AWS4-HMAC-SHA256 '
    op 0 get --signature v2 s3://b/k
    has <(sent_header 2 authorization) '^AWS AKIDEXAMPLE:'
    is "$(sent_header 2 x-amz-content-sha256)" ''
}

region_is_the_chosen_one() {
    start
    op 0 get --region mars-1 s3://b/k
    has <(sent_header 1 authorization) '/mars-1/s3/aws4_request,'
    AWS_REGION=venus-1 op 0 get s3://b/k
    has <(sent_header 2 authorization) '/venus-1/s3/aws4_request,'
}

addressing_is_the_chosen_one() {
    local url

    start
    url=http://localhost:${canned_url##*:}
    op 0 get --endpoint "$url" --addressing path s3://b/k
    has "$canned_dir/request.1" '^GET /b/k '
    is "$(sent_header 1 host)" "${url#http://}"
    op 0 get --endpoint "$url" --addressing virtual s3://b/k
    has "$canned_dir/request.2" '^GET /k '
    is "$(sent_header 2 host)" "b.${url#http://}"
    op 0 get --endpoint "$url" --addressing auto s3://b/k
    has "$canned_dir/request.3" '^GET /b/k '
}

hash_is_the_chosen_one() {
    local how n=0

    start
    for how in unsigned signed; do
        op 0 put -s 3 --payload-hash "$how" s3://b/k
        n=$((n + 1))
    done
    is "$(sent_header 1 x-amz-content-sha256)" UNSIGNED-PAYLOAD
    is "$(sent_header 2 x-amz-content-sha256)" \
        "$(sent_body 2 | sha256sum | cut -d ' ' -f 1)"
    for how in signed signed-trailer unsigned-trailer; do
        op 0 put -s 3 --chunked "$how" s3://b/k
    done
    is "$(sent_header 3 x-amz-content-sha256)" \
        STREAMING-AWS4-HMAC-SHA256-PAYLOAD
    is "$(sent_header 4 x-amz-content-sha256)" \
        STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER
    is "$(sent_header 5 x-amz-content-sha256)" \
        STREAMING-UNSIGNED-PAYLOAD-TRAILER
}

unknown_choices_are_named() {
    local option

    for option in signature payload-hash addressing chunked connection \
        list-type encoding-type; do
        case $option in
            list-type | encoding-type)
                expect_exit 2 "$S3OP" ls "--$option" bogus s3://b 2>err
                ;;
            *) expect_exit 2 "$S3OP" put -s 1 "--$option" bogus s3://b/k 2>err ;;
        esac
        has err "^s3op: bad $option 'bogus'"
    done
}

test_expect 'names without a value have their sign' \
    names_without_value_have_their_sign
test_expect 'equals is encoded' equals_is_encoded
test_expect 'the signature is the chosen one' signature_is_the_chosen_one
test_expect 'the region is the chosen one' region_is_the_chosen_one
test_expect 'the addressing is the chosen one' addressing_is_the_chosen_one
test_expect 'the hash is the chosen one' hash_is_the_chosen_one
test_expect 'unknown choices are named' unknown_choices_are_named
done_testing
