# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# s3cmd, with a configuration file of its own.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh
client_package=s3cmd

client_version() { s3cmd --version; }

client_prepare() {
    local host_bucket=$client_host https=False check=True

    [[ $client_style == path ]] || host_bucket="%(bucket)s.$client_host"
    [[ $client_tls == no ]] || https=True
    [[ $insecure == no ]] || check=False
    client_file s3cfg <<END
[default]
access_key = $client_key_id
secret_key = $client_secret
access_token = $client_token
bucket_location = ${location:-$client_region}
host_base = $client_host
host_bucket = $host_bucket
use_https = $https
ca_certs_file = $client_ca
check_ssl_certificate = $check
enable_multipart = False
END
    s3cmd=(s3cmd -c "$client_folder/s3cfg" --no-progress)
}

client_create_bucket() { call=("${s3cmd[@]}" mb "s3://$1"); }
client_upload() { call=("${s3cmd[@]}" put "$1" "s3://$2/$3"); }
client_list() { call=("${s3cmd[@]}" ls "s3://$1/$2"); }
client_download() { call=("${s3cmd[@]}" get --force "s3://$1/$2" "$3"); }
client_erase_object() { call=("${s3cmd[@]}" del "s3://$1/$2"); }
client_erase_bucket() { call=("${s3cmd[@]}" rb "s3://$1"); }
