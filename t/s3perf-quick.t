#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# s3perf quick: options, the six phases, their outputs.
. "${srcdir:-.}/t/test-lib.sh"

# An s3op that writes down how it was called, then does its work.
log_s3op() {
    cat >s3op-logged <<END
#!/usr/bin/env bash
printf '%s\n' "\$*" >>'$PWD/calls'
env >'$PWD/s3op-env'
exec '$S3OP' "\$@"
END
    chmod +x s3op-logged
    : >calls
    export S3OP=$PWD/s3op-logged
}

refuses() { # MESSAGE ARG...
    expect_exit 2 "$S3PERF" "${@:2}" >out 2>err || return
    is "$(<err)" "s3perf: $1 (try 's3perf --help')" 'message' || return
    [[ ! -s out ]]
}

bad_values_are_named() {
    local value

    for value in 0 -3 x 1.5 2x '' 9999999999999999999999; do
        refuses "bad number of files '$value'" -n "$value"
        refuses "bad number of files '$value'" --files="$value"
    done
    for value in 4x -1 1.5 1Ki5 0.3Ki Ki b '' 99999999T 1e3 '1 M'; do
        refuses "bad size '$value'" -s "$value"
        refuses "bad size '$value'" --size "$value"
    done
    refuses "bad number of jobs '1025' (1 to 1024)" -p -j 1025
    refuses "bad bucket name 'a/b'" -b a/b
    refuses "bad value 'mc' of --compat (one of: s3perf ossperf)" --compat mc
    refuses "bad value 'all' of --erase (one of: single batch)" --erase=all
    refuses "999999999 files of 2199023255552 bytes are too much" \
        -n 999999999 -s 2Ti
}

wrong_options_are_named() {
    refuses "no option '--frob'" --frob
    refuses "no option '-x'" -x
    refuses "option '-n' needs a value" -n
    refuses "option '--size' needs a value" --size
    refuses "option '--parallel' takes no value" --parallel=3
    refuses "'--pa' may be --parallel --pause --payload-hash" --pa
    refuses "no sub-command 'frob'" frob
    refuses 'a single put takes at most 5 GiB' -n 1 -s 6Gi
    refuses "unexpected argument 'frob'" -n 2 frob
    refuses "unexpected argument 'frob'" quick -- frob
    refuses "--jobs needs --parallel (-p)" -j 4
    refuses "--compat or --json, not both" --json --compat s3perf
}

other_clients_are_refused() {
    local letter

    for letter in a z g m w r; do
        expect_exit 2 "$S3PERF" -n 1 -s 1 "-$letter" >out 2>err
        has err "^s3perf: -$letter is not supported: .* use .*-d "
        [[ ! -s out ]]
    done
}

help_and_version() {
    local name

    "$S3PERF" --help >out 2>err
    for name in -n,.--files -s,.--size -p,.--parallel -j,.--jobs \
        -b,.--bucket -u,.--uppercase -l,.--location -d,.--endpoint \
        -k,.--keep -o,.--results -h,.--help -v,.--verbose -q,.--quiet \
        -V,.--version; do
        has out "^  $name( |\$)"
    done
    hasnt out '^.{81}'
    "$S3PERF" -h >out2 && cmp out out2
    [[ ! -s err ]]
    "$S3PERF" -V >out
    is "$(<out)" "s3perf $("$S3OP" --version | sed -n '1s/.* //p')"
}

row='[0-9.]+ (ns|us|ms|s)'
the_table() { # FILE: all phases with their numbers, 80 columns at most
    local number=' +[0-9.<]+[kM]?' mark=" +(~?$row|-)"

    has "$1" "^create bucket +$row\$" "^list +$row\$" "^erase bucket +$row\$" \
        "^total +$row\$"
    has "$1" "^upload +$row$number$number +$row$mark$mark$mark +$row\$" \
        "^download +$row$number$number +$row$mark$mark$mark +$row\$" \
        "^erase objects +$row$number +$row$mark$mark$mark +$row\$"
    hasnt "$1" '^.{81}' '[[:space:]]$' $'\e'
}

