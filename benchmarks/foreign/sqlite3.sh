# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# SQLite's library, shell and its own speed test, file by file.
source_package=sqlite3
about="database, its own speed test"
needs="tclsh"
binaries=speedtest1

prepare() {
    CC=$CC ./configure --disable-tcl --disable-readline --disable-shared --disable-amalgamation
}

build() {
    make libsqlite3.la &&
        ./libtool --mode=link $CC -O2 -I. -o speedtest1 test/speedtest1.c libsqlite3.la -lpthread -lm -ldl -lz
}

load() {
    case $1 in
    small) n=1 ;;
    quick) n=5 ;;
    *) n=40 ;;
    esac
    ./speedtest1 --size $n --verify | sed 's/\.\.\.*  *[0-9.]*s$//;/TOTAL/d'
}
