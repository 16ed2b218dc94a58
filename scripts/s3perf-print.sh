# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The results of a run of six phases: table, the two compatible summaries,
# results.csv and JSON. Prints what it is told, measures nothing.
# Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

readonly phase_names=(create-bucket upload list download erase-objects
    erase-bucket)
colours=no # standard output is a terminal that wants them
[[ ! -t 1 || -n ${NO_COLOR:-} || ${TERM:-dumb} == dumb ]] || colours=yes
declare -A cell=()  # "PHASE.COLUMN" -> text of cells.tsv
declare -A state=() # PHASE -> ok, failed, interrupted; unset: did not run

# Read the cells that s3op wrote.
cells_load() {
    local line fields names=() i

    cell=()
    [[ -s $cells ]] || return 0
    while IFS= read -r line; do
        [[ $line != '#'* ]] || continue
        # A tab is white space to read, which would merge empty fields.
        IFS=$'\x1f' read -r -a fields <<<"${line//$'\t'/$'\x1f'}"
        if ((${#names[@]} == 0)); then
            names=("${fields[@]}")
            continue
        fi
        for i in "${!names[@]}"; do
            cell[${fields[1]}.${names[i]}]=${fields[i]:-}
        done
    done <"$cells"
}

# Seconds with a fraction to a whole number of nanoseconds, cut.
seconds_ns() { # VARIABLE TEXT
    local fraction=000000000

    if [[ ! $2 =~ ^([0-9]{1,9})(\.([0-9]+))?$ ]]; then
        printf -v "$1" 0
        return
    fi
    fraction=${BASH_REMATCH[3]}$fraction
    printf -v "$1" '%d' \
        "$((10#${BASH_REMATCH[1]} * 1000000000 + 10#${fraction:0:9}))"
}

wall_ns() { # VARIABLE PHASE
    seconds_ns "$1" "${cell[$2.window_s]:-}"
}

# ossperf's arithmetic: three decimals, cut; a plain 0 for zero.
print_milli() { # VARIABLE THOUSANDTHS
    if (($2 == 0)); then
        printf -v "$1" 0
    else
        printf -v "$1" '%d.%03d' "$(($2 / 1000))" "$(($2 % 1000))"
    fi
}

# Megabits per second as ossperf has it: three divisions, each of them cut
# at three decimals. Empty when the printed time is 0, where bc gives up.
print_bandwidth() { # VARIABLE MILLISECONDS
    local bits=$((size * files * 8)) milli

    if (($2 == 0)); then
        printf -v "$1" ''
        return
    fi
    # shellcheck disable=SC2017 # exact, and stays within 64 bits
    milli=$((bits / $2 * 1000000 + bits % $2 * 1000000 / $2))
    print_milli "$1" "$((milli / 1000 / 1000))"
}

# Fill seconds_of[PHASE], total_cut (with or without the listing),
# upload_mbps and download_mbps: the numbers of the compatible outputs.
declare -A seconds_of=()
cut_numbers() { # with-list|without-list
    local name ns sum=0 milli=0 text

    seconds_of=()
    for name in "${phase_names[@]}"; do
        wall_ns ns "$name"
        milli=$((ns / 1000000))
        print_milli text "$milli"
        seconds_of[$name]=$text
        [[ $1 == without-list && $name == list ]] || sum=$((sum + milli))
        [[ $name != upload ]] || print_bandwidth upload_mbps "$milli"
        [[ $name != download ]] || print_bandwidth download_mbps "$milli"
    done
    print_milli total_cut "$sum"
}

# Lines of the 2017 tool (six) or of current ossperf (ten). A run that was
# cut short has lines for the finished phases only.
print_compat() { # s3perf|ossperf
    local name text number=0 mark='' blank='' width=52
    local -A label=(['create-bucket']='create the bucket'
        [upload]='upload the files' [list]='fetch a list of files'
        [download]='download the files' ['erase-objects']='erase the objects'
        ['erase-bucket']='erase the bucket')

    cut_numbers "$([[ $1 == s3perf ]] && echo without-list || echo with-list)"
    [[ $1 == s3perf ]] || blank=' ' width=56
    for name in "${phase_names[@]}"; do
        [[ $1 == ossperf || $name != list ]] || continue
        [[ $outcome == complete || ${state[$name]:-} == ok ]] || continue
        [[ $1 == s3perf ]] || mark="[$((++number))] "
        text="${mark}Required time to ${label[$name]}:"
        printf '%-*s%s%ss\n' "$width" "$text" "${seconds_of[$name]}" "$blank"
    done
    [[ $outcome == complete ]] || return 0
    [[ $1 == s3perf ]] || mark='    '
    text="${mark}Required time to perform all S3-related operations:"
    printf '%-*s%s%ss\n' "$width" "$text" "$total_cut" "$blank"
    [[ $1 == ossperf ]] || return 0
    printf '\n%-56s%s Mbps\n%-56s%s Mbps\n' \
        '    Bandwidth during the upload of the files:' "$upload_mbps" \
        '    Bandwidth during the download of the files:' "$download_mbps"
}

readonly csv_file=results.csv
readonly csv_header='DATE TIME NUM_FILES SIZE_FILES TIME_CREATE_BUCKET TIME_OBJECTS_UPLOAD TIME_OBJECTS_LIST TIME_OBJECTS_DOWNLOAD TIME_ERASE_OBJECTS TIME_ERASE_BUCKET TIME_SUM BANDWIDTH_OBJECTS_UPLOAD BANDWIDTH_OBJECTS_DOWNLOAD'

# Refuse a file that others wrote for another purpose, or cannot be written.
csv_check() {
    local first=''

    if [[ -e $csv_file ]]; then
        [[ -f $csv_file && -r $csv_file && -w $csv_file ]]
    else
        [[ -w . ]]
    fi || die 4 "cannot write $csv_file"
    [[ -s $csv_file ]] || return 0
    IFS= read -r first <"$csv_file" || :
    [[ $first == "$csv_header" ]] ||
        die 4 "$csv_file has another header; move it away"
}

# Append one line, in one write, under a lock: runs may share the file.
csv_append() {
    local line header='' name csv_fd

    cut_numbers with-list
    printf -v line '%(%Y-%m-%d %H:%M:%S)T %d %d' -1 "$files" "$size"
    for name in "${phase_names[@]}"; do line+=" ${seconds_of[$name]}"; done
    # An empty field would shift the columns.
    line+=" $total_cut ${upload_mbps:--} ${download_mbps:--}"
    { exec {csv_fd}>>"$csv_file"; } 2>/dev/null && flock "$csv_fd" || return
    csv_check
    [[ -s $csv_file ]] || header=$csv_header$'\n'
    { printf '%s%s\n' "$header" "$line" >&"$csv_fd"; } 2>/dev/null || return
    exec {csv_fd}>&-
}

# "1 MiB", or the exact number of bytes when it is not a whole one.
print_size() { # VARIABLE BYTES
    local value=$2 unit=B next

    for next in KiB MiB GiB TiB; do
        ((value >= 1024 && value % 1024 == 0)) || break
        value=$((value / 1024)) unit=$next
    done
    printf -v "$1" '%d %s' "$value" "$unit"
}

# Numbers for people: three significant digits, a unit where it varies.
readonly awk_formats='function digits(x) {
    if (x >= 99.95) return sprintf("%.0f", x)
    if (x >= 9.995) return sprintf("%.1f", x)
    return sprintf(x >= 0.9995 ? "%.2f" : "%.3f", x)
}
function duration(us) {
    if (us == "-" || us == "" || us == 0) return "-"
    if (us ~ /^>/) return ">" duration(substr(us, 2) + 0)
    if (us < 0.9995) return digits(us * 1000) " ns"
    if (us < 999.5) return digits(us) " us"
    if (us < 999500) return digits(us / 1000) " ms"
    return digits(us / 1000000) " s"
}
function scaled(x) {
    if (x == "-" || x == "") return x
    if (x == 0) return "0"
    if (x < 0.0005) return "<0.001"
    if (x < 9999.5) return digits(x)
    if (x < 999500) return digits(x / 1000) "k"
    return digits(x / 1000000) "M"
}
function marked(us, n, p) {
    if (us == "-" || us == "" || us ~ /^>/) return duration(us)
    return (n * (100 - p) < 1000 ? "~" : "") duration(us)
}'

# The rows of the table from cells.tsv. Widths: 14 + 7 + 2 * 7 + 5 * 9 = 80.
table_rows() { # BOLD PLAIN
    local erased=''

    # A request may erase many objects.
    if [[ $erase == batch ]]; then
        erased=$([[ ${state["erase-objects"]:-} == ok ]] && echo "$files" || echo 0)
    fi
    awk -F '\t' -v order="${phase_names[*]}" -v bold="$1" -v plain="$2" \
        -v erased="$erased" \
        "$awk_formats"'
        function value(phase, name) { return cells[phase, column[name]] }
        /^#/ { next }
        !names { for (i = 1; i <= NF; i++) column[$i] = i; names = 1; next }
        { for (i = 1; i <= NF; i++) cells[$2, i] = $i; seen[$2] = 1 }
        END {
            printf "%s%-14s%7s%7s%7s%9s%9s%9s%9s%9s%s\n", bold, "phase",
                "wall", "ops/s", "MiB/s", "min", "p50", "p90", "p99", "max",
                plain
            count = split(order, phases, " ")
            for (k = 1; k <= count; k++) {
                phase = phases[k]
                if (!(phase in seen))
                    continue
                total += value(phase, "window_s")
                label = phase
                sub(/-/, " ", label)
                printf "%-14s%7s", label,
                    duration(value(phase, "window_s") * 1e6)
                if (phase !~ /^(upload|download|erase-objects)$/) {
                    print ""
                    continue
                }
                n = value(phase, "ops")
                rate = value(phase, "bytes_per_s")
                if (rate != "-") rate = rate / 1048576
                ops_rate = value(phase, "ops_per_s")
                if (phase == "erase-objects") {
                    rate = ""
                    wall = value(phase, "window_s")
                    if (erased != "")
                        ops_rate = erased > 0 && wall > 0 ? erased / wall : "-"
                }
                printf "%7s%7s%9s%9s%9s%9s%9s\n",
                    scaled(ops_rate),
                    scaled(rate),
                    duration(value(phase, "min_us")),
                    marked(value(phase, "p50_us"), n, 50),
                    marked(value(phase, "p90_us"), n, 90),
                    marked(value(phase, "p99_us"), n, 99),
                    duration(value(phase, "max_us"))
            }
            printf "%s%-14s%7s%s\n", bold, "total", duration(total * 1e6), plain
        }' "$cells"
}

# What went wrong, first of all.
print_headline() { # BOLD RED PLAIN
    case $outcome in
        failed) printf '%sFAILED in %s: %s%s\n' \
            "$2" "${current/-/ }" "$reason" "$3" ;;
        interrupted) printf '%sINTERRUPTED by SIG%s in %s%s\n' \
            "$2" "$stop_signal" "${current/-/ }" "$3" ;;
    esac
}

