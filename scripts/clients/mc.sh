# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# MinIO's mc. Not tested with the program itself, which Debian does not have;
# Debian's mc is Midnight Commander.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh

client_version() { mc --version | grep '^mc version '; }

client_prepare() {
    local keys=$client_key_id:$client_secret

    [[ -z $client_token ]] || keys+=:$client_token
    client_env MC_CONFIG_DIR "$client_folder"
    client_env MC_HOST_s3perf "${client_url%%://*}://$keys@$client_host"
    [[ -z $client_ca ]] || client_env SSL_CERT_FILE "$client_ca"
    mc=(mc --quiet)
    [[ $insecure == no ]] || mc+=(--insecure)
}

client_create_bucket() { call=("${mc[@]}" mb ${location:+--region "$location"} "s3perf/$1"); }
client_upload() { call=("${mc[@]}" cp --disable-multipart "$1" "s3perf/$2/$3"); }
client_list() { call=("${mc[@]}" ls --recursive "s3perf/$1/${2%"${2##*/}"}"); }
client_download() { call=("${mc[@]}" cp "s3perf/$1/$2" "$3"); }
client_erase_object() { call=("${mc[@]}" rm "s3perf/$1/$2"); }
client_erase_bucket() { call=("${mc[@]}" rb "s3perf/$1"); }
