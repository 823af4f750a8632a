"""Names for the numbers on the way of a decision.

A number of the design gets a name: an unknown that is equal to its formula, with what is shown of it then and there.
Where the machine has the same number in a register or on its stack, which is shown too, the name takes the place of
what the machine computed. So each proof is of one stretch between two names and not of all that was before.
"""

import claripy

from arithmetic import wide
from machine import STACK
from solver import Model, unsatisfiable

SECONDS = 120
GIVEN = ("policy.", "report.", "retry.")
REGISTERS = [f"r{n}" for n in range(13)]
# The depth of definitions and nothing else.
ALONE = -1


class Unproved(Exception):
    """What was to be shown before it is taken for granted, and was not."""


class Names:
    """The names of one run, and what is known of them. Numbers are made of products too, whose laws are known."""

    def __init__(self, products):
        self.definitions, self.formulas = products.definitions, products.formulas
        self.words, self.facts, self.nameless = [], [], set()

    def name(self, words, formula, known, claims, is_sought):
        """The name of a number below 2^64, of which the claims are shown; whether `settle` seeks it."""
        unknown = claripy.BVS(words, 64)
        number = wide(unknown)
        (name,) = unknown.variables
        self._prove(f"{words} is below 2^64", known, formula[127:64] == 0, frozenset(), (0, 1, 2, 3))
        self.formulas[name] = formula[63:0]
        self.definitions[name] = unknown == formula[63:0]
        for claim in claims(number):
            self.show(f"the lemma of {words}", known, claim)
        self.words += [unknown[31:0], unknown[63:32]] if is_sought else []
        return number

    def show(self, words, known, claim, by=frozenset(), depths=(1, 2, 3)):
        """Shows a claim, and knows it from then on; `by` are unknowns that are not in it and that it follows from."""
        self._prove(words, known, claim, by, depths)
        self.facts.append(claim)

    def _prove(self, words, known, claim, by, depths):
        """By what is known to these depths, else by all there is."""
        some = (self.about(known, hidden(claim) | by, depth) for depth in depths)
        for formulas in (*some, self.all(known)):
            if unsatisfiable([*formulas, claripy.Not(claim)], SECONDS) is True:
                return
        raise Unproved(words)

    def all(self, known):
        """All there is to know."""
        return [*known, *self.definitions.values(), *self.facts]

    def about(self, known, goal, depth, cut=frozenset()):
        """What is known of these unknowns: their definitions, those of the names in these, and so on to this depth,
        but not those of the cut; and all else that is of no other unknowns."""
        if depth == ALONE:
            return [self.definitions[name] for name in goal if name in self.definitions]
        seen, new, formulas = set(), goal, []
        for _ in range(depth):
            found = [self.definitions[name] for name in new - cut if name in self.definitions]
            seen, formulas = seen | new, formulas + found
            new = set().union(*map(hidden, found)) - seen
        seen |= new
        return formulas + [fact for fact in [*known, *self.facts] if hidden(fact) <= seen]

    def settle(self, state, known):
        """Puts names in the place of what the machine computed. A value that has no name is not looked at again."""
        known, models, found = [*known, *state.solver.constraints], [], {}
        for value, put in computed(state):
            key = value.hash()
            if key not in self.nameless and key not in found:
                found[key] = self._found(known, models, value)
                if found[key] is None:
                    self.nameless.add(key)
            if found.get(key) is not None:
                put(found[key])

    def expect(self, state, known, words):
        """Puts these names in the place of what is the same by what lies between."""
        known, found = [*known, *state.solver.constraints], {}
        for value, put in computed(state):
            key = value.hash()
            if key not in found:
                left = [w for w in words if all(w is not f for f in found.values())]
                some = (w for w in left if self._given(value) <= self._given(w))
                found[key] = next((w for w in some if self._same(known, value, w, [hidden(value)]) is True), None)
            if found[key] is not None:
                put(found[key])

    def is_known(self, state, known, claim):
        """Whether it is shown of all ways that lead here, by what is known of the unknowns in it."""
        known = self.about([*known, *state.solver.constraints], hidden(claim), 0)
        return unsatisfiable([*known, claripy.Not(claim)], SECONDS) is True

    def _found(self, known, models, value):
        """The word that a value is, or none. What is of no more unknowns, and the same in the models found so far, is
        asked of the solver, which shows it or finds another model."""
        given = self._given(value)
        for word in self.words:
            if not self._given(word) <= given:
                continue
            if not models:
                models += [m for m in [unsatisfiable(self.all(known), SECONDS)] if isinstance(m, Model)]
            if all(m.value(value, self.formulas) == m.value(word, self.formulas) for m in models):
                answer = self._same(known, value, word, [hidden(value), frozenset()])
                if answer is True:
                    return word
                models += [answer] if answer else []
        return None

    def _given(self, formula):
        """What a formula is of in the end."""
        seen, new = set(), formula.variables
        while new:
            seen |= new
            new = set().union(*(self.definitions[name].variables for name in new if name in self.definitions)) - seen
        return {name for name in seen if name.startswith(GIVEN)}

    def _same(self, known, value, word, cuts):
        """Whether two numbers are the same, by what lies between a cut and them."""
        for cut in cuts:
            formulas = self.about(known, hidden(value) | hidden(word), len(self.definitions), cut)
            answer = unsatisfiable([*formulas, value != word], SECONDS)
            if answer is True:
                break
        return answer


def hidden(formula):
    """The unknowns that are not given: names and products."""
    return frozenset(v for v in formula.variables if not v.startswith(GIVEN))


def places(state):
    """(value, what puts another there) of each register and each word of the stack."""
    for register in REGISTERS:
        yield getattr(state.regs, register), lambda word, at=register: setattr(state.regs, at, word)
    for at in range(state.solver.eval_one(state.regs.sp), STACK, 4):
        value = state.memory.load(at, 4, endness="Iend_LE", inspect=False, disable_actions=True)
        yield value, lambda word, at=at: state.memory.store(
            at, word, endness="Iend_LE", inspect=False, disable_actions=True)


def computed(state):
    """Those of them that are computed."""
    return ((value, put) for value, put in places(state) if is_computed(value))


def replace(state, words):
    """Puts other words in the place of words."""
    for value, put in places(state):
        for word, other in words.items():
            if value is word:
                put(other)


def is_computed(value):
    return value.op not in ("BVV", "BVS") and not (value.op == "Extract" and value.args[2].op == "BVS")
