# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What URLs of s3op presign must do on any S3 server, fetched by plain curl:
# sourced by a test that has started one. $bucket is there.

fetch() { # STATUS URL [ARG]...: the answer's body is in ./body
    local want=$1 url=$2 status

    shift 2
    status=$(curl -sS --noproxy '*' -o body -w '%{http_code}' \
        ${AWS_CA_BUNDLE:+--cacert "$AWS_CA_BUNDLE"} "$@" "$url")
    is "$status" "$want" "status of $* $url" || {
        note "$(head -c 2000 body)"
        return 1
    }
}

presign() { # [ARG]...: the URL is in $url
    "$S3OP" presign --signature "$version" "$@" >url
    is "$(wc -l <url)" 1
    url=$(<url)
}

url_of_each_method_works() { # KEY
    printf 'some bytes\n' >some
    presign --method PUT "s3://$bucket/$1"
    fetch 200 "$url" -T some
    presign "s3://$bucket/$1"
    fetch 200 "$url"
    cmp some body
    fetch 206 "$url" --range 5-9
    is "$(<body)" bytes
    presign --method HEAD "s3://$bucket/$1"
    fetch 200 "$url" --head
    has body '^[Cc]ontent-[Ll]ength: 11'
    presign --method DELETE "s3://$bucket/$1"
    fetch 204 "$url" -X DELETE
    presign "s3://$bucket/$1"
    fetch 404 "$url"
}

url_of_another_method_is_refused() {
    presign "s3://$bucket/k"
    fetch 403 "$url" -X DELETE
    has body '<Code>SignatureDoesNotMatch</Code>'
}

url_with_parameters_works() {
    printf 'x' >some
    presign --method PUT "s3://$bucket/p"
    fetch 200 "$url" -T some
    presign --query 'response-content-type=text/x a+b' "s3://$bucket/p"
    fetch 200 "$url" -D head.raw
    tr -d '\r' <head.raw >headers
    has headers '^[Cc]ontent-[Tt]ype: text/x a\+b$'
    presign --query prefix=p "s3://$bucket"
    fetch 200 "$url"
    has body '<Key>p</Key>'
    "$S3OP" rm "s3://$bucket/p" >record
}

url_with_a_header_needs_it() {
    printf 'x' >some
    presign --method PUT --header 'content-type: text/x-signed' \
        "s3://$bucket/h"
    fetch 403 "$url" -T some
    fetch 200 "$url" -T some -H 'Content-Type: text/x-signed'
    "$S3OP" rm "s3://$bucket/h" >record
}

url_ends() {
    presign --at "$(date -u -d '-10 minutes' +%Y%m%dT%H%M%SZ)" --expires 5m \
        "s3://$bucket"
    fetch 403 "$url"
    presign --at "$(date -u -d '-10 minutes' +%Y%m%dT%H%M%SZ)" --expires 20m \
        "s3://$bucket"
    fetch 200 "$url"
}

changed_url_is_refused() {
    presign "s3://$bucket"
    if [[ $version == v4 ]]; then
        url=${url/X-Amz-Expires=3600/X-Amz-Expires=3601}
    else
        url=${url/Expires=1/Expires=2}
    fi
    fetch 403 "$url"
    has body '<Code>SignatureDoesNotMatch</Code>'
}

url_of_a_wrong_secret_is_refused() {
    export AWS_SECRET_ACCESS_KEY=wrong
    presign "s3://$bucket"
    fetch 403 "$url"
    has body '<Code>SignatureDoesNotMatch</Code>'
}

presign_suite() { # WHERE VERSION
    local where=$1

    version=$2
    test_expect "$where, $2: URLs for PUT, GET, HEAD, DELETE" \
        url_of_each_method_works dir/key
    test_expect "$where, $2: URLs of an odd key" \
        url_of_each_method_works "a b+c=é/~!\$&'()*,;:@%41?#"
    test_expect "$where, $2: URLs with parameters" url_with_parameters_works
    test_expect "$where, $2: a signed header must be sent" \
        url_with_a_header_needs_it
    test_expect "$where, $2: a URL for GET does not delete" \
        url_of_another_method_is_refused
    test_expect "$where, $2: a URL ends" url_ends
    test_expect "$where, $2: a changed URL is refused" changed_url_is_refused
    test_expect "$where, $2: a URL of another secret is refused" \
        url_of_a_wrong_secret_is_refused
}
