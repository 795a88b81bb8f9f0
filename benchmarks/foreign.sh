#!/bin/sh
# foreign.sh: instruments and traces programs that were written elsewhere; see foreign.sh --help.
# shellcheck disable=SC1090,SC1091,SC2034,SC2154 # a program's file is chosen at run time; it shares variables with this script
# shellcheck disable=SC2015,SC2016,SC2030,SC2031 # subshells are meant; words in single quotes are expanded later
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
foreign=$here/foreign

usage() {
    cat <<'END'
NAME
    foreign.sh - build Debian source packages plainly and under refrain, run them, and compare

SYNOPSIS
    benchmarks/foreign.sh [--only NAME]... [--quick] [--rounds N] [--details LIST] [--level O0|O2] [--format F]
        [--out DIR] [--cache DIR] [--programs DIR] [--tools DIR] [--keep]
    benchmarks/foreign.sh [--programs DIR] --list

DESCRIPTION
    Downloads the upstream tarball of each source package with apt-get (from a list of sources of its own; the system's is
    not touched), builds it with its own build system without refrain and with refrain-cc in each detail, and runs its own
    tests or a load kept in benchmarks/foreign/. The table goes to standard output, progress to standard error:

    compile   processor time of the whole build (make) over that of the plain build
    text      code and constants in the program (what size(1) calls text) over the plain program's
    code      executable sections alone
    run       least time over the rounds, over the plain program's: processor time, for MPI programs time that passed; the
              rounds are interleaved, and `plain` is run twice in each: its second figure is the machine's noise. `clocks`,
              of MPI programs whose load uses $under: the plain program with two clock reads around each MPI call and nothing
              else (mpi_clocks.h)
    off       the same with REFRAIN_MODE=off
    output    same, or what differs from the plain program's output
    events    recorded by the smallest load in mode both
    exact     yes: all of them are reconstructed, in every field but time; approximate: the trace says which are not known
              exactly; NO: neither

    A program is a file NAME.sh, like those in benchmarks/foreign/: source_package, about, binaries, and the functions prepare
    (optional), build, and load SIZE (small, quick, full), which run in the unpacked sources, CC being set. What load prints
    is compared; an MPI program starts its ranks by $under, which
    is empty but for the line `clocks`. compiler (default gcc), mpi=yes, and needs (commands) and needs_library
    may be set.

OPTIONS
    --list          print the programs and stop
    --only NAME     this program; repeatable
    --quick         the quick load and two rounds
    --rounds N      rounds of the timing, 1 to 100 (default 5)
    --details LIST  comma-separated, of calls, communication and all (default all three)
    --level L       replace the optimisation level of the builds by -O0 or -O2 (default: the program's own)
    --format F      tsv, markdown or both (default both, tsv first)
    --out DIR       keep foreign.tsv and foreign.md there, too
    --cache DIR     where tarballs and the package lists are kept (default $REFRAIN_FOREIGN_CACHE, else
                    ${XDG_CACHE_HOME:-~/.cache}/refrain-foreign)
    --programs DIR  where the programs' files are (default: foreign/ beside this script)
    --tools DIR     the directory of refrain and refrain-cc (default: that of refrain on PATH)
    --keep          leave the build directories where they are and say where
    --help          this text

ENVIRONMENT
    REFRAIN_FOREIGN_CACHE    see --cache
    REFRAIN_FOREIGN_SOURCE   what deb-src says (default: "http://deb.debian.org/debian CODENAME main", CODENAME this
                             system's)
    TMPDIR                   where the programs are built

EXIT STATUS
    0 all built, outputs same, events exact or said to be approximate; 1 not so; 2 bad command line.

EXAMPLE
    benchmarks/foreign.sh --quick --only lua5.4 --tools build/bin
END
}

bad() {
    echo "foreign.sh: $* (see foreign.sh --help)" >&2
    exit 2
}
say() {
    echo "foreign.sh: $*" >&2
}
die() {
    say "error: $*"
    exit 1
}

only='' size=full rounds='' details=calls,communication,all level='' format=both out='' tools='' keep='' list=''
cache=${REFRAIN_FOREIGN_CACHE:-}
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage && exit 0 ;;
    --list) list=yes ;;
    --quick) size=quick ;;
    --keep) keep=yes ;;
    --only | --rounds | --details | --level | --format | --out | --cache | --tools | --programs)
        [ $# -gt 1 ] || bad "$1 takes a value"
        case $1 in
        --only) only="$only $2" ;;
        --programs) foreign=$(cd "$2" 2>/dev/null && pwd) || bad "--programs: no directory '$2'" ;;
        --rounds)
            case $2 in "" | *[!0-9]* | 0* | ????*) bad "--rounds takes a whole number from 1 to 100, not '$2'" ;; esac
            [ "$2" -le 100 ] || bad "--rounds takes a whole number from 1 to 100, not '$2'"
            rounds=$2
            ;;
        --details)
            for d in $(echo "$2" | tr , ' '); do
                case $d in calls | communication | all) ;; *) bad "no detail '$d'; there are calls, communication, all" ;; esac
            done
            details=$2
            ;;
        --level)
            case $2 in O0 | O2) level=-$2 ;; *) bad "--level takes O0 or O2, not '$2'" ;; esac
            ;;
        --format)
            case $2 in tsv | markdown | both) format=$2 ;; *) bad "--format takes tsv, markdown or both, not '$2'" ;; esac
            ;;
        --out) out=$2 ;;
        --cache) cache=$2 ;;
        --tools) tools=$2 ;;
        esac
        shift
        ;;
    *) bad "unknown argument '$1'" ;;
    esac
    shift
