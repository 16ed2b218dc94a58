# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# One cell of a sweep: its objects are made once, measured phase by phase and
# taken away. Sourced after s3perf-sweep-run.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

cell=         # index in the plan
cell_lines=() # what cells.tsv will get of it
cell_worst=   # too-many: a phase failed too often; throttled
cell_io=      # a FIFO that s3op writes the lines of phases to
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

job_phases=() # that the next job of s3op measures
job_text=''   # the job file's stages, see doc/jobs.md

# Add a phase to the job, or, with $skipping, to what was not measured.
stage() { # PHASE VERB TARGET [NAME=VALUE]...
    local name text

    if [[ -n $skipping ]]; then
        add_skipped "$1" "$skipping"
        return
    fi
    printf -v name '%04d-%s' "$((cell + 1))" "$1"
    job_phases+=("$1")
    printf -v text '%s\n' "[$1]" "verb=$2" "target=$3" \
        "cell=$work/cell" "hist=$run_dir/hist/$name.hist" \
        ${setting[log]:+"log=$run_dir/ops/$name.tsv.zst"} "${@:4}"
    job_text+=$text
}

# Measure the phases that were added, by one call of s3op, and judge each.
# Fails when the cell cannot go on.
measure() {
    local lines json phase asked=("${job_phases[@]}") text=$job_text

    job_phases=() job_text=''
    [[ -z $stop_signal ]] || return 1
    ((${#asked[@]} > 0)) || return 0
    printf '%s\n' '[global]' 'on-failure=continue' "${job_global[@]}" "$text" \
        >"$work/job" 2>/dev/null || cannot_write "$work/job"
    view_phase "${asked[*]}"
    spawn "$work/job.out" "$work/job.err" "$S3OP" run --json --progress none \
        "$work/job"
    [[ -z $stop_signal ]] || return 1
    if ((child_status >= 3)); then
        cat -- "$work/job.err" >&2
        ((child_status == 3)) || cannot_write "$run_dir"
        unusable=yes
        return 1
    fi
    mapfile -t lines <"$work/job.out"
    for phase in "${asked[@]}"; do
        json=
        for json in "${lines[@]}" ''; do
            [[ $json != *\"phase\":\""$phase"\"* ]] || break
        done
        if [[ -n $json ]]; then
            judge_phase "$phase"
        else
            warn "cell $((cell + 1)), $phase: $(head -n 1 "$work/job.err")"
            add_skipped "$phase" refused
            skipping=refused failed_cells=yes
        fi
    done
}

# What came of a phase, which $json tells.
judge_phase() { # PHASE
    local name row

    printf -v name '%04d-%s' "$((cell + 1))" "$1"
    { printf '%s\n' "$json" >"$run_dir/hist/$name.json"; } 2>/dev/null ||
        cannot_write "$run_dir/hist/$name.json"
    count_spent "$json"
    take_line "$1" "$name" || die 1 "s3op has not said what came of $1"
    view_result "$1"
    [[ ,${row[5]}, != *,throttled,* ]] || cell_worst=${cell_worst:-throttled}
    ((whole_errors > 0)) || return 0
    failed_cells=yes
    failure_of "$json"
    view_failure "$1" "$whole_errors of $((whole_ops + whole_errors)) operations failed${failure:+, $failure}"
    if ((whole_errors * 1000000 > \
        max_error_share * (whole_ops + whole_errors))); then
        cell_worst=too-many skipping=errors
    fi
}

# --- objects ---

# Make keys 1 to COUNT, beside the clock.
fill() { # COUNT
    begun=$(($1 > begun ? $1 : begun))
    view_phase 'making objects'
    ask put -n "$1" -c "${plan_lanes[cell]}" -s "${plan_size[cell]}" \
        --seed "${setting[seed]}" --retries 5 "${writing[@]/#/--}" \
        "s3://$bucket/$keys" || {
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

    stage upload put "s3://$bucket/$keys" count="${plan_ops[cell]}" \
        duration="${setting['cell-time']}" concurrency="$lanes" \
        size="${plan_size[cell]}" seed="${setting[seed]}" "${writing[@]}"
    measure || return
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

# The reads that the cell has, in this order.
add_reads() {
    local phases=,${plan_phases[cell]}, lanes=${plan_lanes[cell]}
    local size=${plan_size[cell]} pages listings key=s3://$bucket/$keys
    local often=(count="${plan_ops[cell]}" objects="$made" concurrency="$lanes"
        duration="${setting['cell-time']}")

    if [[ $phases == *,list,* ]]; then
        pages=$(((made + 999) / 1000))
        listings=$((plan_ops[cell] / (pages > 0 ? pages : 1)))
        stage list ls "s3://$bucket" prefix="$keys" \
            count="$((listings > lanes ? listings : lanes))" "${often[@]:2}"
    fi
    [[ $phases != *,head,* ]] || stage head head "$key" "${often[@]}"
    if [[ $phases == *,get-range,* ]]; then
        if ((size == 0)); then
            add_skipped get-range empty
        else
            stage get-range get "$key" "${often[@]}" \
                range="$((range_bytes < size ? range_bytes : size))"
        fi
    fi
    [[ $phases != *,download,* ]] ||
        stage download get "$key" "${often[@]}" size="$size"
}

# Reads, and taking away what is erased, are one job: nothing comes between
# them.
read_and_erase() {
    local lanes=${plan_lanes[cell]} erases=no skipped

    if ((settle_us > 0)) && [[ -z $skipping &&
        ,${plan_phases[cell]}, == *,@(list|head|get-range|download),* ]]; then
        view_phase settling
        nap "$((settle_us / 1000000)).$(printf %06d $((settle_us % 1000000)))"
    fi
    add_reads
    skipped=$skipping
    if [[ ,${plan_phases[cell]}, == *,erase,* ]]; then
        erases=yes
        stage erase rm "s3://$bucket/$keys" count="$made" \
            concurrency="$((made < lanes ? made : lanes))" \
            duration="${setting['cell-time']}"
    fi
    measure || return
    [[ ${plan_last[cell]} == 1 && $begun -gt 0 ]] || return 0
    # The erase was the last to be judged: were it all of them?
    [[ $erases == no || -n $skipped ]] || ((whole_ops < begun)) || return 0
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
    read_and_erase
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
        stage create mb "s3://$base" count="$count" concurrency=1 \
            ${setting[location]:+"location=${setting[location]}"}
    else
        ask mb -n "$count" -c 1 "s3://$base" || :
    fi
    [[ ,${plan_phases[cell]}, != *,remove,* ]] ||
        stage remove rb "s3://$base" count="$count" concurrency=1
    measure || return
    for ((number = 1; number <= count; number++)); do
        [[ ,${plan_phases[cell]}, == *,remove,* && -z $skipping ]] &&
            ((whole_errors == 0)) || settle_bucket "$base$number" || return
        lines+=("bucket"$'\t'"$base$number"$'\t'removed)
    done
    claim_add "${lines[@]}"
}

# Measure cell number INDEX. Fails when there is nothing to record.
run_cell() { # INDEX
    cell=$1 cell_lines=() cell_worst='' skipping='' job_phases=() job_text=''
    if [[ ,${plan_phases[cell]}, == *,@(create|remove),* ]]; then
        bucket_cell || return
    else
        object_cell || return
    fi
    [[ -z $stop_signal ]]
}
