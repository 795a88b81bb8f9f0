#!/usr/bin/env python3
"""read_slog2.py FILE: events of a SLOG-2 file, version 2.0.6, read as its Java classes do.
read_slog2.py FILE --window FROM TO: instead, how many bytes a viewer reads to draw the seconds from FROM to TO: from the root
down to boxes that reach over more than a tenth of the window; shadows stand for what lies below these."""
import struct
import sys

from lines import header, line, wrong

INFO = {"d": ("i", 4), "l": ("q", 8)}
EVENT, STATE, ARROW = range(3)
PREVIEW = {EVENT: -1, ARROW: -2, STATE: -3}
LISTS = (EVENT, ARROW), (STATE,)  # of drawables in a box: what nests stands behind what does not


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        n = self.take("h")
        self.at += n
        return self.data[self.at - n:self.at].decode("utf-8", "surrogateescape")


class Log:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        head = Bytes(self.data)
        if head.text() != "SLOG 2.0.6":
            wrong("version")
        self.children, self.leaf, self.depth, self.most = head.take("hihi")
        parts = [head.take("qi") for _ in range(7)]
        (categories, _), _, (lines, _), self.root, (directory, n), (annotations, rest), _ = parts
        if max(size for _, size in parts) > self.most:  # Jumpshot reads each part into a buffer of so many bytes, or not at all
            wrong(f"parts of {[size for _, size in parts]} bytes, a buffer of {self.most}")
        if directory + n != annotations or annotations + rest != len(self.data):
            wrong(f"directory at {directory} of {n} bytes, annotations at {annotations} of {rest}, file of {len(self.data)}")
        at = Bytes(self.data, annotations)
        self.annotations = [at.text() for _ in range(at.take("i"))]
        if at.at != len(self.data) or not self.annotations:
            wrong(f"annotations {self.annotations}")
        self.categories = dict(self.category(b) for b in [Bytes(self.data, categories)] for _ in range(b.take("i")))
        at = Bytes(self.data, lines)
        if at.take("i") != 1:
            wrong("maps of lines")
        at.text()
        if [at.text() for _ in range(at.take("i"))] != ["rank", "thread"]:
            wrong("columns of the map of lines")
        self.lines = {number: (rank, thread) for number, rank, thread in (at.take("iii") for _ in range(at.take("i")))}
        if at.take("h"):
            wrong("methods of lines")
        at = Bytes(self.data, directory)
        self.directory = {(d, x): (t0, t1, p, s) for d, x, t0, t1, p, s in (at.take("hiddqi") for _ in range(at.take("i")))}
        if self.directory[self.depth, 0][2:] != self.root:
            wrong("root of the directory")

    @staticmethod
    def category(at):
        index, name, topology, _, _, width = at.take("i"), at.text(), *at.take("iI?b")
        keys = [at.text() for _ in range(at.take("h"))]
        types = [chr(at.take("b")) for _ in range(at.take("h"))]
        if at.take("h") or len(keys) != len(types):
            wrong(f"category {name}")
        included, own, count = at.take("ffq")
        return index, (name, topology, types, count, included, own)

    def drawable(self, at):
        """One drawable: category, start and end as (time, line), the same of an event, and values of its keys."""
        index, n = at.take("ih")
        info = self.data[at.at:at.at + n]
        at.at += n
        _, topology, types, *_ = self.categories[index]
        if at.take("h") != (1 if topology == EVENT else 2):
            wrong(f"vertices at {at.at}")
        first = at.take("di")
        vertices = first, first if topology == EVENT else at.take("di")
        values = struct.unpack(">" + "".join(INFO[t][0] for t in types), info) if index >= 0 else ()
        return index, vertices, values

    def box(self, key):
        """The box of a depth and position: its drawables, and shadows by the box that they stand for."""
        t0, t1, at, size = self.directory[key]
        end, at = at + size, Bytes(self.data, at)
        if at.take("ddhiqi") != (t0, t1, *key, end - size, size):
            wrong(f"head of box {key}")
        drawables = []
        for topologies in LISTS:
            before = None
            for _ in range(at.take("i")):
                if at.take("b") != 0:
                    wrong(f"composite in {key}")
                drawable = self.drawable(at)
                times = sorted((drawable[1][0][0], drawable[1][1][0]))
                if self.categories[drawable[0]][1] not in topologies or times[0] < t0 or times[1] > t1 or (before and times[0] < before):
                    wrong(f"drawable {drawable} in {key} from {t0} to {t1}")
                before = times[0]
                drawables.append(drawable)
        shadows = {}
        for _ in range(at.take("i")):
            s0, s1, depth, position, pointer, bytes_ = at.take("ddhiqi")
            if self.directory[depth, position] != (s0, s1, pointer, bytes_) or (depth + 1, position // self.children) != key:
                wrong(f"shadows of {depth}, {position} in {key}")
            each = shadows[depth, position] = []
            for topologies in LISTS:
                for _ in range(at.take("i")):
                    index, vertices, _ = self.drawable(at)
                    bounds, count, weights = at.take("dd"), *at.take("qi")
                    weights = [at.take("iffq") for _ in range(weights)]
                    if index != PREVIEW[self.categories[index][1]] or self.categories[index][1] not in topologies or sum(w[3] for w in weights) != count:
                        wrong(f"shadow in {key}")
                    each.append((index, vertices, bounds, count, weights))
        if at.at != end or (key[0] == 0 and size > self.leaf) or size > self.most:
            wrong(f"box {key} of {size} bytes, read {at.at - end + size}")
        return drawables, shadows


def below(log, key):
    """Drawables of a box and all below it; its parent's shadows of it must agree."""
    drawables, shadows = log.box(key)
    everything = list(drawables)
    for child, each in shadows.items():
        inside = below(log, child)
        counts = {}
        for index, vertices, _ in inside:
            where = (log.categories[index][1], vertices[0][1], vertices[1][1])
            counts.setdefault(where, {}).setdefault(index, []).append(abs(vertices[1][0] - vertices[0][0]))
        if len(each) != len(counts):
            wrong(f"{len(each)} shadows of {child}, {len(counts)} kinds of drawables")
        for index, vertices, (s0, s1), count, weights in each:
            mine = counts[log.categories[index][1], vertices[0][1], vertices[1][1]]
            for category, included, own, n in weights:
                share = sum(mine[category]) / (s1 - s0) if s1 > s0 else 0
                if n != len(mine[category]) or abs(share - included) > 1e-4 * max(1, share) or own > included * 1.0001 + 1e-6:
                    wrong(f"weight of {log.categories[category][0]} in {child}: {included} of {n}, is {share}")
        everything += inside
    return everything


def window(log, start, end):
    touched = 0
    keys = [(log.depth, 0)]
    while keys:
        key = keys.pop()
        t0, t1, _, size = log.directory[key]
        if t1 < start or t0 > end:
            continue
        touched += size
        if key[0] > 0 and t1 - t0 > (end - start) / 10:
            keys += [k for k in ((key[0] - 1, 2 * key[1]), (key[0] - 1, 2 * key[1] + 1)) if k in log.directory]
    print(touched)


def main():
    log = Log(sys.argv[1])
    if len(sys.argv) > 2:
        window(log, float(sys.argv[3]), float(sys.argv[4]))
        return
    header("enter,leave,send,recv,collective,marker,counter", "dest,source,tag,bytes,comm,root,sent,received,value", instants="unordered",
           without="send.name,recv.name", apart="collective", untimed="collective", pairs="yes", first="collective")
    drawables = below(log, (log.depth, 0))
    if len(log.directory) != len({k for k in log.directory}) or len(drawables) != sum(c[3] for c in log.categories.values()):
        wrong(f"{len(drawables)} drawables")
    ns = lambda seconds: round(seconds * 10**9)
    for index, ((start, first), (end, last)), values in sorted(drawables, key=lambda d: (d[1][0][0], -d[1][1][0])):
        name, topology, _, _, _, _ = log.categories[index]
        if topology == ARROW:
            tag, sent, received, comm = values
            comm = comm if comm != -2 else "unknown"
            (source, thread), (dest, other) = log.lines[first], log.lines[last]
            line(source, thread, ns(start), "send", "", dest=dest, tag=tag, bytes=sent, comm=comm)
            line(dest, other, ns(end), "recv", "", source=source, tag=tag, bytes=received, comm=comm)
            continue
        rank, thread = log.lines[first]
        if topology == EVENT:
            line(rank, thread, ns(start), "counter" if values else "marker", name, **({"value": values[0]} if values else {}))
            continue
        if first != last or end < start:
            wrong(f"state {name} from {start} to {end}")
        left = not name.endswith(" (not left)")
        name = name if left else name[:-len(" (not left)")]
        line(rank, thread, ns(start), "enter", name)
        if left:
            line(rank, thread, ns(end), "leave", name)
        if values and values[3] != -1:
            root, sent, received, comm = values
            line(rank, thread, ns(start), "collective", name, root=root, sent=sent, received=received,
                 comm=comm if comm != -2 else "unknown")


main()