print_endpoint() {
    [[ -z $endpoint ]] ||
        printf '%s%s\n' "$endpoint" "${builtin_url:+, the built-in endpoint}"
}

print_place() {
    local payload=", payload $payload_hash"

    print_endpoint
    # What other clients sign is their affair.
    [[ -z $client_release ]] || payload=
    # Only an answer tells these.
    [[ -z $region || -z $payload_hash ]] ||
        printf 'region %s, %s addressing%s%s\n' "$region" "$addressing" \
            "$payload" "$([[ $insecure == no ]] || echo ', TLS NOT VERIFIED')"
}

# What another client is and what it took.
print_client() {
    local name us='' text='' slow='' whole

    [[ -n $client_release ]] || return 0
    printf 'by %s %s, a process for each object\n' "$client_name" \
        "$client_release"
    for name in upload download erase-objects; do
        [[ ${state[$name]:-} == ok ]] || continue
        us=${cell[$name.cpu_us_per_op]}
        [[ $us == - ]] || text+=", ${name/-/ } $(print_us "$us")"
        slurp whole "$work/$name.json"
        ! idle_share us "$whole" || slow+=", ${name/-/ } $us %"
    done
    [[ -z $text ]] || printf 'CPU time of each: %s\n' "${text#, }"
    [[ -z $slow ]] ||
        printf 'waiting for GNU parallel: %s\n' \
            "${slow#, }"
}

