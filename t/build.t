#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a person meets first: bootstrap.sh, s3perf.sh, and the version.
. "${srcdir:-.}/t/test-lib.sh"

s3perf_runs_from_anywhere() {
    ln -s "$srcdir/s3perf.sh" link
    ./link --version >out
    (cd / && "$srcdir/s3perf.sh" --version) >out2
    cmp out out2
    has out '^s3perf '
}

s3perf_says_what_is_missing() {
    mkdir empty
    S3PERF_BUILD=$PWD/empty expect_exit 2 "$srcdir/s3perf.sh" >out 2>err
    has err 'run ./bootstrap.sh first'
    is "$(wc -l <err)" 1 'lines'
}

bootstrap_says_what_it_will_do() {
    "$srcdir/bootstrap.sh" --help >out
    has out --with-tests --no-install libcurl4-openssl-dev radosgw
    expect_exit 2 "$srcdir/bootstrap.sh" --no-such-option >out 2>err
    has err "unknown option '--no-such-option'"
}

# Commands that bootstrap.sh meets, in place of the real ones.
fake() { # NAME TEXT
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

bootstrap_without_root_prints_the_command() {
    ((EUID != 0)) || command -v setpriv >/dev/null || return 0
    mkdir -p bin
    fake dpkg-query 'echo "gcc ii "'
    fake sudo 'exit 1'
    fake apt-get 'echo called >>apt.log'
    cp "$srcdir/bootstrap.sh" .
    local as=()
    ((EUID != 0)) || as=(setpriv --reuid=65534 --clear-groups)
    chmod -R a+rX "$test_tmp"
    PATH=$PWD/bin:$PATH expect_exit 2 "${as[@]}" ./bootstrap.sh \
        </dev/null >out 2>err
    has err '^apt-get install .*--no-install-recommends .*libssl-dev'
    hasnt err 'install.* gcc( |$)' radosgw
    [[ ! -e apt.log ]]
}

a_tree() { # DIR: just enough to ask for a version
    mkdir -p "$1/build-aux"
    cp "$srcdir/build-aux/git-version" "$1/build-aux"
}

git_in() { # DIR ARG...
    GIT_CONFIG_GLOBAL=/dev/null git -C "$1" -c user.name=a -c user.email=a@b \
        -c init.defaultBranch=main "${@:2}"
}

commit() { # DIR MESSAGE
    git_in "$1" add -A
    git_in "$1" commit -q -m "$2"
}

version_comes_from_git() {
    command -v git >/dev/null || return 0
    a_tree clone
    local version=clone/build-aux/git-version short
    is "$("$version")" 0.0.0-unknown 'outside of git'
    is "$("$version" --epoch)" 0
    git_in clone init -q
    is "$("$version")" 0.0.0-unknown 'before the first commit'
    commit clone one
    short=$(git_in clone rev-parse --short HEAD)
    is "$("$version")" "0.0.0-$short" 'without a tag'
    git_in clone tag v9.9.9
    is "$("$version")" "0.0.0-$short" 'with a lightweight tag'
    git_in clone tag -a -m x v0.1.0
    is "$("$version")" 0.1.0 'tagged'
    echo x >clone/new
    commit clone two
    short=$(git_in clone rev-parse --short HEAD)
    is "$("$version")" "0.1.0.1-g$short" 'after a tag'
    is "$("$version" --exact)" "0.1.0.1-g$short" 'nothing changed'
    echo y >clone/new
    is "$("$version")" "0.1.0.1-g$short" 'changed, for configure'
    is "$("$version" --exact)" "0.1.0.1-g$short-dirty" 'changed'
    [[ $("$version" --epoch) -gt 1000000000 ]]
    git_in . clone -q --depth 1 "file://$PWD/clone" shallow
    is "$(shallow/build-aux/git-version)" "0.0.0-$short" 'shallow'
}

version_comes_with_a_tarball() {
    a_tree outer/tarball
    printf '1.2.3-dirty\n1700000000\n' >outer/tarball/.tarball-version
    is "$(outer/tarball/build-aux/git-version)" 1.2.3-dirty
    is "$(outer/tarball/build-aux/git-version --epoch)" 1700000000
    ! command -v git >/dev/null || {
        git_in outer init -q
        commit outer 'of somebody else'
        git_in outer tag -a -m x v7
        is "$(outer/tarball/build-aux/git-version)" 1.2.3-dirty
    }
}

test_expect 's3perf.sh runs from anywhere' s3perf_runs_from_anywhere
test_expect 's3perf.sh in a tree not built' s3perf_says_what_is_missing
test_expect 'bootstrap.sh --help' bootstrap_says_what_it_will_do
test_expect 'bootstrap.sh without root or sudo' \
    bootstrap_without_root_prints_the_command
test_expect 'the version of a clone' version_comes_from_git
test_expect 'the version of a tarball' version_comes_with_a_tarball
done_testing
