"""The laws of one decision, as formulas: what an answer must be, from the laws and from the arithmetic of one wait.

Written from the design and not from the core. Numbers are 128 bits wide here, so that nothing overflows; `c` is the
case at hand: policy `p`, state before `r` and after `after`, report `q`, answer `a`, products `m`.
"""

import claripy

from arithmetic import LANDMARKS, ONE, WIDE, implies, wide

UNLIMITED = (1 << 32) - 1
NEVER = (1 << 64) - 1
ABORT, SUCCEED = 0, 2
DONE = 1
REASONS = ("Attempts", "Breaker", "Budget", "Cancelled", "Deadline", "Hint", "Intensity", "Permanent")
ENDINGS = {"Done": DONE, **{reason: 2 + n for n, reason in enumerate(REASONS)}}


class Unknowns:
    """The words that join assumptions."""

    if_then = staticmethod(implies)
    both = staticmethod(claripy.And)


def least(a, b):
    return claripy.If(claripy.ULT(a, b), a, b)


def most(a, b):
    return claripy.If(claripy.UGT(a, b), a, b)


def scaled(product, rounding=0):
    return claripy.LShR(product + rounding, 24)


class Expected:
    """The answer by the design, step by step."""

    def __init__(self, c):
        p, r, q = c.p, c.r, c.q
        throttled = claripy.UGT(q.outcome, SUCCEED)
        self.live = c.r.ending == 0
        self.failed = claripy.And(self.live, q.outcome != ABORT, q.outcome != SUCCEED)
        self.hint = claripy.If(throttled, q.hint, claripy.BVV(0, WIDE))
        self.attempt = least(r.attempts + 1, claripy.BVV(UNLIMITED, WIDE))
        self.used_up = claripy.And(p.waits != UNLIMITED, claripy.UGE(r.attempts, p.waits))
        self.too_long_asked = claripy.UGT(self.hint, p.hint_ceiling)
        self._wait(c)
        self.timed = claripy.Or(r.deadline != NEVER, p.within != NEVER)
        left = claripy.If(claripy.UGT(r.deadline, q.now), r.deadline - q.now, claripy.BVV(0, WIDE))
        self.late = claripy.And(self.timed, claripy.UGE(self.wait, least(left, p.within)))

    def _wait(self, c):
        """The arithmetic of one wait. What is said of a name is shown when it is given."""
        p, m = c.p, c.m
        self.x = c.name("x", least(c.curve_at(self.attempt), p.limit), lambda x: [claripy.ULE(x, p.limit)])
        c.show_the_curve(self.attempt, self.x)
        _, of_x = m.ordered([p.limit[63:0], self.x[63:0]], p.share[31:0])
        share = c.name("share", scaled(of_x), lambda s: [
            claripy.ULE(s, c.share_of_limit), implies(claripy.ULE(p.share, ONE), claripy.ULE(s, self.x)),
            claripy.ULE(self.x + s, p.limit + s), claripy.ULE(p.limit + s, p.limit + c.share_of_limit)])
        self.grown = c.name("grown", self._grown(c), lambda g: [claripy.UGE(g, self.x)])
        bottom, top = self._band(c, share)
        self.low = c.name("low", most(bottom, p.floor), lambda n: [claripy.ULE(n, p.cap), claripy.UGE(n, p.floor)])
        high = c.name("high", most(top, self.low), lambda n: [claripy.ULE(n, p.cap), claripy.UGE(n, self.low)])
        # One more than the width: as many waits there are.
        self.range = c.name("range", high - self.low + 1, lambda n: [claripy.UGE(n, 1), self.low + n == high + 1])
        drawn = c.name("drawn", claripy.LShR(m.long(self.range[63:0], c.q.random[31:0]), 32), lambda n: [
            claripy.ULT(n, self.range), claripy.ULT(self.low + n, self.low + self.range)])
        self.wait = c.name("wait", least(most(self.low, self.hint) + drawn, claripy.BVV(NEVER, WIDE)))
        self.unhinted = c.name("unhinted", self.low + drawn, lambda n: [claripy.ULE(n, p.cap)])

    def _band(self, c, share):
        """The range of the jitter, before the floor."""
        ends, width = self._ends(c.p, share)
        bottom = c.name("bottom", ends[0])
        return bottom, c.name("top", ends[1], lambda n: [claripy.ULE(n, c.p.cap), n == bottom + width])

    def _ends(self, p, share):
        """The two ends, and what lies between."""
        x = self.x
        if p.kind == "Decorrelated":
            high = least(self.grown, p.limit)
            return (p.first, high), high - p.first
        return {
            "Additive": ((x, x + share), share),
            "Equal": ((x - claripy.LShR(x, 1), x), claripy.LShR(x, 1)),
            "Full": ((claripy.BVV(0, WIDE), x), x),
            "None": ((x, x), 0),
            "Proportional": ((x - share, x + share), share << 1),
        }[p.kind]

    def _grown(self, c):
        """One step along the curve. A growing shape grows by at least 1 us."""
        p = c.p
        if p.shape == "Even":
            return self.x + p.step
        if p.shape not in ("Exponential", "Decorrelated"):
            return self.x
        growth = scaled(c.m.long(self.x[63:0], p.excess[31:0], LANDMARKS), ONE >> 1)
        return self.x + claripy.If(p.excess == 0, growth, most(growth, claripy.BVV(1, WIDE)))

    def ending(self, c):
        """The first that applies decides."""
        return self._first(self._before_the_wait(c) + [(self.late, ENDINGS["Deadline"])])

    def early_ending(self, c):
        """The same but for the deadline; 0 where that is what decides."""
        return self._first(self._before_the_wait(c))

    def _before_the_wait(self, c):
        return [
            (claripy.Not(self.live), c.r.ending),
            (c.q.outcome == SUCCEED, ENDINGS["Done"]),
            (c.q.outcome == ABORT, ENDINGS["Permanent"]),
            (self.used_up, ENDINGS["Attempts"]),
            (self.too_long_asked, ENDINGS["Hint"]),
        ]

    @staticmethod
    def _first(answers):
        ending = claripy.BVV(0, WIDE)
        for applies, answer in reversed(answers):
            ending = claripy.If(applies, answer, ending)
        return ending


