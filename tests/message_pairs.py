"""message_pairs.py CHROME-TRACE [BYTES]: how many messages have both ends in the trace, and how many of these have ends of
different lengths, as far as these are known: they were matched wrongly, where the messages of a program differ in length.
With BYTES only those of which one end at least is that long."""
import json
import sys

least = int(sys.argv[2]) if len(sys.argv) > 2 else -1
ends, latest = {}, {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    thread = event["pid"], event.get("tid")
    if event["ph"] == "i" and event["name"] in ("send", "recv"):
        latest[thread] = event["args"]["bytes"]
    elif event["ph"] in "sf":
        ends.setdefault(event["id"], []).append(latest[thread])
pairs = [lengths for lengths in ends.values() if len(lengths) == 2 and max(lengths) >= least]
print(len(pairs), sum(a != b and min(a, b) >= 0 for a, b in pairs))
