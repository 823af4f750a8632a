"""What `prove` found, as the page that it writes."""

import importlib.metadata
import os

HEAD = """# The laws of one decision, proved on machine code

Written by `tests/run prove`; `tests/run size` says whether it is of the machine code of the current build.

* Compiler: {compiler}, for thumbv6m-none-eabi; angr {angr}, bitwuzla {bitwuzla}.
* Digest of the machine code: `{digest}`.
* Assumptions about a policy checked on {policies} policies that the builder made.

Each row is a function for all inputs under all policies of the case: "proved" of how many laws, in how many seconds.
What is not proved is named below the table. README.md says what is assumed and what each law means.

| function | shape | jitter | laws proved | seconds |
| --- | --- | --- | ---: | ---: |
"""


def line(result):
    function, shape, kind = result["case"]
    proved = sum(answer == "yes" for *_, answer in result["laws"])
    shape = {"Even": "Constant, Immediate, Linear"}.get(shape, shape)
    return f"| {function} | {shape} | {kind} | {proved} of {len(result['laws'])} | {result['seconds']} |"


def write(path, digest, results, cases, lemmas, checked):
    head = HEAD.format(
        compiler=os.environ.get("COMPILER", "unknown"),
        angr=importlib.metadata.version("angr"),
        bitwuzla=importlib.metadata.version("bitwuzla"),
        digest=digest,
        policies=sum(checked.values()),
    )
    laws = {(law, words): None for result in results if result["case"][1] for law, words, _ in result["laws"]}
    open_ones = [(result["case"], *law) for result in results for law in result["laws"] if law[2] != "yes"]
    there = {tuple(result["case"]) for result in results}
    open_ones += [(case, 0, "not run", "unknown") for case in cases if case not in there]
    text = head + "\n".join(map(line, results)) + "\n\n## Not proved\n\n"
    text += items(f"{' '.join(case)}: {words} ({answer})" for case, _, words, answer in open_ones) or "Nothing is open."
    text += "\n\n## The laws\n\n" + items(f"{f'Law {law}: ' if law else ''}{words}" for law, words in laws)
    text += "\n\n## The lemmas\n\n" + items(f"{words}: {'proved' if yes else 'NOT PROVED'}" for words, yes in lemmas)
    # `prove` appends to this.
    path.write_text(text + "\n\n## Planted mistakes, each to be refuted\n\n")


def items(lines):
    return "\n".join(f"* {line}" for line in lines)
