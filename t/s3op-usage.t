#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op's exit statuses, and that each refusal is one line naming the culprit.
. "${srcdir:-.}/t/test-lib.sh"

# Nothing listens on port 1, and no name ends in .invalid.
use_no_server() {
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key
    export AWS_ENDPOINT_URL=http://127.0.0.1:1
}

# The one line on standard error; nothing is on standard output.
refuses() { # STATUS REGEX ARG...
    expect_exit "$1" "$S3OP" "${@:3}" >out 2>err
    is "$(cat out)" '' 'standard output'
    is "$(wc -l <err)" 1 'lines on standard error'
    has err "^s3op: $2"
    hasnt err '[.!]$'
}

# --- 2: usage ---

bad_values_are_named() {
    refuses 2 "bad size '4x': .* K M G T Ki Mi Gi Ti$" put --size=4x s3://b/k
    refuses 2 "bad size '-1'" put -s -1 s3://b/k
    refuses 2 "bad size ''" put -s '' s3://b/k
    refuses 2 "bad size '99999999999999999999'" put \
        -s 99999999999999999999 s3://b/k
    refuses 2 "bad count '0'" get -n 0 s3://b/k
    refuses 2 "bad count '1k'" get -n 1k s3://b/k
    refuses 2 'bad concurrency' get -c 0 s3://b/k
    refuses 2 'bad concurrency' get -c 70000 s3://b/k
    refuses 2 "bad concurrency 'two'" get -c two s3://b/k
    refuses 2 "bad seed '-'" get --seed - s3://b/k
    refuses 2 "bad timeout '1x'" get --timeout 1x s3://b/k
    refuses 2 "bad timeout '-5s'" get --timeout -5s s3://b/k
    refuses 2 'bad timeout' get --timeout 0 s3://b/k
    refuses 2 'bad connect-timeout' get --connect-timeout 5us s3://b/k
    refuses 2 "bad addressing 'both'" get --addressing both s3://b/k
    refuses 2 "bad payload-hash 'md5'" get --payload-hash md5 s3://b/k
    refuses 2 'bad max-keys' ls --max-keys 1001 s3://b
    refuses 2 "bad max-keys '0'" ls --max-keys 0 s3://b
    refuses 2 "bad objects '0'" get -n 2 --objects 0 s3://b/k
    refuses 2 "bad duration '0'" get -d 0 s3://b/k
    refuses 2 "bad part '0'" put -s 1 --upload-id x --part 0 s3://b/k
    refuses 2 'a single put takes at most 5 GiB' put -s 6Gi s3://b/k
}

bad_options_are_named() {
    refuses 2 "unknown option '-X'" get -X s3://b/k
    refuses 2 "unknown option '--fly=1'" get --fly=1 s3://b/k
    refuses 2 "option '-n' needs a value" get s3://b/k -n
    refuses 2 "option '--count' needs a value" get s3://b/k --count
    refuses 2 "option '--verify' takes no value" get --verify=yes s3://b/k
    refuses 2 'no verb given'
    refuses 2 'no verb given' -n 3
    refuses 2 "unknown verb 'fly'" fly s3://b/k
    refuses 2 '--batch does not go with get' get --batch s3://b/k
    refuses 2 '--verify does not go with put' put --verify -s 1 s3://b/k
    refuses 2 '--method does not go with get' get --method PUT s3://b/k
    refuses 2 '--log does not go with sign' sign --log x s3://b/k
}

bad_targets_are_named() {
    local long

    refuses 2 'get needs a target' get
    refuses 2 'get takes one target, not 2' get s3://b/k s3://b/l
    refuses 2 "bad target 's3://b': it is s3://BUCKET/KEY" get s3://b
    refuses 2 "bad target 's3://b': it is s3://BUCKET/KEY" put -s 1 s3://b
    refuses 2 "bad target 's3://': it is s3://BUCKET/KEY" rm s3://
    refuses 2 "bad target 'b/k': .*s3://" get b/k
    refuses 2 "bad target 's3:///k': .*bucket" get s3:///k
    refuses 2 "bad target 's3://b/k': it is s3://BUCKET" mb s3://b/k
    refuses 2 "bad target 's3://': it is s3://BUCKET" rb s3://
    refuses 2 "bad target 's3://': it is s3://BUCKET" head s3://
    refuses 2 'rm takes keys of one bucket' rm s3://b/k s3://c/k
    refuses 2 '-n numbers the keys of one target' rm -n 2 s3://b/k s3://b/l
    long=$(printf '%09000d' 0)
    refuses 2 "bad target 's3://0+.*too long a bucket" get "s3://${long::300}/k"
    refuses 2 'the key of target 1 is too long' get "s3://b/$long"
}

