#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is wrong with an input is said in one line, with file and line number.
. "${srcdir:-.}/t/test-lib.sh"
# shellcheck source=t/s3stat-suite.sh
. "$srcdir/t/s3stat-suite.sh"

head_lines=3 # of what make-records prints

refused() { # REGEX FILE: status 2, one line, nothing printed
    expect_exit 2 "$S3STAT" summary "$2" >out 2>err
    is "$(wc -l <err)" 1 'lines of error'
    is "$(cat out)" '' 'standard output'
    has err "^s3stat: $1"
}

# Replace field NUMBER of the record on LINE of good.tsv.
with_field() { # LINE NUMBER VALUE
    awk -F '\t' -v OFS='\t' -v line="$1" -v n="$2" -v value="$3" '
        NR == line { $n = value } { print }' good.tsv >bad.tsv
}

bad_values_have_a_line() {
    with_field 17 2 NaN
    refused "bad.tsv:17: bad start_us 'NaN'$" bad.tsv
    with_field 4 2 inf
    refused "bad.tsv:4: bad start_us 'inf'$" bad.tsv
    with_field 18 10 -5.000
    refused 'bad.tsv:18: a stage is negative$' bad.tsv
    with_field 18 3 -5.000
    refused 'bad.tsv:18: the record ends before it (starts|is due)$' bad.tsv
    with_field 9 15 -4096
    refused "bad.tsv:9: bad size '-4096'$" bad.tsv
    with_field 9 15 18446744073709551616
    refused "bad.tsv:9: bad size '18446744073709551616'$" bad.tsv
    with_field 9 3 ''
    refused 'bad.tsv:9: no due_us, start_us or end_us$' bad.tsv
    with_field 9 14 "$(printf 'k%0100d%%zz' 0)"
    refused "bad.tsv:9: bad key 'k0{39}\.\.\.'$" bad.tsv
    with_field 9 22 $'\e[31m'
    refused "bad.tsv:9: bad reused '\?\[31m'$" bad.tsv
}

cut_off_files_are_noticed() {
    local size

    size=$(wc -c <good.tsv)
    head -c $((size - 1)) good.tsv >cut.tsv
    refused "cut.tsv:$(wc -l <good.tsv): the last line is cut off$" cut.tsv
    head -c $((size / 2)) good.tsv >cut.tsv
    refused 'cut.tsv:[0-9]+: the last line is cut off$' cut.tsv
    zstd -q -c good.tsv >good.zst
    head -c $(($(wc -c <good.zst) / 2)) good.zst >cut.zst
    refused 'cut.zst: damaged or cut off, says zstd, after line [0-9]+$' cut.zst
    gzip -c good.tsv >good.gz
    head -c $(($(wc -c <good.gz) / 2)) good.gz >cut.gz
    refused 'cut.gz: damaged or cut off, says gzip, after line [0-9]+$' cut.gz
    { head -c 30 good.zst && head -c 200 /dev/zero; } >odd.zst
    refused 'odd.zst: damaged or cut off, says zstd' odd.zst
    printf '\x28\xb5\x2f\xfd' >short.zst
    refused 'short.zst: damaged or cut off, says zstd' short.zst
}

heads_are_checked() {
    : >empty.tsv
    refused 'empty.tsv: is empty$' empty.tsv
    sed "1,${head_lines}d" good.tsv >bare.tsv
    refused "bare.tsv:1: is no '# s3perf-ops 1'" bare.tsv
    head -n 2 good.tsv >head.tsv
    refused 'head.tsv:2: ends before the names of its columns$' head.tsv
    sed '1s/1$/2/' good.tsv >new.tsv
    refused "new.tsv:1: is no '# s3perf-ops 1'" new.tsv
    sed '3s/end_us/fin_us/' good.tsv >column.tsv
    refused "column.tsv:3: there is no column 'end_us'$" column.tsv
    sed '3s/end_us/start_us/' good.tsv >column.tsv
    refused "column.tsv:3: there are two columns 'start_us'$" column.tsv
    head -c 300000 /dev/urandom | tr -d '\n' >noise.tsv
    refused 'noise.tsv:1: ' noise.tsv
    refused "cannot read 'none.tsv': No such file" none.tsv
    expect_exit 2 "$S3STAT" summary - <empty.tsv >out 2>err
    has err '^s3stat: standard input: is empty$'
    head -n "$head_lines" good.tsv >nothing.tsv # no record is no error
    expect_exit 0 "$S3STAT" summary nothing.tsv >out
    has out '^no records$'
}

