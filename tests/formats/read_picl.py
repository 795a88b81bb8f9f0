#!/usr/bin/env python3
"""read_picl.py FILE: events of a PICL trace, read from Worley's "A New PICL Trace File Format" (tables 1 to 18), in the compact or
the verbose form; its statistics must be those of its records. A processor is a rank, a process a thread of it."""
import re
import sys
from fractions import Fraction

from lines import KEYS, KINDS, header, line, wrong
from order import Order

# Fields of the entry and of the exit by event type (tables 7 to 13). Those at the end may be left out.
TYPES = {-11: (0, 0), -12: (0, 0), -21: (4, 0), -27: (4, 1), -28: (1, 0), -30: (1, 0), -31: (1, 0), -51: (3, 4), -52: (3, 4),
         -56: (3, 4), -57: (3, 1), -58: (1, 4), -60: (1, 4), -61: (1, 4), -201: (1, 1), -202: (1, 0), -221: (2, 0), -251: (0, 2), -402: (2, 0), -503: (0, 2), -902: (1, 0), -904: (3, 0)}
LENGTH = {-21: 0, -27: 0, -51: 3, -52: 3, -58: 1, -60: 1, -61: 1, -221: 0, -251: 0}  # where a type has its bytes
SUBSETS = {-1012: range(-50, -20), -1013: range(-80, -50), -1014: (-31, -52, -56, -61), -1201: range(-400, -200),
           -1401: range(-500, -400)}
TIME, COUNT, VOLUME = -101, -102, -103


def operation(rank, thread, ns, kind, fields, name, messages):
    """What the fields of entry and exit of an event type say, as the text form has it."""
    if kind in (-21, -27):
        request = {"request": fields[4]} if kind == -27 and len(fields) > 4 else {}
        messages.append((ns, 0, "send", rank, fields[2], fields[1]))
        line(rank, thread, ns, "send", name, True, bytes=fields[0], tag=fields[1], dest=fields[2], **request)
    elif kind in (-28, -30, -31):
        line(rank, thread, ns, "send-complete", name, True, **({"request": fields[0]} if fields[0] >= 0 else {}))
    elif kind in (-51, -52):
        messages.append((ns, 1, "recv", fields[5], rank, fields[4]))
        line(rank, thread, ns, "recv", name, True, bytes=fields[3], tag=fields[4], source=fields[5])
    elif kind == -57:
        line(rank, thread, ns, "recv-post", name, True, request=fields[3])
    elif kind in (-58, -60, -61):
        messages.append((ns, 1, "recv", fields[3], rank, fields[2]))
        line(rank, thread, ns, "recv", name, True, request=fields[0], bytes=fields[1], tag=fields[2], source=fields[3])
    elif kind in (-221, -251):
        line(rank, thread, ns, "io", name, True, bytes=fields[0])


class Header:
    """Labels, descriptors and subsets."""

    def __init__(self):
        self.labels, self.hosts, self.descriptors, self.subsets, self.events = {}, {}, {}, {}, {}

    def take(self, record, kind, rank, n, descriptor, data, text):
        if record in (-5, -7):
            data = data or ""
            if len(data.encode("utf-8", "surrogateescape")) != n or descriptor not in ("0", '"%c"', None):
                wrong(f"characters {text}")
            table, key = (self.labels, kind) if kind >= 0 else (self.hosts, rank)
            if record == -5 and (key in table or (kind < 0) == (rank < 0) or kind < -1):
                wrong(f"label {text}")
            if record == -5:
                table[key] = data
        elif record == -6:
            match = re.fullmatch(r'(\d+) "([^"]*)"', data)
            if descriptor != '"%d%s"' or n != 1 or not match or int(match.group(1)) < 6:
                wrong(f"descriptor {text}")
            self.descriptors[match.group(1)] = match.group(2)
        else:
            subset, *members = map(int, data.split())
            table = self.events if record == -203 else self.subsets.setdefault(record, {})
            if descriptor not in ("2", '"%d"') or len(members) + 1 != n or subset >= -1 or subset in table:
                wrong(f"subset {text}")
            if record == -203 and (-2000 < subset or any(m not in self.labels for m in members)):
                wrong(f"event types {text}")
            table[subset] = set(members)


def polls(name, missed):
    """Whether the MPI call only asks: for a message, or whether requests are complete."""
    return name in (("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Request_get_status") if missed else
                    ("MPI_Iprobe", "MPI_Improbe"))


