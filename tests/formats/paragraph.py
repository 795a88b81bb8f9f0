#!/usr/bin/env python3
"""paragraph.py FILE TEXT: whether a PICL file is one that ParaGraph takes (P. H. Worley, "A New PICL Trace File Format", section
2.5): records in the order of time, processors from 0 on, tracing entered first and left last, no state inside another, as many
receives as sends from each processor to each other one; and whether its messages are those of TEXT (refrain reconstruct --format
text of the same events)."""
import sys
from collections import Counter

from lines import wrong

SENDS, RECEIVES = (-21, -27), (-51, -52, -58, -60, -61)


def pairs_of(path):
    """Messages of the text whose both ends are there, as (source, destination, bytes received)."""
    waiting, pairs = Counter(), Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            rank, _, kind, _, *rest = line.rstrip("\n").split("\t")
            fields = dict(f.split("=", 1) for f in rest if "=" in f)
            if kind == "send" and "thread" not in fields:
                waiting[int(rank), int(fields["dest"]), fields["tag"], fields["comm"]] += 1
            elif kind == "recv" and "thread" not in fields:
                key = int(fields["source"]), int(rank), fields["tag"], fields["comm"]
                if waiting[key] > 0:
                    waiting[key] -= 1
                    pairs[key[0], key[1], int(fields["bytes"])] += 1
    return pairs


def main():
    last, states, sends, receives, tracing = 0.0, {}, Counter(), Counter(), {}
    with open(sys.argv[1], encoding="ascii") as lines:
        for line in lines:
            record, kind, time, processor, process, n, *data = line.split()
            record, kind, processor, n = int(record), int(kind), int(processor), int(n)
            if float(time) < last or process != "0" or (n > 0 and data[0] != "2") or len(data) != (n + 1 if n else 0):
                wrong(line)
            last, fields = float(time), [int(f) for f in data[1:]]
            if kind == -901:
                if tracing.setdefault(processor, []) != ([] if record == -3 else [-3]):
                    wrong(f"tracing: {line}")
                tracing[processor].append(record)
                continue
            if tracing.get(processor) != [-3]:
                wrong(f"outside of tracing: {line}")
            if record == -3:
                if processor in states:
                    wrong(f"in {states[processor]}: {line}")
                states[processor] = kind
                if kind in SENDS:
                    sends[processor, fields[2]] += 1
            elif record == -4:
                if states.pop(processor, None) != kind:
                    wrong(f"not entered: {line}")
                if kind in RECEIVES:
                    receives[fields[2], processor, fields[0]] += 1
            elif (record, kind) != (-2, -904):
                wrong(line)
    if states or any(t != [-3, -4] for t in tracing.values()) or sorted(tracing) != list(range(len(tracing))):
        wrong(f"end: {states} {tracing}")
    of_text, by_pair = pairs_of(sys.argv[2]), Counter()
    for (source, dest, _), n in receives.items():
        by_pair[source, dest] += n
    if by_pair != sends or receives != of_text:
        wrong(f"sends {sends}, receives {receives}, in the text {of_text}")
    print(f"{sum(sends.values())} messages")


main()
