# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# s4cmd. It has no command that removes a bucket.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh
client_package=s4cmd

client_version() { s4cmd --version; }

client_prepare() {
    [[ $insecure == no ]] || client_cannot '--insecure'
    [[ -z $client_token ]] || client_cannot 'session tokens'
    client_file config <<END
[default]
s3 =
  addressing_style = $client_style
END
    client_env AWS_CONFIG_FILE "$client_folder/config"
    client_env AWS_DEFAULT_REGION "${location:-$client_region}"
    client_env S3_ACCESS_KEY "$client_key_id"
    client_env S3_SECRET_KEY "$client_secret"
    [[ -z $client_ca ]] || client_env AWS_CA_BUNDLE "$client_ca"
    client_env PYTHONWARNINGS ignore
    s4cmd=(s4cmd --endpoint-url "$client_url" --retry=1
        --max-singlepart-upload-size=5368709120
        --max-singlepart-download-size=5368709120)
}

client_create_bucket() { call=("${s4cmd[@]}" mb "s3://$1"); }
client_upload() { call=("${s4cmd[@]}" put "$1" "s3://$2/$3"); }
client_list() { call=("${s4cmd[@]}" ls "s3://$1/$2*"); }
client_download() { call=("${s4cmd[@]}" get -f "s3://$1/$2" "$3"); }
client_erase_object() { call=("${s4cmd[@]}" del "s3://$1/$2"); }
client_erase_bucket() { return 1; }
