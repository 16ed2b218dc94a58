# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# A client for s3perf --client that does its work by s3op, so that tests of
# what is around it are quick. Sourced after test-lib.sh.

readonly standin=$test_tmp/standin.sh

# Make it. CODE runs in each of its processes first: "$verb" is mb, put, ls,
# get, rm or rb, "$key" the last argument, "$real" s3op.
make_standin() { # [CODE]
    cat >"$test_tmp/standin" <<END
#!/usr/bin/env bash
real='$top_builddir/s3op' here='$PWD' verb=\$1 key=\${!#}
printf '%s\n' "\$*" >>"\$here/standin-calls"
${1:-}
exec "\$real" "\$@" -q
END
    chmod +x "$test_tmp/standin"
    cat >"$standin" <<END
client_package=standin
client_version() { echo 'standin version 1.2.3-beta (of today)'; }
client_prepare() {
    client_env AWS_ACCESS_KEY_ID "\$client_key_id"
    client_env AWS_SECRET_ACCESS_KEY "\$client_secret"
    client_env AWS_ENDPOINT_URL "\$client_url"
    client_env AWS_REGION "\$client_region"
    [[ -z \$client_ca ]] || client_env AWS_CA_BUNDLE "\$client_ca"
    standin=$test_tmp/standin
}
client_create_bucket() { call=("\$standin" mb "s3://\$1"); }
client_upload() { call=("\$standin" put --file "\$1" "s3://\$2/\$3"); }
client_list() { call=("\$standin" ls -o - "s3://\$1/\$2"); }
client_download() { call=("\$standin" get -o "\$3" "s3://\$1/\$2"); }
client_erase_object() { call=("\$standin" rm "s3://\$1/\$2"); }
client_erase_bucket() { call=("\$standin" rb "s3://\$1"); }
END
    : >standin-calls
}
