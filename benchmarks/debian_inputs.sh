# debian_inputs.sh: small inputs for programs of Debian packages (hpcc lammps cp2k openfoam openfoam-examples
# quantum-espresso). Sourced by memory.sh and tests/debian_names.sh. NAME_input makes the input of NAME in the working
# directory, for 2 ranks.

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