done
programs=$(cd "$foreign" && for f in *.sh; do echo "${f%.sh}"; done)
if [ -n "$list" ]; then
    for p in $programs; do
        (. "$foreign/$p.sh" && printf '%-22s %-10s %s\n' "$p" "$source_package" "$about")
    done
    exit 0
fi
for p in $only; do
    # shellcheck disable=SC2086 # in one line
    [ -f "$foreign/$p.sh" ] || bad "no program '$p'; there are:" $programs
done
[ -n "$rounds" ] || if [ $size = quick ]; then rounds=2; else rounds=5; fi
[ -n "$cache" ] || cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/refrain-foreign
if [ -n "$tools" ]; then
    tools=$(cd "$tools" 2>/dev/null && pwd) || bad "--tools: no such directory"
    PATH=$tools:$PATH
fi
export PATH
for t in refrain refrain-cc; do
    command -v $t >/dev/null || die "$t is not on PATH; give the built tools with --tools build/bin"
done
for t in apt-get dpkg-source size readelf gcc make awk; do
    command -v $t >/dev/null || die "$t is needed (Debian: apt-get install apt dpkg-dev binutils gcc make gawk)"
done
mkdir -p "$cache/lists/partial" "$cache/archives/partial" "$cache/sources" || die "cannot make '$cache'"
cache=$(cd "$cache" && pwd)
[ -z "$out" ] || mkdir -p "$out" || die "cannot make '$out'"
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_MODE REFRAIN_DIRECTORY REFRAIN_TOTAL_MEMORY REFRAIN_THROTTLE

work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-foreign.XXXXXX") || exit 1
if [ -n "$keep" ]; then say "everything is built in $work"; else trap 'rm -rf "$work"' EXIT; fi
trap 'exit 1' HUP INT TERM
gcc -O2 "$here/foreign/clocked.c" -o "$work/clocked" || die "cannot build clocked.c"

# ---- downloading ----

