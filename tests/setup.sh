#!/bin/sh
# setup.sh [record|instrument|all]: installs the Debian packages that refrain needs, if they are missing:
#     record      for building the parts that trace programs as they are and read traces: a C compiler and an MPI library
#     instrument  also for the compiler wrappers, which show functions, loops and branches: libclang
#     all         also for the page of refrain view, and for all tests (default)
# For Debian 12 and 13, as root or with sudo. Does nothing if all packages are there. For other systems, the lists below
# show what is needed.
set -eu

record="gcc libc6-dev make cmake gawk binutils
libjansson-dev libelf-dev libdw-dev libiberty-dev libdebuginfod1 libzstd-dev zlib1g-dev libncurses-dev libotf2-trace-dev"
instrument="libclang-dev"
# The static libraries of the system's clang make the wrappers faster (instrumentor/static_clang.cmake).
case $(grep '^VERSION_ID=' /etc/os-release 2>/dev/null) in
*12*) static_clang=llvm-14-dev ;;
*13*) static_clang=llvm-19-dev ;;
*) static_clang= ;;
esac
all="pkgconf ninja-build clang libomp-dev $static_clang
libmpich-dev mpich libopenmpi-dev openmpi-bin
otf2-tools eztrace libsimgrid-dev
python3 python3-numpy python3-pandas protobuf-compiler libcmocka-dev csmith libcsmith-dev
autoconf automake libtool ccache dpkg-dev
man-db zsh bsdutils less
gfortran g++ python3-mpi4py musl-tools
python3-sphinx python3-myst-parser furo
librsvg2-bin wabt lld wasi-libc libclang-rt-dev-wasm32 chromium"
# node and npm may be installed from elsewhere than Debian's packages.
command -v npm >/dev/null 2>&1 || all="$all nodejs npm"

need=${1:-all}
case $need in
record) packages=$record ;;
instrument) packages="$record $instrument" ;;
all) packages="$record $instrument $all" ;;
*)
    echo "setup.sh: '$need' is none of record, instrument, all" >&2
    exit 2
    ;;
esac
# If an MPI library is installed, no other one is added. If not, Debian's MPICH is installed.
[ "$need" = all ] || command -v mpicc >/dev/null 2>&1 || packages="$packages libmpich-dev mpich"

command -v dpkg-query >/dev/null 2>&1 || {
    # shellcheck disable=SC2086 # on one line
    echo "setup.sh: this is no Debian system; install by hand what corresponds to:" $packages >&2
    exit 1
}
missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case $state in
    ?i*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "setup.sh: run it as root or install sudo; these Debian packages are missing:$missing" >&2
    exit 1
fi
echo "== installing$missing"
install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null
}
install update -q || {
    echo "setup.sh: apt-get update failed (see above); is there a network, and is /etc/apt/sources.list in order?" >&2
    exit 1
}
# shellcheck disable=SC2086 # a list of words
install install -q -y --no-install-recommends $missing || {
    echo "setup.sh: apt-get could not install these packages (see above). Connect to a network, or copy them here and install them:$missing" >&2
    exit 1
}
