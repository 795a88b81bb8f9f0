#!/usr/bin/env python3
"""read_slog1.py FILE: events of a SLOG-1 file, version 0.7 (A. I. Margaris, "Log File Formats for Parallel Applications: A
Review", section 5), whose frames, pseudo-records and preview statistics must be what the algorithms there make of its records.
read_slog1.py FILE --dump: instead, the file in the shape of the paper's figures 6, 10 and 12.
read_slog1.py FILE --window FROM TO: instead, how many bytes a viewer reads to draw the seconds from FROM to TO."""
import struct
import sys

from lines import header, line, wrong

NONE = 2**32 - 1  # no value, of a communicator also: nothing collective
UNKNOWN = NONE - 1  # of a communicator
SECTORS = ("CURRENT", "INCOMING", "PASSING THROUGH", "OUTGOING")


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def column(self, end):
        text = self.data[self.at:self.at + 21]
        self.at += 21
        if text[20:] != end:
            wrong(f"column {text}")
        return text[:20].decode("utf-8", "surrogateescape").rstrip()


class Log:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        at = Bytes(self.data)
        if at.take("II") != (0, 7):
            wrong("version")
        self.frame_bytes, _, self.entries, by_start, by_end, self.reserved = at.take("IIIHHH")
        if (by_start, by_end) != (0, 1):
            wrong("order of records")
        statistics, preview, profile, threads, definitions, self.first = at.take("QQQQQQ")
        at = Bytes(self.data, threads)
        self.threads = [at.take("HIIII") for _ in range(at.take("I"))]
        at = Bytes(self.data, definitions)
        self.definitions = {}
        for _ in range(at.take("I")):
            kind, bebits, associated, arguments = at.take("HBHH")
            if kind in self.definitions or associated:
                wrong(f"definition of {kind}")
            self.definitions[kind] = ((bebits & 1, bebits >> 1), arguments)
        at = Bytes(self.data, profile)
        self.profile = {}
        for _ in range(at.take("I")):
            kind, *rest = [at.column(b"\t") for _ in range(4)]
            self.profile[int(kind)] = rest
            if at.take("c") != b"\n":
                wrong(f"profile of {kind}")
        if set(self.profile) != set(self.definitions):
            wrong("display profile and definitions")
        at = Bytes(self.data, preview)
        length = at.take("I")
        self.preview = self.data[at.at:at.at + length].decode("utf-8", "replace")
        at = Bytes(self.data, statistics)
        sets, bins, self.start, self.end = at.take("IIdd")
        self.bins, self.statistics = bins, {}
        for _ in range(sets):
            rectype, kind, size = at.take("HHH")
            label, n = at.column(b"\n"), at.take("I")
            self.statistics[kind] = (rectype, label, [at.take("d") for _ in range(n)])
            if size != 21 or n != bins or label != self.profile[kind][1]:
                wrong(f"statistics of {kind}")
        if at.at != len(self.data) or set(self.statistics) != set(self.profile):
            wrong(f"end at {at.at} of {len(self.data)}")
        self.frames = list(self.directories())

    def directories(self):
        """Frames as (where, start, end), in order."""
        previous, where = 0, self.first
        while where:
            at = Bytes(self.data, where)
            before, following, n = at.take("QQI")
            if before != previous or n > self.entries or (following and n < self.entries):
                wrong(f"directory at {where}")
            for _ in range(n):
                yield at.take("Qdd")
            previous, where = where, following

    def record(self, at):
        """One record: class, type, start, end, places, arguments, and its bytes."""
        begin = at.at
        size, rectype, kind, bebits, start, duration = at.take("HHHBdd")
        places = [at.take("HBI") for _ in range(2 if rectype == 192 else 1)]
        bits, n = self.definitions[kind]
        arguments = [at.take("I") for _ in range(n)]
        if rectype not in (64, 192) or (bebits & 1, bebits >> 1) != bits or at.at - begin != size or duration < 0:
            wrong(f"record at {begin}")
        return rectype, kind, start, duration, places, arguments, self.data[begin:at.at]

    def frame(self, number):
        """The sectors of a frame."""
        where = self.frames[number][0]
        at = Bytes(self.data, where)
        sizes = [at.take("II") for _ in SECTORS]
        sectors = []
        for bytes_, n in sizes:
            begin = at.at
            sectors.append([self.record(at) for _ in range(n)])
            if at.at - begin != bytes_:
                wrong(f"sector of frame {number}")
        if at.at - where > self.frame_bytes or where + self.frame_bytes > len(self.data):
            wrong(f"size of frame {number}")
        return sectors


