"""includes.py: who includes whom, as a picture and as a rule: includes.py REPOSITORY [--picture].

In the reading part the data's path is the folders' order: a file includes what lies before it on the path or beside it,
never what comes after. The instrumentor, the monitor and packed/ are its beginning. Nowhere do headers include each
other in a circle, and no source files of the monitor call each other in a circle. --picture prints the arrows between folders, with their number, as Graphviz takes them."""
import collections
import pathlib
import re
import sys

BEGINNING = ["instrumentor", "monitor", "packed"]
PATH = ["reconstruct/" + folder for folder in ("common", "sequence", "model", "files", "times", "walk", "match", "analysis",
                                               "formats", "import", "predict", "commands", "view", "report")]
PARTS = ["instrumentor", "launch", "monitor", "packed", "reconstruct"]


def position(folder):
    """Where the folder lies on the data's path; None where it is no part of it."""
    if folder.split("/")[0] in BEGINNING:
        return 0
    return 1 + PATH.index(folder) if folder in PATH else None


def read(top):
    """Who includes which header, as pairs of paths. Of headers of one name a file means that beside it, else that of the last part."""
    paths = [path for part in PARTS for path in sorted((top / part).rglob("*.[ch]"))]
    headers = collections.defaultdict(list)
    for path in paths:
        if path.suffix == ".h":
            headers[path.name].append(path)
    for path in paths:
        for name in re.findall(r'^\s*#include "(?:[^"]*/)?([^"/]+)"', path.read_text(), re.M):
            beside = [header for header in headers[name] if header.parent == path.parent]
            for header in (beside or headers[name])[-1:]:
                yield path, header


def calls(top, part):
    """By source file of the part: the others whose functions it uses, by itself or by an inline function of a header."""
    texts = {path: re.sub(r"/\*.*?\*/|\b(struct|enum|union) \w+", "", path.read_text(), flags=re.S)
             for path in sorted((top / part).rglob("*.[ch]"))}
    inline, home = {}, {}
    for path, text in texts.items():
        for static, name, body in re.findall(r"^(static )?\w[^;{}()#]*\b(\w+)\([^;{}]*\) \{\n(.*?)^\}", text, re.M | re.S):
            if path.suffix == ".h":
                inline[name] = body
            elif not static:
                home[name] = path

    def used(text, seen):
        names = set(re.findall(r"\brefrain_\w+", text)) - seen
        seen |= names & inline.keys()
        return {home[name] for name in names & home.keys()}.union(*(used(inline[name], seen) for name in names & inline.keys()))

    name_of = lambda path: str(path.relative_to(top))
    return {name_of(path): {name_of(to) for to in used(text, set()) if to != path} for path, text in texts.items() if path.suffix == ".c"}


def circle(arrows):
    """Files whose arrows form a circle, empty when there are none."""
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
        if None not in (position(a), position(b)) and position(b) > position(a):
            print(f"{a}/{path.name} includes {b}/{header.name}, which comes after it on the data's path")
            wrong += 1
        arrows[f"{a}/{path.name}"].add(f"{b}/{header.name}")
        arrows[f"{b}/{header.name}"]
    found = circle(arrows)
    if found:
        print("headers include each other in a circle: " + " -> ".join(found + found[:1]))
    calling = circle(calls(top, "monitor"))
    if calling:
        print("source files call each other in a circle: " + " -> ".join(calling + calling[:1]))
        wrong += 1
    if "--picture" in sys.argv:
        print("digraph includes {\n    rankdir=BT;")
        for (a, b), n in sorted(between.items()):
            print(f'    "{a}" -> "{b}" [label={n}];')
        print("}")
    elif not wrong and not found:
        print(f"{sum(between.values())} includes between folders, none against the path; {len(arrows)} files, no circle")
    return 1 if wrong or found else 0


sys.exit(main())
