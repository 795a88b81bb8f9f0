#!/usr/bin/env python3
"""picl_waits.py TEXT PICL: whether PICL's event types say of each process how many receives and completions had to wait: a receive,
if its message was sent after the MPI call that receives it was entered (-52, -61, else -51, -60); the completion of a send, if its
message arrived in the call that completes it (-31, else -30). Both are of the whole run."""
import re
import sys
from collections import Counter

from ends import other_ends


def wanted(path):
    other, counts, entered, begun = other_ends(path), Counter(), {}, {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = list(file)
    number = {line: i for i, line in enumerate(lines)}
    ns = lambda line: int(line.split("\t")[1].replace(".", ""))
    for i, line in enumerate(lines):
        rank, _, kind, name, *fields = line.rstrip("\n").split("\t")
        values = dict(f.split("=", 1) for f in fields if "=" in f)
        where, request = (rank, values.get("thread", "0")), values.get("request")
        if kind == "enter" and name.startswith("MPI_"):
            entered[where] = ns(line)
        if kind == "send" and request:
            begun[where, request] = line
        if name.startswith("MPI_Test") or line not in other and kind == "recv":
            continue
        if kind == "recv":
            waited = ns(other[line]) > entered[where]
            counts[where, (-61 if waited else -60) if request else -52 if waited else -51] += 1
        elif kind == "send-complete":
            receipt = other[begun[where, request]]
            waited = number[receipt] < i and ns(receipt) > entered[where]
            counts[where, -31 if waited else -30] += 1
    return counts


def found(path):
    counts = Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            match = re.match(r"-[24] (-30|-31|-51|-52|-60|-61) \S+ (\d+) (\d+) ", line)
            if match:
                counts[(match[2], match[3]), int(match[1])] += 1
    return counts


def main():
    text, picl = wanted(sys.argv[1]), found(sys.argv[2])
    kinds = {kind for _, kind in text}
    if text != picl or not all(kinds & some for some in ({-51, -52}, {-60, -61}, {-30, -31})):
        sys.exit(f"{sorted((text - picl).items())} in the text, {sorted((picl - text).items())} in PICL")


main()
