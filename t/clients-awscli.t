#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The AWS command line on the built-in endpoint. Each call takes half a
# second to start, so there are few.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/clients.sh
. "$srcdir/t/clients.sh"

# Debian's, where there is another one in front of it.
aws=$(PATH=/usr/bin:$PATH command -v aws || echo aws)
needs "$aws" awscli
start_for_client --tls
export AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true \
    PYTHONWARNINGS=ignore
readonly b=s3://$test_id

aws() { # ARG...
    "$aws" --endpoint-url "$url" "$@" >out
}

api() { # COMMAND ARG...
    aws s3api "$1" --bucket "$test_id" "${@:2}"
}

makes_a_bucket() {
    aws s3 mb "$b"
    logged "^200 PUT /$test_id"
}

puts_and_gets() {
    aws s3 cp small "$b/dir/a b+c=é"
    aws s3 cp "$b/dir/a b+c=é" back
    same small back
    logged "^200 GET /$test_id/dir/a%20b%2Bc%3D%C3%A9"
}

uploads_in_parts() {
    aws s3 cp --no-progress large "$b/large"
    logged "^200 POST /$test_id/large\?uploads" \
        "^200 PUT /$test_id/large\?(partNumber=2&uploadId=|uploadId=.*partNumber=2)" \
        "^200 POST /$test_id/large\?uploadId="
    aws s3 cp --no-progress "$b/large" back
    same large back
}

lists() {
    aws s3 ls --recursive "$b"
    has out '12000000 large$' '1000 dir/a b\+c=é$'
    aws s3 ls "$b"
    has out 'PRE dir/$'
    api list-object-versions --query 'Versions[].VersionId' --output text
    has out '^null.null$'
}

copies_in_parts() {
    aws s3 cp --no-progress "$b/large" "$b/copy"
    logged "^200 PUT /$test_id/copy\?"
    aws s3 cp --no-progress "$b/copy" back
    same large back
}

reads_a_range() {
    api get-object --key large --range bytes=1000-1999 back
    bytes_of large 1000 1000 >want
    same want back
}

presigns() {
    aws s3 presign "$b/large"
    curl -sS -f --noproxy '*' --cacert "$AWS_CA_BUNDLE" -o back "$(cat out)"
    same large back
}

# Over https a checksum comes behind the body.
sends_a_trailer() { # ALGORITHM
    api put-object --key "sum" --body small --checksum-algorithm "$1" \
        --metadata a=b --tagging 'x=1&y=2'
    has out "\"Checksum$1\": "
    api head-object --key sum --checksum-mode ENABLED
    has out "\"Checksum$1\": " '"a": "b"'
    awk -F '\t' '$5 ~ /sum/ && $4 == "PUT" { print $9 }' "$access" >headers
    has headers 'X-Amz-Trailer'
    api get-object-tagging --key sum
    has out '"Key": "y"'
}

deletes_many_at_once() {
    api delete-objects --delete 'Objects=[{Key=sum},{Key=copy},{Key=none}]'
    logged "^200 POST /$test_id\?delete"
    aws s3 rm --recursive "$b"
    aws s3 rb "$b"
    logged "^204 DELETE /$test_id"
}

has_versions() {
    local id

    aws s3api create-bucket --bucket "$test_id-lock" \
        --object-lock-enabled-for-bucket
    aws s3api put-object --bucket "$test_id-lock" --key k --body small
    has out '"VersionId": "[A-Za-z0-9._]{22}"'
    id=$(sed -n 's/.*"VersionId": "\(.*\)".*/\1/p' out)
    aws s3api delete-object --bucket "$test_id-lock" --key k
    has out '"DeleteMarker": true'
    fails aws s3api head-object --bucket "$test_id-lock" --key k 2>err
    has err '404'
    aws s3api get-object --bucket "$test_id-lock" --key k --version-id "$id" back
    same small back
    aws s3api list-object-versions --bucket "$test_id-lock" \
        --query '[Versions[].VersionId, DeleteMarkers[].IsLatest]' --output text
    has out "^$id\$" '^True$'
    echo "$id" >id
}

locks() {
    local id until

    id=$(cat id) until=$(date -u -d '1 hour' +%Y-%m-%dT%H:%M:%SZ)
    aws s3api put-object-retention --bucket "$test_id-lock" --key k \
        --version-id "$id" \
        --retention "Mode=GOVERNANCE,RetainUntilDate=$until"
    aws s3api get-object-retention --bucket "$test_id-lock" --key k \
        --version-id "$id"
    has out '"Mode": "GOVERNANCE"' "\"RetainUntilDate\": \"${until%Z}"
    fails aws s3api delete-object --bucket "$test_id-lock" --key k \
        --version-id "$id" 2>err
    has err 'AccessDenied'
    aws s3api put-object-legal-hold --bucket "$test_id-lock" --key k \
        --version-id "$id" --legal-hold Status=ON
    aws s3api head-object --bucket "$test_id-lock" --key k --version-id "$id"
    has out '"ObjectLockLegalHoldStatus": "ON"' '"ObjectLockMode": "GOVERN'
    aws s3api put-object-legal-hold --bucket "$test_id-lock" --key k \
        --version-id "$id" --legal-hold Status=OFF
    aws s3api delete-object --bucket "$test_id-lock" --key k \
        --version-id "$id" --bypass-governance-retention
}

encrypts() {
    local key=(--sse-customer-algorithm AES256 --sse-customer-key)

    key+=("$(printf 'k%.0s' {1..32})")
    api put-object --key keyed --body small "${key[@]}"
    has out '"SSECustomerAlgorithm": "AES256"'
    fails api get-object --key keyed back 2>err
    has err InvalidRequest
    api get-object --key keyed "${key[@]}" back
    same small back
    api put-object --key kms --body small --server-side-encryption aws:kms
    has out '"SSEKMSKeyId": "arn:aws:kms:'
    api delete-objects --delete 'Objects=[{Key=keyed},{Key=kms}]'
}

test_expect 'aws makes a bucket' makes_a_bucket
test_expect 'aws puts and gets a strange key' puts_and_gets
test_expect 'aws uploads in parts' uploads_in_parts
test_expect 'aws lists' lists
test_expect 'aws copies in parts' copies_in_parts
test_expect 'aws reads a range' reads_a_range
test_expect 'aws presigns' presigns
test_expect 'aws sends a CRC32 as trailer' sends_a_trailer CRC32
test_expect 'aws sends a SHA256 as trailer' sends_a_trailer SHA256
test_expect 'aws lists and reads versions' has_versions
test_expect 'aws locks versions' locks
test_expect 'aws encrypts with a key of its own' encrypts
test_expect 'aws deletes many at once' deletes_many_at_once
stop_s3mem
done_testing
