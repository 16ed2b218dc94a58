# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# One cell of a sweep: its objects are made once, measured phase by phase and
# taken away. Sourced after s3perf-sweep-run.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

cell=         # index in the plan
cell_lines=() # what cells.tsv will get of it
cell_worst=   # too-many: a phase failed too often; throttled
cell_io=      # a FIFO that s3op writes the line of a phase to
skipping=     # why the rest of this cell is not measured
unusable=no   # the endpoint cannot be used any more
made=0        # keys 1 to this exist
begun=0       # keys 1 to this may exist

# What the whole of a run did, not only its window.
read_whole() { # JSON: set whole_*
    local name text=${1%%,\"interval_s\"*}

    [[ $text != *'"whole":{'* ]] || text="{${text#*\"whole\":\{}"
    for name in ops errors unfinished retried resent wire_bytes; do
        json_value "whole_$name" "$name" "$text" ||
            printf -v "whole_$name" 0
    done
}

# Count what a call of s3op did against the limits.
count_spent() { # JSON
    read_whole "$1"
    spent_bytes=$((spent_bytes + whole_wire_bytes))
    spent_requests=$((spent_requests + whole_ops + whole_errors + \
        whole_unfinished + whole_retried + whole_resent))
}

# claim.sh calls this after each of its requests.
after_ask() { count_spent "$answer"; }

# The first kind of failure, in a few words.
failure_of() { # JSON: set $failure
    local http='' code='' transport='' text=${1#*\"failures\":}

    failure=
    [[ $1 == *'"failures":[{'* ]] || return 0
    json_value http status "$text" || :
    json_value code code "$text" || :
    json_value transport transport "$text" || :
    [[ ${http:-0} == 0 ]] || failure=$http
    [[ ${code:-null} == null ]] || failure+=" $code"
    [[ ${transport:-null} == null ]] || failure+=" $transport"
    failure=${failure# }
}

# --- lines of cells.tsv ---

# A phase that was not measured.
add_skipped() { # PHASE REASON
    local now line

    TZ=UTC printf -v now '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    line=${target_column}$'\t'$1$'\t'${plan_size[cell]}$'\t'
    line+=${plan_lanes[cell]}$'\t'${plan_repeat[cell]}$'\t'skipped:$2
    line+=$'\t0\t0\t0\t0'
    printf -v line '%s%s' "$line" "${dashes// /$'\t-'}"
    cell_lines+=("$line"$'\t'"$now"$'\t'-)
}
readonly dashes='                  ' # 18: window_s to reused_share

skip_cell() { # REASON
    local phase

    for phase in ${plan_phases[cell]//,/ }; do
        [[ $phase == - ]] || add_skipped "$phase" "$1"
    done
}

# The line that s3op wrote, with what only the sweep knows.
take_line() { # PHASE NAME: set $row, an array
    local line

    IFS= read -r -t 5 -u "$cell_io" line || return 1
    IFS=$'\x1f' read -r -a row <<<"${line//$'\t'/$'\x1f'}"
    ((${#row[@]} == 30)) || return 1
    row[0]=$target_column row[1]=$1 row[2]=${plan_size[cell]}
    row[3]=${plan_lanes[cell]} row[4]=${plan_repeat[cell]}
    row[29]=hist/$2.hist
    printf -v line '%s\t' "${row[@]}"
    cell_lines+=("${line%$'\t'}")
}

# --- measuring ---

# One phase is one call of s3op. Sets whole_*; fails when the cell cannot go
# on. With $skipping set nothing is done, which is recorded.
measure() { # PHASE VERB [S3OP-ARG...]
    local name json row log=()

    [[ -z $stop_signal ]] || return 1
    if [[ -n $skipping ]]; then
        add_skipped "$1" "$skipping"
        return
    fi
    printf -v name '%04d-%s' "$((cell + 1))" "$1"
    [[ -z ${setting[log]:-} ]] || log=(--log "$run_dir/ops/$name.tsv.zst")
    view_phase "$1"
    spawn "$run_dir/hist/$name.json" "$work/phase.err" "$S3OP" "$2" \
        "${common[@]}" "${loading[@]}" --phase "$1" --json --progress none \
        --cell "$work/cell" --hist "$run_dir/hist/$name.hist" "${log[@]}" \
        "${@:3}"
    [[ -z $stop_signal ]] || return 1
    slurp json "$run_dir/hist/$name.json"
    judge_phase "$1" "$name"
}

# What came of it: recorded, or a reason to stop.
judge_phase() { # PHASE NAME, uses $child_status and $json
    case $child_status in
        0 | 1) ;;
        2)
            warn "cell $((cell + 1)), $1: $(head -n 1 "$work/phase.err")"
            skipping=refused failed_cells=yes
            add_skipped "$1" refused
            return
            ;;
        3)
            cat -- "$work/phase.err" >&2
            unusable=yes
            return 1
            ;;
        *)
            cat -- "$work/phase.err" >&2
            cannot_write "$run_dir"
            ;;
    esac
    count_spent "$json"
    take_line "$1" "$2" || die 1 "s3op has not said what came of $1"
    view_result "$1"
    [[ ,${row[5]}, != *,throttled,* ]] || cell_worst=${cell_worst:-throttled}
    if ((whole_errors > 0)); then
        failed_cells=yes
        failure_of "$json"
        view_failure "$1" "$whole_errors of $((whole_ops + whole_errors)) operations failed${failure:+, $failure}"
        if ((whole_errors * 1000000 > \
            max_error_share * (whole_ops + whole_errors))); then
            cell_worst=too-many skipping=errors
        fi
    fi
}

# --- objects ---

# Make keys 1 to COUNT, beside the clock.
fill() { # COUNT
    begun=$(($1 > begun ? $1 : begun))
    view_phase 'making objects'
    ask put -n "$1" -c "${plan_lanes[cell]}" -s "${plan_size[cell]}" \
        --seed "${setting[seed]}" --retries 5 "s3://$bucket/$keys" || {
        [[ -z $stop_signal ]] || return 1
        if ((child_status == 3)); then
            unusable=yes
            return 1
        fi
        failure_of "$answer"
        view_failure 'making objects' "${failure:-$(head -n 1 "$work/answer.err")}"
        skipping=${skipping:-errors} failed_cells=yes cell_worst=too-many
    }
    made=$1
}

upload() {
    local lanes=${plan_lanes[cell]}

    measure upload put -n "${plan_ops[cell]}" -d "${setting['cell-time']}" \
        -c "$lanes" -s "${plan_size[cell]}" --seed "${setting[seed]}" \
        "s3://$bucket/$keys" || return
    [[ -z $skipping || $skipping == errors ]] || return 0
    begun=$((whole_ops + whole_errors + whole_unfinished))
    made=$begun
    [[ -z $skipping ]] || return 0
    # Each lane that reads has an object, and none of them is missing.
    if ((whole_errors + whole_unfinished > 0 || made < lanes)) &&
        [[ ${plan_phases[cell]} == *[,]* ]]; then
        fill "$((made > lanes ? made : lanes))"
    fi
}

# Objects of an earlier pass: those that are there.
find_objects() {
    local numbers

    begun=${plan_ops[cell]}
    range_left "$bucket" "$keys" 1 "${plan_ops[cell]}" || {
        [[ -z $stop_signal ]] || return 1
        unusable=yes
        return 1
    }
    mapfile -t numbers <"$work/left"
    made=${#numbers[@]}
    ((made >= plan_lanes[cell] && numbers[-1] == made)) ||
        fill "${plan_ops[cell]}"
}

# The beginning of each object. An empty one has none.
read_ranges() { # S3OP-ARG...
    if ((plan_size[cell] == 0)); then
        add_skipped get-range empty
        return
    fi
    measure get-range get "$@" --objects "$made" \
        --range "$((range_bytes < plan_size[cell] ? range_bytes : plan_size[cell]))" \
        "s3://$bucket/$keys"
}

# The reads that the cell has, in this order.
read_phases() {
    local phases=,${plan_phases[cell]}, lanes=${plan_lanes[cell]} pages listings
    local often=(-n "${plan_ops[cell]}" -d "${setting['cell-time']}" -c "$lanes")

    [[ $phases == *,@(list|head|get-range|download),* ]] || return 0
    if ((settle_us > 0)) && [[ -z $skipping ]]; then
        view_phase settling
        nap "$((settle_us / 1000000)).$(printf %06d $((settle_us % 1000000)))"
    fi
    if [[ $phases == *,list,* ]]; then
        pages=$(((made + 999) / 1000))
        listings=$((plan_ops[cell] / (pages > 0 ? pages : 1)))
        measure list ls -n "$((listings > lanes ? listings : lanes))" \
            "${often[@]:2}" --prefix "$keys" "s3://$bucket" || return
    fi
    if [[ $phases == *,head,* ]]; then
        measure head head "${often[@]}" --objects "$made" \
            "s3://$bucket/$keys" || return
    fi
    [[ $phases != *,get-range,* ]] || read_ranges "${often[@]}" || return
    [[ $phases != *,download,* ]] ||
        measure download get "${often[@]}" --objects "$made" \
            -s "${plan_size[cell]}" "s3://$bucket/$keys"
}

# Take all of them away, whether or not it is measured.
erase() {
    local lanes=${plan_lanes[cell]} clean=no skipped=$skipping

    if [[ ,${plan_phases[cell]}, == *,erase,* ]]; then
        measure erase rm -n "$made" -d "${setting['cell-time']}" \
            -c "$((made < lanes ? made : lanes))" "s3://$bucket/$keys" || return
        [[ -n $skipped ]] || ((whole_ops < begun)) || clean=yes
    fi
    [[ $clean == no && $begun -gt 0 ]] || return 0
    view_phase 'taking objects away'
    settle_range "$bucket" "$keys" 1 "$begun" || {
        [[ -z $stop_signal ]] || return 1
        view_failure 'taking objects away' 'some stay until the end'
    }
}

object_cell() {
    keys=$prefix${plan_group[cell]}-
    made=0 begun=0
    if [[ ${plan_first[cell]} == 0 ]]; then
        find_objects || return
    elif [[ ,${plan_phases[cell]}, == *,upload,* ]]; then
        upload || return
    else
        fill "${plan_ops[cell]}" || return
    fi
    read_phases || return
    [[ ${plan_last[cell]} == 0 ]] || erase
}

# --- buckets ---

# Names that a HEAD has just shown to be free are claimed.
claim_buckets_of_cell() { # BASE COUNT
    local number lines=()

    for ((number = 1; number <= $2; number++)); do
        if ask head -c 1 "s3://$1$number"; then
            die 2 "bucket $1$number is there already"
        fi
        [[ -z $stop_signal ]] || return 1
        if [[ $http_status != 404 ]]; then
            unusable=yes
            return 1
        fi
        lines+=("bucket"$'\t'"$1$number"$'\t'created)
    done
    claim_add "${lines[@]}"
}

bucket_cell() {
    local base count=${plan_ops[cell]} number lines=()

    base=s3perf-$run-${plan_group[cell]}-
    claim_buckets_of_cell "$base" "$count" || return
    if [[ ,${plan_phases[cell]}, == *,create,* ]]; then
        measure create mb -n "$count" -c 1 \
            ${setting[location]:+--location "${setting[location]}"} \
            "s3://$base" || return
    else
        ask mb -n "$count" -c 1 "s3://$base" || :
    fi
    [[ ,${plan_phases[cell]}, != *,remove,* ]] ||
        measure remove rb -n "$count" -c 1 "s3://$base" || return
    for ((number = 1; number <= count; number++)); do
        [[ ,${plan_phases[cell]}, == *,remove,* && -z $skipping ]] &&
            ((whole_errors == 0)) || settle_bucket "$base$number" || return
        lines+=("bucket"$'\t'"$base$number"$'\t'removed)
    done
    claim_add "${lines[@]}"
}

# Measure cell number INDEX. Fails when there is nothing to record.
run_cell() { # INDEX
    cell=$1 cell_lines=() cell_worst='' skipping=''
    if [[ ,${plan_phases[cell]}, == *,@(create|remove),* ]]; then
        bucket_cell || return
    else
        object_cell || return
    fi
    [[ -z $stop_signal ]]
}
