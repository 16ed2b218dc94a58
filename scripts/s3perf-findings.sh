# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the doctor has seen, what it means and what cures it, as text or JSON.
# Sourced after s3perf-lib.sh.
# shellcheck disable=SC2034,SC2154 # names are shared with the sourcing script

status_of_findings=0 # the exit status
findings=()          # JSON objects
connect_us=null get_p50_us=null
http_status='' code='' transport=''
seen='' means='' cure=''

# Note the outcome of CHECK. MEANS and CURE may be empty.
found() { # ok|note|skip|warn|fail CHECK SEEN [MEANS [CURE]]
    local state=$1 check=$2 line=$3 status=1 mark=$1

    # What a signal cut short says nothing about the service.
    [[ -z $stop_signal || $check == left ]] || return 0
    line+="${4:+: $4}${5:+; $5}"
    line=${line//[$'\001'-$'\037\177']/ }
    if [[ $state == fail ]]; then
        mark=FAIL
        case $check in
            name | connect | tls | certificate | answer | keys | region) status=3 ;;
        esac
        ((status <= status_of_findings)) || status_of_findings=$status
    fi
    findings+=("{\"check\":$(json_string "$check"),\"state\":\"$state\",\"seen\":$(
        json_string "$3"
    ),\"means\":$(json_or_null "${4:-}"),\"cure\":$(json_or_null "${5:-}")}")
    [[ $json == no ]] || return 0
    [[ $quiet == no || $state == warn || $state == fail ]] || return 0
    printf '%-4s  %-11s  %s\n' "$mark" "$check" "$line" 2>/dev/null ||
        status_of_findings=4
}

json_or_null() { # TEXT
    if [[ -n $1 ]]; then json_string "$1"; else printf null; fi
}

# Microseconds as milliseconds.
as_ms() { # VARIABLE MICROSECONDS
    printf -v "$1" '%.3f ms' "$2e-3"
}

# --- the way ---

# Why the way ends at STEP, as s3op probe saw it.
find_end_of_way() { # STEP MESSAGE
    case $1 in
        lookup) found fail name "$2" 'the name of the endpoint is not known here' \
            'check the URL and the name server, or fix the address by --resolve HOST:PORT:ADDR' ;;
        connect) found fail connect "$2" 'nobody listens there, or a firewall is in between' \
            "check the URL's port, and that the service runs" ;;
        tls) found fail tls "$2" 'no agreement on how to encrypt' \
            'for a service without TLS the URL begins with http://; an old one may know only old versions' ;;
        certificate) found fail certificate "$2" 'the server may be anyone' \
            'name whom to trust by --cacert FILE, or reach it by the name in its certificate' ;;
        http) found fail answer "$2" 'what listens there is no HTTP server, or wants TLS or a client certificate' \
            'check that the URL says http or https rightly; --cert FILE --key FILE' ;;
    esac
}

find_tls() { # PROBE
    local version='' cipher='' subject='' expires='' days=0 verified='' time='' us=0

    json_value version tls_version "$1" || :
    [[ $version != null ]] || return 0
    json_value cipher tls_cipher "$1" || :
    json_value us tls_us "$1" || :
    as_ms time "$us"
    case $version in
        TLSv1.[23]) found ok tls "$version, $cipher, $time" ;;
        *) found warn tls "$version, $cipher, $time" \
            'this version is not safe any more' 'have the server updated' ;;
    esac
    json_value verified verified "$1" || :
    json_value subject subject "$1" || :
    json_value expires expires "$1" || :
    json_value days expires_days "$1" || :
    days=${days%.*}
    subject+=", until ${expires%T*}"
    if [[ $verified != true ]]; then
        json_value verified verify_message "$1" || :
        [[ $insecure == no ]] ||
            found warn certificate "$subject, $verified" \
                'the server may be anyone, and --insecure takes it' \
                'name whom to trust by --cacert FILE'
    elif [[ $days =~ ^[0-9]+$ ]] && ((days < 14)); then
        found warn certificate "$subject" "it ends in $days days" \
            'have it renewed'
    else
        found ok certificate "$subject, trusted"
    fi
}

