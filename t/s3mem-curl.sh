# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Asking s3mem by curl, which signs on its own: sourced by s3mem*.t, after
# test-lib.sh.

# For tests only; the argument lists of curl show them.
# shellcheck disable=SC2034 # used where this is sourced
readonly empty_hash=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
readonly curl=(curl -sS --path-as-is -m 60 --noproxy '*')
readonly bucket=$test_id
hash=UNSIGNED-PAYLOAD # of the payload, for s3()
url=                  # of the server, set by start()

command -v curl >/dev/null || skip_all 'curl is not there'

# A signed request. What comes back is in ./status, ./headers and ./body.
s3() { # [CURL ARG]...
    "${curl[@]}" --aws-sigv4 aws:amz:us-east-1:s3 \
        -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
        -H "x-amz-content-sha256: $hash" -o body -D headers \
        -w '%{http_code}\n' "$@" >status
}

plain() { # [CURL ARG]...: the same, without a signature
    "${curl[@]}" -o body -D headers -w '%{http_code}\n' "$@" >status
}

answers() { # STATUS [CODE]: what the last request brought
    is "$(tail -n 1 status)" "$1" status
    has headers '^x-amz-request-id: [0-9A-F]{16}' '^Server: s3mem/' '^Date: '
    [[ -z ${2:-} ]] || has body "<Error><Code>$2</Code><Message>"
}

md5_base64() { # FILE
    local hex

    hex=$(md5sum <"$1")
    hex=${hex%% *}
    # shellcheck disable=SC2001,SC2059 # that is what sed is for
    printf "$(sed 's/../\\x&/g' <<<"$hex")" | base64
}

put() { # KEY TEXT
    s3 -X PUT --data-binary "$2" "$url/$bucket/$1"
    answers 200
}

# The body's elements called NAME, one a line.
elements() { # NAME
    grep -o "<$1>[^<]*" body | sed 's/^<[^>]*>//' || :
}

start() { # [ARG]...: a server with a bucket in it
    start_s3mem "$@"
    url=$AWS_ENDPOINT_URL
    s3 -X PUT "$url/$bucket"
}
