#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What TLS may be, what it was, and the way through a proxy.
. "${srcdir:-.}/t/test-lib.sh"
. "$srcdir/t/s3op-suite.sh"

versions_are_as_asked() {
    local version

    for version in 1.2 1.3; do
        load get -n 4 -c 2 --tls-version "$version" "$k"
        check sum ".negotiated.tls | startswith(\"TLSv$version \")"
        check sum ".negotiated.also == null and
            .request[\"tls version\"] == \"$version\""
    done
    load get -n 4 "$k"
    check sum '.negotiated.tls | startswith("TLSv1.3 TLS_")'
    check sum '.negotiated.handshakes == 1'
    "$S3OP" get -n 4 "$k" >out
    has out '^tls +TLSv1\.3 TLS_[A-Z0-9_]+; 1 handshake$'
}

ciphers_are_as_asked() {
    local cipher

    for cipher in TLS_AES_128_GCM_SHA256 TLS_CHACHA20_POLY1305_SHA256; do
        load get -n 1 --ciphers "$cipher" "$k"
        check sum ".negotiated.tls == \"TLSv1.3 $cipher\""
    done
    # A list of one version offers that version alone.
    load get -n 1 --ciphers "$old" "$k"
    check sum ".negotiated.tls == \"TLSv1.2 $old\""
    load get -n 1 --tls-version 1.2 --ciphers "TLS_AES_128_GCM_SHA256:$old" \
        "$k"
    check sum ".negotiated.tls == \"TLSv1.2 $old\""
    load get -n 1 --ciphers "TLS_AES_128_GCM_SHA256:$old" "$k"
    check sum '.negotiated.tls == "TLSv1.3 TLS_AES_128_GCM_SHA256"'
}

accepts() { grep -q '^ACCEPT .*:[0-9]' accepted; }

# GnuTLS, which s3mem has, resumes nothing by itself; OpenSSL's server answers
# each GET with a page.
sessions_are_resumed_or_not() {
    local url

    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem \
        2>/dev/null
    openssl s_server -accept 127.0.0.1:0 -www -key key.pem -cert cert.pem \
        >accepted 2>&1 9>&- &
    test_servers+=("$!")
    wait_for 20 accepts
    url=https://$(sed -n 's/^ACCEPT //p' accepted)
    export AWS_CA_BUNDLE=$PWD/cert.pem AWS_ENDPOINT_URL=$url
    resumed 9 --connection new
    resumed 9 --connection new --session-reuse on
    resumed 0 --connection new --session-reuse off
    resumed 0 --connection new-tls
    resumed 9 --connection new --tls-version 1.2
}

resumed() { # SESSIONS ARG...
    load get -n 10 "${@:2}" "$k"
    check sum ".negotiated.handshakes == 10 and .negotiated.resumed == $1"
}

workers_add_them_up() {
    load get -n 8 -c 4 --workers 2 --connection new --session-reuse off "$k"
    check sum '.negotiated.handshakes == 8 and .negotiated.resumed == 0'
    check sum '.negotiated.tls | startswith("TLSv1.3 TLS_")'
}

refuses() { # PATTERN ARG...
    expect_exit 2 "$S3OP" get "${@:2}" "$k" >record 2>err
    has err "^s3op: $1"
}

bad_ones_are_named() {
    refuses "bad tls-version '1.1': it is 1.2 or 1.3" --tls-version 1.1
    refuses "bad ciphers 'x': OpenSSL knows no such list" --ciphers x
    refuses "bad ciphers 'TLS_X'" --ciphers TLS_X
    refuses "bad ciphers ''" --ciphers ''
    refuses "bad ciphers 'TLS_AES_128_GCM_SHA256': there is none for TLS 1.2" \
        --ciphers TLS_AES_128_GCM_SHA256 --tls-version 1.2
    refuses "bad session-reuse 'x': it is on or off" --session-reuse x
    refuses '--session-reuse on does not go with' --session-reuse on \
        --connection new-tls
    refuses '--ciphers needs an https endpoint' --ciphers "$old" \
        --endpoint http://127.0.0.1:1
    refuses "bad proxy 'x:1': it is a URL" --proxy x:1
    refuses 'bad proxy: secrets never come by option' \
        --proxy http://user:word@h:1
    hasnt err word
}

# A proxy that tunnels, in Perl, which Autotools need anyway. It writes a line
# for each tunnel.
write_proxy() {
    cat >proxy.pl <<'END'
use strict;
use IO::Select;
use IO::Socket::INET;
$SIG{CHLD} = 'IGNORE';
my $listen = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1')
    or die $!;
open my $port, '>', 'proxy.new' or die $!;
print $port $listen->sockport;
close $port;
rename 'proxy.new', 'proxy.port';
while (my $client = $listen->accept) {
    next if fork;
    my ($head, $byte) = ('');
    $head .= $byte while $head !~ /\r\n\r\n$/ and sysread $client, $byte, 1;
    my ($to) = $head =~ /^CONNECT (\S+) / or exit;
    open my $log, '>>', 'proxy.log' or die $!;
    print $log "$to\n";
    close $log;
    my $server = IO::Socket::INET->new(PeerAddr => $to) or exit;
    syswrite $client, "HTTP/1.1 200 OK\r\nX-Proxy: yes\r\n\r\n";
    my $both = IO::Select->new($client, $server);
    while (my @ready = $both->can_read) {
        for my $from (@ready) {
            sysread $from, my $bytes, 65536 or exit;
            my $other = $from == $client ? $server : $client;
            while (length $bytes) {
                my $n = syswrite $other, $bytes or exit;
                substr $bytes, 0, $n, '';
            }
        }
    }
}
END
}

proxy_is_up() { [[ -s proxy.port ]]; }

proxies_are_for_who_asks() {
    local port url name

    write_proxy
    perl proxy.pl >proxy.out 2>&1 9>&- &
    test_servers+=("$!")
    wait_for 20 proxy_is_up
    port=$(<proxy.port)
    for url in "$AWS_ENDPOINT_URL" "$plain"; do
        : >proxy.log
        load put -n 6 -c 2 -s 100000 --endpoint "$url" \
            --proxy "http://127.0.0.1:$port" "s3://$bucket/p"
        check sum '.ops == 6 and .errors == 0'
        check sum ".request.proxy == \"http://127.0.0.1:$port\""
        load get -n 6 -c 2 -s 100000 --verify --endpoint "$url" \
            --proxy "http://127.0.0.1:$port" "s3://$bucket/p"
        check sum '.verified == 6'
        is "$(sort -u proxy.log)" "${url#*//}" 'where the proxy was sent'
    done
    : >proxy.log
    for name in http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY; do
        export "$name=http://127.0.0.1:$port"
    done
    for url in "$AWS_ENDPOINT_URL" "$plain"; do
        load get -n 2 --endpoint "$url" "s3://$bucket/p"
    done
    is "$(cat proxy.log)" '' 'nobody asked'
    export no_proxy='*' NO_PROXY='*'
    load get -n 2 --proxy "http://127.0.0.1:$port" "s3://$bucket/p"
    is "$(sort -u proxy.log)" "${AWS_ENDPOINT_URL#*//}" 'asked all the same'
    expect_exit 3 "$S3OP" get --proxy http://127.0.0.1:1 "$k" >record 2>err
}

bucket=$test_id k=s3://$test_id/k
start_s3mem
plain=$AWS_ENDPOINT_URL
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
start_s3mem --tls
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
"$S3OP" put -n 10 -s 100 "$k" >/dev/null || die "cannot put $k"
# Whichever kind of certificate there is.
old=ECDHE-ECDSA-AES128-GCM-SHA256
"$S3OP" get -q --ciphers "$old" "${k}1" >/dev/null 2>&1 ||
    old=ECDHE-RSA-AES128-GCM-SHA256
test_expect 'TLS versions are as asked' versions_are_as_asked
test_expect 'ciphers are as asked' ciphers_are_as_asked
test_expect 'sessions are resumed, or not' sessions_are_resumed_or_not
test_expect 'workers add them up' workers_add_them_up
test_expect 'bad ones are named' bad_ones_are_named
test_expect 'proxies are for who asks' proxies_are_for_who_asks
done_testing
