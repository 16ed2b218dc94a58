# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What several clients did in the same phases, side by side. Prints what it
# is told, measures nothing. Sourced after s3perf-print.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

beside_names=()           # as people know them
beside_lines=()           # how each ended, "" when well
beside_json=()            # each one's JSON
declare -A beside_cell=() # "NUMBER.PHASE.COLUMN"

# Keep the results of the run that has just ended.
beside_keep() {
    local number=${#beside_names[@]} line='' key

    line=$(print_headline '' '' '')
    [[ -z $line ]] || line="$client_name: $line"
    [[ -z $claim ]] || line+="${line:+; }NOT REMOVED: s3perf cleanup $run"
    beside_names+=("$client_name")
    beside_lines+=("$line")
    for key in "${!cell[@]}"; do
        beside_cell[$number.$key]=${cell[$key]}
    done
    for key in "${!state[@]}"; do
        beside_cell[$number.$key.state]=${state[$key]}
    done
    [[ $json == no ]] || beside_json+=("$(print_json)")
    [[ $json == yes || $quiet == yes ]] ||
        note "$client_name${client_release:+ $client_release}: $outcome"
}

beside_print() {
    if [[ $json == yes ]]; then
        local IFS=,
        printf '{"format":"s3perf-clients 1","runs":[%s]}\n' "${beside_json[*]}"
    else
        beside_table
    fi
}

# For awk: NUMBER TAB PHASE TAB COLUMN TAB VALUE.
beside_values() {
    local key

    for key in "${!beside_cell[@]}"; do
        printf '%s\t%s\n' "${key//./$'\t'}" "${beside_cell[$key]}"
    done
}

# 14 columns for the phase, 10 for each client. What cannot be said is "-".
beside_rows() { # BOLD PLAIN
    beside_values | awk -F '\t' -v names="${beside_names[*]}" \
        -v order="${phase_names[*]}" -v bold="$1" -v plain="$2" \
        "$awk_formats"'
        { value[$1, $2, $3] = $4; if ($4 != "" && $3 == "window_s") seen[$2] = 1 }
        function known(i, phase, column) {
            v = value[i - 1, phase, column]
            return v == "" || v == "-" || v ~ /^>/ ? "" : v + 0
        }
        function title(text) {
            printf "%s%-14s", bold, text
            for (i = 1; i <= n; i++) printf "%10s", name[i]
            print plain
        }
        # What KIND says of client I and PHASE, in microseconds.
        function figure(kind, i, phase,    a, b) {
            if (value[i - 1, phase, "state"] != "ok") return ""
            if (kind == "wall") {
                a = known(i, phase, "window_s")
                return a == "" ? "" : a * 1e6
            }
            if (kind == "cpu") return known(i, phase, "cpu_us_per_op")
            a = known(i, phase, "p50_us")
            if (kind != "more" || a == "") return a
            b = known(base, phase, "p50_us")
            return i == base || b == "" ? "" : a - b
        }
        function section(kind, text, phases,    k, count, list, x, label) {
            title(text)
            count = split(phases, list, " ")
            for (k = 1; k <= count; k++) {
                if (!(list[k] in seen)) continue
                label = list[k]
                sub(/-/, " ", label)
                printf "%-14s", label
                for (i = 1; i <= n; i++) {
                    x = figure(kind, i, list[k])
                    if (kind == "wall" && x != "") total[i] += x
                    printf "%10s", x == "" ? "-" : (x < 0 ? "-" duration(-x) : duration(x))
                }
                print ""
            }
        }
        END {
            n = split(names, name, " ")
            for (i = 1; i <= n; i++) if (name[i] == "s3op") base = i
            objects = "upload download erase-objects"
            section("wall", "wall", order)
            printf "%s%-14s", bold, "total"
            for (i = 1; i <= n; i++) printf "%10s", duration(total[i])
            print plain "\n"
            section("p50", "one (median)", objects)
            print ""
            section("cpu", "CPU for one", objects)
            if (base) print ""
            if (base) section("more", "over s3op", objects)
        }'
}

beside_table() {
    local bold='' plain='' text at_once='one after another' line

    if [[ $colours == yes ]]; then
        bold=$'\e[1m' plain=$'\e[0m'
    fi
    for line in "${beside_lines[@]}"; do
        [[ -z $line ]] || printf '%s\n' "$line"
    done
    print_size text "$size"
    ((lanes == 1)) || at_once="$lanes at once"
    printf '%d object%s of %s, %s\n\n' \
        "$files" "$( ((files == 1)) || echo s)" "$text" "$at_once"
    beside_rows "$bold" "$plain"
    printf '\none: time of one operation; of the others but s3op a whole process\n'
    [[ " ${beside_names[*]} " != *' s3op '* ]] ||
        printf 'over s3op: how much longer it took, about what the client costs\n'
    print_endpoint
}
