"""Checks what is assumed of a policy on policies that the builder made, by the program `policies` on the host."""

import subprocess
from types import SimpleNamespace

from assumptions import CASES, EVEN, ONE, of_policy
from layout import Layout

CORE = "undaunted_core::"
GROWTH = CORE + "backoff::Growth"
NUMBERS = ("first", "limit", "cap", "floor", "hint_ceiling", "within", "excess", "share", "waits", "shape", "kind")
# Each shape with each jitter; 200 000 tries give some thousands of most.
FEWEST = 500


def places(layout):
    """Where the fields lie that are initialised in every policy: the words of `growth` on a host of 64 bits are."""
    fields = layout.fields(CORE + "policy::Policy")
    at, (tag, variants) = fields["growth"].offset, layout.tag(GROWTH)
    found = {name: (fields[name].offset, fields[name].size) for name in NUMBERS}
    found["tag"] = (at + tag.offset, tag.size)
    found["step"] = (at + layout.payload(GROWTH, "AtLeast").offset, 8)
    found["entries"] = (at + layout.payload(GROWTH, "Steps").offset + 8, 8)
    return found, variants


def policies(program):
    """Each policy with the words for its shape and its jitter."""
    layout = Layout(program)
    found, variants = places(layout)
    enums = ("backoff::Shape", "jitter::Kind")
    words = [{n: word for word, n in layout.numbers(CORE + name).items()} for name in enums]
    command = [str(program), *(f"{offset}:{size}" for offset, size in found.values())]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        p = SimpleNamespace(**dict(zip(found, map(int, line.split()))))
        p.shape, p.kind = words[0][p.shape], words[1][p.kind]
        is_schedule = p.tag != variants["AtLeast"] if "AtLeast" in variants else p.tag == variants["Steps"]
        if is_schedule != (p.shape == "Schedule"):
            raise SystemExit(f"a {p.shape} with the growth of another shape: {p}")
        if p.shape in ("Constant", "Immediate") and p.step != 0:
            raise SystemExit(f"a {p.shape} with a step: {p}")
        p.shape = "Even" if p.shape in EVEN else p.shape
        yield p


def check(program):
    """How many policies of each case were checked; ends the program at the first that is not as assumed."""
    counts = dict.fromkeys(CASES, 0)
    for p in policies(program):
        if (p.shape, p.kind) not in counts:
            raise SystemExit(f"the builder makes {p.shape} with {p.kind}, which no case covers")
        counts[p.shape, p.kind] += 1
        for words, claims in of_policy(p, p.limit * p.share // ONE):
            if not all(claims):
                raise SystemExit(f"the builder does not guarantee that {words}: {p}")
    few = [case for case, count in counts.items() if count < FEWEST]
    if few:
        raise SystemExit(f"too few policies of {few} to check the assumptions on")
    return counts
