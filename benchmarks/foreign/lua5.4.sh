# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# Lua's interpreter: 34 files, many small functions, no MPI call. Load: load.lua.
source_package=lua5.4
about="interpreter of many small functions"
binaries=src/lua

build() {
    make -C src linux CC="$CC -std=gnu99" RANLIB=ranlib
}

# load SIZE
load() {
    case $1 in
    small) n=1 ;;
    quick) n=20 ;;
    *) n=200 ;;
    esac
    ./src/lua "$foreign/load.lua" $n
}
