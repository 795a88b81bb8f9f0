#!/usr/bin/env python3
"""read_clog.py FILE: events of a CLOG file of MPE 1, read from the description of its records."""
import struct
import sys

from clog_lines import States, text
from lines import header, line, wrong
from order import Order

BLOCK = 65536
LENGTHS = {-2: 3, -1: 3, 1: 7, 2: 6, 3: 6, 4: 5, 6: 10, 7: 9}


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if not data or len(data) % BLOCK:
        wrong(f"{len(data)} bytes are no blocks")
    states, sources, comms, last, ended, order = States(15), {}, set(), 0, False, Order()
    header("enter,leave,send,recv,collective", "dest,source,tag,bytes,comm,root,sent", threads="no", cut=15, pairs="late")
    for start in range(0, len(data), BLOCK):
        at = start
        while True:
            time, kind, length, rank, pad = struct.unpack_from(">d4i", data, at)
            body = data[at + 24:at + 8 * length]
            if LENGTHS.get(kind) != length or at + 8 * length > start + BLOCK or pad or ended:
                wrong(f"record {kind} of {length} doubles at {at}")
            at += 8 * length
            if kind in (-1, -2):
                ended = kind == -2
                break
            ns = round(time * 10**9)
            if kind == 6:
                _, first, second, _ = struct.unpack_from(">4i", body)
                text(body[16:40])
                states.define(first, second, text(body[40:56]))
                continue
            if kind == 7:
                number, _ = struct.unpack_from(">2i", body)
                sources[number] = text(body[8:48])
                continue
            if kind == 4:
                comms.add(struct.unpack(">4i", body)[2])
                continue
            if ns < last:
                wrong(f"time goes back at {at}")
            last = ns
            if kind == 1:
                event, _, source, _ = struct.unpack_from(">4i", body)
                states.event(rank, 0, ns, event)
            elif kind == 2:
                event, tag, peer, comm, size, source = struct.unpack(">6i", body)
                if event not in (-101, -102) or comm not in comms | {-1}:
                    wrong(f"message at {at}")
                order.message(*("send", rank, peer) if event == -101 else ("recv", peer, rank), comm, tag)
                line(rank, 0, ns, "send" if event == -101 else "recv", states.inside(rank, 0), tag=tag, bytes=size,
                     comm=comm if comm >= 0 else "unknown", **{"dest" if event == -101 else "source": peer})
            else:
                event, root, comm, size, source, _ = struct.unpack(">6i", body)
                if states.of_event[event] != ("enter", states.inside(rank, 0)):
                    wrong(f"collective at {at}")
                line(rank, 0, ns, "collective", states.inside(rank, 0), root=root, sent=size,
                     comm=comm if comm >= 0 else "unknown")
            if source not in sources:
                wrong(f"source {source} at {at}")
        if any(data[at:start + BLOCK]):
            wrong(f"something behind the end of the block at {start}")
    order.check()
    if not ended:
        wrong("no end of the log")


main()
