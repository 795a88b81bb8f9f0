# shellcheck shell=sh disable=SC2034,SC2154,SC2016 # read by foreign.sh, which sets what is read here
# zlib's minigzip: compresses and expands text; and its own test program.
source_package=zlib
about="compression, its own test programs"
binaries=minigzip

prepare() {
    CC=$CC ./configure --static
}

build() {
    make minigzip example
}

load() {
    case $1 in
    small) n=5000 ;;
    quick) n=100000 ;;
    *) n=1000000 ;;
    esac
    ./example "$scratch/example.gz" && seq 1 $n | ./minigzip -6 >"$scratch/z" && cksum <"$scratch/z" &&
        ./minigzip -d <"$scratch/z" | cksum
}