find_clock() { # PROBE
    local offset='' ahead=ahead size

    json_value offset clock_offset_s "$1" || :
    if [[ ! $offset =~ ^-?[0-9]+$ ]]; then
        found note clock 'the server does not say its time' '' ''
        return
    fi
    ((offset >= 0)) || ahead=behind
    size=${offset#-}
    if ((size <= 60)); then
        found ok clock "$size s from the server's"
    elif ((size < 900)); then
        found warn clock "the server is $size s $ahead" \
            'most services refuse requests from 900 s on, some earlier' \
            "set this machine's clock (NTP)"
    else
        found fail clock "the server is $size s $ahead" \
            'services refuse requests that are signed more than 900 s off' \
            "set this machine's clock (NTP), or the server's"
    fi
}

# What s3op probe saw. Fails when the way ends before the service.
find_way() { # PROBE
    local step='' message='' host='' us=0 time='' count=0 address='' port='' n=0
    local plural=''

    json_value step failed "$1" || :
    json_value message message "$1" || :
    json_value host host "$1" || :
    json_value address address "$1" || :
    json_value port port "$1" || :
    json_value us lookup_us "$1" || :
    json_value count address_count "$1" || :
    if ((count > 0)); then
        as_ms time "$us"
        if [[ $host == "$address" ]]; then
            found ok name "$host is an address"
        else
            ((count == 1)) || plural=es
            found ok name "$host has $count address$plural, found in $time"
        fi
    fi
    json_value connect_us connect_us "$1" || :
    json_value n connects "$1" || :
    if [[ $connect_us != null ]]; then
        as_ms time "$connect_us"
        found ok connect "$address port $port, round trip $time (least of $n)"
    fi
    find_tls "$1"
    if [[ $step != null ]]; then
        find_end_of_way "$step" "$message"
        return 1
    fi
    json_value message server "$1" || :
    json_value n status "$1" || :
    found ok answer "server: ${message/#null/it does not say}; $n without a signature"
    find_clock "$1"
}

# --- the keys ---

explain_transport() {
    seen=$transport${message:+ ($message)}
    means='the connection failed' cure='try again; is the service in trouble?'
    case $transport in
        lookup) means='the name is not known' cure='--addressing path' ;;
        certificate) means='the certificate is for other names' cure='--addressing path, or --cacert FILE' ;;
        timeout) means='no answer in time' cure='--timeout TIME, if it only is slow' ;;
        mismatch | short) means='not the bytes that were written' cure='do not trust this service, or what lies in between, with data' ;;
    esac
}

# From the code of S3 to what it means, in words, and what cures it.
explain_code() {
    case $code in
        InvalidAccessKeyId) means='the service does not know this key id' cure='check AWS_ACCESS_KEY_ID or the profile: keys belong to one service' ;;
        SignatureDoesNotMatch) means='the secret key is another one, or something in between changes requests' cure='check AWS_SECRET_ACCESS_KEY' ;;
        ExpiredToken | InvalidToken | TokenRefreshRequired) means='the session token is no longer good' cure='get new keys' ;;
        RequestTimeTooSkewed) means="the clocks differ too much" cure="set this machine's clock (NTP)" ;;
        AuthorizationHeaderMalformed | PermanentRedirect | TemporaryRedirect) means='the region or the endpoint is another one' cure='--region NAME, or -d URL' ;;
        AccessDenied | AllAccessDisabled | AccountProblem) means='these keys are not allowed to' cure='have it allowed: the policies of user and bucket' ;;
        NoSuchBucket | NoSuchKey | NoSuchUpload) means='what was just made is not there' cure='the service is late, or something else deletes' ;;
        InvalidLocationConstraint | IllegalLocationConstraintException) means='buckets are made somewhere else' cure='-l NAME, or --region NAME' ;;
        BucketAlreadyExists) means="the name is somebody else's" cure='-b NAME, another one' ;;
        InvalidBucketName) means='the service has other rules for names' cure='-b NAME, another one' ;;
        TooManyBuckets | QuotaExceeded | InsufficientStorage | XMinioStorageFull | EntityTooLarge) means='there is no room' cure='delete something, or have the limit raised' ;;
        SlowDown* | ServiceUnavailable | Throttling* | TooManyRequests | InternalError | *Gateway* | Busy | ServerBusy) means='the service is too busy, or ill' cure='try again later' ;;
        NotImplemented | MethodNotAllowed) means='the service cannot do that' cure='' ;;
        *) return 1 ;;
    esac
}

