#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op probe: a look at the way to the service, without keys.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

probe() { # STATUS ARG...: what it prints in ./out
    expect_exit "$1" "$S3OP" probe "${@:2}" >out 2>err
}

plain_http() {
    start_s3mem --access-log access
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    probe 0 --json
    jq -e '.format == "s3perf-probe 1" and .failed == null and .tls == false
        and .address == "127.0.0.1" and .addresses == ["127.0.0.1"] and
        .connects == 5 and .connect_us > 0 and .status == 403 and
        .tls_version == null and .verified == null and
        (.server | startswith("s3mem/")) and (.clock_offset_s | fabs) <= 1' out
    probe 0
    has out '^endpoint +http://127' '^connect +[0-9.]+ ms, least of 5$' \
        '^clock +[+-][01] s$'
    hasnt out '^tls'
    # nothing is signed
    hasnt access AWS4-HMAC authorization
}

with_tls() {
    local port

    start_s3mem --tls
    port=${AWS_ENDPOINT_URL##*:}
    probe 0 --json
    jq -e '.tls and .verified and .tls_version == "TLSv1.3" and .tls_us > 0 and
        .expires_days > 300 and .verify_message == "ok"' out
    # the name counts, not the address
    probe 0 --endpoint "https://localhost:$port" \
        --resolve "localhost:$port:127.0.0.1"
    probe 3 --json --endpoint "https://store.invalid:$port" \
        --resolve "store.invalid:$port:127.0.0.1"
    jq -e '.failed == "certificate" and .verified == false and
        .verify_message == "hostname mismatch" and .status == 403' out
    has err '^s3op: probe: certificate: hostname mismatch$'
    unset AWS_CA_BUNDLE
    probe 3
    probe 0 --insecure --json
    jq -e '.failed == null and .verified == false' out
    probe 3 --endpoint "http://127.0.0.1:$port" --json
    jq -e '.failed == "http"' out
    AWS_CA_BUNDLE=/nonexistent probe 3
    has err "^s3op: cannot read '/nonexistent'"
}

ends() {
    probe 3 --endpoint http://127.0.0.1:1 --json
    jq -e '.failed == "connect" and .connects == 0 and .connect_us == null' out
    has err '^s3op: probe: connect: 127\.0\.0\.1 port 1: Connection refused$'
    probe 3 -q --endpoint http://nowhere.invalid --json
    jq -e '.failed == "lookup" and .addresses == []' out
    is "$(cat err)" ''
    start_canned
    canned_answer '' '200 OK' ''
    probe 3 --endpoint "https://${canned_url#*//}" --connect-timeout 1s --json
    jq -e '.failed == "tls"' out
    probe 2 s3://bucket
    probe 2 --log x
}

odd_answers() {
    start_canned
    canned_raw '' 'SSH-2.0-OpenSSH\r\n\r\n'
    probe 3 --endpoint "$canned_url" --json
    jq -e '.failed == "http" and .message == "the answer is not HTTP"' out
    canned_raw '' 'HTTP/1.1 200 OK\r\nServer: \x1b[31m"x\\\r\nDate: Fri, 24 May 2013 00:00:00 GMT\r\nAge: 5\r\n\r\n'
    probe 0 --endpoint "$canned_url" --json
    jq -e '.clock_offset_s == null and .server == "\u001b[31m\"x\\"' out
    probe 0 --endpoint "$canned_url"
    has out '^server +\?\[31m"x\\$'
    canned_raw '' 'HTTP/1.1 200 OK\r\nDate: yesterday\r\n\r\n'
    probe 0 --endpoint "$canned_url" --json
    jq -e '.clock_offset_s == null' out
    canned_raw '' 'HTTP/1.1 200 OK\r\nDate: Fri, 24 May 2013 00:00:00 GMT\r\n\r\n'
    probe 0 --endpoint "$canned_url" --json
    jq -e '.clock_offset_s < -100000000' out
    # no answer at all, and one whose head does not end
    rm "$canned_dir/answer"
    probe 3 --endpoint "$canned_url" --connect-timeout 200ms --json
    jq -e '.failed == "http" and .message == "no answer in time"' out
    {
        printf 'HTTP/1.1 200 OK\r\n'
        head -c 200000 /dev/zero | tr '\0' x
    } >"$canned_dir/answer"
    probe 0 --endpoint "$canned_url" --connect-timeout 5s --json
}

test_expect 'plain http' plain_http
test_expect 'TLS: whom to trust, and for which name' with_tls
test_expect 'where the way ends' ends
test_expect 'odd answers' odd_answers
done_testing
