#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3perf doctor: what it sees, says, and leaves behind.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
readonly state=$HOME/.local/state/s3perf

doctor() { # STATUS ARG...: the findings in ./out
    expect_exit "$1" "$S3PERF" doctor "${@:2}" >out 2>err
}

# "state check" of each finding that is not ok, on one line.
troubles() {
    awk '$1 != "ok" { printf "%s %s ", $1, $2 }' out
}

nothing_left() { # BUCKET...: those that were there
    is "$("$S3OP" ls -o - s3:// 2>/dev/null | cut -f 3 | tr '\n' ' ')" "$*"
    if [[ -e $state ]]; then
        is "$(find "$state" -type f)" '' 'claims'
    fi
}

built_in() {
    unset AWS_ENDPOINT_URL
    doctor 0
    is "$(troubles)" ''
    has out '^ok +endpoint +http://127\.0\.0\.1:[0-9]+ \(no endpoint is configured: this is the built-in s3mem\)$'
    is "$(awk '{ print $2 }' out | tr '\n' ' ')" 'endpoint name connect answer clock keys region create write read addressing list multipart latency delete '
    is "$(cat err)" ''
    [[ ! -e $state ]]
    doctor 0 --quiet
    is "$(cat out err)" ''
}

as_json() {
    doctor 0 --json
    jq -e '.format == "s3perf-doctor 1" and .builtin and .status == 0 and
        .connect_us > 0 and .get_p50_us > 0 and
        (.checks | length) == 15 and all(.checks[]; .state == "ok")' out
    doctor 3 --json -d http://127.0.0.1:1
    jq -e '.status == 3 and (.builtin | not) and
        .checks[-1] == {check: "connect", state: "fail",
            seen: "127.0.0.1 port 1: Connection refused",
            means: .checks[-1].means, cure: .checks[-1].cure} and
        .checks[-1].cure != null' out
}

a_service() {
    start_s3mem
    "$S3OP" mb s3://mine >/dev/null
    export AWS_ENDPOINT_URL=${AWS_ENDPOINT_URL/127.0.0.1/localhost}
    doctor 0
    is "$(troubles)" ''
    has out '^ok +name +localhost has [12] address(es)?, found in ' \
        '^ok +keys +S3ME[*]+0001 \(environment: AWS_ACCESS_KEY_ID\), 1 buckets$' \
        '^ok +addressing +bucket in the path; bucket in the host name works, too$'
    hasnt out '^.*tls'
    nothing_left 'mine '
    doctor 0 --addressing virtual
    has out '^ok +addressing +bucket in the host name; bucket in the path works'
    nothing_left 'mine '
}

over_tls() {
    local ca

    start_s3mem --tls
    doctor 0
    is "$(troubles)" ''
    has out '^ok +tls +TLSv1\.3, TLS_[A-Z0-9_]+, [0-9.]+ ms$' \
        '^ok +certificate +CN=s3mem.*, until 20[0-9-]+, trusted$'
    nothing_left ''
    ca=$AWS_CA_BUNDLE
    unset AWS_CA_BUNDLE
    doctor 3
    is "$(troubles)" 'FAIL certificate '
    has out '^FAIL +certificate +self-signed certificate: .*--cacert FILE'
    doctor 0 --insecure
    is "$(troubles)" 'warn certificate '
    doctor 0 --cacert "$ca"
    is "$(troubles)" ''
    # a name that the certificate does not have
    doctor 3 --cacert "$ca" -d "https://store.invalid:${AWS_ENDPOINT_URL##*:}" \
        --resolve "store.invalid:${AWS_ENDPOINT_URL##*:}:127.0.0.1"
    has out '^FAIL +certificate +hostname mismatch'
    doctor 3 -d "http://127.0.0.1:${AWS_ENDPOINT_URL##*:}"
    is "$(troubles)" 'FAIL answer '
}

expires_soon() {
    local port pid

    openssl req -x509 -newkey rsa:2048 -nodes -days 3 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout key -out pem 2>/dev/null
    mkfifo hold
    exec 8<>hold
    openssl s_server -accept 127.0.0.1:0 -cert pem -key key -www -tls1_2 \
        <&8 >says 2>&1 9>&- &
    pid=$!
    wait_for 10 grep -q '^ACCEPT 127' says
    port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' says)
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    doctor 3 --cacert pem -d "https://localhost:$port"
    kill "$pid"
    has out '^ok +tls +TLSv1\.2, ' '^warn +certificate .*it ends in [23] days; '
}

