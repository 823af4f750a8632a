"""A counterexample in machine code with a planted mistake, in plain words, and tried on the machine itself."""

import re

import claripy

from cases import ANSWER, POLICY, REPORT, RETRY, WRITTEN
from laws import ENDINGS, laws
from machine import Wrong
from solver import unsatisfiable

SECONDS = 300
ANSWERS = {0: "to wait", **{number: name for name, number in ENDINGS.items()}}
OUTCOMES = ("Abort", "Fail", "Succeed")


def head_of(patch, word):
    return re.search(rf"^# {word}: (.*)$", patch.read_text(), re.M)[1]


def refute(patch, image, case_of):
    """Prints the counterexample; 0 when there is one that the machine confirms."""
    mistake, law = head_of(patch, "breaks"), int(head_of(patch, "law"))
    function, shape, kind = head_of(patch, "case").split()
    try:
        case = case_of(image, function, shape, kind)
    except Wrong as wrong:
        print(f"* {mistake}: the machine code does {wrong}, which is not what was planted")
        return 1
    for number, words, claim in laws(case):
        model = counterexample(case, claim) if number == law else None
        if model is not None:
            return tell(case, mistake, f"law {law}, {words}", lambda bits: model.value(bits, case.names.formulas))
    print(f"* {mistake}: NOT REFUTED, law {law} was proved in spite of it")
    return 1


def counterexample(case, claim):
    """Values that break the claim, products exact; small ones if there are such."""
    exact = [p == a.zero_extend(32) * b.zero_extend(32) for a, b, p in case.m.known]
    broken = [*case.known(), *exact, claripy.Not(claim)]
    small = [claripy.ULT(bits, 1 << 30) for bits in case.inputs.values() if bits.length == 64]
    half = [case.inputs["report.random"] == 1 << 31]
    for wish in ([*small, *half], half, [case.inputs["report.random"] == 0xFFFF_FFFF], []):
        found = unsatisfiable([*broken, *wish], SECONDS)
        if found is not True and found is not None:
            return found
    return None


def tell(case, mistake, law, of):
    inputs = {name: of(bits) for name, bits in case.inputs.items()}
    answer, wait = replay(case, of)
    agree = (answer, wait) == (of(case.a.ending), of(case.a.wait))
    outcome = OUTCOMES[inputs["report.outcome"]] if inputs["report.outcome"] < 3 else "Throttle"
    expected = of(case.expected.ending(case))
    told = [f"{name} {number}" for name, number in inputs.items() if name != "report.outcome"]
    print(f"* {mistake}: refuted by {law}.")
    print(f"  With {case.p.shape}, jitter {case.p.kind}, reported {outcome}: {', '.join(told)}.")
    print(f"  The machine answers {in_words(answer, wait)}; right is {in_words(expected, of(case.expected.wait))}.")
    print(f"  State after: {', '.join(f'{f} {of(getattr(case.after, f))}' for f in case.after.names)}.")
    if not agree:
        print("  NOT CONFIRMED: run with these numbers, the machine answers something else")
    return 0 if agree else 1


def in_words(answer, wait):
    return f"to wait {wait} us" if answer == 0 else ANSWERS.get(answer, str(answer))


def replay(case, of):
    """The machine itself with these numbers and its own product."""
    image = case.image
    image.project.unhook(image.function("product_by_halves").rebased_addr | 1)
    memory = [(address, claripy.BVV(of(bits), bits.length)) for address, bits in case.memory]
    memory += [(of(address), claripy.BVV(of(word), 32)) for address, word in case.reads]
    state = image.run(image.enter(case.function, [RETRY, POLICY, REPORT, ANSWER], memory), WRITTEN)
    load = lambda at, size: state.solver.eval_one(state.memory.load(ANSWER + at, size, endness="Iend_LE"))  # noqa: E731
    return load(8, 4), load(0, 8)