class Process:
    """What the records of one process come to."""

    def __init__(self, ns):
        self.start, self.levels, self.stack, self.state, self.written = ns, (1, 1, 0), [], None, 0
        self.sums = {}  # (TIME, COUNT or VOLUME, event type)
        self.user = {}  # the same of user events
        self.within, self.open = {}, {}  # by user event: sums while it lasted; (depth, when, sums then)
        self.sends, self.receives, self.unknown = {}, set(), set()  # requests that are pending; types without a number
        self.entered, self.completes = 0, False  # since then it is in an MPI call, which has completed something
        self.files = set()

    def add(self, record, kind, value):
        self.sums[record, kind] = self.sums.get((record, kind), 0) + value

    def enter(self, kind, ns):
        self.user[COUNT, kind] = self.user.get((COUNT, kind), 0) + 1
        depth, since, sums = self.open.get(kind, (0, ns, dict(self.sums)))
        self.open[kind] = depth + 1, since, sums
        self.within.setdefault(kind, {})

    def poll(self, name):
        """An MPI call ends."""
        if polls(name, False):
            self.unknown |= {-53, -54}
        elif polls(name, True) and not self.completes and bool(self.sends) != bool(self.receives):
            self.add(COUNT, -29 if self.sends else -59, 1)
        elif polls(name, True) and not self.completes and self.sends:
            self.unknown |= {-29, -59}

    def leave(self, kind, ns):
        depth, since, sums = self.open.pop(kind)
        if depth > 1:
            self.open[kind] = depth - 1, since, sums
            return
        self.user[TIME, kind] = self.user.get((TIME, kind), 0) + ns - since
        for key, value in self.sums.items():
            self.within[kind][key] = self.within[kind].get(key, 0) + value - sums.get(key, 0)

    def statistics(self, heads, ns):
        """All of them, by (record, event type that they are of, whether of user events)."""
        for kind in list(self.open):
            self.open[kind] = 1, *self.open[kind][1:]
            self.leave(kind, ns)

        def with_subsets(sums):
            out = dict(sums)
            for subset, types in SUBSETS.items():
                for record in (TIME, COUNT, VOLUME):
                    out[record, subset] = sum(v for (r, k), v in sums.items() if r == record and k in types)
            return out

        calls = heads.events.get(-2002, set())
        summary = with_subsets(self.sums)
        summary.update({(TIME, -901): ns - self.start, (COUNT, -901): 1, (VOLUME, -901): self.written})
        for subset, kinds in heads.events.items():
            self.user[COUNT, subset] = sum(v for (r, k), v in self.user.items() if r == COUNT and k in kinds)
        by = {(COUNT, -1, False): {kind: -1 for kind in self.unknown}} if self.unknown else {}
        for of, user, sums in [(-1, False, summary), (-1, True, self.user)] + [
                (kind, False, with_subsets(sums)) for kind, sums in self.within.items() if kind not in calls]:
            for (record, kind), value in sums.items():
                if value > 0 and (of != -1 or record != COUNT or kind not in self.unknown):
                    by.setdefault((record, of, user), {})[kind] = value
        return by

    def compare(self, written, heads, ns):
        counted = self.statistics(heads, ns)
        for key in sorted(set(written) | set(counted)):
            if written.get(key) != counted.get(key):
                wrong(f"statistics {key}: {counted.get(key)} counted, {written.get(key)} written")