# Set seen, means and cure from the failure in $answer.
explain_failure() {
    local rest=${answer#*\"failures\":} message=''

    code='' transport=''
    json_value code code "$rest" || :
    json_value transport transport "$rest" || :
    json_value message message "$rest" || :
    message=${message/#null/}
    code=${code/#null/}
    if [[ -n $transport && $transport != null ]]; then
        explain_transport
        return
    fi
    seen="${http_status:-no answer} $code${message:+ ($message)}"
    explain_code && return
    means='nothing that is known' cure='the text may tell'
    [[ $http_status != 403 ]] || means='these keys are not allowed to'
}

find_region() {
    local code=''

    if json_value code code "${answer#*\"failures\":}" &&
        [[ $code == AuthorizationHeaderMalformed ]]; then
        explain_failure
        found warn region "$region_name ($region_source): $seen" \
            "s3op found the right one by itself" '--region NAME saves the detour'
    else
        found ok region "$region_name ($region_source) is accepted"
    fi
}

find_style() { # MINE OTHER yes|no
    local -A names=([path]='bucket in the path' [virtual]='bucket in the host name')
    local used='' other=${names[$2]}

    json_value used addressing "$answer" || :
    if [[ $used == "$1" ]]; then
        found ok addressing "${names[$1]}; the endpoint is an address, which leaves no other way"
    elif [[ $3 == yes ]]; then
        found ok addressing "${names[$1]}; $other works, too"
    else
        found note addressing "${names[$1]}; $other does not work: $seen" \
            "$means, which is common" ''
    fi
}

# A median between the timer of delayed ACKs and a little more, though the
# way is short: nothing else is that regular.
find_latency() {
    local rest=${answer#*\"service_us\":} ops=0 p50=0 least=0 time least_time trip

    json_value ops count "$rest" || :
    json_value p50 p50 "$rest" || :
    json_value least min "$rest" || :
    [[ $p50 != null ]] || p50=$least
    get_p50_us=$p50
    as_ms time "$p50"
    as_ms least_time "$least"
    as_ms trip "$connect_us"
    if ((${p50%.*} >= 40000 && ${p50%.*} <= 46000 && ${least%.*} >= 38000 && \
        ${connect_us%.*} < 20000)); then
        found warn latency "GET of 1 KiB takes $time (median of $ops), the round trip only $trip" \
            "40 to 44 ms are a timer: the server's Nagle algorithm waits for a delayed ACK" \
            "have the server set TCP_NODELAY (radosgw: rgw_frontends = beast ... tcp_nodelay=1)"
    else
        found ok latency "GET of 1 KiB takes $time (median of $ops), $least_time at least"
    fi
}

# --- the whole ---

findings_json() {
    local text=''

    ((${#findings[@]} == 0)) || printf -v text '%s,' "${findings[@]}"
    printf '{"format":"s3perf-doctor 1","program":"s3perf","version":%s,"run":%s,"started":%s,"endpoint":%s,"builtin":%s,"interrupted":%s,"status":%d,"connect_us":%s,"get_p50_us":%s,"checks":[%s]}\n' \
        "$(json_string "$version")" "$(json_string "$run")" \
        "$(json_string "$started")" "$(json_or_null "$where")" \
        "$([[ -n $builtin_url ]] && echo true || echo false)" \
        "$([[ -n $stop_signal ]] && echo true || echo false)" \
        "$status_of_findings" "$connect_us" "$get_p50_us" "${text%,}" 2>/dev/null
}