first_command() {
    "$S3PERF" -n 5 -s 1048576 -p >out 2>err
    the_table out
    is "$(head -n 1 out)" '5 objects of 1 MiB, 5 at once'
    has out '^5 of 5 downloads verified \(length and content\)$' \
        '^http://127.0.0.1:[0-9]+, the built-in endpoint$' \
        '^region us-east-1, path addressing, payload signed$' \
        '^bucket s3perf-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}, created and removed$'
    # Five samples support a median, but not p90.
    has out "^upload .* ~$row +- +- +$row\$"
    is "$(wc -l <err)" 1
    has err "the client's own ceiling.*-d URL or AWS_ENDPOINT_URL"
}

the_account_is_hidden() {
    mkdir -p "$HOME/.aws"
    printf '[default]\naws_access_key_id = MINE\naws_secret_access_key = x\n' \
        >"$HOME/.aws/credentials"
    export AWS_PROFILE=nobody AWS_SESSION_TOKEN=token AWS_CA_BUNDLE=/nowhere
    export AWS_ACCESS_KEY_ID=MINE AWS_SECRET_ACCESS_KEY=secret
    log_s3op
    "$S3PERF" -n 1 -s 1 -q >out
    has out 'the built-in endpoint'
    hasnt s3op-env '^AWS_(PROFILE|SESSION_TOKEN|CA_BUNDLE)=' MINE
}

one_call_a_phase() {
    local phase

    log_s3op
    "$S3PERF" -n 7 -s 10 -p -j 3 -q >out
    is "$(head -n 1 out)" '7 objects of 10 B, 3 at once'
    is "$(grep -c -- --phase calls)" 6
    for phase in upload:put download:get erase-objects:rm; do
        has calls "^${phase#*:} .*--phase ${phase%:*} .*-n 7 .*-c 3"
    done
    : >calls
    "$S3PERF" -n 3 -s 10 -q >out
    is "$(head -n 1 out)" '3 objects of 10 B, one after another'
    has calls '^put .*-n 3 -c 1 -s 10 '
}

sizes_are_exact() {
    local pair

    for pair in 0:0 1:1 5000:5000 1.5Ki:1536 0.5k:500 2KiB:2048 \
        1M:1000000 0.0009765625Ki:1; do
        "$S3PERF" --files=2 --size "${pair%:*}" --json -q >out
        is "$(jq '.size, (.phases[1].s3op.good_bytes / 2)' out)" \
            "${pair#*:}"$'\n'"${pair#*:}" "$pair"
    done
}

json_is_whole() {
    "$S3PERF" -n 20 -s 100 -p --json -q >out 2>err
    [[ ! -s err ]]
    jq -e '.format == "s3perf-quick 1" and .outcome == "complete" and
        .files == 20 and .concurrency == 20 and .listed == 20 and .builtin and
        .downloads == {asked: 20, verified: 20, mismatched: 0} and
        .left == null and ([.phases[].state] | unique) == ["ok"] and
        (.total_s - ([.phases[].wall_s] | add) | fabs) < 1e-6' out
    is "$(jq -r '[.phases[].name] | join(" ")' out)" \
        'create-bucket upload list download erase-objects erase-bucket'
    jq -e '.phases[1] | .wall_s > 0 and .s3op.ops == 20 and
        (.wall_s - .s3op.window_s | fabs) < 1e-6 and
        .s3op.service_us.p50 > 0' out
}

kept_files_pass_md5sum() {
    "$S3PERF" -n 12 -s 777 -p -k >out 2>err
    has err '^s3perf: kept: s3perf-testfiles-'
    cd s3perf-testfiles-* || return
    is "$(find files -type f -size 777c | wc -l)" 12
    md5sum -c --strict MD5SUM >../sums
    cd downloads || return
    md5sum -c --strict MD5SUM >>../../sums
    is "$(grep -c ': OK$' ../../sums)" 24
    is "$(wc -l <MD5SUM)" 12
    cmp s3perf-testfile7 ../files/s3perf-testfile7
    expect_exit 1 cmp -s s3perf-testfile7 s3perf-testfile8
    # The originals' sums are what downloads are held against.
    echo x >s3perf-testfile3
    expect_exit 1 md5sum -c --status MD5SUM
}

