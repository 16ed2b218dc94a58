#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Faults that were reported of other servers and clients, where the built-in
# endpoint has a part in them: it must show them, or not have them.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3mem-curl.sh
. "$srcdir/t/s3mem-curl.sh"

# curl 7.88 signs a parameter as it is written.
valueless_parameter() {
    local sub

    for sub in uploads versioning acl versions location; do
        s3 "$url/$bucket?$sub"
        answers 403 SignatureDoesNotMatch
        has body "<CanonicalRequest>GET&#xA;/$bucket&#xA;$sub=&#xA;"
        s3 "$url/$bucket?$sub="
        answers 200
    done
}

hive_style_key() {
    put dt%3D2024-05-22/part-0 text
    s3 "$url/$bucket/dt%3D2024-05-22/part-0"
    answers 200
    s3 "$url/$bucket?list-type=2&prefix=dt%3D"
    is "$(elements Key)" dt=2024-05-22/part-0
}

both_addressing_styles() {
    local host=$bucket.localhost:${url##*:} at

    put styles text
    for at in "http://$host/styles" "http://$host/?list-type=2" \
        "$url/$bucket/styles" "$url/$bucket?list-type=2"; do
        s3 --resolve "$host:127.0.0.1" "$at"
        answers 200
    done
    # Without that host the path names a bucket, which is not there.
    s3 --resolve "$host:127.0.0.1" "http://$host/styles" \
        -H "Host: ${url#http://}"
    answers 404
}

chunked_transfer() {
    s3 -X PUT -H 'Transfer-Encoding: chunked' --data-binary x \
        "$url/$bucket/chunked"
    answers 411 MissingContentLength
}

copy_source_is_decoded() {
    put 'a%20b%2Bc%3D%C3%A9' text
    s3 -X PUT --data-binary '' "$url/$bucket/copy" -H \
        "x-amz-copy-source: /$bucket/a%20b%2Bc%3D%C3%A9"
    answers 200
    s3 "$url/$bucket/copy"
    is "$(cat body)" text
    s3 -X PUT --data-binary '' "$url/$bucket/copy" -H \
        "x-amz-copy-source: /$bucket/a%20b%2Cc"
    answers 404 NoSuchKey
}

head_has_no_body() {
    local key

    for key in none "$(printf 'k%.0s' {1..1025})"; do
        rm -f body
        s3 -I "$url/$bucket/$key"
        [[ ! -s body ]] || fails grep -q '<Error>' body
        has status '^404$'
    done
    s3 -I -u nobody:wrong "$url/$bucket/none" -o body2 "$url/$bucket/styles"
    has status '^403$'
}

blanks_are_percent_20() {
    local id etag

    s3 -X POST --data-binary '' "$url/$bucket/a%20b%2Bc?uploads="
    answers 200
    is "$(elements Key)" 'a b+c'
    id=$(elements UploadId)
    s3 -X PUT --data-binary text \
        "$url/$bucket/a%20b%2Bc?partNumber=1&uploadId=$id"
    answers 200
    etag=$(sed -n 's/^ETag: "\(.*\)".*/\1/p' headers)
    s3 "$url/$bucket?prefix=a%20b%2Bc&uploads="
    is "$(elements Key)" 'a b+c'
    s3 -X POST "$url/$bucket/a%20b%2Bc?uploadId=$id" --data-binary \
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>$etag</ETag></Part></CompleteMultipartUpload>"
    answers 200
    is "$(elements Key)" 'a b+c'
    s3 -X DELETE "$url/$bucket/a%20b%2Bc"
    answers 204
}

host_and_port() {
    s3 -H "Host: ${url#http://}" "$url/$bucket/styles"
    answers 200
    s3 -H 'Host: 127.0.0.1' "$url/$bucket/styles"
    answers 200 # signed and sent are the same
    plain -H 'Host: 127.0.0.1' -H "x-amz-content-sha256: $empty_hash" \
        -H "x-amz-date: $(date -u +%Y%m%dT%H%M%SZ)" -H "Authorization: \
AWS4-HMAC-SHA256 Credential=$AWS_ACCESS_KEY_ID/$(date -u +%Y%m%d)/us-east-1/\
s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, \
Signature=$empty_hash" "$url/$bucket/styles"
    answers 403 SignatureDoesNotMatch
    has body 'host:127.0.0.1&#xA;'
}

bucket_is_ones_own() {
    s3 -X PUT "$url/$bucket"
    answers 409 BucketAlreadyOwnedByYou
    s3 -I "$url/$bucket"
    answers 200
}

delete_needs_a_digest() {
    printf '<Delete><Object><Key>none</Key></Object></Delete>' >request
    s3 -X POST --data-binary @request "$url/$bucket?delete="
    answers 400 InvalidRequest
    s3 -X POST --data-binary @request -H "Content-MD5: $(md5_base64 request)" \
        "$url/$bucket?delete="
    answers 200
    printf x >>request
    s3 -X POST --data-binary @request -H 'Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==' \
        "$url/$bucket?delete="
    answers 400 BadDigest
}

# The client closes in the same moment as it sends a part of its upload.
broken_off_upload() {
    local fd i

    for i in {1..20}; do
        exec {fd}<>"/dev/tcp/127.0.0.1/${url##*:}"
        printf 'PUT /b/%d HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na' \
            "$i" >&"$fd"
        exec {fd}>&-
    done
    # All of its sockets are closed again, far before a time-out.
    wait_for 5 eval '(($(ls -l "/proc/$s3mem_pid/fd" | grep -c socket:) == 1))'
}

start
test_expect 'a parameter without value is signed with =' valueless_parameter
test_expect 'a key like dt=2024-05-22 works' hive_style_key
test_expect 'path style and virtual hosts are both checked' \
    both_addressing_styles
test_expect 'an upload without length is refused, not stored' chunked_transfer
test_expect 'a copy source with + and = is found' copy_source_is_decoded
test_expect 'a failed HEAD has no body' head_has_no_body
test_expect 'a key with blank and + goes through all of multipart' \
    blanks_are_percent_20
test_expect 'a Host with another port is another signature' host_and_port
test_expect "one's own bucket is not somebody else's" bucket_is_ones_own
test_expect 'DeleteObjects needs a digest of the body' delete_needs_a_digest
test_expect 'an upload that is broken off lets go of its connection' \
    broken_off_upload
stop_s3mem
done_testing
