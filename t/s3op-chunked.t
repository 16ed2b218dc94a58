#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# put --chunked: what goes over the wire, and that servers store what is
# meant.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh"

# Any signature becomes SIG, which keeps the rest to be compared.
frames_are() { # FORM SIZE PAYLOAD CONTENT-LENGTH TRAILER-NAME BODY
    start_canned
    canned_answer '' '200 OK' ''
    export AWS_ENDPOINT_URL=$canned_url AWS_ACCESS_KEY_ID=AK
    export AWS_SECRET_ACCESS_KEY=secret
    head -c "$2" <<<123456789 >file
    "$S3OP" --columns put --chunked "$1" --file file s3://b/k >record
    is "$(column record good_bytes)" "$2" 'bytes of the object'
    is "$(column record wire_bytes)" "$4" 'bytes on the wire'
    tr -d '\r' <"$canned_dir/request.1" |
        sed 's/[0-9a-f]\{64\}/SIG/' >request
    has request "^x-amz-content-sha256: $3\$" '^Content-Encoding: aws-chunked$' \
        "^x-amz-decoded-content-length: $2\$" "^Content-Length: $4\$" \
        'SignedHeaders=content-encoding;host;.*;x-amz-decoded-content-length'
    if [[ -n $5 ]]; then
        has request "^x-amz-trailer: $5\$" 'SignedHeaders=.*;x-amz-trailer,'
    else
        hasnt request '^x-amz-trailer'
    fi
    sed '1,/^$/d' request >body
    printf '%b' "$6" >want
    diff -u want body
}

form_comes_back() { # FORM SIZE
    s3op put --chunked "$1" --size "$2" "s3://$bucket/c"
    is "$(column record status)" 200
    is "$(column record good_bytes)" "$2"
    (($(column record wire_bytes) > $2))
    s3op get --size "$2" --verify "s3://$bucket/c"
    is "$(column record good_bytes)" "$2"
    s3op rm "s3://$bucket/c"
}

file_comes_back_whole() { # FORM
    head -c 200001 /dev/urandom >original
    s3op put --chunked "$1" --file original "s3://$bucket/file"
    s3op get -o copy "s3://$bucket/file"
    cmp original copy
    s3op rm "s3://$bucket/file"
}

# The lanes share a signer, and each has its chain.
many_come_back_whole() { # FORM
    "$S3OP" put -n 30 -c 6 --chunked "$1" -s 150000 --json "s3://$bucket/m" \
        >sum
    is "$(member sum errors)" 0
    is "$(member sum good_bytes)" 4500000
    is "$(member sum payload_hash)" "chunked-$1"
    "$S3OP" get -n 30 -c 6 -s 150000 --verify --json "s3://$bucket/m" >sum
    is "$(member sum verified)" 30
    "$S3OP" rm -n 30 --batch "s3://$bucket/m" >sum
}

wrong_secret_is_refused() {
    export AWS_SECRET_ACCESS_KEY=wrong
    expect_exit 3 "$S3OP" put --chunked signed --size 100000 \
        "s3://$bucket/c" >record 2>err
    has err '403 SignatureDoesNotMatch'
}

form_is_refused() { # FORM SIZE: as this server does
    expect_exit 1 "$S3OP" --columns put --chunked "$1" --size "$2" \
        "s3://$bucket/c" >record 2>err
    is "$(column record status)" 400
    is "$(column record good_bytes)" 0
}

refused() { # REGEX ARG...: status 2 and one line that says why
    local regex=$1

    shift
    expect_exit 2 "$S3OP" "$@" >out 2>err
    has err "^s3op: $regex"
    is "$(wc -l <err)" 1 'lines on standard error'
}

contradictions_are_refused() {
    local put=(put --size 1 s3://b/k)

    export AWS_ACCESS_KEY_ID=AK AWS_SECRET_ACCESS_KEY=secret
    refused "bad chunked 'trailer': it is signed, signed-trailer or" \
        "${put[@]}" --chunked trailer
    refused '--payload-hash does not go with --chunked' "${put[@]}" \
        --chunked signed --payload-hash signed
    refused '--payload-hash does not go with --chunked' "${put[@]}" \
        --chunked unsigned-trailer --payload-hash unsigned
    refused "bad header 'Content-Encoding': --chunked sets it" "${put[@]}" \
        --chunked signed --header 'Content-Encoding: gzip'
    refused "bad header 'x-amz-trailer': --chunked sets it" "${put[@]}" \
        --chunked signed --header 'x-amz-trailer: x'
    refused '--chunked does not go with get' get --chunked signed s3://b/k
}

chunked_suite() { # WHERE FORM...
    local where=$1 form size

    for form in "${@:2}"; do
        for size in 1 65535 65536 65537 5242880; do
            test_expect "$where, $form: $size bytes come back" \
                form_comes_back "$form" "$size"
        done
        test_expect "$where, $form: a file comes back" \
            file_comes_back_whole "$form"
        test_expect "$where, $form: many come back" \
            many_come_back_whole "$form"
    done
    test_expect "$where: a wrong secret is refused" wrong_secret_is_refused
}

crc=x-amz-checksum-crc32c
sig=';chunk-signature=SIG'
test_expect 'frames of a signed body' frames_are signed 9 \
    STREAMING-AWS4-HMAC-SHA256-PAYLOAD 181 '' \
    "9$sig\n123456789\n0$sig\n\n"
test_expect 'frames of a signed body with a trailer' frames_are \
    signed-trailer 9 STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER 303 $crc \
    "9$sig\n123456789\n0$sig\n$crc:4waSgw==\nx-amz-trailer-signature:SIG\n\n"
test_expect 'frames of an unsigned body with a trailer' frames_are \
    unsigned-trailer 9 STREAMING-UNSIGNED-PAYLOAD-TRAILER 51 $crc \
    "9\n123456789\n0\n$crc:4waSgw==\n\n"
test_expect 'frames of nothing' frames_are signed 0 \
    STREAMING-AWS4-HMAC-SHA256-PAYLOAD 86 '' "0$sig\n\n"
test_expect 'contradictions are refused' contradictions_are_refused

bucket=$test_id
start_s3mem
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
chunked_suite s3mem signed signed-trailer unsigned-trailer
for form in signed signed-trailer unsigned-trailer; do
    test_expect "s3mem, $form: 0 bytes come back" form_comes_back "$form" 0
done
stop_s3mem
if start_radosgw; then
    "$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
    chunked_suite radosgw signed
    # Ceph 16 knows no trailers, and does not read the frames of nothing; if
    # these fail, it has learnt it.
    test_expect 'radosgw: signed-trailer' form_is_refused signed-trailer 1000
    test_expect 'radosgw: unsigned-trailer' \
        form_is_refused unsigned-trailer 1000
    test_expect 'radosgw: 0 bytes' form_is_refused signed 0
    "$S3OP" rb "s3://$bucket" >/dev/null || die "something is left in $bucket"
fi
done_testing
