#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op whoami: what was found where; hostile configuration files.
. "${srcdir:-.}/t/test-lib.sh"

readonly secret=S3CR3T/S3CR3T token=T0K3N/T0K3N
export AWS_CONFIG_FILE=$PWD/config AWS_SHARED_CREDENTIALS_FILE=$PWD/credentials

config() { # LINE...: becomes the config file; there is no other one
    rm -f credentials config ~/.s3cfg
    printf '%s\n' "$@" >config
}

whoami() { # STATUS [ARG]...: into out and err, which hold no secret
    expect_exit "$1" "$S3OP" whoami "${@:2}" >out 2>err
    hasnt out "$secret" "$token" S3CR3T
    hasnt err "$secret" "$token" S3CR3T
}

pair=("aws_access_key_id = AKIDEXAMPLE12345" "aws_secret_access_key = $secret")

values_and_sources_are_shown() {
    config '[default]' 'region = rf' 'ca_bundle = /ca.pem' 's3 =' \
        '  addressing_style = path' '  payload_signing_enabled = true'
    printf '%s\n' '[default]' "${pair[@]}" "aws_session_token = $token" \
        >credentials
    AWS_ENDPOINT_URL=https://s3.invalid whoami 0
    cat >want <<END
endpoint      https://s3.invalid  (environment: AWS_ENDPOINT_URL)
region        rf  (config file: region)
profile       default  (default)
key id        AKID****2345  (credentials file: aws_access_key_id)
secret key    present
session token present
ca bundle     /ca.pem  (config file: ca_bundle)
certificate   verified  (default)
addressing    path  (config file: addressing_style)
payload hash  signed  (config file: payload_signing_enabled)
signature     v4  (default)
credentials file  $PWD/credentials
config file       $PWD/config
END
    diff want out
    is "$(cat err)" '' 'errors'
}

options_come_first() {
    config '[profile lab]' 'region = rf' "${pair[@]}"
    whoami 0 --endpoint https://h --region ro --profile lab --cacert /c \
        --insecure --addressing virtual --payload-hash signed --signature v4
    has out '^endpoint +https://h  \(command line: --endpoint\)$' \
        '^region +ro  \(command line: --region\)$' \
        '^profile +lab  \(command line: --profile\)$' \
        '^ca bundle +/c  \(command line: --cacert\)$' \
        '^certificate +not verified  \(command line: --insecure\)$' \
        '^addressing +virtual  \(command line: --addressing\)$' \
        '^payload hash +signed  \(command line: --payload-hash\)$' \
        '^signature +v4  \(command line: --signature\)$'
}

http_signs_in_any_case() {
    config '[default]' "${pair[@]}" 's3 =' '  payload_signing_enabled = false'
    whoami 0 --endpoint http://h
    has out '^payload hash +signed  \(default\)$' '^certificate +none with http'
    whoami 0 --endpoint https://h
    has out '^payload hash +unsigned  \(config file: payload_signing_enabled\)'
}

json_has_the_same() {
    config '[default]' "${pair[@]}" 'region = rf'
    whoami 0 --json
    [[ $(wc -l <out) == 1 ]]
    has out '^\{"format":"s3perf-whoami 1",' \
        '"key_id":\{"value":"AKID\*\*\*\*2345","source":"config file",' \
        '"region":\{"value":"rf","source":"config file","name":"region"\}' \
        '"secret_key":\{"value":"present","source":null,"name":null\}' \
        '"session_token":\{"value":null,' \
        '"config_file":\{"path":"[^"]*/config","used":true\}'
}

no_keys_is_status_3() {
    config '[default]' 'region = rf'
    whoami 3
    has out '^region +rf' '^key id +none$' '^secret key +none$' \
        '^s3cmd file +.*/\.s3cfg  \(not used\)$'
    is "$(cat err)" 's3op: no keys were found'
}

short_ids_are_masked() {
    local id

    for id in A AB ABC; do
        AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret whoami 0
        has out '^key id +\*\*\*\*  \('
    done
    AWS_ACCESS_KEY_ID=ABCDEFGH AWS_SECRET_ACCESS_KEY=$secret whoami 0
    has out '^key id +AB\*\*\*\*GH  '
}

