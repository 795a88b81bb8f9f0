"""clang.py BUILD: compiles with clang the C sources that the build in BUILD compiles, but those of the tests. A warning of
clang is an error.

Starting clang takes several times as long as compiling one of these files. So the sources that are compiled alike share a
process of the compiler proper (-cc1), whose arguments the driver prints (-###). A source that is compiled several times is
compiled again only where its definitions or the headers from outside differ.
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

build = Path(sys.argv[1]).resolve()
root = Path(__file__).resolve().parent.parent
# gcc's names of warnings that clang lacks, and frames, which are larger without optimisation. No object is kept, and optimising
# would add no warning that -Wall and -Wextra ask for.
extra = ["-O0", "-UNDEBUG", "-Wno-unknown-warning-option", "-Wno-frame-larger-than", "-c", "-o", os.devnull]


def outside(directory):
    """True for a directory of headers that is not in the source tree, and for generated ones."""
    path = Path(directory)
    return build in path.parents or root not in path.parents


def kept_words(words):
    """Those of gcc's arguments that clang gets, and directories of headers from outside."""
    kept, headers = [], []
    words = iter(words)
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word == "-isystem":
            headers.append(next(words))
            kept += [word, headers[-1]]
        elif word.startswith("-") and not word.startswith(("-O", "-g")):
            kept.append(word)
            if word.startswith("-I") and outside(word[2:]):
                headers.append(word[2:])
    return kept, headers


def groups():
    """The sources to compile, by clang's arguments."""
    seen, found = set(), {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = entry["file"]
        words = shlex.split(entry["command"])
        output = Path(entry["directory"], words[words.index("-o") + 1])
        if not source.endswith(".c") or build / "tests" in output.parents:
            continue
        kept, headers = kept_words(words)
        defined = [word for word in kept if word.startswith("-D") and not word.endswith("_EXPORTS")]
        key = (source, *sorted(defined), *sorted(headers))
        if key not in seen:
            seen.add(key)
            found.setdefault(tuple(kept), []).append(source)
    return found.items()


def run(command):
    return subprocess.run(command, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def compiles(group):
    """Compiles the sources of a group. Prints what clang says; their number if that is nothing, else 0."""
    arguments, sources = group
    driver = run(["clang", "-###", *arguments, *extra, sources[0]])
    proper = [line for line in driver.stdout.splitlines() if '"-cc1"' in line]
    done = run([*shlex.split(proper[0]), *sources[1:]]) if proper else driver
    if done.returncode or done.stdout or not proper:
        print(f"clang, status {done.returncode}:\n{done.stdout}", flush=True)
        return 0
    return len(sources)


jobs = list(groups())
with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(compiles, jobs))
print(f"{sum(results)} of {sum(len(sources) for _, sources in jobs)} sources compiled by clang without a warning")
sys.exit(not results or not all(results))
