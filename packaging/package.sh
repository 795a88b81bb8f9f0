#!/bin/sh
# package.sh [BUILD]: makes the Debian packages in BUILD (default: build-package) and looks at them: what is in each, what
# each depends on, and that lintian, where it is installed, finds no error. Needs what tests/setup.sh installs, and file.
# Where the packages are good: "N passed, N failed", status 0.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build-package}
command -v file >/dev/null || {
    echo "package.sh: there is no file(1) here, which cpack needs: apt-get install file" >&2
    exit 1
}
# Behind refrain-mpicc stands what the administrator has chosen as mpicc.
sh "$root/tests/build.sh" "$build" -DCMAKE_INSTALL_PREFIX=/usr -DREFRAIN_TESTS=OFF -DREFRAIN_DEFAULT_MPICC=mpicc \
    -DREFRAIN_DEFAULT_MPICXX=mpicxx -DREFRAIN_DEFAULT_MPIFORT=mpifort
cd "$build"
rm -f ./*.deb
echo "== packing"
cpack >cpack.log 2>&1 || {
    cat cpack.log >&2
    exit 1
}
ls -l ./*.deb

passed=0
failed=0
# holds TEXT COMMAND...: passes when the command does.
holds() {
    what=$1
    shift
    if "$@" >package.out 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        head -n 5 package.out
    fi
}
version=$(sed -n 's/^project(refrain VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
holds "the changelogs are those of $version" sh -c "grep -q '^## $version' '$root/CHANGELOG.md' &&
    head -n 1 '$root/packaging/debian/changelog' | grep -q '^refrain ($version-'"

# has PACKAGE FILE...: these files are in it; libraries stand for their directory.
has() {
    package=$1
    shift
    dpkg-deb --contents "$package"_"$version"-1_*.deb | awk '{ print $6 }' >"$package.files"
    for name; do
        holds "$package has $name" grep -qE "^\./usr/$name\$" "$package.files"
    done
}
# needs PACKAGE FIELD PATTERN
needs() {
    holds "$1: $2 has $3" sh -c "dpkg-deb --field $1_$version-1_*.deb $2 | grep -qE '$3'"
}
has refrain bin/refrain bin/refrain-cc bin/refrain-mpicc bin/refrain-mpicxx bin/refrain-mpifort bin/refrain-instrument \
    bin/refrain-run 'lib/[^/]*/librefrain.so' 'lib/[^/]*/librefrain-record.so' 'lib/[^/]*/librefrain-yield.so' 'lib/[^/]*/librefrain-io.so' \
    'lib/[^/]*/librefrain-threads.so' \
    'lib/[^/]*/librefrain-read.so.0' share/man/man1/refrain.1.gz share/man/man1/refrain-record.1.gz \
    share/man/man1/refrain-cc.1.gz share/man/man1/refrain-run.1.gz share/man/man7/refrain-settings.7.gz share/bash-completion/completions/refrain \
    share/zsh/site-functions/_refrain share/doc/refrain/copyright share/doc/refrain/changelog.gz \
    share/doc/refrain/changelog.Debian.gz share/doc/refrain/README.md share/doc/refrain/docs/architecture.md \
    share/doc/refrain/examples/demo.sh share/doc/refrain/examples/matmul/matmul.c
needs refrain Depends 'libclang-common-[0-9]+-dev.*libclang1-[0-9]+.*libelf1'
holds "refrain needs no MPI library" sh -c "! dpkg-deb --field refrain_$version-1_*.deb Depends | grep -qE 'libmpi|libopenmpi'"
for mpi in mpich openmpi; do
    has refrain-$mpi "lib/[^/]*/librefrain-$mpi.so" share/doc/refrain-$mpi/copyright
    needs refrain-$mpi Depends "refrain \\(= $version-1\\).*lib$mpi"
done
has refrain-dev include/refrain/refrain.h include/refrain/read.h include/refrain/access.h 'lib/[^/]*/librefrain-read.so' 'lib/[^/]*/librefrain-read.a' \
    'lib/[^/]*/pkgconfig/refrain-read.pc' 'lib/[^/]*/cmake/refrain/refrainConfig.cmake'
has python3-refrain lib/python3/dist-packages/refrain/__init__.py lib/python3/dist-packages/refrain/trace.py
needs python3-refrain Depends "refrain \\(= $version-1\\).*python3-numpy"
needs refrain-dev Depends "refrain \\(= $version-1\\)"
holds "no package has a file of another" sh -c "! grep -hv '/\$' ./*.files | sort | uniq -d | grep ."
if command -v lintian >/dev/null; then
    holds "lintian finds no error" sh -c 'lintian --fail-on error ./*.deb 2>&1 | grep "^E:"; [ $? -eq 1 ]'
else
    echo "lintian is not installed; what it would say is not known"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
