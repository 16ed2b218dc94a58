#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3op presign and s3op sign --query-auth: recorded cases, and URLs that
# plain curl uses.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/presign-suite.sh
. "$srcdir/t/presign-suite.sh"

use_keys() { # ACCESS SECRET [TOKEN]
    export AWS_ACCESS_KEY_ID=$1 AWS_SECRET_ACCESS_KEY=$2
    unset AWS_SESSION_TOKEN
    [[ -z ${3:-} ]] || export AWS_SESSION_TOKEN=$3
}

decode() { # BASE64: into $decoded, byte for byte (no NUL)
    decoded=$(base64 -d <<<"$1" && printf .)
    decoded=${decoded%.}
}

# The texts that sign prints; the canonical request's query is the URL's.
signs_url_as() { # CANONICAL TO_SIGN SIGNATURE URL-BEFORE-QUERY ARG...
    local canonical=$1 query

    query=$(sed -n 3p <<<"$canonical")
    printf '%s\n%s\n\n%s\n%s\n\n%s\n%s\n\n%s\n%s\n' \
        'Canonical request:' "$canonical" 'String to sign:' "$2" \
        'Signature:' "$3" 'URL:' "$4?$query&X-Amz-Signature=$3" >want
    shift 4
    expect_exit 0 "$S3OP" sign "$@" >got
    diff -u want got
}

vector() { # FIELD... in the order of the file
    local pair query='' args=()

    use_keys "$9" "${10}"
    args=(--method "$2" --query-auth "$8" --region "${12}" --at "${13}")
    for pair in ${7//,/ }; do
        decode "${pair%%:*}"
        args+=(--header "$decoded: $(base64 -d <<<"${pair#*:}")")
    done
    for pair in ${6//,/ }; do
        decode "${pair%%:*}"
        args+=(--query "$decoded=$(base64 -d <<<"${pair#*:}")")
    done
    signs_url_as "$(base64 -d <<<"${14}")" "$(base64 -d <<<"${15}")" \
        "${16}" "$3://$4$5" "${args[@]}" "$3://$4$5$query"
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

json_has_the_url() {
    use_keys AKIDEXAMPLE secret
    "$S3OP" presign --at 20260102T030405Z --region r http://h:1/k >url
    "$S3OP" presign --at 20260102T030405Z --region r --json http://h:1/k >got
    is "$(<got)" "{\"url\":\"$(<url)\"}"
    has url '^http://h:1/k\?X-Amz-Algorithm=.*&X-Amz-Expires=3600&'
    "$S3OP" presign --at 20260102T030405Z --region r --expires 168h \
        http://h:1/k >url
    has url '&X-Amz-Expires=604800&'
    "$S3OP" sign --at 20260102T030405Z --region r --query-auth 604800 --json \
        http://h:1/k >got
    has got '"signature":"[0-9a-f]{64}","url":"http' "$(sed 's/.*?//' url)"
    hasnt got authorization
}

token_is_a_parameter() {
    use_keys AKIDEXAMPLE secret 'to+ken/='
    "$S3OP" presign http://h/k >url
    has url '&X-Amz-Security-Token=to%2Bken%2F%3D&'
    "$S3OP" presign --signature v2 --endpoint http://h s3://b/k >url
    has url '&x-amz-security-token=to%2Bken%2F%3D&'
}

sign_shows_no_token() {
    local args=(--query-auth 60 --endpoint http://h --region r)

    use_keys AKIDEXAMPLE secret TOKEN
    "$S3OP" sign "${args[@]}" s3://b/k >got
    has got '^URL:$' '^http://h/b/k\?.*&X-Amz-Security-Token=\*\*\*\*\*&'
    hasnt got TOKEN
    "$S3OP" sign "${args[@]}" --json s3://b/k >got
    has got 'X-Amz-Security-Token=\*\*\*\*\*&'
    hasnt got TOKEN
    "$S3OP" sign "${args[@]}" --signature v2 s3://b/k >got
    has got '^x-amz-security-token:\*\*\*\*\*$' \
        '&x-amz-security-token=\*\*\*\*\*&'
    hasnt got TOKEN
    "$S3OP" sign --signature v2 --endpoint http://h --json s3://b/k >got
    has got 'x-amz-security-token:'
    hasnt got TOKEN
}

refused() { # REGEX ARG...: status 2 and one line that says why
    local regex=$1

    shift
    expect_exit 2 "$S3OP" "$@" >out 2>err
    has err "^s3op: $regex"
    is "$(wc -l <err)" 1 'lines on standard error'
    [[ ! -s out ]]
}

bad_usage_names_the_culprit() {
    local time

    use_keys AKIDEXAMPLE secret
    refused 'presign takes one target$' presign
    refused "bad method 'POST': " presign --method POST http://h/k
    for time in 0 1500ms 168h1 604801 -1; do
        refused 'bad expires' presign --expires "$time" http://h/k
    done
    refused 'bad query-auth: ' sign --query-auth 0 http://h/k
    refused 'bad query-auth: ' sign --query-auth 604801 http://h/k
    refused 'the target has X-Amz- parameters' presign \
        'http://h/k?X-Amz-Date=1'
    refused "bad signature 'v3': it is v2 or v4" presign --signature v3 \
        http://h/k
    refused "bad target 'http://h/k': for --signature v2 " presign \
        --signature v2 http://h/k
    refused '--payload-hash does not go with presign' presign \
        --payload-hash signed http://h/k
    refused '--query-auth does not go with presign' presign --query-auth 1 \
        http://h/k
    refused '--expires does not go with get' get --expires 1 s3://b/k
}

vectors s3-presign-cases.tsv 5
vectors aws-doc-presign.tsv 1
test_expect 'JSON has the URL' json_has_the_url
test_expect 'a session token is a parameter' token_is_a_parameter
test_expect 'sign shows no session token' sign_shows_no_token
test_expect 'bad usage names the culprit' bad_usage_names_the_culprit
bucket=$test_id
if ! command -v curl >/dev/null; then
    test_skip 'URLs work' 'no curl'
    done_testing
fi
start_s3mem
"$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
presign_suite s3mem v4
stop_s3mem
if start_radosgw; then
    "$S3OP" mb "s3://$bucket" >/dev/null || die "cannot create $bucket"
    presign_suite radosgw v4
    "$S3OP" rb "s3://$bucket" >/dev/null || die "something is left in $bucket"
fi
done_testing
