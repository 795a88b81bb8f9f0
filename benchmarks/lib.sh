# lib.sh: what scripts of this directory share. Sourced; the script has a function usage, which prints its help.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
tools=$(dirname "$(command -v refrain 2>/dev/null || echo /usr/bin/refrain)")

# options NAMES ARGUMENT...: sets the variable of each "--NAME VALUE". For a name listed as NAME+ it appends the value. Then
# the tools of --tools are first on PATH, $work is a directory that the script removes, $mpicc and $mpiexec are MPICH's.
# shellcheck disable=SC2034 # for the scripts
options() {
    known=$1
    shift
    while [ $# -gt 0 ]; do
        name=${1#--}
        case " $known  $1 " in
        *" --help "*) usage && exit 0 ;;
        *" $name "*" --$name "*) [ $# -gt 1 ] && eval "$name=\$2" ;;
        *" $name+ "*" --$name "*) [ $# -gt 1 ] && eval "$name=\"\$$name \$2\"" ;;
        *) false ;;
        esac || {
            echo "$(basename "$0"): unknown argument $1, or no value for it; $(basename "$0") --help lists all" >&2
            exit 2
        }
        shift 2
    done
    PATH=$tools:$PATH
    export PATH
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mpicc=$(command -v mpicc.mpich || command -v mpicc)
    mpiexec=$(command -v mpiexec.mpich || command -v mpiexec)
}

# build CC DIRECTORY NAMES: the workloads of these names.
build() {
    make -s -f "$here/workloads/Makefile" CC="$1" BUILD="$2" ONLY="$3" -j2
}

# json_number NAME: the first number of that name on standard input.
json_number() {
    tr -d ' ",' | sed -n "s/^$1://p" | head -n 1
}
