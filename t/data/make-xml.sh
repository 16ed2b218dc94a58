#!/usr/bin/env bash
# Turn xml-responses.json in FOLDER into xml-responses.tsv beside this
# script. Texts are in base64, lists are joined by commas, "-" is absent.
set -euo pipefail
export LC_ALL=C
readonly me=${0##*/}

if (($# != 1)) || [[ ! -r $1/xml-responses.json ]]; then
    printf 'usage: %s FOLDER\n' "$me" >&2
    exit 2
fi
into=$(cd "$(dirname "$0")" && pwd)

columns='#name status operation body code derived message request_id region'
columns+=' endpoint server_time etag truncated token keys sizes prefixes'
columns+=' buckets retriable'

# shellcheck disable=SC2016 # jq's variables, not ours
readonly filter='
def b64: if . == null then "-" else @base64 end;
def list: if . == null then "-" else map(@base64) | join(",") end;
def plain: if . == null then "-" else tostring end;
def again: if type == "string" then "repair" else plain end;
.[] | .expect as $e | ($e.code // "") as $code | [
    .name, .http_status, .operation, (.body | b64),
    (if $code | startswith("(") then "-"
     else $e.code | if . then sub(" \\(derived\\)$"; "") else . end | b64
     end),
    (if $code | test("derived") then 1 else 0 end),
    ($e.message | b64), ($e.request_id | b64),
    (if .operation == "GetBucketLocation" then "-" else $e.region | b64 end),
    ($e.endpoint | b64), ($e.server_time | b64), ($e.etag | b64),
    ($e.truncated | plain), ($e.token | b64), ($e.keys | list),
    (if $e.sizes then $e.sizes | map(tostring) | join(",") else "-" end),
    ($e.common_prefixes | list), ($e.buckets | list), ($e.retriable | again)
] | @tsv'

{
    printf '%s\n' "${columns// /$'\t'}"
    jq -r "$filter" "$1/xml-responses.json"
} >"$into/xml-responses.tsv"
