"""Fuzz what Python reads of foreign bytes: atheris brings libFuzzer to Python.

``python -m tests.fuzz document_blobs -runs=1000000 FOUND``: a target, libFuzzer's options, and the
folder for what is found.
"""

import sys
from functools import cache
from pathlib import Path
from random import Random

import atheris

from tests.fuzz import readers

NAME = sys.argv[1]

with atheris.instrument_imports(include=["addhash"], exclude=readers.others(NAME)):
    from addhash import conventions
    from addhash.documents import blob
    from addhash.files import model_file
    from tests.fuzz import targets


def main(found, options):
    target, change = targets.TARGETS[NAME]
    found.mkdir(parents=True, exist_ok=True)
    seeds = targets.SEEDS[NAME]
    for i, seed in enumerate(seeds):
        (found / f"seed-{i}").write_bytes(seed)
    # An attacker makes the checksum and the digest fit.
    blob._checksum = lambda data: targets.CHECKSUM
    model_file._digest = lambda about, arrays: about["digest"]
    # What parameters a class has is read from its code, and never changes.
    conventions.signature = cache(conventions.signature)

    def mutate(data, most, seed):
        random = Random(seed)
        # Much of what is found is refused early, and so would be whatever is made of it.
        if random.random() < 0.5:
            data = random.choice(seeds)
        changed = change(data, random, lambda part: atheris.Mutate(part, most))
        return changed if len(changed) <= most else atheris.Mutate(data, most)

    atheris.Setup([NAME, *options, str(found)], target, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(Path(sys.argv[-1]), sys.argv[2:-1])
