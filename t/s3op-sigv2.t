#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --signature v2: all verbs, and URLs.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh"
# shellcheck source=t/presign-suite.sh
. "$srcdir/t/presign-suite.sh"

published_url() {
    local host=http://s3.amazonaws.com

    export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE
    export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
    "$S3OP" presign --signature v2 --endpoint "$host" --addressing virtual \
        --at 20070329T034000Z --expires 20s s3://johnsmith/photos/puppy.jpg \
        >url
    is "$(<url)" "http://johnsmith.s3.amazonaws.com/photos/puppy.jpg?AWSAccess\
KeyId=AKIAIOSFODNN7EXAMPLE&Expires=1175139620&Signature=NpgCjnDzrM%2BWFzoEN\
XmpNDUsSn8%3D"
}

# s3cmd's URLs are of version 2, too.
agrees_with_s3cmd() { # KEY
    printf '%s\n' '[default]' 'access_key = AKID/EXAMPLE' \
        'secret_key = se/cret+' 'host_base = h.example:9000' \
        'host_bucket = h.example:9000' 'use_https = False' >s3cfg
    s3cmd -c s3cfg signurl "s3://bkt/$1" 1900000000 >want
    AWS_ACCESS_KEY_ID=AKID/EXAMPLE AWS_SECRET_ACCESS_KEY=se/cret+ \
        "$S3OP" presign --signature v2 --endpoint http://h.example:9000 \
        --addressing path --at 20300317T173000Z --expires 1000s \
        "s3://bkt/$1" >got
    # s3cmd leaves slashes in the query as they are.
    is "$(sed 's/%2F/\//g' got)" "$(sed 's/%2F/\//g' want)"
}

# A bucket in the host's name is signed in front of the path.
virtual_host_style_works() {
    export AWS_ENDPOINT_URL=http://localhost:${AWS_ENDPOINT_URL##*:}
    version=v2
    "$S3OP" put --addressing virtual --size 10 "s3://$bucket/v" >record
    "$S3OP" get --addressing virtual --size 10 --verify "s3://$bucket/v" \
        >record
    presign --addressing virtual "s3://$bucket/v"
    has url "^http://$bucket\.localhost:[0-9]+/v\?AWSAccessKeyId="
    fetch 200 "$url"
    is "$(stat -c %s body)" 10
    "$S3OP" rm "s3://$bucket/v" >record
}

# What goes out is what sign says, and nothing of version 4 is in it.
request_is_signed_as_sign_says() {
    local date stamp

    start_canned
    canned_answer '' '200 OK' ''
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    export AWS_SESSION_TOKEN=token AWS_ENDPOINT_URL=$canned_url
    "$S3OP" put --signature v2 --size 10 --header 'x-amz-meta-a:  1 ' \
        --header 'content-type: text/x' 's3://bucket/a b+c=é' >record
    tr -d '\r' <"$canned_dir/request.1" >request
    has request '^PUT /bucket/a%20b%2Bc%3D%C3%A9 HTTP/1.1$' \
        '^Date: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$' \
        '^x-amz-security-token: token$' \
        '^Authorization: AWS AKIDEXAMPLE:[A-Za-z0-9+/]{27}=$'
    hasnt request '^[Xx]-[Aa]mz-([Cc]ontent-[Ss]ha256|[Dd]ate):'
    date=$(sed -n 's/^Date: //p' request)
    stamp=$(date -u -d "$date" +%Y%m%dT%H%M%SZ)
    "$S3OP" sign --signature v2 --at "$stamp" --method PUT \
        --header 'content-type: text/x' --header 'x-amz-meta-a:  1 ' \
        's3://bucket/a b+c=é' >got
    has got "^$date\$" '^x-amz-security-token:\*{5}$' '^x-amz-meta-a:1$' \
        "^$(sed -n 's/^Authorization: //p' request |
            sed 's/[+]/[+]/g')\$"
    hasnt got 'Canonical request'
}

payload_is_not_signed() {
    expect_exit 2 "$S3OP" put --signature v2 --payload-hash signed --size 1 \
        s3://b/k 2>err
    has err '^s3op: --payload-hash does not go with --signature v2'
    expect_exit 2 "$S3OP" put --signature v2 --chunked signed --size 1 \
        s3://b/k 2>err
    has err '^s3op: --chunked does not go with --signature v2'
    "$S3OP" put --signature v2 --size 70000 --json "s3://$bucket/k" >sum
    "$S3OP" put --signature v2 --size 70000 -n 1 --json "s3://$bucket/k" >sum
    is "$(member sum payload_hash)" none
    "$S3OP" rm --signature v2 -n 1 "s3://$bucket/k" >sum
    "$S3OP" rm --signature v2 "s3://$bucket/k" >record
}

secrets_are_not_traced() {
    "$S3OP" head --signature v2 -v "s3://$bucket" >record 2>trace
    has trace '^> Authorization: AWS .*\*\*\*'
    hasnt trace '^> Authorization: AWS [^:]*:[A-Za-z0-9+/]{27}='
}

v2_suite() { # WHERE
    local where=$1
    bucket=$test_id

    test_expect "$where: a bucket comes and goes" bucket_comes_and_goes
    "$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
    test_expect "$where: 1 byte comes back" size_comes_back 1 1
    test_expect "$where: 5 MiB come back" size_comes_back 5Mi 5242880
    test_expect "$where: many objects come back" many_come_back
    test_expect "$where: odd keys come back" odd_keys_come_back
    test_expect "$where: a listing follows pages" listing_follows_pages
    test_expect "$where: what is missing is named" missing_is_named
    test_expect "$where: wrong keys are named" wrong_keys_are_named
    presign_suite "$where" v2
    test_expect "$where: a payload is not signed" payload_is_not_signed
    test_expect "$where: secrets are not traced" secrets_are_not_traced
    "$S3OP" rb "s3://$bucket" >/dev/null || die "something is left in $bucket"
}

test_expect 'the published URL' published_url
if command -v s3cmd >/dev/null; then
    test_expect "s3cmd's URL" agrees_with_s3cmd dir/key
    test_expect "s3cmd's URL of an odd key" agrees_with_s3cmd 'a b+c=é'
else
    test_skip "s3cmd's URL" 'no s3cmd'
fi
test_expect 'a request is signed as sign says' request_is_signed_as_sign_says

# From here on each command has --signature v2 in front.
printf '#!/bin/sh\nexec "%s" --signature v2 "$@"\n' "$S3OP" >s3op-v2
chmod +x s3op-v2
S3OP=$PWD/s3op-v2

start_s3mem
v2_suite s3mem
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
test_expect 's3mem: a bucket in the host name' virtual_host_style_works
stop_s3mem
if start_radosgw; then
    v2_suite radosgw
fi
done_testing
