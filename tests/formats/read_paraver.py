#!/usr/bin/env python3
"""read_paraver.py OUT.prv: events of a Paraver trace, with OUT.pcf and OUT.row beside it."""
import re
import sys

from lines import header, line, wrong

P2P, COLLECTIVE, OTHER, RMA, IO = range(50000001, 50000006)
FUNCTION, USER, FUNCTION_LINE, CALL_LINE = 60000019, 60001019, 60000119, 80000001
ENTRIES = {P2P: CALL_LINE, COLLECTIVE: CALL_LINE, OTHER: CALL_LINE, RMA: CALL_LINE, IO: CALL_LINE,
           FUNCTION: FUNCTION_LINE, USER: FUNCTION_LINE}
NAMED = {"Send Size in MPI Global OP": "sent", "Recv Size in MPI Global OP": "received"}


def read_pcf(path):
    """Names of the states and of the types, and of the values of each type."""
    states, types, values, section, at = {}, {}, {}, "", []
    for text in open(path, encoding="utf-8", errors="surrogateescape"):
        text = text.rstrip("\n")
        if not text.strip():
            continue
        if re.fullmatch(r"[A-Z_]+", text):
            section = text
            at = [] if text == "EVENT_TYPE" else at
        elif section == "STATES":
            number, name = text.split(None, 1)
            states[int(number)] = name
        elif section == "EVENT_TYPE":
            _, number, name = text.split(None, 2)
            types[int(number)] = name
            at.append(int(number))
        elif section == "VALUES":
            match = re.fullmatch(r"(\d+)      (.*)", text)
            for number in at:
                if match.group(1) in values.setdefault(number, {}):
                    wrong(f"value {match.group(1)} of type {number} twice")
                values[number][match.group(1)] = match.group(2)
    return states, types, values


def main():
    path = sys.argv[1]
    base = path[:-4] if path.endswith(".prv") else path
    states, types, values = read_pcf(base + ".pcf")
    with open(base + ".row", encoding="utf-8", errors="surrogateescape") as row:
        rows = re.findall(r"^LEVEL (\w+) SIZE (\d+)\n((?:.+\n)*)", row.read(), re.M)
    for level, size, names in rows:
        if len(names.splitlines()) != int(size):
            wrong(f"{base}.row: {size} of level {level}, {len(names.splitlines())} named")
    lines = open(path, encoding="ascii")
    match = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\),(\d+)\n",
                         lines.readline())
    end = int(match.group(1))
    cpus, tasks = sum(map(int, match.group(3).split(","))), match.group(5).split(",")
    if len(match.group(3).split(",")) != int(match.group(2)) or len(tasks) != int(match.group(4)):
        wrong(f"header {match.group(0)}")
    threads = [int(task.split(":")[0]) for task in tasks]
    if {level: int(size) for level, size, _ in rows} != {"CPU": cpus, "NODE": int(match.group(2)), "THREAD": sum(threads)}:
        wrong(f"header {match.group(0)} and {base}.row differ")
    comms = [lines.readline() for _ in range(int(match.group(6)))]
    if any(not re.fullmatch(r"c:1:\d+:\d+(:\d+)*\n", comm) or len(comm.split(":")) != 4 + int(comm.split(":")[3]) for comm in comms):
        wrong("communicators")
    header("enter,leave,send,recv,collective,rma,io", "file,line,dest,source,tag,bytes,comm,root,sent,received,target",
           instants="unordered", without="send.comm,recv.comm,send.name,recv.name,collective.name,rma.name,io.name", unknown="recv.bytes")
    last, state_end, stacks, open_events, owner = 0, {}, {}, {}, {}

    def where(cpu, appl, task, thread):
        if not (1 <= task <= len(tasks) and 1 <= thread <= threads[task - 1] and appl == 1 and 1 <= cpu <= cpus):
            wrong(f"place {cpu}:{appl}:{task}:{thread}")
        if owner.setdefault(cpu, (task, thread)) != (task, thread):
            wrong(f"processor {cpu} has two threads")
        return task - 1, thread - 1

    for text in lines:
        fields = list(map(int, text.split(":")))
        place, time = where(*fields[1:5]), fields[5]
        if not last <= time <= end:
            wrong(f"order of time: {text}")
        last = time
        if fields[0] == 1:
            if len(fields) != 8 or time != state_end.get(place, 0) or not time <= fields[6] <= end or fields[7] not in states:
                wrong(f"state: {text}")
            state_end[place] = fields[6]
        elif fields[0] == 2:
            pairs = dict(zip(fields[6::2], fields[7::2]))
            if len(pairs) * 2 != len(fields) - 6 or any(kind not in types for kind in pairs):
                wrong(f"event: {text}")
            first = fields[6]
            value = pairs[first]
            stack = stacks.setdefault(place, [])
            if first in ENTRIES and value:
                name = values[first].get(str(value), "unknown")
                number = str(pairs[ENTRIES[first]])
                at = re.fullmatch(r"(\d+) \((.*)\)", values[ENTRIES[first]][number]) if number != "0" else None
                stack.append((first, name))
                file_name = at.group(2) if at and at.group(2) != "unknown" else ""
                line(*place, time, "enter", name, escaped=True, file=file_name, line=at.group(1) if at else 0)
            elif first in ENTRIES:
                kind, name = stack.pop()
                if kind != first:
                    wrong(f"leaves what was not entered last: {text}")
                line(*place, time, "leave", name, escaped=True)
            elif types[first] in NAMED:
                open_events[place] = {NAMED[types[k]]: v for k, v in pairs.items()}
            elif types[first].startswith("Root in"):
                comm = pairs[first + 1]
                sizes = open_events.pop(place)
                line(*place, time, "collective", "", root=value - 1, sent=sizes["sent"], received=sizes["received"],
                     comm=comm - 1 if comm else "unknown")
            elif types[first].startswith("Target of"):
                line(*place, time, "rma", "", target=value - 1, bytes=pairs[first + 1])
            elif types[first].startswith("Bytes of file"):
                line(*place, time, "io", "", bytes=value)
            elif types[first].startswith("Destination of"):
                _, tag, count = pairs.values()
                line(*place, time, "send", "", dest=value - 1, tag=tag, bytes=count)
            elif types[first].startswith("Source of"):
                _, tag, count = pairs.values()
                line(*place, time, "recv", "", source=value - 1, tag=tag, bytes=count)
            else:
                wrong(f"event: {text}")
        elif fields[0] == 3:
            to = where(*fields[7:11])
            if len(fields) != 15 or not fields[5] <= fields[6] or not fields[11] <= fields[12] <= end:
                wrong(f"communication: {text}")
            line(*place, fields[6], "send", "", dest=to[0], tag=fields[14], bytes=fields[13])
            line(*to, fields[12], "recv", "", source=place[0], tag=fields[14], bytes=fields[13])
        else:
            wrong(f"record {text}")
    if any(t != end for t in state_end.values()) or len(state_end) != sum(threads):
        wrong("states do not reach from the start to the end of the run")


main()
