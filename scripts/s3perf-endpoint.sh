# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Which endpoint a run talks to, and the built-in one when none is configured.
# Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

mem_out= # what s3mem prints

# Print the endpoint_url that PROFILE has in the given AWS files, nothing
# when it has none. Follows a "services" section, as s3op does.
profile_endpoint() { # PROFILE FILE...
    awk -v profile="$1" '
        function trim(s) { gsub(/^[ \t\r]+|[ \t\r]+$/, "", s); return s }
        FNR == 1 { section = parent = "" }
        /^[ \t\r]*([#;].*)?$/ { next }
        /^\[/ {
            section = $0
            sub(/^\[/, "", section)
            sub(/\].*/, "", section)
            section = trim(section)
            gsub(/["\047]/, "", section)
            gsub(/[ \t]+/, " ", section)
            parent = ""
            next
        }
        {
            at = index($0, "=")
            if (at == 0)
                next
            name = tolower(trim(substr($0, 1, at - 1)))
            value = trim(substr($0, at + 1))
            if ($0 !~ /^[ \t]/)
                parent = value == "" ? name : ""
            else if (parent != "")
                name = parent "." name
            entry[section, name] = value
        }
        function look(section) {
            if ((section, "services") in entry &&
                ("services " entry[section, "services"],
                 "s3.endpoint_url") in entry)
                return entry["services " entry[section, "services"],
                             "s3.endpoint_url"]
            return entry[section, "endpoint_url"]
        }
        END {
            url = look("profile " profile)
            print url != "" ? url : look(profile)
        }' "${@:2}"
}

# Whether the user said, somewhere, which service is meant.
endpoint_configured() { # --ENDPOINT --PROFILE
    local path paths=()

    [[ -z $1 ]] || return 0
    if [[ ${AWS_IGNORE_CONFIGURED_ENDPOINT_URLS:-} != [Tt][Rr][Uu][Ee] ]]; then
        [[ -z ${AWS_ENDPOINT_URL_S3:-}${AWS_ENDPOINT_URL:-} ]] || return 0
        for path in "${AWS_CONFIG_FILE:-${HOME:-}/.aws/config}" \
            "${AWS_SHARED_CREDENTIALS_FILE:-${HOME:-}/.aws/credentials}"; do
            # shellcheck disable=SC2088 # a literal ~, as in the AWS files
            [[ $path != '~/'* ]] || path=${HOME:-}/${path:2}
            [[ ! -f $path || ! -r $path ]] || paths+=("$path")
        done
        if ((${#paths[@]} > 0)) && [[ -n $(profile_endpoint \
            "${2:-${AWS_PROFILE:-default}}" "${paths[@]}") ]]; then
            return 0
        fi
    fi
    # Naming a profile on the command line names an account on purpose.
    [[ -n $2 ]]
}

# Nothing of the caller's account may reach the built-in endpoint.
hide_account() {
    local name

    for name in "${!AWS_@}"; do unset "$name"; done
    export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
    export AWS_EC2_METADATA_DISABLED=true
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
}

# Start s3mem for this run. It ends when its standard input does, which is
# when we end, however that happens. Sets $builtin_url.
start_builtin() { # BYTES that the run will keep there [S3MEM-OPTION...]
    local line want=$(($1 + (64 << 20))) name available more=("${@:2}")

    hide_account
    while read -r name available _; do
        [[ $name != MemAvailable: ]] || break
    done </proc/meminfo
    # Ask for more than its usual bound if the machine has it; otherwise let
    # it refuse what is too much.
    if ((want > 1 << 28 && want / 1024 < available * 3 / 4)); then
        more+=(--memory "$want")
    fi
    find_program S3MEM s3mem
    mkfifo -- "$work/hold" "$work/says" 2>/dev/null ||
        die 4 "cannot write $work"
    setsid "$S3MEM" --until-parent-exits "${more[@]}" <"$work/hold" \
        >"$work/says" 2>"$work/mem.err" &
    exec {mem_hold}>"$work/hold" {mem_out}<"$work/says"
    builtin_url=
    while read -r -t 10 -u "$mem_out" line; do
        case $line in
            http://* | https://*) builtin_url=$line ;;
            AWS_REGION=*) export "${line?}" && break ;;
            AWS_*=*) export "${line?}" ;;
        esac
    done
    if [[ -z $builtin_url || -z ${AWS_REGION:-} ]]; then
        cat -- "$work/mem.err" >&2
        die 3 "the built-in endpoint did not start"
    fi
}