# The upstream tarballs of a source package in $cache/sources/PACKAGE.
download() {
    [ -d "$cache/sources/$1" ] && return 0
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    source=${REFRAIN_FOREIGN_SOURCE:-http://deb.debian.org/debian $codename main}
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    signed=
    [ ! -f $keyring ] || signed="[signed-by=$keyring] "
    echo "deb-src $signed$source" >"$cache/sources.list"
    cat >"$cache/apt.conf" <<END
Dir::Etc::SourceList "$cache/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$cache/lists";
Dir::Cache "$cache";
APT::Sandbox::User "";
END
    if [ -z "${listed:-}" ]; then
        say "reading the list of source packages from $source"
        APT_CONFIG=$cache/apt.conf apt-get -q update >"$work/apt.log" 2>&1 || {
            tail -3 "$work/apt.log" >&2
            say "error: apt-get update failed; is there a network, and is REFRAIN_FOREIGN_SOURCE right?"
            return 1
        }
        listed=yes
    fi
    say "downloading $1"
    rm -rf "$cache/sources/$1.part"
    mkdir "$cache/sources/$1.part" &&
        (cd "$cache/sources/$1.part" &&
            APT_CONFIG=$cache/apt.conf apt-get -q source --download-only --tar-only "$1") >"$work/apt.log" 2>&1 || {
        tail -3 "$work/apt.log" >&2
        say "error: apt-get source $1 failed"
        return 1
    }
    mv "$cache/sources/$1.part" "$cache/sources/$1"
}

# unpack PACKAGE DIRECTORY: the largest tarball's contents, without the directory that they are in.
unpack() {
    tarball=$(ls -S "$cache/sources/$1"/*.orig.tar.* 2>/dev/null | grep -v '\.asc$\|orig-' | head -n 1)
    [ -n "$tarball" ] || {
        say "error: no tarball in $cache/sources/$1; remove that directory to have it downloaded again"
        return 1
    }
    mkdir -p "$2" && tar -x -f "$tarball" -C "$2" --strip-components=1 &&
        printf '%s' "$tarball" | sed 's,.*_\(.*\)\.orig.*,\1,' >"$work/version"
}

# ---- building and running ----

# In the program's directory, with its functions.
within() {
    (
        mpi='' compiler=gcc
        prepare() { :; }
        . "$foreign/$program.sh"
        cd "$work/$program/$1" || exit 1
        CC=$compiler
        # shellcheck disable=SC2030 # for this subshell
        [ "$1" = plain ] || CC="refrain-cc --detail=$1 $compiler"
        [ -z "$level" ] || CC="$work/at-level $CC"
        scratch=$work/$program/scratch
        shift
        "$@"
    )
}

# A compiler launcher that gives the builds another level of optimisation.
if [ -n "$level" ]; then
    printf '#!/bin/sh\nexec "$@" %s\n' "$level" >"$work/at-level"
    chmod +x "$work/at-level"
fi

field() {
    awk -v c="$2" '{ print $c }' "$work/$program/$1"
}
ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (a == "" || b + 0 == 0) print "-"; else printf "%.2f\n", a / b }'
}
# sizes VARIANT: bytes that size calls text, bytes of executable sections
sizes() {
    within "$1" eval 'size $binaries' | awk 'NR > 1 { n += $1 } END { printf "%d ", n }'
    within "$1" eval 'readelf -SW $binaries' | sed -n 's/^ *\[ *[0-9]*\] *//p' |
        awk '$7 ~ /X/ { n += strtonum("0x" $5) } END { print n + 0 }'
}
# The load's command with its times in FILE; output in OUT.
run_load() {
    file=$1 output=$2 mode=$3 load_size=$4 variant=$5
    rm -rf "$work/$program/scratch"
    mkdir -p "$work/$program/scratch/traces"
    under=${under:-} REFRAIN_MODE=$mode REFRAIN_DIRECTORY=$work/$program/scratch/traces \
        "$work/clocked" "$file" sh "$work/$program/load" "$variant" "$load_size" >"$output" 2>"$output.err"
}
# A script that clocked can start.
write_load() {
    cat >"$work/$program/load" <<END
mpi='' foreign='$foreign' scratch='$work/$program/scratch'
. '$foreign/$program.sh'
cd '$work/$program'/"\$1" && load "\$2"
END
}
write_build() {
    cat >"$work/$program/build" <<END
foreign='$foreign'
. '$foreign/$program.sh'
CC=\$2
cd '$work/$program'/"\$1" && build
END
}

# exactness VARIANT: "events verdict"
exactness() {
    run_load "$work/$program/time" "$work/$program/output" both small "$1" || {
        echo "- failed"
        return
    }
    recorded=$work/$program/recorded reconstructed=$work/$program/reconstructed events=0 verdict=yes
    for trace in "$work/$program/scratch/traces"/*.refrain; do
        [ -d "$trace" ] || {
            echo "0 -"
            return
        }
        refrain events "$trace" 2>/dev/null | drop_time | sort -s -n -k 1,1 >"$recorded"
        refrain reconstruct "$trace" --format text -o - 2>/dev/null | drop_time | sort -s -n -k 1,1 >"$reconstructed"
        events=$((events + $(wc -l <"$recorded")))
        cmp -s "$recorded" "$reconstructed" && continue
        if grep -q 'approximate$' "$reconstructed"; then verdict=approximate; else verdict=NO && break; fi
    done
    echo "$events $verdict"
}
drop_time() {
    awk -F '\t' -v OFS='\t' '{ $2 = ""; print }'
}

# least FILES...: least wall and processor times among files of one line
least() {
    cat "$@" 2>/dev/null | awk '{ if (NR == 1 || $1 < w) w = $1; if (NR == 1 || $2 < p) p = $2 } END { print w, p }'
}

results=$work/results.tsv
failed=0
printf 'program\tversion\tdetail\tcompile\ttext\tcode\trun\toff\toutput\tevents\texact\tplain_compile_s\tplain_run_s\n' >"$results"

measure() {
    program=$1
    (
        needs='' needs_library=''
        . "$foreign/$program.sh"
        for n in $needs; do
            command -v "$n" >/dev/null || { say "$program is left out: $n is not installed" && exit 1; }
        done
        for n in $needs_library; do
            ldconfig -p | grep -q "lib$n\.so" && echo 'int main(void) { return 0; }' | gcc -x c - -o "$work/try" "-l$n" 2>/dev/null ||
                { say "$program is left out: lib$n is not installed (Debian: lib$n-dev)" && exit 1; }
        done
        exit 0
    ) || return 1
    package=$(. "$foreign/$program.sh" && echo "$source_package")
    download "$package" || return 1
    mkdir -p "$work/$program/scratch"
    write_load
    write_build
    column=2 clocks='' under=''
    if [ "$(. "$foreign/$program.sh" && echo "${mpi:-no}")" != no ]; then
        column=1
        if grep -q '\$under' "$foreign/$program.sh"; then
            clocks=clocks
            sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS || return 1
        fi
    fi
    variants=
    for variant in plain $(echo "$details" | tr , ' '); do
        say "$program: building, $variant"
        unpack "$package" "$work/$program/$variant" || return 1
        (REFRAIN_WRAPPER=off && export REFRAIN_WRAPPER && within "$variant" prepare) >"$work/$program/log" 2>&1 || {
            tail -5 "$work/$program/log" >&2
            say "error: $program, $variant: cannot be configured"
            failed=1
            continue
        }
        if ! REFRAIN_MODE=off within "$variant" eval '"$work/clocked" "$work/$program/compile-'"$variant"'" sh "$work/$program/build" '"$variant"' "$CC"' \
            >"$work/$program/log" 2>&1; then
            tail -5 "$work/$program/log" >&2
            say "error: $program, $variant: does not build"
            failed=1
            continue
        fi
        variants="$variants $variant"
        sizes "$variant" >"$work/$program/size-$variant"
    done
    case $variants in " plain"*) ;; *) return 1 ;; esac
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        say "$program: running, round $round of $rounds"
        for variant in $variants again $clocks; do
            name=$variant
            case $variant in again | clocks) variant=plain ;; esac
            under=''
            [ "$name" != clocks ] || under="env LD_PRELOAD=$work/clocks.so"
            run_load "$work/$program/run-$name.$round" "$work/$program/output-$name" stat $size "$variant"
            echo $? >"$work/$program/status-$name"
            [ $variant = plain ] ||
                run_load "$work/$program/off-$name.$round" "$work/$program/output" off $size "$variant"
        done
    done
    plain_run=$(least "$work/$program"/run-plain.* | awk -v c=$column '{ print $c }')
    version=$(cat "$work/version")
    printf '%s\t%s\tplain\t1\t1\t1\t%s\t-\t-\t-\t-\t%.1f\t%.3f\n' "$program" "$version" \
        "$(ratio "$(least "$work/$program"/run-again.* | awk -v c=$column '{ print $c }')" "$plain_run")" \
        "$(awk -v n="$(field compile-plain 2)" 'BEGIN { print n / 1e9 }')" \
        "$(awk -v n="$plain_run" 'BEGIN { print n / 1e9 }')" >>"$results"
    [ -z "$clocks" ] || printf '%s\t%s\tclocks\t-\t-\t-\t%s\t-\t-\t-\t-\t-\t-\n' "$program" "$version" \
        "$(ratio "$(least "$work/$program"/run-clocks.* | awk -v c=$column '{ print $c }')" "$plain_run")" >>"$results"
    under=''
    for variant in $variants; do
        [ "$variant" != plain ] || continue
        say "$program: comparing events, $variant"
        output=same
        if [ "$(cat "$work/$program/status-$variant")" != "$(cat "$work/$program/status-plain")" ]; then
            output="status $(cat "$work/$program/status-$variant")"
        elif ! cmp -s "$work/$program/output-plain" "$work/$program/output-$variant"; then
            output="differs from line $(cmp "$work/$program/output-plain" "$work/$program/output-$variant" 2>&1 |
                sed -n 's/.*line //p')"
        fi
        set -- $(exactness "$variant")
        [ "$output" = same ] && [ "$2" != NO ] && [ "$2" != failed ] || failed=1
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t-\t-\n' "$program" "$version" "$variant" \
            "$(ratio "$(field "compile-$variant" 2)" "$(field compile-plain 2)")" \
            "$(ratio "$(field "size-$variant" 1)" "$(field size-plain 1)")" \
            "$(ratio "$(field "size-$variant" 2)" "$(field size-plain 2)")" \
            "$(ratio "$(least "$work/$program"/run-"$variant".* | awk -v c=$column '{ print $c }')" "$plain_run")" \
            "$(ratio "$(least "$work/$program"/off-"$variant".* | awk -v c=$column '{ print $c }')" "$plain_run")" \
            "$output" "$1" "$2" >>"$results"
    done
    [ -n "$keep" ] || rm -rf "${work:?}/$program"
}

measured=0
for program in ${only:-$programs}; do
    if measure "$program"; then measured=$((measured + 1)); else failed=1; fi
done

awk -F '\t' '{
    line = "|"
    for (i = 1; i <= NF; i++)
        line = line " " $i " |"
    print line
    if (NR == 1)
        print gensub(/[^|]+/, " --- ", "g", line)
}' "$results" >"$work/results.md"
[ -z "$out" ] || cp "$results" "$out/foreign.tsv" && [ -z "$out" ] || cp "$work/results.md" "$out/foreign.md"
case $format in
tsv) cat "$results" ;;
markdown) cat "$work/results.md" ;;
both) cat "$results" && echo && cat "$work/results.md" ;;
esac
[ $failed -eq 0 ] && [ $measured -gt 0 ]
