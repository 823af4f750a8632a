#!/usr/bin/env python3
"""Proves the laws of one decision on the machine code of a Cortex-M0, for all inputs; called by `prove`.

    prove.py IMAGE POLICIES PAGE        proves, and writes PAGE
    prove.py --refute PATCH IMAGE       finds a counterexample in an image with a planted mistake

A case is a function with a shape and a kind of jitter; what was proved of the same machine code by the same scripts
is kept in a folder beside the image and not proved again. Exit code 1: something was not proved or not refuted.
"""

import hashlib
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

import claripy

import builder
import page
from arithmetic import lemmas_hold, product_multiplies, unsatisfiable
from assumptions import CASES, ONE
from cases import Case
from digest import digest
from laws import ENDINGS, NEVER, laws
from layout import Layout
from machine import Image, Wrong
from refute import refute
from starts import start_laws

SECONDS = 600
# The two constant policies of proof.rs, by the design's own formulas.
FIFTH = (ONE + 2) // 5
COMMON = {"first": 500_000, "cap": 60_000_000, "excess": ONE, "step": 0, "waits": 9, "hint_ceiling": 600_000_000}
CONSTANT = {**COMMON, "limit": 60_000_000, "floor": 0, "within": NEVER, "share": ONE}
LIMITS = {**COMMON, "limit": 60_000_000 * ONE // (ONE + FIFTH), "floor": 700_000, "within": 150_000_000, "share": FIFTH}
FIXED = {"proof_next_constant": CONSTANT, "proof_next_limits": LIMITS}
ALL = [("proof_next_constant", "Exponential", "Full"), ("proof_next_limits", "Exponential", "Proportional")]
ALL += [("proof_next_runtime", shape, kind) for shape, kind in CASES]
ALL += [("proof_start", "", ""), ("proof_inherit", "", ""), ("proof_give_up", "", "")]


def case_of(image_path, function, shape, kind):
    case = Case(Image(image_path), Layout(image_path), function, shape, kind, FIXED.get(function))
    case.run()
    return case


def prove(job):
    """One case: each law with yes, no or unknown, in words."""
    image_path, function, shape, kind = job
    began = time.monotonic()
    try:
        if not shape:
            answers = start_laws(Image(image_path), Layout(image_path), function)
        else:
            answers = laws_of(case_of(image_path, function, shape, kind))
    except Wrong as wrong:
        answers = [[0, f"the machine code does {wrong}", "no"]]
    return {"case": [function, shape, kind], "laws": answers, "seconds": round(time.monotonic() - began)}


def laws_of(case):
    answers = [[0, "each input has a way to the return; no panic, no write elsewhere", word(case.goes_some_way())]]
    possible = [n for name, n in ENDINGS.items() if name in ("Done", "Permanent", "Attempts", "Hint", "Deadline")]
    for ending in (0, *possible):
        seen = unsatisfiable([*case.known(), case.r.ending == 0, case.a.ending == ending], SECONDS)
        if seen is True and not (ending == ENDINGS["Deadline"] and case.function == "proof_next_constant"):
            answers.append([0, f"ending {ending} can happen at all", "no"])
    case.lemma_of_the_wait()
    claims = list(laws(case))
    if holds(case, claripy.And(*[claim for *_, claim in claims])) == "yes":
        return answers + [[law, words, "yes"] for law, words, _ in claims]
    return answers + [[law, words, holds(case, claim)] for law, words, claim in claims]


def holds(case, claim):
    return word(unsatisfiable([*case.known(), claripy.Not(claim)], SECONDS))


def word(answer):
    return "yes" if answer is True else "unknown" if answer is None else "no"


def kept(image, folder):
    """Where the result of a case is kept: by the machine code and by the scripts that prove."""
    scripts = b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py")) if p.stem != "page")
    key = digest(image) + hashlib.sha256(scripts).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    return lambda job: folder / ("-".join([key, *job[1:]]) + ".json")


def prove_all(image):
    """The results of all cases in their order, each told as it comes."""
    place, jobs = kept(image, image.parent / "results"), [(image, *case) for case in ALL]
    todo = [job for job in jobs if not place(job).exists()]
    print(f"{len(jobs)} cases, {len(jobs) - len(todo)} of them proved before", flush=True)
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2")), maxtasksperchild=1) as pool:
        for job, result in zip(todo, pool.imap(prove, todo)):
            place(job).write_text(json.dumps(result))
            print(page.line(result), flush=True)
    return [json.loads(place(job).read_text()) for job in jobs]


def main():
    if sys.argv[1] == "--refute":
        return refute(Path(sys.argv[2]), Path(sys.argv[3]), case_of)
    image, program, to = map(Path, sys.argv[1:4])
    checked = builder.check(program)
    print(f"assumptions checked on {sum(checked.values())} policies that the builder made", flush=True)
    lemmas = [*lemmas_hold(), ("the machine code of product_by_halves multiplies", product_multiplies(Image(image)))]
    for words, answer in lemmas:
        print(f"lemma: {words}: {'yes' if answer else 'NO'}", flush=True)
    results = prove_all(image)
    page.write(to, digest(image), results, lemmas, checked)
    bad = [law for result in results for law in result["laws"] if law[2] != "yes"]
    return 1 if bad or not all(answer for _, answer in lemmas) else 0


if __name__ == "__main__":
    sys.exit(main())
