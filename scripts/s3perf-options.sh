# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The command line of s3perf quick. Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

usage() {
    cat <<'END'
Usage: s3perf [quick] [OPTION]...
  or:  s3perf SUB-COMMAND [OPTION]...
Time the six steps of an S3 service: create a bucket, upload, list and download
objects, erase them, erase the bucket.

  -n, --files N          number of objects (5)
  -s, --size BYTES       size of each object: 4096, 64Ki, 1.5Mi, 1M (1Mi)
  -p, --parallel         all objects at once instead of one after another
  -j, --jobs N           with -p: at most N at once (as many as objects, at
                         most 1024)
  -b, --bucket NAME      this bucket; one that exists is used under a fresh
                         prefix and stays (a new bucket with a unique name)
  -u, --uppercase        put the unique name in upper case
  -l, --location NAME    create the bucket there
  -d, --endpoint URL     the service; 'aws' means AWS
  -k, --keep             keep originals and downloads, with MD5SUM files
  -o, --results          append a line to results.csv in this folder
      --compat FORM      print the summary of s3perf (2017) or of ossperf
      --json             print one JSON object
      --pause            ossperf's fixed waits between the phases as well
      --erase HOW        single (a DELETE each) or batch (DeleteObjects)
      --client LIST      let other clients do it, one after another, a process
                         for each object: s3op, s3cmd, aws, s4cmd, rclone, s3,
                         mc, or a path (s3op); -p without -j is then as many at
                         once as there are cores
END
    usage_shared
}

# The second half.
usage_shared() {
    cat <<'END'

As in s3op:
      --region NAME      region to sign for
      --profile NAME     profile in AWS's files
      --addressing HOW   auto, path or virtual
      --cacert FILE      trust the certificates in this PEM file
      --insecure         do not verify the server's certificate
      --payload-hash HOW  signed or unsigned
      --timeout TIME     give up an operation after this
      --seed N           seed of the generated content (a random one)

  -v, --verbose          say which programs are run
  -q, --quiet            no notes, only results and errors
  -h, --help             print this and end
  -V, --version          print the version and end

Without a configured endpoint the built-in one is started for the run.
Keys come from the environment (AWS_ACCESS_KEY_ID, ...) or from AWS's files.

Sub-commands:
  quick                  the six phases; the default
  sweep [OPTION]...      a matrix of sizes and concurrency levels, into a folder
  cleanup RUN|PATH       finish the clean-up of a run that was killed
  serve [OPTION]...      run the built-in endpoint in the foreground
  doctor [OPTION]...     examine a service, its keys and the way to it
  doctor --ceiling       measure this machine: how fast the client can be

Exit status: 0 done and fine; 1 operations failed; 2 usage, or refused; 3 the
endpoint or the keys cannot be used; 4 results cannot be written.
END
}

# The replacement of an option of ossperf that chose another client.
refuse_client() { # LETTER
    local what='the service by its S3 endpoint: -d URL' client=''

    case $1 in
        a) what="Swift through its S3 interface: -d URL" ;;
        z) what="an S3 gateway in front of Azure: -d URL" ;;
        g) what="-d https://storage.googleapis.com, with HMAC keys" ;;
        m) what="-d URL, or --profile NAME instead of the alias" client=mc ;;
        w) what="-d aws, or -d URL" client=aws ;;
        r) client=s4cmd ;;
    esac
    [[ -z $client ]] || what+="; to time that client: --client $client"
    usage_error "-$1 is not supported: s3perf needs no client; use $what"
}

