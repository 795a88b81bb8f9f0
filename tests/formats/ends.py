#!/usr/bin/env python3
"""ends.py TEXT WHOLE: TEXT without the receives of messages that were sent before it begins. WHOLE is the text of the
whole run, which shows the two ends of each message. compare.py and others import other_ends()."""
import sys


def other_ends(whole):
    """From the line of each end of a message to that of the other: messages of one channel are received in the order in
    which they were sent, by receives in the order in which these were posted, whenever they complete."""
    sent, received, posted = {}, {}, {}
    with open(whole, encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines):
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3 or fields[2] not in ("send", "recv", "recv-post"):
                continue
            values = dict(f.split("=", 1) for f in fields[4:] if "=" in f)
            request = (fields[0], values.get("thread"), values.get("request"))
            if fields[2] == "recv-post":
                posted[request] = number
                continue
            ends = (fields[0], values["dest"]) if fields[2] == "send" else (values["source"], fields[0])
            channel = (*ends, values["tag"], values["comm"])
            if fields[2] == "send":
                sent.setdefault(channel, []).append(line)
            else:
                received.setdefault(channel, []).append((posted.pop(request, number), line))
    other = {}
    for channel, receives in received.items():
        for send, (_, receive) in zip(sent.get(channel, ()), sorted(receives)):
            other[send], other[receive] = receive, send
    return other


def lone_ends(path, whole, late):
    """Numbers of the lines of TEXT that are ends of messages whose other end is not there; `late`: only receives whose send
    comes before all that is there."""
    other = other_ends(whole)
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        there = list(lines)
    among = set(there)
    seconds = lambda line: float(line.split("\t")[1])
    first = min((seconds(line) for line in there if not line.startswith("#")), default=0)
    lone = set()
    for number, line in enumerate(there):
        kind = line.split("\t")[2] if line.count("\t") > 2 else ""
        if kind not in ("send", "recv") or other.get(line) in among:
            continue
        if not late or (kind == "recv" and line in other and seconds(other[line]) < first):
            lone.add(number)
    return lone


def main():
    lone = lone_ends(*sys.argv[1:3], late=True)
    with open(sys.argv[1], "rb") as lines:
        sys.stdout.buffer.writelines(line for number, line in enumerate(lines) if number not in lone)


if __name__ == "__main__":
    main()
