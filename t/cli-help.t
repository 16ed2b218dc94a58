#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# GNU conventions of all programs: --help, --version, bad usage.
. "${srcdir:-.}/t/test-lib.sh"

version=$(sed -n 's/.*S3PERF_VERSION "\(.*\)"/\1/p' \
    "$top_builddir/src/version.h")

help_goes_to_standard_output() { # NAME PROGRAM
    "$2" "${@:3}" --help >help 2>err
    "$2" "${@:3}" -h >short 2>>err
    is "$(cat err)" '' 'standard error'
    has help "^[Uu]sage: .*$1" --version --help
    cmp help short
    is "$(awk 'length($0) > 80' help)" '' 'lines over 80 columns'
    hasnt help '[[:blank:]]$'
}

version_names_program_and_commit() { # NAME PROGRAM
    "$2" "${@:3}" --version >out 2>err
    "$2" "${@:3}" -V >short 2>>err
    is "$(cat err)" '' 'standard error'
    cmp out short
    read -r line <out
    is "${line%% *}" "$1" 'first word'
    is "${line##* }" "$version" 'last word'
    [[ -n $version ]]
}

bad_options_are_usage_errors() { # NAME PROGRAM
    expect_exit 2 "$2" "${@:3}" --no-such-option >out 2>err
    is "$(cat out)" '' 'standard output'
    has err "^$1: .*no-such-option"
    hasnt err '[.!]$'
}

a_full_disk_is_no_success() { # PROGRAM
    [[ -w /dev/full ]] || return 0
    fails "$1" --help >/dev/full 2>err
    fails "$1" --version >/dev/full 2>err
}

no_or_unknown_verb_is_a_usage_error() {
    expect_exit 2 "$S3OP" >out 2>err
    has err '^s3op: '
    expect_exit 2 "$S3OP" fly s3://b/k >out 2>err
    has err "^s3op: .*'?fly'?"
    is "$(cat out)" '' 'standard output'
}

unknown_sub_command_is_a_usage_error() {
    expect_exit 2 "$S3PERF" fly >out 2>err
    has err "^s3perf: .*'fly'"
    is "$(cat out)" '' 'standard output'
}

for program in "$S3OP" "$S3MEM" "$S3STAT" "$S3PERF"; do
    name=${program##*/}
    name=${name%.sh}
    test_expect "$name --help" help_goes_to_standard_output \
        "$name" "$program"
    test_expect "$name --version" version_names_program_and_commit \
        "$name" "$program"
    test_expect "$name and an unknown option" bad_options_are_usage_errors \
        "$name" "$program"
    test_expect "$name writes to a full disk" a_full_disk_is_no_success \
        "$program"
done
test_expect 's3op without a known verb' no_or_unknown_verb_is_a_usage_error
test_expect 's3perf with an unknown sub-command' \
    unknown_sub_command_is_a_usage_error
done_testing
