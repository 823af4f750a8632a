"""Proves one case: a function with a shape and a kind of jitter."""

import time

import claripy

from arithmetic import ONE
from cases import Case
from laws import ENDINGS, NEVER, laws
from layout import Layout
from machine import Image, Wrong
from solver import unsatisfiable
from starts import start_laws, word

SECONDS = 300
# The two constant policies of proof.rs, by the design's own formulas.
FIFTH = (ONE + 2) // 5
COMMON = {"first": 500_000, "cap": 60_000_000, "excess": ONE, "step": 0, "waits": 9, "hint_ceiling": 600_000_000}
CONSTANT = {**COMMON, "limit": 60_000_000, "floor": 0, "within": NEVER, "share": ONE}
LIMITS = {**COMMON, "limit": 60_000_000 * ONE // (ONE + FIFTH), "floor": 700_000, "within": 150_000_000, "share": FIFTH}
FIXED = {"proof_next_constant": CONSTANT, "proof_next_limits": LIMITS}


def case_of(image_path, function, shape, kind):
    case = Case(Image(image_path), Layout(image_path), function, shape, kind, FIXED.get(function))
    case.run()
    return case


def prove(job):
    """The case, and each law with yes, no or unknown; nothing when there is no time to begin."""
    image_path, *case, started, seconds = job
    function, shape, kind = case
    began = time.monotonic()
    if seconds is not None and began - started > float(seconds):
        return tuple(case), None
    try:
        if not shape:
            answers = start_laws(Image(image_path), Layout(image_path), function)
        else:
            answers = laws_of(case_of(image_path, function, shape, kind))
    except Wrong as wrong:
        answers = [[0, f"the machine code does {wrong}", "no"]]
    except Exception as error:  # whatever it is, it is no proof, and the other cases go on
        answers = [[0, f"the run failed: {error!r}", "unknown"]]
    return tuple(case), {"case": case, "laws": answers, "seconds": round(time.monotonic() - began)}


def laws_of(case):
    answers = [[0, "each input has a way to the return; no panic, no write elsewhere", word(case.goes_some_way())]]
    answers.append([0, "every ending can happen: nothing is proved of nothing", every_ending(case)])
    for law, words, claim in laws(case):
        answers.append([law, words, holds(case, claim)])
        if answers[-1][2] == "yes":
            case.facts.append(claim)
    return answers


def every_ending(case):
    """Not only of some: an assumption that contradicts another would prove everything."""
    for ending in (0, *(ENDINGS[name] for name in ("Done", "Permanent", "Attempts", "Hint", "Deadline"))):
        seen = unsatisfiable([*case.known(), case.r.ending == 0, case.a.ending == ending], SECONDS)
        if seen is True or seen is None:
            return "no" if seen else "unknown"
    return "yes"


def holds(case, claim):
    return word(unsatisfiable([*case.known(), claripy.Not(claim)], SECONDS))
