# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# s3, the program of libs3. It signs by version 2, and trusts whom the system
# trusts.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh
client_package=libs3-2

client_version() { dpkg-query -W -f '${Version}\n' libs3-2; }

client_prepare() {
    [[ $insecure == no ]] || client_cannot '--insecure'
    [[ -z $client_token ]] || client_cannot 'session tokens'
    client_env S3_ACCESS_KEY_ID "$client_key_id"
    client_env S3_SECRET_ACCESS_KEY "$client_secret"
    client_env S3_HOSTNAME "$client_host"
    [[ -z $client_ca ]] || client_cannot '--cacert'
    s3=(s3 -r 0)
    [[ $client_style == path ]] || s3+=(-h)
    [[ $client_tls == yes ]] || s3+=(-u)
}

client_create_bucket() { call=("${s3[@]}" create "$1" ${location:+"location=$location"}); }
client_upload() { call=("${s3[@]}" put "$2/$3" "filename=$1"); }
client_list() { call=("${s3[@]}" list "$1" "prefix=$2"); }
client_download() { call=("${s3[@]}" get "$1/$2" "filename=$3"); }
client_erase_object() { call=("${s3[@]}" delete "$1/$2"); }
client_erase_bucket() { call=("${s3[@]}" delete "$1"); }
