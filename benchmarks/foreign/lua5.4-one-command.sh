# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# Lua's interpreter, as in lua5.4.sh, but compiled and linked by one command.
source_package=lua5.4
about="the same, compiled by one command"
binaries=lua

build() {
    sources=
    for source in src/*.c; do
        [ "$source" = src/luac.c ] || sources="$sources $source"
    done
    # shellcheck disable=SC2086 # lists of words
    $CC -std=gnu99 -O2 -Wall -Wextra -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -o lua $sources -Wl,-E -lm -ldl
}

load() {
    case $1 in
    small) n=1 ;;
    quick) n=20 ;;
    *) n=200 ;;
    esac
    ./lua "$foreign/load.lua" $n
}
