"""The schedule once more, plainly, from what is written down: the arithmetic of a wait as in the documentation of `Policy`
and VECTORS.md, the generator as in that of `Rng`. Nothing here is taken from the library."""

import re
from fractions import Fraction

UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
ONE = 1 << 24
MOST = 2**64 - 1


def length(text):
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", text).groups()
    return int(Fraction(number) * UNITS[unit])


def fixed(number):
    """8.24 fixed point, to nearest, halves up."""
    return int(Fraction(number) * ONE + Fraction(1, 2))


class Rng:
    def __init__(self, seed):
        self.state = (seed ^ (seed >> 32) * 0x85EBCA6B) & 0xFFFFFFFF

    def draw(self):
        self.state = (self.state + 0x9E3779B9) & 0xFFFFFFFF
        z = self.state
        z = (z ^ z >> 16) * 0x21F0AAAD & 0xFFFFFFFF
        z = (z ^ z >> 15) * 0x735A2D97 & 0xFFFFFFFF
        return z ^ z >> 15


class Policy:
    """What the words of a text say; no text here has an error."""

    def __init__(self, text):
        words = iter(text.split())
        self.shape, self.first = next(words), length(next(words))
        self.growth, self.jitter, self.attempts, self.limits = None, "full", 5, {}
        for word in words:
            if word[0] in "x+":
                self.growth = word
            elif word == "jitter":
                self.jitter = next(words)
            elif word == "attempts":
                said = next(words)
                self.attempts = None if said == "unlimited" else int(said)
            else:
                self.limits[word] = length(next(words))
        share = re.search(r"(\d+)%", self.jitter)
        self.share = fixed(Fraction(int(share[1]), 100)) if share else 0
        with_jitter = -(-self.first * (ONE + self.share) // ONE)
        self.cap = self.limits.get("cap", max(30_000_000, with_jitter, self.limits.get("floor", 0)))
        self.c = self.cap * ONE // (ONE + self.share)

    def limit(self, word, otherwise=None):
        return self.limits.get(word, otherwise)

    def curve(self, step):
        """The delay before jitter after so many waits."""
        first = self.first
        if self.shape == "constant":
            return min(first, self.c)
        if self.shape == "linear":
            return min(first + step * length(self.growth[1:]), self.c)
        if self.shape == "fibonacci":
            one, two = 1, 2
            for _ in range(step):
                one, two = two, one + two
            return min(one * first, self.c)
        assert self.shape == "exponential", self.shape
        x = min(first, self.c)
        for _ in range(step):
            x = min(grown(x, self.factor()), self.c)
        return x

    def factor(self):
        return fixed(self.growth[1:]) if self.growth else (3 if self.shape == "decorrelated" else 2) * ONE

    def band(self, x):
        px = x * self.share // ONE
        proportional = self.jitter.startswith("+-")
        return {"none": (x, x), "full": (0, x), "equal": (x - x // 2, x)}.get(
            self.jitter, (x - px if proportional else x, x + px)
        )


def grown(x, factor):
    nearest = (2 * x * factor + ONE) // (2 * ONE)
    return max(nearest, x + 1) if factor > ONE else nearest


class Retry:
    """One operation's life: `next` answers ("waits", length), ("gives-up", reason) or ("done", None)."""

    def __init__(self, policy, seed, start, deadline=MOST):
        self.policy, self.rng, self.count, self.previous = policy, Rng(seed), 0, policy.first
        self.deadline = min(deadline, start + policy.limit("within", MOST))

    def next(self, outcome, now, hint=0):
        policy = self.policy
        self.count += 1
        random = self.rng.draw() if outcome in ("fail", "throttle") else None
        if outcome == "succeed":
            return ("done", None)
        if outcome == "abort":
            return ("gives-up", "permanent")
        if policy.attempts and self.count >= policy.attempts:
            return ("gives-up", "attempts")
        if hint > policy.limit("hint_ceiling", 600_000_000):
            return ("gives-up", "hint")
        wait = self.wait(random, hint)
        if self.deadline < MOST and now + wait >= self.deadline:
            return ("gives-up", "deadline")
        return ("waits", wait)

    def wait(self, random, hint):
        policy = self.policy
        if policy.shape == "decorrelated":
            low, high = policy.first, min(policy.c, grown(self.previous, policy.factor()))
        else:
            low, high = policy.band(policy.curve(self.count - 1))
        low = max(low, policy.limit("floor", 0))
        drawn = (max(high, low) - low + 1) * random >> 32
        self.previous = low + drawn
        return min(max(low, hint) + drawn, MOST)
