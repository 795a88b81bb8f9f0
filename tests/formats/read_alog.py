#!/usr/bin/env python3
"""read_alog.py FILE: events of an ALOG file, read from section 2 of Margaris' "Log File Formats for Parallel Applications"."""
import sys

from lines import header, line, wrong
from order import Order


def main():
    numbers, names, states, formats, last, count, stacks, order = {}, {}, {}, {}, 0, 0, {}, Order()
    header("enter,leave,send,recv,collective,marker,counter", "dest,source,tag,bytes,comm,root,sent,received,value", resolution_ns=1000,
           without="send.comm,recv.comm", pairs="late")
    rollover = None
    for text in open(sys.argv[1], encoding="utf-8", errors="surrogateescape"):
        fields = text.rstrip("\n").split(None, 6)
        kind, process, task, integer, cycle, stamp = map(int, fields[:6])
        string = text.rstrip("\n").split(" ", 6)[6] if len(fields) > 6 and kind in (-9, -13) else "".join(fields[6:])
        if kind in (-2, -3, -4, -5, -8):
            numbers[kind] = integer
        elif kind in (-6, -7):
            numbers[kind] = stamp
        elif kind == -11:
            rollover = stamp + 1
        elif kind == -9:
            names[integer] = string
        elif kind == -13:
            start, end = task, integer
            colour, name = string.split(" ", 1)
            if colour.count(":") != 1 or names.get(start) != "Start " + name or names.get(end) != "End " + name or start in states:
                wrong(f"state {text}")
            states[start], states[end] = ("enter", name), ("leave", name)
        elif kind == -10:
            if integer not in names or integer in formats or "%d" not in string:
                wrong(f"format {text}")
            formats[integer] = string
        elif kind == -1:
            pass
        else:
            us = cycle * rollover + stamp
            count += 1
            if us < last or not 0 <= process < numbers[-3] or not 0 <= task < numbers[-4] or cycle >= max(numbers[-8], 1):
                wrong(f"event {text}")
            if count == 1 and us % rollover != numbers[-6]:
                wrong(f"first time {text}")
            last = us
            ns = us * 1000
            stack = stacks.setdefault((process, task), [])
            if kind in (-101, -102):
                tag, size = map(int, string.split())
                order.message(*("send", process, integer) if kind == -101 else ("recv", integer, process), tag)
                peer = {"dest" if kind == -101 else "source": integer}
                line(process, task, ns, "send" if kind == -101 else "recv", stack[-1], True, tag=tag, bytes=size, **peer)
            elif formats.get(kind, "").startswith("value=%d"):
                line(process, task, ns, "counter", names[kind], True, value=integer)
            elif kind in names and kind not in states and kind not in formats:
                line(process, task, ns, "marker", names[kind], True)
            elif formats.get(kind, "").startswith("root=%d"):
                sent, received, comm = map(int, string.split())
                line(process, task, ns, "collective", stack[-1], True, root=integer, sent=sent, received=received,
                     comm=comm if comm >= 0 else "unknown")
            else:
                event, name = states[kind]
                if event == "enter":
                    stack.append(name)
                elif stack.pop() != name:
                    wrong(f"leaves what was not entered last: {text}")
                line(process, task, ns, event, name, True)
    order.check()
    if count != numbers[-2] or last % rollover != numbers[-7] or numbers[-5] < len(states):
        wrong(f"{count} events until {last}, announced {numbers}")


main()