wrong_keys() {
    start_s3mem
    AWS_SECRET_ACCESS_KEY=wrong doctor 3
    is "$(troubles)" 'FAIL keys '
    has out '^FAIL +keys .*403 SignatureDoesNotMatch .*check AWS_SECRET_ACC'
    AWS_ACCESS_KEY_ID=NOBODYKNOWSTHISKEY00 doctor 3
    has out '^FAIL +keys .*403 InvalidAccessKeyId .*check AWS_ACCESS_KEY_ID'
    hasnt out NOBODYKNOWSTHISKEY00
    AWS_REGION=eu-north-1 doctor 0
    is "$(troubles)" 'warn region '
    unset AWS_SECRET_ACCESS_KEY
    doctor 3
    is "$(troubles)" 'FAIL keys '
    has out '^FAIL +keys .*access key without secret key'
    doctor 3 --json
    jq -e '.status == 3 and [.checks[].check] == ["keys"]' out
    unset AWS_ACCESS_KEY_ID
    doctor 3
    is "$(troubles)" 'FAIL keys '
    has out '^ok +answer +server: s3mem'
    export AWS_ACCESS_KEY_ID=S3MEMACCESSKEY000001
    export AWS_SECRET_ACCESS_KEY=s3mem-built-in-secret-for-loopback-only-1
    nothing_left ''
}

dead_ends() {
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    doctor 3 -d http://127.0.0.1:1
    is "$(troubles)" 'FAIL connect '
    doctor 3 -d http://nowhere.invalid
    is "$(troubles)" 'FAIL name '
    start_s3mem
    doctor 3 -d "https://${AWS_ENDPOINT_URL#*//}"
    is "$(troubles)" 'FAIL tls '
    doctor 2 -d http://127.0.0.1:1 --resolve x
    has err 'bad resolve'
}

canned_date() { # OFFSET-SECONDS
    printf 'HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Length: 0\r\n\r\n' \
        "$(date -u -d "@$((EPOCHSECONDS + $1))" '+%a, %d %b %Y %H:%M:%S GMT')" \
        >"$canned_dir/answer"
}

clocks() {
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    start_canned
    canned_date 5000
    doctor 3 -d "$canned_url"
    has out '^FAIL +clock +the server is (4999|5000) s ahead: .*NTP'
    canned_date -300
    doctor 3 -d "$canned_url"
    has out '^warn +clock +the server is 30[01] s behind: '
    canned_date -20
    doctor 3 -d "$canned_url"
    has out '^ok +clock +2[01] s from '
    canned_answer '' '200 OK' ''
    doctor 3 -d "$canned_url"
    has out '^note +clock +the server does not say its time$'
}

# What the service does not allow is named, and what it does is not asked.
no_right_to_create() {
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    start_canned
    canned_answer 2 '403 Forbidden' '<Error><Code>AccessDenied</Code></Error>'
    canned_raw 3 'HTTP/1.1 404 Not Found\r\n\r\n'
    : >"$canned_dir/close.3"
    canned_answer '' '403 Forbidden' '<Error><Code>AccessDenied</Code></Error>'
    doctor 1 -d "$canned_url"
    is "$(troubles)" 'note clock note keys FAIL create '
    has out '^FAIL +create .*403 AccessDenied: .* examine a bucket .*-b NAME$'
    fails test -e "$canned_dir/request.5"
    is "$(find "$state" -type f)" '' claims
}

borrowed_bucket() {
    start_s3mem
    "$S3OP" mb s3://theirs >/dev/null
    "$S3OP" put --size 3 s3://theirs/testfile1 >/dev/null
    doctor 0 -b theirs
    is "$(troubles)" 'skip create '
    has out '^ok +delete +object$'
    nothing_left 'theirs '
    is "$("$S3OP" ls -o - s3://theirs 2>/dev/null | cut -f 3)" testfile1
    doctor 0 -b fresh
    has out '^ok +create +bucket fresh$' '^ok +delete +object and bucket$'
    nothing_left 'theirs '
}

# Nagle's algorithm against delayed ACKs, by the look of it.
forty_milliseconds() {
    start_s3mem --delay-first 44ms
    doctor 0 --json
    jq -e '[.checks[] | select(.state != "ok") | .check] == ["latency"] and
        .get_p50_us > 44000 and .get_p50_us < 46000' out
    doctor 0 -q
    has out '^warn +latency +GET of 1 KiB takes 4[45]\.[0-9]+ ms .*TCP_NODELAY'
    stop_s3mem
    start_s3mem --delay-first 30ms
    doctor 0 -q
    is "$(cat out)" ''
}

