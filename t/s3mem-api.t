#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The S3 side of the built-in endpoint, asked by curl.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3mem-curl.sh
. "$srcdir/t/s3mem-curl.sh"

buckets_come_and_go() {
    s3 -I "$url/$bucket-2"
    answers 404
    s3 -X PUT "$url/$bucket-2"
    answers 200
    s3 -X PUT "$url/$bucket-2"
    answers 409 BucketAlreadyOwnedByYou
    s3 -I "$url/$bucket-2"
    answers 200
    has headers '^x-amz-bucket-region: us-east-1'
    s3 "$url/$bucket-2?location="
    answers 200
    has body '<LocationConstraint xmlns="[^"]*"></LocationConstraint>'
    s3 "$url/"
    answers 200
    is "$(elements Name)" "$bucket"$'\n'"$bucket-2"
    s3 -X DELETE "$url/$bucket-2"
    answers 204
    s3 -X DELETE "$url/$bucket-2"
    answers 404 NoSuchBucket
    s3 "$url/$bucket-2?list-type=2"
    answers 404 NoSuchBucket
    s3 -X PUT --data-binary x "$url/$bucket-2/k"
    answers 404 NoSuchBucket
}

bucket_names_are_checked() {
    local name

    for name in ab Upper under_score -dash dash- a..b 192.168.1.1 \
        "$(printf 'a%.0s' {1..64})"; do
        s3 -X PUT "$url/$name"
        answers 400 InvalidBucketName
    done
}

location_constraint() { # LOCATION STATUS [CODE]
    local root=CreateBucketConfiguration

    s3 -X PUT "$url/$bucket-here" --data-binary \
        "<$root><LocationConstraint>$1</LocationConstraint></$root>"
    answers "${@:2}"
    [[ $2 != 200 ]] || s3 -X DELETE "$url/$bucket-here"
}

bucket_must_be_empty_to_go() {
    put key x
    s3 -X DELETE "$url/$bucket"
    answers 409 BucketNotEmpty
    s3 -X DELETE "$url/$bucket/key"
    answers 204
}

object_comes_back() { # BYTES
    head -c "$1" /dev/urandom >original
    hash=$(sha256sum <original)
    hash=${hash%% *}
    s3 -X PUT --data-binary @original -H 'Content-Type: text/x-test' \
        -H 'x-amz-meta-colour: gr een' "$url/$bucket/object"
    answers 200
    has headers "^ETag: \"$(md5sum <original | cut -c1-32)\""
    hash=$empty_hash
    s3 "$url/$bucket/object"
    answers 200
    cmp original body
    has headers "^Content-Length: $1" '^Content-Type: text/x-test' \
        '^x-amz-meta-colour: gr een' '^Last-Modified: ..., .. ... .... .* GMT' \
        '^Accept-Ranges: bytes' "^ETag: \"$(md5sum <original | cut -c1-32)\""
    s3 -I "$url/$bucket/object"
    answers 200
    has headers "^Content-Length: $1"
    s3 -X DELETE "$url/$bucket/object"
    answers 204
    s3 -X DELETE "$url/$bucket/object"
    answers 204
    s3 "$url/$bucket/object"
    answers 404 NoSuchKey
    s3 -I "$url/$bucket/object"
    answers 404
}

ranges() {
    local range want

    put digits 0123456789
    while read -r range want; do
        s3 -H "Range: bytes=$range" "$url/$bucket/digits"
        answers 206
        is "$(cat body)" "$want" "bytes of $range"
    done <<'END'
0-0 0
2-4 234
7- 789
-3 789
-100 0123456789
5-100 56789
0-18446744073709551615 0123456789
END
    s3 -H 'Range: bytes=2-4' "$url/$bucket/digits"
    has headers '^Content-Range: bytes 2-4/10' '^Content-Length: 3'
    for range in 10- 10-20 -0 99999999999999999999-; do
        s3 -H "Range: bytes=$range" "$url/$bucket/digits"
        answers 416 InvalidRange
        has headers '^Content-Range: bytes \*/10'
    done
    for range in 4-2 a-b 1-2,4-5 -; do
        s3 -H "Range: bytes=$range" "$url/$bucket/digits"
        answers 200
        is "$(cat body)" 0123456789 "nothing of $range"
    done
    put nothing ''
    s3 -H 'Range: bytes=0-' "$url/$bucket/nothing"
    answers 416 InvalidRange
}

