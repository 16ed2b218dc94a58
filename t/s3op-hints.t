#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Likely causes and their cures; what --trace-signing and --expect-100 do.
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

status_of() { # CODE: 3 where the keys are no good
    case $1 in
        SignatureDoesNotMatch | InvalidAccessKeyId | ExpiredToken) echo 3 ;;
        *) echo 1 ;;
    esac
}

error_has_hint() { # STATUS CODE MESSAGE HINT ARG...
    start
    canned_answer '' "$1 Oh" \
        "<Error><Code>$2</Code><Message>$3</Message></Error>"
    op "$(status_of "$2")" "${@:5}"
    has err "^s3op: [a-z]+ s3://.*: $1 $2: $3.*; .*$4"
    is "$(wc -l <err)" 1 lines
}

error_has_no_hint() { # STATUS CODE ARG...
    start
    canned_answer '' "$1 Oh" "<Error><Code>$2</Code></Error>"
    op 1 "${@:3}"
    has err ": $1 $2\$"
}

certificate_has_hint() {
    start_s3mem --tls
    unset AWS_CA_BUNDLE
    op 3 head s3://b
    has err '^s3op: head s3://b: certificate: .*; --cacert FILE .*--insecure'
    is "$(wc -l <err)" 1
}

# TLS is spoken to a server that has none, and the other way round.
other_protocol_has_hint() {
    start_s3mem
    op 3 --endpoint "https://${AWS_ENDPOINT_URL#http://}" head s3://b
    has err '^s3op: head s3://b: tls: .*if not, use http://'
    start
    canned_answer '' '400 Bad' '<html>plain HTTP to an HTTPS port</html>'
    op 1 get s3://b/k
    has err '400 BadRequest.*; .*https://'
}

unknown_bucket_host_has_hint() {
    op 3 --endpoint http://no-such-host.invalid --addressing virtual head s3://b
    has err '^s3op: head s3://b: lookup: .*--addressing path'
    op 3 --endpoint http://no-such-host.invalid --addressing path head s3://b
    hasnt err 'addressing'
}