csv='DATE TIME NUM_FILES SIZE_FILES TIME_CREATE_BUCKET TIME_OBJECTS_UPLOAD'
csv+=' TIME_OBJECTS_LIST TIME_OBJECTS_DOWNLOAD TIME_ERASE_OBJECTS'
csv+=' TIME_ERASE_BUCKET TIME_SUM BANDWIDTH_OBJECTS_UPLOAD'
csv+=' BANDWIDTH_OBJECTS_DOWNLOAD'
results_are_appended() {
    local number='(0|[0-9]+\.[0-9]{3})' line

    "$S3PERF" -n 3 -s 4096 -o -q >out
    "$S3PERF" -n 2 -s 1 -p --results -q >out
    is "$(head -n 1 results.csv)" "$csv"
    is "$(wc -l <results.csv)" 3
    line="^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
    has results.csv "$line 3 4096( $number){7}( ($number|-)){2}\$" \
        "$line 2 1( $number){7}( ($number|-)){2}\$"
}

a_foreign_results_file_is_refused() {
    log_s3op
    printf 'a,b,c\n' >results.csv
    expect_exit 4 "$S3PERF" -n 1 -s 1 -o >out 2>err
    has err 'results.csv has another header'
    is "$(<results.csv)" a,b,c
    [[ ! -s calls && ! -s out ]]
    rm results.csv
    mkdir results.csv
    expect_exit 4 "$S3PERF" -n 1 -s 1 -o >out 2>err
    [[ ! -s calls ]]
    rmdir results.csv
}

batch_and_pause() {
    local start=$EPOCHREALTIME

    log_s3op
    "$S3PERF" -n 3 -s 1 --erase batch --pause -q >out
    ((${EPOCHREALTIME/./} - ${start/./} >= 2000000))
    has calls '^rm .*--batch'
    the_table out
    has out '^erase objects: ops/s are objects, the times those of requests$'
    # Three objects by one request: objects / wall.
    awk '/^erase objects .*(us|ms)/ { us = $3; rate = $5
            if ($4 == "ms") us *= 1000
            if (rate ~ /k$/) rate *= 1000
            ratio = rate * us / 3e6
            exit !(ratio > 0.98 && ratio < 1.02) }' out
}