def invariant(p, r):
    """(words, claims) of a state that lives: true of a fresh one, and kept by every decision."""
    limited = claripy.And(r.ending == 0, p.waits != UNLIMITED)
    yield "no more attempts than waits", [implies(limited, claripy.ULE(r.attempts, p.waits))]
    timed = claripy.Or(r.deadline != NEVER, p.within != NEVER)
    yield "timed when there is a deadline or `within`", [(r.timed == 1) == timed, claripy.ULE(r.timed, 1)]
    if p.shape == "Exponential":
        yield "the curve is at 1 us or more", [claripy.UGE(r.curve, 1)]
    if p.shape == "Decorrelated":
        yield "the last delay is the first or longer", [claripy.UGE(r.curve, p.first)]


def laws(c):
    """(law, words, claim) for each property of one decision."""
    p, r, q, a, after, e = c.p, c.r, c.q, c.a, c.after, c.expected
    waits = a.ending == 0
    limited = p.waits != UNLIMITED
    throttled = claripy.UGT(q.outcome, SUCCEED)
    yield 2, "a computed delay never exceeds the cap", implies(
        claripy.And(waits, e.hint == 0), claripy.ULE(a.wait, p.cap))
    yield 4, "a delay is never below the floor", implies(waits, claripy.UGE(a.wait, p.floor))
    yield 6, "a wait that would end at or after the deadline, or as long as `within`, is not begun", implies(
        claripy.And(waits, e.timed),
        claripy.And(claripy.ULT(q.now + a.wait, r.deadline), claripy.ULT(a.wait, p.within)))
    yield 1, "no wait after the last attempt: each wait is one of the policy's, and counts", implies(
        claripy.And(waits, limited), claripy.And(claripy.ULT(r.attempts, p.waits), after.attempts == r.attempts + 1))
    yield 5, "a wait is at least as long as the hint, which is at most the ceiling", implies(
        claripy.And(waits, throttled), claripy.And(claripy.UGE(a.wait, q.hint), claripy.ULE(q.hint, p.hint_ceiling)))
    above = claripy.And(e.failed, claripy.Not(e.used_up), claripy.UGT(e.hint, p.hint_ceiling))
    yield 5, "a hint above the ceiling, and no other, is given up for it", (
        a.ending == ENDINGS["Hint"]) == claripy.If(e.live, above, r.ending == ENDINGS["Hint"])
    same = [getattr(after, f) == getattr(r, f) for f in r.names]
    yield 8, "what has stopped gives the same answer and does not change", implies(
        claripy.Not(e.live), claripy.And(a.ending == r.ending, *same))
    yield 8, "what stops stays stopped, and nothing else does", after.ending == a.ending
    early = e.early_ending(c)
    late_or_not = claripy.Or(waits, a.ending == ENDINGS["Deadline"])
    yield 8, "the first that applies decides: stopped, success, abort, attempts, hint, and else the deadline", (
        claripy.If(early == 0, late_or_not, a.ending == early))
    yield 9, "every attempt is counted, also the last", implies(e.live, after.attempts == e.attempt)
    yield 5, "the wait is max(lo, hint) + ((w + 1) * random >> 32), to the microsecond", implies(
        waits, a.wait == e.wait)
    if p.shape not in ("Fibonacci", "Schedule"):
        follows = e.unhinted if p.shape == "Decorrelated" else least(e.grown, p.limit)
        yield 5, "the curve goes one step on, whatever the hint", implies(waits, least(after.curve, p.limit) == follows)
    yield 7, "the limits in time stay as they are", claripy.And(after.deadline == r.deadline, after.timed == r.timed)
    yield 6, "nothing is given up for the deadline but a wait that would reach it", implies(
        claripy.And(early == 0, a.ending == ENDINGS["Deadline"]), e.late)
    for words, claims in invariant(p, after):
        yield 0, f"kept: {words}", claripy.And(*claims)
