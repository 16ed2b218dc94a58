#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The built-in endpoint as a program: start, end, bounds, delays, TLS.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3mem-curl.sh
. "$srcdir/t/s3mem-curl.sh"

says_where_it_is() {
    is "$(wc -l <"$s3mem_dir/out")" 4
    has "$s3mem_dir/out" '^http://127\.0\.0\.1:[1-9][0-9]*$' \
        '^AWS_ACCESS_KEY_ID=S3MEMACCESSKEY000001$' \
        '^AWS_SECRET_ACCESS_KEY=.+' '^AWS_REGION=us-east-1$'
    is "$(cat "$s3mem_dir/err")" ''
}

usage_errors_name_the_culprit() {
    local case

    for case in --port=65536 --port=x --threads=0 --memory=1x --delay-first=-1 \
        --delay-last=1w --listen=nowhere; do
        expect_exit 2 "$S3MEM" "$case" </dev/null >out 2>err
        has err "^s3mem: bad .*'${case#*=}'"
        is "$(wc -l <err)" 1
        is "$(cat out)" ''
    done
    expect_exit 2 "$S3MEM" --cacert-out ca.pem 2>err
    has err '^s3mem: --cacert-out needs --tls$'
    expect_exit 2 "$S3MEM" operand 2>err
    has err "operand 'operand'"
}

port_in_use_is_status_3() {
    expect_exit 3 "$S3MEM" --port "${url##*:}" >out 2>err
    has err '^s3mem: cannot listen on 127.0.0.1 port [0-9]+: '
    is "$(cat out)" ''
}

bad_certificate_path_is_status_4() {
    expect_exit 4 "$S3MEM" --tls --cacert-out no/such/ca.pem >out 2>err
    has err "^s3mem: cannot write 'no/such/ca.pem': "
}

ends_with_its_parent() {
    local pid fd

    mkfifo parent
    "$S3MEM" --until-parent-exits <parent >out 2>err 9>&- &
    pid=$!
    exec {fd}>parent
    wait_for 20 grep -q AWS_REGION out
    echo 'what is written to it does no harm' >&"$fd"
    fails process_ended "$pid"
    exec {fd}>&-
    wait_for 20 process_ended "$pid"
    wait "$pid"
}

ends_by_signal() { # SIGNAL
    local pid

    rm -f out # of the one before
    "$S3MEM" >out 2>err </dev/null 9>&- &
    pid=$!
    wait_for 20 grep -qs AWS_REGION out
    kill -s "$1" "$pid"
    wait "$pid"
    is "$(cat err)" ''
}

takes_keys_of_the_environment() {
    # '#' and '/' are nothing special in a key.
    export AWS_ACCESS_KEY_ID=user/name@REALM AWS_SECRET_ACCESS_KEY='se/cr#et+='
    start
    is "$(wc -l <"$s3mem_dir/out")" 2
    hasnt "$s3mem_dir/out" cr#et
    answers 200
    stop_s3mem
}

# Two requests in one curl: the second one needs no connection of its own.
connection_survives() { # STATUS CURL ARG...
    s3 "${@:2}" -w '%{http_code} %{num_connects}\n' "$url/$bucket/survivor" \
        -o body2 "$url/$bucket/survivor"
    is "$(cat status)" "$1 1"$'\n'"$1 0"
}

connections_survive_errors() {
    head -c 900000 /dev/zero >large # above 1 MiB curl would ask first
    connection_survives 404
    connection_survives 404 -X GET --data-binary @large
    connection_survives 403 -X PUT --data-binary @large -u nobody:wrong
    hash=$empty_hash
    connection_survives 400 -X PUT --data-binary @large
    hash=UNSIGNED-PAYLOAD
    connection_survives 200 -X PUT --data-binary @large
    connection_survives 204 -X DELETE
}

refused_before_the_body() {
    # curl says so when it has not sent everything.
    s3 -v -X PUT --data-binary @large -H 'Expect: 100-continue' -u nobody:x \
        "$url/$bucket/refused" 2>log
    answers 403 InvalidAccessKeyId
    hasnt log 'HTTP/1.1 100'
}

raw() { # FILE: send it, what comes back is in ./answer
    local fd

    exec {fd}<>"/dev/tcp/127.0.0.1/${url##*:}"
    cat "$1" >&"$fd" || :
    timeout 0.3 cat <&"$fd" >answer || :
    exec {fd}>&-
}

