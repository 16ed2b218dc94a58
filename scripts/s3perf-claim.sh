# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What a run may create is written down before it is created (created.tsv),
# and the clean-up deletes what stands there and nothing else.
# Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

readonly claim_format='s3perf-created 1'
claim=                      # path of created.tsv while there is one
claim_fd=                   # open and locked as long as we live
declare -A claim_head=()    # what the "# name: value" lines say
declare -A claim_buckets=() # bucket -> created, existing or removed
claim_ranges=()             # bucket TAB prefix TAB first TAB last
claim_tops=()               # bucket TAB prefix, which ranges begin with
claim_uploads=()            # bucket TAB key TAB id, percent-encoded
common=()                   # options of every s3op call

claim_folder() { # print the folder that holds the runs
    if [[ -n ${XDG_STATE_HOME:-} ]]; then
        printf '%s\n' "$XDG_STATE_HOME/s3perf"
    else
        [[ -n ${HOME:-} ]] || die 4 "neither XDG_STATE_HOME nor HOME is set"
        printf '%s\n' "$HOME/.local/state/s3perf"
    fi
}

# Open a new created.tsv in FOLDER/RUN and lock it.
claim_open() { # FOLDER RUN
    (umask 077 && mkdir -p -- "$1" && mkdir -- "$1/$2") 2>/dev/null ||
        die 4 "cannot create $1/$2/created.tsv"
    claim_create "$1/$2/created.tsv"
}

# The same as PATH, whose folder is there.
claim_create() { # PATH
    { exec {claim_fd}>>"$1"; } 2>/dev/null || die 4 "cannot create $1"
    claim=$1
    flock -n "$claim_fd" || die 2 "$claim is in use"
}

