#!/usr/bin/env bash
# Turn the JSON cases in FOLDER into the TSV files beside this script, which
# the C tests read. Texts that may hold anything are in base64, "-" is null,
# and a list of pairs is NAME:VALUE,NAME:VALUE with both in base64.
set -euo pipefail
export LC_ALL=C
readonly me=${0##*/}

if (($# != 1)) || [[ ! -d $1 ]]; then
    printf 'usage: %s FOLDER\n' "$me" >&2
    exit 2
fi
from=$1
into=$(cd "$(dirname "$0")" && pwd)

# shellcheck disable=SC2016 # jq's variables, not ours
readonly common='
def b64: if . == null then "-" else @base64 end;
def plain: if . == null then "-" else . end;
def pairs: map((.[0] | @base64) + ":" + (.[1] | @base64)) | join(",");
'

sign_columns='#name method scheme host addressing bucket key_hex query'
sign_columns+=' headers payload_mode payload_hex access_key secret_key token'
sign_columns+=' region service stamp path canonical_query signed_headers'
sign_columns+=' canonical to_sign signature authorization'

write() { # NAME COLUMNS FILTER: NAME.json to NAME.tsv
    {
        printf '%s\n' "${2// /$'\t'}"
        jq -r "$common $3" "$from/$1.json"
    } >"$into/$1.tsv"
}

write s3-sigv4-cases "$sign_columns" '.[] | [
    .name, .method, .scheme, .host_header, .addressing,
    (.bucket | b64), (.key_hex | plain), (.query | pairs),
    (.signed_extra_headers | pairs), .payload_mode, (.payload_hex | plain),
    .credentials.access_key, .credentials.secret_key,
    (.credentials.session_token | plain), .region, .service, .amz_date,
    .expect.path, .expect.canonical_query, .expect.signed_headers,
    (.expect.canonical_request | b64), (.expect.string_to_sign | b64),
    .expect.signature, .expect.authorization] | @tsv'

# The header form only. A body is given where its hash is signed.
# shellcheck disable=SC2016 # jq's variables, not ours
write aws-doc-s3-examples "$sign_columns" '
def lower: ascii_downcase;
def nibbles: "0123456789abcdef" as $d | $d[(. / 16 | floor):][:1]
    + $d[(. % 16):][:1];
.[] | select(.query | map(.[0]) | index("X-Amz-Algorithm") | not) |
(.headers | map(select(.[0] | lower == "host"))[0][1]) as $host |
(.payload_hash | startswith("STREAMING-")) as $literal | [
    .name, .method, "https", $host, "path", "-", "-", (.query | pairs),
    (.headers | map(select(.[0] | lower | . != "host"
        and . != "x-amz-content-sha256" and . != "x-amz-date")) | pairs),
    (if $literal then .payload_hash else "hash" end),
    (if $literal then "-"
        else .body // "" | explode | map(nibbles) | join("") end),
    .credentials.access_key, .credentials.secret_key, "-", .region,
    .service, .amz_date, .path,
    (.expect.canonical_request | split("\n")[2]), .expect.signed_headers,
    (.expect.canonical_request | b64), (.expect.string_to_sign | b64),
    .expect.signature, "-"] | @tsv'

# An endpoint of AWS itself is what a caller makes of the region, so it is
# left out here.
columns='#name config credentials environment error access_key secret_key'
columns+=' token source region endpoint addressing'
# shellcheck disable=SC2016 # jq's variables, not ours
write config-files "$columns" '.[] | .expect_botocore as $e | [
    .name, (.config | b64), (.credentials | b64),
    (.env | to_entries | map([.key, .value]) | pairs), ($e.error | plain),
    ($e.access_key | b64), ($e.secret_key | b64), ($e.session_token | b64),
    ($e.source | plain), ($e.region | plain),
    (if $e.endpoint // "" | endswith(".amazonaws.com") then null
        else $e.endpoint end | plain),
    ($e.addressing_style | plain)] | @tsv'
