#!/bin/sh
# debian_names.sh BIN [NAME...]: traces programs of Debian packages, which have no debug information. The page of refrain view,
# refrain stats, the text format and OTF2 must have the same names, equally often, with and without --call-path. Not part of
# the tests, since it needs packages that these do not need:
#
#     apt-get install lammps cp2k openfoam openfoam-examples
#
# NAME: lammps, cp2k or openfoam (default: all). A program that is not installed is skipped, with a line.
set -u
. "$(dirname "$0")/lib.sh"
shift
. "$tests/../benchmarks/debian_inputs.sh"
names=${*:-lammps cp2k openfoam}
sources=$tests/../reconstruct/view
OMP_NUM_THREADS=1 OMPI_MCA_btl=self,vader WM_PROJECT_DIR=/usr/share/openfoam
export OMP_NUM_THREADS OMPI_MCA_btl WM_PROJECT_DIR
mkdir "$work/modules"
cp "$sources/package.json" "$sources/package-lock.json" "$work/modules"
check "npm" npm ci --prefix "$work/modules" --no-audit --no-fund

# Each prints lines "NAME TIMES", in order. stats has () behind the name of a function.
of_text() {
    awk -F '\t' '$3 == "enter" { n[$4]++ } END { for (name in n) print name "\t" n[name] }' "$1" | sort
}
of_otf2() {
    otf2-print "$1/traces.otf2" | sed -n 's/^ENTER .*Region: "\(.*\)" <[0-9]*>.*/\1/p' | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2\t\1/' | sort
}
of_stats() {
    python3 -c 'import collections, json, sys
n = collections.Counter()
for row in json.load(sys.stdin)["rows"]:
    n[row["what"].removesuffix("()")] += row["calls"]
for name in n:
    print(name, n[name], sep="\t")' <"$1" | sort
}

# same PROGRAM FORM: compares its names with those of the text.
same() {
    if [ -s "$2" ] && cmp -s text "$2"; then
        pass
    else
        fail "$1: $2 and text differ: $(diff text "$2" | head -n 4)"
    fi
}

# compare PROGRAM: the trace in run/, by each form.
compare() {
    trace=$(the_trace run) || fail "$1: no trace"
    check "$1: text" refrain reconstruct -q "$trace" --format text -o run.txt --force
    check "$1: OTF2" refrain reconstruct -q "$trace" -o run.otf2 --force
    check "$1: stats" sh -c 'refrain stats -q --by function --json "$0" >run.json' "$trace"
    check "$1: view" refrain view -q "$trace" -o run.html --force
    of_text run.txt >text
    of_otf2 run.otf2 >OTF2
    of_stats run.json >stats
    timeout 900 node "$tests/debian_names.mjs" "$work/modules" "$PWD/run.html" 2>said | sort >page
    for form in OTF2 stats page; do
        same "$1" $form
    done
    echo "$1: $(wc -l <text) names, $(awk -F '\t' '{ n += $2 } END { print n }' text) times"
}

# program NAME COMMAND...
program() {
    name=$1
    shift
    case " $names " in *" $name "*) ;; *) return ;; esac
    if ! command -v "$1" >/dev/null; then
        echo "not installed: $name"
        return
    fi
    mkdir "$work/$name" && cd "$work/$name" && "${name}_input"
    for option in "" --call-path; do
        rm -rf run
        # shellcheck disable=SC2086 # an option, or none
        check "$name $option" timeout 900 refrain record -q $option --directory run mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 "$@"
        compare "$name${option:+ $option}"
    done
    cd "$work" && rm -rf "$name"
}

program lammps lmp -in in.melt
program openfoam icoFoam -parallel
program cp2k cp2k.psmp h2o.inp
summary