# samtools/htslib#764 (A7): a wildcard covers one label.
dotted_bucket_keeps_out_of_the_host() {
    local port

    start
    port=${canned_url##*:}
    canned_answer '' '200 OK' ''
    op 0 --endpoint "http://s3.us-east-1.amazonaws.com:$port" \
        --resolve "s3.us-east-1.amazonaws.com:$port:127.0.0.1" \
        head s3://abc.example.com/k
    has "$canned_dir/request.1" '^HEAD /abc\.example\.com/k '
    is "$(sent_header 1 host)" "s3.us-east-1.amazonaws.com:$port"
    op 0 --endpoint "http://localhost:$port" --addressing virtual \
        --resolve "abc.example.com.localhost:$port:127.0.0.1" \
        head s3://abc.example.com/k
    is "$(sent_header 2 host)" "abc.example.com.localhost:$port"
    start_s3mem --tls
    unset AWS_CA_BUNDLE
    op 3 head s3://abc.example.com/k
    has err ' certificate: '
}

# --- --trace-signing ---

signing_is_shown() {
    local authorization

    start
    canned_answer '' '200 OK' ''
    export AWS_SESSION_TOKEN=a-token-of-mine
    op 0 put --trace-signing -s 10 's3://b/k v'
    has err '^Canonical request:$' '^PUT$' '^/b/k%20v$' '^String to sign:$' \
        '^AWS4-HMAC-SHA256$' '^Signature:$' '^Authorization:$' \
        '^x-amz-security-token:\*+$' '^AWS4-HMAC-SHA256 Credential=AKIDEX' \
        "^host:${canned_url#http://}\$"
    hasnt err 'a-token-of-mine|secret'
    authorization=$(sent_header 1 authorization)
    hasnt err "${authorization##*Signature=}"
    has err "Signature=$(cut -c 1-8 <<<"${authorization##*Signature=}")\*+\$"
    # It is what s3op sign prints.
    "$S3OP" sign --method PUT --at "$(sent_header 1 x-amz-date)" \
        --payload-hash "$(sent_header 1 x-amz-content-sha256)" \
        's3://b/k v' >signed
    is "$(sed '/^Signature:/,$d' err)" "$(sed '/^Signature:/,$d' signed)"
}

signing_is_shown_of_each() {
    start
    canned_answer '' '200 OK' ''
    "$S3OP" put --trace-signing -n 3 -c 3 -s 10 s3://b/k >sum 2>err
    is "$(grep -c '^Canonical request:$' err)" 3
    "$S3OP" head --trace-signing --signature v2 s3://b/k >sum 2>err
    has err '^String to sign:$' '^HEAD$' '^AWS AKIDEXAMPLE:.*\*+$'
    hasnt err '^Canonical'
}

# --- --expect-100 ---

body_waits_for_the_word() {
    start
    : >"$canned_dir/continue"
    canned_answer '' '200 OK' ''
    op 0 put --expect-100 -s 100 s3://b/k
    column record total_us | awk '!($1 < 9e5) { exit 1 }'
    is "$(sent_header 1 expect)" 100-continue
    is "$(column record good_bytes)" 100
    is "$(sent_body 1 | wc -c)" 100
    has <(sent_header 1 authorization) 'SignedHeaders=host;x-amz-content'
    op 0 put --expect-100 -s 0 s3://b/k
    is "$(sent_header 2 expect)" ''
    op 0 put -s 100 s3://b/k
    is "$(sent_header 3 expect)" ''
}

# The server says nothing until it has the body: a second is lost, no more.
silence_is_no_word() {
    start
    canned_answer '' '200 OK' ''
    op 0 put --expect-100 -s 100 s3://b/k
    is "$(column record good_bytes)" 100
    column record total_us | awk '!(9e5 < $1 && $1 < 5e6) { exit 1 }'
}

# aws/aws-sdk-cpp#1984: what is refused early costs no upload.
refusal_saves_the_body() { # STATUS CODE
    start
    : >"$canned_dir/early"
    canned_answer '' "$1" "<Error><Code>$2</Code></Error>"
    expect_exit 1 "$S3OP" put --expect-100 -n 3 --json --log log -s 64Mi \
        --payload-hash unsigned --timeout 20s s3://b/k >sum 2>err
    is "$(column log status | sort -u)" "${1%% *}"
    is "$(column log code | sort -u)" "$2"
    is "$(column log transport | sort -u)" -
    is "$(member sum errors)" 3
    wait_for 5 test -e "$canned_dir/request.3"
    fails test -e "$canned_dir/request.4"
    is "$(sent_body 1 | wc -c)$(sent_body 2 | wc -c)$(sent_body 3 | wc -c)" 000
    (($(member sum wire_bytes) < 1000))
    # The body that was announced never came, so the connection is over.
    is "$(column log reused | tr -d '\n')" 000
}

test_expect 'an untrusted certificate' certificate_has_hint
test_expect 'another protocol' other_protocol_has_hint
test_expect 'an unknown host of a bucket' unknown_bucket_host_has_hint
test_expect 'a dotted bucket keeps out of the host' \
    dotted_bucket_keeps_out_of_the_host
test_expect 'another secret key' error_has_hint 403 SignatureDoesNotMatch no \
    'Host or the path; --trace-signing' get s3://b/k
test_expect 'an unknown key' error_has_hint 403 InvalidAccessKeyId no \
    'whoami' get s3://b/k
test_expect 'a session that is over' error_has_hint 400 ExpiredToken no \
    'get new keys' get s3://b/k
test_expect 'another region' error_has_hint 400 AuthorizationHeaderMalformed \
    no '--region' get s3://b/k
test_expect 'version 2 only' error_has_hint 400 InvalidArgument \
    'Unsupported Authorization Type' '--signature v2' get s3://b/k
test_expect 'a lock without checksum' error_has_hint 400 InvalidRequest \
    'Content-MD5 OR x-amz-checksum- HTTP header is required' --checksum \
    put -s 1 --legal-hold s3://b/k
test_expect 'an object that needs its key' error_has_hint 400 InvalidRequest \
    'The object was stored using a form of Server Side Encryption' '--sse c' \
    get s3://b/k
test_expect 'version 4 only' error_has_hint 400 InvalidRequest \
    'Please use AWS4-HMAC-SHA256.' '--signature v4' --signature v2 get s3://b/k
test_expect 'a location that is refused' error_has_hint 400 \
    InvalidLocationConstraint no '--location none' mb --location x s3://b
test_expect 'no hint for what is clear' error_has_no_hint 404 NoSuchKey \
    get s3://b/k
test_expect 'no hint for what is full' error_has_no_hint 507 Full get s3://b/k

test_expect 'signing is shown' signing_is_shown
test_expect 'signing is shown of each request' signing_is_shown_of_each

test_expect 'a body waits for the word' body_waits_for_the_word
test_expect 'silence is no word' silence_is_no_word
test_expect 'a refusal saves the body' refusal_saves_the_body \
    '403 Forbidden' AccessDenied
test_expect 'a failed precondition saves the body' refusal_saves_the_body \
    '412 Failed' PreconditionFailed
test_expect 'no word is ever given' refusal_saves_the_body \
    '417 Expectation Failed' HTTP417
done_testing
