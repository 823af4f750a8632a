#!/usr/bin/env python3
"""What the program `schedule` must say, and when; called by `run`.

    schedule.py TICK JOURNAL...

TICK is the length of embassy's tick in nanoseconds. The journals are of runs on machines with that tick, and must be
equal if TICK is a millisecond: there an attempt's instructions fit into the tick. Every verdict must be the twin's at
the time at which it was made, to the microsecond, and no wait may be shorter than the verdict, nor longer than by the
rounding that the adapter promises. Exit code 1 when anything differs.
"""

import sys

from check import OVERHEAD, Check
from twin import MOST, Policy, Retry, Rng

SECOND = 1_000_000
SERIAL = 4711


class Task:
    """A policy, the seed, what an attempt takes, and what it comes to."""

    def __init__(self, text, seed, work, outcome=lambda n: "fail", hint=lambda n: 0, cancel=None, pieces=1):
        self.policy = Policy(text)
        self.seed, self.work, self.outcome, self.hint = seed, work, outcome, hint
        self.cancel, self.pieces = cancel, pieces


def session(number):
    """The seed of a device's session: its number, through the generator, into the upper half of the serial number. The first
    two to fail here without a seed of their own are `one` and `two`."""
    return SERIAL ^ Rng(number).draw() << 32


TASKS = {
    "steady": Task("constant 250ms jitter none attempts 5", 0, 10_000),
    "fleet": Task("exponential 500ms x1.5 cap 20s jitter full attempts 20", 1, 30_000,
                  outcome=lambda n: "succeed" if n == 20 else "fail"),
    "spread": Task("constant 1m cap 2m jitter +-20% attempts unlimited within 3h", 2, 5_000),
    "cut": Task("linear 1s +1s jitter equal attempts 6 attempt_timeout 2s", 3, SECOND),
    "hinted": Task("exponential 100ms jitter full attempts unlimited hint_ceiling 8m", 4, 15_000,
                   outcome=lambda n: "throttle", hint=lambda n: n * 60 * SECOND),
    "probe": Task("constant 5s jitter none attempts unlimited within 10m", 0, 1_200_000,
                  outcome=lambda n: "succeed" if n == 9 else "fail"),
    "by-hand": Task("decorrelated 10ms x3 cap 10s attempts 30", 5, 20_000,
                    outcome=lambda n: "fail" if n < 25 else "abort"),
    "cancelled": Task("fibonacci 7s cap 10m jitter none attempts unlimited", 0, 40_000, cancel=1_200 * SECOND),
    "forever": Task("constant 1s hint_ceiling 213503982d", 9, 1_000,
                    outcome=lambda n: "throttle", hint=lambda n: MOST, cancel=7_200 * SECOND),
    "outer": Task("constant 2s jitter none attempts 10 within 30s", 0, None),
    "inner": Task("exponential 1s x2 cap 8s jitter full attempts 4", None, 100_000),
    "delayed": Task("exponential 200ms jitter full attempts 3 first_delay 5s", 8, 25_000),
    "one": Task("constant 1s jitter full attempts 6", session(0), 10_000),
    "two": Task("constant 1s jitter full attempts 6", session(1), 20_000),
    "fed": Task("constant 20s jitter none attempts 3", 0, 50_000, pieces=5),
}
TASKS["forever"].policy.limits["hint_ceiling"] = MOST