def main():
    heads, places, last, ended, statistics, messages = Header(), {}, 0, set(), {}, []
    header(KINDS + ",marker,counter", KEYS.replace("file,line,", "").replace(",approximate", "") + ",value",
           instants="unordered", without="send.comm,recv.comm,recv-post.comm,cancel.comm,rma.request,io.request", pairs="late")
    for text in open(sys.argv[1], encoding="utf-8", errors="surrogateescape"):
        match = re.fullmatch(r"(-?\d+) (-?\d+) (\d+)\.(\d{9}) (-?\d+) (-?\d+) (\d+)(?: (\"[^\"]*\"|\d) (.*))?\n", text, re.S)
        if not match:
            wrong(f"record {text}")
        record, kind, rank, process, n = (int(match.group(i)) for i in (1, 2, 5, 6, 7))
        ns, descriptor, data = int(match.group(3)) * 10**9 + int(match.group(4)), match.group(8), match.group(9)
        if ns < last or (descriptor is None) != (n == 0):
            wrong(f"record {text}")
        last = ns
        if record in (-5, -6, -7) or -300 < record <= -201:
            if places or ns or process != -1:
                wrong(f"header {text}")
            heads.take(record, kind, rank, n, descriptor, data, text)
            continue
        where = rank, process
        if rank < 0 or process not in heads.subsets[-202][-2]:
            wrong(f"process {text}")
        if where in ended:
            wrong(f"behind the end of tracing: {text}")
        if record in (TIME, COUNT, VOLUME):
            form = heads.descriptors.get(descriptor, descriptor.strip('"'))
            values, user = data.split(), int(data.split()[0]) >= 0
            if form != ("%d%lf" if record == TIME else "%d%d") or len(values) != 2 * n or (record, kind, user) in statistics.get(where, {}):
                wrong(f"statistics {text}")
            numbers = [round(Fraction(v) * 10**9) if record == TIME else int(v) for v in values[1::2]]
            statistics.setdefault(where, {})[record, kind, user] = dict(zip(map(int, values[::2]), numbers))
            continue
        named = re.fullmatch(r'"%(\d+)c%d"', descriptor or "")
        if named and (record, kind, n) == (-2, -201, 1):
            size, data = int(named.group(1)), data.encode("utf-8", "surrogateescape")
            data, n = f"0 {int(data[size:])}" if data[:size].strip() and data[size:size + 1] == b" " else "", 2
        fields = list(map(int, data.split())) if n else []
        if len(fields) != n or (descriptor not in (None, "2", '"%d"') and not named):
            wrong(f"fields {text}")
        if kind == -901:
            if record == -3 and where in places or record == -4 and where not in places:
                wrong(f"tracing {text}")
            if record == -4:
                ended.add(where)
                if places[where].levels == (1, 1, 1):
                    places[where].compare(statistics.get(where, {}), heads, ns)
            else:
                places[where] = Process(ns)
                places[where].written += len(text.encode("utf-8", "surrogateescape"))
            continue
        if where not in places or where in statistics:
            wrong(f"outside of tracing: {text}")
        place = places[where]
        place.written += len(text.encode("utf-8", "surrogateescape"))
        if kind >= 0:
            if kind not in heads.labels and kind != 2**32 - 1:
                wrong(f"no label: {text}")
            name = heads.labels.get(kind, "unknown")
            if record == -3:
                place.stack.append(kind)
                place.enter(kind, ns)
                if name.startswith("MPI_"):
                    place.entered, place.completes = ns, False
                line(rank, process, ns, "enter", name, True)
            elif record == -4:
                if place.stack.pop() != kind:
                    wrong(f"leaves what was not entered last: {text}")
                if name.startswith("MPI_"):
                    place.poll(name)
                place.leave(kind, ns)
                line(rank, process, ns, "leave", name, True)
            elif record == -2:
                place.user[COUNT, kind] = place.user.get((COUNT, kind), 0) + 1
                line(rank, process, ns, "counter" if n else "marker", name, True, **({"value": fields[0]} if n else {}))
            elif record == 0:
                line(rank, process, ns, "collective", name, True, root=fields[0], sent=fields[1], received=fields[2],
                     comm=fields[3] if fields[3] >= 0 else "unknown", **({"request": fields[4]} if n > 4 else {}))
            elif record in (2, 3):
                place.completes = True
                place.sends.pop(fields[0], None)
                place.receives.discard(fields[0])
                line(rank, process, ns, "collective-complete" if record == 2 else "cancel", name, True,
                     comm=fields[1] if fields[1] >= 0 else "unknown", **({"request": fields[0]} if fields[0] >= 0 else {}))
            elif record == 1:
                line(rank, process, ns, "rma", name, True, target=fields[0], bytes=fields[1])
            else:
                wrong(f"record {text}")
            continue
        of_entry, of_exit = TYPES[kind]
        name, full = heads.labels[place.stack[-1]] if place.stack else "", {-2: of_entry + of_exit, -3: of_entry, -4: of_exit}.get(record)
        if full is None or n > full:
            wrong(f"record {text}")
        told = fields + [-1] * (full - n)
        if kind == -402 and n and (told[0] < -1 and told[0] not in heads.subsets[-201]):
            wrong(f"no such subset {text}")
        if kind in (-902, -904):
            if kind == -904:
                place.levels = tuple(fields)
            continue
        if kind in (-201, -202):
            if record != -2 or (fields[-1] in place.files) != (kind == -202):
                wrong(f"file {text}")
            place.files ^= {fields[-1]}
        if record == -3:
            if place.state:
                wrong(f"entry {text}")
            place.state = (kind, told, ns, n > 0)
            continue
        since = ns
        if record == -4:
            if not place.state or place.state[0] != kind:
                wrong(f"exit {text}")
            _, before, since, tells = place.state
            place.state, told = None, before + told
            tells = tells or n > 0
        else:
            tells = True
        if tells and kind in (-28, -30, -31, -51, -52, -58, -60, -61):
            place.completes = True
        if tells and kind in (-27, -57) and told[-1] >= 0:
            place.sends.update({told[-1]: None}) if kind == -27 else place.receives.add(told[-1])
        if kind in (-28, -30, -31):
            place.sends.pop(told[0], None)
        if kind in (-58, -60, -61):
            place.receives.discard(told[0])
        if tells:
            operation(rank, process, since if kind in (-21, -27, -57, -221, -251) else ns, kind, told, name, messages)
            if kind in LENGTH and told[LENGTH[kind]] > 0:
                place.add(VOLUME, kind, told[LENGTH[kind]])
        place.add(COUNT, kind, 1)
        place.add(TIME, kind, ns - since)
    order = Order()
    for _, _, *message in sorted(messages):  # a send is read with its exit, which may come after the receipt
        order.message(*message)
    order.check()
    if ended != set(places):
        wrong("tracing does not end")


main()
