# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The services that a sweep measures, its bucket in each of them, and what it
# claims there. Sourced after s3perf-sweep-run.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

target_names=()              # in plan.tsv and cells.tsv
target_endpoints=()          # URLs, once they are known
target_buckets=()            # one of each
target_fates=()              # created (by us) or existing
target_there=()              # yes: a HEAD has shown it
target_claims=()             # paths of created.tsv
target_claim_fds=()          # open and locked
declare -A target_options=() # INDEX,OPTION -> value
declare -A target_facts=()   # INDEX,NAME -> what the service told
readonly target_option_names=(region profile addressing cacert bucket)

bucket='' prefix='' target_column='' # of the target in use
job_global=()                        # options of measured phases
writing=()                           # of uploads

# "NAME=URL,OPTION=VALUE,..." of --target.
read_target() { # TEXT
    local name=${1%%=*} rest=${1#*=} item i=${#target_names[@]} items

    [[ $1 == *=* && $name =~ ^[A-Za-z0-9._-]{1,64}$ ]] ||
        usage_error "bad target '$1': it is NAME=URL"
    [[ " ${target_names[*]} " != *" $name "* ]] ||
        usage_error "two targets are called '$name'"
    IFS=, read -r -a items <<<"$rest"
    [[ -n ${items[0]:-} ]] || usage_error "target '$name' has no URL"
    target_names+=("$name") target_endpoints+=("${items[0]}")
    for item in "${items[@]:1}"; do
        [[ $item == *=* && " ${target_option_names[*]} " == *" ${item%%=*} "* ]] ||
            usage_error "target '$name': no option '$item' (${target_option_names[*]})"
        target_options["$i,${item%%=*}"]=${item#*=}
    done
}

# Which services, from the settings. Starts the built-in one when none is
# configured.
find_targets() {
    local target cap=0

    for target in "${targets[@]}"; do read_target "$target"; done
    ((${#targets[@]} == 0)) || return 0
    if [[ -n ${setting[builtin]:-} ]] || ! endpoint_configured \
        "${setting[endpoint]:-}" "${setting[profile]:-}"; then
        [[ -n ${setting['max-alive']:-} ]] || setting['max-alive']=$(spare_memory)
        number_of max_alive max-alive parse_size
        setting[builtin]=yes
        ((max_alive < 1 << 50)) && cap=$max_alive
        start_builtin "$cap"
        target_names=(builtin) target_endpoints=("$builtin_url")
    else
        target_names=("${setting[endpoint]:--}")
        target_endpoints=("${setting[endpoint]:-}")
    fi
}

# Half of the memory that this machine can spare, in bytes.
spare_memory() {
    awk '/^MemAvailable:/ { printf "%.0f\n", $2 / 2 * 1024 }' /proc/meminfo
}

# What follows is about target INDEX.
use_target() { # INDEX
    local name value

    target=$1
    target_column=${target_names[target]}
    bucket=${target_buckets[target]:-}
    claim=${target_claims[target]:-} claim_fd=${target_claim_fds[target]:-}
    common=()
    [[ -z ${target_endpoints[target]} ]] ||
        common+=(--endpoint "${target_endpoints[target]}")
    for name in region profile addressing cacert payload-hash timeout \
        connect-timeout; do
        value=${target_options["$target,$name"]:-${setting[$name]:-}}
        [[ -z $value ]] || common+=("--$name" "$value")
    done
    [[ -z ${setting[insecure]:-} ]] || common+=(--insecure)
}

# How phases with so many lanes are to be measured.
use_lanes() { # LANES
    local i name workers=${setting[workers]:-1}

    job_global=() writing=()
    for ((i = 0; i < ${#common[@]}; i++)); do
        name=${common[i]#--}
        [[ $name == insecure ]] || name+=${common[++i]/#/=}
        # shellcheck disable=SC2016 # what job files say for one $
        job_global+=("${name//'${'/'$${'}")
    done
    for name in connection threads; do
        [[ -z ${setting[$name]:-} ]] || job_global+=("$name=${setting[$name]}")
    done
    for name in payload compressible; do
        [[ -z ${setting[$name]:-} ]] || writing+=("$name=${setting[$name]}")
    done
    if [[ ! $workers =~ ^[0-9]{1,4}$ ]]; then
        job_global+=("workers=$workers") # for s3op to refuse
    elif ((workers > 1 && $1 > 1)); then
        job_global+=("workers=$((workers < $1 ? workers : $1))")
    fi
}

# --- the bucket ---

# The time of a small request, as a few of them have shown.
latency_of() { # JSON: print microseconds
    local pattern='"(service|failed)_us":\{"count":[1-9][0-9]*,"censored":[0-9]+,"mean":[0-9.]+,"min":([0-9.]+)'

    [[ $1 =~ $pattern ]] && printf '%s' "${BASH_REMATCH[2]}"
}

# Whether the bucket is there, and what the service tells of itself.
look_at_target() { # INDEX: set its bucket, fate and facts
    local name value fate=existing there=yes

    use_target "$1"
    bucket=${target_options["$1,bucket"]:-${setting[bucket]:-s3perf-$run}}
    target_buckets[$1]=$bucket
    view_phase "looking at ${target_endpoints[$1]:-the service}"
    if ! ask head -n 5 -c 1 "s3://$bucket"; then
        [[ -z $stop_signal ]] || return 1
        case $http_status in
            404 | 400) fate=created there=no ;;
            403) die 3 "bucket $bucket: HEAD answered 403: it belongs to someone else, or the keys are wrong" ;;
            *)
                cat -- "$work/answer.err" >&2
                ((child_status != 2)) || exit 2
                die 3 "bucket $bucket: cannot find out whether it exists"
                ;;
        esac
    fi
    target_fates[$1]=$fate target_there[$1]=$there
    target_facts["$1,latency"]=$(latency_of "$answer" || :)
    for name in endpoint region addressing payload_hash version \
        client_library; do
        json_value value "$name" "$answer" || continue
        target_facts["$1,$name"]=$value
    done
    version=${target_facts["$1,version"]} client_library=${target_facts["$1,client_library"]:-}
    target_endpoints[$1]=${target_facts["$1,endpoint"]}
    if [[ ${target_names[$1]} == - ]]; then
        target_names[$1]=${target_endpoints[$1]}
    fi
    [[ ! $answer =~ \"client_host\":(\{[^}]*\}) ]] ||
        client_host=${BASH_REMATCH[1]}
}

# The way to the service, for the manifest.
probe_target() { # INDEX
    use_target "$1"
    local name options=(--endpoint "${target_endpoints[$1]}")

    name=${target_options["$1,cacert"]:-${setting[cacert]:-}}
    [[ -z $name ]] || options+=(--cacert "$name")
    [[ -z ${setting[insecure]:-} ]] || options+=(--insecure)
    spawn "$work/probe" "$work/probe.err" "$S3OP" probe --json -q "${options[@]}"
    slurp name "$work/probe"
    name=${name%$'\n'}
    [[ $name != '{'*'}' ]] || target_facts["$1,probe"]=$name
}

# Create the bucket unless it is there.
make_bucket() { # INDEX
    use_target "$1"
    [[ ${target_there[$1]} == no ]] || return 0
    if ! ask mb -c 1 ${setting[location]:+--location "${setting[location]}"} \
        "s3://$bucket"; then
        [[ -z $stop_signal ]] || return 1
        cat -- "$work/answer.err" >&2
        [[ $http_status != 4?? ]] || claim_disown "$bucket"
        die 3 "cannot create bucket $bucket (--bucket NAME uses one that is there)"
    fi
    poll_until "bucket $bucket is there" bucket_visible || :
}

bucket_visible() { ask head -c 1 "s3://$bucket"; }

# --- claims ---

claim_path() { # INDEX
    if ((${#targets[@]} == 0)); then
        printf '%s\n' "$run_dir/created.tsv"
    else
        printf '%s\n' "$run_dir/created-${target_names[$1]}.tsv"
    fi
}

# The lines about what target INDEX will hold. Groups are claimed with all
# the keys that they may have.
claim_lines() { # INDEX
    local i name value

    printf '# %s\n# program: s3perf %s\n# command: %s\n# sweep: %s\n' \
        "$claim_format" "$version" "$command" "$run"
    printf '# started: %s\n# endpoint: %s\n' "$started" "${target_endpoints[$1]}"
    [[ -z ${setting[builtin]:-} ]] || printf '# builtin: yes\n'
    for name in region profile addressing cacert; do
        value=${target_options["$1,$name"]:-${setting[$name]:-${target_facts["$1,$name"]:-}}}
        [[ -z $value ]] || printf '# %s: %s\n' "$name" "$value"
    done
    [[ -z ${setting[insecure]:-} ]] || printf '# insecure: yes\n'
    printf 'bucket\t%s\t%s\nprefix\t%s\n' "${target_buckets[$1]}" \
        "${target_fates[$1]}" "$prefix"
    for ((i = 0; i < ${#plan_group[@]}; i++)); do
        [[ ${plan_target[i]} == "${target_names[$1]}" &&
            ${plan_first[i]}${plan_skip[i]} == 1- &&
            ,${plan_phases[i]}, != *,@(create|remove),* ]] || continue
        printf 'range\t%s\t1\t%s\n' "$prefix${plan_group[i]}-" "${plan_ops[i]}"
    done
}

# Write down what target INDEX will hold, before it does.
claim_target() { # INDEX
    local lines

    claim_lines "$1" >"$work/claim" || die 4 "cannot write $work"
    mapfile -t lines <"$work/claim"
    claim_create "$(claim_path "$1")"
    target_claims[$1]=$claim target_claim_fds[$1]=$claim_fd
    claim_add "${lines[@]}"
}

# Take up the claim of a run that was ended, if there is one. What its
# unfinished cells left goes; $keep_groups stay.
reclaim_target() { # INDEX
    local path range name

    path=$(claim_path "$1")
    [[ -f $path ]] || return 1
    if [[ -n ${setting[builtin]:-} ]]; then # it ended with its endpoint
        rm -f -- "$path"
        return 1
    fi
    use_target "$1"
    claim_create "$path"
    target_claims[$1]=$claim target_claim_fds[$1]=$claim_fd
    claim_read "$path"
    bucket=${target_options["$1,bucket"]:-${setting[bucket]:-s3perf-$run}}
    target_buckets[$1]=$bucket
    target_fates[$1]=${claim_buckets[$bucket]:-existing}
    for name in "${!claim_buckets[@]}"; do
        [[ $name != "$bucket" && ${claim_buckets[$name]} == created ]] ||
            continue
        settle_bucket "$name" || die_unsettled "bucket $name"
        claim_add "bucket"$'\t'"$name"$'\t'removed
    done
    drop_empty_ranges
    for range in "${claim_ranges[@]}"; do
        IFS=$'\t' read -r -a range <<<"$range"
        name=${range[1]#"$prefix"}
        [[ " $keep_groups " != *" ${name%-} "* ]] || continue
        settle_range "${range[@]}" || die_unsettled "objects ${range[1]}"
    done
}

die_unsettled() { # WHAT
    [[ -z $stop_signal ]] || exit 1
    cat -- "$work/answer.err" >&2
    die 3 "cannot take away $1, which an unfinished cell left"
}

# Take away all that is claimed. What stays is said.
settle_targets() {
    local i left=0

    for ((i = 0; i < ${#target_claims[@]}; i++)); do
        [[ -n ${target_claims[i]:-} && -f ${target_claims[i]} ]] || continue
        use_target "$i"
        if [[ -n ${setting[builtin]:-} ]]; then
            rm -f -- "$claim"
            continue
        fi
        claim_read "$claim"
        claim_settle || left=1
    done
    return "$left"
}
