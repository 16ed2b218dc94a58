#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The way to the server: --resolve, --interface, --cert and --key.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for s3op, column and member

port_of() { # URL
    printf '%s\n' "${1##*:}"
}

# Make NAME.key and NAME.pem, a certificate for itself.
make_certificate() { # NAME SUBJECT [OPENSSL-ARG]...
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "$2" \
        -keyout "$1.key" -out "$1.pem" "${@:3}" 2>/dev/null
}

fixed_address() {
    local port

    start_s3mem --domain store.invalid
    port=$(port_of "$AWS_ENDPOINT_URL")
    export AWS_ENDPOINT_URL=http://store.invalid:$port
    expect_exit 3 "$S3OP" mb s3://bbb >record 2>err
    s3op mb --resolve "store.invalid:$port:127.0.0.1" s3://bucket
    # several, and the one that fits is taken; also for a bucket's own name
    s3op put --size 10 --addressing virtual --resolve "other.invalid:1:::1" \
        --resolve "bucket.store.invalid:$port:127.0.0.1" s3://bucket/k
    is "$(column record status)" 200
    "$S3OP" get -n 20 -c 5 --json --resolve "store.invalid:$port:127.0.0.1" \
        s3://bucket/k >sum 2>err || :
    is "$(member sum ops) $(member sum errors)" '0 20' # k1 ... are not there
    expect_exit 3 "$S3OP" head --resolve "store.invalid:1:127.0.0.1" \
        s3://bucket >record 2>err
}

# The name decides whether the certificate is good, not the address.
fixed_address_over_tls() {
    local port

    start_s3mem --tls
    port=$(port_of "$AWS_ENDPOINT_URL")
    export AWS_ENDPOINT_URL=https://localhost:$port
    s3op mb --resolve "localhost:$port:127.0.0.1" s3://bbb
    export AWS_ENDPOINT_URL=https://store.invalid:$port
    expect_exit 3 "$S3OP" --columns head \
        --resolve "store.invalid:$port:127.0.0.1" s3://bbb >record 2>err
    is "$(column record transport)" certificate
    s3op head --insecure --resolve "store.invalid:$port:127.0.0.1" s3://bbb
}

local_address() {
    start_canned
    canned_answer '' '200 OK' ''
    export AWS_ENDPOINT_URL=$canned_url AWS_ACCESS_KEY_ID=a
    export AWS_SECRET_ACCESS_KEY=b
    s3op head --interface 127.0.0.2 s3://bbb
    s3op head --interface lo s3://bbb
    s3op head s3://bbb
    is "$(tr '\n' ' ' <"$canned_dir/connections")" \
        '127.0.0.2 127.0.0.1 127.0.0.1 '
    expect_exit 3 "$S3OP" --columns head --interface 192.0.2.1 s3://bbb \
        >record 2>err
    is "$(column record transport)" connect
}

server_wants_a_certificate() {
    local port pid

    make_certificate server /CN=localhost -addext subjectAltName=DNS:localhost
    make_certificate client /CN=s3op-client
    cat client.key client.pem >both
    mkfifo hold
    exec 8<>hold
    openssl s_server -accept 127.0.0.1:0 -Verify 1 -verify_return_error \
        -CAfile client.pem -cert server.pem -key server.key -www \
        <&8 >says 2>&1 9>&- &
    pid=$!
    wait_for 10 grep -q '^ACCEPT 127' says
    port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' says)
    export AWS_ENDPOINT_URL=https://localhost:$port
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    export AWS_CA_BUNDLE=$PWD/server.pem
    set +e
    "$S3OP" head s3://bbb >record 2>err
    "$S3OP" --columns get -o page --cert client.pem --key client.key s3://bbb/k \
        >record 2>err
    "$S3OP" --columns get -o page2 --cert both s3://bbb/k >record2 2>err2
    set -e
    kill "$pid"
    wait "$pid" || :
    is "$(column record status) $(column record2 status)" '200 200'
    has says 'peer did not return a certificate'
    has page 'subject=CN = s3op-client|Subject: CN ?= ?s3op-client'
}

bad_certificates() {
    export AWS_ENDPOINT_URL=https://127.0.0.1:1
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    make_certificate one /CN=one
    make_certificate two /CN=two
    openssl rsa -aes128 -passout pass:x -in one.key -out locked.key 2>/dev/null
    expect_exit 2 "$S3OP" head --cert none.pem s3://bbb 2>err
    has err "^s3op: 'none.pem' has no certificate in PEM form"
    expect_exit 2 "$S3OP" head --cert one.pem s3://bbb 2>err
    has err "^s3op: 'one.pem' has no private key"
    expect_exit 2 "$S3OP" head --cert one.pem --key two.key s3://bbb 2>err
    has err "^s3op: 'two.key' is not the key of the certificate$"
    expect_exit 2 "$S3OP" head --cert one.pem --key locked.key s3://bbb 2>err
    has err "^s3op: 'locked.key' has no private key .*passphrase$"
    expect_exit 2 "$S3OP" head --key one.key s3://bbb 2>err
    expect_exit 2 "$S3OP" head --cert one.pem --key one.key \
        --endpoint http://127.0.0.1:1 s3://bbb 2>err
    expect_exit 3 "$S3OP" head --cert one.pem --key one.key s3://bbb 2>err
}

bad_values() {
    export AWS_ENDPOINT_URL=http://127.0.0.1:1
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    expect_exit 2 "$S3OP" head --resolve h:80 s3://bbb 2>err
    has err "^s3op: bad resolve 'h:80': it is HOST:PORT:ADDRESS$"
    expect_exit 2 "$S3OP" head --interface nowhere0 s3://bbb 2>err
    has err "^s3op: bad interface 'nowhere0': no interface "
}

test_expect '--resolve: a name that nobody knows' fixed_address
test_expect '--resolve: the certificate must be for the name' \
    fixed_address_over_tls
test_expect '--interface: an address, a name' local_address
test_expect '--cert and --key are shown to the server' \
    server_wants_a_certificate
test_expect 'bad certificates are named' bad_certificates
test_expect 'bad values' bad_values
done_testing
