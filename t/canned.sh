# shellcheck shell=bash disable=SC2034 # results are for the tests
# SPDX-License-Identifier: MIT
#
# Source it after test-lib.sh: starts t/canned, the server that answers what
# files say.

[[ -x $top_builddir/t/canned ]] || die "no $top_builddir/t/canned: make check"

# Start one for this shell, or for this case when called in one; it ends
# with it. Sets canned_dir, canned_url and canned_pid.
start_canned() {
    local input

    canned_dir=$(mktemp -d "$test_tmp/canned.XXXXXX")
    mkfifo "$canned_dir/in"
    # Read and write, so that opening does not wait for the other side.
    exec {input}<>"$canned_dir/in"
    "$top_builddir/t/canned" "$canned_dir" <"$canned_dir/in" \
        >"$canned_dir/out" 2>&1 {input}>&- 9>&- &
    canned_pid=$!
    wait_for 10 test -s "$canned_dir/url"
    canned_url=$(<"$canned_dir/url")
}

# Answer request NUMBER, or with '' every other one, with TEXT, in which
# \r, \n and \xHH are escapes.
canned_raw() { # NUMBER TEXT
    printf '%b' "$2" >"$canned_dir/answer${1:+.$1}"
}

# Answer it with STATUS, BODY and its length.
canned_answer() { # NUMBER STATUS BODY [HEADER]...
    local number=$1 status=$2 body=$3

    shift 3
    printf '%s\r\n' "HTTP/1.1 $status" "Content-Length: ${#body}" "$@" '' \
        >"$canned_dir/answer${number:+.$number}"
    printf '%s' "$body" >>"$canned_dir/answer${number:+.$number}"
}

sent_header() { # NUMBER NAME: all values of a header of that request
    sed -n -e $'s/\r$//' -e '/^$/q' -e "s/^$2: *//Ip" \
        "$canned_dir/request.$1"
}

sent_body() { # NUMBER
    sed $'1,/^\r$/d' "$canned_dir/request.$1"
}
