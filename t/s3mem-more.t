#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What only some requests ask for, over HTTP: versions, locks, encryption,
# appends, parts by number; and servers that lack it (--without).
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3mem-curl.sh
. "$srcdir/t/s3mem-curl.sh"

header_of() { # NAME: of the last answer
    sed -n "s/^$1: \\(.*\\)\\r\$/\\1/Ip" headers
}

put_xml() { # TARGET XML
    printf '%s' "$2" >request
    s3 -X PUT --data-binary @request -H "Content-MD5: $(md5_base64 request)" \
        "$url/$1"
}

versions_on() {
    put_xml "$bucket?versioning=" \
        '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
    answers 200
}

versions_are_kept() {
    local id

    put ver one
    hasnt headers '^x-amz-version-id'
    versions_on
    put ver two
    id=$(header_of x-amz-version-id)
    s3 -X DELETE "$url/$bucket/ver"
    answers 204
    has headers '^x-amz-delete-marker: true'
    s3 "$url/$bucket/ver"
    answers 404 NoSuchKey
    has headers '^x-amz-delete-marker: true'
    s3 "$url/$bucket/ver?versionId=$(header_of x-amz-version-id)"
    answers 405 MethodNotAllowed
    has headers '^Allow: DELETE'
    s3 -I "$url/$bucket/ver?versionId=$id"
    answers 200
    s3 "$url/$bucket/ver?versionId=$id"
    is "$(cat body)" two
    s3 "$url/$bucket/ver?versionId=null"
    is "$(cat body)" one
    s3 "$url/$bucket?prefix=ver&versions="
    is "$(elements IsLatest)" $'true\nfalse\nfalse'
    has body '<DeleteMarker><Key>ver</Key>.*<Version><Key>ver</Key>'
    s3 "$url/$bucket/ver?versionId=0"
    answers 400 InvalidArgument
}

locks_hold() {
    local id

    s3 -X PUT -H 'x-amz-bucket-object-lock-enabled: true' "$url/$bucket-lock"
    answers 200
    printf held >text
    s3 -X PUT --data-binary @text -H "Content-MD5: $(md5_base64 text)" \
        -H 'x-amz-object-lock-legal-hold: ON' "$url/$bucket-lock/k"
    answers 200
    id=$(header_of x-amz-version-id)
    s3 -X DELETE "$url/$bucket-lock/k?versionId=$id"
    answers 403 AccessDenied
    put_xml "$bucket-lock/k?legal-hold=&versionId=$id" \
        '<LegalHold><Status>OFF</Status></LegalHold>'
    answers 200
    s3 -X DELETE "$url/$bucket-lock/k?versionId=$id"
    answers 204
    s3 -X DELETE "$url/$bucket-lock"
    answers 204
}

# curl 7.88 sorts ...-key and ...-key-md5 wrongly, so these are not signed.
customer_key() { # sets $key, and $wrong_key
    local sse=x-amz-server-side-encryption-customer

    printf 'k%.0s' {1..32} >key
    printf 'w%.0s' {1..32} >wrong
    key=(-H "$sse-algorithm: AES256" -H "$sse-key: $(base64 <key)"
    -H "$sse-key-md5: $(md5_base64 key)")
    wrong_key=(-H "$sse-algorithm: AES256" -H "$sse-key: $(base64 <wrong)"
    -H "$sse-key-md5: $(md5_base64 wrong)")
}

customer_keys_are_needed() {
    local key wrong_key

    customer_key
    plain -X PUT --data-binary secret "${key[@]}" "$url/$bucket/keyed"
    answers 200
    hasnt headers "$(base64 <key)"
    plain "$url/$bucket/keyed"
    answers 400 InvalidRequest
    plain "${wrong_key[@]}" "$url/$bucket/keyed"
    answers 403 AccessDenied
    plain -I "${key[@]}" "$url/$bucket/keyed"
    answers 200
    plain "${key[@]}" "$url/$bucket/keyed"
    is "$(cat body)" secret
}

keys_need_https() {
    local key wrong_key

    customer_key
    plain -X PUT --data-binary secret "${key[@]}" "$url/$bucket/keyed"
    answers 400 InvalidRequest
    has body 'secure connection'
}

