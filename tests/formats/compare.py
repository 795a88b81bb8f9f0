#!/usr/bin/env python3
"""compare.py TEXT READ [WHOLE]: whether what a reader found in a format equals the text of the same trace.

TEXT is refrain reconstruct --format text --all. READ is in the same form, as the readers in this directory print it, after a
first line that says what the format keeps:

    # kinds=enter,leave,send resolution_ns=1000 keys=file,line,dest threads=no

Events of other kinds and fields of other keys are taken out of TEXT; `threads=no` takes out those of threads but the first,
`without=send.comm,send.name` takes out a field, or the name, of one kind. Each location's events must then be the same in
the same order, and their times no further apart than the resolution; `instants=unordered`: those of one time in any order.
`apart=send,recv`: each of these kinds is compared for itself, not in the order of all events, `untimed=send`: and without
its times. `blocking=collective`: those of a request are taken out. `cut=15`: a name is its first bytes, as many as whole
characters fit into so many, `blanks=yes`: with blanks for control characters and none at its end. `pairs=yes`: messages of which only one end is there are taken out; WHOLE, the text of all of the run,
tells which belong together."""
import re
import sys


def cut(name, most, blanks):
    """The first bytes of a name that the text form has escaped."""
    name = re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: {"t": "\t", "n": "\n", "\\": "\\"}.get(m.group(1)) or
                  chr(int(m.group(1)[1:], 16)), name)
    out, n = [], 0
    for c in name:
        n += len(c.encode("utf-8", "surrogateescape"))
        if n > most:
            break
        if blanks and (ord(c) < 32 or ord(c) == 127):
            c = " "
        out.append({"\t": "\\t", "\n": "\\n", "\\": "\\\\"}.get(c) or (f"\\x{ord(c):02x}" if ord(c) < 32 or ord(c) == 127 else c))
    return "".join(out).rstrip(" ") if blanks else "".join(out)


def lone_ends(path, whole):
    """Numbers of the lines of messages whose other end is not there, as the text of the whole run tells it: there, messages
    of one channel are received in the order in which they were sent."""
    sent, other = {}, {}
    with open(whole, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3 or fields[2] not in ("send", "recv"):
                continue
            values = dict(f.split("=", 1) for f in fields[4:] if "=" in f)
            ends = (fields[0], values["dest"]) if fields[2] == "send" else (values["source"], fields[0])
            waiting = sent.setdefault((*ends, values["tag"], values["comm"]), [])
            if fields[2] == "send":
                waiting.append(line)
            elif waiting:
                other[line] = waiting.pop(0)
                other[other[line]] = line
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        there = list(lines)
    among = set(there)
    return {number for number, line in enumerate(there)
            if line.split("\t")[2] in ("send", "recv") and other.get(line) not in among}


def events(path, says, lone):
    kinds, keys, threads = says("kinds"), says("keys"), says("threads") != {"no"}
    without, apart, untimed, blocking = says("without"), says("apart"), says("untimed"), says("blocking")
    locations = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines):
            if line.startswith("#") or number in lone:
                continue
            fields = line.rstrip("\n").split("\t")
            rank, seconds, kind, name = fields[:4]
            values = dict(f.split("=", 1) if "=" in f else (f, "") for f in fields[4:])
            thread = values.pop("thread", "0")
            if values.get("root") == "-1":  # of a collective that has none, of which the text says nothing
                del values["root"]
            if kind in ("rma", "io") and not {"window", "handle"} & keys:  # nor which communicator has the window or file
                values.pop("comm", None)
            if kind not in kinds or (not threads and thread != "0") or (kind in blocking and "request" in values):
                continue
            whole, _, decimals = seconds.partition(".")
            ns = 0 if kind in untimed else int(whole) * 10**9 + int((decimals + "0" * 9)[:9])
            kept = tuple(sorted((k, v) for k, v in values.items() if k in keys and f"{kind}.{k}" not in without))
            name = "" if f"{kind}.name" in without else cut(name, *map(int, says("cut")), bool(says("blanks"))) if says("cut") else name
            where = (int(rank), int(thread), kind if kind in apart else "")
            locations.setdefault(where, []).append((ns, (kind, name) + kept))
    if says("instants") == {"unordered"}:
        for (_, _, kind), each in locations.items():
            if kind not in untimed:
                each.sort()
    return locations


def main():
    text_path, read_path = sys.argv[1:3]
    whole_path = sys.argv[3] if len(sys.argv) > 3 else text_path
    with open(read_path, encoding="utf-8", errors="surrogateescape") as lines:
        header = dict(word.split("=", 1) for word in lines.readline()[1:].split())

    def says(key):
        return set(header.get(key, "").split(",")) - {""}

    resolution_ns = float(header["resolution_ns"])
    lone = lone_ends(text_path, whole_path) if says("pairs") == {"yes"} else ()
    text, read = events(text_path, says, lone), events(read_path, says, ())
    n = sum(map(len, text.values()))
    if n == 0 or set(text) != set(read):
        sys.exit(f"locations {sorted(text)} in the text, {sorted(read)} read, {n} events")
    for location in sorted(text):
        a, b = text[location], read[location]
        for i, (x, y) in enumerate(zip(a, b)):
            if x[1] != y[1] or abs(x[0] - y[0]) > resolution_ns:
                sys.exit(f"location {location}, event {i}:\n  text {x}\n  read {y}")
        if len(a) != len(b):
            longer = max(a, b, key=len)
            sys.exit(f"location {location}: {len(a)} events in the text, {len(b)} read; the first more: {longer[min(len(a), len(b))]}")
    print(f"{n} events")


main()
