#!/usr/bin/python3
"""samples.py BIN [--rounds N] [--out FILE.md]: what samples, records of files and their costs are worth, as a report.

    shares of functions by refrain record --sample beside perf record, on the same run (Debian: linux-perf)
    processor time of a program with and without samples, and of a write of 4 KiB with and without --io
    bytes of files of HDF5 by --io beside the files (Debian: libhdf5-openmpi-dev)

BIN has the built tools. Debian: lammps, openmpi, g++, gfortran, valgrind."""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
MPI = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
           OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="2")
LEAST_SHARE = 0.02
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
run STEPS
"""


def run(command, work, **more):
    """Runs a command in `work`; its standard output. A failure ends the script."""
    done = subprocess.run([str(word) for word in command], cwd=work, text=True, capture_output=True,
                          env={**os.environ, **more.pop("env", {})}, timeout=600, **more)
    if done.returncode:
        sys.exit(f"samples.py: {' '.join(map(str, command))}: status {done.returncode}: {(done.stderr or done.stdout)[-400:]}")
    return done.stdout


def traces(work):
    return sorted(work.glob("run/*.refrain"))


def clean(work):
    run(["rm", "-rf", "run", "perf.data"], work)


# ---- shares of functions

def of_refrain(trace, work):
    """Samples in each function itself, and of all."""
    rows = json.loads(run(["refrain", "-q", "samples", "--json", trace], work))["rows"]
    counts = {}
    for row in rows:
        counts[plain(row["function"])] = counts.get(plain(row["function"]), 0) + row["own_samples"]
    return counts


def of_perf(program, work):
    """The function that the program was in; of samples in the kernel, the one that called it, as refrain counts."""
    counts = {}
    for sample in run(["perf", "script", "-i", "perf.data", "--comm", program, "-F", "ip,sym"], work).split("\n\n"):
        frames = [line.strip().partition(" ")[::2] for line in sample.splitlines() if line.strip()]
        names = [plain(name) for address, name in frames if int(address, 16) < 1 << 63]
        if names:
            counts[names[0]] = counts.get(names[0], 0) + 1
    return counts


def plain(name):
    """A name without its parameters and result: refrain and perf print them differently."""
    name = name.replace("(anonymous namespace)", "{anonymous}")
    depth, text = 0, ""
    for letter in name:
        depth += letter in "<("
        text += letter if depth == 0 else ""
        depth -= letter in ">)"
    text = text.strip().split(" ")[-1].partition("@")[0]
    if "+0x" in text or text == "[unknown]":
        return "(without a symbol)"
    text = re.sub(r"^kernels::|^__kernels_MOD_", "", text)  # perf names the module of a Fortran procedure
    return re.sub(r"^_+(libc_|GI_)?", "", text)  # aliases of the C library


def shares(name, program, command, work):
    """Rows of the table: a program's functions by both."""
    clean(work)
    run(["perf", "record", "-q", "-e", "cpu-clock", "-g", "-F", "997", "-o", "perf.data", "--",
         "refrain", "record", "--sample", "--no-report", "--directory", "run", "mpiexec.openmpi", "-n", "1", *command], work, env=MPI)
    ours, theirs = of_refrain(traces(work)[0], work), of_perf(program, work)
    n, m = sum(ours.values()), sum(theirs.values())
    rows = []
    for function in sorted(set(ours) | set(theirs), key=lambda f: -theirs.get(f, 0)):
        p, q = ours.get(function, 0) / n, theirs.get(function, 0) / m
        if max(p, q) < LEAST_SHARE:
            continue
        both = (ours.get(function, 0) + theirs.get(function, 0)) / (n + m)
        deviation = math.sqrt(both * (1 - both) * (1 / n + 1 / m))
        rows.append((name, function, n, p, math.sqrt(p * (1 - p) / n), m, q, (p - q) / deviation))
    return rows


def report_shares(programs, work):
    lines = ["| program | function | refrain, % | +- | perf, % | difference in deviations |", "|---|---|---:|---:|---:|---:|"]
    every = []
    for name, program, command in programs:
        rows = shares(name, program, command, work)
        every += rows
        for _, function, n, p, deviation, m, q, z in rows:
            lines.append(f"| {name} ({n}, {m} samples) | `{function}` | {100 * p:.1f} | {100 * deviation:.1f} | {100 * q:.1f} | {z:+.1f} |")
    within = [sum(abs(row[-1]) <= k for row in every) for k in (1, 2, 3)]
    return lines, f"Of {len(every)} shares, {within[0]} are within one, {within[1]} within two, {within[2]} within three deviations."


# ---- costs

def spread(ratios):
    ratios = sorted(ratios)
    return f"{statistics.median(ratios):.4f} ({ratios[0]:.4f} to {ratios[-1]:.4f})"


def report_cost(rounds, work):
    """Processor time of LAMMPS on one rank; each round has one run of each kind."""
    (work / "in.cost").write_text(MELT.replace("STEPS", "120"))
    times = {kind: [] for kind in ("none", "none again", "100", "1000")}
    for _ in range(rounds):
        for kind in times:
            clean(work)
            option = [] if kind.startswith("none") else [f"--sample={kind}"]
            inner = ["/usr/bin/time", "-q", "-o", "time", "-f", "%U %S", "lmp", "-log", "none", "-screen", "none", "-in", "in.cost"]
            run(["refrain", "record", *option, "--no-report", "--directory", "run", "mpiexec.openmpi", "-n", "1", *inner], work, env=MPI)
            times[kind].append(sum(map(float, (work / "time").read_text().split())))
    lines = ["| samples a second | processor time of the program over that without samples: median (least to most) |", "|---|---|"]
    for kind in list(times)[1:]:
        lines.append(f"| {kind} | {spread([a / b for a, b in zip(times[kind], times['none'])])} |")
    return lines, statistics.median(times["none"])


