# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# rclone, with a remote that stands in its environment only.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh
client_package=rclone

client_version() { rclone version; }

remote() { client_env "RCLONE_CONFIG_S3PERF_$1" "$2"; }

client_prepare() {
    remote TYPE s3
    remote PROVIDER Other
    remote ENDPOINT "$client_url"
    remote REGION "$client_region"
    remote LOCATION_CONSTRAINT "$location"
    remote ACCESS_KEY_ID "$client_key_id"
    remote SECRET_ACCESS_KEY "$client_secret"
    remote SESSION_TOKEN "$client_token"
    [[ $client_style == path ]] || remote FORCE_PATH_STYLE false
    client_env RCLONE_CONFIG /dev/null
    [[ -z $client_ca ]] || client_env RCLONE_CA_CERT "$client_ca"
    [[ $insecure == no ]] || client_env RCLONE_NO_CHECK_CERTIFICATE true
    rclone=(rclone --retries 1 --low-level-retries 1 --multi-thread-streams 0)
    # Or each upload would make the bucket if it is not there.
    upload=(--s3-upload-cutoff 5G --s3-no-check-bucket)
}

client_create_bucket() { call=("${rclone[@]}" mkdir "s3perf:$1"); }
client_upload() { call=("${rclone[@]}" "${upload[@]}" copyto "$1" "s3perf:$2/$3"); }
client_list() { call=("${rclone[@]}" lsf "s3perf:$1/${2%"${2##*/}"}"); }
client_download() { call=("${rclone[@]}" copyto "s3perf:$1/$2" "$3"); }
client_erase_object() { call=("${rclone[@]}" deletefile "s3perf:$1/$2"); }
client_erase_bucket() { call=("${rclone[@]}" rmdir "s3perf:$1"); }
