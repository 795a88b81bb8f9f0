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
characters fit into so many, `blanks=yes`: with blanks for control characters and none at its end. `pairs=yes`: messages of
which only one end is there are taken out, `pairs=late`: receives of messages that were sent before TEXT begins; WHOLE, the text
of all of the run, tells which belong together. `unknown=recv.bytes`: where the text has -1, for what the trace does not know, the
format may know it. `first=collective`: of several of this kind in one call only the first is compared. `changes=counter`: entries and
exits alone say the value of a name, 0 at first, so that only one that differs then from the one said before is compared."""
import re
import sys

from ends import lone_ends


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


def events(path, says, lone):
    kinds, keys, threads = says("kinds"), says("keys"), says("threads") != {"no"}
    without, apart, untimed, blocking = says("without"), says("apart"), says("untimed"), says("blocking")
    locations, told, values = {}, {}, {}
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines):
            if line.startswith("#") or number in lone:
                continue
            fields = line.rstrip("\n").split("\t")
            rank, seconds, kind, name = fields[:4]
            values = dict(f.split("=", 1) if "=" in f else (f, "") for f in fields[4:])
            thread = values.pop("thread", "0")
            if kind in ("enter", "leave", "marker"):  # a marker is entered and left
                for key, (said, event) in values.get((rank, thread), {}).items():
                    if event and said != dict(event[1][2:])["value"]:
                        locations.setdefault((int(rank), int(thread), key[0] if key[0] in apart else ""), []).append(event)
                        said = dict(event[1][2:])["value"]
                    values[rank, thread][key] = said, None
            if kind in ("enter", "leave"):
                told[rank, thread] = set()
            if kind in says("first") and kind in told.setdefault((rank, thread), set()):
                continue
            told.setdefault((rank, thread), set()).add(kind)
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
            if kind in says("changes"):
                each = values.setdefault((rank, thread), {})
                each[kind, name] = each.get((kind, name), ("0", None))[0], (ns, (kind, name) + kept)
                continue
            locations.setdefault(where, []).append((ns, (kind, name) + kept))
    if says("instants") == {"unordered"}:
        for (_, _, kind), each in locations.items():
            if kind not in untimed:
                each.sort()
    return locations


def same(text, read, unknown):
    """Whether both are the same event, but for what the text does not know."""
    kind = text[0]
    known = [field for field in text[2:] if field[1] != "-1" or f"{kind}.{field[0]}" not in unknown]
    keys = {field[0] for field in text[2:]} - {field[0] for field in known}
    return text[:2] == read[:2] and known == [field for field in read[2:] if field[0] not in keys]


def compare(text_path, read_path, whole_path):
    """Ends the process where they differ."""
    with open(read_path, encoding="utf-8", errors="surrogateescape") as lines:
        header = dict(word.split("=", 1) for word in lines.readline()[1:].split())

    def says(key):
        return set(header.get(key, "").split(",")) - {""}

    resolution_ns = float(header["resolution_ns"])
    lone = lone_ends(text_path, whole_path, says("pairs") == {"late"}) if says("pairs") else ()
    text, read = events(text_path, says, lone), events(read_path, says, ())
    n = sum(map(len, text.values()))
    if n == 0 or set(text) != set(read):
        sys.exit(f"locations {sorted(text)} in the text, {sorted(read)} read, {n} events")
    for location in sorted(text):
        a, b = text[location], read[location]
        for i, (x, y) in enumerate(zip(a, b)):
            if not same(x[1], y[1], says("unknown")) or abs(x[0] - y[0]) > resolution_ns:
                sys.exit(f"location {location}, event {i}:\n  text {x}\n  read {y}")
        if len(a) != len(b):
            longer = max(a, b, key=len)
            sys.exit(f"location {location}: {len(a)} events in the text, {len(b)} read; the first more: {longer[min(len(a), len(b))]}")
    print(f"{n} events")


if __name__ == "__main__":
    compare(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[1])
