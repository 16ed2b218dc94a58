#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The summaries of s3perf (2017) and ossperf, byte for byte, and the numbers
# that they share with results.csv.
. "${srcdir:-.}/t/test-lib.sh"
golden=$srcdir/t/data/s3perf

# Times and rates vary; what surrounds them does not.
masked() { # FILE
    sed -E 's/(0|[0-9]+\.[0-9]{3})( ?s)$/TIME\2/; s/([0-9]+\.[0-9]{3}|0)? Mbps$/RATE Mbps/' "$1"
}

same_as_golden() { # NAME FILE
    masked "$2" >"$2.masked"
    diff -u "$golden/$1" "$2.masked"
}

# An s3op that measures, then claims to have measured what we say.
set_times() { # CREATE UPLOAD LIST DOWNLOAD ERASE REMOVE
    cat >s3op-timed <<END
#!/usr/bin/env bash
'$S3OP' "\$@" || exit
while ((\$# > 0)); do
    [[ \$1 != --phase ]] || phase=\$2
    [[ \$1 != --cell ]] || cell=\$2
    shift
done
[[ -n \${cell:-} ]] || exit 0
case \$phase in
    create-bucket) time=$1 ;;
    upload) time=$2 ;;
    list) time=$3 ;;
    download) time=$4 ;;
    erase-objects) time=$5 ;;
    erase-bucket) time=$6 ;;
esac
awk -F '\t' -v OFS='\t' -v phase="\$phase" -v time="\$time" '
    /^#/ { print; next }
    !at { for (i = 1; i <= NF; i++) if (\$i == "window_s") at = i }
    \$2 == phase { \$at = time }
    { print }' "\$cell" >cell.new
mv cell.new "\$cell"
END
    chmod +x s3op-timed
    export S3OP=$PWD/s3op-timed
}

six_lines() {
    "$S3PERF" -n 5 -s 4096 -p --compat s3perf >out 2>err
    same_as_golden compat-s3perf.txt out
    is "$(wc -l <err)" 1
}

ten_lines() {
    "$S3PERF" -n 5 -s 4096 -p --compat ossperf -q >out 2>err
    same_as_golden compat-ossperf.txt out
    [[ ! -s err ]]
}

# 5 x 16 MiB over ADSL, as published in 2017: cut, not rounded.
published_figures() {
    set_times 1.4529 146.80799 9.9999 36.0639 2.9749 1.58299
    "$S3PERF" -n 5 -s 16777216 --compat s3perf -q >out
    diff -u "$golden/published-s3perf.txt" out
    "$S3PERF" -n 5 -s 16777216 --compat ossperf -o -q >out
    diff -u "$golden/published-ossperf.txt" out
    is "$(sed -n '2s/^[^ ]* [^ ]* //p' results.csv)" \
        '5 16777216 1.452 146.807 9.999 36.063 2.974 1.582 198.877 4.571 18.608'
}

last_lines() { # SIZE UPLOAD DOWNLOAD: prints both rates
    set_times 0.0009 "$2" 1 "$3" 0.0401 0.5
    rm -f results.csv
    "$S3PERF" -n 5 -s "$1" --compat ossperf -o -q >out
    S3OP=$top_builddir/s3op
    sed -n 's/.* of the files: *\([^ ]*\) Mbps$/\1/p' out
}

small_rates_collapse() {
    # 5 x 1 KiB in 2 s; 5 x 1 B; and three divisions, each of them cut.
    is "$(last_lines 1024 2.0 1.999)" $'0.020\n0.020'
    is "$(last_lines 1 2.0 0.001)" $'0\n0.040'
    is "$(last_lines 3333 0.7 1.1)" $'0.190\n0.121'
}

zero_is_a_plain_zero() {
    is "$(last_lines 1 0.0009999 0.000000001)" ''
    has out '^\[1\] Required time to create the bucket: {17}0 s$' \
        '^\[5\] .* 0\.040 s$' \
        '^    Required .* operations: 1\.540 s$' \
        '^    Bandwidth during the upload of the files: {12}Mbps$'
    # A file for programs keeps its columns.
    is "$(sed -n '2s/^[^ ]* [^ ]* //p' results.csv)" \
        '5 1 0 0 1.000 0 0.040 0.500 1.540 - -'
}

fixed_names_with_b() {
    start_s3mem
    "$S3PERF" -n 2 -s 10 -b ossperf-testbucket --compat ossperf >out 2>err
    same_as_golden compat-ossperf.txt out
    [[ ! -s err ]]
    "$S3OP" ls -o listed s3:// >out
    [[ ! -s listed ]]
    # Without -b the name is unique in these modes as well.
    log=$PWD/claim
    "$S3PERF" -n 1 -s 1 --compat ossperf -v >out 2>"$log"
    has "$log" 's3op mb .* s3://s3perf-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$'
    stop_s3mem
}

an_existing_bucket_keeps_the_shape() {
    start_s3mem
    "$S3OP" mb s3://there >/dev/null
    "$S3PERF" -n 2 -s 10 -b there --compat s3perf >out 2>err
    same_as_golden compat-s3perf.txt out
    has out '^Required time to create the bucket: {17}0s$'
    has err 'bucket there existed'
    "$S3OP" head s3://there >/dev/null
    stop_s3mem
}

nothing_else_on_failure() {
    start_s3mem
    expect_exit 1 "$S3PERF" -u -n 1 -s 1 -l nowhere --compat s3perf >out 2>err
    [[ ! -s out ]]
    has err '^FAILED in create bucket: '
    stop_s3mem
}

test_expect '--compat s3perf: six lines' six_lines
test_expect '--compat ossperf: ten lines' ten_lines
test_expect 'the published figures' published_figures
test_expect 'small rates collapse as in ossperf' small_rates_collapse
test_expect 'zero is a plain 0, and its rate is empty' zero_is_a_plain_zero
test_expect "ossperf's bucket name only with -b" fixed_names_with_b
test_expect 'an existing bucket: same lines' an_existing_bucket_keeps_the_shape
test_expect 'a failure: nothing on standard output' nothing_else_on_failure
done_testing
