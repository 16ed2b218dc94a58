# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The six phases: what is done and checked in each, whoever does it, and how
# s3op does it. Sourced after s3perf-claim.sh.
# SC2004: state is associative.
# shellcheck disable=SC2004,SC2034,SC2154 # names are shared with the script

by=s3op # whose functions do the work: s3op or client_do

progress() { # TEXT, on a terminal only; "" wipes it
    [[ $quiet == yes || ! -t 2 ]] || printf '\r\e[K%s' "$1" >&2
}

# Why a phase failed, in a few words, from its summary.
explain() { # JSON
    local errors='' ops=0 http='' code='' transport=''

    json_value errors errors "$1" || errors=0
    if ((errors == 0)); then
        reason="$client_name ended with status $child_status"
        return
    fi
    json_value ops ops "$1" || :
    reason="$errors of $((ops + errors)) operations failed"
    json_value http status "${1#*\"failures\":}" || :
    json_value code code "${1#*\"failures\":}" || :
    json_value transport transport "${1#*\"failures\":}" || :
    [[ ${http:-0} == 0 ]] || reason+=", $http"
    [[ ${code:-null} == null ]] || reason+=" $code"
    [[ ${transport:-null} == null ]] || reason+=", $transport"
}

# Set state[PHASE] from how its last process ended and from $answer.
conclude_phase() { # PHASE
    [[ ! -s $work/$1.err ]] || cat -- "$work/$1.err" >&2
    if ((child_status == 0)); then
        state[$1]=ok
    elif [[ -n $stop_signal ]]; then
        state[$1]=interrupted
    else
        status=$((child_status == 4 ? 4 : 1))
        state[$1]=failed
        explain "$answer"
        # With no room for its words it could not say it.
        ((child_status != 4)) || [[ -s $work/$1.err ]] ||
            warn "cannot write $cells"
    fi
    [[ ${state[$1]} == ok ]]
}

# One timed phase is one call of s3op. Sets state[PHASE] and $answer.
phase() { # PHASE S3OP-VERB [S3OP-ARG...]
    current=$1
    [[ -z $stop_signal ]] || return 1
    progress "${1/-/ } ..."
    spawn "$work/$1.json" "$work/$1.err" "$S3OP" "$2" "${common[@]}" \
        --phase "$1" --cell "$cells" --json "${@:3}"
    progress ''
    slurp answer "$work/$1.json"
    conclude_phase "$1"
}

fail() { # REASON
    state[$current]=failed
    status=1 reason=$1
    return 1
}

bucket_visible() { ask head -c 1 "s3://$bucket"; }

keys_visible() { # COUNT
    local entries=

    ask ls -n 1 --prefix "$prefix" "s3://$bucket" &&
        json_value entries entries "$answer" && [[ $entries == "$1" ]]
}

# ossperf's fixed waits, when asked for.
fixed_pause() {
    [[ $pause == no ]] || nap 1
}

# Sums of FOLDER/files: MD5SUM there, and one for its downloads.
md5_of_originals() { # FOLDER
    (cd -- "$1" && find files -type f -print0 | sort -zV |
        xargs -0r md5sum -- >MD5SUM &&
        sed 's|  files/|  |' MD5SUM >downloads/MD5SUM) 2>/dev/null ||
        die 4 "cannot write $1/MD5SUM"
}

# --- how s3op does it ---

s3op_create_bucket() {
    phase create-bucket mb -c 1 ${location:+--location "$location"} \
        "s3://$bucket"
}

# Refused: whatever bears this name is not ours.
s3op_was_refused() {
    local http=

    json_value http status "$answer" && [[ $http == 4?? ]]
}

s3op_upload() {
    phase upload put -n "$files" -c "$lanes" -s "$size" --seed "$seed" \
        ${folder:+-o "$folder/files"} "s3://$bucket/$prefix" || return
    [[ $keep == no ]] || md5_of_originals "$folder"
}

s3op_list() {
    local scope=()

    [[ $bucket_owned == yes ]] || scope=(--prefix "$prefix")
    phase list ls -n 1 "${scope[@]}" "s3://$bucket" || return
    json_value listed entries "$answer" || :
}

s3op_download() {
    local good=yes

    phase download get -n "$files" -c "$lanes" -s "$size" --seed "$seed" \
        --verify ${folder:+-o "$folder/downloads"} "s3://$bucket/$prefix" ||
        good=no
    json_value verify verify "$answer" || :
    json_value verified verified "$answer" || :
    json_value mismatched mismatched "$answer" || :
    [[ $good == yes ]]
}

s3op_erase_objects() {
    local calls=$files how=()

    if [[ $erase == batch ]]; then
        calls=$(((files + 999) / 1000)) how=(--batch)
    fi
    phase erase-objects rm -n "$files" "${how[@]}" \
        -c "$((calls < lanes ? calls : lanes))" "s3://$bucket/$prefix"
}

s3op_erase_bucket() {
    phase erase-bucket rb -c 1 "s3://$bucket"
}

# --- what is done and checked ---

create_bucket() {
    if "${by}_create_bucket"; then
        fixed_pause
        poll_until "bucket $bucket is there" bucket_visible || :
        return 0
    fi
    if "${by}_was_refused"; then
        bucket_refused=yes
        claim_disown "$bucket"
    fi
    return 1
}

upload() {
    claim_ranges=("$bucket"$'\t'"$prefix"$'\t'1$'\t'"$files")
    "${by}_upload" || return
    fixed_pause
    poll_until "all $files objects are listed" keys_visible "$files" || :
}

list() {
    "${by}_list" || return
    [[ $listed == "$files" ]] || fail "$listed of $files objects were listed"
}

download() {
    local good=yes

    "${by}_download" || good=no
    ((mismatched == 0)) ||
        fail "$mismatched downloads differ from what was uploaded" || return
    [[ $good == yes ]] || return
    ((verified == files)) || fail "$verified of $files downloads were verified"
}

erase_objects() {
    "${by}_erase_objects" || return
    poll_until "no object is listed" keys_visible 0 || return 0
    claim_ranges=()
}

erase_bucket() {
    "${by}_erase_bucket" || return
    unset "claim_buckets[$bucket]"
}

run_phases() {
    [[ $bucket_fate == existing ]] || create_bucket || return
    upload && list && download && erase_objects || return
    if [[ $bucket_owned == yes ]]; then
        erase_bucket || return
    elif [[ $bucket_fate == unknown ]]; then
        warn "bucket $bucket stays: HEAD could not tell whether it was new"
    else
        note "bucket $bucket existed: it was neither created nor erased"
    fi
}
