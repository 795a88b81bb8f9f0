#!/bin/sh
# memory.sh: what real programs lose in little memory, and how much of it they leave unused; memory.sh --help says more.
set -u
. "$(dirname "$0")/lib.sh"
only=
sizes="320K 400K 448K 640K 1M 2M 16M"

usage() {
    cat <<'END'
NAME
    memory.sh - what real programs lose in little memory, and how much of it is left

SYNOPSIS
    benchmarks/memory.sh [--only NAME]... [--sizes "SIZE..."] [--tools DIR]

DESCRIPTION
    Runs programs as Debian ships them, with a small input of their own, on 2 ranks of Open MPI under `refrain record`, and
    prints a table in Markdown. Of a program that is not installed (hpcc lammps cp2k openfoam openfoam-examples
    quantum-espresso) a line says so.

    values    share of the learned values that are not known one by one, all ranks
    times     share of the blocks whose own time is not known; where times ended early, of as many as in 64M
    calls     MPI calls that are shown at another call site of their function, all ranks
    counts    values that are counted as another, all ranks
    unused    of the trace file of the rank that used least; * where nothing was lost

OPTIONS
    --only NAME   lammps, cp2k, pw, openfoam or hpcc; repeatable (default: all)
    --sizes LIST  REFRAIN_TOTAL_MEMORY, in this order (default: 320K 400K 448K 640K 1M 2M 16M)
    --tools DIR   the directory of refrain (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 a program failed; 2 bad command line.
END
}

options "only+ sizes tools" "$@"
OMP_NUM_THREADS=1 OMPI_MCA_btl=self,vader WM_PROJECT_DIR=/usr/share/openfoam
export OMP_NUM_THREADS OMPI_MCA_btl WM_PROJECT_DIR

# ---- inputs, each in the working directory ----

lammps_input() {
    cat >in.melt <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix 1 all nve
thermo 10
run 500
END
}

cp2k_input() { # two steps of one molecule of water
    cat >h2o.inp <<'END'
&GLOBAL
  PROJECT h2o
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&MOTION
  &MD
    ENSEMBLE NVE
    STEPS 2
    TIMESTEP 0.5
    TEMPERATURE 300.0
  &END MD
&END MOTION
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_MOLOPT
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 100
    &END MGRID
    &QS
      EPS_DEFAULT 1.0E-6
    &END QS
    &SCF
      MAX_SCF 6
      EPS_SCF 1.0E-4
      SCF_GUESS ATOMIC
      &OT
        MINIMIZER DIIS
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL Pade
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.0 6.0 6.0
    &END CELL
    &COORD
      O 0.000000 0.000000 0.0
      H 0.757000 0.586000 0.0
      H -0.757000 0.586000 0.0
    &END COORD
    &KIND H
      BASIS_SET SZV-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET SZV-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
END
}

pw_input() { # a molecule of hydrogen, whose potential the package's own ld1.x makes
    cat >h.in <<'END'
&input
 title='H', prefix='H', zed=1.0, config='1s1', iswitch=3, dft='LDA', rel=0
/
&inputp
 pseudotype=1, lloc=0, file_pseudopw='H.UPF', tm=.true., author='none'
/
1
1S 1 0 1.00 0.00 1.00 1.00
END
    ld1.x <h.in >ld1.out
    cat >h2.in <<'END'
&control
 calculation='md', prefix='h2', pseudo_dir='.', outdir='tmp', nstep=2, dt=10
/
&system
 ibrav=1, celldm(1)=8.0, nat=2, ntyp=1, ecutwfc=8.0
/
&electrons
 conv_thr=1d-5
/
&ions
/
ATOMIC_SPECIES
H 1.008 H.UPF
ATOMIC_POSITIONS bohr
H 0.0 0.0 0.0
H 1.5 0.1 0.0
K_POINTS automatic
2 2 1 0 0 0
END
}

openfoam_input() { # the cavity of its tutorial
    cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/* .
    cat >system/decomposeParDict <<'END'
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains 2;
method simple;
simpleCoeffs { n (2 1 1); delta 0.001; }
END
    { blockMesh && decomposePar; } >prepared 2>&1
}

hpcc_input() { # its smallest problem
    sed -e '6s/.*/100          Ns/' -e 's/^[0-9]*  *\(.*PxQ\)/1 \1/' -e '11s/.*/1 Ps/' -e '12s/.*/2 Qs/' \
        /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}

# ---- runs ----

# losses: of `refrain info --json` on standard input the blocks, blocks with a time of their own, values, exact values,
# calls and values without room, unused and all KiB of the rank that used least, and timelines that ended early.
losses() {
    tr -d ' ",' | awk -F : '
        $1 == "processes" { inside = 1 }
        !inside { next }
        $1 == "bytes" { bytes = $2 }
        $1 == "pool_used_bytes" && bytes - $2 >= unused { unused = bytes - $2; all = bytes }
        $1 == "stopped" && $2 == "true" { stopped++ }
        { sum[$1] += $2 }
        END { print sum["blocks"], sum["single"], sum["values"], sum["values_exact"], sum["sites"] + sum["calls"] + 0,
                    sum["counts"] + 0, unused / 1024, all / 1024, stopped + 0 }'
}

# measure NAME MEMORY COMMAND...: prints what losses() does. In the program's directory.
measure() {
    memory=$2
    shift 2
    rm -rf trace
    timeout 600 refrain record -q --memory "$memory" --directory trace mpiexec.openmpi --allow-run-as-root \
        --oversubscribe -n 2 "$@" >out 2>said || return 1
    refrain info --json trace/*.refrain | losses
}

# program NAME COMMAND...
program() {
    name=$1
    shift
    case " ${only:-$name} " in *" $name "*) ;; *) return ;; esac
    if ! command -v "$1" >/dev/null; then
        echo "$name is not installed" >&2
        return
    fi
    mkdir "$work/$name" && cd "$work/$name" && "${name}_input" || failed=1
    # shellcheck disable=SC2046 # words
    set -- $(measure "$name" 64M "$@") -- "$@"
    [ $# -gt 10 ] || {
        echo "$name failed: $(tail -n 1 said)" >&2
        failed=1
        return
    }
    blocks=$1
    shift 10
    for size in $sizes; do
        measure "$name" "$size" "$@" | awk -v name="$name" -v size="$size" -v blocks="$blocks" '{
            if (!$9)
                blocks = $1 # how often a program polls differs from run to run
            times = blocks > $2 ? 100 * (1 - $2 / blocks) : 0
            lost = $3 > $4 || times > 0 || $5 + $6 > 0
            printf "| %s | %s | %.1f %% | %.1f %% | %d | %d | %d of %d (%d %%)%s |\n", name, size,
                   100 * (1 - $4 / $3), times, $5, $6, $7, $8, 100 * $7 / $8, lost ? "" : " *" }'
    done
}

failed=0
echo "| program | memory | values | times | calls | counts | unused KiB |"
echo "|---|---|---|---|---|---|---|"
program lammps lmp -in in.melt
program cp2k cp2k.psmp h2o.inp
program pw pw.x -in h2.in
program openfoam icoFoam -parallel
program hpcc hpcc
exit $failed
