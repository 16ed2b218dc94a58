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

write_to() { # NAME FROM COLUMNS FILTER: FROM.json to NAME.tsv
    {
        printf '%s\n' "${3// /$'\t'}"
        jq -r "$common $4" "$from/$2.json"
    } >"$into/$1.tsv"
}

write() { # NAME COLUMNS FILTER: NAME.json to NAME.tsv
    write_to "$1" "$1" "${@:2}"
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

presign_columns='#name method scheme host path query headers expires'
presign_columns+=' access_key secret_key token region stamp canonical'
presign_columns+=' to_sign signature'

write s3-presign-cases "$presign_columns" '.[] | [
    .name, .method, .scheme, .host_header, .path, (.query | pairs),
    (.signed_extra_headers | pairs), .expires, .credentials.access_key,
    .credentials.secret_key, (.credentials.session_token | plain), .region,
    .amz_date, (.expect.canonical_request | b64),
    (.expect.string_to_sign | b64), .expect.signature] | @tsv'

# The published one, with what the signer adds itself left out.
# shellcheck disable=SC2016 # jq's variables, not ours
write_to aws-doc-presign aws-doc-s3-examples "$presign_columns" '
.[] | select(.query | map(.[0]) | index("X-Amz-Algorithm")) |
(.query | map(select(.[0] == "X-Amz-Expires"))[0][1]) as $expires | [
    .name, .method, "https", .headers[0][1], .path,
    (.query | map(select(.[0] | startswith("X-Amz-") | not)) | pairs), "",
    $expires, .credentials.access_key, .credentials.secret_key, "-",
    .region, .amz_date, (.expect.canonical_request | b64),
    (.expect.string_to_sign | b64), .expect.signature] | @tsv'

# The body of the recorded cases is (i * 7 + 3) mod 256, that of the
# published one is 66560 times "a"; 65536 bytes in a chunk, always.
chunked_columns='#name fill size method path headers access_key secret_key'
chunked_columns+=' region stamp seed chunks trailer_signature trailer_value'
chunked_columns+=' encoded_length'

write s3-chunked-cases "$chunked_columns" '.[] | [
    .name, "pattern", (.chunk_sizes | add // 0), .method, .path,
    (.headers | pairs), .credentials.access_key, .credentials.secret_key,
    .region, .amz_date, .expect.seed_signature,
    (.expect.chunk_signatures | join(",")),
    (.expect.trailer_signature | plain), (.trailer[1]? | plain),
    .expect.encoded_content_length] | @tsv'

write_to aws-doc-chunked aws-doc-s3-examples "$chunked_columns" '
.[] | select(.expect.chunk_signatures) | [
    .name, "a", 66560, .method, .path, (.headers | pairs),
    .credentials.access_key, .credentials.secret_key, .region, .amz_date,
    .expect.signature, (.expect.chunk_signatures | join(",")), "-", "-",
    (.headers | map(select(.[0] == "Content-Length"))[0][1])] | @tsv'

write aws-doc-sigv2-examples '#name to_sign access_key secret_key signature' \
    '.[] | [.name, (.string_to_sign | b64), .access_key, .secret_key,
    .expect.signature] | @tsv'

columns='#name config credentials environment error access_key secret_key'
columns+=' token source region endpoint addressing'
# shellcheck disable=SC2016 # jq's variables, not ours
write config-files "$columns" '.[] | .expect_botocore as $e | [
    .name, (.config | b64), (.credentials | b64),
    (.env | to_entries | map([.key, .value]) | pairs), ($e.error | plain),
    ($e.access_key | b64), ($e.secret_key | b64), ($e.session_token | b64),
    ($e.source | plain), ($e.region | plain),
    ($e.endpoint | plain),
    ($e.addressing_style | plain)] | @tsv'

# The input stands in words there: the test knows it by the name.
write_to checksums checksums \
    '#name length crc32 crc32c crc64nvme sha1 sha256 md5' '
.single[] | [.name, .length, .crc32, .crc32c, .crc64nvme, .sha1, .sha256,
    .md5_base64] | @tsv'

# Of the object of (i * 7 + 3) mod 256: checksums of its parts' checksums.
write_to checksums-parts checksums \
    '#name size part_size crc32 crc32c sha1 sha256 full_crc32 full_crc32c'\
' full_crc64nvme' '
.multipart[] | [.name, .size, .part_size, .composite_crc32,
    .composite_crc32c, .composite_sha1, .composite_sha256, .full_object_crc32,
    .full_object_crc32c, .full_object_crc64nvme] | @tsv'
