#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Several endpoints: who gets what, with which keys, at which address; and
# what the summary says of each.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3op-suite.sh
. "$srcdir/t/s3op-suite.sh" # for column, member, load and check

# Start an s3mem that logs: its URL becomes urls[N], its log log.N.
start_node() { # N [ARG]...
    local n=$1

    shift
    rm -f "log.$n"
    start_s3mem --access-log "log.$n" "$@"
    urls[n]=$AWS_ENDPOINT_URL
    unset AWS_ENDPOINT_URL
    "$S3OP" mb --endpoint "${urls[n]}" s3://bucket >out
}

start_nodes() { # COUNT
    local n

    urls=()
    for ((n = 0; n < $1; n++)); do
        start_node "$n"
    done
    several=("${urls[@]/#/--endpoint=}")
}

# The COLUMN of METHOD's requests that node N saw.
seen() { # N METHOD COLUMN
    awk -F'\t' -v method="$2" -v want="$3" '
        FNR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
        FNR > 2 && $at["method"] == method { print $at[want] }' "log.$1"
}

counts() { # METHOD: how many requests each node saw
    local n result=

    for n in "${!urls[@]}"; do
        result+="$(seen "$n" "$1" target | wc -l) "
    done
    printf '%s\n' "${result% }"
}

# Logs are written after the answer was sent.
counts_become() { # METHOD COUNTS
    wait_for 5 counts_are "$@" || is "$(counts "$1")" "$2" "requests ($1)"
}

counts_are() {
    [[ $(counts "$1") == "$2" ]]
}

one_after_another() {
    start_nodes 4
    load put -n 100 -c 8 -s 1000 --log log "${several[@]}" s3://bucket/k
    check sum '.ops == 100 and .errors == 0'
    counts_become PUT '26 26 26 26' # with the bucket
    is "$(column log endpoint | sort | uniq -c | awk '{ print $1 }' | sort -u)" \
        25 'records of each'
    is "$(column log endpoint | sort -u)" "$(printf '%s\n' "${urls[@]}" | sort)"
    check sum '[.slices[] | select(.by == "endpoint").ops] == [25, 25, 25, 25]'
    check sum '[.slices[].good_bytes] | add == 100000'
    check sum '[.slices[].service_us.count] | add == 100'
    check sum ".slices[2].name == \"${urls[2]}\""
    check sum '.endpoints.select == "roundrobin" and .endpoints.jain == 1'
    check sum '.endpoints.rate_spread == 1 and .endpoints.median_spread > 0'
    # Each log names what it was sent to.
    is "http://$(seen 1 PUT host | sort -u)" "${urls[1]}" 'Host'
}

a_lane_stays() {
    start_nodes 3
    load put -n 60 -c 6 -s 10 --endpoint-select per-lane --log log \
        "${several[@]}" s3://bucket/k
    paste <(column log lane) <(column log endpoint) | sort -u >pairs
    is "$(wc -l <pairs)" 6 'pairs of lane and endpoint'
    is "$(cut -f 2 pairs | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
    is "$(column log reused | sort | uniq -c | awk '{ print $2 $1 }')" \
        $'06\n154' 'connections opened, reused'
    check sum '.endpoints.select == "per-lane"'
}

# The one that is slow gets no more than it can do.
the_least_busy_is_chosen() {
    start_nodes 2
    start_node 2 --delay-first 300ms
    several+=("--endpoint=${urls[2]}")
    load put -d 1500ms -c 6 -s 10 --endpoint-select least-busy "${several[@]}" \
        s3://bucket/k
    # Two of six in flight at each: the slow one does 2 in 300 ms.
    check sum '.slices | .[2].ops <= 12 and .[0].ops > 10 * .[2].ops'
    check sum '.endpoints | .jain < 0.9 and .rate_spread < 0.1'
    check sum '.endpoints.median_spread < 0.5'
}

# Records, slices and total tell of the same operations.
workers_add_up() {
    start_nodes 3
    load put -n 120 -c 6 -s 500 --workers 3 --log log "${several[@]}" \
        s3://bucket/k
    check sum '.ops == 120 and ([.slices[].ops] | add) == 120'
    check sum '[.slices[] | .ops] == [40, 40, 40]'
    counts_become PUT '41 41 41'
    check sum '[.slices[].service_us.max] | max == '"$(column log total_us |
        sort -n | tail -n 1)"
    load head -d 400ms -c 6 --workers 2 --endpoint-select least-busy \
        "${several[@]}" s3://bucket
    check sum '([.slices[].ops] | add) == .ops and .errors == 0'
}

