#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Listings of both forms: how they go on, how names are decoded, and that
# none goes on for ever.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
}

op() { # STATUS ARG...: the record, with column names, in ./record
    expect_exit "$1" "$S3OP" --columns --timeout 20s "${@:2}" >record 2>err
}

last_outcome() { # status and code of the last record
    tail -n 1 record | cut -f 18,19
}

request_line() { # NUMBER
    head -n 1 "$canned_dir/request.$1" | cut -d ' ' -f 2
}

requests() {
    find "$canned_dir" -name 'request.*' | wc -l
}

page() { # NUMBER MORE NAME... -- TEXT: a page with these keys
    local number=$1 more=$2 entries=

    shift 2
    while [[ $1 != -- ]]; do
        entries+="<Contents><Key>$1</Key><Size>1</Size></Contents>"
        shift
    done
    canned_answer "$number" '200 OK' "<ListBucketResult>${3:-}<IsTruncated>\
$more</IsTruncated>$2$entries${4:-}</ListBucketResult>"
}

first_form_goes_on_by_marker() {
    start
    page 1 true a b -- '<NextMarker>b&amp; c</NextMarker>'
    page 2 false c -- ''
    page 3 false c -- ''
    op 0 ls --list-type 1 --max-keys 2 -o names s3://b/p
    is "$(request_line 1)" '/b?max-keys=2&prefix=p'
    is "$(request_line 2)" '/b?marker=b%26%20c&max-keys=2&prefix=p'
    is "$(cut -f 3 names | tr '\n' ' ')" 'a b c '
    op 0 ls --list-type 1 s3://b
    is "$(request_line 3)" /b
}

# Without a delimiter S3 itself names no marker.
last_key_is_the_marker() {
    start
    page 1 true a 'b c' -- ''
    page 2 false d -- ''
    op 0 ls --list-type 1 s3://b
    is "$(request_line 2)" '/b?marker=b%20c'
    start
    page 1 true b -- '<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>'
    page 2 false d -- ''
    op 0 ls --list-type 1 --delimiter / s3://b
    is "$(request_line 2)" '/b?delimiter=%2F&marker=c%2F'
}

# aws-sdk-go#4672, boto3#3621: a marker is decoded, then encoded once.
names_are_decoded() { # the two places where servers say so
    local before=$1 after=$2

    start
    page 1 true 'a%2Bb+c%25' -- '<NextMarker>a%2Bb+c%25</NextMarker>' \
        "$before" "$after"
    page 2 false '%0A%C3%A9' -- '' "$before" "$after"
    op 0 ls --list-type 1 --encoding-type url -o names s3://b
    is "$(request_line 1)" '/b?encoding-type=url'
    is "$(request_line 2)" '/b?encoding-type=url&marker=a%2Bb%20c%25'
    is "$(cut -f 3 names | tr '\n' ' ')" 'a%2Bb%20c%25 %0A%C3%A9 '
    # The same without NextMarker.
    start
    page 1 true 'a%2Bb+c' -- '' "$before" "$after"
    page 2 false d -- '' "$before" "$after"
    op 0 ls --list-type 1 --encoding-type url s3://b
    is "$(request_line 2)" '/b?encoding-type=url&marker=a%2Bb%20c'
}

# botocore#1555: a token is nobody's to decode.
token_is_not_decoded() {
    start
    page 1 true 'a%2Bb' -- \
        '<NextContinuationToken>x%2By+z</NextContinuationToken>' \
        '<EncodingType>url</EncodingType>'
    page 2 false c -- '' '<EncodingType>url</EncodingType>'
    op 0 ls --encoding-type url -o names s3://b
    is "$(request_line 2)" \
        '/b?continuation-token=x%252By%2Bz&encoding-type=url&list-type=2'
    is "$(cut -f 3 names | tr '\n' ' ')" 'a%2Bb c '
}

# A server that knows nothing of encoding-type sends plain names.
plain_names_stay() {
    start
    page '' false 'a+b%2Bc' -- ''
    op 0 ls --encoding-type url -o names s3://b
    is "$(cut -f 3 names)" 'a%2Bb%252Bc'
    page '' false 'a+b%2Bc' -- '' '<EncodingType>url</EncodingType>'
    op 0 ls --encoding-type url -o names s3://b
    is "$(cut -f 3 names)" 'a%20b%2Bc'
}

bad_encoding_is_named() {
    start
    page '' false 'a%zz' -- '' '<EncodingType>url</EncodingType>'
    op 1 ls --encoding-type url s3://b
    is "$(last_outcome)" $'200\tInvalidAnswer'
    has err 'not well encoded'
}

stuck_listing_ends() { # ARG...
    start
    page '' true a -- '<NextMarker>same</NextMarker>
        <NextContinuationToken>same</NextContinuationToken>'
    op 1 ls "$@" s3://b
    is "$(last_outcome)" $'200\tInvalidAnswer'
    is "$(requests)" 2
    # Nothing to go on with.
    start
    page '' true -- ''
    op 1 ls "$@" s3://b
    is "$(last_outcome)" $'200\tInvalidAnswer'
    is "$(requests)" 1
}

