"""Asks a solver whether formulas can be true together.

Formulas are angr's; they go to bitwuzla as SMT-LIB text, which any other solver reads too.
"""

import bitwuzla
import claripy
import z3


def unsatisfiable(formulas, seconds):
    """True when there is no such thing, a model when there is, None when the time did not suffice."""
    options = bitwuzla.Options()
    options.set("produce-models", True)
    options.set("time-limit-per", seconds * 1000)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(smt(formulas), parse_only=True, parse_file=False)
    answer = parser.bitwuzla().check_sat()
    if answer == bitwuzla.Result.UNSAT:
        return True
    return Model(parser) if answer == bitwuzla.Result.SAT else None


def smt(formulas):
    """The formulas as text, without the question."""
    solver = z3.SolverFor("QF_BV")
    solver.add(*map(claripy.backends.z3.convert, formulas))
    lines = solver.to_smt2().splitlines()
    return "(set-logic QF_BV)\n" + "\n".join(x for x in lines if x not in ("(set-info :status unknown)", "(check-sat)"))


class Model:
    """A value of each unknown that was asked for. Others follow from their formulas, if they have one, or are 0."""

    def __init__(self, parser):
        solver = parser.bitwuzla()
        self.values = {u.symbol(): int(solver.get_value(u).value(10)) for u in parser.get_declared_funs()}

    def value(self, bits, formulas={}):
        """What an expression comes to."""
        known = []
        for leaf in bits.leaf_asts():
            if leaf.op == "BVS":
                (name,) = leaf.variables
                if name not in self.values:
                    self.values[name] = self.value(formulas[name], formulas) if name in formulas else 0
                known.append((claripy.backends.z3.convert(leaf), z3.BitVecVal(self.values[name], leaf.length)))
        exact = z3.substitute(claripy.backends.z3.convert(bits), *known)
        return z3.simplify(exact).as_long()
