#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# MinIO's mc is not in Debian: here is a stand-in that takes its arguments
# and its environment, notes them, and does the work by s3op.
. "${srcdir:-.}/t/test-lib.sh"

make_mc() { # VERSION-LINE
    mkdir -p bin
    cat >bin/mc <<END
#!/usr/bin/env bash
[[ \$* != --version ]] || { echo '$1'; exit; }
printf '%s\n' "\$*" >>'$PWD/calls'
env >'$PWD/env'
url=\${MC_HOST_s3perf#*://}
keys=\${url%@*}
export AWS_ENDPOINT_URL=\${MC_HOST_s3perf%%://*}://\${url#*@} AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=\${keys%%:*} AWS_SECRET_ACCESS_KEY=\${keys#*:}
target() { printf 's3://%s\n' "\${1#s3perf/}"; }
case \$2 in
    mb | rb | rm) '$S3OP' "\$2" "\$(target "\$3")" ;;
    ls) '$S3OP' ls -o - "\$(target "\$4")" 2>/dev/null |
        sed 's/^/[2026-11-30 22:00:00 UTC]    10B STANDARD /' ;;
    cp)
        if [[ \$3 == s3perf/* ]]; then
            '$S3OP' get -o "\$4" "\$(target "\$3")"
        else
            '$S3OP' put --file "\$4" "\$(target "\$5")"
        fi
        ;;
    *) exit 9 ;;
esac
END
    chmod +x bin/mc
    PATH=$PWD/bin:$PATH
    : >calls
}

six_phases() {
    local b

    make_mc 'mc version RELEASE.2024-11-21T17-21-54Z (commit-id=1681e4497)'
    start_s3mem
    "$S3PERF" --client mc -n 2 -s 10 --json >out 2>err
    jq -e '.outcome == "complete" and .listed == 2 and
        .downloads.verified == 2 and
        .client_version == "RELEASE.2024-11-21T17-21-54Z"' out
    b=s3perf/$(jq -r .bucket out)
    sed -E 's| [^ ]*/(stage/[^ ]*)| \1|' calls >told
    printf '%s\n' "--quiet mb $b" \
        "--quiet cp --disable-multipart stage/files/s3perf-testfile1 $b/s3perf-testfile1" \
        "--quiet cp --disable-multipart stage/files/s3perf-testfile2 $b/s3perf-testfile2" \
        "--quiet ls --recursive $b/" \
        "--quiet cp $b/s3perf-testfile1 stage/downloads/s3perf-testfile1" \
        "--quiet cp $b/s3perf-testfile2 stage/downloads/s3perf-testfile2" \
        "--quiet rm $b/s3perf-testfile1" "--quiet rm $b/s3perf-testfile2" \
        "--quiet rb $b" | diff - told
    hasnt calls "$AWS_SECRET_ACCESS_KEY" "$AWS_ACCESS_KEY_ID"
    has env "^MC_HOST_s3perf=http://$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY@127" \
        '^MC_CONFIG_DIR=.*/s3perf\.'
    stop_s3mem
}

not_midnight_commander() {
    make_mc 'GNU Midnight Commander 4.8.29'
    expect_exit 2 "$S3PERF" --client mc -n 1 -s 1 >out 2>err
    is "$(<err)" "s3perf: client 'mc' cannot be run"
    [[ ! -s calls ]]
}

test_expect 'six phases, as mc is told them' six_phases
test_expect 'Midnight Commander is not taken for it' not_midnight_commander
done_testing