conditions() {
    local etag=781e5e245d69b566979b86e28d23f2c7 # of the digits

    s3 -H "If-None-Match: \"$etag\"" "$url/$bucket/digits"
    is "$(cat status)" 304
    s3 -H 'If-None-Match: "0"' "$url/$bucket/digits"
    answers 200
    s3 -H "If-Match: \"$etag\"" "$url/$bucket/digits"
    answers 200
    s3 -H 'If-Match: "0"' "$url/$bucket/digits"
    answers 412 PreconditionFailed
    s3 -X PUT --data-binary x -H 'If-None-Match: *' "$url/$bucket/digits"
    answers 412 PreconditionFailed
}

metadata_with_odd_values() {
    s3 -X PUT --data-binary x -H $'x-amz-meta-tab: a\tb' \
        -H 'x-amz-meta-blank: a  b' "$url/$bucket/meta"
    answers 200
    s3 "$url/$bucket/meta"
    answers 200
    has headers '^x-amz-meta-tab: a b' '^x-amz-meta-blank: a +b'
    s3 -X PUT --data-binary x -H "x-amz-meta-long: $(printf 'x%.0s' {1..2045})" \
        "$url/$bucket/meta"
    answers 400 MetadataTooLarge
}

digests_are_checked() {
    printf 'some text' >text
    s3 -X PUT --data-binary @text -H "Content-MD5: $(md5_base64 text)" \
        "$url/$bucket/text"
    answers 200
    s3 -X PUT --data-binary 'other text' \
        -H "Content-MD5: $(md5_base64 text)" "$url/$bucket/text"
    answers 400 BadDigest
    s3 -X PUT --data-binary @text -H 'Content-MD5: short' "$url/$bucket/text"
    answers 400 InvalidDigest
    hash=$empty_hash
    s3 -X PUT --data-binary @text "$url/$bucket/text"
    answers 400 XAmzContentSHA256Mismatch
    hash=nonsense
    s3 -X PUT --data-binary @text "$url/$bucket/text"
    answers 400 InvalidArgument
    hash=STREAMING-AWS4-HMAC-SHA256-PAYLOAD # but no decoded length
    s3 -X PUT --data-binary @text "$url/$bucket/text"
    answers 411 MissingContentLength
    hash=$empty_hash
    s3 "$url/$bucket/text"
    is "$(cat body)" 'some text' 'the only good one'
}

uploads_need_a_length() {
    s3 -X PUT -H 'Transfer-Encoding: chunked' --data-binary x \
        "$url/$bucket/chunked"
    answers 411 MissingContentLength
    s3 -X PUT "$url/$bucket/no-length"
    answers 411 MissingContentLength
    s3 -X PUT --data-binary '' "$url/$bucket/no-bytes"
    answers 200
}

keys_may_be_long() {
    local key

    key=$(printf 'k%.0s' {1..1024})
    put "$key" x
    s3 "$url/$bucket/$key"
    answers 200
    s3 -X PUT --data-binary x "$url/$bucket/${key}k"
    answers 400 KeyTooLongError
    key=$(printf '%%C3%%A4%.0s' {1..512})
    put "$key" x
    s3 "$url/$bucket/$key"
    answers 200
}

keys_may_be_strange() {
    local key

    for key in a//b ./x ../y %2F %25 a%20b%2Bc %0A '~._-' %E2%82%AC; do
        put "strange/$key" "$key"
        s3 "$url/$bucket/strange/$key"
        answers 200
        is "$(cat body)" "$key"
        s3 -X DELETE "$url/$bucket/strange/$key"
        answers 204
    done
}

virtual_hosts() {
    put virtual text
    s3 --resolve "$bucket.localhost:${url##*:}:127.0.0.1" \
        "http://$bucket.localhost:${url##*:}/virtual"
    answers 200
    is "$(cat body)" text
}

fill_for_listing() {
    local key

    for key in list/a list/b/1 list/b/2 'list/c%20d%2B' list/d 'list/%26%3C'; do
        put "$key" x
    done
}

list_in_order() {
    s3 "$url/$bucket?list-type=2&prefix=list%2F"
    answers 200
    is "$(elements Key)" $'list/&amp;&lt;\nlist/a\nlist/b/1\nlist/b/2
list/c d+\nlist/d'
    has body '<KeyCount>6</KeyCount><IsTruncated>false</IsTruncated>' \
        '<Contents><Key>[^<]*</Key><LastModified>....-..-..T..:..:..\.000Z<' \
        '<ETag>&quot;[0-9a-f]{32}&quot;</ETag><Size>1</Size>'
}

