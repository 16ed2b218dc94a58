# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Foreign clients on the built-in endpoint: sourced by clients-*.t, after
# test-lib.sh. Each of them shows what it can do of: make a bucket, put, get,
# list, delete, multi-delete, multipart upload, copy, ranges, presigned URLs.
# What was asked for is in the access log, so that a client that does
# something else than the title says does not pass.

access=$test_tmp/access.tsv

# Is the client there? Or skip all, with CI=true fail.
needs() { # COMMAND PACKAGE
    ! command -v "$1" >/dev/null || return 0
    [[ ${CI:-} != true ]] || die "CI=true, and there is no $2"
    skip_all "there is no $1 (Debian package $2)"
}

# Start the server and make files of both kinds.
start_for_client() { # [ARG]...
    start_s3mem --access-log "$access" "$@"
    # shellcheck disable=SC2034 # used where this is sourced
    url=$AWS_ENDPOINT_URL
    head -c 1000 /dev/urandom >small
    head -c 12000000 /dev/urandom >large # three parts of 5 MiB
}

logged_now() { # REGEX
    awk -F '\t' 'NR > 2 { print $13, $4, $5 }' "$access" >requests
    grep -Eq -- "$1" requests
}

# A request whose "STATUS METHOD TARGET" matches was made. The line comes
# after the answer has been sent, so it may be late.
logged() { # REGEX...
    local regex

    for regex; do
        wait_for 5 logged_now "$regex" || {
            note "$(cat requests)"
            return 1
        }
    done
}

# All requests up to now had this kind of signature.
signed_by() { # v2|v4...
    local kinds

    kinds=$(awk -F '\t' 'NR > 2 { print $7 }' "$access" | sort -u)
    is "${kinds//$'\n'/ }" "$*"
}

fetch() { # URL FILE: without any signature of ours
    curl -sS -f --noproxy '*' -m 60 -o "$2" "$1"
}

same() { # FILE FILE
    cmp "$1" "$2"
}

bytes_of() { # FILE FIRST COUNT: print them
    tail -c "+$(($2 + 1))" "$1" >rest
    head -c "$3" rest
}
