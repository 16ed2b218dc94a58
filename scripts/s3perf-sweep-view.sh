# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What a sweep shows while it runs: on a terminal a progress bar and the
# matrix filling in, elsewhere a line for each cell.
# Sourced after s3perf-sweep-cell.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

live=no           # on a terminal that can move its cursor
view_lines=0      # that the live view has drawn, the cursor above them
view_now=''       # the phase that is going on
view_results=''   # of this cell's phases
view_notes=''     # what went wrong in it
view_map_phase='' # the phase whose rates the matrix shows
view_colours=no
declare -A view_value=()  # "SIZE LANES" -> rate, or - for skipped
declare -A view_flaw=()   # likewise: errors
declare -A view_best=()   # PHASE,bytes and PHASE,ops -> rate
declare -A view_where=()  # likewise -> "SIZE x LANES"
declare -A view_counts=() # measured, errors, skipped REASON -> cells
view_sizes=() view_lanes=()
view_likely_ms=0 view_done_ms=0 view_spent_ms=0 view_cell_us=0

# 1234567 as 1.23M, for rates.
human() { # VARIABLE NUMBER
    local n=${2%%.*} unit='' units='kMGT' scale=1

    [[ $n =~ ^[0-9]{1,18}$ ]] || n=0
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

mebibytes() { # VARIABLE BYTES
    local n=${2%%.*}

    [[ $n =~ ^[0-9]{1,17}$ ]] || n=0
    if ((n >= 100 << 20)); then
        printf -v "$1" '%d MiB/s' "$((n >> 20))"
    elif ((n >= 1 << 20)); then
        printf -v "$1" '%d.%d MiB/s' "$((n >> 20))" "$(((n * 10 >> 20) % 10))"
    else
        printf -v "$1" '%d KiB/s' "$((n >> 10))"
    fi
}

# 65536 as 64K: columns are narrow.
short_size() { # VARIABLE BYTES
    local n=$2 units=' KMGT'

    while ((n > 0 && n % 1024 == 0)) && [[ -n ${units:1} ]]; do
        n=$((n / 1024)) units=${units:1}
    done
    printf -v "$1" '%d%s' "$n" "${units:0:1}"
    printf -v "$1" '%s' "${!1% }"
}

# "42 s", "3 min", "2 h 5 min".
short_time() { # VARIABLE MILLISECONDS
    local s=$((($2 + 999) / 1000))

    if ((s < 100)); then
        printf -v "$1" '%d s' "$s"
    elif ((s < 6000)); then
        printf -v "$1" '%d min' "$(((s + 30) / 60))"
    else
        printf -v "$1" '%d h %d min' "$((s / 3600))" "$((s % 3600 / 60))"
    fi
}

# How long the rest will take, as the cells so far did.
time_left() { # VARIABLE
    local rest=$((view_likely_ms - view_done_ms))

    ((view_done_ms == 0)) ||
        rest=$((rest * (view_spent_ms + 1) / view_done_ms))
    short_time "$1" "$rest"
}

# --- what is known so far ---

# Rates of a line of cells.tsv, whether just measured or taken up again.
view_know() { # PHASE SIZE LANES MARK OPS_PER_S BYTES_PER_S
    local size place=$2' '$3

    short_size size "$2"
    if [[ $4 == skipped:* ]]; then
        [[ $1 != "$view_map_phase" ]] || view_value[$place]=-
        return 0
    fi
    [[ ,$4, != *,errors,* ]] || view_flaw[$place]=yes
    view_peak "$1,ops" "${5%%.*}" "$size x $3"
    (($2 == 0)) || view_peak "$1,bytes" "${6%%.*}" "$size x $3"
    if [[ $1 == "$view_map_phase" ]]; then
        view_value[$place]=${6%%.*}
        ((view_sizes[-1] > 0)) || view_value[$place]=${5%%.*}
    fi
}

view_peak() { # NAME RATE WHERE
    [[ $2 =~ ^[0-9]{1,18}$ ]] && (($2 > ${view_best[$1]:--1})) || return 0
    view_best[$1]=$2 view_where[$1]=$3
}

# The plan is known: the axes, and what was measured before.
view_start() {
    local i phase target size lanes repeat mark row place
    local -A sizes=() all_lanes=()

    for ((i = 0; i < ${#plan_group[@]}; i++)); do
        [[ ,${plan_phases[i]}, != *,@(create|remove),* ]] || continue
        sizes[${plan_size[i]}]=yes all_lanes[${plan_lanes[i]}]=yes
        for phase in erase list head get-range upload download; do
            [[ ,${plan_phases[i]}, != *,$phase,* ]] || view_map_phase=$phase
        done
    done
    mapfile -t view_sizes < <(printf '%s\n' "${!sizes[@]}" | sort -n)
    mapfile -t view_lanes < <(printf '%s\n' "${!all_lanes[@]}" | sort -n)
    for ((i = 0; i < ${#plan_group[@]}; i++)); do
        [[ -n ${plan_done[i]:-} || ${plan_skip[i]} != - ]] ||
            view_likely_ms=$((view_likely_ms + plan_likely_ms[i]))
    done
    while IFS=$'\t' read -r target phase size lanes repeat mark _ _ _ _ _ row \
        place _; do
        [[ $target != '#'* && $target != target ]] || continue
        view_know "$phase" "$size" "$lanes" "$mark" "$row" "$place"
    done <"$run_dir/cells.tsv"
    view_choose
}

# How it is shown.
view_choose() {
    if [[ $quiet == yes || ! -t 2 || ${TERM:-dumb} == dumb ]]; then
        [[ $quiet == yes ]] || view_heading
        return 0
    fi
    live=yes
    shopt -s checkwinsize
    (:) # bash looks at the window's size after a child
    [[ -n ${NO_COLOR:-} || ! ${TERM} =~ 256|direct|kitty|alacritty ]] ||
        view_colours=yes
}

# --- events ---

view_phase() { # WHAT
    view_now=$1
    [[ $live == no ]] || view_draw
}

# A phase has been measured: $row has its line.
view_result() { # PHASE
    local rate

    view_know "$1" "${row[2]}" "${row[3]}" "${row[5]}" "${row[11]}" "${row[12]}"
    if [[ $1 == @(upload|download) ]] && ((row[2] >= 4096)); then
        mebibytes rate "${row[12]}"
    else
        human rate "${row[11]}"
        rate+=/s
    fi
    if [[ $live == yes || $1 == @(create|remove) ]]; then
        rate="  $1 $rate"
    else
        printf -v rate ' %12s' "$rate"
    fi
    view_results+=$rate
}

# A phase of a cell was not measured.
view_gap() {
    local gap

    [[ $live == yes ]] || {
        printf -v gap ' %12s' -
        view_results+=$gap
    }
}

view_failure() { # PHASE TEXT
    view_notes+="${view_notes:+; }$1: $2"
    [[ $live == no ]] || warn "cell $((cell + 1)), $1: $2"
}

# A cell begins.
view_begin() {
    view_results='' view_notes='' view_now=''
    view_cell_us=${EPOCHREALTIME/./}
}

# A cell is done.
view_cell() { # REASON, when it was skipped
    local name=measured

    if [[ -n ${1:-} ]]; then
        name="skipped $1"
        view_know "$view_map_phase" "${plan_size[cell]}" "${plan_lanes[cell]}" \
            "skipped:$1" - -
    else
        view_done_ms=$((view_done_ms + plan_likely_ms[cell]))
        view_spent_ms=$((view_spent_ms + (${EPOCHREALTIME/./} - view_cell_us) / 1000))
        [[ -z $view_notes ]] ||
            view_counts[errors]=$((${view_counts[errors]:-0} + 1))
    fi
    view_counts[$name]=$((${view_counts[$name]:-0} + 1))
    if [[ $live == yes ]]; then
        view_draw
    else
        [[ $quiet == yes ]] || view_plain "${1:-}"
    fi
}

# --- a line for each cell ---

view_heading() {
    local phase line

    printf -v line '%13s %6s %6s' cell size lanes
    for phase in upload list head get-range download erase; do
        [[ ,${setting[phases]}, != *,$phase,* ]] ||
            printf -v line '%s %12s' "$line" "$phase"
    done
    printf '%s  left\n' "$line" >&2
}

view_plain() { # REASON, when it was skipped
    local line size left

    short_size size "${plan_size[cell]}"
    time_left left
    printf -v line '%6d/%-6d %6s %6d' "$((cell + 1))" "${#plan_group[@]}" \
        "$size" "${plan_lanes[cell]}"
    [[ ,${plan_phases[cell]}, != *,@(create|remove),* ]] ||
        printf -v line '%6d/%-6d %13s' "$((cell + 1))" "${#plan_group[@]}" buckets
    [[ -z $1 ]] || view_notes="skipped: $1"
    printf '%s%s  %s%s\n' "$line" "$view_results" "$left" \
        "${view_notes:+  $view_notes}" >&2
}

# --- the live view ---

# Eight times the logarithm to the base 2 of NUMBER, about.
log_of() { # VARIABLE NUMBER
    local n=$2 eighths=0

    while ((n >= 16)); do n=$((n >> 1)) eighths=$((eighths + 8)); done
    printf -v "$1" '%d' "$((eighths + n))"
}

# Set $shade to how the rate of PLACE looks; LOW and HIGH are logarithms.
view_shade() { # "SIZE LANES" LOW HIGH
    local value=${view_value[$1]:-} log level
    local ramp=(17 18 19 25 31 37 36 42 78 114 150 186 222 228)

    shade=' .'
    [[ $value != - ]] || shade=' -'
    if [[ $value =~ ^[0-9]+$ ]]; then
        log_of log "$value"
        level=$((($3 > $2) ? (log - $2) * 999 / ($3 - $2) : 999))
        if [[ $view_colours == yes ]]; then
            shade=$'\e[48;5;'"${ramp[level * ${#ramp[@]} / 1000]}m"
            if [[ -n ${view_flaw[$1]:-} ]]; then
                shade+=$' !\e[0m'
            else
                shade+=$'  \e[0m'
            fi
        else
            shade=" $((level * 9 / 1000 + 1))"
            [[ -z ${view_flaw[$1]:-} ]] || shade=' !'
        fi
    fi
    [[ $1 != "${plan_size[cell]} ${plan_lanes[cell]}" || -z $view_now ]] ||
        shade=' >'
}

# Set $lines to the matrix: lanes down, sizes across.
view_matrix() {
    local place log low=999999 high=0 i size lanes line shade

    for place in "${!view_value[@]}"; do
        [[ ${view_value[$place]} =~ ^[0-9]+$ ]] || continue
        log_of log "${view_value[$place]}"
        low=$((log < low ? log : low)) high=$((log > high ? log : high))
    done
    printf -v line '%6s' ''
    for ((i = 0; i < ${#view_sizes[@]}; i++)); do
        short_size size "${view_sizes[i]}"
        # A label needs room for three characters, and some between.
        ((i % 3 != 0)) || {
            printf -v line "%-$((7 + 2 * i))s%s" "$line" "$size"
        }
    done
    lines+=("$line")
    for lanes in "${view_lanes[@]}"; do
        printf -v line '%6d' "$lanes"
        for size in "${view_sizes[@]}"; do
            view_shade "$size $lanes" "$low" "$high"
            line+=$shade
        done
        lines+=("$line")
    done
}

# Set $bar to a progress bar of WIDTH.
view_bar() { # DONE ALL WIDTH
    local full=$(($1 * $3 / $2))

    printf -v bar '%*s' "$full" ''
    bar=${bar// /#}
    printf -v bar '[%-*s]' "$3" "$bar"
}

view_draw() {
    local lines=('') bar left size what columns=${COLUMNS:-80} done_cells=0 i

    for ((i = 0; i < ${#plan_group[@]}; i++)); do
        [[ -z ${plan_done[i]:-} ]] || done_cells=$((done_cells + 1))
    done
    view_bar "$done_cells" "${#plan_group[@]}" "$((columns > 90 ? 40 : 24))"
    time_left left
    lines+=("$bar $done_cells of ${#plan_group[@]} cells, $left left")
    if ((${#view_sizes[@]} * 2 + 8 <= columns && \
        ${#view_lanes[@]} + 7 <= ${LINES:-24} && ${#view_sizes[@]} > 0)); then
        what='1-9'
        [[ $view_colours == no ]] || what='dark to light'
        lines+=('' "$view_map_phase rates, lanes by size: $what on a log scale, . to come, - skipped, ! errors")
        view_matrix
    fi
    short_size size "${plan_size[cell]:-0}"
    lines+=('' "${size} x ${plan_lanes[cell]:-}${view_results}  ${view_now:+$view_now ...}")
    for ((i = 0; i < ${#lines[@]}; i++)); do
        [[ ${lines[i]} == *$'\e'* ]] || lines[i]=${lines[i]:0:columns-1}
    done
    printf '\r%s' "$(printf '%s\e[K\n' "${lines[@]}")"$'\e[J\r'$'\e['$((${#lines[@]} - 1))A >&2
    view_lines=${#lines[@]}
}

# Leave the terminal as it was.
view_wipe() {
    [[ $live == no || $view_lines == 0 ]] || printf '\r\e[J' >&2
    view_lines=0
}

# --- the end ---

view_end() { # CELLS LEFT
    local name phase rate text

    view_wipe
    live=no
    text="${view_counts[measured]:-0} cells measured"
    [[ -z ${view_counts[errors]:-} ]] ||
        text+=", ${view_counts[errors]} of them with errors"
    for name in "${!view_counts[@]}"; do
        [[ $name != skipped\ * ]] ||
            text+=", ${view_counts[$name]} skipped (${name#skipped })"
    done
    (($1 == 0)) || text+=", $1 left"
    printf '%s\n' "$text"
    for phase in upload list head get-range download erase; do
        [[ -n ${view_best["$phase,ops"]:-} ]] || continue
        human rate "${view_best["$phase,ops"]}"
        printf '%-9s up to %s/s (%s)' "$phase" "$rate" "${view_where["$phase,ops"]}"
        if [[ $phase == @(upload|download) && -n ${view_best["$phase,bytes"]:-} ]]; then
            mebibytes rate "${view_best["$phase,bytes"]}"
            printf ', %s (%s)' "$rate" "${view_where["$phase,bytes"]}"
        fi
        printf '\n'
    done
    (($1 == 0)) || printf 'go on: s3perf sweep --resume %q\n' "$run_dir"
    printf '%s\n' "$run_dir"
}
