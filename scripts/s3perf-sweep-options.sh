# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The settings of a sweep: command line, plan file, presets, and those of the
# run to resume. Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

usage() {
    cat <<'END'
Usage: s3perf sweep [OPTION]...
  or:  s3perf sweep --resume RUN
Measure a matrix of object sizes and concurrency levels, phase by phase, into a
folder that charts and comparisons are made from. Says first what it will take.

  -o, --output DIR       the run's folder (runs/DATE-TIME)
      --label TEXT       end the folder's name with it
      --preset NAME      quick (12 cells), standard (3 x 35) or full (full)
      --plan FILE        read options from FILE, a 'name = value' a line
      --resume RUN       go on with this run, whatever ended it

Matrix:
      --sizes LIST       2^0..2^24, or 4Ki,1Mi, or 1..4096*8
      --concurrency LIST  1..1024 (doubling), or 1,16
      --phases LIST      create,upload,list,head,get-range,download,erase,
                         remove (all but head and get-range)
      --repeat N         all of it so many times
      --bucket-ops N     buckets for create and remove (10)
      --target NAME=URL[,OPTION=VALUE]...
                         a service; several take turns, cell by cell. OPTION
                         is region, profile, addressing, cacert or bucket
      --ordered          as listed, not shuffled
      --seed N           of order and content (a random one)

Each phase of a cell ends with the first of these:
      --cell-time TIME   (5s)
      --cell-ops N       (20 for each lane, 1000 at least)
      --cell-bytes SIZE  but one operation for each lane (1Gi)
get-range reads --range SIZE of each object (4Ki).

Reading what was just written measures caches:
      --settle TIME      wait before the first read of a cell
      --cold             read a pass later than the uploads

Limits, which hold; cells that would pass them are skipped, and shown as such:
      --max-bytes SIZE   sent and received
      --max-requests N   of all kinds
      --max-time TIME    for this call; --resume does the rest
      --max-alive SIZE   stored at a time on a target
      --max-error-rate PCT  give up a cell with more (1%)
      --back-off TIME    pause after such a cell, and when throttled (1s)
      --prices FILE      say what it will cost
END
    usage_more
}

usage_more() {
    cat <<'END'

  -d, --endpoint URL     the service; 'aws' means AWS
  -b, --bucket NAME      use this bucket, under a fresh prefix, not a new one
  -l, --location NAME    create buckets there
      --log              keep each operation's record, in ops/
  -n, --dry-run          only say what it would do
  -y, --yes              do not ask
  -v, --verbose          say which programs are run
  -q, --quiet            no progress, only errors and the end
  -h, --help             print this and end
  -V, --version          print the version and end

As in s3op: --region --profile --addressing --cacert --insecure --payload-hash
--payload --compressible --connection --threads --workers --timeout
--connect-timeout

Without a configured endpoint the built-in one is measured: the client's own
ceiling. Keys come from the environment or from AWS's files.

Exit status: 0 done and fine; 1 operations failed or cells were skipped; 2
usage, or refused; 3 the endpoint or the keys cannot be used; 4 results cannot
be written. After 1, 3, 4 and signals --resume goes on.
END
}

# What is recorded in the run, and must be the same when it is resumed. A
# flag's value is "yes".
readonly recorded=(label sizes concurrency phases repeat bucket-ops ordered
    seed cell-time cell-ops cell-bytes range settle cold max-bytes max-requests
    max-alive max-error-rate endpoint bucket location log builtin
    region profile addressing cacert insecure payload-hash payload
    compressible connection threads workers timeout connect-timeout)
readonly flags=' ordered cold log insecure builtin dry-run yes verbose quiet help version '
# About this call only.
readonly passing=(output preset plan resume max-time back-off prices dry-run
    yes verbose quiet help version)

declare -A setting=() # settings that hold
declare -A given=()   # those of this call
targets=()            # NAME=URL,...
given_targets=()

# What each preset says; the rest is as without one.
preset() { # NAME
    setting[sizes]='2^0..2^24' setting[concurrency]='1..1024'
    setting[phases]=create,upload,list,download,erase,remove
    setting[repeat]=1 setting['bucket-ops']=10
    setting['cell-time']=5s setting['cell-bytes']=1Gi
    case $1 in
        full) ;;
        standard)
            setting[sizes]='1..16Mi*16' setting[concurrency]='1..256*4' setting[repeat]=3
            ;;
        quick)
            setting[sizes]='4Ki..16Mi*16' setting[concurrency]='1..64*8'
            setting['cell-time']=2s setting['cell-bytes']=256Mi
            ;;
        *) usage_error "no preset '$1' (quick, standard or full)" ;;
    esac
}