bad_usage_is_status_2() {
    expect_exit 2 "$S3OP" whoami s3://b 2>err
    has err 'whoami takes no target'
    expect_exit 2 "$S3OP" whoami -n 3 2>err
    has err '--count does not go with whoami'
    expect_exit 2 "$S3OP" whoami --profile a --s3cfg b 2>err
    has err '--profile does not go with --s3cfg'
}

control_bytes_do_not_reach_the_terminal() {
    config '[default]' "${pair[@]}" $'ca_bundle = /a\e[31m'
    whoami 0
    has out '/a\\x1b\[31m'
    hasnt out $'\e'
}

passwords_in_a_url_are_not_shown() {
    config '[default]' "${pair[@]}" 'endpoint_url = http://me:S3CR3T@h:1'
    whoami 3
    is "$(cat err)" 's3op: bad endpoint: it has user information'
}

# --- they work, too ---

process_gives_the_keys() {
    start_s3mem
    config '[default]' "credential_process = $PWD/helper 'a b'"
    cat >helper <<END
#!/bin/sh
[ "\$1" = 'a b' ] || exit 9
echo 'helper speaks' >&2
echo '{"Version":1,"AccessKeyId":"$AWS_ACCESS_KEY_ID",'
echo '"SecretAccessKey":"$AWS_SECRET_ACCESS_KEY",'
echo '"Expiration":"2999-01-01T00:00:00Z"}'
END
    chmod +x helper
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    expect_exit 0 "$S3OP" mb "s3://$test_id" >out 2>err
    is "$(cat err)" 'helper speaks'
    expect_exit 0 "$S3OP" whoami >out 2>err
    has out '^expires +2999-01-01T00:00:00Z$'
}