contradictions_are_named() {
    refuses 2 'put needs one of --size and --file' put s3://b/k
    refuses 2 'put takes one of --size and --file, not both' put --size 1 \
        --file x s3://b/k
    refuses 2 'ls takes a prefix in its target or as --prefix' ls \
        --prefix b s3://b/a
    refuses 2 "cannot read 'gone'" put --file gone s3://b/k
    refuses 2 "cannot read '/'" put --file / s3://b/k
    refuses 2 'put keeps copies' put -s 1 -o x s3://b/k
    refuses 2 'with -n, -o names a folder' get -n 2 -o - s3://b/k
}

bad_endpoints_are_named() {
    refuses 2 "bad endpoint 'http://h/path': .*path" get \
        --endpoint http://h/path s3://b/k
    refuses 2 "bad endpoint 'ftp://h': .*scheme" get --endpoint ftp://h s3://b/k
    refuses 2 "bad endpoint 'http://h:x': it has a bad port" get \
        --endpoint http://h:x s3://b/k
    refuses 2 "bad endpoint 'http://h\?q': .*query" get \
        --endpoint 'http://h?q' s3://b/k
    AWS_ENDPOINT_URL=http://h/x refuses 3 "bad endpoint 'http://h/x'" get \
        s3://b/k
    refuses 2 'bad endpoint.*user information' get \
        --endpoint http://user:pass@h s3://b/k
    hasnt err 'pass'
}

bad_headers_are_named() {
    local name

    for name in x-amz-date X-Amz-Content-SHA256 Host Content-Length \
        Content-MD5 Transfer-Encoding; do
        refuses 2 "bad header '$name': it is set by the program" get \
            --header "$name: 1" s3://b/k
    done
    refuses 2 "bad header 'foo'" get --header foo s3://b/k
    refuses 2 "bad header ': x'" get --header ': x' s3://b/k
    refuses 2 "bad header 'a b: x'" get --header 'a b: x' s3://b/k
    refuses 2 "bad header 'a: x..b: c'" get --header $'a: x\r\nb: c' s3://b/k
}

secrets_are_no_headers() {
    local name verb

    for name in X-Amz-Server-Side-Encryption-Customer-Key \
        x-amz-copy-source-server-side-encryption-customer-key Cookie \
        x-amz-security-token Authorization Proxy-Authorization; do
        for verb in get sign presign; do
            refuses 2 "bad header '$name': secrets never come by option" \
                "$verb" --header "$name: hidden" s3://b/k
            hasnt err hidden
        done
        # Nor is it shown when it is not even a header.
        refuses 2 "bad header '$name'" get --header "$name = hidden" s3://b/k
        hasnt err hidden
    done
}

# --- 3: endpoint or credentials unusable ---

bad_credentials_are_named() {
    refuses 3 "no profile 'nobody'" get --profile nobody s3://b/k
    AWS_PROFILE=nobody refuses 3 "no profile 'nobody'" get s3://b/k
    unset AWS_SECRET_ACCESS_KEY
    refuses 3 'environment: .*secret key' get s3://b/k
    unset AWS_ACCESS_KEY_ID
    refuses 3 'no credentials: ' get s3://b/k
}

unreachable() { # TRANSPORT ARG...
    expect_exit 3 "$S3OP" --columns "${@:2}" >out 2>err
    is "$(wc -l <err)" 1 'lines on standard error'
    has err "^s3op: [a-z]+ s3://b/?k?: $1: .*\\(https?://.*\\)"
    has out "	$1	"
    expect_exit 3 "$S3OP" -n 3 "${@:2}" >out 2>err
    has err '\[3 times\]$'
}

refused_connection_is_3() {
    unreachable connect get s3://b/k
    has err '127\.0\.0\.1:1\)'
    unreachable connect ls s3://b
}

unknown_name_is_3() {
    unreachable lookup get --endpoint http://nobody.invalid s3://b/k
    has err 'nobody\.invalid'
}