def check(log):
    """All records, each once; every frame holds what overlaps with it, in its sector; the statistics are right."""
    records, last_end, pseudo = [], None, False
    for number, (_, start, end) in enumerate(log.frames):
        sectors = log.frame(number)
        if last_end is not None and start != last_end:
            wrong(f"frame {number} begins at {start}, the one before ends at {last_end}")
        last_end = end
        current, incoming, passing, outgoing = sectors
        pseudo = pseudo or passing or outgoing
        ends = [r[2] + r[3] for r in current + incoming]
        near = 1e-9 + end * 1e-15
        if any(r[2] < start for r in current) or any(r[2] >= start for r in incoming) or max(ends) > end + near:
            wrong(f"sectors of frame {number} from {start} to {end}")
        if any(r[2] >= start or r[2] + r[3] < end - near for r in passing) or \
                any(r[2] < start or r[2] + r[3] < end - near for r in outgoing):
            wrong(f"pseudo-records of frame {number}")
        records += [(r, number) for r in current + incoming]
    if log.reserved != bool(pseudo):
        wrong("whether there are pseudo-records")
    # What should be in the other sectors, from the records alone.
    wanted = [{"PASSING THROUGH": [], "OUTGOING": []} for _ in log.frames]
    for record, number in records:
        while number > 0 and record[2] < log.frames[number][1]:
            number -= 1
            sector = "PASSING THROUGH" if record[2] < log.frames[number][1] else "OUTGOING"
            wanted[number][sector].append(record[6])
    for number, each in enumerate(wanted):
        sectors = log.frame(number)
        for i, name in ((2, "PASSING THROUGH"), (3, "OUTGOING")):
            if sorted(r[6] for r in sectors[i]) != sorted(each[name]):
                wrong(f"{name} of frame {number}: {len(sectors[i])} records, wanted {len(each[name])}")
    if records and abs(min(r[2] for r, _ in records) - log.start) + abs(log.end - last_end) > 0:
        wrong("times of the statistics")
    width = (log.end - log.start) / log.bins
    for kind, (_, _, bins) in log.statistics.items():
        took = sum(r[3] for r, _ in records if r[1] == kind)
        if log.definitions[kind][0] == (1, 1) and width > 0 and abs(sum(bins) * width - took) > 1e-6 * took + 1e-9:
            wrong(f"statistics of {kind}: {sum(bins) * width} s, took {took}")  # equation 11
    return [r for r, _ in records]


def dump(log):
    print("The Interval Record Definition Table")
    for i, (kind, ((b0, b1), n)) in enumerate(sorted(log.definitions.items())):
        print(f" def[{i:02d}] = [ {kind}, ({b0}, {b1}), 0, {n} ]")
    print("\nThe Display Profile")
    for i, (kind, (class_, label, colour)) in enumerate(sorted(log.profile.items())):
        print(f" def[{i:02d}]=[{kind},{class_},{label},{colour}]")
    print("\nThe Thread Table")
    for i, (node, thread, *rest) in enumerate(log.threads):
        print(f" threadinfo[{i}] = [ ( {node}, {thread} ), {', '.join(map(str, rest))} ]")
    print("\nThe Frame Directory Non-empty Entries:")
    for where, start, end in log.frames:
        print(f"{where:11d} {start:21.17f} {end:21.17f}")
    print("\nStart reading records")
    for number in range(len(log.frames)):
        sectors = dict(zip(SECTORS, log.frame(number)))
        print(f"\n**** Frame Index = {number} ****")
        for name in ("INCOMING", "PASSING THROUGH", "CURRENT", "OUTGOING"):
            print(f"---- The {name} sector:")
            for i, (rectype, kind, start, duration, places, arguments, raw) in enumerate(sectors[name]):
                (b0, b1), _ = log.definitions[kind]
                where = " ".join(f"( {n} {c} {t} )" for n, c, t in places)
                more = f" [ {' '.join(map(str, arguments))} ]" if arguments else ""
                print(f"{i}: {len(raw)} {rectype} {kind} ( {b0}, {b1} ) {start:21.17f} {duration:21.17f} {where} {{ }}{more}")
    print("\nPreview Statistics:\nCollect At :")
    print(f"Starttime = {log.start:21.17f}\nEndtime = {log.end:21.17f}")
    for i, (kind, (rectype, label, bins)) in enumerate(sorted(log.statistics.items())):
        print(f"Preview Statistics Set {i}:\nrectype = {rectype}, intvltype = {kind} label = {label}")
        for first in range(0, len(bins), 5):
            print("".join(f"{value:8.2f}, " for value in bins[first:first + 5]))


def main():
    log = Log(sys.argv[1])
    if sys.argv[2:3] == ["--dump"]:
        dump(log)
        return
    if sys.argv[2:3] == ["--window"]:
        start, end = map(float, sys.argv[3:5])
        entries = 20 + 24 * log.entries
        touched = sum(log.frame_bytes for _, a, b in log.frames if b >= start and a <= end)
        print(touched + entries * -(-len(log.frames) // log.entries))
        return
    header("enter,leave,send,recv,collective", "dest,source,tag,bytes,comm,root,sent,received", instants="unordered",
           without="send.name,recv.name", apart="collective", untimed="collective", pairs="yes", first="collective", cut=20, blanks="yes")
    ns = lambda seconds: round(seconds * 10**9)
    number = lambda value: -1 if value == NONE else value
    known = lambda value: "unknown" if value == UNKNOWN else value
    for rectype, kind, start, duration, places, arguments, _ in \
            sorted(check(log), key=lambda r: (ns(r[2]), -ns(r[2] + r[3]))):
        class_, name, _ = log.profile[kind]
        begin, end = ns(start), ns(start + duration)
        if rectype == 192:
            tag, sent, received, comm = arguments
            (source, _, thread), (dest, _, other) = places
            line(source, thread, begin, "send", "", dest=dest, tag=number(tag), bytes=number(sent), comm=known(comm))
            line(dest, other, end, "recv", "", source=source, tag=number(tag), bytes=number(received), comm=known(comm))
            continue
        (rank, _, thread), = places
        line(rank, thread, begin, "enter", name)
        if class_ == "state":
            line(rank, thread, end, "leave", name)
        if arguments and arguments[3] != NONE:
            line(rank, thread, begin, "collective", name, root=number(arguments[0]), sent=number(arguments[1]),
                 received=number(arguments[2]), comm=known(arguments[3]))


main()
