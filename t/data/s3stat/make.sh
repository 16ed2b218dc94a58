#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Make the golden files anew from what s3stat prints now; look at the
# difference before you commit it. usage: t/data/s3stat/make.sh, in the tree
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.."
srcdir=$PWD
# shellcheck source=t/test-lib.sh
. "$srcdir/t/test-lib.sh"
# shellcheck source=t/s3stat-suite.sh
. "$srcdir/t/s3stat-suite.sh"
while read -r name status args; do
    # shellcheck disable=SC2086 # they are words
    expect_exit "$status" stat_golden $args >"$stat_data/$name.out" ||
        note "look at $name"
done < <(stat_golden_commands)