untrusted_certificate_is_3() {
    local name

    start_s3mem --tls
    unset AWS_CA_BUNDLE
    unreachable certificate get s3://b/k
    has err '--cacert'
    refuses 2 "cannot read 'gone.pem'" get --cacert gone.pem s3://b/k
    AWS_CA_BUNDLE=gone.pem refuses 3 "cannot read 'gone.pem'" get s3://b/k
    echo 'no certificate' >odd.pem
    expect_exit 3 "$S3OP" get --cacert odd.pem s3://b/k >out 2>err
    expect_exit 1 "$S3OP" get --cacert "$s3mem_dir/ca.pem" s3://b/k >out 2>err
    has err '404 NoSuchBucket'
    # It was made for an address, not for this name of the same.
    name=https://localhost:${AWS_ENDPOINT_URL##*:}
    "$S3OP" get --endpoint "$name" --cacert "$s3mem_dir/ca.pem" s3://b/k \
        >out 2>err || :
    expect_exit 1 "$S3OP" get --json -n 1 --insecure s3://b/k >out 2>err
    has out '"insecure":true'
}

# Trouble after the first operation that went out is 1.
later_trouble_is_1() {
    start_s3mem
    expect_exit 1 "$S3OP" get s3://nobucket/k >out 2>err
    has err '404 NoSuchBucket'
    expect_exit 1 "$S3OP" get --region no-where-1 -n 2 s3://nobucket/k \
        >out 2>err
    AWS_SECRET_ACCESS_KEY=wrong expect_exit 3 "$S3OP" ls >out 2>err
    has err '403 SignatureDoesNotMatch'
}

# --- 4: results could not be written ---

use_objects() {
    start_s3mem
    "$S3OP" mb s3://bucket >out
    "$S3OP" put --size 100000 s3://bucket/k >out
    "$S3OP" put -n 3 --size 1000 s3://bucket/k >out
}

# The last line; a download that could not be taken has one before it.
writes_nothing() { # REGEX ARG...
    expect_exit 4 "$S3OP" "${@:2}" >out 2>err
    tail -n 1 err >last
    has last "^s3op: cannot write.*$1.*: [A-Z][a-z ]+\$"
}

unwritable_files_are_4() {
    local name

    use_objects
    for name in gone/x .; do
        writes_nothing "$name" get --log "$name" s3://bucket/k
        writes_nothing "$name" get -n 2 --log "$name" s3://bucket/k
        writes_nothing "$name" get --cell "$name" s3://bucket/k
        writes_nothing "$name" get -o "$name" s3://bucket/k
        writes_nothing "$name" ls -o "$name" s3://bucket
    done
    : >file
    writes_nothing gone/x get -n 2 -o gone/x s3://bucket/k
    writes_nothing file get -n 2 -o file s3://bucket/k
    writes_nothing file put -n 2 -s 1 -o file s3://bucket/new
    test -e file
}

# Before any request: there would be no answer.
foreign_cells_are_4() {
    local text

    use_no_server
    for text in 'my notes' '# s3perf-cells 10' '# s3perf-cells 1'; do
        printf '%s' "$text" >notes
        cp notes kept
        expect_exit 4 "$S3OP" get --cell notes s3://b/k >out 2>err
        is "$(wc -l <err)" 1 'lines on standard error'
        has err "^s3op: cannot append to 'notes': it does not begin with"
        cmp notes kept
    done
    use_objects
    "$S3OP" get --cell cells s3://bucket/k >out
    "$S3OP" get --cell cells s3://bucket/k >out
    is "$(grep -vc '^#' cells)" 3 'lines of cells and their columns'
}

full_files_are_4() {
    [[ -w /dev/full ]] || return 0
    use_objects
    ln -s /dev/full full # so that only a link could be removed
    writes_nothing full get --log full s3://bucket/k
    writes_nothing full get -n 3 --log full s3://bucket/k
    writes_nothing full get --cell full s3://bucket/k
    writes_nothing full get -o full s3://bucket/k
    writes_nothing full ls -o full s3://bucket
    test -L full
}

full_output_is_4() { # ARG...
    [[ -w /dev/full ]] || return 0
    expect_exit 4 "$S3OP" "$@" >/dev/full 2>err
    has err '^s3op: cannot write'
    expect_exit 4 "$S3OP" "$@" >&- 2>err
    has err '^s3op: cannot write'
}

full_outputs_are_4() {
    use_objects
    full_output_is_4 get s3://bucket/k
    full_output_is_4 get --json s3://bucket/k
    full_output_is_4 get --columns s3://bucket/k
    full_output_is_4 get -n 3 s3://bucket/k
    full_output_is_4 get -n 3 --json s3://bucket/k
    full_output_is_4 get -o - s3://bucket/k
    full_output_is_4 ls -o - s3://bucket
    full_output_is_4 get --log - s3://bucket/k
    full_output_is_4 sign s3://bucket/k
    full_output_is_4 --help
    full_output_is_4 --version
}

