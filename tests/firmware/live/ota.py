#!/usr/bin/env python3
"""Gives the program `ota` new policies, good ones and garbage; called by `run`.

    ota.py TICK ELF

TICK is the length of embassy's tick in nanoseconds. The device must answer everything, take the good ones and say why
it takes no other, and between its attempts must pass the time that the twin works out from the policy that is in use.
Exit code 1 when anything differs.
"""

import random
import sys

from check import Check
from peer import frame, play
from twin import Policy, Retry

BUILT_IN = "exponential 100ms x2 cap 5s jitter full attempts 6"
SEED = 7
ROUNDS = 400


def as_text(text):
    return frame("T", text.encode())


def as_postcard(text, rest=b""):
    """A string is its length, in one byte up to 127, and its bytes."""
    return frame("P", bytes([len(text)]) + text.encode() + rest)


GOOD = [
    (as_text, "exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m"),
    (as_postcard, "decorrelated 50ms x3 cap 5s jitter none attempts 10"),
    (as_text, "linear 1s +500ms cap 30s jitter equal attempts 6"),
    (as_postcard, "constant 2s cap 30s jitter +-20% attempts 12"),
    (as_text, "fibonacci 300ms cap 1m jitter none attempts 9 first_delay 1s"),
]

# A line, where it is wrong (a broken rule is where its field was said), and what must be said about it; by hand.
BAD = [
    ("", 0, "expected a shape"),
    ("expo 1s", 0, "expected a shape"),
    ("exponential 100ms cap 5x", 23, "expected a unit"),
    ("exponential 100ms cap 0s", 12, "the first delay must not be longer than the cap"),
    ("immediate cap 0s", 10, "cap must leave at least 1 us"),
    ("constant 0s", 9, "the first delay must be at least 1 us"),
    ("constant 1s attempts 0", 12, "attempts must be at least 1"),
    ("constant 1s cap 5s cap 6s", 19, "expected each word only once"),
    ("constant 1m30s", 10, "expected one unit"),
    ("exponential 100ms x300", 18, "factor must be"),
    ("constant 1s floor 40s cap 30s", 12, "floor must not be longer than the cap"),
    ("schedule 1s,5s", 0, "expected another shape"),
    ("constant 1s jitter +20", 19, "expected a jitter"),
]

# What reads well, and does not fit this device.
UNFIT = [
    ("constant 1s jitter none attempts unlimited", "without an end"),
    ("constant 10m jitter none attempts 8", "up to 4208s"),  # 7 waits, and 8 attempts of a second
]


class Device:
    """The device at the other end, and what it must be like now."""

    def __init__(self, wire, check):
        self.wire, self.check, self.policy = wire, check, BUILT_IN
        self.answers(wire.receive(), "=", BUILT_IN, "the first word")

    def tell(self, data):
        self.wire.turn(data)
        kind, payload = self.wire.receive()
        return kind, payload

    def answers(self, answer, kind, text, title):
        said = answer[1].decode(errors="replace")
        self.check.expect(answer[0] == kind and text in said, title, f"{kind} {text!r}, not {answer[0]} {said!r}")

    def takes(self, encode, text):
        self.answers(self.tell(encode(text)), "=", text, f"{encode.__name__} {text}")
        self.policy = text

    def refuses(self, data, why, title):
        self.answers(self.tell(data), "!", why, title)
        self.keeps(title)

    def keeps(self, title):
        self.answers(self.tell(frame("?", b"")), "=", self.policy, f"{title}: the policy after it")

    def works(self):
        """The gaps between attempts that take no time, by the device's clock."""
        kind, payload = self.tell(frame("W", b""))
        gaps = [int.from_bytes(payload[i : i + 4], "little") for i in range(0, len(payload), 4)]
        waits = list(schedule(Policy(self.policy)))
        self.check.expect(kind == "#" and len(gaps) == len(waits), self.policy, f"{len(waits)} waits, not {gaps}")
        for gap, wait in zip(gaps, waits):
            self.check.took(self.policy, gap, wait, 1)


def schedule(policy):
    retry = Retry(policy, SEED, 0)
    if policy.limit("first_delay"):
        retry.rng.draw()
    while (verdict := retry.next("fail", 0))[0] == "waits":
        yield verdict[1]


def hand_made(device):
    for encode in (as_text, as_postcard):
        for text, at, why in BAD:
            device.refuses(encode(text), f"at byte {at}: {why}", f"{encode.__name__} {text!r}")
        for text, why in UNFIT:
            device.refuses(encode(text), why, f"{encode.__name__} {text!r}")
    good = GOOD[1][1]
    device.refuses(frame("T", b"constant 1s \xff"), "not a text", "a byte that is no text")
    device.refuses(as_postcard(good, b"!!"), "2 bytes after the end", "postcard and more")
    device.refuses(frame("P", bytes([len(good) + 1]) + good.encode()), "postcard: ", "postcard that ends early")
    device.refuses(frame("X", b""), "no such kind", "another kind")
    device.refuses(frame("T", good.encode(), length=len(good) + 1), "no frame", "a frame that ends early")
    device.refuses(frame("T", good.encode(), length=5_000), "a frame of 5000 bytes", "a frame without an end")
    device.refuses(b"", "no frame", "silence")


def garbage(source):
    """What happens to frames on a bad wire, and what is made by who knows no better."""
    whole = source.choice([encode(text) for encode, text in GOOD])
    flipped = bytearray(whole)
    for place in source.sample(range(len(flipped)), source.randint(1, 3)):
        flipped[place] ^= 1 << source.randrange(8)
    noise = source.randbytes(source.randint(1, 64))
    return source.choice([
        ("cut off", whole[: source.randrange(len(whole))]),
        ("flipped", bytes(flipped)),
        ("noise", source.randbytes(source.randint(1, 700))),
        ("too long", frame("T", source.randbytes(source.randint(241, 500)))),
        ("random text", frame("T", noise)),
        ("random postcard", frame("P", noise)),
        ("cut policy", frame("P", whole[4 : source.randint(5, len(whole) - 6)])),
        ("a byte lost", whole[:6] + whole[7:]),
    ])


def talk(check, told):
    def with_device(wire):
        device, source = Device(wire, check), random.Random(2026)
        device.works()
        hand_made(device)
        for encode, text in GOOD:
            for _ in range(ROUNDS // len(GOOD)):
                title, data = garbage(source)
                device.answers(device.tell(data), "!", "", f"{title} {data.hex()}")
            device.keeps("a wrong policy would have stayed")
            device.takes(encode, text)
            device.works()
        told.append("all")
        wire.turn(frame("Q", b""))
        wire.receive()  # which it does not: it ends, and what is on the way to it may not be lost before

    return with_device


def main(tick, elf):
    check, told = Check(int(tick)), []
    code, printed = play(elf, talk(check, told))
    check.expect(code == 0, "the exit code", f"0, not {code}; {printed[-300:]}")
    check.expect(told, "the conversation", "its end, and the device ended before")
    return 1 if check.report(elf) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
