# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The AWS command line: "aws s3", one plain request for each object.
# shellcheck disable=SC2034,SC2154 # names are shared with s3perf-clients.sh
client_package=awscli

client_version() { aws --version; }

client_prepare() {
    client_file config <<END
[default]
s3 =
  addressing_style = $client_style
  multipart_threshold = 5GB
END
    client_env AWS_CONFIG_FILE "$client_folder/config"
    client_env AWS_SHARED_CREDENTIALS_FILE /dev/null
    client_env AWS_EC2_METADATA_DISABLED true
    client_env AWS_MAX_ATTEMPTS 1
    client_env AWS_DEFAULT_REGION "${location:-$client_region}"
    client_env AWS_ACCESS_KEY_ID "$client_key_id"
    client_env AWS_SECRET_ACCESS_KEY "$client_secret"
    [[ -z $client_token ]] || client_env AWS_SESSION_TOKEN "$client_token"
    [[ -z $client_ca ]] || client_env AWS_CA_BUNDLE "$client_ca"
    aws=(aws --endpoint-url "$client_url")
    [[ $insecure == no ]] || aws+=(--no-verify-ssl)
    aws+=(s3)
}

client_create_bucket() { call=("${aws[@]}" mb "s3://$1"); }
client_upload() { call=("${aws[@]}" cp --no-progress "$1" "s3://$2/$3"); }
client_list() { call=("${aws[@]}" ls "s3://$1/$2"); }
client_download() { call=("${aws[@]}" cp --no-progress "s3://$1/$2" "$3"); }
client_erase_object() { call=("${aws[@]}" rm "s3://$1/$2"); }
client_erase_bucket() { call=("${aws[@]}" rb "s3://$1"); }
