"""order.py: messages of formats that do not say which receive belongs to which send: readers take the first receive of a channel
for that of its first send."""
from lines import wrong


class Order:
    def __init__(self):
        self.under_way, self.least, self.sent = {}, {}, set()

    def message(self, kind, source, dest, *channel):
        """A send or recv of the channel comes."""
        key = (source, dest, *channel)
        self.under_way[key] = self.under_way.get(key, 0) + (1 if kind == "send" else -1)
        self.least[key] = min(self.least.get(key, 0), self.under_way[key])
        if kind == "send":
            self.sent.add(key)

    def check(self):
        """A channel may have receives alone, of senders that are not in the trace, and may end with receives of such a
        sender's last messages; but no receive may be taken for that of a later send."""
        for key, least in self.least.items():
            if key in self.sent and least < min(self.under_way[key], 0):
                wrong(f"a message of {key} is received before it is sent")