# Set VARIABLE to how many percent of the processes that could have been at
# work were not yet started; fails when that is little.
idle_share() { # VARIABLE JSON
    local busy=

    json_value busy busy_share "$2" || return
    printf -v "$1" '%s' "$(awk -v busy="$busy" -v n="$files" -v lanes="$lanes" '
        BEGIN {
            rounds = int((n + lanes - 1) / lanes)
            idle = 100 * (1 - busy * lanes * rounds / n)
            if (idle >= 20) printf "%.0f", idle
        }')"
    [[ -n ${!1} ]]
}

print_us() { # MICROSECONDS
    awk -v us="$1" "$awk_formats"' BEGIN { print duration(us) }'
}

# The last line: what became of the bucket, once all is settled.
print_fate() {
    local fate='left, perhaps' made=${state["create-bucket"]:-}

    if [[ -n $prefix && $bucket_owned == no ]]; then
        fate="existed, kept, prefix $prefix"
        [[ $bucket_fate == existing ]] || fate="kept, prefix $prefix"
    fi
    if [[ -z $prefix || $bucket_refused == yes ]] ||
        [[ $bucket_fate != existing && -z $made ]]; then
        fate='not created'
    elif [[ $bucket_owned == yes && -z $claim ]]; then
        fate='created and removed'
        [[ $made == ok ]] || fate='removed, if it was created'
        [[ -z $builtin_url || $outcome == complete ]] ||
            fate='gone with the endpoint'
    elif [[ $bucket_owned == yes && $made == ok ]]; then
        fate='created, NOT REMOVED'
    fi
    printf 'bucket %s, %s\n' "$bucket" "$fate"
}

