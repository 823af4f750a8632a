#!/usr/bin/env python3
"""The sensor that the program `serial` asks: absent, slow, garbled, late, fine; called by `run`.

    serial.py TICK ELF

TICK is the length of embassy's tick in nanoseconds. What the device asked is checked here, and when it asked by its own
clock: every wait against the twin, every cut against the policy's limit. Exit code 1 when anything differs.
"""

import random
import sys

from check import OVERHEAD, Check
from peer import Closed, frame, play
from twin import Policy, Retry

ASK = Policy("exponential 100ms x2 cap 2s jitter full attempts 8 attempt_timeout 500ms")
READINGS = ["absent", "slow", "garbled", "late", "fine"]
NOISE = bytes(byte for byte in random.Random(1).randbytes(60) if byte != 0xA5)
CUT = "cut"


def answer(reading, attempt):
    return frame("!", bytes([reading, attempt]) + value(reading, attempt).to_bytes(2, "little"))


def value(reading, attempt):
    """Another one each time, so that a late answer is known by what it says."""
    return 1000 * attempt + reading


def flipped(data):
    return data[:-1] + bytes([data[-1] ^ 1])


# For each attempt: what the sensor sends, after how many milliseconds, and how long the attempt takes then: until it is
# cut, or so many microseconds. An attempt without a word here gets none, and is cut.
SCRIPT = {
    ("slow", 4): (answer(1, 4), 0, 0),
    ("garbled", 1): (flipped(answer(2, 1)), 0, 0),
    ("garbled", 2): (NOISE, 0, CUT),
    ("garbled", 3): (answer(2, 3)[:6], 0, CUT),
    ("garbled", 4): (frame("!", b"", length=4_000), 0, 0),
    ("garbled", 5): (NOISE + answer(2, 5), 30, 30_000),
    # On its way for longer than the attempt may take: it comes in front of the answer to the next.
    ("late", 1): (answer(3, 1), 700, CUT),
    ("late", 2): (answer(3, 2), 300, 300_000),
    ("fine", 1): (answer(4, 1), 1, 1_000),
}

# By hand: how many attempts each takes, and what comes of it.
ENDINGS = {"absent": (8, "attempts"), "slow": (4, "ok"), "garbled": (5, "ok"), "late": (2, "ok"), "fine": (1, "ok")}


def sensor(asked):
    def talk(wire):
        while True:
            kind, payload = wire.receive()
            reading, attempt = payload
            asked.append((kind, READINGS[reading], attempt))
            data, delay, _ = SCRIPT.get(asked[-1][1:], (b"", 0, CUT))
            wire.turn(data, delay)

    return talk


class Reading:
    """What the device says about one reading."""

    def __init__(self, name, check):
        self.name, self.check, self.retry = name, check, None
        self.began = self.ended = self.told = None

    def line(self, text, number, what, now, said):
        if what == "begins":
            self.retry = self.retry or Retry(ASK, READINGS.index(self.name), now)
            if self.ended is not None:
                self.check.took(text, now - self.ended, self.told, 1)
            self.began = now
            return
        count, ending = ENDINGS[self.name]
        succeeds = number == count and ending == "ok"
        wanted = self.retry.next("succeed" if succeeds else "fail", now)
        got = (what, int(said) if said and said.isdigit() else said)
        self.check.expect(got == wanted, text, wanted)
        self.worked(text, SCRIPT.get((self.name, number), (b"", 0, CUT))[2], now - self.began)
        self.ended, self.told = now, got[1]

    def worked(self, text, took, had):
        if took == CUT:
            self.check.took(text, had, ASK.limit("attempt_timeout"), 1)
        else:  # the device looks each millisecond, and where ticks are short it looks late
            most = took if self.check.tick == 1_000_000 else took + 1_000 + took // 10
            self.check.expect(took <= had <= most + (0 if most == took else OVERHEAD), text, f"{took} us, had {had}")


def journal(printed, check):
    readings, over, values = {}, {}, {}
    for text in printed.splitlines():
        words = text.split()
        if not words or words[0] not in READINGS:
            continue
        if words[1] == "reads":
            values[words[0]] = int(words[2])
        elif words[1] == "over":
            over[words[0]] = words[3]
        else:
            reading = readings.setdefault(words[0], Reading(words[0], check))
            reading.line(text, int(words[1]), words[2], int(words[3]), words[4] if len(words) > 4 else None)
    check.expect(over == {name: ending for name, (_, ending) in ENDINGS.items()}, "the endings", f"{ENDINGS}, not {over}")
    right = {"slow": 4_001, "garbled": 5_002, "late": 2_003, "fine": 1_004}
    check.expect(values == right, "the values", f"{right}, not {values}")


def main(tick, elf):
    asked, check = [], Check(int(tick))
    code, printed = play(elf, sensor(asked))
    check.expect(code == 0, "the exit code", f"0, not {code}; {printed[-300:]}")
    wanted = [("?", name, attempt) for name in READINGS for attempt in range(1, ENDINGS[name][0] + 1)]
    check.expect(asked == wanted, "what was asked", f"{wanted}, not {asked}")
    journal(printed, check)
    return 1 if check.report(elf) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