a_dead_one_shows() {
    local pid

    start_nodes 2
    start_node 2
    pid=$s3mem_pid
    several+=("--endpoint=${urls[2]}")
    stop_s3mem "$pid"
    expect_exit 1 "$S3OP" put -n 30 -c 3 -s 10 --json "${several[@]}" \
        s3://bucket/k >sum 2>err
    check sum '[.slices[] | .ops] == [10, 10, 0]'
    check sum '[.slices[] | .errors] == [0, 0, 10]'
    check sum '.slices[2].failures[0].transport == "connect"'
    check sum '.endpoints.rate_spread == 0'
    check sum '.endpoints.jain > 0.66 and .endpoints.jain < 0.67'
    # A retry stays with its endpoint: it does not hide there.
    expect_exit 1 "$S3OP" put -n 3 -s 10 --retries 1 --json "${several[@]}" \
        s3://bucket/k >sum 2>err
    check sum '[.slices[] | .errors] == [0, 0, 1] and .retried == 1'
}

# Each with keys, and a region, of its own.
profiles_have_their_keys() {
    local n

    urls=()
    for n in 0 1 2; do
        export AWS_ACCESS_KEY_ID=key$n AWS_SECRET_ACCESS_KEY=secret$n
        unset AWS_REGION
        start_node "$n" --region "region-$n"
    done
    cat >config <<END
[profile one]
aws_access_key_id = key0
aws_secret_access_key = secret0
region = region-0
[profile two]
aws_access_key_id = key1
aws_secret_access_key = secret1
region = region-1
END
    export AWS_CONFIG_FILE=$PWD/config
    # The third has those of the environment, of the last s3mem.
    load put -n 30 -c 5 -s 10 --endpoint "profile=one,${urls[0]}" \
        --endpoint "profile=two,${urls[1]}" --endpoint "${urls[2]}" \
        s3://bucket/k
    check sum '[.slices[] | .ops] == [10, 10, 10] and .errors == 0'
    # Without keys of the run, when all have a profile.
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION
    load put -n 10 -s 10 --workers 2 -c 2 --endpoint "profile=two,${urls[1]}" \
        --endpoint "profile=one,${urls[0]}" s3://bucket/k
    check sum '[.slices[] | .ops] == [5, 5] and .errors == 0'
    expect_exit 3 "$S3OP" head --endpoint "profile=one,${urls[0]}" \
        --endpoint "${urls[2]}" s3://bucket >record 2>err
    has err '^s3op: no credentials for the endpoints without a profile'
    expect_exit 3 "$S3OP" head --endpoint "profile=none,${urls[0]}" \
        s3://bucket >record 2>err
    has err "^s3op: .*none"
}

