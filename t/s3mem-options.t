#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Options of the built-in endpoint that change what it takes: --anonymous,
# --region, --domain, --part-min; and its access log.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3mem-curl.sh
. "$srcdir/t/s3mem-curl.sh"

usage_errors_name_the_culprit() {
    local case

    for case in --part-min=x --region= --region=a/b --domain='a b'; do
        expect_exit 2 "$S3MEM" "$case" </dev/null >out 2>err
        has err "^s3mem: bad .*'${case#*=}'"
        is "$(wc -l <err)" 1
    done
    expect_exit 4 "$S3MEM" --access-log no/such/file </dev/null >out 2>err
    has err "^s3mem: cannot write 'no/such/file': "
}

anonymous_needs_no_signature() {
    plain -X PUT "$url/$bucket-plain"
    answers 200
    plain -X PUT --data-binary text "$url/$bucket-plain/key"
    answers 200
    s3 "$url/$bucket-plain/key"
    answers 200
    is "$(cat body)" text
    s3 "$url/$bucket-plain/key" -u "$AWS_ACCESS_KEY_ID:wrong"
    answers 403 SignatureDoesNotMatch
}

region_is_strict() {
    has "$s3mem_dir/out" '^AWS_REGION=eu-test-1$'
    s3 "$url/"
    answers 400 AuthorizationHeaderMalformed
    has body '<Region>eu-test-1</Region>'
    has headers '^x-amz-bucket-region: eu-test-1'
    s3 --aws-sigv4 aws:amz:eu-test-1:s3 -X PUT "$url/$bucket" --data-binary \
        '<CreateBucketConfiguration><LocationConstraint>eu-test-1</LocationConstraint></CreateBucketConfiguration>'
    answers 200
    s3 --aws-sigv4 aws:amz:eu-test-1:s3 "$url/$bucket?location="
    has body '<LocationConstraint[^>]*>eu-test-1</LocationConstraint>'
}

domain_names_a_bucket() {
    local host=$bucket.s3.test:${url##*:}

    put key text
    s3 --resolve "$host:127.0.0.1" "http://$host/key"
    answers 200
    is "$(cat body)" text
    s3 --resolve "$host:127.0.0.1" "http://$host/?list-type=2&prefix=key"
    is "$(elements Key)" key
    s3 --resolve "${bucket}xs3.test:${url##*:}:127.0.0.1" \
        "http://${bucket}xs3.test:${url##*:}/$bucket/key"
    answers 200
}

expects_continue() {
    head -c 100000 /dev/zero >file
    s3 -v -T file -H 'Expect: 100-continue' "$url/$bucket/expect" 2>log
    answers 200
    has log 'HTTP/1.1 100 Continue'
}

log_line() { # COLUMN...: of the last line
    awk -F '\t' -v columns="$*" '
        NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
        { line = $0 }
        END {
            $0 = line
            n = split(columns, wanted, " ")
            for (i = 1; i <= n; i++)
                printf "%s%s", $at[wanted[i]], i < n ? " " : "\n"
        }' access.tsv
}

logged_lines() { # COUNT
    (($(wc -l <access.tsv) == $1 + 2))
}

log_tells_what_was_sent() {
    is "$(head -n 1 access.tsv)" '# s3mem-access 1'
    : >access.tsv.old
    s3 -X PUT --data-binary 12345 \
        -H 'Content-Type: text/plain' "$url/$bucket/a%20b?x-id=P"
    wait_for 5 logged_lines 2
    is "$(log_line method target auth status code bytes_in content_length)" \
        "PUT /$bucket/a%20b?x-id=P v4 200 - 5 5"
    is "$(log_line host signed_headers bytes_out ended)" \
        "${url#http://} content-type;host;x-amz-content-sha256;x-amz-date 0 sent"
    is "$(log_line headers)" \
        'Host;Authorization;X-Amz-Date;User-Agent;Accept;x-amz-content-sha256;Content-Type;Content-Length'
    plain "$url/$bucket/a%20b?X-Amz-Security-Token=secret&x=y"
    wait_for 5 logged_lines 3
    is "$(log_line target auth status code)" \
        "/$bucket/a%20b?X-Amz-Security-Token=***&x=y none 403 AccessDenied"
    s3 "$url/$bucket/a%20b" -o body2 "$url/$bucket/a%20b"
    wait_for 5 logged_lines 5
    is "$(log_line bytes_out)" 5
    # The last two came on one connection, the others each on their own.
    is "$(awk -F '\t' 'NR > 2 { print $3 }' access.tsv | sort -u | wc -l)" 4
    # Moments are in order, and the format of the time is what it says.
    awk -F '\t' 'NR > 2 && !($15 > 0 && $15 <= $16 &&
        $1 ~ /^....-..-..T..:..:..[.]......Z$/) { exit 1 }' access.tsv
}

