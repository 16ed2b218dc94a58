# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The run directory of a sweep (doc/sweep.md): made, taken up again, written
# to so that whatever ends us leaves finished cells whole.
# Sourced after s3perf-claim.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

readonly cells_format='s3perf-cells 1' plan_format='s3perf-plan 1'
readonly cells_columns=$'target\tphase\tsize\tconcurrency\trepeat\tmark\tops\terrors\tgood_bytes\twire_bytes\twindow_s\tops_per_s\tbytes_per_s\trate_asked\tmean_us\tmin_us\tp50_us\tp90_us\tp99_us\tp999_us\tmax_us\tfirst_p50_us\tfirst_p99_us\tresponse_p50_us\tresponse_p99_us\tcpu_us_per_op\tlag_p99_us\treused_share\tstarted\thist'

run_dir=      # while there is one
run_lock=     # open and locked as long as we and our children live
cells_fd=     # cells.tsv, for appending
spent_fd=     # spent.tsv, likewise
spent_bytes=0 # sent and received so far; never less than it was
spent_requests=0

cannot_write() { # FILE
    die 4 "cannot write $1${run_dir:+ (when there is room: s3perf sweep --resume $run_dir)}"
}

# One sweep at a time works in a folder.
lock_run() {
    { exec {run_lock}<"$run_dir"; } 2>/dev/null ||
        die 2 "cannot read '$run_dir'"
    flock -n "$run_lock" || die 2 "$run_dir: another sweep works in it"
}

# Whether the folder has nothing of a run in it yet: a sweep that was killed
# before it had a plan leaves such.
is_blank() { # DIR
    local path

    [[ -d $1 ]] || return 1
    for path in "$1"/*; do
        case ${path##*/} in
            '*' | plan.tsv.tmp) ;;
            hist | ops) [[ -z $(find "$path" -mindepth 1 -print -quit) ]] || return 1 ;;
            *) return 1 ;;
        esac
    done
}

# Make the folder. A name of our own making gives way to one that is there.
make_run_dir() { # STAMP
    local wish=runs/$1${setting[label]:+-${setting[label]}} number=1

    run_dir=${given[output]:-$wish}
    while ! mkdir -p -- "$(dirname -- "$run_dir")" 2>/dev/null ||
        ! mkdir -- "$run_dir" 2>/dev/null; do
        [[ -e $run_dir ]] || die 4 "cannot create '$run_dir'"
        if [[ -n ${given[output]:-} ]]; then
            ! is_blank "$run_dir" || break
            die 2 "'$run_dir' is there already: --resume it, or name another"
        fi
        number=$((number + 1))
        run_dir=$wish-$number
    done
    lock_run
    mkdir -p -- "$run_dir/hist" ${setting[log]:+"$run_dir/ops"} 2>/dev/null ||
        cannot_write "$run_dir/hist"
}

# FILE of the run becomes what standard input has: whole, and on disk.
replace_file() { # FILE
    if ! { cat >"$run_dir/$1.tmp" && sync -- "$run_dir/$1.tmp" &&
        mv -- "$run_dir/$1.tmp" "$run_dir/$1" && sync -- "$run_dir"; } 2>/dev/null; then
        rm -f -- "$run_dir/$1.tmp"
        cannot_write "$run_dir/$1"
    fi
}

# The lines that say what a table of this run comes from.
print_head() { # FORMAT
    printf '# %s\n# program: s3perf %s\n# command: %s\n# run: %s\n' \
        "$1" "$version" "$command" "$run"
    printf '# seed: %s\n# endpoint: %s\n# started: %s\n' \
        "${setting[seed]}" "${target_endpoints[*]}" "$started"
}

# $work/plan.tsv with what this run is, so that it can be resumed.
save_plan() {
    local name target

    {
        print_head "$plan_format"
        for name in "${recorded[@]}"; do
            [[ -z ${setting[$name]:-} ]] ||
                printf '# set %s: %s\n' "$name" "${setting[$name]}"
        done
        for target in "${targets[@]}"; do
            printf '# set target: %s\n' "$target"
        done
        tail -n +2 -- "$work/plan.tsv"
    } | replace_file plan.tsv
}

