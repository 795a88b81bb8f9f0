#!/usr/bin/env python3
"""read_clog2.py FILE: events of a CLOG-2 file of MPE 2, version 02.44, read from the description of its records."""
import struct
import sys

from clog_lines import States, text
from lines import header, line, wrong
from order import Order

BODIES = {0: 0, 1: 0, 2: 112, 3: 104, 5: 8, 6: 40, 7: 24, 8: 16, 9: 48, 10: 48, 11: 8}


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    words = data[:1024].decode("ascii").split("\0")
    if words[:5] != ["CLOG-02.44", "is_big_endian=", "TRUE ", "is_finalzed=", "TRUE "]:
        wrong(f"preamble {words[:5]}")
    values = {title.rstrip("="): int(value) for title, value in zip(words[5:31:2], words[6:31:2])}
    table = values["commtable_fptr"] * int(words[31]) + int(words[32])
    block, states, comms, members, last, ended, order = values["block_size"], States(31), {}, {}, 0, False, Order()
    first_solo, solo = values["user_solo_eventID_start"], {}
    size = values["max_comm_world_size"]
    count, = struct.unpack_from(">i", data, table)
    for i in range(count):
        identifier, number, kind = struct.unpack_from(">32sii", data, table + 4 + 40 * i)
        if identifier in comms.values() or number != i or kind != 1:
            wrong(f"communicator {i} of the table")
        comms[number] = identifier
    if table + 4 + 40 * count != len(data) or (table - 1024) % block:
        wrong(f"table of communicators at {table} of {len(data)}")
    header("enter,leave,send,recv,collective,marker,counter", "dest,source,tag,bytes,root,sent,value", cut=31, pairs="late")
    for start in range(1024, table, block):
        at = start
        while True:
            time, icomm, rank, thread, kind = struct.unpack_from(">d4i", data, at)
            if kind not in BODIES or ended or (icomm != 0 and kind != 7) or not 0 <= rank < size or not 0 <= thread < values["max_thread_count"]:
                wrong(f"record {kind} at {at}")
            body = data[at + 24:at + 24 + BODIES[kind]]
            at += 24 + BODIES[kind]
            if at > start + block:
                wrong(f"record {kind} across blocks at {at}")
            if kind in (0, 1):
                ended = kind == 0
                break
            ns = round(time * 10**9)
            if kind == 2:
                state, first, second, _ = struct.unpack_from(">4i", body)
                if not 300 <= state < 300 + values["user_stateID_count"] or first != 2 * state or second != first + 1:
                    wrong(f"state {state}")
                text(body[16:40])
                states.define(first, second, text(body[40:72]))
                continue
            if kind == 3:
                event, _ = struct.unpack_from(">2i", body)
                if not first_solo <= event < first_solo + values["user_solo_eventID_count"] or event in solo:
                    wrong(f"event {event}")
                text(body[8:32])
                solo[event] = text(body[32:64]), text(body[64:104])
                continue
            if kind == 9:
                _, comm, in_comm, world, identifier = struct.unpack(">4i32s", body)
                if comms[comm] != identifier or members.setdefault((comm, in_comm), world) != world or world != rank:
                    wrong(f"member of a communicator at {at}")
                continue
            if kind in (10, 11):
                continue
            if ns < last:
                wrong(f"time goes back at {at}")
            last = ns
            event = struct.unpack_from(">i", body)[0]
            if kind == 5 and event in solo and not solo[event][1]:
                line(rank, thread, ns, "marker", solo[event][0])
            elif kind == 6 and solo[event][1] == "value=%l":
                line(rank, thread, ns, "counter", solo[event][0], value=struct.unpack_from(">q", body, 8)[0])
            elif kind == 5:
                states.event(rank, thread, ns, struct.unpack(">2i", body)[0])
            elif kind == 7:
                # The tools draw an arrow between two ranks of one communicator: that of the record and that of its header.
                event, comm, in_comm, tag, length, _ = struct.unpack(">6i", body)
                if comm != icomm or (icomm, rank) not in members:
                    wrong(f"message at {at} in communicator {comm}, headed by rank {rank} of {icomm}")
                rank = members[icomm, rank]
                peer = members.get((comm, in_comm), -1) if in_comm >= 0 else -1
                order.message(*("send", rank, peer) if event == -101 else ("recv", peer, rank), comm, tag)
                line(rank, thread, ns, "send" if event == -101 else "recv", states.inside(rank, thread), tag=tag,
                     bytes=length, **{"dest" if event == -101 else "source": peer})
            else:
                event, root, length, _ = struct.unpack(">4i", body)
                if states.of_event[event] != ("enter", states.inside(rank, thread)):
                    wrong(f"collective at {at}")
                line(rank, thread, ns, "collective", states.inside(rank, thread), root=root, sent=length)
    order.check()
    if not ended:
        wrong("no end of the log")


main()