log_survives_hostile_targets() {
    local fd lines

    lines=$(wc -l <access.tsv)
    exec {fd}<>"/dev/tcp/127.0.0.1/${url##*:}"
    printf 'GET /\t\x01\x1b[31m\xff HTTP/1.1\r\nHost: a\x07b\r\n\r\n' >&"$fd"
    timeout 0.3 cat <&"$fd" >answer || :
    exec {fd}>&-
    s3 "$url/"
    wait_for 5 eval "((\$(wc -l <access.tsv) > $lines))"
    fails grep -q $'\x1b' access.tsv
    # Every line has all columns.
    is "$(awk -F '\t' 'NR > 1 { print NF }' access.tsv | sort -u)" 17
}

log_notes_an_upload_that_ends_early() {
    local fd

    exec {fd}<>"/dev/tcp/127.0.0.1/${url##*:}"
    printf 'PUT /b/early HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc' \
        >&"$fd"
    exec {fd}>&-
    wait_for 5 grep -q '/b/early' access.tsv
    grep '/b/early' access.tsv >early
    has early $'\t3\t0\t-\t-\t-\t.*\tclosed$'
}

part_sizes() { # STATUS [CODE]: of an upload with a first part of 10 bytes
    local id n etag xml=''

    s3 -X POST --data-binary '' "$url/$bucket/parts?uploads="
    answers 200
    id=$(elements UploadId)
    for n in 1 2; do
        s3 -X PUT --data-binary 0123456789 \
            "$url/$bucket/parts?partNumber=$n&uploadId=$id"
        answers 200
        etag=$(sed -n 's/^ETag: "\(.*\)".*/\1/p' headers)
        xml+="<Part><PartNumber>$n</PartNumber><ETag>\"$etag\"</ETag></Part>"
    done
    s3 -X POST --data-binary \
        "<CompleteMultipartUpload>$xml</CompleteMultipartUpload>" \
        "$url/$bucket/parts?uploadId=$id"
    answers "$@"
}

keeps_a_token() {
    export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret \
        AWS_SESSION_TOKEN=to/ken==
    start_s3mem
    url=$AWS_ENDPOINT_URL
    hasnt "$s3mem_dir/out" to/ken
    s3 "$url/"
    answers 403 InvalidAccessKeyId
    s3 -H 'x-amz-security-token: to/ken==' "$url/"
    answers 200
    s3 -H 'x-amz-security-token: other' "$url/"
    answers 400 InvalidToken
    stop_s3mem
}

test_expect 'usage errors name the culprit' usage_errors_name_the_culprit
start --anonymous
test_expect '--anonymous needs no signature' anonymous_needs_no_signature
stop_s3mem
start_s3mem --region eu-test-1
url=$AWS_ENDPOINT_URL
test_expect '--region is strict' region_is_strict
stop_s3mem
start --domain s3.test --access-log access.tsv
wait_for 5 logged_lines 1
test_expect 'the log tells what was sent' log_tells_what_was_sent
test_expect 'the log survives hostile targets' log_survives_hostile_targets
test_expect 'the log notes an upload that ends early' \
    log_notes_an_upload_that_ends_early
test_expect '--domain names a bucket' domain_names_a_bucket
test_expect 'Expect: 100-continue' expects_continue
test_expect 'parts have 5 MiB' part_sizes 400 EntityTooSmall
stop_s3mem
start --part-min 10
test_expect '--part-min changes that' part_sizes 200
stop_s3mem
test_expect 'a session token is asked for' keeps_a_token
done_testing
