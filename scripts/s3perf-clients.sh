# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The six phases through another client program: a process for each object,
# under GNU parallel. What a client's file in clients/ must have, and what it
# may use: doc/clients.md. Sourced after s3perf-phases.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

client_name=s3op
client_release=   # its version
client_package='' # of Debian, as its file says
client_folder=    # private, for its settings
client_refuses=   # what it cannot do
client_stage=     # holds files/ and downloads/
call=()           # the command that a function of its file means
client_url='' client_host='' client_tls=no client_region='' client_style=''
client_key_id='' client_secret='' client_token='' client_ca=''

readonly client_functions=(client_version client_prepare client_create_bucket
    client_upload client_list client_download client_erase_object
    client_erase_bucket)

# --- for the files in clients/ ---

# Write standard input to a file that only we can read.
client_file() { # NAME
    (umask 077 && cat >"$client_folder/$1") ||
        die 4 "cannot write $client_folder/$1"
}

# A variable of the client's environment, and of nobody else's.
client_env() { # NAME VALUE
    (umask 077 && printf '%s=%s\n' "$1" "$2" >>"$client_folder/env") ||
        die 4 "cannot write $client_folder/env"
}

# What the user wants cannot be had with this client.
client_cannot() { # WHAT
    client_refuses=$1
}

# --- finding and checking ---

# Set $client_path to the file of client NAME, which may be a path itself.
client_find() { # NAME
    client_path=$1
    [[ $1 == */* ]] || client_path=$here/clients/$1.sh
    [[ -r $client_path && ! -d $client_path ]] ||
        usage_error "no client '$1'$(client_known)"
}

# Set $client_name, which for a path is that of its file.
client_call() { # NAME
    client_name=${1##*/}
    [[ $1 != */* ]] || client_name=${client_name%.sh}
}

client_known() {
    local path names=s3op

    for path in "$here"/clients/*.sh; do
        [[ ! -r $path ]] || names+=" $(basename -- "$path" .sh)"
    done
    printf ' (there are: %s; or a path to a file)' "$names"
}

# Take the functions of client NAME for ours.
client_load() { # NAME
    local name

    client_find "$1"
    unset -f "${client_functions[@]}"
    client_package=
    # shellcheck source=/dev/null
    . "$client_path"
    for name in "${client_functions[@]}"; do
        declare -F "$name" >/dev/null ||
            die 2 "$client_path: no function $name"
    done
}

# Set client_release, or say what is missing.
client_check() { # NAME
    local line='' text

    text=$(client_version 2>/dev/null </dev/null) || text=
    while IFS= read -r line; do
        [[ $line =~ [0-9]+\.[0-9]+[^[:space:]/]*|RELEASE[^[:space:]]+ ]] || continue
        client_release=${BASH_REMATCH[0]}
        return
    done <<<"$text"
    die 2 "client '$1' cannot be run${client_package:+ (Debian package $client_package)}"
}

# All clients of --client, before anything is touched.
clients_check() {
    local name

    for name in "${clients[@]}"; do
        [[ $name != s3op ]] || continue
        client_load "$name"
        client_check "$name"
    done
    [[ $others == no ]] || parallel_check
}

parallel_check() {
    local line=

    read -r line < <(parallel --version 2>/dev/null) || :
    [[ $line == 'GNU parallel '* ]] ||
        die 2 "--client needs GNU parallel, and there is no such 'parallel' here"
    find_program S3LAP s3lap
    unset PARALLEL_PID # of one that we may be under
}

# --- before the first phase ---

# The keys as s3op finds them, into variables of this shell alone.
client_keys() {
    local line

    rm -f -- "$client_folder/keys"
    "$S3LAP" keys --to "$client_folder/keys" \
        ${profile:+--profile "$profile"} 2>"$work/keys.err" || {
        local failed=$?
        cat -- "$work/keys.err" >&2
        exit "$failed"
    }
    client_key_id='' client_secret='' client_token=''
    while IFS= read -r line; do
        case $line in
            AWS_ACCESS_KEY_ID=*) client_key_id=${line#*=} ;;
            AWS_SECRET_ACCESS_KEY=*) client_secret=${line#*=} ;;
            AWS_SESSION_TOKEN=*) client_token=${line#*=} ;;
        esac
    done <"$client_folder/keys"
    rm -f -- "$client_folder/keys"
}

# Where the service is, from what s3op's first request went to.
client_place() {
    client_url=${endpoint%/} client_region=$region client_style=$addressing
    client_host=${client_url#*://}
    client_tls=no
    [[ $client_url != https://* ]] || client_tls=yes
    client_ca=${cacert:-${AWS_CA_BUNDLE:-}}
    [[ $client_tls == yes ]] || client_ca=
}

# Nothing of the caller's settings reaches the client but by us.
client_environment() {
    local name

    (umask 077 && : >"$client_folder/env") ||
        die 4 "cannot write $client_folder/env"
    for name in $(compgen -e); do
        case $name in
            AWS_* | S3_* | S3CMD_* | RCLONE_* | MC_*)
                printf '%s\n' "$name" >>"$client_folder/env"
                ;;
        esac
    done
}

# The files to upload, the same for all clients.
client_originals() {
    local need=$((files * size * 2)) free

    client_stage=${folder:-$work/stage}
    mkdir -p -- "$client_stage/files" "$client_stage/downloads" 2>/dev/null ||
        die 4 "cannot create $client_stage"
    [[ ! -e $client_stage/files/${prefix##*/}$files ]] || return 0
    free=$(df --output=avail -B1 -- "$client_stage" | tail -n 1)
    ((need <= free)) ||
        die 4 "$client_stage has room for $free bytes, and $need are needed (TMPDIR may name another folder)"
    progress 'making the files ...'
    rm -rf -- "$client_stage/files"
    mkdir -- "$client_stage/files"
    spawn "$work/files.out" "$work/files.err" "$S3LAP" files \
        --dir "$client_stage/files" --name "${prefix##*/}" --count "$files" \
        --size "$size" --seed "$seed"
    progress ''
    [[ -z $stop_signal ]] || return 1
    if ((child_status != 0)); then
        cat -- "$work/files.err" >&2
        exit 4
    fi
    md5_of_originals "$client_stage"
}