# Set $long to the long option that NAME is or begins.
long_option() { # NAME
    local name matches=()

    for name in files size parallel jobs bucket uppercase location endpoint \
        keep results compat json pause erase client region profile addressing cacert \
        insecure payload-hash seed timeout verbose quiet help version; do
        [[ $name != "$1" ]] || matches=("$name" exact)
        [[ ${matches[1]:-} == exact || $name != "$1"* ]] || matches+=("$name")
    done
    [[ -n $1 && ${#matches[@]} -gt 0 ]] || usage_error "no option '--$1'"
    [[ ${matches[1]:-exact} == exact ]] ||
        usage_error "'--$1' may be ${matches[*]/#/--}"
    long=${matches[0]}
}

takes_value() { # LONG
    case $1 in
        parallel | uppercase | keep | results | json | pause | insecure | \
            verbose | quiet | help | version) return 1 ;;
    esac
}

one_of() { # OPTION VALUE ALLOWED...
    local allowed

    for allowed in "${@:3}"; do [[ $2 != "$allowed" ]] || return 0; done
    usage_error "bad value '$2' of --$1 (one of: ${*:3})"
}

set_option() { # LONG VALUE
    [[ $2 != *[[:cntrl:]]* ]] ||
        usage_error "control characters in the value of --$1"
    case $1 in
        help) usage || exit 4 && exit 0 ;;
        version) print_version || exit 4 && exit 0 ;;
        files) parse_count files "$2" 1 1000000000 ||
            usage_error "bad number of files '$2'" ;;
        size) parse_size size "$2" || usage_error "bad size '$2'" ;;
        jobs) parse_count jobs "$2" 1 1024 ||
            usage_error "bad number of jobs '$2' (1 to 1024)" ;;
        seed) parse_count seed "$2" 0 999999999999999999 ||
            usage_error "bad seed '$2'" ;;
        bucket) [[ $2 =~ ^[A-Za-z0-9._-]{1,255}$ ]] ||
            usage_error "bad bucket name '$2'" ;;&
        compat) one_of "$1" "$2" s3perf ossperf ;;&
        erase) one_of "$1" "$2" single batch ;;&
        addressing) one_of "$1" "$2" auto path virtual ;;&
        payload-hash) one_of "$1" "$2" signed unsigned ;;&
        client) set_clients "$2" ;;
        cacert) [[ -r $2 ]] || usage_error "cannot read '$2'" ;;&
        *)
            [[ -n $2 ]] || usage_error "empty value of --$1"
            printf -v "${1/-/_}" '%s' "$2"
            ;;
    esac
}

# The clients of LIST, each once.
set_clients() { # LIST
    local name
    local -A seen=()

    [[ -n $1 && $1 != ,* && $1 != *, && $1 != *,,* ]] ||
        usage_error "bad list of clients '$1'"
    IFS=, read -r -a clients <<<"$1"
    for name in "${clients[@]}"; do
        [[ $name =~ ^([A-Za-z0-9_-]+|.*/.*)$ ]] ||
            usage_error "no client '$name'$(client_known)"
        [[ -z ${seen[$name]:-} ]] || usage_error "client '$name' is listed twice"
        seen[$name]=yes
        [[ $name == s3op ]] || others=yes
    done
}

parse_options() {
    local letter value long
    local -A names=([n]=files [s]=size [p]=parallel [j]=jobs [b]=bucket
        [u]=uppercase [l]=location [d]=endpoint [k]=keep [o]=results [h]=help
        [v]=verbose [q]=quiet [V]=version)

    while getopts ':n:s:pj:b:ul:d:kohvqVazgmwr-:' letter; do
        case $letter in
            [azgmwr]) refuse_client "$letter" ;;
            :) usage_error "option '-$OPTARG' needs a value" ;;
            \?) usage_error "no option '-$OPTARG'" ;;
            -)
                value=${OPTARG#*=}
                long_option "${OPTARG%%=*}"
                if ! takes_value "$long"; then
                    [[ $OPTARG != *=* ]] ||
                        usage_error "option '--$long' takes no value"
                    value=yes
                elif [[ $OPTARG != *=* ]]; then
                    ((OPTIND <= $#)) ||
                        usage_error "option '--$long' needs a value"
                    value=${!OPTIND}
                    OPTIND=$((OPTIND + 1))
                fi
                set_option "$long" "$value"
                ;;
            *) set_option "${names[$letter]}" "${OPTARG-yes}" ;;
        esac
    done
    shift $((OPTIND - 1))
    (($# == 0)) || usage_error "unexpected argument '$1'"
}

check_options() {
    ((size == 0 || files <= (1 << 60) / 8 / size)) ||
        usage_error "$files files of $size bytes are too much"
    ((size <= 5 << 30)) || usage_error "a single put takes at most 5 GiB"
    [[ -z $compat || $json == no ]] || usage_error "--compat or --json, not both"
    [[ -z $jobs || $parallel == yes ]] ||
        usage_error "--jobs needs --parallel (-p)"
    check_clients
    bucket_asked=$bucket
    if [[ $parallel == yes ]]; then
        lanes=1024
        # A process needs more than a lane; ossperf has so many, too.
        [[ $others == no ]] || lanes=$(nproc)
        lanes=${jobs:-$lanes}
        lanes=$((files < lanes ? files : lanes))
    fi
}

check_clients() {
    [[ $others == no || $erase == single ]] ||
        usage_error '--erase batch: only s3op can'
    ((${#clients[@]} > 1)) || return 0
    [[ -z $compat && $results == no && $keep == no ]] ||
        usage_error '--compat, --results and --keep take one client'
}