# Set $long to the long option that NAME is or begins.
long_option() { # NAME
    local name matches=()

    for name in "${recorded[@]}" "${passing[@]}" target; do
        [[ $name != builtin ]] || continue
        if [[ $name == "$1" ]]; then
            long=$name
            return
        fi
        [[ $name != "$1"* ]] || matches+=("$name")
    done
    [[ -n $1 && ${#matches[@]} -gt 0 ]] || usage_error "no option '--$1'"
    ((${#matches[@]} == 1)) || usage_error "'--$1' may be ${matches[*]/#/--}"
    long=${matches[0]}
}

give() { # LONG VALUE
    [[ $2 != *[[:cntrl:]]* ]] ||
        usage_error "control characters in the value of --$1"
    case $1 in
        help) usage || exit 4 && exit 0 ;;
        version) print_version || exit 4 && exit 0 ;;
        verbose | quiet) printf -v "$1" yes ;;
        target) given_targets+=("$2") ;;
        *)
            [[ -n $2 ]] || usage_error "empty value of --$1"
            given[$1]=$2
            ;;
    esac
}

# --NAME, --NAME=VALUE; a value may be the next argument, $2.
give_long() { # NAME[=VALUE] [NEXT]: set $taken to arguments used up
    local long value=yes

    taken=1
    long_option "${1%%=*}"
    if [[ $flags == *" $long "* ]]; then
        [[ $1 != *=* ]] || usage_error "option '--$long' takes no value"
    elif [[ $1 == *=* ]]; then
        value=${1#*=}
    else
        (($# > 1)) || usage_error "option '--$long' needs a value"
        value=$2 taken=2
    fi
    give "$long" "$value"
}

parse_options() { # ARG...
    local letter taken
    local -A names=([o]=output [d]=endpoint [b]=bucket [l]=location
        [n]=dry-run [y]=yes [v]=verbose [q]=quiet [h]=help [V]=version)

    while getopts ':o:d:b:l:nyvqhV-:' letter; do
        case $letter in
            :) usage_error "option '-$OPTARG' needs a value" ;;
            \?) usage_error "no option '-$OPTARG'" ;;
            -)
                give_long "$OPTARG" "${@:OPTIND:1}"
                OPTIND=$((OPTIND + taken - 1))
                ;;
            *) give "${names[$letter]}" "${OPTARG-yes}" ;;
        esac
    done
    shift $((OPTIND - 1))
    (($# == 0)) || usage_error "unexpected argument '$1'"
}

# A file of options: "name = value", or "name" for a flag; the command line
# comes before it.
read_plan_file() { # FILE
    local line number=0 long value pattern='^([a-z-]+)[[:space:]]*(=[[:space:]]*(.*))?$'
    local -A outside=()

    [[ -r $1 && ! -d $1 ]] || usage_error "cannot read '$1'"
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        line=${line%%#*}
        line=${line##+([[:space:]])}
        line=${line%%+([[:space:]])}
        [[ -n $line ]] || continue
        [[ $line =~ $pattern ]] ||
            usage_error "$1:$number: it is 'name = value', not '$line'"
        long=${BASH_REMATCH[1]} value=${BASH_REMATCH[3]:-yes}
        [[ $flags != *" $long "* ]] || [[ $value == yes ]] ||
            usage_error "$1:$number: '$long' takes no value"
        [[ $flags == *" $long "* || -n ${BASH_REMATCH[3]} ]] ||
            usage_error "$1:$number: '$long' needs a value"
        [[ " ${recorded[*]} target ${passing[*]} " == *" $long "* &&
            ! $long =~ ^(builtin|plan|resume|help|version|dry-run)$ ]] ||
            usage_error "$1:$number: no option '$long'"
        case $long in
            target) outside[target]+=${outside[target]:+$'\n'}$value ;;
            verbose | quiet) printf -v "$long" yes ;;
            *) [[ -n ${given[$long]:-} ]] || given[$long]=$value ;;
        esac
    done <"$1"
    if ((${#given_targets[@]} == 0)) && [[ -n ${outside[target]:-} ]]; then
        mapfile -t given_targets <<<"${outside[target]}"
    fi
}

# TIME as s3op reads it, to whole microseconds: 1.5s, 200ms, 2m, 1h.
parse_time() { # VARIABLE TEXT
    local unit=1000000 whole fraction

    [[ $2 =~ ^([0-9]{1,9})(\.([0-9]{1,6}))?(us|ms|s|m|h)?$ ]] || return 1
    case ${BASH_REMATCH[4]} in
        us) unit=1 ;;
        ms) unit=1000 ;;
        m) unit=60000000 ;;
        h) unit=3600000000 ;;
    esac
    whole=$((10#${BASH_REMATCH[1]} * unit))
    fraction=${BASH_REMATCH[3]}
    [[ -z $fraction ]] ||
        whole=$((whole + 10#$fraction * unit / 10 ** ${#fraction}))
    printf -v "$1" '%d' "$whole"
}

# PCT or a share, to millionths: 1%, 0.5%, 0.01.
parse_share() { # VARIABLE TEXT
    local scale=1000000 value

    [[ $2 =~ ^([0-9]{1,3})(\.([0-9]{1,6}))?(%?)$ ]] || return 1
    [[ -z ${BASH_REMATCH[4]} ]] || scale=10000
    value=$((10#${BASH_REMATCH[1]} * scale))
    [[ -z ${BASH_REMATCH[3]} ]] ||
        value=$((value + 10#${BASH_REMATCH[3]} * scale / 10 ** ${#BASH_REMATCH[3]}))
    ((value <= 1000000)) || return 1
    printf -v "$1" '%d' "$value"
}

# Set VARIABLE by PARSER to the value of setting NAME, or leave it alone.
number_of() { # VARIABLE NAME PARSER [ARG...]
    local text=${setting[$2]:-${given[$2]:-}}

    [[ -n $text ]] || return 0
    "$3" "$1" "$text" "${@:4}" || usage_error "bad --$2 '$text'"
}

# The numbers that the driver itself works with; s3stat and s3op check theirs.
check_settings() {
    number_of max_bytes max-bytes parse_size
    number_of max_requests max-requests parse_count 1 999999999999999999
    number_of max_alive max-alive parse_size
    number_of max_error_share max-error-rate parse_share
    number_of max_time_us max-time parse_time
    number_of back_off_us back-off parse_time
    number_of settle_us settle parse_time
    number_of range_bytes range parse_size
    number_of seed seed parse_count 0 999999999999999999
    [[ -z ${setting[bucket]:-} || ${setting[bucket]} =~ ^[A-Za-z0-9._-]{1,255}$ ]] ||
        usage_error "bad bucket name '${setting[bucket]}'"
    [[ -z ${setting[label]:-} || ${setting[label]} =~ ^[A-Za-z0-9._-]{1,100}$ ]] ||
        usage_error "bad label '${setting[label]}': letters, digits, . _ and -"
    [[ -z ${setting[cacert]:-} || -r ${setting[cacert]} ]] ||
        usage_error "cannot read '${setting[cacert]}'"
    [[ -z ${given[prices]:-} || -r ${given[prices]} ]] ||
        usage_error "cannot read '${given[prices]}'"
}

# What a new run is going to be.
settle_settings() {
    local name

    [[ -z ${given[plan]:-} ]] || read_plan_file "${given[plan]}"
    preset "${given[preset]:-full}"
    for name in "${recorded[@]}"; do
        [[ -z ${given[$name]:-} ]] || setting[$name]=${given[$name]}
    done
    setting[seed]=${setting[seed]:-$SRANDOM}
    [[ -z ${setting[cacert]:-} ]] || setting[cacert]=$(readlink -f -- "${setting[cacert]}")
    # A bucket that is there leaves nothing to create or to remove.
    if [[ -n ${setting[bucket]:-} && -z ${given[phases]:-} ]]; then
        setting[phases]=upload,list,download,erase
    fi
    targets=("${given_targets[@]}")
    [[ -z ${given[endpoint]:-} || ${#targets[@]} == 0 ]] ||
        usage_error "--endpoint or --target, not both"
    check_settings
}

# What the run to resume is. Whatever is said again must be the same.
resume_settings() { # PLAN.TSV
    local line name value wanted pattern='^# set ([a-z-]+): (.*)$'

    [[ -z ${given[plan]:-} ]] || read_plan_file "${given[plan]}"
    while IFS= read -r line && [[ $line == '#'* ]]; do
        [[ $line =~ $pattern ]] || continue
        name=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
        if [[ $name == target ]]; then
            targets+=("$value")
        else
            setting[$name]=$value
        fi
    done <"$1"
    [[ -n ${setting[sizes]:-} ]] || die 2 "$1: not the plan of a sweep"
    for name in "${recorded[@]}"; do
        wanted=${given[$name]:-}
        [[ -n $wanted ]] || continue
        [[ $name != cacert ]] || wanted=$(readlink -f -- "$wanted")
        [[ $wanted == "${setting[$name]:-}" ]] ||
            die 2 "the run has --$name '${setting[$name]:-}', not '$wanted':" \
                "what differs needs a run of its own"
    done
    if ((${#given_targets[@]} > 0)) &&
        [[ ${given_targets[*]@Q} != "${targets[*]@Q}" ]]; then
        die 2 "the run has other targets: what differs needs a run of its own"
    fi
    for name in preset output; do
        [[ -z ${given[$name]:-} ]] ||
            usage_error "--$name is for a new run, not with --resume"
    done
    check_settings
}