a_signal_leaves_nothing() {
    local pid status=0

    start_s3mem --delay-first 30ms
    "$S3PERF" doctor >out 2>err &
    pid=$!
    wait_for 20 grep -q '^ok.*multipart' out
    kill -TERM "$pid"
    wait "$pid" || status=$?
    is "$status" 143
    nothing_left ''
    hasnt out '^FAIL' '^warn'
    # In the middle of a request: what it did not get to is no finding.
    stop_s3mem
    start_s3mem --delay-first 3s
    status=0
    "$S3PERF" doctor --json >out 2>err &
    pid=$!
    wait_for 20 pgrep -P "$pid" -f ' ls ' >/dev/null
    kill -TERM "$pid"
    wait "$pid" || status=$?
    is "$status" 143
    jq -e '.interrupted and .status == 0 and
        all(.checks[]; .state == "ok")' out
}

latest_claim() { find "$state" -name created.tsv; } 2>/dev/null
is_claimed() { # WHAT
    [[ -n $(latest_claim) ]] && grep -q "^$1" "$(latest_claim)"
}

# Even a part of an upload is in the claim.
killed_then_cleaned() {
    local pid status=0 claim

    start_s3mem --delay-first 100ms
    "$S3PERF" doctor >out 2>err &
    pid=$!
    wait_for 30 is_claimed upload
    kill -KILL "$pid"
    wait "$pid" || status=$?
    is "$status" 137
    claim=$(latest_claim)
    wait_for 20 flock -n "$claim" true
    "$S3PERF" cleanup "$claim" 2>err
    nothing_left ''
    [[ ! -e $claim ]]
}

usage_errors() {
    doctor 2 --frobnicate
    has err "^s3perf doctor: no option '--frobnicate'"
    doctor 2 --json=yes
    doctor 2 -b 'a b'
    doctor 2 --bucket
    doctor 2 something
    doctor 2 --cacert /nonexistent
    doctor 0 --help
    has out '^Usage: s3perf doctor'
    doctor 0 --version
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    expect_exit 4 "$S3PERF" doctor -d http://127.0.0.1:1 >/dev/full 2>err
    expect_exit 4 "$S3PERF" doctor --json >/dev/full 2>err
    is "$(<err)" 's3perf doctor: cannot write the results'
}

on_radosgw() {
    unset AWS_CA_BUNDLE
    export AWS_ENDPOINT_URL=$RADOSGW_URL
    doctor 0
    hasnt out '^FAIL' '^warn'
    has out '^ok +multipart ' '^ok +delete +object and bucket$'
    export AWS_ENDPOINT_URL=$RADOSGW_TLS_URL
    doctor 3
    is "$(troubles)" 'FAIL certificate '
    doctor 0 --cacert "$RADOSGW_CACERT"
    hasnt out '^FAIL' '^warn'
    AWS_SECRET_ACCESS_KEY=wrong doctor 3 --cacert "$RADOSGW_CACERT"
    has out '^FAIL +keys .*SignatureDoesNotMatch'
    AWS_ACCESS_KEY_ID=nobody doctor 3 --cacert "$RADOSGW_CACERT"
    has out '^FAIL +keys .*InvalidAccessKeyId'
    if [[ -e $state ]]; then
        is "$(find "$state" -type f)" '' claims
    fi
}

test_expect 'without an endpoint the built-in one is examined' built_in
test_expect '--json' as_json
test_expect 'a service; both addressing styles' a_service
test_expect 'over TLS; whom to trust' over_tls
test_expect 'a certificate that ends soon' expires_soon
test_expect 'wrong keys, another region, none' wrong_keys
test_expect 'dead ends' dead_ends
test_expect 'clocks that differ' clocks
test_expect 'no right to create a bucket' no_right_to_create
test_expect 'a bucket that is there is only borrowed' borrowed_bucket
test_expect '44 ms: Nagle against delayed ACK' forty_milliseconds
test_expect 'a signal: nothing is left' a_signal_leaves_nothing
test_expect 'killed: cleanup finds the upload, too' killed_then_cleaned
test_expect 'usage errors' usage_errors
if start_radosgw; then
    test_expect 'radosgw, http and https' on_radosgw
fi
done_testing
