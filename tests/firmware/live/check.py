"""What a journal must say about the length of things."""

from pathlib import Path

# What the instructions between two events take, in microseconds, where a tick does not hide them.
OVERHEAD = 200
MILLISECOND = 1_000_000


class Check:
    def __init__(self, tick):
        self.tick = tick  # in nanoseconds
        self.wrong = []
        self.events = 0
        self.over = []  # what waits took more than they were told

    def expect(self, holds, line, wanted):
        self.events += 1
        if not holds:
            self.wrong.append(f"{line}: expected {wanted}")

    def took(self, line, had, told, pieces=0):
        """A wait of `pieces`, each rounded up to ticks and one more; work is rounded by nobody, and takes whole ticks."""
        ticks = -(-told * 1_000 // self.tick)
        least = told if pieces == 0 else (ticks + pieces) * self.tick // 1_000
        most = least if self.tick == MILLISECOND else least + OVERHEAD * max(pieces, 1)
        if pieces:
            self.over.append(had - told)
        self.expect(least <= had <= most and had >= told, line, f"{least} to {most} us for {told}, took {had}")

    def report(self, path):
        """Prints, and answers how many were wrong. The path of an image ends in its target, `release` and its name."""
        *_, target, _, name = ("", *Path(path).parts)
        title = name if "." in name else f"{target} {name}"
        least, most = min(self.over, default=0), max(self.over, default=0)
        for line in self.wrong[:5]:
            print(f"{title}: {line}")
        print(f"{title}: {self.events} checks, {len(self.wrong)} wrong; longer than told by {least} to {most} us")
        return len(self.wrong)