# What is no regular file must survive a download that fails.
pipes_are_not_removed() {
    use_objects
    mkfifo pipe
    exec 7<>pipe
    expect_exit 1 "$S3OP" get -o pipe s3://bucket/gone >out 2>err
    test -p pipe
    expect_exit 1 "$S3OP" get -o fresh s3://bucket/gone >out 2>err
    fails test -e fresh
}

# --- limits, help ---

few_descriptors_are_named_or_raised() {
    use_objects
    # The soft limit is ours to raise.
    (
        ulimit -S -n 20
        expect_exit 0 "$S3OP" put -n 200 -c 100 -s 10 s3://bucket/k >out
    )
    # The hard one is root's: refused, or raised, but no wrong result.
    (
        ulimit -n 20
        status=0
        "$S3OP" get -n 200 -c 100 s3://bucket/k >out 2>err || status=$?
        if ((status != 0)); then
            is "$status" 2 status
            has err '^s3op: 100 operations in flight need .*ulimit -n'
            is "$(cat out)" ''
        fi
    )
}

help_fits_the_screen() {
    "$S3OP" --help >help
    is "$(awk 'length($0) > 80' help)" ''
    has help '^Exit status: 0 .*; 1 .*; 2 .*; 3 '
}

# Something that the option takes, into $value, and what it goes with, into
# $with.
option_value() { # NAME ARGUMENT
    with=()
    case $1=$2 in
        at=*) value=20130524T000000Z ;;
        progress=*) value=line with=(-n 2) ;;
        rate=*) value=100/s with=(-n 2) ;;
        arrivals=*) value=poisson with=(-n 2 --rate 100/s) ;;
        objects=*) value=3 with=(-n 2) ;;
        warmup=*) value=1ms with=(--duration 5ms) ;;
        stop-when=*) value='ci(p50)<2%' with=(--duration 5ms) ;;
        min-duration=*) value=1ms with=(--duration 5ms --autoterm) ;;
        ramp=* | think=*) value=1ms with=(-n 2) ;;
        connection=*) value=new with=(-n 2) ;;
        pick=*) value=shuffle with=(-n 2) ;;
        prefixes=*) value=2 with=(-n 2) ;;
        key-entropy=*) value=head with=(-n 2) ;;
        size=*) value=7 ;;
        workers=*) value=2 with=(-n 2 --share 1/2 --part-file ./part) ;;
        share=*) value=1/2 with=(-n 2 --part-file ./part) ;;
        part-file=*) value=./part with=(-n 2 --share 1/2) ;;
        endpoint-file=*) value=./hosts ;;
        start-at=*) value=1 with=(-n 2 --share 1/2 --part-file ./part) ;;
        duration=*) value=5ms ;;
        version-ids=*) value=./file with=(--keys ./file) ;;
        offset=*) value=1 with=(--range 1) ;;
        part=*) value=1 with=(--upload-id id) ;;
        cert=*) value=./pem with=(--endpoint https://127.0.0.1:1) ;;
        key=*) value=./pem with=(--cert ./pem --endpoint https://127.0.0.1:1) ;;
        endpoint-select=*) value=per-lane ;;
        resolve=*) value=h:80:127.0.0.1 ;;
        interface=*) value=127.0.0.1 ;;
        line-rate=*) value=1Gbit ;;
        ceiling=*) value=none ;;
        *=BYTES | *=N | *=SECONDS) value=7 ;;
        *=TIME) value=5s ;;
        *=PATH | *=FILE) value=./file ;;
        *=URL) value=http://127.0.0.1:1 ;;
        addressing=*) value=path ;;
        payload-hash=*) value=signed ;;
        signature=*) value=v4 ;;
        chunked=*) value=signed ;;
        profile=*) value=default ;;
        header=*) value='x-amz-meta-a: b' ;;
        query=* | set=* | metadata=* | tags=*) value=a=b ;;
        checksum=*) value=crc32 ;;
        sse=*) value=s3 ;;
        tls-version=*) value=1.2 with=(--endpoint https://127.0.0.1:1) ;;
        ciphers=*) value=AES128-SHA256 with=(--endpoint https://127.0.0.1:1) ;;
        session-reuse=*) value=off with=(--endpoint https://127.0.0.1:1) ;;
        proxy=*) value=http://127.0.0.1:1 ;;
        retention=*) value=governance:1h ;;
        payload=*) value=text ;;
        compressible=*) value=50 ;;
        mix=*) value=get=1 ;;
        list-type=*) value=1 ;;
        encoding-type=*) value=url ;;
        *) value=us-east-1 ;;
    esac
}

