#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Refusals that say how to sign better: another region, another host,
# another clock. And what is said where nothing can be repaired.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/canned.sh
. "$srcdir/t/canned.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column and member

export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=a/secret+key
export AWS_REGION=us-east-1

start() { # a server, and s3op's way to it
    start_canned
    export AWS_ENDPOINT_URL=$canned_url
}

op() { # STATUS ARG...: the record, with column names, in ./record
    expect_exit "$1" "$S3OP" --columns --timeout 20s "${@:2}" >record 2>err
}

# Status, code and attempt, one line a record.
attempts() { # FILE
    awk -F'\t' '!/^#/ && $1 != "due_us" { print $18, $19, $21 }' "$1"
}

requests() {
    find "$canned_dir" -name 'request.*' | wc -l
}

signed_region() { # NUMBER
    sent_header "$1" authorization |
        sed 's|.*Credential=[^/]*/[0-9]*/\([^/]*\)/.*|\1|'
}

error() { # CODE [XML]
    printf '<Error><Code>%s</Code><Message>no</Message>%s</Error>' "$1" \
        "${2:-}"
}

# On a name of AWS's that leads to the server.
aws() { # STATUS HOST ARG...
    local port=${canned_url##*:}

    op "$1" --endpoint "http://$2:$port" \
        --resolve "$2:$port:127.0.0.1" \
        --resolve "b.$2:$port:127.0.0.1" "${@:3}"
}

# --- regions ---

# aws-sdk-java-v2#4425, mc#2570
region_is_repaired() { # STATUS BODY HEADER VERB ARG...
    start
    canned_answer '' '200 OK' ''
    canned_answer 1 "$1" "$2" ${3:+"$3"}
    op 0 "${@:4}"
    is "$(signed_region 1)" us-east-1
    is "$(signed_region 2)" eu-west-1
    is "$(requests)" 2
    is "$(attempts record)" "${1%% *} $(column record code | head -n 1) 1
200 - 2"
    has err 'signed again for the region eu-west-1 \[tried again\]$'
}

region_is_remembered() {
    start
    canned_answer '' '200 OK' ''
    canned_answer 1 '400 Bad' "$(error AuthorizationHeaderMalformed \
        '<Region>eu-west-1</Region>')"
    "$S3OP" put -n 4 -s 10 --json --log log s3://b/k >sum 2>err
    is "$(requests)" 5
    is "$(attempts log)" '400 AuthorizationHeaderMalformed 1
200 - 2
200 - 1
200 - 1
200 - 1'
    is "$(signed_region 5)" eu-west-1
    is "$(member sum ops)" 4
    is "$(member sum errors)" 0
    is "$(member sum retried)" 1
}

region_is_repaired_once() {
    start
    canned_answer '' '400 Bad' "$(error AuthorizationHeaderMalformed \
        '<Region>eu-west-1</Region>')"
    op 1 get s3://b/k
    is "$(requests)" 2
    is "$(attempts record)" '400 AuthorizationHeaderMalformed 1
400 AuthorizationHeaderMalformed 2'
    start
    canned_answer 1 '301 Moved' '' 'x-amz-bucket-region: eu-west-1'
    canned_answer 2 '301 Moved' '' 'x-amz-bucket-region: eu-west-2'
    op 1 get s3://b/k
    is "$(requests)" 2
    has err 'signed for the region eu-west-1, the server names eu-west-2'
}

# A bad region must not get into a header, nor a foreign host be asked.
region_is_not_repaired() { # STATUS BODY HEADER TEXT ARG...
    start
    canned_answer '' "$1" "$2" ${3:+"$3"}
    op 1 "${@:5}"
    is "$(requests)" 1
    has err "$4"
}

other_answers_are_no_matter_of_regions() {
    start
    canned_answer '' '403 Forbidden' "$(error AccessDenied)" \
        'x-amz-bucket-region: eu-west-1'
    op 1 get s3://b/k
    is "$(requests)" 1
    canned_answer '' '400 Bad' "$(error InvalidArgument)" \
        'x-amz-bucket-region: eu-west-1'
    op 1 get s3://b/k
    is "$(requests)" 2
    canned_answer '' '301 Moved' '' 'x-amz-bucket-region: us-east-1'
    op 1 head s3://b/k
    is "$(requests)" 3
}

# The endpoint's name has the region in it, so it moves, too.
aws_region_is_repaired() {
    local there=s3.eu-west-1.amazonaws.com port

    start
    port=${canned_url##*:}
    canned_answer '' '200 OK' ''
    canned_answer 1 '301 Moved' "$(error PermanentRedirect \
        "<Endpoint>b.s3-eu-west-1.amazonaws.com</Endpoint>")"
    aws 0 s3.us-east-1.amazonaws.com \
        --resolve "b.$there:$port:127.0.0.1" put -s 10 s3://b/k
    is "$(signed_region 2)" eu-west-1
    is "$(sent_header 1 host)" "b.s3.us-east-1.amazonaws.com:$port"
    is "$(sent_header 2 host)" "b.$there:$port"
    is "$(column record endpoint | tail -n 1)" "http://$there:$port"
}

# --- 307 ---

redirect_is_signed_again() {
    local there

    start
    there=$canned_url
    start
    canned_answer '' '307 Go' '' "Location: $there/b/k%20%2B"
    (canned_dir=$(dirname "$(grep -l "^$there\$" \
        "$test_tmp"/canned.*/url)") && canned_answer '' '200 OK' '')
    op 0 put -s 10 's3://b/k +'
    is "$(attempts record)" '307 TemporaryRedirect 1
200 - 2'
    is "$(column record endpoint | tail -n 1)" "$there"
    canned_dir=$(dirname "$(grep -l "^$there\$" "$test_tmp"/canned.*/url)")
    is "$(sent_header 1 host)" "${there#http://}"
    is "$(sent_body 1 | wc -c)" 10
    # It is for a while only: the next one asks here first.
    op 0 put -s 10 's3://b/k +'
    is "$(attempts record | head -n 1)" '307 TemporaryRedirect 1'
}

redirect_is_named() { # LOCATION ARG...
    start
    canned_answer '' '307 Go' '' "Location: ${1/URL/$canned_url}"
    op 1 "${@:2}"
    is "$(requests)" 1
    has err '307 TemporaryRedirect: it points to .*, which is not followed'
}

redirects_end() {
    local other

    start
    other=$canned_url
    canned_answer '' '307 Go' '' "Location: http://127.0.0.2:1/b/k"
    start
    canned_answer '' '307 Go' '' "Location: $other/b/k"
    op 1 get s3://b/k
    is "$(attempts record)" '307 TemporaryRedirect 1
307 TemporaryRedirect 2'
    has err 'it points to http://127\.0\.0\.2:1/b/k, which is not followed'
}

# --- the clock ---

iso() { # MINUTES from now
    date -u -d "@$(($(date +%s) + 60 * $1))" +%Y-%m-%dT%H:%M:%SZ
}

http_date() { # MINUTES from now
    date -u -d "@$(($(date +%s) + 60 * $1))" '+%a, %d %b %Y %H:%M:%S GMT'
}

clock_is_named() { # MINUTES TEXT [HEADER]...
    start
    canned_answer '' '403 Forbidden' "$(error RequestTimeTooSkewed \
        "<ServerTime>$(iso "$1")</ServerTime>")" "${@:3}"
    op 1 get s3://b/k
    is "$(requests)" 1
    has err "RequestTimeTooSkewed: no; $2"
}

clock_is_fixed() {
    local first second

    start
    canned_answer '' '200 OK' ''
    canned_answer 1 '403 Forbidden' "$(error RequestTimeTooSkewed \
        "<ServerTime>$(iso 1440)</ServerTime>")"
    "$S3OP" put --fix-clock -n 3 -s 10 --json --log log s3://b/k >sum 2>err
    is "$(attempts log)" '403 RequestTimeTooSkewed 1
200 - 2
200 - 1
200 - 1'
    first=$(sent_header 1 x-amz-date) second=$(sent_header 2 x-amz-date)
    is "${second%%T*}" "$(date -u -d "${first%%T*} + 1 day" +%Y%m%d)"
    has <(sent_header 4 authorization) "/${second%%T*}/us-east-1/s3/"
    has err 'signed again with the clock moved by 86(399|400|401) s'
}

clock_is_fixed_once() {
    start
    canned_answer '' '403 Forbidden' "$(error RequestTimeTooSkewed \
        "<ServerTime>$(iso 60)</ServerTime>")"
    op 1 get --fix-clock s3://b/k
    is "$(requests)" 2
}

# HEAD has no body, so the Date has to do; not that of a cache.
head_has_the_date() {
    start
    canned_answer '' '200 OK' ''
    canned_answer 1 '403 Forbidden' '' "Date: $(http_date -60)"
    op 0 head --fix-clock s3://b/k
    is "$(attempts record)" '403 AccessDenied 1
200 - 2'
    start
    canned_answer '' '403 Forbidden' '' "Date: $(http_date -60)"
    op 3 head s3://b/k
    has err '403 AccessDenied: the clock here is 60 minutes ahead'
    canned_answer '' '403 Forbidden' '' "Date: $(http_date -60)" 'Age: 3600'
    op 3 head --fix-clock s3://b/k
    has err '403 AccessDenied$'
    canned_answer '' '403 Forbidden' '' "Date: $(http_date -10)"
    op 3 head --fix-clock s3://b/k
    has err '403 AccessDenied$'
    is "$(requests)" 3
}

unknown_time_is_said() {
    start
    canned_answer '' '403 Forbidden' "$(error RequestTimeTooSkewed \
        '<ServerTime>soon</ServerTime>')" 'Date: never'
    op 1 get --fix-clock s3://b/k
    is "$(requests)" 1
    has err 'the clock here is more than 15 minutes off; set it'
}

readonly malformed='<Error><Code>AuthorizationHeaderMalformed</Code>'
test_expect '400 with a Region' region_is_repaired '400 Bad' \
    "$malformed<Region>eu-west-1</Region></Error>" '' get s3://b/k
test_expect '400 with the Region EU' region_is_repaired '400 Bad' \
    "$malformed<Region>EU</Region></Error>" '' put -s 10 s3://b/k
test_expect '301 with the header' region_is_repaired '301 Moved' '' \
    'x-amz-bucket-region: eu-west-1' get s3://b/k
test_expect 'HEAD of a bucket: 301' region_is_repaired '301 Moved' '' \
    'x-amz-bucket-region: eu-west-1' head s3://b
test_expect 'HEAD of a key: 400' region_is_repaired '400 Bad' '' \
    'x-amz-bucket-region: eu-west-1' head s3://b/k
test_expect '403 with a Region' region_is_repaired '403 Forbidden' \
    "$malformed<Region>eu-west-1</Region></Error>" '' rm s3://b/k
test_expect 'a region is remembered' region_is_remembered
test_expect 'a region is repaired once' region_is_repaired_once
test_expect 'AWS: the endpoint moves, too' aws_region_is_repaired
test_expect 'an endpoint elsewhere' region_is_not_repaired '301 Moved' \
    "$(error PermanentRedirect '<Endpoint>s3.elsewhere.example</Endpoint>')" \
    'x-amz-bucket-region: eu-west-1' \
    'names the endpoint s3\.elsewhere\.example and the region eu-west-1' \
    get s3://b/k
test_expect 'a region that is none' region_is_not_repaired '400 Bad' \
    "$malformed<Region>a, Signature=x</Region></Error>" '' \
    'signed for the region us-east-1; the server names no other' get s3://b/k
test_expect 'mb is told where it is wrong' region_is_not_repaired '400 Bad' \
    "$(error IllegalLocationConstraintException)" '' \
    'IllegalLocationConstraintException: no; .*--location' mb s3://b
test_expect 'other answers are no matter of regions' \
    other_answers_are_no_matter_of_regions

test_expect '307 is signed again for the new host' redirect_is_signed_again
test_expect 'one that leaves this machine' redirect_is_named \
    http://192.0.2.1/b/k get s3://b/k
test_expect '307 to another path' redirect_is_named URL/other get s3://b/k
test_expect '307 to https' redirect_is_named https://127.0.0.1/b/k get s3://b/k
test_expect '307 to the same place' redirect_is_named URL/b/k get s3://b/k
test_expect '307 to a user' redirect_is_named http://u@127.0.0.1/b/k \
    get s3://b/k
test_expect '307 of a POST' redirect_is_named 'http://127.0.0.1:1/b?delete=' \
    rm s3://b/k s3://b/l
test_expect '307 behind a 307' redirects_end

test_expect 'a clock behind' clock_is_named 37 \
    'the clock here is 37 minutes behind; set it, or .*--fix-clock'
test_expect 'a clock ahead' clock_is_named -1440 \
    'the clock here is 1440 minutes ahead'
test_expect 'a clock that is right' clock_is_named 0 \
    'yet the clock here is right'
test_expect 'a clock is fixed' clock_is_fixed
test_expect 'a clock is fixed once' clock_is_fixed_once
test_expect 'HEAD has the date' head_has_the_date
test_expect 'an unknown time' unknown_time_is_said
done_testing