ranges_and_files() {
    local port

    start_nodes 3
    printf '# nodes\n%s\n' "${urls[@]}" >nodes
    load put -n 9 -s 10 --endpoint file:nodes s3://bucket/k
    check sum '[.slices[] | .ops] == [3, 3, 3]'
    # All of 127.0.0.0/8 is this machine: one server, three addresses.
    rm -f log.3
    start_s3mem --listen 0.0.0.0 --access-log log.3
    port=${AWS_ENDPOINT_URL##*:}
    "$S3OP" mb --endpoint "http://127.0.0.1:$port" s3://bucket >record
    load put -n 9 -s 10 --endpoint "http://127.0.0.{1...3}:$port" s3://bucket/k
    check sum '[.slices[] | .ops] == [3, 3, 3]'
    check sum ".endpoint == \"http://127.0.0.1:$port,http://127.0.0.2:$port,http://127.0.0.3:$port\""
    unset 'urls[2]' 'urls[1]' 'urls[0]'
    urls[3]=http://127.0.0.1:$port
    counts_become PUT 10
    is "$(seen 3 PUT host | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" \
        '4 3 3 ' 'hosts'
}

# One name, three addresses: the name is what is signed and sent.
all_addresses_of_a_name() {
    local port args

    rm -f log.0
    start_s3mem --listen 0.0.0.0 --domain store.invalid --access-log log.0
    port=${AWS_ENDPOINT_URL##*:}
    urls=("http://store.invalid:$port")
    unset AWS_ENDPOINT_URL
    args=(--resolve-all --endpoint "${urls[0]}")
    for n in 3 1 2; do
        args+=(--resolve "store.invalid:$port:127.0.0.$n")
    done
    s3op mb "${args[@]}" s3://bucket
    is "$(column record endpoint)" "${urls[0]}#127.0.0.1"
    load put -n 30 -c 6 -s 10 --log log "${args[@]}" s3://bucket/k
    check sum '[.slices[] | .ops] == [10, 10, 10]'
    check sum "[.slices[].name] == [\"${urls[0]}#127.0.0.1\",
        \"${urls[0]}#127.0.0.2\", \"${urls[0]}#127.0.0.3\"]"
    check sum ".endpoint == \"${urls[0]}\""
    counts_become PUT 31
    is "$(seen 0 PUT host | sort -u)" "store.invalid:$port"
    # The bucket in front of the name goes there, too.
    args=("${args[@]//--resolve=/}" --addressing virtual)
    for n in 1 2; do
        args+=(--resolve "bucket.store.invalid:$port:127.0.0.$n")
    done
    load get -n 6 -s 10 "${args[@]}" s3://bucket/k
    check sum '[.slices[] | .ops] == [3, 3]'
    load get -n 6 -s 10 -c 2 --workers 2 "${args[@]}" s3://bucket/k
    check sum '[.slices[] | .ops] == [3, 3]'
    is "$(find "$TMPDIR" -name 's3op-workers.*')" '' 'folders left'
    # What goes nowhere says so.
    expect_exit 3 "$S3OP" head --resolve-all --endpoint http://no.invalid \
        s3://bucket >record 2>err
    has err "^s3op: cannot resolve 'no.invalid': "
}

# The certificate is the name's, whatever the address.
addresses_over_tls() {
    local port

    start_s3mem --tls --listen 0.0.0.0
    port=${AWS_ENDPOINT_URL##*:}
    unset AWS_ENDPOINT_URL
    set -- --resolve-all --endpoint "https://localhost:$port" \
        --resolve "localhost:$port:127.0.0.1" \
        --resolve "localhost:$port:127.0.0.2"
    s3op mb "$@" s3://bucket
    load put -n 10 -c 2 -s 10 "$@" s3://bucket/k
    check sum '[.slices[] | .ops] == [5, 5] and .errors == 0'
    load put -n 10 -c 2 -s 10 --connection new "$@" s3://bucket/k
    check sum '[.slices[] | .ops] == [5, 5] and .errors == 0'
    expect_exit 3 "$S3OP" --columns head --resolve-all \
        --endpoint "https://other.invalid:$port" \
        --resolve "other.invalid:$port:127.0.0.1" s3://bucket >record 2>err
    is "$(column record transport)" certificate
}

people_see_it() {
    start_nodes 3
    "$S3OP" put -n 30 -c 3 -s 10 "${several[@]}" s3://bucket/k >sum
    has sum '^endpoint +ops +errors' "^${urls[0]}\$" '^ +10 +0 ' \
        "^roundrobin: slowest/fastest 1.000 by rate, 0\.[0-9]+ by median; Jain's index 1.000\$"
    awk 'length > 80 { exit 1 }' sum
    # One endpoint is nothing to tell apart.
    load put -n 3 -s 10 "${several[0]}" s3://bucket/k
    check sum '(has("slices") or has("endpoints")) | not'
}

refused() { # MESSAGE ARG...
    expect_exit 2 "$S3OP" "${@:2}" >out 2>err
    is "$(<err)" "s3op: $1"
}

refusals() {
    export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b
    refused 'the endpoint aws goes with no other' \
        head --endpoint aws --endpoint http://h s3://bbb
    refused "bad endpoint-select 'any': it is roundrobin, least-busy or per-lane" \
        head --endpoint-select any --endpoint http://h s3://bbb
    refused 'probe takes one endpoint, not 2' probe --endpoint 'http://h{1...2}'
    refused "endpoints are all https, or all http: 'http://h', 'https://i'" \
        head --endpoint http://h --endpoint https://i s3://bbb
    refused "the endpoint 'http://h' is there twice" \
        head --endpoint http://h --endpoint http://h:80 s3://bbb
    refused "cannot read 'nowhere': No such file or directory" \
        head --endpoint file:nowhere s3://bbb
    printf 'http://h\n\nhttp://h/x\n' >bad
    refused "line 3 of 'bad': bad endpoint 'http://h/x': it has a path" \
        head --endpoint file:bad s3://bbb
    touch s3cfg
    refused "an endpoint's profile does not go with --s3cfg" \
        head --s3cfg s3cfg --endpoint profile=p,http://h s3://bbb
}

test_expect 'endpoints take turns' one_after_another
test_expect 'a lane stays with its endpoint' a_lane_stays
test_expect 'the least busy endpoint is chosen' the_least_busy_is_chosen
test_expect 'worker processes add up' workers_add_up
test_expect 'a dead endpoint shows' a_dead_one_shows
test_expect 'profiles have their keys' profiles_have_their_keys
test_expect 'ranges and files' ranges_and_files
test_expect 'all addresses of a name' all_addresses_of_a_name
test_expect 'addresses over TLS' addresses_over_tls
test_expect 'people see it' people_see_it
test_expect 'bad endpoints are refused' refusals
done_testing
