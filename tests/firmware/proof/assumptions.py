"""What is taken for granted of a policy, beside its shape and its kind of jitter: what the builder guarantees.

One text for both: the prover assumes it of an unknown policy, and `policies.py` checks it on policies that the
builder made. Lengths are in microseconds, factors and shares in units of 2^-24.
"""

LONGEST = 1 << 55
ONE = 1 << 24
HALF = ONE >> 1

# What is proved together: shapes that a decision does not tell apart, since they have a step or a step of nothing.
EVEN = ("Constant", "Immediate", "Linear")
SHAPES = ("Even", "Exponential", "Decorrelated", "Fibonacci", "Schedule")
JITTERS = ("Additive", "Equal", "Full", "None", "Proportional")
CASES = [(shape, kind) for shape in SHAPES for kind in (JITTERS if shape != "Decorrelated" else ("Decorrelated",))]
SHARES = {"Equal": HALF, "Full": ONE, "None": 0, "Decorrelated": 0}


class Numbers:
    """The words that join claims, where everything is known. For unknowns `laws.py` has the same words."""

    @staticmethod
    def if_then(a, b):
        return not a or b

    @staticmethod
    def both(a, b):
        return a and b


def of_policy(p, share_of_limit, join=Numbers):
    """(words, claims) for each assumption. `p` has the fields, `share_of_limit` is limit * share / 2^24 rounded
    down. All of it reads the same for numbers and for unknowns."""
    yield "no length of a curve is longer than 2^55 us", [p.first <= LONGEST, p.cap <= LONGEST]
    yield "the curve stops at 1 us or more", [p.limit >= 1]
    if p.kind in ("Additive", "Proportional"):
        yield "the curve stops where the top of its jitter is at most the cap", [p.limit + share_of_limit <= p.cap]
    else:
        yield "without jitter upwards the curve stops at the cap", [p.limit == p.cap]
    yield "the floor is not above the cap", [p.floor <= p.cap]
    yield "the first delay is not above the cap", [p.first <= p.cap]
    yield "within is not zero", [p.within >= 1]
    yield from of_jitter(p)
    yield from of_shape(p, join)


def of_jitter(p):
    if p.kind in SHARES:
        yield f"the share of {p.kind} is {SHARES[p.kind]}", [p.share == SHARES[p.kind]]
    else:
        most = 255 * ONE if p.kind == "Additive" else ONE
        yield f"the share of {p.kind} is from 1 to {most}", [p.share >= 1, p.share <= most]


def of_shape(p, join):
    if p.shape not in ("Even", "Schedule"):
        yield "the first delay is 1 us or more", [p.first >= 1]
    if p.shape in ("Exponential", "Decorrelated"):
        yield "a factor exceeds one by at most 254", [p.excess <= 254 * ONE]
        slow = join.both(p.excess >= 1, p.excess < HALF)
        stepless = [join.if_then(case, p.step == 0) for case in (p.excess == 0, p.excess >= HALF)]
        least = [*stepless, join.if_then(slow, p.step == 1)]
        yield "a least step of 1 us for a factor between 1 and 1.5, else none", least
    elif p.shape == "Even":
        yield "a step of at most 2^55 us, of nothing unless linear, and no factor", [p.step <= LONGEST, p.excess == 0]
    elif p.shape == "Schedule":
        yield "a schedule has from 1 to 4 096 entries", [p.entries >= 1, p.entries <= 4_096]
    else:
        yield "neither factor nor step", [p.excess == 0, p.step == 0]