circle_ends() {
    local i

    start
    for ((i = 1; i <= 40; i++)); do
        page "$i" true "k$((i % 5))" -- ''
    done
    op 1 ls --list-type 1 s3://b
    is "$(last_outcome)" $'200\tInvalidAnswer'
    (($(requests) < 20))
}

# Tokens that are always new, but never a name.
empty_pages_end() {
    local i

    start
    for ((i = 1; i <= 1010; i++)); do
        page "$i" true -- \
            "<NextContinuationToken>$i</NextContinuationToken>"
    done
    op 1 ls s3://b
    is "$(last_outcome)" $'200\tInvalidAnswer'
    is "$(requests)" 1001
    # One of them is none of our business.
    start
    page 1 true -- '<NextContinuationToken>1</NextContinuationToken>'
    page 2 false a -- ''
    op 0 ls -o names s3://b
    is "$(cut -f 3 names)" a
}

entries_are_counted_once() {
    start
    page 1 true 'a' 'b' -- '' '' '<EncodingType>url</EncodingType>'
    page 2 false 'c' -- '' '' '<EncodingType>url</EncodingType>'
    "$S3OP" ls -n 1 --json --list-type 1 --encoding-type url s3://b >sum
    is "$(member sum entries)" 3
}

versions() { # NUMBER MORE TEXT: a page of them
    canned_answer "$1" '200 OK' "<ListVersionsResult><IsTruncated>$2\
</IsTruncated>$3</ListVersionsResult>"
}

entry() { # ELEMENT KEY ID LATEST
    printf '%s' "<$1><Key>$2</Key><VersionId>$3</VersionId>" \
        "<IsLatest>$4</IsLatest><Size>7</Size></$1>"
}

versions_go_on() {
    start
    versions 1 true "<NextKeyMarker>a%20b</NextKeyMarker>\
<NextVersionIdMarker>v+2</NextVersionIdMarker>$said$(entry Version a%20b v+1 true)$(entry Version a%20b v+2 false)"
    versions 2 true "<NextKeyMarker>c</NextKeyMarker>\
$(entry DeleteMarker c null true)"
    versions 3 false "$(entry DeleteMarker d 1 false)\
<CommonPrefixes><Prefix>e/</Prefix></CommonPrefixes>"
    op 0 ls --versions --encoding-type url --delimiter / -o names s3://b/
    is "$(request_line 1)" '/b?delimiter=%2F&encoding-type=url&versions='
    is "$(request_line 2)" "/b?delimiter=%2F&encoding-type=url\
&key-marker=a%20b&version-id-marker=v%2B2&versions="
    is "$(request_line 3)" \
        '/b?delimiter=%2F&encoding-type=url&key-marker=c&versions='
    is "$(tr '\t' ' ' <names)" "7 - a%20b v%2B1 latest
7 - a%20b v%2B2 old
- - c null latest-marker
- - d 1 marker
- - e/ - -"
    versions '' false "$(entry Version a 1 true)$(entry DeleteMarker b 1 true)"
    "$S3OP" ls --versions -n 1 --json s3://b >sum
    is "$(member sum entries)" 2
}

versions_that_stay_end() {
    start
    versions '' true "<NextKeyMarker>k</NextKeyMarker>\
<NextVersionIdMarker>v</NextVersionIdMarker>$(entry Version k v true)"
    op 1 ls --versions s3://b
    is "$(last_outcome)" '200	InvalidAnswer'
    start
    versions '' true "$(entry Version k v true)"
    op 1 ls --versions s3://b
    is "$(requests)" 1
}

bad_values_are_named() {
    expect_exit 2 "$S3OP" ls --versions 2>err
    has err '^s3op: --versions are of a bucket$'
    expect_exit 2 "$S3OP" ls --versions --list-type 1 s3://b 2>err
    expect_exit 2 "$S3OP" ls --list-type 3 s3://b 2>err
    has err "^s3op: bad list-type: it is 1 or 2\$"
    expect_exit 2 "$S3OP" ls --encoding-type xml s3://b 2>err
    has err "^s3op: bad encoding-type 'xml': it is url\$"
}

readonly said='<EncodingType>url</EncodingType>'

test_expect 'the first form goes on by marker' first_form_goes_on_by_marker
test_expect 'the last key is the marker' last_key_is_the_marker
test_expect 'names are decoded' names_are_decoded "$said" ''
test_expect 'names are decoded, when that is said at the end' \
    names_are_decoded '' "$said"
test_expect 'a token is not decoded' token_is_not_decoded
test_expect 'plain names stay' plain_names_stay
test_expect 'bad encoding is named' bad_encoding_is_named
test_expect 'a stuck listing ends' stuck_listing_ends
test_expect 'a stuck listing by marker ends' stuck_listing_ends --list-type 1
test_expect 'a circle ends' circle_ends
test_expect 'empty pages end' empty_pages_end
test_expect 'entries are counted once' entries_are_counted_once
test_expect 'versions go on by two markers' versions_go_on
test_expect 'versions that stay end' versions_that_stay_end
test_expect 'bad values are named' bad_values_are_named
done_testing