client_begin() { # NAME
    client_load "$1"
    client_check "$1"
    client_folder=$work/client
    rm -rf -- "$client_folder"
    (umask 077 && mkdir -- "$client_folder") ||
        die 4 "cannot create $client_folder"
    client_place
    client_keys
    client_environment
    client_refuses=
    client_prepare
    if [[ -n $client_refuses ]]; then
        ((${#clients[@]} > 1)) || die 2 "$1 cannot do $client_refuses"
        current='its settings' reason="it cannot do $client_refuses" status=1
        return 1
    fi
    current='making the files'
    client_originals
}

# --- a phase ---

# One line of laps for each of COUNT runs of the command in "call", {} being
# the number of the object.
run_each() { # PHASE COUNT S3LAP-ARG...
    local numbers=$work/numbers stop_with=INT

    { seq "$2" >"$numbers" && mkdir -p -- "$work/parallel"; } 2>/dev/null ||
        die 4 "cannot write in $work"
    # When it is stopped it tells each process of its family. URG does nothing
    # to a client, but s3lap knows it, and gives its client a moment. One that
    # has only just been started may miss the first.
    PARALLEL_HOME=$work/parallel PARALLEL_SHELL=/bin/sh \
        spawn "$work/$1.out" "$work/$1.err" parallel --plain --will-cite \
        --tmpdir "$work/parallel" --termseq URG,200,URG,500,URG,3000,KILL,25 \
        -u -q -j "$lanes" -a "$numbers" exec "${@:3}"
}

# One timed phase. Sets state[PHASE] and $answer, as phase() does.
client_phase() { # PHASE OP SIZE each|once [S3LAP-OPTION...]
    local laps=$work/$1.laps count=1 at_once=1 key='' run began

    current=$1
    [[ -z $stop_signal ]] || return 1
    run=("$S3LAP" run --to "$laps" --env "$client_folder/env"
        ${timeout:+--timeout "$timeout"} "${@:5}" -- "${call[@]}")
    rm -f -- "$laps"
    TZ=UTC printf -v began '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    progress "$client_name: ${1/-/ } ..."
    if [[ $4 == each ]]; then
        count=$files at_once=$lanes key=$prefix
        run_each "$1" "$files" "${run[@]}"
    else
        spawn "$work/$1.out" "$work/$1.err" "${run[@]}"
    fi
    progress ''
    # What it did counts, also when it was stopped.
    cleaning=yes spawn "$work/$1.json" "$work/$1.tally" "$S3LAP" tally \
        --laps "$laps" --cell "$cells" --phase "$1" --op "$2" --size "$3" \
        --count "$count" --concurrency "$at_once" --seed "$seed" \
        --program "$client_name" --version "$client_release" \
        --command "$command" --endpoint "$endpoint" --region "$region" \
        --addressing "$addressing" --bucket "$bucket" --key "$key" \
        --started "$began"
    slurp answer "$work/$1.json"
    # What GNU parallel said matters only when it could not start all.
    mv -- "$work/$1.err" "$work/$1.said"
    mv -- "$work/$1.tally" "$work/$1.err"
    conclude_phase "$1" && all_have_run "$1" "$count"
}

# GNU parallel may have been unable to start some.
all_have_run() { # PHASE COUNT
    local ops=0

    json_value ops ops "$answer" || :
    ((ops < $2)) || return 0
    if [[ -n $stop_signal ]]; then
        state[$1]=interrupted
        return 1
    fi
    tail -n 3 -- "$work/$1.said" >&2
    fail "$ops of $2 processes could be run"
}

# --- the phases as s3perf-phases.sh wants them ---

client_do_create_bucket() {
    client_create_bucket "$bucket"
    client_phase create-bucket mb 0 once
}

# The client's word is no HTTP status: look.
client_do_was_refused() {
    [[ -z $stop_signal && ${state["create-bucket"]:-} == failed ]] || return
    ask head -c 1 "s3://$bucket" || [[ $http_status != 404 ]] || return 0
    # The unique name is in nobody's mind but ours.
    [[ -n $bucket_asked ]]
}

client_do_upload() {
    local name=${prefix##*/}

    client_upload "$client_stage/files/$name{}" "$bucket" "$prefix{}"
    client_phase upload put "$size" each
}

# How many of our keys stand in what was printed, each once.
client_do_list() {
    client_list "$bucket" "$prefix"
    client_phase list ls 0 once --out "$work/listing.txt" || return
    listed=$(awk -v name="${prefix##*/}" -v last="$files" '
        {
            if (!match($0, "(^|[ \t/])" name "[1-9][0-9]*([ \t\r]|$)"))
                next
            number = substr($0, RSTART, RLENGTH)
            sub(".*" name, "", number)
            if (number + 0 <= last + 0 && !(number + 0 in seen)) {
                seen[number + 0] = 1
                n++
            }
        }
        END { print n + 0 }' "$work/listing.txt")
}

client_do_download() {
    local name=${prefix##*/} good=yes

    client_download "$bucket" "$prefix{}" "$client_stage/downloads/$name{}"
    client_phase download get "$size" each \
        --result "$client_stage/downloads/$name{}" --size "$size" || good=no
    [[ -z $stop_signal ]] || return 1
    spawn "$work/md5" "$work/md5.err" env -C "$client_stage/downloads" \
        md5sum -c MD5SUM
    verify=after
    verified=$(grep -c ': OK$' "$work/md5" || :)
    mismatched=$(grep -c ': FAILED$' "$work/md5" || :)
    [[ $good == yes ]]
}

client_do_erase_objects() {
    client_erase_object "$bucket" "$prefix{}"
    client_phase erase-objects rm 0 each
}

client_do_erase_bucket() {
    if ! client_erase_bucket "$bucket"; then
        note "$client_name cannot erase a bucket: s3op does, unmeasured"
        state["erase-bucket"]=skipped
        ask rb -c 1 "s3://$bucket" || return
        return 0
    fi
    client_phase erase-bucket rb 0 once
}
