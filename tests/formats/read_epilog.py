#!/usr/bin/env python3
"""read_epilog.py FILE [METRIC NS]: events of an EPILOG 1.2 file, read from "EPILOG Binary Trace-Data Format" (2004); its first
metric has that name and at the end that sum over all locations, the others are counters of the program."""
import re
import struct
import sys

from lines import header, line, wrong
from order import Order

NO_ID = 2**32 - 1
STRING, STRING_CNT, MACHINE, NODE, PROCESS, THREAD, LOCATION, FILE, REGION, METRIC, MPI_COMM = range(1, 12)
LAST_DEF, NUM_EVENTS, CALL_SITE, CART_TOPOLOGY, CART_COORDS = 13, 14, 15, 16, 17
ENTER, EXIT, SEND, RECV, COLLEXIT, FORK, JOIN, ENTER_CS, LOG_OFF, LOG_ON = 101, 102, 103, 104, 105, 106, 107, 111, 201, 202
ALOCK, RLOCK, OMP_COLLEXIT = 108, 109, 110
OMP_PARALLEL = 11
USER_REGION = 3


def as_text(name):
    """The writer escapes bytes beyond ASCII, which the text form does not."""
    return re.sub(rb"\\x([89a-f][0-9a-f])", lambda m: bytes([int(m.group(1), 16)]), name).decode("utf-8", "surrogateescape")