# A line of ten million bytes must neither be kept nor be taken for short.
long_lines_are_refused() {
    { cat good.tsv && head -c 10000000 /dev/zero | tr '\0' x && echo; } >long.tsv
    refused "long.tsv:$(($(wc -l <good.tsv) + 1)): longer than 65536 bytes$" \
        long.tsv
    head -c 10000000 /dev/zero | tr '\0' x >long.tsv
    refused 'long.tsv:1: longer than 65536 bytes$' long.tsv
    { cat good.tsv && printf 'a\0b\n'; } >zero.tsv
    refused "zero.tsv:$(($(wc -l <good.tsv) + 1)): " zero.tsv
}

too_many_names_are_refused() {
    awk -F '\t' -v OFS='\t' 'NR > 3 { $12 = "op" NR } { print }' \
        many.tsv >ops.tsv
    refused 'ops.tsv:[0-9]+: too many different texts or groups$' ops.tsv
    awk -F '\t' -v OFS='\t' 'NR > 3 { $25 = "host" NR } { print }' \
        many.tsv >hosts.tsv
    expect_exit 2 "$S3STAT" summary --by host hosts.tsv >out 2>err
    has err '^s3stat: hosts.tsv:[0-9]+: too many different texts or groups$'
    "$S3STAT" summary hosts.tsv >out # who does not ask for them need not care
}

warp_files_are_checked() {
    local warp=$stat_data/warp.csv

    "$S3STAT" summary "$warp" >out || :
    sed '5s/2023-11-23T/2023-13-23T/' "$warp" >month.csv
    refused "month.csv:5: bad start '2023-13-23T" month.csv
    sed '5s/\t[^\t]*$//' "$warp" >field.csv
    refused 'field.csv:5: wrong number of fields$' field.csv
    sed '1s/\tbytes//' "$warp" >column.csv
    refused "column.csv:1: there is no column 'bytes'$" column.csv
    sed '/^connection reset/s/"//' "$warp" >quote.csv
    refused 'quote.csv:[0-9]+: ' quote.csv
    sed '5s/\t1048576\t/\t-1\t/' "$warp" >bytes.csv
    refused "bytes.csv:5: bad bytes '-1'$" bytes.csv
}

histograms_are_checked() {
    local hist=$stat_data/get.hist line

    line=$(grep -n '^bucket' "$hist" | head -n 1 | cut -d : -f 1)
    sed "$((line + 3))s/.*/5\t1/" "$hist" >order.hist
    refused "order.hist:$((line + 3)): 5.1: is not in order$" order.hist
    sed 's/^# count: 500/# count: 501/' "$hist" >count.hist
    refused 'count.hist:[0-9]+: .*the counts do not add up$' count.hist
    head -n $((line - 2)) "$hist" >cut.hist
    refused 'cut.hist:[0-9]+: .*' cut.hist
}

formats_do_not_mix() {
    expect_exit 2 "$S3STAT" summary --merge good.tsv "$stat_data/get.hist" \
        >out 2>err
    has err 'get.hist: is of another format than good.tsv$'
    printf '# s3perf-cells 1\ntarget\tphase\n' >cells.tsv
    refused 'cells.tsv: is a table of cells' cells.tsv
}

a_tool_that_is_missing_is_said() {
    mkdir empty
    zstd -q -c good.tsv >good.zst
    PATH=$PWD/empty expect_exit 2 "$S3STAT" summary good.zst >out 2>err
    has err "^s3stat: cannot read 'good.zst' through zstd: No such file"
}

a_full_disk_is_said() {
    [[ -w /dev/full ]] || return 0
    expect_exit 4 "$S3STAT" summary good.tsv >/dev/full 2>err
    has err '^s3stat: standard output could not be written'
}

"$make_records" 2000 8 1 >good.tsv
"$make_records" 6000 8 1 >many.tsv
test_expect 'bad values have a line' bad_values_have_a_line
test_expect 'files that are cut off' cut_off_files_are_noticed
test_expect 'heads are checked' heads_are_checked
test_expect 'long lines are refused' long_lines_are_refused
test_expect 'too many names are refused' too_many_names_are_refused
test_expect "warp's files are checked" warp_files_are_checked
test_expect 'histograms are checked' histograms_are_checked
test_expect 'formats do not mix' formats_do_not_mix
test_expect 'a tool that is missing' a_tool_that_is_missing_is_said
test_expect 'a full disk' a_full_disk_is_said
done_testing
