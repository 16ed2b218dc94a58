# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What a sweep shows while it runs. Sourced after s3perf-sweep-cell.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

view_line=''     # of the cell that is being measured
view_measured=no # this cell: whether there is anything to show

# 1234567 as 1.23M, for rates.
human() { # VARIABLE NUMBER
    local n=${2%%.*} unit='' units='kMGT' scale=1

    [[ $n =~ ^[0-9]+$ ]] || n=0
    while ((n / scale >= 1000)) && [[ -n $units ]]; do
        scale=$((scale * 1000)) unit=${units:0:1} units=${units:1}
    done
    if ((scale == 1)); then
        printf -v "$1" '%d' "$n"
    elif ((n / scale >= 100)); then
        printf -v "$1" '%d%s' "$((n / scale))" "$unit"
    elif ((n / scale >= 10)); then
        printf -v "$1" '%d.%d%s' "$((n / scale))" \
            "$((n * 10 / scale % 10))" "$unit"
    else
        printf -v "$1" '%d.%02d%s' "$((n / scale))" \
            "$((n * 100 / scale % 100))" "$unit"
    fi
}

# 65536 as 64K, 1048576 as 1M: columns are narrow.
short_size() { # VARIABLE BYTES
    local n=$2 units=' KMGT'

    while ((n > 0 && n % 1024 == 0)) && [[ -n ${units:1} ]]; do
        n=$((n / 1024)) units=${units:1}
    done
    printf -v "$1" '%d%s' "$n" "${units:0:1}"
    printf -v "$1" '%s' "${!1% }"
}

view_phase() { :; }

# A phase has been measured: $row has its line.
view_result() { # PHASE
    local rate bytes

    human rate "${row[11]}"
    view_line+="  $1 $rate/s"
    if [[ $1 == @(upload|download) ]] && ((plan_size[cell] >= 4096)); then
        bytes=${row[12]%%.*}
        [[ $bytes =~ ^[0-9]+$ ]] || bytes=0
        view_line+=" $((bytes / 1048576)).$((bytes % 1048576 * 10 / 1048576)) MiB/s"
    fi
}

view_failure() { # PHASE TEXT
    warn "cell $((cell + 1)), $1: $2"
}

# A cell is done.
view_cell() {
    local size lanes=${plan_lanes[cell]} what

    short_size size "${plan_size[cell]}"
    what="$size x $lanes"
    [[ ,${plan_phases[cell]}, != *,@(create|remove),* ]] || what='buckets'
    [[ -n $view_line ]] || view_line='  skipped'
    note "$((cell + 1))/${#plan_group[@]}  $what$view_line"
    view_line=''
}

view_end() { # CELLS LEFT
    ((${1} == 0)) || printf '%s\n' "$1 cells are left: s3perf sweep --resume $run_dir"
    printf '%s\n' "$run_dir"
}
