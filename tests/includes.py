"""includes.py: who includes whom in the reading part, as a picture and as a rule: includes.py REPOSITORY [--picture].

The data's path is the folders' order. A file includes what lies before it on the path or beside it, never what comes after;
and no headers include each other in a circle. --picture prints the
arrows between folders, with their number, as Graphviz takes them."""
import collections
import pathlib
import re
import sys

FOLDERS = ["packed", "reconstruct/model", "reconstruct/replay", "reconstruct/files", "reconstruct/analysis", "reconstruct/formats",
           "reconstruct/import", "reconstruct/commands", "reconstruct/view", "reconstruct/parallel"]
# Arrows upwards that are still there: reading a sequence is of use to the model.
KNOWN = {("learners.c", "sequence.h"), ("ranks_read.c", "sequence.h")}


def read(top):
    """Includes as (folder, name) -> set of the same; and where each lies."""
    paths = [path for folder in FOLDERS for path in sorted((top / folder).glob("*.[ch]"))]
    header = {path.name: path for path in paths if path.suffix == ".h"}
    for path in paths:
        for name in re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.M):
            if name in header:
                yield path, header[name]


def circle(arrows):
    """Headers that include each other in a circle, empty when there are none."""
    state, way = {}, []

    def visit(node):
        state[node] = 1
        way.append(node)
        for to in sorted(arrows[node]):
            if state.get(to) == 1:
                return way[way.index(to):]
            if to not in state and (found := visit(to)):
                return found
        way.pop()
        state[node] = 2
        return []

    return next((found for node in sorted(arrows) if node not in state and (found := visit(node))), [])


def main():
    top = pathlib.Path(sys.argv[1])
    folder_of = lambda path: str(path.parent.relative_to(top))
    between, arrows, wrong = collections.Counter(), collections.defaultdict(set), 0
    for path, header in read(top):
        a, b = folder_of(path), folder_of(header)
        if a != b:
            between[a, b] += 1
        if FOLDERS.index(b) > FOLDERS.index(a) and (path.name, header.name) not in KNOWN:
            print(f"{a}/{path.name} includes {b}/{header.name}, which comes after it on the data's path")
            wrong += 1
        arrows[f"{a}/{path.name}"].add(f"{b}/{header.name}")
        arrows[f"{b}/{header.name}"]
    found = circle(arrows)
    if found:
        print("headers include each other in a circle: " + " -> ".join(found + found[:1]))
    if "--picture" in sys.argv:
        print("digraph includes {\n    rankdir=BT;")
        for (a, b), n in sorted(between.items()):
            print(f'    "{a}" -> "{b}" [label={n}];')
        print("}")
    elif not wrong and not found:
        print(f"{sum(between.values())} includes between folders, {len(KNOWN)} of them against the path; {len(arrows)} files, no circle")
    return 1 if wrong or found else 0


sys.exit(main())