s3cmd_file_gives_all() {
    start_s3mem
    config
    cat >s3cfg <<END
[default]
access_key = $AWS_ACCESS_KEY_ID
secret_key = "$AWS_SECRET_ACCESS_KEY"
host_base = ${AWS_ENDPOINT_URL#http://}
host_bucket = ${AWS_ENDPOINT_URL#http://}
bucket_location = $AWS_REGION
use_https = False
END
    unset "${!AWS_@}"
    expect_exit 0 "$S3OP" mb --s3cfg s3cfg "s3://$test_id" >out 2>err
    is "$(cat err)" '' 'errors'
    cp s3cfg ~/.s3cfg
    expect_exit 0 "$S3OP" rb "s3://$test_id" >out 2>err
    is "$(cat err)" '' 'errors'
}

# The certificate is no one's: only because the file says so it is taken.
s3cmd_file_may_trust_anyone() {
    start_s3mem --tls
    config
    cat >s3cfg <<END
access_key = $AWS_ACCESS_KEY_ID
secret_key = $AWS_SECRET_ACCESS_KEY
host_base = ${AWS_ENDPOINT_URL#https://}
host_bucket = ${AWS_ENDPOINT_URL#https://}
END
    unset AWS_CA_BUNDLE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    expect_exit 3 "$S3OP" mb --s3cfg s3cfg "s3://$test_id" >out 2>err
    echo 'check_ssl_certificate = False' >>s3cfg
    expect_exit 0 "$S3OP" mb --s3cfg s3cfg "s3://$test_id" >out 2>err
    expect_exit 3 "$S3OP" rb --s3cfg s3cfg --endpoint "$AWS_ENDPOINT_URL" \
        "s3://$test_id" >out 2>err
}

# --- hostile files ---

one_line() { # REGEX: err is that, and one line
    is "$(wc -l <err)" 1 'lines of errors'
    has err "$1"
}

fill() { # BYTES CHARACTER
    head -c "$1" /dev/zero | tr '\0' "$2"
}

nul_bytes_are_refused() {
    printf '[default]\nregion = r\0f\n' >config
    whoami 3
    one_line '/config: line 2 is malformed$'
    printf '[default]\naws_access_key_id = A\naws_secret_access_key = %s\0\n' \
        "$secret" >config
    whoami 3
    one_line '/config: line 3 is malformed$'
    head -c 65536 /dev/zero >config
    whoami 3
    one_line '/config: line 1 is malformed$'
    config
    printf 'access_key = A\nsecret_key = %s\0x\n' "$secret" >~/.s3cfg
    whoami 3
    one_line '/.s3cfg: bad value of secret_key$'
}

long_lines_are_read() {
    config '[default]' "${pair[@]}"
    printf 'other = %s\nregion = after\n' "$(fill 1000000 x)" >>config
    whoami 0
    has out '^region +after  '
    printf '%s\n' "$(fill 1000000 x)" >>config
    whoami 3
    one_line '/config: File too large$'
    config '[default]' "${pair[@]}" "region = $(fill 100000 r)"
    whoami 3
    one_line "^s3op: bad region 'r{64}'$"
    config '[default]' "${pair[@]}" "endpoint_url = http://$(fill 100000 h)"
    whoami 3
    [[ $(wc -c <err) -lt 4096 ]]
    one_line '^s3op: bad endpoint: it is too long$'
}

key_of_a_megabyte_is_masked() {
    config '[default]' "aws_secret_access_key = $secret" \
        "aws_access_key_id = $(fill 1000000 k)"
    whoami 0
    has out '^key id +kkkk\*\*\*\*kkkk  '
}

crlf_and_bom_do_no_harm() {
    printf '\357\273\277[default]\r\n%s\r\n%s\r\nregion = rf\r\n' \
        "${pair[@]}" >config
    whoami 0
    has out '^region +rf  \(' '^key id +AKID\*\*\*\*2345  '
}

services_do_not_recurse() {
    config '[default]' "${pair[@]}" 'services = a' '[services a]' \
        'services = a' 's3 =' '  services = a' '  endpoint_url = http://inner' \
        '[services b]' 'services = a'
    whoami 0
    has out '^endpoint +http://inner  \(config file: services\)$'
    config '[default]' "${pair[@]}" 'services = b' '[services a]' \
        'services = b' '[services b]' 'services = a'
    whoami 0
    has out '^endpoint +https://s3.us-east-1.amazonaws.com  \(default\)$'
    config '[default]' "${pair[@]}" 'services = none'
    whoami 3
    one_line '^s3op: no section \[services none\] in .*/config$'
}

endless_output_is_cut() {
    config '[default]' "credential_process = yes $secret"
    whoami 3
    one_line 'credential_process: prints more than 65536 bytes$'
    config '[default]' 'credential_process = cat /dev/zero'
    whoami 3
    one_line 'credential_process: prints more than 65536 bytes$'
}

noise_is_one_line() {
    local i

    for ((i = 0; i < 40; i++)); do
        {
            ((i % 2 == 0)) || printf '[default]\n'
            head -c $((i * 100)) "$S3OP" | tail -c 1000
        } >config
        rm -f credentials ~/.s3cfg
        cp config ~/.s3cfg
        whoami 3
        is "$(wc -l <err)" 1 "lines of errors of noise $i"
    done
}

endless_files_are_refused() {
    ln -sf /dev/zero config
    whoami 3
    one_line '/config: File too large$'
    rm config
    mkdir config
    whoami 3
    one_line '/config: Is a directory$'
    rmdir config
    expect_exit 3 "$S3OP" whoami --s3cfg /dev/zero >out 2>err
    one_line '/dev/zero: File too large$'
}

test_expect 'values and sources are shown' values_and_sources_are_shown
test_expect 'options come first' options_come_first
test_expect 'http signs payloads in any case' http_signs_in_any_case
test_expect 'JSON has the same' json_has_the_same
test_expect 'no keys is status 3' no_keys_is_status_3
test_expect 'short ids are masked' short_ids_are_masked
test_expect 'bad usage is status 2' bad_usage_is_status_2
test_expect 'control bytes are shown as text' \
    control_bytes_do_not_reach_the_terminal
test_expect 'passwords in a URL are not shown' passwords_in_a_url_are_not_shown
test_expect 'credential_process: its keys work' process_gives_the_keys
test_expect "s3cmd's file works" s3cmd_file_gives_all
test_expect "s3cmd's check_ssl_certificate" s3cmd_file_may_trust_anyone
test_expect 'hostile: NUL bytes' nul_bytes_are_refused
test_expect 'hostile: long lines' long_lines_are_read
test_expect 'hostile: a key of a megabyte' key_of_a_megabyte_is_masked
test_expect 'hostile: CRLF and byte order mark' crlf_and_bom_do_no_harm
test_expect 'hostile: services in services' services_do_not_recurse
test_expect 'hostile: endless output' endless_output_is_cut
test_expect 'hostile: noise' noise_is_one_line
test_expect 'hostile: endless files' endless_files_are_refused
done_testing
