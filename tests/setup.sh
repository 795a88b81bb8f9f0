#!/bin/sh
# setup.sh: installs the Debian packages that building and testing refrain needs, where they are missing.
# For Debian 12 and 13. As root, or with sudo. Does nothing where all are there. On another system: the list below says
# what is needed.
set -eu

packages="gcc libc6-dev make cmake gawk binutils pkgconf
libclang-dev clang
libmpich-dev mpich
libotf2-trace-dev otf2-tools eztrace libjansson-dev libelf-dev libncurses-dev libdw-dev libiberty-dev libdebuginfod1
python3 protobuf-compiler libopenmpi-dev openmpi-bin libcmocka-dev csmith libcsmith-dev
autoconf automake libtool ccache dpkg-dev
man-db zsh bsdutils less
gfortran g++ python3-mpi4py musl-tools
zlib1g-dev libzstd-dev librsvg2-bin wabt lld wasi-libc libclang-rt-dev-wasm32 chromium"
# The static libraries of the system's clang make the wrappers faster (instrumentor/static_clang.cmake).
case $(grep '^VERSION_ID=' /etc/os-release 2>/dev/null) in
*12*) packages="$packages llvm-14-dev" ;;
*13*) packages="$packages llvm-19-dev" ;;
esac
# node and npm may come from elsewhere than Debian's packages.
command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"

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
    echo "setup.sh: apt-get could not install (see above):$missing" >&2
    exit 1
}
