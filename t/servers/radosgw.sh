#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A throw-away Ceph of one node (mon, memstore osd, radosgw) on loopback.
# usage: radosgw.sh start DATADIR [PORT]   print where it is, as NAME=VALUE
#        radosgw.sh status DATADIR         0 when all three daemons run
#        radosgw.sh stop DATADIR           end them, keep DATADIR
#        radosgw.sh clean DATADIR          end them, remove DATADIR
# It uses the 20 ports from PORT on: http, https, mon, then the osd's. By
# default a free block is picked. Keep DATADIR short (socket names) and on
# /dev/shm. Runs as an ordinary user, too.
# Environment: MEMGB=4 size of the store, at most that much memory is used
#              (a full one hangs)    RGW_THREADS=8
#              DNSNAME=localhost (virtual hosts BUCKET.localhost)
#              ACCESS_KEY SECRET_KEY
set -euo pipefail
export LC_ALL=C
readonly me=${0##*/}
access_key=${ACCESS_KEY:-AKIDBENCH0123456789A}
secret_key=${SECRET_KEY:-benchSecretKey0123456789abcdefghijklmnop0}
mem_gb=${MEMGB:-4} threads=${RGW_THREADS:-8} dns_name=${DNSNAME-localhost}
readonly block=20 # ports an instance may use

die() { # MESSAGE...
    printf '%s: %s\n' "$me" "$*" >&2
    exit 1
}

daemon_pid() { # DIR NAME: print the pid if it runs and is ours
    local pid stat

    pid=$(cat "$1/$2.pid" 2>/dev/null) || return
    stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return
    [[ ${stat##*) } != Z* ]] || return
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null |
        grep -qF -- "$1/ceph.conf" || return
    echo "$pid"
}

status() { # DIR
    daemon_pid "$1" mon && daemon_pid "$1" osd && daemon_pid "$1" rgw
}

stop() { # DIR
    local name pid i live=()

    for name in rgw osd mon; do
        pid=$(daemon_pid "$1" "$name") || continue
        kill -TERM "$pid" 2>/dev/null || continue
        live+=("$name")
    done
    # radosgw can take 5 s over SIGTERM; there is nothing to save.
    for ((i = 0; i < 6 && ${#live[@]} > 0; i++)); do
        status_any "$1" "${live[@]}" || break
        sleep 0.05
    done
    for name in "${live[@]}"; do
        pid=$(daemon_pid "$1" "$name") || continue
        kill -KILL "$pid" 2>/dev/null || continue
    done
    for ((i = 0; i < 100; i++)); do # the ports must be free on return
        status_any "$1" "${live[@]}" || break
        sleep 0.02
    done
    rm -f "$1"/{rgw,osd,mon}.pid
}

status_any() { # DIR NAME...: at least one of them runs
    local name

    for name in "${@:2}"; do
        ! daemon_pid "$1" "$name" >/dev/null || return 0
    done
    return 1
}

block_free() { # PORT: no socket of any kind sits on the block
    local i names=()

    for ((i = $1; i < $1 + block; i++)); do
        names+=(-e "$(printf '^ *[0-9]+: [0-9A-F]+:%04X ' "$i")")
    done
    ! cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        grep -E "${names[@]}" >/dev/null
}

pick_port() { # below what the kernel gives to clients (from 32768 on)
    local port try

    for ((try = 0; try < 100; try++)); do
        port=$((10000 + RANDOM % 1000 * block))
        if block_free "$port"; then
            echo "$port"
            return
        fi
    done
    die 'no free block of ports'
}

make_certificate() { # DIR
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
        -nodes -days 30 -subj /CN=localhost -addext \
        'subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1' \
        -keyout "$1/key.pem" -out "$1/cert.pem" 2>/dev/null
}

# No cephx, one copy, few placement groups, nothing that needs a manager;
# short paxos rounds make the start fast.
conf_cluster() { # DIR PORT FSID
    cat <<END
[global]
fsid = $3
mon_host = v2:127.0.0.1:$(($2 + 2))
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
ms_bind_port_min = $(($2 + 3))
ms_bind_port_max = $(($2 + block - 1))
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = $1
admin_socket = $1/\$name.asok
log_file = $1/\$name.log
log_to_stderr = false
err_to_stderr = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_crush_chooseleaf_type = 0
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
mon_client_hunt_interval = 0.1
mon_clock_drift_allowed = 1
objecter_tick_interval = 1
[mon]
mon_tick_interval = 1
mon_data = $1/mon
mon_data_avail_warn = 1
mon_data_avail_crit = 0
mon_memory_target = 268435456
[osd]
osd_data = $1/osd
osd_journal = $1/osd/journal
osd_objectstore = memstore
osd_class_load_list = *
osd_class_default_list = *
memstore_device_bytes = $((mem_gb * 1024 * 1024 * 1024))
memstore_page_set = false
osd_memory_target = 939524096
osd_op_num_shards = 2
osd_op_num_threads_per_shard = 2
osd_mon_report_interval = 1
osd_enable_op_tracker = false
END
}

# ms_mon_client_mode: radosgw's default "secure" cannot work without cephx.
# tcp_nodelay: without it every small GET takes 40 ms. The rgw_gc values
# give the space of deleted objects back at once, not after two hours.
conf_gateway() { # DIR PORT
    cat <<END
[client.rgw.a]
rgw_data = $1/rgw
ms_mon_client_mode = crc
rgw_frontends = beast endpoint=127.0.0.1:$2 tcp_nodelay=1 \
ssl_endpoint=127.0.0.1:$(($2 + 1)) ssl_certificate=$1/cert.pem \
ssl_private_key=$1/key.pem
rgw_dns_name = $dns_name
rgw_thread_pool_size = $threads
rgw_enable_apis = s3
rgw_enable_lc_threads = false
rgw_enable_quota_threads = false
rgw_run_sync_thread = false
rgw_dynamic_resharding = false
rgw_enable_usage_log = false
rgw_enable_ops_log = false
rgw_gc_obj_min_wait = 0
rgw_gc_processor_period = 1
rgw_gc_processor_max_time = 30
debug_rgw = 0/1
debug_ms = 0/0
END
}

launch() { # DIR NAME COMMAND [ARG]...
    "${@:3}" </dev/null >"$1/$2.out" 2>&1 &
    echo $! >"$1/$2.pid"
}

wait_until() { # DIR DAEMON COMMAND...: poll up to 20 s while DAEMON lives
    local i

    for ((i = 0; i < 1000; i++)); do
        ! "${@:3}" || return 0
        daemon_pid "$1" "$2" >/dev/null || return 1
        sleep 0.02
    done
    return 1
}

osd_is_active() { # DIR: a pool made earlier would cost a 5 s tick
    grep -q 'booting -> active' "$1/osd.0.log" 2>/dev/null
}

listens() { # PORT
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# A signed request: what listens there is our gateway with our user.
answers() { # DIR PORT
    local code

    code=$(
        curl -sS -K - -o "$1/answer" -w '%{http_code}' -m 20 \
            "http://127.0.0.1:$2/" <<END
aws-sigv4 = "aws:amz:default:s3"
user = "$access_key:$secret_key"
header = "x-amz-content-sha256: UNSIGNED-PAYLOAD"
noproxy = "*"
END
    ) && [[ $code == 200 ]]
}

start_daemons() { # DIR PORT
    local dir=$1 port=$2 conf=$1/ceph.conf fsid osd

    rm -rf "$dir"/{mon,osd,rgw,*.asok,*.log}
    mkdir -p "$dir"/{mon,osd,rgw}
    fsid=$(cat /proc/sys/kernel/random/uuid)
    osd=$(cat /proc/sys/kernel/random/uuid)
    make_certificate "$dir"
    conf_cluster "$dir" "$port" "$fsid" >"$conf"
    conf_gateway "$dir" "$port" >>"$conf"
    monmaptool --create --clobber --fsid "$fsid" \
        --addv a "[v2:127.0.0.1:$((port + 2))]" "$dir/monmap" >/dev/null
    ceph-mon -c "$conf" --mkfs -i a --monmap "$dir/monmap" \
        --fsid "$fsid" >/dev/null
    launch "$dir" mon ceph-mon -c "$conf" -i a -f
    ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd" >/dev/null 2>&1
    wait_until "$dir" mon listens $((port + 2))
    ceph -c "$conf" --connect-timeout 20 osd new "$osd" >/dev/null
    launch "$dir" osd ceph-osd -c "$conf" -i 0 -f
    wait_until "$dir" osd osd_is_active "$dir"
    radosgw-admin -c "$conf" user create --uid=bench --display-name=bench \
        --access-key="$access_key" --secret-key="$secret_key" \
        --max-buckets=100000 >"$dir/user.json" 2>"$dir/user.err"
    launch "$dir" rgw radosgw -c "$conf" -n client.rgw.a -f
    wait_until "$dir" rgw listens "$port"
    wait_until "$dir" rgw listens $((port + 1))
    answers "$dir" "$port"
    status "$dir" >/dev/null
}

start() { # DIR [PORT]
    local dir=$1 port=${2:-} tries=1 rc

    ! status_any "$dir" mon osd rgw || die "$dir already holds a cluster"
    if [[ -z $port ]]; then
        tries=3 # another one may take the ports after we looked
    elif ! block_free "$port"; then
        die "some port of $port..$((port + block - 1)) is taken"
    fi
    for (( ; tries > 0; tries--)); do
        port=${2:-$(pick_port)}
        set +e
        (
            set -e
            start_daemons "$dir" "$port"
        )
        rc=$?
        set -e
        ((rc != 0)) || break
        stop "$dir"
    done
    ((rc == 0)) || {
        tail -n 3 "$dir"/*.out "$dir"/*.err >&2 || :
        die "start failed, see $dir"
    }
    printf '%s=%s\n' endpoint "http://127.0.0.1:$port" \
        endpoint_tls "https://127.0.0.1:$((port + 1))" \
        cacert "$dir/cert.pem" region default \
        access_key "$access_key" secret_key "$secret_key"
}

main() {
    local dir

    case ${1:-} in
        start) (($# == 2 || $# == 3)) || die 'usage: start DATADIR [PORT]' ;;
        status | stop | clean) (($# == 2)) || die "usage: $1 DATADIR" ;;
        *)
            sed -n '3,14s/^# //p' "$0"
            exit 2
            ;;
    esac
    [[ $1 != start ]] || mkdir -p "$2"
    dir=$(cd "$2" 2>/dev/null && pwd) || {
        [[ $1 != status ]]
        exit
    }
    case $1 in
        start) start "$dir" "${@:3}" ;;
        status) status "$dir" >/dev/null ;;
        stop) stop "$dir" ;;
        clean)
            stop "$dir"
            rm -rf "$dir"
            ;;
    esac
}

main "$@"