def known(value):
    return -1 if value == NO_ID else value


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if data[:10] != b"EPILOG\0\1\2\1":
        wrong(f"header {data[:10]}")
    strings, tables, comms, at, continued, events, coords = {}, {}, {}, 10, 0, None, {}
    stacks, types, locked, teams, last, defined, n_events, waiting, order = {}, {}, {}, {}, 0.0, True, 0, {}, Order()
    paused, moment, values = set(), None, {}
    header("enter,leave,send,recv,collective,marker,counter", "file,line,dest,source,tag,bytes,comm,root,sent,received,value",
           apart="collective,send,recv,counter", untimed="collective,counter", instants="unordered", changes="counter",
           without="send.name,recv.name,recv.bytes,collective.comm,send.comm,recv.comm", first="collective", pairs="late")

    def define(kind, number, *value):
        if tables.setdefault(kind, {}).setdefault(number, value) != value:
            wrong(f"{kind} {number} twice")

    def string(number):
        return None if number == NO_ID else as_text(strings[number])

    while at < len(data):
        size, kind = data[at], data[at + 1]
        body = data[at + 2:at + 2 + size]
        at += 2 + size
        if len(body) != size or (continued and kind != STRING_CNT):
            wrong(f"record at {at}")
        ui4 = lambda n, b=body: struct.unpack_from(f"<{n}I", b)
        if defined:
            if kind == STRING:
                number, continued = struct.unpack_from("<IB", body)
                if number in strings or body[5:].find(0) not in (size - 6, -1) or (continued == 0) != body.endswith(b"\0"):
                    wrong(f"string {body}")
                strings[number] = body[5:].rstrip(b"\0")
            elif kind == STRING_CNT:
                continued -= 1
                if (continued == 0) != body.endswith(b"\0") or continued < 0:
                    wrong(f"string {body}")
                strings[number] += body.rstrip(b"\0")
            elif kind in (MACHINE, FILE, PROCESS, THREAD, LOCATION, CALL_SITE):
                fields = ui4({MACHINE: 3, FILE: 2, PROCESS: 2, THREAD: 3, LOCATION: 5, CALL_SITE: 5}[kind])
                if size != 4 * len(fields):
                    wrong(f"record {kind}: {body}")
                define(kind, fields[:2] if kind == THREAD else fields[0], *fields[1:])
            elif kind == NODE and size == 24:
                fields = ui4(4)
                define(kind, fields[0], *fields[1:])
            elif kind == REGION and size == 25:
                fields = ui4(6)
                define(kind, fields[0], *fields[1:], body[24])
            elif kind == METRIC and size == 15:
                fields = ui4(3)
                define(kind, *fields)
                name = sys.argv[2] if len(sys.argv) > 2 else "WAITING_FOR_SENDERS"
                if body[12:] != (b"\1\2\0" if fields[0] else b"\0\0\0") or (fields[0] == 0 and string(fields[1]) != name):
                    wrong(f"metric {body}")
            elif kind == MPI_COMM:
                number, count = ui4(2)
                if size != 8 + count:
                    wrong(f"communicator {body}")
                define(kind, number, body[8:])
            elif kind == CART_TOPOLOGY:
                (number,), n = ui4(1), body[4]
                dims = struct.unpack_from(f"<{n}I{n}B", body, 5)
                if size != 5 + 5 * n or any(period > 1 for period in dims[n:]):
                    wrong(f"topology {body}")
                define(kind, number, dims)
            elif kind == CART_COORDS:
                (number, where), n = ui4(2), body[8]
                values = struct.unpack_from(f"<{n}I", body, 9)
                dims = tables[CART_TOPOLOGY][number][0]
                if size != 9 + 4 * n or where not in tables[LOCATION] or any(v >= d for v, d in zip(values, dims)):
                    wrong(f"coordinates {body}")
            elif kind == NUM_EVENTS:
                events, = ui4(1)
            elif kind == LAST_DEF and size == 0:
                defined = False
                for table, entries in list(tables.items()) + [("strings", strings)]:
                    if table != THREAD and sorted(entries) != list(range(len(entries))):
                        wrong(f"numbers of {table}: {sorted(entries)}")
                locations = {k: (v[2], v[3]) for k, v in tables[LOCATION].items()}
                files = {k: string(v[0]) for k, v in tables.get(FILE, {}).items()}
                regions = tables[REGION]
                ranks = max(rank for rank, _ in locations.values()) + 1
                groups = {k: sum(1 << r for r in range(ranks) if v[0][r // 8] >> r % 8 & 1) for k, v in tables[MPI_COMM].items()}
            else:
                wrong(f"record {kind} among the definitions")
            continue
        n_events += 1
        lid, time = struct.unpack_from("<Id", body)
        rank, thread = locations[lid]
        if time < last:
            wrong(f"time goes back at {at}")
        last = time
        ns = round(time * 10**9)
        rest = struct.unpack(f"<{(size - 12) // 4}I", body[12:])
        stack = stacks.setdefault(lid, [])
        if kind in (ENTER, ENTER_CS, EXIT, COLLEXIT, OMP_COLLEXIT, LOG_OFF, LOG_ON):  # metrics are before what a collective has more
            at_metric, n = int(kind in (ENTER, ENTER_CS)), len(tables[METRIC])
            waited, *counters = struct.unpack_from(f"<Q{n - 1}d", body, 12 + 4 * at_metric)
            rest = rest[:at_metric] + rest[at_metric + 2 * n:]
            for number, value in enumerate(counters, 1):
                if values.setdefault((lid, number), 0.0) != value:
                    line(rank, thread, ns, "counter", string(tables[METRIC][number][0]), True, value=int(value))
                values[lid, number] = value
            if not waiting.get(lid, 0) <= waited <= ns:
                wrong(f"waited {waited} ns at {at}, {waiting.get(lid, 0)} before")
            waiting[lid] = waited
        if thread and not teams.get(rank):
            wrong(f"thread {thread} of {rank} outside of fork and join")
        if lid in paused and kind != LOG_ON:
            wrong(f"record {kind} of location {lid} in a pause")
        if moment and (kind != EXIT or moment != (lid, time)):
            wrong(f"record {kind} behind the marker {moment}")
        if kind == ENTER and regions[rest[0]][5] == USER_REGION and string(regions[rest[0]][4]) == "marker":
            moment = lid, time
            line(rank, thread, ns, "marker", string(regions[rest[0]][0]), True)
        elif moment:
            moment = None
        elif kind in (LOG_OFF, LOG_ON) and not rest and (lid in paused) == (kind == LOG_ON):
            line(rank, thread, ns, "enter" if kind == LOG_OFF else "leave", "paused", True,
                 **({"file": "", "line": 0} if kind == LOG_OFF else {}))
            paused ^= {lid}
        elif kind in (ENTER, ENTER_CS) and len(rest) == 1:
            if kind == ENTER_CS:
                file, number, region, _ = tables[CALL_SITE][rest[0]]
            else:
                region = rest[0]
                _, file, number, _, _, _ = regions[region]
            name = string(regions[region][0])
            stack.append(name)
            types.setdefault(lid, []).append(regions[region][5])
            line(rank, thread, ns, "enter", name, True, file=files[file] if file != NO_ID else "",
                 line=number if number != NO_ID else 0)
        elif kind in (EXIT, OMP_COLLEXIT) and len(rest) == 0:
            if (types[lid].pop() == OMP_PARALLEL) != (kind == OMP_COLLEXIT):
                wrong(f"{stack[-1]} is left by record {kind}")
            line(rank, thread, ns, "leave", stack.pop(), True)
        elif kind == ALOCK and len(rest) == 1 and (rank, rest[0]) not in locked:
            locked[rank, rest[0]] = lid
        elif kind == RLOCK and len(rest) == 1 and locked.pop((rank, rest[0]), None) == lid:
            pass
        elif kind == COLLEXIT and len(rest) == 4:
            root = locations[rest[0]][0] if rest[0] != NO_ID else -1
            if rest[1] != NO_ID and not groups[rest[1]] >> rank & 1:
                wrong(f"{rank} is no member of communicator {rest[1]}")
            line(rank, thread, ns, "collective", stack[-1], True, root=root, sent=known(rest[2]), received=known(rest[3]))
            types[lid].pop()
            line(rank, thread, ns, "leave", stack.pop(), True)
        elif kind in (SEND, RECV) and len(rest) == (4 if kind == SEND else 3):
            if rest[1] != NO_ID and not groups[rest[1]] >> rank & 1:
                wrong(f"{rank} is no member of communicator {rest[1]}")
            peer = locations[rest[0]][0] if rest[0] != NO_ID else -1
            order.message(*("send", rank, peer) if kind == SEND else ("recv", peer, rank), *rest[1:3])
            if kind == SEND:
                line(rank, thread, ns, "send", "", dest=peer, tag=known(rest[2]), bytes=known(rest[3]))
            else:
                line(rank, thread, ns, "recv", "", source=peer, tag=known(rest[2]))
        elif kind in (FORK, JOIN) and not rest and thread == 0 and teams.get(rank, False) == (kind == JOIN):
            teams[rank] = kind == FORK
        else:
            wrong(f"record {kind} of {size} bytes at {at}")
    order.check()
    if METRIC not in tables or defined or events != n_events or any(teams.values()):
        wrong(f"{events} events announced, {n_events} there, teams {teams}")
    if len(sys.argv) > 3 and sum(waiting.values()) != int(sys.argv[3]):
        wrong(f"waited {sum(waiting.values())} ns, not {sys.argv[3]}")


main()