encryption_is_told() {
    s3 -X PUT --data-binary x -H 'x-amz-server-side-encryption: aws:kms' \
        -H 'x-amz-storage-class: STANDARD_IA' "$url/$bucket/kms"
    answers 200
    has headers '^x-amz-server-side-encryption: aws:kms' \
        '^x-amz-server-side-encryption-aws-kms-key-id: arn:aws:kms:'
    s3 -I "$url/$bucket/kms"
    has headers '^x-amz-server-side-encryption: aws:kms' \
        '^x-amz-storage-class: STANDARD_IA'
}

appends() {
    local offset=0 piece

    s3 -X PUT "$url/$bucket-log"
    for piece in one two three; do
        s3 -X PUT --data-binary "$piece" -H "x-amz-write-offset-bytes: $offset" \
            "$url/$bucket-log/k"
        answers 200
        offset=$((offset + ${#piece}))
        has headers "^x-amz-object-size: $offset"
    done
    s3 "$url/$bucket-log/k"
    is "$(cat body)" onetwothree
    s3 -X PUT --data-binary x -H 'x-amz-write-offset-bytes: 1' \
        "$url/$bucket-log/k"
    answers 400 InvalidWriteOffset
}

one_append() { # $id $offset: as a process of its own
    "${curl[@]}" --aws-sigv4 aws:amz:us-east-1:s3 \
        -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
        -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' -o /dev/null \
        -w '%{http_code}\n' -X PUT --data-binary "$1" \
        -H 'x-amz-write-offset-bytes: 11' "$url/$bucket-log/k"
}

only_one_of_many_appends_wins() {
    local i pids=()

    for i in {1..8}; do
        one_append "$i" >"won.$i" &
        pids+=("$!")
    done
    for i in "${pids[@]}"; do wait "$i"; done
    is "$(cat won.* | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        ' 1 200; 7 400;'
}

parts_are_read_by_number() {
    local id n xml=''

    s3 -X POST --data-binary '' "$url/$bucket/parts?uploads="
    id=$(elements UploadId)
    for n in 1 2; do
        s3 -X PUT --data-binary "part $n" \
            "$url/$bucket/parts?partNumber=$n&uploadId=$id"
        xml+="<Part><PartNumber>$n</PartNumber><ETag>$(header_of ETag)</ETag></Part>"
    done
    s3 -X POST --data-binary \
        "<CompleteMultipartUpload>$xml</CompleteMultipartUpload>" \
        "$url/$bucket/parts?uploadId=$id"
    answers 200
    has headers '^x-amz-version-id: '
    s3 "$url/$bucket/parts?partNumber=2"
    answers 206
    is "$(cat body)" 'part 2'
    has headers '^x-amz-mp-parts-count: 2' '^Content-Range: bytes 6-11/12'
    s3 "$url/$bucket/parts?partNumber=3"
    answers 416 InvalidPartNumber
}

lacks_what_is_left_out() {
    s3 -X PUT --data-binary x -H 'If-None-Match: *' "$url/$bucket/lacks"
    answers 501 NotImplemented
    has body '<Header>if-none-match</Header>' '--without conditional-writes'
    s3 "$url/$bucket?versions="
    answers 501 NotImplemented
    has body '<Parameter>versions</Parameter>'
    put lacks x
    s3 -H 'If-None-Match: *' "$url/$bucket/lacks"
    is "$(cat status)" 304
}

features_have_names() {
    local name

    expect_exit 2 "$S3MEM" --without teleport </dev/null >out 2>err
    is "$(cat err)" "s3mem: bad feature 'teleport'"
    # --help knows all that there are, and no others.
    "$S3MEM" --help >help
    for name in acl append batch-delete checksums conditional-writes copy \
        list-v2 lock multipart part-number sse sse-c sse-kms storage-class \
        tags trailers versions sse-c-http; do
        has help "[ (]$name(,|;|\$|:| )"
        "$S3MEM" --without "$name" --version >out
    done
}

test_expect '--without: features have names' features_have_names
start --anonymous
test_expect 'customer keys are needed to read' customer_keys_are_needed
stop_s3mem
start --anonymous --without sse-c-http
test_expect '--without sse-c-http: keys need https' keys_need_https
stop_s3mem
start --part-min 0
test_expect 'encryption and storage class are told' encryption_is_told
test_expect 'appends' appends
test_expect 'only one of many appends wins' only_one_of_many_appends_wins
test_expect 'versions are kept' versions_are_kept
test_expect 'locks hold' locks_hold
test_expect 'parts are read by number' parts_are_read_by_number
stop_s3mem
start --without conditional-writes --without versions
test_expect '--without: what is left out is not there' lacks_what_is_left_out
stop_s3mem
done_testing