# An s3op whose cells bear the marks of another day.
marks_are_shown() {
    cat >s3op-marked <<END
#!/usr/bin/env bash
'$S3OP' "\$@" || exit
all="\$*"
[[ \$all == *' --cell '* ]] || exit 0
name=\${all#*--phase } cells=\${all#*--cell }
name=\${name%% *} cells=\${cells%% *}
awk -F '\t' -v OFS='\t' -v name="\$name" '
    /^#/ { print; next }
    !at { for (i = 1; i <= NF; i++) if (\$i == "mark") at = i }
    \$2 == name { \$at = "client-bound" }
    \$2 == name && name == "upload" { \$at = "few,not-steady,client-bound" }
    { print }' "\$cells" >"\$cells.new" && mv "\$cells.new" "\$cells"
END
    chmod +x s3op-marked
    S3OP=$PWD/s3op-marked "$S3PERF" -n 2 -s 1 -q >out 2>err
    has out '^not-steady: upload$' \
        '^client-bound: as always with the built-in endpoint$'
    hasnt out '^few' '^.{81}'
    start_s3mem
    S3OP=$PWD/s3op-marked "$S3PERF" -n 2 -s 1 -q >out 2>err
    has out '^not-steady: upload$' '^client-bound: all phases$'
    stop_s3mem
}

endpoint_is_found_as_by_s3op() {
    mkdir -p "$HOME/.aws"
    # Nothing listens there: status 3 shows that it was meant.
    printf '[profile x]\nendpoint_url = http://127.0.0.1:1\n' \
        >"$HOME/.aws/config"
    "$S3PERF" -n 1 -s 1 -q >out
    has out 'the built-in endpoint'
    AWS_PROFILE=x expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    expect_exit 3 "$S3PERF" -n 1 -s 1 --profile x >out 2>err
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true AWS_PROFILE=x \
        "$S3PERF" -n 1 -s 1 -q >out
    printf '; note\n[default]\nregion = r\nservices = s\n[services s]\ns3 =\n  endpoint_url = http://127.0.0.1:1\n' \
        >"$HOME/.aws/config"
    expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    rm "$HOME/.aws/config"
    AWS_ENDPOINT_URL=http://127.0.0.1:1 \
        expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    AWS_ENDPOINT_URL_S3=http://127.0.0.1:1 \
        expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    expect_exit 3 "$S3PERF" -d http://127.0.0.1:1 >out 2>err
    hasnt err built-in 'cannot find out'
    expect_exit 3 "$S3PERF" -d http://127.0.0.1:1 -k >out 2>err
    hasnt err 'kept:'
    [[ ! -s out && ! -e $HOME/.local/state/s3perf ]]
}

a_service_by_option() {
    local url

    start_s3mem
    url=$AWS_ENDPOINT_URL
    unset AWS_ENDPOINT_URL
    "$S3PERF" -n 3 -s 10 -d "$url" >out 2>err
    [[ ! -s err ]]
    has out "^$url\$"
    "$S3OP" ls -o listed --endpoint "$url" s3:// >out
    [[ ! -s listed ]]
    stop_s3mem
}

over_tls() {
    start_s3mem --tls
    "$S3PERF" -n 3 -s 10 -p >out 2>err
    has out '^https://127.0.0.1:[0-9]+$' 'payload unsigned'
    unset AWS_CA_BUNDLE
    expect_exit 3 "$S3PERF" -n 1 -s 1 >out 2>err
    "$S3PERF" -n 1 -s 1 --insecure --payload-hash signed >out 2>err
    has out 'payload signed, TLS NOT VERIFIED$'
    stop_s3mem
}

an_unwritable_output() {
    expect_exit 4 "$S3PERF" -n 1 -s 1 >/dev/full 2>err
    has err 'cannot write the results'
    mkdir mine
    TMPDIR=$PWD/mine expect_exit 1 "$S3PERF" -n 1 -s 1 -u -l x -k >out 2>err
    hasnt err 'kept:'
    is "$(ls mine)" '' 'temporary folders'
}

colours_only_on_a_terminal() {
    export TERM=xterm
    script -qec "'$S3PERF' -n 1 -s 1 -q" tty.out >/dev/null
    has tty.out $'\e\[1mphase'
    NO_COLOR=1 script -qec "'$S3PERF' -n 1 -s 1 -q" tty.out >/dev/null
    hasnt tty.out $'\e\[1m'
    has tty.out '^phase'
}

test_expect 'bad values are named, status 2' bad_values_are_named
test_expect 'wrong options are named, status 2' wrong_options_are_named
test_expect "ossperf's other clients are refused" other_clients_are_refused
test_expect 'help and version' help_and_version
test_expect 'the first command of the README' first_command
test_expect "the caller's account stays hidden" the_account_is_hidden
test_expect 'each phase is one call of s3op' one_call_a_phase
test_expect 'sizes are exact, from 0 up' sizes_are_exact
test_expect '--json is one whole object' json_is_whole
test_expect '-k keeps what md5sum -c accepts' kept_files_pass_md5sum
test_expect '-o appends to results.csv' results_are_appended
test_expect '-o refuses a foreign file first' a_foreign_results_file_is_refused
test_expect '--erase batch, --pause' batch_and_pause
test_expect 'the endpoint is found' endpoint_is_found_as_by_s3op
test_expect '-d names the service' a_service_by_option
test_expect 'over TLS' over_tls
test_expect "s3op's marks are shown" marks_are_shown
test_expect 'an output that cannot be written: 4' an_unwritable_output
test_expect 'colours only on a terminal' colours_only_on_a_terminal
done_testing
