#!/usr/bin/env python3
"""read_clog.py FILE: events of a CLOG file of MPE 1, read from the description of its records and as its tools do: clogTOslog2
and Jumpshot-2 draw states and, from raw events -101 and -102, arrows; they end at an event of which no state is defined. clog2alog
takes the event of any record for one, so that those of other records must not be of states."""
import struct
import sys

from clog_lines import States, text
from lines import header, line, wrong
from order import Order

BLOCK = 65536
LENGTHS = {-2: 3, -1: 3, 1: 7, 2: 6, 3: 6, 4: 5, 5: 6, 6: 10, 7: 9}
SEND, RECV = -101, -102


def same_size(arrow, tag, size):
    """Whether a message's arrow has its tag, and its size or the largest that fits into the field with the tag."""
    words = arrow.split(" ")
    room = 15 - len(str(tag)) - 1
    return len(words) == 2 and words[0] == str(tag) and words[1] == (str(size) if len(str(size)) <= room else "9" * room)


class Log:
    def __init__(self):
        self.states, self.sources, self.comms, self.events = States(15), {}, set(), {}
        self.order, self.last, self.arrow = Order(), 0, None
        self.moment = None

    def define(self, kind, body):
        if kind == 6:
            _, first, second, _ = struct.unpack_from(">4i", body)
            text(body[16:40])
            self.states.define(first, second, text(body[40:56]))
        elif kind == 5:
            event, _ = struct.unpack_from(">2i", body)
            if event in self.events:
                wrong(f"event {event} twice")
            self.events[event] = text(body[8:24])
        elif kind == 7:
            number, _ = struct.unpack_from(">2i", body)
            self.sources[number] = text(body[8:48])
        else:
            self.comms.add(struct.unpack(">4i", body)[2])

    def raw(self, rank, ns, body):
        event, data, source, _ = struct.unpack_from(">4i", body)
        string = text(body[16:32])
        if event in (SEND, RECV):
            self.arrow = rank, ns, event, data, string, source
        elif event in self.events:
            # A state that ends as it begins: the tools draw nothing of an event that has no state.
            name, number = self.events[event], {"value": int(string)} if string else {}
            if self.states.of_event.get(event) != ("enter", name) or (number and not -2**31 <= data < 2**31):
                wrong(f"event {event}, {name}")
            self.moment = rank, ns, ("leave", name)
            line(rank, 0, ns, "counter" if number else "marker", name, **number)
        elif self.moment:
            if self.moment != (rank, ns, self.states.of_event[event]):
                wrong(f"event {event} behind {self.moment}")
            self.moment = None
        else:
            self.states.event(rank, 0, ns, event)
        return source

    def message(self, rank, ns, body):
        """What a raw event has no room for: it stands right before."""
        event, tag, peer, comm, size, source = struct.unpack(">6i", body)
        name, arrow, self.arrow = self.events.get(event), self.arrow, None
        if name not in ("sent", "received") or comm not in self.comms | {-1}:
            wrong(f"message of event {event} in communicator {comm}")
        kind = "send" if name == "sent" else "recv"
        if not arrow or arrow[:4] != (rank, ns, SEND if kind == "send" else RECV, peer) or not same_size(arrow[4], tag, size):
            wrong(f"a message {kind} of {size} bytes, tag {tag}, and the event {arrow} in front of it")
        self.order.message(*("send", rank, peer) if kind == "send" else ("recv", peer, rank), comm, tag)
        line(rank, 0, ns, kind, self.states.inside(rank, 0), tag=tag, bytes=size,
             comm=comm if comm >= 0 else "unknown", **{"dest" if kind == "send" else "source": peer})
        return source

    def collective(self, rank, ns, body):
        event, root, comm, size, source, _ = struct.unpack(">6i", body)
        if self.events.get(event) != "collective" or event in self.states.of_event:
            wrong(f"collective of event {event}")
        line(rank, 0, ns, "collective", self.states.inside(rank, 0), root=root, sent=size,
             comm=comm if comm >= 0 else "unknown")
        return source

    def record(self, kind, time, rank, body):
        if kind in (4, 5, 6, 7):
            self.define(kind, body)
            return
        ns = round(time * 10**9)
        if ns < self.last or (self.arrow and kind != 2) or (self.moment and kind != 1):
            wrong(f"time {time} or record {kind} behind {self.arrow}")
        self.last = ns
        source = {1: self.raw, 2: self.message, 3: self.collective}[kind](rank, ns, body)
        if source not in self.sources:
            wrong(f"source {source}")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if not data or len(data) % BLOCK:
        wrong(f"{len(data)} bytes are no blocks")
    log, ended = Log(), False
    header("enter,leave,send,recv,collective,marker,counter", "dest,source,tag,bytes,comm,root,sent,value", threads="no", cut=15, pairs="late")
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
            log.record(kind, time, rank, body)
        if any(data[at:start + BLOCK]):
            wrong(f"something behind the end of the block at {start}")
    log.order.check()
    if not ended:
        wrong("no end of the log")


main()
