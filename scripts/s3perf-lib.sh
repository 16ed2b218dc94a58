# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the sub-commands share: messages, siblings, children and signals.
# Sourced; the sourcing script sets $me and $here first.
# shellcheck disable=SC2034,SC2154 # names are shared with those scripts
shopt -s extglob

verbose=no quiet=no
work=                     # private folder, removed at exit
child=                    # process we wait for
child_status=0            # how the last one ended
signalled=no              # a signal came while we waited
stop_signal=              # the first signal: finish what must be finished, then die
stop_with=TERM            # the signal by which a child is stopped
cleaning=no               # a first signal does not cut a clean-up short
exec {mem_hold}>/dev/null # replaced by the pipe that keeps s3mem alive

die() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

usage_error() { # MESSAGE...
    die 2 "$* (try '$me --help')"
}

warn() { # MESSAGE...
    printf '%s: %s\n' "$me" "$*" >&2 || :
}

note() { # MESSAGE...: for people, silenced by --quiet
    [[ $quiet == yes ]] || warn "$@"
}

# Set VARIABLE to the sibling program NAME, unless the caller named one.
find_program() { # VARIABLE NAME
    local dir

    [[ -z ${!1:-} ]] || return 0
    for dir in "$here" "$here/../../bin"; do
        if [[ -x $dir/$2 && ! -d $dir/$2 ]]; then
            printf -v "$1" '%s' "$dir/$2"
            return
        fi
    done
    printf -v "$1" '%s' "$(command -v "$2" || :)"
    [[ -n ${!1} ]] || die 2 "cannot find $2 ($1 may name it)"
}

# All our programs have one version; s3op knows it.
print_version() {
    local line

    find_program S3OP s3op
    read -r line < <("$S3OP" --version) || die 2 "cannot run $S3OP"
    printf '%s %s\n' "$me" "${line##* }" 2>/dev/null ||
        die 4 "cannot write the version"
}

make_work() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/s3perf.XXXXXXXX" 2>/dev/null) ||
        die 4 "cannot create a temporary folder in ${TMPDIR:-/tmp}"
}

# Sizes as s3op reads them: 4096, 4Ki, 1.5Mi, 1M, 1MiB. Whole bytes only.
parse_size() { # VARIABLE TEXT
    local whole fraction=0 scale=1 unit=1 step=1000 power=0

    [[ $2 =~ ^([0-9]+)(\.([0-9]+))?([kKMGT]?)(i?)B?$ ]] || return 1
    [[ -z ${BASH_REMATCH[5]} || -n ${BASH_REMATCH[4]} ]] || return 1
    [[ -z ${BASH_REMATCH[2]} || -n ${BASH_REMATCH[4]} ]] || return 1
    [[ -z ${BASH_REMATCH[5]} ]] || step=1024
    case ${BASH_REMATCH[4]} in
        k | K) power=1 ;;
        M) power=2 ;;
        G) power=3 ;;
        T) power=4 ;;
    esac
    unit=$((step ** power))
    whole=${BASH_REMATCH[1]##+(0)}
    fraction=${BASH_REMATCH[3]%%+(0)}
    scale=$((10 ** ${#fraction}))
    # Stay where 64-bit arithmetic is exact.
    ((${#whole} <= 18 && ${#fraction} <= 18)) || return 1
    ((10#0$whole <= (1 << 60) / unit && scale <= (1 << 62) / unit)) || return 1
    fraction=$((10#0$fraction * unit))
    ((fraction % scale == 0)) || return 1
    printf -v "$1" '%d' "$((10#0$whole * unit + fraction / scale))"
}

# A decimal number from LOW to HIGH.
parse_count() { # VARIABLE TEXT LOW HIGH
    [[ $2 =~ ^[0-9]{1,18}$ ]] || return 1
    ((10#$2 >= $3 && 10#$2 <= $4)) || return 1
    printf -v "$1" '%d' "$((10#$2))"
}

# Set VARIABLE to the first member NAME of the flat part of a JSON text:
# a string without its quotes, or a number, true, false, null.
json_value() { # VARIABLE NAME TEXT
    local pattern="\"$2\":[[:space:]]*(\"([^\"]*)\"|[-+.0-9a-zA-Z]+)"

    [[ $3 =~ $pattern ]] || return 1
    if [[ ${BASH_REMATCH[1]} == \"* ]]; then
        printf -v "$1" '%s' "${BASH_REMATCH[2]}"
    else
        printf -v "$1" '%s' "${BASH_REMATCH[1]}"
    fi
}

# Print TEXT as a JSON string.
json_string() { # TEXT
    local text=$1

    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//[$'\001'-$'\037']/ }
    printf '"%s"' "$text"
}

# Wait for $child; a trapped signal ends wait early, so ask again then.
wait_child() {
    while :; do
        signalled=no
        child_status=0
        wait "$child" || child_status=$?
        [[ $signalled == yes ]] || break
    done
    child=
}

# Run a program so that only we get the terminal's signals, and so that it
# ends when we are killed. Leaves its status in $child_status.
spawn() { # OUT ERR PROGRAM [ARG...]
    [[ $verbose == no ]] || printf '+ %s\n' "${*:3}" >&2
    setpriv --pdeathsig "$stop_with" setsid "${@:3}" >"$1" 2>"$2" </dev/null \
        {mem_hold}>&- &
    child=$!
    # The signal may have come before there was a child to stop.
    if [[ -n $stop_signal && $cleaning == no ]]; then
        kill "-$stop_with" "$child" 2>/dev/null || :
    fi
    wait_child
}

# Set VARIABLE to all of FILE. Unlike $(<FILE) this forks nothing.
slurp() { # VARIABLE FILE
    IFS= read -r -d '' "$1" <"$2" || :
}

nap() { # SECONDS
    sleep "$1" {mem_hold}>&- &
    child=$!
    wait_child
}

# Run COMMAND until it succeeds, for half a minute at most.
poll_until() { # WHAT COMMAND [ARG...]
    local what=$1 deadline=$((SECONDS + 30)) delay=2

    shift
    until "$@"; do
        [[ -z $stop_signal || $cleaning == yes ]] || return 1
        if ((SECONDS >= deadline)); then
            note "still not so after 30 s: $what"
            return 1
        fi
        nap "$((delay / 100)).$(printf '%02d' $((delay % 100)))"
        delay=$((delay < 50 ? delay * 2 : 100))
    done
}

die_of() { # SIGNAL: end as the signal would have ended us
    [[ -z $work ]] || rm -rf -- "$work"
    trap - EXIT "$1"
    kill -s "$1" "$$"
}

# The first signal stops the phase; a second one ends us at once.
on_signal() { # SIGNAL
    signalled=yes
    if [[ -n $stop_signal ]]; then
        [[ -z $child ]] || kill -KILL "$child" 2>/dev/null || :
        [[ -z ${claim:-} ]] || warn "what was created is listed in $claim"
        die_of "$1"
    fi
    stop_signal=$1
    if [[ -n $child && $cleaning == no ]]; then
        kill "-$stop_with" "$child" 2>/dev/null || :
    fi
    note "stopping on SIG$1; a second signal ends at once"
}

catch_signals() {
    local name

    for name in INT TERM HUP; do
        # shellcheck disable=SC2064 # the name is meant to be filled in now
        trap "on_signal $name" "$name"
    done
    trap '' PIPE # a closed output must not stop the clean-up
}
