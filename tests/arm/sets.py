"""Checks that a processor has the given instruction sets, uses the last, and refuses the others.

``python -m tests.arm.sets baseline neon``
"""

import sys

import pytest

import addhash
from addhash.errors import ParameterError

ALL = ["baseline", "neon", "neondotprod", "neonsha3"]


def main(expected):
    info = addhash.info()
    assert info["instruction_sets"] == expected, info
    assert info["instruction_set"] == expected[-1], info
    vectorizer = addhash.TextVectorizer()  # emulated, scikit-learn takes long to import
    for name in ALL:
        if name in expected:
            addhash.set_instruction_set(name)
            vectorizer.transform(["a text"])
            assert addhash.runtime.native.instruction_set_uses()[name] > 0, name
            continue
        with pytest.raises(ParameterError) as refusal:
            addhash.set_instruction_set(name)
        print(f"{name}: {refusal.value}")
        assert ", ".join(map(repr, expected)) in str(refusal.value)
        assert repr(name) in str(refusal.value)


if __name__ == "__main__":
    main(sys.argv[1:])
