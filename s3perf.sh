#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Run s3perf from this source tree, without installing it. The programs are
# those built here, or in the folder that S3PERF_BUILD names.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=${S3PERF_BUILD:-$here}
for program in s3op s3mem s3stat s3lap; do
    [[ -x $build/$program ]] || {
        echo "s3perf.sh: $build/$program is not built:" \
            "run ./bootstrap.sh first" >&2
        exit 2
    }
done
build=$(cd -- "$build" && pwd)
export S3OP=${S3OP:-$build/s3op} S3MEM=${S3MEM:-$build/s3mem}
export S3STAT=${S3STAT:-$build/s3stat}
export S3LAP=${S3LAP:-$build/s3lap}
export S3PERF_LIBEXEC=$here/scripts
exec "$here/scripts/s3perf" "$@"
