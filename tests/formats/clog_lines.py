"""clog_lines.py: what read_clog.py and read_clog2.py share: states from their two events, and names that were cut."""
from lines import escape, line, wrong


def text(field):
    """A text field: up to its zero."""
    if 0 not in field:
        wrong(f"no zero in {field}")
    return field[:field.index(0)].decode("utf-8", "surrogateescape")


class States:
    def __init__(self, most):
        self.of_event, self.stacks, self.most = {}, {}, most

    def define(self, start, end, name):
        if start in self.of_event or end in self.of_event or start == end:
            wrong(f"state {name}: an event twice")
        self.of_event[start], self.of_event[end] = ("enter", name), ("leave", name)

    def event(self, rank, thread, ns, kind):
        event, name = self.of_event[kind]
        stack = self.stacks.setdefault((rank, thread), [])
        if event == "enter":
            stack.append(name)
        elif not stack or stack.pop() != name:
            wrong(f"leaves what was not entered last: {name} of {rank}")
        line(rank, thread, ns, event, name)

    def inside(self, rank, thread):
        return self.stacks[rank, thread][-1]