# Some verb takes the option: anything but a refusal.
some_verb_takes() { # ARG...
    local verb status target args

    for verb in get put ls rm mb head rb cp sign presign run mixed; do
        args=("$@" "${with[@]}")
        target=s3://bucket/k
        case $verb in
            mb | rb | ls) target=s3://bucket ;;
            cp) args+=(s3://bucket/from) ;;
            run) target=job ;;
            mixed) args=(-n 1 --objects 1 --mix get=1 "${args[@]}") ;;
            put) [[ " $* " == *\ -s* || " $* " == *\ --[fs]i[lz]e* ]] ||
                args+=(--size 1) ;;
        esac
        status=0
        "$S3OP" "$verb" "${args[@]}" "$target" >out 2>err || status=$?
        ((status == 2)) || return 0
    done
    note "no verb takes $*:" "$(cat err)"
    return 1
}

options_of_the_help_are_taken() {
    local line letter name value with count=0
    local row="^ +(-([a-zA-Z]), )? *--([a-z0-9-]+)(='?([^' ]+))?"

    printf '[default]\nregion = us-east-1\n' >config
    echo 'any bytes' >file
    echo http://127.0.0.1:1 >hosts
    printf '%s\n' '[variables]' 'a = 1' '[stage]' 'verb = ls' >job
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=a -keyout pem \
        >one 2>/dev/null
    cat one >>pem
    export AWS_CONFIG_FILE=$PWD/config
    "$S3OP" --help >help
    while IFS= read -r line; do
        [[ $line =~ $row ]] || continue
        letter=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]} with=()
        count=$((count + 1))
        [[ $name != s3cfg ]] || continue # has tests of its own
        case $name in
            autoterm | detect-warmup) with=(--duration 5ms) ;;
        esac
        if [[ -z ${BASH_REMATCH[4]} ]]; then
            [[ $name != null ]] || with=(--keys ./file)
            some_verb_takes "--$name"
            [[ -z $letter ]] || some_verb_takes "-$letter"
        else
            option_value "$name" "${BASH_REMATCH[5]}"
            some_verb_takes "--$name=$value"
            some_verb_takes "--$name" "$value"
            [[ -z $letter ]] || some_verb_takes "-$letter" "$value"
        fi
    done <help
    is "$count" "$(grep -cE '^ {1,8}-' help)" 'options'
    ((count >= 30))
}

options_may_stand_anywhere() {
    start_s3mem
    expect_exit 0 "$S3OP" mb s3://bucket --json >out
    expect_exit 0 "$S3OP" --size 10 put --json s3://bucket/k >out
    expect_exit 0 "$S3OP" get s3://bucket/k -s 10 --json >out
    expect_exit 0 "$S3OP" -- get s3://bucket/k >out
    expect_exit 2 "$S3OP" get -- s3://bucket/k --json >out 2>err
    has err 'takes one target'
    expect_exit 0 "$S3OP" put -s10 -n2 -c2 s3://bucket/k >out
}

use_no_server
test_expect 'bad values are named' bad_values_are_named
test_expect 'bad options are named' bad_options_are_named
test_expect 'bad targets are named' bad_targets_are_named
test_expect 'contradictions are named' contradictions_are_named
test_expect 'bad endpoints are named' bad_endpoints_are_named
test_expect 'bad headers are named' bad_headers_are_named
test_expect 'secrets are no headers' secrets_are_no_headers
test_expect 'bad credentials are named' bad_credentials_are_named
test_expect 'a refused connection is 3' refused_connection_is_3
test_expect 'an unknown name is 3' unknown_name_is_3
test_expect 'an untrusted certificate is 3' untrusted_certificate_is_3
test_expect 'later trouble is 1, useless keys are 3' later_trouble_is_1
test_expect 'files that cannot be written are 4' unwritable_files_are_4
test_expect 'foreign cell files are 4' foreign_cells_are_4
test_expect 'full files are 4' full_files_are_4
test_expect 'a full standard output is 4' full_outputs_are_4
test_expect 'pipes are not removed' pipes_are_not_removed
test_expect 'few descriptors' few_descriptors_are_named_or_raised
test_expect '--help fits the screen' help_fits_the_screen
test_expect 'options of --help are taken' options_of_the_help_are_taken
test_expect 'options may stand anywhere' options_may_stand_anywhere
done_testing
