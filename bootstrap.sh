#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh clone or tarball to a built tree. See --help.
set -euo pipefail
export LC_ALL=C
readonly me=bootstrap.sh

# Why each of them: doc/dependencies.md.
readonly build_packages=(gcc libc6-dev make pkg-config libcurl4-openssl-dev
    libssl-dev libexpat1-dev libmicrohttpd-dev parallel ca-certificates zstd)
readonly git_packages=(autoconf automake help2man) # a tarball needs no such
readonly test_packages=(ceph-mon ceph-osd ceph-common radosgw openssl curl
    jq s3cmd awscli s4cmd rclone libs3-2 wrk clang libclang-rt-dev
    clang-format shellcheck shfmt cppcheck pmccabe xz-utils perl git
    procps)
with_tests=no install=yes configure_args=()

die() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

say() { # TEXT...
    printf '%s: %s\n' "$me" "$*"
}

usage() {
    cat <<END
Usage: ./$me [OPTION]... [-- CONFIGURE-ARGUMENT...]
Build s3perf in this folder; then ./s3perf.sh runs it.

  --with-tests   also install what 'make check', 'make lint', 'make fuzz' and
                 'make distcheck' need, a Ceph radosgw among it
  --no-install   install no packages
  -h, --help     print this help and exit

1. Debian packages that are missing are installed by apt-get, without
   recommended ones: as root, or through sudo. Without either, the command
   to run is printed and the exit status is 2. Packages:
$(printf '%s ' "${build_packages[@]}" "${git_packages[@]}" | fold -sw 72 |
        sed 's/^/     /')
   with --with-tests also:
$(printf '%s ' "${test_packages[@]}" | fold -sw 72 | sed 's/^/     /')
2. autoreconf, where there is no ./configure yet
3. ./configure, where that was not done yet or arguments are given
4. make
Nothing is installed outside of this folder but the packages.
END
}

parse_options() { # ARG...
    while (($# > 0)); do
        case $1 in
            --with-tests) with_tests=yes ;;
            --no-install) install=no ;;
            -h | --help)
                usage
                exit 0
                ;;
            --)
                shift
                configure_args=("$@")
                return
                ;;
            *) die 2 "unknown option '$1' (try --help)" ;;
        esac
        shift
    done
}

missing_packages() { # PACKAGE...: print those that are not installed
    local package state
    local -A have=()

    while read -r package state; do
        [[ $state != ii* ]] || have[${package%%:*}]=1
    done < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" \
        2>/dev/null)
    for package; do
        [[ -n ${have[$package]:-} ]] || printf '%s\n' "$package"
    done
}

install_packages() {
    local wanted=("${build_packages[@]}") missing sudo=()
    local get=(env DEBIAN_FRONTEND=noninteractive apt-get
        -o DPkg::Lock::Timeout=300)

    [[ -e .tarball-version && $with_tests == no ]] ||
        wanted+=("${git_packages[@]}")
    [[ $with_tests == no ]] || wanted+=("${test_packages[@]}")
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system; needed are: ${wanted[*]}"
        return
    fi
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    ((${#missing[@]} > 0)) || return 0
    if ((EUID != 0)); then
        sudo=(sudo)
        # Without a terminal sudo must not need a password.
        { command -v sudo && { [[ -t 0 ]] || sudo -n true; }; } \
            >/dev/null 2>&1 ||
            cannot_install "${missing[@]}"
    fi
    say "installing ${missing[*]}"
    "${sudo[@]}" "${get[@]}" update -qq ||
        say 'apt-get update failed; trying with the lists as they are'
    "${sudo[@]}" "${get[@]}" install -y -qq --no-install-recommends \
        "${missing[@]}" || cannot_install "${missing[@]}"
}

cannot_install() { # PACKAGE...
    say 'packages are missing; run this as root, then this script again:' >&2
    echo "apt-get install -y --no-install-recommends $*" >&2
    exit 2
}

build() {
    local log=bootstrap.log

    if [[ ! -x configure || ! -e Makefile.in || ! -e config.h.in ]]; then
        say 'autoreconf'
        autoreconf --install >"$log" 2>&1 || {
            cat "$log" >&2
            die 1 'autoreconf failed'
        }
    fi
    if [[ ! -e config.status || ! -e Makefile ]] || ((${#configure_args[@]} > 0)); then
        say "configure${configure_args[*]:+ ${configure_args[*]}}"
        ./configure --silent "${configure_args[@]}" >"$log" 2>&1 || {
            cat "$log" >&2
            die 1 'configure failed'
        }
    fi
    rm -f "$log"
    make -s --no-print-directory -j "$(nproc)"
}

main() {
    parse_options "$@"
    cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
    [[ $install == no ]] || install_packages
    build
    say 'done; try: ./s3perf.sh -n 5 -s 1048576 -p'
}

main "$@"