class Life:
    """One task's lines, in their order."""

    def __init__(self, name, check):
        self.name, self.task, self.check = name, TASKS[name], check
        self.retry = self.ended = self.began = self.told = None

    def line(self, text, lives):
        words = text.split()
        number, what, now = int(words[1]), words[2], int(words[3])
        if what == "begins":
            self.begins(text, number, now, lives)
        else:
            self.verdict(text, number, what, now, words[4] if len(words) > 4 else None)

    def begins(self, text, number, now, lives):
        check, task = self.check, self.task
        if number == 1:
            self.retry = self.start(now, lives)
            first = task.policy.limit("first_delay")
            if first:  # jittered as the policy is, which is fully
                check.took(text, now, (first + 1) * self.retry.rng.draw() >> 32, 1)
            elif self.name != "inner":
                check.expect(now <= OVERHEAD, text, "the start")
            self.grid = now
        else:
            check.expect(number == self.retry.count + 1, text, f"attempt {self.retry.count + 1}")
            if self.ended is not None:
                check.took(text, now - self.ended, self.told, task.pieces)
        self.began = now

    def start(self, now, lives):
        if self.name != "inner":
            return Retry(self.task.policy, self.task.seed, now)
        outer = lives["outer"]
        return Retry(self.task.policy, 100 + outer.retry.count + 1, now, outer.retry.deadline)

    def verdict(self, text, number, what, now, said):
        task, check = self.task, self.check
        if said == "cancelled":
            point = task.cancel
            check.expect(point <= now <= point + (OVERHEAD if check.tick < 1_000_000 else 0), text, f"at {point}")
            return
        check.expect(number == self.retry.count + 1, text, f"attempt {self.retry.count + 1}")
        wanted = self.retry.next(task.outcome(number), now, task.hint(number))
        if what == "waited":  # the session's line comes after its wait
            check.took(text, now - self.began, task.work + wanted[1] if wanted[0] == "waits" else 0, 1)
            self.ended = None
        else:
            self.worked(text, number, now)
            self.ended = now
        if self.name == "probe" and wanted[0] == "waits":
            self.grid += wanted[1]
            wanted = ("waits", self.grid - now)
        got = (what.replace("waited", "waits"), int(said) if said and said.isdigit() else said)
        near = self.name == "probe" and got[0] == wanted[0] == "waits" and check.tick < 1_000_000
        same = abs(got[1] - wanted[1]) <= OVERHEAD if near else got == wanted
        check.expect(same, text, wanted)
        self.told = got[1]

    def worked(self, text, number, now):
        if self.name == "cut" and number % 2 == 1:
            self.check.took(text, now - self.began, self.task.policy.limit("attempt_timeout"), 1)
        elif self.task.work is not None:
            self.check.took(text, now - self.began, self.task.work)


def check(tick, path):
    result = Check(tick)
    lives, over, meals = {}, {}, []
    for text in open(path):
        words = text.split()
        if words[:1] and words[0] in TASKS and len(words) > 2:
            if words[1] == "over":
                over[words[0]] = words[3:]
            elif words[1] == "meals":
                meals.append(words[2])
            else:
                lives.setdefault(words[0], Life(words[0], result)).line(text.strip(), lives)
    endings = {name: " ".join(words) for name, words in over.items()}
    result.expect(endings == ENDINGS, "the endings", f"{ENDINGS}, not {endings}")
    result.expect(set(lives) == set(TASKS), "who was heard", f"{set(TASKS)}, not {set(lives)}")
    result.expect(meals == ["12"], "the meals", f"12, for each of two waits at once and after each 4 s; not {meals}")
    return result


# By hand, from the table above and in `schedule.rs`.
ENDINGS = {
    "steady": "attempts after 5",
    "fleet": "ok",
    "spread": "deadline after 180",
    "cut": "attempts after 6",
    "hinted": "hint after 9",
    "probe": "ok",
    "by-hand": "permanent after 25",
    "cancelled": "cancelled after 10",
    "forever": "cancelled after 1",
    "outer": "deadline after 5",
    "delayed": "attempts after 3",
    "one": "attempts after 6",
    "two": "attempts after 6",
    "fed": "attempts after 3",
}


def main(tick, *paths):
    wrong = sum(check(int(tick), path).report(path) for path in paths)
    if int(tick) == 1_000_000 and len({open(path).read() for path in paths}) > 1:
        wrong += 1
        print("the journals of boards with a tick of a millisecond are not equal")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