# Add lines; they are on disk before the requests that they announce.
claim_add() { # LINE...
    local folder=${claim%/*}

    if ! { printf '%s\n' "$@" >&"$claim_fd" &&
        sync -- "$claim" "$folder" "${folder%/*}"; } 2>/dev/null; then
        die 4 "cannot write $claim"
    fi
}

# Begin the claim of this run: a bucket and a range of keys, numbered from 1,
# and head lines of the caller's. What is in the built-in endpoint ends with
# it, and so may the claim.
claim_begin() { # BUCKET created|existing PREFIX LAST HEAD-LINE...
    local folder=$work/state

    [[ -n $builtin_url ]] || folder=$(claim_folder) || exit
    claim_open "$folder" "$run"
    claim_add "# $claim_format" "# program: s3perf $version" \
        "# command: $command" "# run: $run" "# started: $started" "${@:5}" \
        "bucket"$'\t'"$1"$'\t'"$2" "prefix"$'\t'"$3" \
        "range"$'\t'"$3"$'\t'1$'\t'"$4"
    claim_head=([run]=$run)
    claim_buckets=(["$1"]=$2)
    claim_ranges=() claim_uploads=()
}

# Set ARRAY to head lines for those of the variables NAME... that are set.
# Files are named so that they are found from anywhere.
claim_head_of() { # ARRAY NAME...
    local name
    local -n head_lines=$1

    head_lines=()
    for name in "${@:2}"; do
        [[ -n ${!name} && ${!name} != no ]] || continue
        case $name in
            cacert | cert | key)
                head_lines+=("# $name: $(readlink -f -- "${!name}")")
                ;;
            *) head_lines+=("# $name: ${!name}") ;;
        esac
    done
}

# BUCKET was not created after all: whatever bears this name is not ours.
claim_disown() { # BUCKET
    claim_add "bucket"$'\t'"$1"$'\t'existing
    claim_buckets["$1"]=existing
}

claim_remove() {
    rm -f -- "$claim"
    [[ -z $claim_fd ]] || exec {claim_fd}>&-
    rmdir -- "${claim%/*}" 2>/dev/null || : # a moved file may have neighbours
    claim='' claim_fd=''
}

# Read one line of a claim; fail when it makes no sense.
claim_parse() { # LINE, uses and sets the caller's bucket and prefix
    local fields name='^# ([a-z]+): (.*)$'

    if [[ $1 =~ $name ]]; then
        claim_head[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
        return 0 # in an exit trap, too
    fi
    IFS=$'\x1f' read -r -a fields <<<"${1//$'\t'/$'\x1f'}"
    case ${fields[0]:-} in
        bucket)
            bucket=${fields[1]:-} prefix=
            [[ $bucket =~ ^[A-Za-z0-9._-]+$ ]] &&
                [[ ${fields[2]:-} =~ ^(created|existing|removed)$ ]] &&
                claim_buckets[$bucket]=${fields[2]}
            ;;
        prefix)
            prefix=${fields[1]:-}
            # Keys and listings are percent-encoded; ours need no encoding.
            [[ -n $bucket && $prefix =~ ^[A-Za-z0-9._/-]+$ ]] &&
                claim_tops+=("$bucket"$'\t'"$prefix")
            ;;
        range)
            [[ -n $prefix && ${fields[1]:-} == "$prefix"* ]] &&
                [[ ${fields[1]} =~ ^[A-Za-z0-9._/-]+$ ]] &&
                [[ ${fields[2]:-} =~ ^[1-9][0-9]{0,17}$ ]] &&
                [[ ${fields[3]:-} =~ ^[1-9][0-9]{0,17}$ ]] &&
                claim_ranges+=("$bucket"$'\t'"${1#range$'\t'}")
            ;;
        upload)
            [[ -n $prefix && ${fields[1]:-} == "$prefix"+([0-9]) ]] &&
                [[ ${fields[2]:-} =~ ^[!-~]+$ ]] &&
                claim_uploads+=("$bucket"$'\t'"${1#upload$'\t'}")
            ;;
        *) return 1 ;;
    esac
}

claim_forget() {
    claim_head=() claim_buckets=()
    claim_tops=() claim_ranges=() claim_uploads=()
}

# Read PATH and lock it: a run that is still going is left alone.
claim_load() { # PATH
    { exec {claim_fd}<"$1"; } 2>/dev/null || die 2 "cannot read $1"
    flock -n "$claim_fd" || die 2 "$1: its run is still going"
    claim_read "$1"
    claim=$1
}

claim_read() { # PATH
    local lines number bucket='' prefix=''

    claim_forget
    mapfile -t lines <"$1" || die 2 "cannot read $1"
    [[ ${lines[0]:-} == "# $claim_format" ]] ||
        die 2 "$1: not a '$claim_format' file"
    for ((number = 1; number < ${#lines[@]}; number++)); do
        claim_parse "${lines[number]}" ||
            die 2 "$1:$((number + 1)): bad line '${lines[number]}'"
    done
}

after_ask() { :; } # for those who count requests

# Run s3op quietly; its answer goes to $answer, its first HTTP status of a
# failure to $http_status ("" without one). A single request answers with a
# record of its own instead of a summary.
ask() { # S3OP-ARG...
    local failed='"failures":[^]]*"status":[[:space:]]*([0-9]+)'
    local record='"format":"s3perf-ops [^{]*"status":[[:space:]]*([0-9]+)'

    http_status=
    spawn "$work/answer" "$work/answer.err" "$S3OP" "$1" \
        "${common[@]}" --json "${@:2}"
    slurp answer "$work/answer"
    after_ask
    if ((child_status != 0)) && [[ $answer =~ $failed || $answer =~ $record ]]; then
        http_status=${BASH_REMATCH[1]}
    fi
    return "$child_status"
}

# Write the indices of the keys that exist within a range to $work/left.
# Fails when the listing did; 404 leaves an empty file.
range_left() { # BUCKET PREFIX FIRST LAST
    : >"$work/left"
    if ! ask ls -n 1 --prefix "$2" -o "$work/listing" "s3://$1"; then
        [[ $http_status == 404 ]] && return 0
        return 1
    fi
    awk -F '\t' -v prefix="$2" -v first="$3" -v last="$4" '
        {
            gsub(/%2[Ff]/, "/", $3)
            if (index($3, prefix) != 1)
                next
            number = substr($3, length(prefix) + 1)
            if (number ~ /^[1-9][0-9]*$/ && number + 0 >= first + 0 &&
                number + 0 <= last + 0)
                print number
        }' "$work/listing" | sort -n >"$work/left"
}

# Delete the keys whose indices stand in $work/left.
range_delete() { # BUCKET PREFIX FIRST
    local numbers highest

    mapfile -t numbers <"$work/left"
    highest=${numbers[-1]}
    if [[ $3 == 1 ]]; then
        # One call, plain DELETEs: they work everywhere, and a key that is
        # already gone is no failure.
        ask rm -n "$highest" -c "$((highest < 16 ? highest : 16))" \
            "s3://$1/$2" && return 0
        return 1
    fi
    numbers=("${numbers[@]/#/s3://$1/$2}")
    while ((${#numbers[@]} > 0)); do
        ask rm "${numbers[@]:0:500}" || return 1
        numbers=("${numbers[@]:500}")
    done
}

settle_range() { # BUCKET PREFIX FIRST LAST
    local try

    for try in 1 2 3 4 5; do
        if range_left "$@"; then
            [[ -s $work/left ]] || return 0
            range_delete "$1" "$2" "$3" || :
        fi
        ((try == 1)) || nap "0.$((try * 2 - 1))"
    done
    range_left "$@" && [[ ! -s $work/left ]]
}

# Remove a bucket that we created. "Not empty" may be a late listing.
settle_bucket() { # BUCKET
    local try

    for try in 1 2 3 4 5; do
        ask rb -c 1 "s3://$1" && return 0
        [[ $http_status != 404 ]] || return 0
        [[ $http_status == 409 ]] || return 1
        nap "0.$((try * 2 - 1))"
    done
    return 1
}

# End an upload in parts, which drops them. 404: it is gone, or its bucket.
settle_upload() { # BUCKET KEY ID
    local id=${3//\\/\\\\}

    printf -v id '%b' "${id//%/\\x}"
    ask rm --upload-id "$id" "s3://$1/$2" || [[ $http_status == 404 ]]
}

# Of many ranges most are empty: drop those, by one listing of each prefix.
drop_empty_ranges() {
    local top bucket prefix range kept=()
    local -A present=() unsure=()

    for top in "${claim_tops[@]}"; do
        bucket=${top%%$'\t'*} prefix=${top#*$'\t'}
        : >"$work/present"
        if ask ls -n 1 --prefix "$prefix" -o "$work/listing" "s3://$bucket"; then
            awk -F '\t' '{ gsub(/%2[Ff]/, "/", $3); sub(/[0-9]+$/, "", $3) }
                !seen[$3]++ { print $3 }' "$work/listing" >"$work/present"
        elif [[ $http_status != 404 ]]; then
            unsure[$bucket]=yes
        fi
        while IFS= read -r prefix; do
            present[$bucket$'\t'$prefix]=yes
        done <"$work/present"
    done
    for range in "${claim_ranges[@]}"; do
        IFS=$'\t' read -r bucket prefix _ <<<"$range"
        [[ -z ${present[$bucket$'\t'$prefix]:-}${unsure[$bucket]:-} &&
            $prefix != *[0-9] ]] || kept+=("$range")
    done
    claim_ranges=("${kept[@]}")
}

# Also run by exit traps, where a plain "return" would not do: all of these
# say what they return.
# Delete all that is claimed. What stays is said, and the claim stays too.
claim_settle() {
    local range fields bucket left=()

    cleaning=yes
    for range in "${claim_uploads[@]}"; do
        IFS=$'\x1f' read -r -a fields <<<"${range//$'\t'/$'\x1f'}"
        settle_upload "${fields[@]}" ||
            left+=("an upload of s3://${fields[0]}/${fields[1]}")
    done
    ((${#claim_ranges[@]} <= 4)) || drop_empty_ranges
    for range in "${claim_ranges[@]}"; do
        IFS=$'\x1f' read -r -a fields <<<"${range//$'\t'/$'\x1f'}"
        settle_range "${fields[@]}" ||
            left+=("objects s3://${fields[0]}/${fields[1]}${fields[2]} to ${fields[3]}")
    done
    for bucket in "${!claim_buckets[@]}"; do
        [[ ${claim_buckets[$bucket]} == created ]] || continue
        settle_bucket "$bucket" || left+=("bucket s3://$bucket")
    done
    if ((${#left[@]} == 0)); then
        claim_remove
        return 0
    fi
    [[ ! -s $work/answer.err ]] || cat -- "$work/answer.err" >&2
    warn "the clean-up is not complete; left, or perhaps left:"
    printf '  %s\n' "${left[@]}" >&2
    warn "all of it is listed in $claim"
    warn "to try again: s3perf cleanup ${claim_head[run]:-$claim}"
    return 1
}