hostile_requests_do_no_harm() {
    local i

    printf 'GET / HTTP/1.1\r\nHost: x\r\nA: %0100000d\r\n\r\n' 0 >request
    raw request
    has answer '^HTTP/1.1 4'
    printf 'GET /%0100000d HTTP/1.1\r\nHost: x\r\n\r\n' 0 >request
    raw request
    has answer '^HTTP/1.1 4'
    printf 'GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n' \
        "$(printf 'a=1&%.0s' {1..2000})" >request
    raw request
    has answer '^HTTP/1.1 4'
    for i in '/%' '/b/%zz' '/b/%00' '*' 'http://x/' '/b?%'; do
        printf 'GET %s HTTP/1.1\r\nHost: x\r\n\r\n' "$i" >request
        raw request
        has answer '<Code>InvalidURI<'
    done
    printf 'PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n' >request
    raw request
    printf 'PUT /b/\0k HTTP/1.1\r\nHo\0st: x\r\n\r\n' >request
    raw request
    for i in {1..20}; do
        head -c 2000 /dev/urandom >request
        raw request
    done
    fails process_ended "$s3mem_pid"
    s3 "$url/"
    answers 200
}

announced_bytes_cost_nothing() {
    local fd i

    # Five uploads of half the bound each begin, and send nothing.
    for i in 1 2 3 4 5; do
        exec {fd}<>"/dev/tcp/127.0.0.1/${url##*:}"
        printf 'PUT /%s/liar HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n' \
            "$bucket" 4000000 >&"$fd"
    done
    head -c 4000000 /dev/zero >half
    s3 -X PUT --data-binary @half "$url/$bucket/true"
    answers 200
    s3 -X DELETE "$url/$bucket/true"
}

bound_is_a_clear_507() {
    head -c 3000000 /dev/zero >third
    for i in 1 2; do
        s3 -X PUT --data-binary @third "$url/$bucket/$i"
        answers 200
    done
    s3 -X PUT --data-binary @third "$url/$bucket/3"
    answers 507 InsufficientStorage
    has body 'memory bound of 8000000 bytes'
    head -c 100000000 /dev/zero >huge
    s3 -X PUT --data-binary @huge "$url/$bucket/3"
    answers 507 InsufficientStorage
    s3 -X DELETE "$url/$bucket/1"
    s3 -X PUT --data-binary @third "$url/$bucket/3"
    answers 200
    for i in 1 2 3; do
        s3 -X DELETE "$url/$bucket/$i"
    done
}

resident_kib() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$s3mem_pid/status"
}

deleted_memory_goes_back() {
    local before full i

    before=$(resident_kib)
    head -c 50000000 /dev/urandom >large
    for i in 1 2 3; do
        s3 -X PUT --data-binary @large "$url/$bucket/$i"
        answers 200
    done
    full=$(resident_kib)
    ((full - before > 140000))
    for i in 1 2 3; do
        s3 -X DELETE "$url/$bucket/$i"
    done
    wait_for 10 eval "((\$(resident_kib) - $before < 20000))"
}

null_keeps_sizes() {
    head -c 5000000 /dev/zero >five
    hash=$empty_hash
    s3 -X PUT --data-binary @five "$url/$bucket/five"
    answers 200
    s3 "$url/$bucket/five"
    answers 200
    is "$(wc -c <body)" 5000000
    fails cmp -s five body
    tail -c 2000000 body >end
    s3 -H 'Range: bytes=3000000-4999999' "$url/$bucket/five"
    answers 206
    cmp end body
    s3 -X PUT --data-binary '' "$url/$bucket/zero"
    s3 "$url/$bucket/zero"
    is "$(wc -c <body)" 0
}

null_takes_much() {
    head -c 200000000 /dev/zero >much
    s3 -X PUT -T much "$url/$bucket/much"
    answers 200
    s3 "$url/$bucket/much"
    is "$(wc -c <body)" 200000000
    rm much body
    s3 -I "$url/$bucket/much"
    has headers '^Content-Length: 200000000'
}

# curl's moments of an answer, in milliseconds: first byte and last byte.
# They count from when the request had been handed to the kernel, which the
# server may notice sooner than curl.
moments() { # CURL ARG...
    s3 -w '%{time_pretransfer} %{time_starttransfer} %{time_total}\n' "$@"
    awk '{ printf "%d %d\n", ($2 - $1) * 1000, ($3 - $1) * 1000 }' status
}

between() { # VALUE LOW HIGH
    (($1 >= $2 && $1 <= $3)) || {
        note "$1 is not from $2 to $3"
        return 1
    }
}

