#!/usr/bin/env python3
"""Proves the laws of one decision on the machine code of a Cortex-M0, for all inputs; called by `prove`.

    prove.py IMAGE POLICIES PAGE        proves, and writes PAGE after each case
    prove.py --refute PATCH IMAGE       finds a counterexample in an image with a planted mistake

What was proved or refuted of the same machine code by the same scripts is kept in a folder beside the image and not
done again.
With PROOF_SECONDS no case is begun after that time, and the page says which were not. Exit code 1: something was not
proved or not refuted.
"""

import ast
import contextlib
import hashlib
import io
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

import builder
import page
from arithmetic import lemmas_hold, product_multiplies
from assumptions import CASES
from digest import digest
from machine import Image
from proving import case_of, prove
from refute import refute

# What a result depends on, beside the machine code.
PROVING = (
    "arithmetic", "assumptions", "cases", "laws", "layout", "machine", "names", "proving", "solver", "starts")
# The short ones first, so that a run that is cut has them.
ALL = [("proof_start", "", ""), ("proof_inherit", "", ""), ("proof_give_up", "", "")]
ALL += [("proof_next_constant", "Exponential", "Full"), ("proof_next_limits", "Exponential", "Proportional")]
ALL += [("proof_next_runtime", shape, kind) for shape, kind in CASES]


def kept(image, scripts=PROVING):
    """Where the result of a case is kept: by the machine code and by the scripts that prove, however they are set."""
    scripts = "".join(ast.dump(ast.parse(Path(__file__).with_name(f"{name}.py").read_text())) for name in scripts)
    key = digest(image) + hashlib.sha256(scripts.encode()).hexdigest()[:16]
    folder = image.parent / "results"
    folder.mkdir(exist_ok=True)
    return lambda case: folder / ("-".join([key, *case]) + ".json")


def known(place):
    """The results there are, in the order of the cases."""
    return [json.loads(place(case).read_text()) for case in ALL if place(case).exists()]


def prove_all(image, tell):
    """Proves what is not known yet, and tells of each case as it comes."""
    place, began = kept(image), time.monotonic()
    todo, seconds = [case for case in ALL if not place(case).exists()], os.environ.get("PROOF_SECONDS")
    print(f"{len(ALL)} cases, {len(ALL) - len(todo)} of them proved before", flush=True)
    tell(known(place))
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2")), maxtasksperchild=1) as pool:
        results = pool.imap_unordered(prove, [(image, *case, began, seconds) for case in todo])
        for case, result in results:
            if result is None:
                continue
            place(case).write_text(json.dumps(result))
            print(page.line(result), flush=True)
            tell(known(place))
    return known(place)


def refuted(patch, image):
    """Prints the counterexample, and keeps it where there is one; 0 when there is."""
    place = kept(image, (*PROVING, "refute"))(("refuted", hashlib.sha256(patch.read_bytes()).hexdigest()[:16]))
    code, told = 0, io.StringIO()
    if place.exists():
        told.write(json.loads(place.read_text()))
    else:
        with contextlib.redirect_stdout(told):
            code = refute(patch, image, case_of)
        if code == 0:
            place.write_text(json.dumps(told.getvalue()))
    print(told.getvalue(), end="")
    return code


def main():
    if sys.argv[1] == "--refute":
        return refuted(Path(sys.argv[2]), Path(sys.argv[3]))
    image, program, to = map(Path, sys.argv[1:4])
    checked = builder.check(program)
    print(f"assumptions checked on {sum(checked.values())} policies that the builder made", flush=True)
    lemmas = [*lemmas_hold(), ("the machine code of product_by_halves multiplies", product_multiplies(Image(image)))]
    for words, answer in lemmas:
        print(f"lemma: {words}: {'yes' if answer else 'NO'}", flush=True)
    results = prove_all(image, lambda some: page.write(to, digest(image), some, ALL, lemmas, checked))
    bad = [law for result in results for law in result["laws"] if law[2] != "yes"]
    return 0 if len(results) == len(ALL) and not bad and all(answer for _, answer in lemmas) else 1


if __name__ == "__main__":
    sys.exit(main())
