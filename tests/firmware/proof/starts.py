"""All else that makes or changes a `Retry`: that a fresh one has the invariant, and that the others keep it."""

import claripy

from arithmetic import WIDE
from cases import CORE, POLICY, REPORT, RETRY, Case
from laws import ENDINGS, NEVER, invariant, least
from solver import unsatisfiable

NOW, DEADLINE = REPORT, REPORT + 8
NOT, DEADLINE_PASSED, CANCELLED = (
    claripy.BVV(n, WIDE) for n in (0, ENDINGS["Deadline"], ENDINGS["Cancelled"]))


class Start(Case):
    """A call of `start_before`, `inherit` or `give_up` under any policy."""

    def run(self):
        state = self.image.enter(self.function, [RETRY, POLICY, NOW, DEADLINE], self.memory, self.facts)
        self._guard(state)
        self.state = self.image.run(state, ((RETRY, RETRY + 24),))
        self.ways = [w for w in self.state.solver.constraints if not any(w is f for f in self.facts)]
        fields = self.layout.fields(CORE + "retry::Retry")
        self.after = self._load(RETRY, {f: (at.offset, at.size * 8) for f, at in fields.items()})
        self.after.ending = self._ending(self.after.stopped)


def start_laws(image, layout, function):
    """[law, words, answer] for each law of the function, under a policy of each shape."""
    answers = []
    for shape, kind in (("Even", "Full"), ("Exponential", "Full"), ("Decorrelated", "Decorrelated")):
        case = Start(image, layout, function, shape, kind)
        case.run()
        answers += [[0, f"{shape}: each input has a way to the return", word(case.goes_some_way())]]
        for words, claims in [*invariant(case.p, case.after), *CHANGES[function](case)]:
            answer = unsatisfiable([*case.known(), claripy.Not(claripy.And(*claims))], 120)
            answers.append([0, f"{shape}: {words}", word(answer)])
    return answers


def word(answer):
    return "yes" if answer is True else "unknown" if answer is None else "no"


def start(c):
    now, deadline, after = c.q.now, c.q.hint, c.after
    own = claripy.If(c.p.within == NEVER, claripy.BVV(NEVER, WIDE), least(now + c.p.within, claripy.BVV(NEVER, WIDE)))
    passed = claripy.And(deadline != NEVER, claripy.ULE(deadline, now))
    yield "no attempts yet, at the start of the curve", [after.attempts == 0, after.curve == c.p.first]
    yield "the nearer deadline holds", [after.deadline == least(own, deadline)]
    yield "stopped when the deadline is here, and not otherwise", [
        after.ending == claripy.If(passed, DEADLINE_PASSED, NOT)]


def inherit(c):
    now, deadline, r, after = c.q.now, c.q.hint, c.r, c.after
    passed = claripy.And(deadline != NEVER, claripy.ULE(deadline, now), r.ending == 0)
    yield "the nearest deadline holds", [after.deadline == least(r.deadline, deadline)]
    yield "stopped when it is here, else as before", [after.ending == claripy.If(passed, DEADLINE_PASSED, r.ending)]
    yield "nothing else changes", [after.attempts == r.attempts, after.curve == r.curve]


def give_up(c):
    r, after = c.r, c.after
    yield "stopped for the reason given, unless it had stopped", [
        after.ending == claripy.If(r.ending == 0, CANCELLED, r.ending)]
    fields = ("attempts", "curve", "deadline", "timed")
    yield "nothing else changes", [getattr(after, f) == getattr(r, f) for f in fields]


CHANGES = {"proof_start": start, "proof_inherit": inherit, "proof_give_up": give_up}