delays_are_kept() { # first 100 ms, last 200 ms
    local first last url=$AWS_ENDPOINT_URL

    # An upload's answer has no body: only the first delay.
    read -r first last < <(moments -X PUT --data-binary x "$url/$bucket/one")
    between "$first" 98 190
    between "$last" 98 190
    read -r first last < <(moments "$url/$bucket/one")
    between "$first" 98 190
    between "$last" 298 450
    is "$(cat body)" x
    head -c 1000000 /dev/urandom >large
    s3 -X PUT --data-binary @large "$url/$bucket/large"
    read -r first last < <(moments "$url/$bucket/large")
    between "$first" 98 190
    between "$last" 298 450
    cmp large body
    read -r first last < <(moments -I "$url/$bucket/large")
    between "$last" 98 190
    read -r first last < <(moments "$url/$bucket/none")
    between "$last" 298 450
}

delays_pass_together() { # 200 downloads at once, of 300 ms each
    local i begin end args=()

    for i in {1..200}; do
        args+=("$url/$bucket/one" -o "one.$i")
    done
    begin=${EPOCHREALTIME/./}
    s3 --parallel --parallel-immediate --parallel-max 200 "${args[@]}"
    end=${EPOCHREALTIME/./}
    is "$(sort -u status)" 200
    is "$(wc -l <status)" 200
    is "$(cat body one.* | wc -c)" 200 'bytes' # the first one is ./body
    between $(((end - begin) / 1000)) 300 5000
}

ends_while_answers_wait() {
    local curl_pid

    s3 "$url/$bucket/one" 2>/dev/null &
    curl_pid=$!
    sleep 0.05 # any moment will do
    kill -TERM "$s3mem_pid"
    wait_for 10 process_ended "$s3mem_pid"
    wait "$curl_pid" || :
    is "$(cat "$s3mem_dir/err")" ''
}

tls_is_trusted_by_its_certificate() {
    has "$s3mem_dir/out" '^https://127.0.0.1:'
    head -c 300000 /dev/urandom >original
    s3 --cacert "$AWS_CA_BUNDLE" -X PUT "$url/$bucket"
    answers 200
    s3 --cacert "$AWS_CA_BUNDLE" -X PUT --data-binary @original \
        "$url/$bucket/tls"
    answers 200
    s3 --cacert "$AWS_CA_BUNDLE" "https://localhost:${url##*:}/$bucket/tls"
    answers 200
    cmp original body
    expect_exit 60 s3 "$url/$bucket/tls" 2>err
    hasnt "$AWS_CA_BUNDLE" 'PRIVATE KEY'
    is "$(ls "$s3mem_dir")" $'ca.pem\nerr\nin\nout'
}

test_expect 'usage errors name the culprit' usage_errors_name_the_culprit
test_expect 'it ends with its parent' ends_with_its_parent
test_expect 'SIGTERM ends it with status 0' ends_by_signal TERM
test_expect 'SIGINT does so, too' ends_by_signal INT
test_expect 'keys of the environment are taken' takes_keys_of_the_environment
test_expect 'a bad path for the certificate is status 4' \
    bad_certificate_path_is_status_4

start
test_expect 'it says where it is and how to get in' says_where_it_is
test_expect 'a port in use is status 3' port_in_use_is_status_3
test_expect 'connections survive errors' connections_survive_errors
test_expect 'Expect: refused before the body' refused_before_the_body
test_expect 'hostile requests do no harm' hostile_requests_do_no_harm
if grep -q __asan_init "$S3MEM"; then
    test_skip 'deleted memory goes back' 'the sanitizer keeps it'
else
    test_expect 'deleted memory goes back' deleted_memory_goes_back
fi
stop_s3mem

start --memory 8M
test_expect 'a memory bound is a clear 507' bound_is_a_clear_507
test_expect 'announced bytes cost nothing' announced_bytes_cost_nothing
stop_s3mem

start --null --memory 1M
test_expect '--null keeps sizes only' null_keeps_sizes
test_expect '--null takes much more than the bound' null_takes_much
stop_s3mem

start --delay-first 100ms --delay-last 200ms
test_expect 'delays are kept' delays_are_kept
test_expect 'many delays pass at the same time' delays_pass_together
test_expect 'it ends while answers wait' ends_while_answers_wait
stop_s3mem

start_s3mem --tls
url=$AWS_ENDPOINT_URL
test_expect 'TLS is trusted by its certificate' tls_is_trusted_by_its_certificate
stop_s3mem
done_testing
