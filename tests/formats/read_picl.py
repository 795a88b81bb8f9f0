#!/usr/bin/env python3
"""read_picl.py FILE: events of a PICL trace, read from Worley's "A New PICL Trace File Format" (tables 1 to 18)."""
import re
import sys

from lines import header, line, wrong

# Fields of the entry and of the exit by event type (tables 7 to 10), and what the text form calls it.
TYPES = {-11: (0, 0), -12: (0, 0), -21: (4, 0), -27: (4, 1), -30: (1, 0), -52: (3, 4), -56: (3, 4), -57: (3, 1), -61: (1, 4),
         -221: (2, 0), -251: (0, 2), -402: (0, 0), -901: (0, 0), -904: (3, 0)}


def operation(rank, ns, kind, fields, name):
    """What the fields of entry and exit of an event type say, as the text form has it."""
    if kind in (-21, -27):
        request = {"request": fields[4]} if kind == -27 and len(fields) > 4 else {}
        line(rank, 0, ns, "send", name, True, bytes=fields[0], tag=fields[1], dest=fields[2], **request)
    elif kind == -30:
        line(rank, 0, ns, "send-complete", name, True, **({"request": fields[0]} if fields[0] >= 0 else {}))
    elif kind == -52:
        line(rank, 0, ns, "recv", name, True, bytes=fields[3], tag=fields[4], source=fields[5])
    elif kind == -57:
        line(rank, 0, ns, "recv-post", name, True, request=fields[3])
    elif kind == -61:
        line(rank, 0, ns, "recv", name, True, request=fields[0], bytes=fields[1], tag=fields[2], source=fields[3])
    elif kind in (-221, -251):
        line(rank, 0, ns, "io", name, True, bytes=fields[0])


def main():
    labels, stacks, states, last, ended = {}, {}, {}, 0, set()
    counts, volumes, statistics = {}, {}, {}
    header("enter,leave,send,recv,collective,rma,io,send-complete,recv-post,collective-complete,cancel",
           "dest,source,tag,bytes,comm,root,sent,received,target,request", threads="no", instants="unordered",
           without="send.comm,recv.comm,recv-post.comm,cancel.comm")
    for text in open(sys.argv[1], encoding="utf-8", errors="surrogateescape"):
        match = re.fullmatch(r"(-?\d+) (-?\d+) (\d+)\.(\d{9}) (-?\d+) (-?\d+) (\d+)(?: (\"[^\"]*\"|\d) (.*))?\n", text, re.S)
        if not match:
            wrong(f"record {text}")
        record, kind, rank, process, n = (int(match.group(i)) for i in (1, 2, 5, 6, 7))
        ns = int(match.group(3)) * 10**9 + int(match.group(4))
        if ns < last or (rank in ended) or (match.group(8) is None) != (n == 0):
            wrong(f"record {text}")
        last = ns
        if record == -5:
            data = match.group(9) or ""
            size = len(data.encode("utf-8", "surrogateescape"))
            if (rank, process) != (-1, -1) or size != n or match.group(8) not in ("0", None) or kind < 0 or kind in labels:
                wrong(f"label {text}")
            labels[kind] = data
            continue
        if record in (-101, -102, -103):
            if match.group(8) != ('"%d%lf"' if record == -101 else '"%d%d"') or kind != -1:
                wrong(f"statistics {text}")
            values = match.group(9).split()
            if len(values) != 2 * n:
                wrong(f"statistics {text}")
            statistics[record, rank] = dict(zip(map(int, values[::2]), map(float, values[1::2])))
            continue
        fields = list(map(int, match.group(9).split())) if n else []
        if len(fields) != n or process != 0:
            wrong(f"fields {text}")
        if kind == -901:
            if record == -3 and rank in stacks or record == -4 and rank not in stacks:
                wrong(f"tracing {text}")
            if record == -4:
                ended.add(rank)
            stacks.setdefault(rank, [])
            continue
        if rank not in stacks:
            wrong(f"before tracing begins: {text}")
        stack = stacks[rank]
        if kind >= 0:
            if kind not in labels and kind != 2**32 - 1:
                wrong(f"no label: {text}")
            name = labels.get(kind, "unknown")
            if record == -3:
                stack.append(kind)
                line(rank, 0, ns, "enter", name, True)
            elif record == -4:
                if stack.pop() != kind:
                    wrong(f"leaves what was not entered last: {text}")
                line(rank, 0, ns, "leave", name, True)
            elif record == 0:
                line(rank, 0, ns, "collective", name, True, root=fields[0], sent=fields[1], received=fields[2],
                     comm=fields[3] if fields[3] >= 0 else "unknown", **({"request": fields[4]} if n > 4 else {}))
            elif record in (2, 3):
                line(rank, 0, ns, "collective-complete" if record == 2 else "cancel", name, True,
                     comm=fields[1] if fields[1] >= 0 else "unknown", **({"request": fields[0]} if fields[0] >= 0 else {}))
            elif record == 1:
                line(rank, 0, ns, "rma", name, True, target=fields[0], bytes=fields[1])
            else:
                wrong(f"record {text}")
            continue
        of_entry, of_exit = TYPES[kind]
        name = labels[stack[-1]] if stack else ""
        where = (rank, kind)
        if record == -2:
            if kind == -27 or kind == -61 or kind == -57 or n == of_entry + of_exit:
                operation(rank, ns, kind, fields, name)
            else:
                wrong(f"mark {text}")
        elif record == -3:
            if n not in (0, of_entry) or rank in states and states[rank]:
                wrong(f"entry {text}")
            states[rank] = (kind, fields, ns)
            continue
        elif record == -4:
            if not states.get(rank) or states[rank][0] != kind or n not in (0, of_exit):
                wrong(f"exit {text}")
            _, before, since = states[rank]
            states[rank] = None
            fields = (before or [-1] * of_entry) + fields if n else before
            if before or n:
                operation(rank, since if kind in (-21, -27, -57, -221, -251) else ns, kind, fields, name)
        else:
            wrong(f"record {text}")
        if kind != -904:
            counts[where] = counts.get(where, 0) + 1
            length = {-21: 0, -27: 0, -52: 3, -61: 1, -221: 0, -251: 0}.get(kind)
            if length is not None and fields:
                volumes[where] = volumes.get(where, 0) + fields[length]
    for rank in stacks:
        for record, mine in ((-102, counts), (-103, volumes)):
            if {k: v for (r, k), v in mine.items() if r == rank and v} != statistics.get((record, rank), {}):
                wrong(f"statistics {record} of {rank}: {mine} counted, {statistics.get((record, rank))} written")
    if ended != set(stacks):
        wrong("tracing does not end")


main()
