#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op sign: published and own cases, through the command line.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"

unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN

decode() { # BASE64: into $decoded, byte for byte (no NUL)
    decoded=$(base64 -d <<<"$1" && printf .)
    decoded=${decoded%.}
}

# Texts that both outputs are made of, into ./want.txt and ./want.json. The
# session token is not to be seen.
write_wanted() { # CANONICAL TO_SIGN SIGNATURE AUTHORIZATION [TOKEN]
    local canonical=$1 backslash=$'\\' text
    local json='{"canonical_request":"%s","string_to_sign":"%s",'
    local parts=()

    json+='"signature":"%s","authorization":"%s"}\n'
    [[ -z ${5:-} ]] || canonical=${canonical/"$5"/"${5//?/\*}"}
    printf '%s\n%s\n\n%s\n%s\n\n%s\n%s\n\n%s\n%s\n' \
        'Canonical request:' "$canonical" 'String to sign:' "$2" \
        'Signature:' "$3" 'Authorization:' "$4" >want.txt
    for text in "$canonical" "$2" "$3" "$4"; do
        text=${text//"$backslash"/"$backslash$backslash"}
        text=${text//'"'/"$backslash\""}
        parts+=("${text//$'\n'/"${backslash}u000a"}")
    done
    # shellcheck disable=SC2059 # the format is ours
    printf "$json" "${parts[@]}" >want.json
}

signs_as_wanted() { # ARG...: s3op sign, as text and as JSON
    expect_exit 0 "$S3OP" sign "$@" >got.txt
    expect_exit 0 "$S3OP" sign --json "$@" >got.json
    diff -u want.txt got.txt
    diff -u want.json got.json
}

read_pairs() { # FIELD: NAME:VALUE,... in base64, into $names and $values
    local pair

    names=() values=()
    for pair in ${1//,/ }; do
        decode "${pair%%:*}"
        names+=("$decoded")
        decode "${pair#*:}"
        values+=("$decoded")
    done
}

write_hex() { # HEX: as bytes
    local i escapes=''

    for ((i = 0; i < ${#1}; i += 2)); do
        escapes+="\\x${1:i:2}"
    done
    printf '%b' "$escapes"
}

# Options for the body: bytes in a file, or the literal value.
add_payload() { # MODE HEX
    if [[ $1 != hash ]]; then
        args+=(--payload-hash "$1")
    elif [[ -z $2 ]]; then
        args+=(--payload-hash signed)
    else
        write_hex "$2" >body
        args+=(--payload-hash file:body)
    fi
}

# One line of a file of cases.
vector() { # FIELD... in the order of the file
    local scheme=$3 host=$4 addressing=$5 bucket=$6 key_hex=$7 token=${14}
    local path=${18} query=${19} key='' i args=()
    local canonical to_sign authorization=${24}

    args=(--method "$2" --region "${15}" --service "${16}" --at "${17}")
    export AWS_ACCESS_KEY_ID=${12} AWS_SECRET_ACCESS_KEY=${13}
    [[ $token == - ]] || export AWS_SESSION_TOKEN=$token
    read_pairs "$9"
    for i in "${!names[@]}"; do
        args+=(--header "${names[i]}: ${values[i]}")
    done
    add_payload "${10}" "${11}"
    decode "${21}" && canonical=$decoded
    decode "${22}" && to_sign=$decoded
    [[ $authorization != - ]] || {
        authorization="AWS4-HMAC-SHA256 Credential=${12}/${17%T*}/${15}"
        authorization+="/${16}/aws4_request, SignedHeaders=${20},"
        authorization+=" Signature=${23}"
    }
    write_wanted "$canonical" "$to_sign" "${23}" "$authorization" \
        "${token#-}"

    if [[ " ${names[*]} " == *'-encryption-customer-key '* ]]; then
        # The signer can; but the key would be on the command line.
        expect_exit 2 "$S3OP" sign "${args[@]}" "$scheme://$host$path" 2>err
        has err 'secrets never come by option'
        return
    fi

    # As a URL, which is encoded already.
    signs_as_wanted "${args[@]}" "$scheme://$host$path${query:+?$query}"
    [[ $bucket != - ]] || return 0

    # As a bucket and a key of raw bytes.
    decode "$bucket" && bucket=$decoded
    [[ $key_hex == - ]] || {
        key=$(write_hex "$key_hex" && printf .)
        key=${key%.}
    }
    read_pairs "$8"
    for i in "${!names[@]}"; do
        args+=(--query "${names[i]}${values[i]:+=${values[i]}}")
    done
    args+=(--addressing "${addressing/vhost/virtual}")
    args+=(--endpoint "$scheme://${host#"$bucket".}")
    signs_as_wanted "${args[@]}" "s3://$bucket${key:+/$key}"
}

vectors() { # FILE COUNT
    local line fields count=0

    while IFS= read -r line; do
        [[ $line != '#'* ]] || continue
        # A tab is a blank to read, which would join empty fields.
        IFS=$'\1' read -ra fields <<<"${line//$'\t'/$'\1'}"
        test_expect "${1%.tsv}: ${fields[0]}" vector "${fields[@]}"
        count=$((count + 1))
    done <"$srcdir/t/data/$1"
    test_expect "${1%.tsv} has $2 cases" is "$count" "$2"
}

context() { # FOLDER NAME: a member of its context.json, '' when missing
    sed -nE "s/.*\"$2\": *(\"([^\"]*)\"|(true|false)).*/\2\3/p" \
        "$1/context.json"
}

# AWS's own suite. Nothing of its header form is left out: a token that is
# added after signing (omit_session_token) is one that sign is not given.
suite_case() { # FOLDER
    local stamp line target args=() canonical to_sign signature authorization
    local token=''

    AWS_ACCESS_KEY_ID=$(context "$1" access_key_id)
    AWS_SECRET_ACCESS_KEY=$(context "$1" secret_access_key)
    export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    [[ $(context "$1" omit_session_token) == true ]] ||
        token=$(context "$1" token)
    [[ -z $token ]] || export AWS_SESSION_TOKEN=$token
    stamp=$(context "$1" timestamp)
    args=(--at "${stamp//[-:]/}" --region "$(context "$1" region)")
    args+=(--service "$(context "$1" service)" --payload-hash signed)
    {
        read -r line
        target=${line#* }
        args+=(--method "${line%% *}")
        while IFS= read -r line && [[ -n $line ]]; do
            if [[ $line == Host:* ]]; then
                target=https://${line#Host:}${target% *}
            else
                args+=(--header "$line")
            fi
        done
        cat >body
    } <"$1/request.txt"
    if [[ $(context "$1" sign_body) == true ]]; then
        args+=(--payload-hash file:body)
    else
        args+=(--no-content-sha256)
    fi
    canonical=$(<"$1/header-canonical-request.txt")
    to_sign=$(<"$1/header-string-to-sign.txt")
    signature=$(<"$1/header-signature.txt")
    authorization=$(sed -n 's/^Authorization: *//p' \
        "$1/header-signed-request.txt")
    write_wanted "$canonical" "$to_sign" "$signature" "$authorization" "$token"
    signs_as_wanted "${args[@]}" "$target"
}

suite() {
    local folder root=$S3PERF_SHARED/reference/vectors/aws-v4-suite

    if [[ ! -d $root ]]; then
        test_skip "AWS's suite" "no $root"
        return
    fi
    for folder in "$root"/*/; do
        folder=${folder%/}
        test_expect "AWS's suite: ${folder##*/}" suite_case "$folder"
    done
}

# curl signs a simple GET by itself; ours must be the same.
agrees_with_curl() { # PATH
    local stamp authorization names args=()

    start_canned
    canned_answer '' '200 OK' ''
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key
    curl -sS --noproxy '*' --aws-sigv4 aws:amz:eu-west-1:s3 \
        --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
        "$canned_url$1" >curl.out
    tr -d '\r' <"$canned_dir/request.1" >request
    stamp=$(sed -n 's/^X-Amz-Date: *//Ip' request)
    authorization=$(sed -n 's/^Authorization: *//Ip' request)
    names=$(sed -n 's/.*SignedHeaders=\([^,]*\),.*/\1/p' <<<"$authorization")
    [[ $names == *x-amz-content-sha256* ]] || args+=(--no-content-sha256)
    "$S3OP" sign --json --at "$stamp" --region eu-west-1 "${args[@]}" \
        --endpoint "$canned_url" "s3:/$1" >ours
    is "$(sed 's/.*"authorization":"\(.*\)"}/\1/' ours)" "$authorization"
}

# A request that was sent is signed as sign says.
agrees_with_get() {
    local stamp authorization

    start_canned
    canned_answer '' '200 OK' ''
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key
    export AWS_ENDPOINT_URL=$canned_url AWS_SESSION_TOKEN=to/ken==
    "$S3OP" get --header 'X-Amz-Meta-A:  a   b ' 's3://bucket/a b+c=é' >record
    tr -d '\r' <"$canned_dir/request.1" >request
    has request '^GET /bucket/a%20b%2Bc%3D%C3%A9 HTTP/1.1$'
    stamp=$(sed -n 's/^X-Amz-Date: *//Ip' request)
    authorization=$(sed -n 's/^Authorization: *//Ip' request)
    "$S3OP" sign --json --at "$stamp" --header 'X-Amz-Meta-A:  a   b ' \
        's3://bucket/a b+c=é' >ours
    is "$(sed 's/.*"authorization":"\(.*\)"}/\1/' ours)" "$authorization"
}

bad_usage_names_the_culprit() {
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
    expect_exit 2 "$S3OP" sign 2>err
    has err '^s3op: sign takes one target$'
    expect_exit 2 "$S3OP" sign ftp://h/ 2>err
    has err "^s3op: bad target 'ftp://h/': "
    expect_exit 2 "$S3OP" sign 'http://h:99999/' 2>err
    has err "^s3op: bad target 'http://h:99999/': .*port"
    expect_exit 2 "$S3OP" sign --at yesterday http://h/ 2>err
    has err "^s3op: bad at 'yesterday': "
    expect_exit 2 "$S3OP" sign --at 20260230T000000Z http://h/ 2>err
    has err "^s3op: bad at '20260230T000000Z'"
    expect_exit 2 "$S3OP" sign --payload-hash MD5 http://h/ 2>err
    has err "^s3op: bad payload-hash 'MD5': "
    expect_exit 2 "$S3OP" sign --payload-hash file:gone http://h/ 2>err
    has err "^s3op: cannot read 'gone': "
    expect_exit 2 "$S3OP" sign --query a 'http://h/?b' 2>err
    has err '^s3op: .*query'
    expect_exit 2 "$S3OP" sign 'http://h/?a=%zz' 2>err
    has err '^s3op: .*query'
    expect_exit 2 "$S3OP" sign --header 'x-amz-date: 1' http://h/ 2>err
    has err "^s3op: bad header 'x-amz-date': "
    expect_exit 4 "$S3OP" sign http://h/ >/dev/full 2>err
    has err '^s3op: cannot write'
    unset AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID
    expect_exit 3 "$S3OP" sign http://h/ 2>err
    has err '^s3op: no credentials'
}

vectors s3-sigv4-cases.tsv 44
vectors aws-doc-s3-examples.tsv 4
suite
if command -v curl >/dev/null && curl --help all | grep -q aws-sigv4; then
    test_expect 'curl signs the same' agrees_with_curl /bucket/key
    test_expect 'curl signs the same below folders' agrees_with_curl \
        /bucket/a/b~c/d-e_f.txt
else
    test_skip 'curl signs the same' 'no curl with --aws-sigv4'
fi
test_expect 'get is signed as sign says' agrees_with_get
test_expect 'bad usage names the culprit' bad_usage_names_the_culprit
done_testing