# Set the plan_* arrays, one element a line of plan.tsv.
load_plan() { # FILE
    local cell group target size lanes repeat phases first last ops up down
    local puts lists gets deletes alive most likely skip

    while IFS=$'\t' read -r cell group target size lanes repeat phases first \
        last ops up down puts lists gets deletes alive most likely skip; do
        [[ $cell != '#'* && $cell != cell ]] || continue
        [[ $cell == $((${#plan_group[@]} + 1)) && -n $skip ]] ||
            die 2 "$1: bad line of cell '$cell'"
        plan_group+=("$group") plan_target+=("$target") plan_size+=("$size")
        plan_lanes+=("$lanes") plan_repeat+=("$repeat")
        plan_phases+=("$phases") plan_first+=("$first") plan_last+=("$last")
        plan_ops+=("$ops") plan_skip+=("$skip")
        plan_bytes+=("$((up + down))")
        plan_requests+=("$((puts + lists + gets + deletes))")
        plan_most_ms+=("$((10#${most/./}))")
        plan_likely_ms+=("$((10#${likely/./}))")
    done <"$1"
    ((${#plan_group[@]} > 0)) || die 2 "$1: no cells"
    plan_done=()
}

# --- cells.tsv ---

# Of PLAN and CELLS: the lines of finished cells to KEPT, their numbers to
# standard output. A cell is finished when all of its phases have a line.
# What --max-time left out is not.
finished_cells() { # PLAN CELLS KEPT
    : >"$3"
    awk -F '\t' -v kept="$3" '
        FNR == 1 { file++ }
        file == 1 && /^[0-9]/ {
            number = $1
            count = split($7 == "-" ? "" : $7, names, ",")
            wanted[number] = count
            for (i = 1; i <= count; i++)
                cell[$3, names[i], $4, $5, $6] = number
            next
        }
        file == 2 && /^#/ { print >kept; next }
        file == 2 && $1 == "target" { print >kept; next }
        file == 2 && NF == 30 && ($1, $2, $3, $4, $5) in cell &&
            $6 !~ /skipped:max-time/ {
            number = cell[$1, $2, $3, $4, $5]
            if (seen[$1, $2, $3, $4, $5]++)
                next
            line[++lines] = $0
            owner[lines] = number
            has[number]++
        }
        END {
            for (i = 1; i <= lines; i++)
                if (has[owner[i]] == wanted[owner[i]])
                    print line[i] >kept
            for (number in has)
                if (has[number] == wanted[number])
                    print number
        }' "$1" "$2"
}

# Take up cells.tsv of a run that was ended: what was not finished goes.
load_cells() {
    local number path=$run_dir/cells.tsv

    [[ -f $path ]] || : >"$work/none"
    # A last line without its newline was not written whole.
    if [[ -s $path && -n $(tail -c 1 -- "$path") ]]; then
        sed '$d' "$path" >"$work/whole" || die 4 "cannot write $work"
    else
        cat -- "$([[ -f $path ]] && echo "$path" || echo "$work/none")" \
            >"$work/whole" || die 4 "cannot write $work"
    fi
    finished_cells "$run_dir/plan.tsv" "$work/whole" "$work/kept" \
        >"$work/finished" || die 4 "cannot write $work"
    while read -r number; do
        plan_done[number - 1]=yes
    done <"$work/finished"
    if ! cmp -s -- "$work/kept" "$path" || [[ ! -s $path ]]; then
        {
            [[ -s $work/kept ]] || {
                print_head "$cells_format"
                printf '%s\n' "$cells_columns"
            }
            cat -- "$work/kept"
        } | replace_file cells.tsv
    fi
}

open_cells() {
    if ! { exec {cells_fd}>>"$run_dir/cells.tsv" &&
        exec {spent_fd}>>"$run_dir/spent.tsv"; } 2>/dev/null; then
        cannot_write "$run_dir/cells.tsv"
    fi
}

# Add the lines of a finished cell: one write, then they are on disk.
append_cells() { # LINE...
    if ! { printf '%s\n' "$@" >&"$cells_fd" &&
        sync -d -- "$run_dir/cells.tsv"; } 2>/dev/null; then
        cannot_write "$run_dir/cells.tsv"
    fi
}

# What limits count, ahead of what may be spent next.
note_spent() { # BYTES REQUESTS
    { printf '%d\t%d\n' "$((spent_bytes + $1))" "$((spent_requests + $2))" \
        >&"$spent_fd"; } 2>/dev/null || cannot_write "$run_dir/spent.tsv"
}

load_spent() {
    local bytes requests

    [[ -f $run_dir/spent.tsv ]] || return 0
    while IFS=$'\t' read -r bytes requests; do
        [[ $bytes =~ ^[0-9]+$ && $requests =~ ^[0-9]+$ ]] || continue
        spent_bytes=$bytes spent_requests=$requests
    done <"$run_dir/spent.tsv"
}

# --- manifest.json ---

json_member() { # NAME TEXT [BETWEEN]
    json_string "$1"
    printf ':'
    json_string "$2"
    printf '%s' "${3-,}"
}

# Each network interface but loopback: name, MTU and speed (Mbit/s).
print_interfaces() {
    local path name mtu speed between=''

    printf '['
    for path in /sys/class/net/*; do
        name=${path##*/} mtu='' speed=''
        [[ -d $path && $name != lo ]] || continue
        read -r mtu 2>/dev/null <"$path/mtu" || :
        { read -r speed <"$path/speed"; } 2>/dev/null || :
        [[ $mtu =~ ^[0-9]+$ ]] || mtu=null
        [[ $speed =~ ^[0-9]+$ ]] || speed=null
        printf '%s{' "$between"
        json_member name "$name"
        printf '"mtu":%s,"mbit_per_s":%s}' "$mtu" "$speed"
        between=,
    done
    printf ']'
}

print_settings() {
    local name between=''

    printf '{'
    for name in "${recorded[@]}"; do
        [[ -n ${setting[$name]:-} ]] || continue
        printf '%s' "$between"
        json_member "$name" "${setting[$name]}" ''
        between=,
    done
    printf '}'
}

print_targets() {
    local i

    printf '['
    for ((i = 0; i < ${#target_names[@]}; i++)); do
        ((i == 0)) || printf ','
        printf '{'
        json_member name "${target_names[i]}"
        json_member endpoint "${target_endpoints[i]}"
        json_member region "${target_facts["$i,region"]:-}"
        json_member addressing "${target_facts["$i,addressing"]:-}"
        json_member payload_hash "${target_facts["$i,payload_hash"]:-}"
        json_member bucket "${target_buckets[i]}"
        json_member bucket_fate "${target_fates[i]}"
        printf '"latency_us":%s,"probe":%s}' \
            "${target_facts["$i,latency"]:-null}" \
            "${target_facts["$i,probe"]:-null}"
    done
    printf ']'
}

save_manifest() { # STATE [ENDED]
    local limit ended=null

    [[ -z ${2:-} ]] || ended=$(json_string "$2")
    limit=$(ulimit -n)
    [[ $limit =~ ^[0-9]+$ ]] || limit=null
    {
        printf '{'
        json_member format 's3perf-manifest 1'
        json_member program s3perf
        json_member version "$version"
        json_member command "$command"
        json_member run "$run"
        json_member label "${setting[label]:-}"
        json_member started "$started"
        json_member state "$1"
        printf '"ended":%s,"seed":%s,"settings":%s,"targets":%s,' "$ended" \
            "${setting[seed]}" "$(print_settings)" "$(print_targets)"
        json_member client_library "$client_library"
        printf '"client_host":%s,"open_files":%s,"interfaces":%s}\n' \
            "${client_host:-null}" "$limit" "$(print_interfaces)"
    } | replace_file manifest.json
}