list_with_delimiter() {
    s3 "$url/$bucket?delimiter=%2F&list-type=2&prefix=list%2F"
    has body '<CommonPrefixes><Prefix>list/b/</Prefix></CommonPrefixes>' \
        '<KeyCount>5</KeyCount>'
    is "$(elements Key)" $'list/&amp;&lt;\nlist/a\nlist/c d+\nlist/d'
}

list_url_encoded() {
    s3 "$url/$bucket?encoding-type=url&list-type=2&prefix=list%2F&start-after=list%2Fa"
    is "$(elements Key)" $'list/b/1\nlist/b/2\nlist/c+d%2B\nlist/d'
    has body '<EncodingType>url</EncodingType>' '<Prefix>list/</Prefix>' \
        '<StartAfter>list/a</StartAfter>'
}

list_by_pages() { # VERSION: 1 or 2
    local query='delimiter=%2F' next='' pages=0

    : >all
    while :; do
        if (($1 == 2)); then
            query="${next:+continuation-token=$next&}delimiter=%2F&list-type=2"
        else
            query="delimiter=%2F&encoding-type=url${next:+&marker=$next}"
        fi
        s3 "$url/$bucket?$query&max-keys=2&prefix=list%2F"
        answers 200
        {
            elements Key
            elements Prefix | grep 'b/' || :
        } >>all
        pages=$((pages + 1))
        [[ $(elements IsTruncated) == true ]] || break
        ((pages < 9))
        next=$(elements "$(sed -n 's/.*<\(Next[A-Za-z]*\)>.*/\1/p' body)")
        next=${next//\//%2F} next=${next//=/%3D} next=${next//+/%2B}
    done
    is "$pages" 3
    is "$(wc -l <all)" 5
    is "$(sort -u all | wc -l)" 5
}

list_refuses_nonsense() {
    local query

    for query in continuation-token=x\&list-type=2 list-type=3 \
        list-type=2\&max-keys=-1 encoding-type=xml\&list-type=2; do
        s3 "$url/$bucket?$query"
        answers 400 InvalidArgument
    done
    s3 "$url/$bucket?list-type=2&max-keys=0"
    answers 200
    has body '<KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>'
}

delete_many() { # XML STATUS [CODE]
    printf '%s' "$1" >request
    s3 -X POST --data-binary @request -H 'Content-Type: application/xml' \
        -H "Content-MD5: $(md5_base64 request)" "$url/$bucket?delete="
    answers "${@:2}"
}

batch_delete() {
    local object='<Object><Key>batch/1</Key></Object>' many

    put batch/1 x
    put 'batch/%26' x
    delete_many "<Delete>$object<Object><Key>batch/&amp;</Key></Object><Object><Key>batch/none</Key></Object></Delete>" 200
    is "$(elements Key)" $'batch/1\nbatch/&amp;\nbatch/none'
    s3 "$url/$bucket/batch/1"
    answers 404 NoSuchKey
    s3 "$url/$bucket/batch/%26"
    answers 404 NoSuchKey
    delete_many "<Delete><Quiet>true</Quiet>$object</Delete>" 200
    hasnt body '<Deleted>'
    delete_many '<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>' 200
    has body '<Error><Key>a</Key>.*<Code>NoSuchVersion</Code>'
    many=$(printf "$object%.0s" {1..1000})
    delete_many "<Delete><Quiet>true</Quiet>$many</Delete>" 200
    delete_many "<Delete>$many$object</Delete>" 400 MalformedXML
    delete_many '<Delete>' 400 MalformedXML
    s3 -X POST --data-binary '<Delete/>' "$url/$bucket?delete="
    answers 400 InvalidRequest
    has body 'Content-MD5'
}

signatures_are_checked() {
    local AWS_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY

    plain "$url/$bucket"
    answers 403 AccessDenied
    plain -H 'Authorization: AWS4-HMAC-SHA256 nonsense' "$url/$bucket"
    answers 400 AuthorizationHeaderMalformed
    s3 "$url/$bucket?list-type=2" -u "nobody:$AWS_SECRET_ACCESS_KEY"
    answers 403 InvalidAccessKeyId
    s3 "$url/$bucket" --aws-sigv4 aws:amz:eu-west-1:s3
    answers 400 AuthorizationHeaderMalformed
    has body '<Region>us-east-1</Region>'
    "${curl[@]}" --aws-sigv4 aws:amz:us-east-1:s3 -o body -D headers \
        -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -w '%{http_code}' \
        "$url/$bucket" >status
    answers 400 InvalidRequest
    has body 'x-amz-content-sha256'
    AWS_SECRET_ACCESS_KEY=wrong
    s3 "$url/$bucket"
    answers 403 SignatureDoesNotMatch
    has body '<StringToSign>AWS4-HMAC-SHA256&#xA;' \
        "<CanonicalRequest>GET&#xA;/$bucket&#xA;&#xA;host:127"
    hasnt body "$(sed -n 's/^AWS_SECRET_ACCESS_KEY=//p' "$s3mem_dir/out")"
    s3 -I "$url/$bucket"
    answers 403
}

clock_skew_is_told() {
    local day stamp

    day=$(date -u -d '-20 minutes' +%Y%m%d)
    stamp=$(date -u -d '-20 minutes' +%Y%m%dT%H%M%SZ)
    plain -H "x-amz-date: $stamp" -H "Authorization: AWS4-HMAC-SHA256 \
Credential=$AWS_ACCESS_KEY_ID/$day/us-east-1/s3/aws4_request, \
SignedHeaders=host;x-amz-date, Signature=$empty_hash" "$url/"
    answers 403 RequestTimeTooSkewed
    has body '<ServerTime>....-..-..T..:..:..Z</ServerTime>'
}

rest_is_not_implemented() {
    local query

    for query in policy lifecycle cors encryption website; do
        s3 "$url/$bucket?$query="
        answers 501 NotImplemented
    done
    s3 -X PUT --data-binary '' -H 'x-amz-website-redirect-location: /x' \
        "$url/$bucket/elsewhere"
    answers 501 NotImplemented
    s3 -X POST --data-binary x "$url/$bucket/key"
    answers 405 MethodNotAllowed
}

s3cmd_gets_along() {
    local s3cmd=(s3cmd --no-check-md5 --config s3cfg)

    cat >s3cfg <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = ${url#http://}
host_bucket = ${url#http://}
use_https = False
END
    head -c 100000 /dev/urandom >original
    "${s3cmd[@]}" mb "s3://$bucket-cmd" >log
    "${s3cmd[@]}" put original "s3://$bucket-cmd/dir/a b+c" >>log
    "${s3cmd[@]}" get --force "s3://$bucket-cmd/dir/a b+c" copy >>log
    cmp original copy
    "${s3cmd[@]}" ls --recursive "s3://$bucket-cmd" >list
    has list "100000 *s3://$bucket-cmd/dir/a b\+c\$"
    "${s3cmd[@]}" ls "s3://$bucket-cmd" >list
    has list "DIR *s3://$bucket-cmd/dir/\$"
    "${s3cmd[@]}" del --recursive --force "s3://$bucket-cmd" >>log
    "${s3cmd[@]}" rb "s3://$bucket-cmd" >>log
}

start
test_expect 'buckets come and go' buckets_come_and_go
test_expect 'bucket names are checked' bucket_names_are_checked
test_expect 'location: none' location_constraint '' \
    400 InvalidLocationConstraint
test_expect 'location: us-east-1' location_constraint us-east-1 \
    400 InvalidLocationConstraint
test_expect 'location: another' \
    location_constraint EU 400 InvalidLocationConstraint
test_expect 'location: not XML' location_constraint '<' 400 MalformedXML
test_expect 'a bucket must be empty to go' bucket_must_be_empty_to_go
for size in 0 1 65536 3000001; do
    test_expect "an object of $size bytes comes back" object_comes_back $size
done
test_expect 'ranges' ranges
test_expect 'conditions' conditions
test_expect 'metadata may be odd' metadata_with_odd_values
test_expect 'digests are checked' digests_are_checked
test_expect 'uploads need a length' uploads_need_a_length
test_expect 'keys may have 1024 bytes' keys_may_be_long
test_expect 'keys may be strange' keys_may_be_strange
test_expect 'BUCKET.localhost names a bucket' virtual_hosts
fill_for_listing
test_expect 'a listing is in order' list_in_order
test_expect 'a listing by delimiter' list_with_delimiter
test_expect 'a listing with encoded names' list_url_encoded
test_expect 'pages of version 1' list_by_pages 1
test_expect 'pages of version 2' list_by_pages 2
test_expect 'a listing refuses nonsense' list_refuses_nonsense
test_expect 'many keys are deleted at once' batch_delete
test_expect 'signatures are checked' signatures_are_checked
test_expect 'a clock that is off is told so' clock_skew_is_told
test_expect 'the rest of S3 is not implemented' rest_is_not_implemented
if command -v s3cmd >/dev/null; then
    test_expect 's3cmd gets along' s3cmd_gets_along
else
    test_skip 's3cmd gets along' 's3cmd is not there'
fi
stop_s3mem
done_testing