def instructions(option, n, work):
    """Instructions of n writes, in user mode."""
    clean(work)
    done = subprocess.run(["refrain", "record", *option, "--no-report", "--directory", "run", "valgrind", "--tool=callgrind",
                           "--toggle-collect=write_all", "--callgrind-out-file=/dev/null", "./writes", str(work / "out"), str(n)],
                          cwd=work, text=True, capture_output=True, env={**os.environ, **MPI}, timeout=600)
    found = re.findall(r"Collected\s*:\s*([0-9]+)", done.stderr)
    if not found:
        sys.exit(f"samples.py: valgrind counts nothing: {done.stderr[-400:]}")
    return int(found[-1])


def report_writes(rounds, work):
    """Instructions of a write in user mode, and its processor time, in which the kernel copies the block."""
    kinds = {"record": [], "record --io": ["--io"]}
    counted = {kind: instructions(option, 20000, work) / 20000 for kind, option in kinds.items()}
    lines = [f"A `write` of 4 KiB executes {counted['record --io'] - counted['record']:.0f} instructions more in user mode with `--io`. Its processor time, "
             f"with the kernel's, medians of {rounds} rounds by turns:", "",
             "| file, in the page cache | without, ns | with `--io`, ns | ratio of pairs: median (least to most) |", "|---|---:|---:|---|"]
    for name, n, blocks in (("that grows to 200 MB", 50000, 50000), ("of 4 MB, written again and again", 300000, 1024)):
        times = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for kind, option in kinds.items():
                clean(work)
                times[kind].append(float(run(["refrain", "record", *option, "--no-report", "--directory", "run", "./writes", work / "out", n, blocks],
                                             work, env=MPI).split()[0]))
        ratio = spread([a / b for a, b in zip(times["record --io"], times["record"])])
        lines.append(f"| {name} | {statistics.median(times['record']):.0f} | {statistics.median(times['record --io']):.0f} | {ratio} |")
    return lines


def report_hdf5(work):
    clean(work)
    run(["refrain", "record", "--io", "--no-report", "--directory", "run", "mpiexec.openmpi", "-n", "2", "./blocks", "numbers.h5"], work, env=MPI)
    rows = json.loads(run(["refrain", "-q", "stats", "--by", "file", "--json", traces(work)[0]], work))["rows"]
    lines = ["| file | bytes written | bytes read | calls | length of the file |", "|---|---:|---:|---:|---:|"]
    for row in rows:
        path = work / row["file"]
        length = path.stat().st_size if path.exists() else "-"
        lines.append(f"| {row['file']} | {row['written']['bytes']} | {row['read']['bytes']} | {row['calls']} | {length} |")
    return lines


def build(work):
    run(["mpicxx.openmpi", "-O2", "-g", HERE / "samples/kernels.cc", "-o", "kernels-cxx"], work)
    run(["mpifort.openmpi", "-O2", "-g", HERE / "samples/kernels.f90", "-o", "kernels-fort"], work)
    run(["mpicc.openmpi", "-O2", "-g", HERE / "samples/writes.c", "-o", "writes"], work)
    run(["make", "-s", "-C", HERE / "workloads", "CC=mpicc.openmpi", f"BUILD={work}/workloads", "ONLY=hybrid"], work)
    run(["h5pcc.openmpi", "-O2", HERE / "samples/blocks.c", "-o", "blocks"], work)
    (work / "in.melt").write_text(MELT.replace("STEPS", "400"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{arguments.bin.resolve()}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        build(work)
        version = run(["refrain", "--version"], work).strip()
        processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        table, within = report_shares([
            ("LAMMPS, melt (C++)", "lmp", ["lmp", "-log", "none", "-screen", "none", "-in", "in.melt"]),
            ("kernels.cc (C++)", "kernels-cxx", ["./kernels-cxx", "400"]),
            ("kernels.f90 (Fortran)", "kernels-fort", ["./kernels-fort", "600"]),
            ("hybrid, 2 threads (OpenMP)", "hybrid", ["workloads/hybrid", "--iterations", "4000"])], work)
        cost, seconds = report_cost(arguments.rounds, work)
        text = "\n".join([
            "# Samples and files: accuracy and cost", "",
            f"Measured with {version}, by `benchmarks/samples.py`, {date.today()}, on {os.cpu_count()} processors of "
            f"{processor[1].strip() if processor else 'an unknown machine'}, load {os.getloadavg()[0]:.1f}.", "",
            "## Shares of functions, beside perf", "",
            "One run on one rank under both: `refrain record --sample` (100 samples a second of processor time) and `perf record -e cpu-clock -g -F 997`. "
            f"Functions with {100 * LEAST_SHARE:.0f} % or more, themselves, without callees. A deviation is that of the difference of two shares.", "",
            *table, "", within, "",
            "Time in the kernel counts for the function that called it. perf also sees the program before its first MPI call and after its end.", "",
            "## Cost of samples", "",
            f"LAMMPS on one rank, {seconds:.1f} s of processor time, {arguments.rounds} rounds by turns. `none again` is the noise of the machine.", "",
            *cost, "",
            "## Cost of a write of 4 KiB", "", *report_writes(arguments.rounds, work), "",
            "## HDF5", "",
            "`benchmarks/samples/blocks.c` on 2 ranks: a dataset of 4 MiB is written and read collectively, under `refrain record --io`.", "",
            *report_hdf5(work), ""])
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text)


main()
