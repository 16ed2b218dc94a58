#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A module includes only headers of modules below it; each library has one
# module that knows it.
. "${srcdir:-.}/t/test-lib.sh"

# Lowest first. A file a_b.c belongs to module a.
readonly modules=(
    clock
    random
    stats
    compare
    host
    headroom
    buf
    complain
    print
    json
    units
    uri
    endpoint
    endpoints
    buckets
    parts
    fairness
    profile
    process
    compress
    unpack
    lines
    names
    s3cfg
    credentials
    sigv4
    sigv2
    signer
    checksum
    payload
    digests
    permutation
    sizes
    keys
    pick
    offsets
    mix
    pool
    workload
    hasher
    source
    sink
    record
    histogram
    dist
    series
    cells
    intake
    filter
    tally
    pace
    window
    interval
    stop
    answer
    sse
    aspects
    exchange
    chunked
    request
    repair
    transport
    engine
    retry
    route
    journal
    report
    part
    worker
    crew
    progress
    options
    service
    plan
    afford
    results
    channel
    fanout
    ceiling
    run
    job
    stages
    sign
    whoami
    probe
    lap
    prices
    sweep
    stat
)

layer_of() { # NAME (of a file, without .c or .h): set $layer and $module
    local i

    module=$1
    while :; do
        for ((i = 0; i < ${#modules[@]}; i++)); do
            [[ ${modules[i]} != "$module" ]] || {
                layer=$i
                return
            }
        done
        case $module in
            curl) module=transport && continue ;;                  # its parts
            mem) layer=1000 && return ;;                           # s3mem's own
            s3op | s3mem | s3stat | s3lap) layer=2000 && return ;; # the mains
            *_*) module=${module%_*} ;;
            *) return 1 ;;
        esac
    done
}

check_include() { # FILE HEADER: of ours; print what is wrong
    local layer module from_layer from_module

    [[ $2 != config.h && $2 != version.h ]] || return 0
    layer_of "${1%.[ch]}"
    from_layer=$layer from_module=$module
    layer_of "${2%.h}" || {
        echo "$1: includes $2 of no known module"
        return
    }
    [[ $module != "$from_module" ]] || return 0
    if [[ $module == mem && $from_module != s3mem ]]; then
        echo "$1: includes $2, which is s3mem's own"
    elif ((layer >= from_layer)); then
        echo "$1: includes $2 of a higher layer"
    fi
}

check_library() { # FILE HEADER: of others; print what is wrong
    case $2:$1 in
        curl/*:transport_curl.c | curl/*:curl_*) ;;
        microhttpd.h:mem_* | microhttpd.h:s3mem.c) ;;
        expat.h:answer* | expat.h:mem_*) ;;
        curl/* | microhttpd.h:* | expat.h:*) echo "$1: includes <$2>" ;;
    esac
}

check_tree() { # DIR: print a line for each violation
    local path file first line

    for path in "$1"/*.[ch]; do
        file=${path##*/}
        [[ $file != version.h ]] || continue
        layer_of "${file%.[ch]}" || {
            echo "$file: of no known module"
            continue
        }
        first=
        while IFS= read -r line; do
            first=${first:-$line}
            case $line in
                *'"'*) check_include "$file" "${line//[^a-z0-9_.]/}" ;;
                *) check_library "$file" "$(tr -d '<>' <<<"$line")" ;;
            esac
        done < <(sed -nE 's/^# *include +(["<][^">]+[">]).*/\1/p' "$path")
        [[ $file != *.c || $first == '"config.h"' ]] ||
            echo "$file: config.h is not its first header"
    done
}

the_sources_keep_the_order() {
    check_tree "$srcdir/src" >found
    cat found
    [[ ! -s found ]]
}

each_violation_is_found() {
    mkdir bad
    printf '#include "config.h"\n#include "buf.h"\n' >bad/uri.c # fine
    printf '#include "config.h"\n#include "engine.h"\n' >bad/buf.c
    printf '#include "config.h"\n#include <curl/curl.h>\n' >bad/engine.c
    printf '#include "config.h"\n#include "mem_map.h"\n' >bad/s3op.c
    printf '#include "config.h"\n#include "mem_map.h"\n' >bad/s3mem.c # fine
    printf '#include "buf.h"\n#include "config.h"\n' >bad/json.c
    printf "#include \"config.h\"\n#include \"odd.h\"\n" >bad/units.c
    printf '#include "config.h"\n#include <expat.h>\n' >bad/sign.c
    printf '#include "config.h"\n#include <microhttpd.h>\n' >bad/clock.c
    printf '# include "worker.h"\n' >bad/worker_queue.h # fine
    printf '#include "options.h"\n' >bad/worker.h
    touch bad/stranger.h
    cat >want <<'END'
buf.c: includes engine.h of a higher layer
clock.c: includes <microhttpd.h>
engine.c: includes <curl/curl.h>
json.c: config.h is not its first header
s3op.c: includes mem_map.h, which is s3mem's own
sign.c: includes <expat.h>
stranger.h: of no known module
units.c: includes odd.h of no known module
worker.h: includes options.h of a higher layer
END
    check_tree bad >got
    diff want got
}

test_expect 'src/ keeps the order of layers' the_sources_keep_the_order
test_expect 'the check finds each kind of violation' each_violation_is_found
done_testing