# A line for each mark of s3op but "few", which ~ and - show already.
print_marks() {
    local name mark all=() line
    local -A phases=() marked=()

    for name in "${phase_names[@]}"; do
        IFS=, read -r -a all <<<"${cell[$name.mark]:-}"
        for mark in "${all[@]}"; do
            [[ $mark != few && $mark != - ]] || continue
            phases[$mark]+=", ${name/-/ }"
            marked[$mark]=$((${marked[$mark]:-0} + 1))
        done
    done
    for mark in errors throttled not-steady client-bound "${!phases[@]}"; do
        [[ -n ${phases[$mark]:-} ]] || continue
        line=${phases[$mark]#, }
        ((marked[$mark] < ${#phase_names[@]})) || line='all phases'
        [[ $mark != client-bound || -z $builtin_url ]] ||
            line='as always with the built-in endpoint'
        printf '%s: %s\n' "$mark" "$line"
        unset "phases[$mark]"
    done
}

# For people: at most 80 columns as long as the names are not longer.
print_table() {
    local bold='' red='' plain='' rows text at_once='one after another'

    if [[ $colours == yes ]]; then
        bold=$'\e[1m' red=$'\e[1;31m' plain=$'\e[0m'
    fi
    print_headline "$bold" "$red" "$plain"
    print_size text "$size"
    ((lanes == 1)) || at_once="$lanes at once"
    printf '%d object%s of %s, %s\n\n' \
        "$files" "$( ((files == 1)) || echo s)" "$text" "$at_once"
    [[ ! -s $cells ]] || {
        rows=$(table_rows "$bold" "$plain")
        printf '%s\n\n' "$rows"
        [[ $rows != *'~'* ]] ||
            printf '~ fewer than ten samples lie beyond it, - fewer than one\n'
        [[ $rows != *'>'* ]] ||
            printf '> among the operations that were given up at the end\n'
        [[ $erase != batch || -z ${state["erase-objects"]:-} ]] ||
            printf 'erase objects: ops/s are objects, the times those of requests\n'
        print_marks
    }
    [[ -z ${state[download]:-} ]] ||
        printf '%d of %d downloads verified (length and content)\n' \
            "$verified" "$files"
    [[ $verify != inline ]] ||
        printf 'compared while they arrived: the download times include it\n'
    print_client
    print_place
}

print_json_phases() {
    local name ns separator='' summary

    for name in "${phase_names[@]}"; do
        [[ -n ${state[$name]:-} ]] || continue
        wall_ns ns "$name"
        summary=
        [[ ! -s $work/$name.json ]] || summary=$(<"$work/$name.json")
        printf '%s\n  {"name":"%s","state":"%s","wall_s":%d.%09d,"s3op":%s}' \
            "$separator" "$name" "${state[$name]}" \
            "$((ns / 1000000000))" "$((ns % 1000000000))" "${summary:-null}"
        separator=,
    done
}

json_bool() { # yes|no|text
    case $1 in yes) printf true ;; *) printf false ;; esac
}

# One object; its members are described in doc/s3perf.md.
print_json() {
    local name ns total=0 member

    for name in "${phase_names[@]}"; do
        wall_ns ns "$name"
        total=$((total + ns))
    done
    printf '{"format":"s3perf-quick 1","program":"s3perf"'
    for member in version run started command outcome reason endpoint region \
        addressing payload_hash bucket prefix; do
        printf ',"%s":%s' "$member" "$(json_string "${!member}")"
    done
    printf ',"client":%s,"client_version":%s' "$(json_string "$client_name")" \
        "$([[ -n $client_release ]] && json_string "$client_release" || echo null)"
    for member in insecure parallel pause bucket_owned; do
        printf ',"%s":%s' "$member" "$(json_bool "${!member}")"
    done
    printf ',"builtin":%s' "$([[ $builtin_url ]] && echo true || echo false)"
    printf ',"erase":"%s","files":%d,"size":%d,"concurrency":%d,"seed":%s' \
        "$erase" "$files" "$size" "$lanes" "$seed"
    printf ',"phases":[%s],"total_s":%d.%09d' "$(print_json_phases)" \
        "$((total / 1000000000))" "$((total % 1000000000))"
    printf ',"listed":%s,"downloads":{"asked":%d,"verified":%d,"mismatched":%d}' \
        "$listed" "$files" "$verified" "$mismatched"
    printf ',"kept":%s,"left":%s}\n' \
        "$([[ -n $folder ]] && json_string "$folder" || echo null)" \
        "$([[ -n $claim ]] && json_string "$claim" || echo null)"
}
