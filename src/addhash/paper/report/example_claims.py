"""The claims of Sections 2 and 3: three documents, two algorithms, orthogonal vectors."""

from collections.abc import Iterator

from addhash.paper.report.numbers import number
from addhash.paper.report.stated import ADDITIVE_SIMILARITIES, MATRIX, TRICK_SIMILARITIES
from addhash.paper.report.verdicts import Claim, Results, verdict_of

DATA = "the paper's three documents"
SAME_NUMBER = 1e-12


def example_claims(found: Results) -> Iterator[Claim]:
    """Compare the results of the example with the paper."""
    is_same = found["matrix"] == MATRIX
    yield Claim(
        "example", "Section 2, equation (1)",
        "The documents give a vocabulary of ten words and this matrix of counts.",
        "a 3 × 10 matrix", "the same matrix" if is_same else "a different matrix", DATA,
        verdict_of(is_same), "Every entry compared.",
    )  # fmt: skip
    for name, title, where, expected in (
        ("ht", "the hashing trick", "Section 2", TRICK_SIMILARITIES),
        ("ah", "additive hashing", "Section 3", ADDITIVE_SIMILARITIES),
    ):
        yield Claim(
            "example", where, f"Similarities of the three documents by {title}, L = 32.",
            _listed(expected), _listed(found[name]), DATA,
            verdict_of(_are_equal(found[name], expected)), "Agrees if equal to within 1e-12.",
        )  # fmt: skip
    is_same = all(part["is_equal"] for part in found["algorithms"].values())
    yield Claim(
        "example", "Algorithms 1 and 2, program in Section 3",
        "The algorithms, run word by word, give the library's vectors.",
        "pseudocode and a program", "the same vectors" if is_same else "different vectors", DATA,
        verdict_of(is_same), "Every component compared, before normalisation.",
    )  # fmt: skip
    is_same = found["incremental"]["is_equal"]
    yield Claim(
        "example", "Section 3, equation (6)",
        "Changing a word changes the hash by the difference of two hashes.",
        "the same hash as from scratch", "the same" if is_same else "a different hash", DATA,
        verdict_of(is_same), "Every bit compared.",
    )  # fmt: skip
    yield _orthogonality(found["orthogonality"])


def _are_equal(found: list[float], expected: list[float]) -> bool:
    return all(abs(a - b) <= SAME_NUMBER for a, b in zip(found, expected, strict=True))


def _listed(numbers: list[float]) -> str:
    return ", ".join(number(one, 4) for one in numbers)


def _orthogonality(found: Results) -> Claim:
    def holds(part: Results) -> bool:
        noise = part["expected_std"] / part["pairs"] ** 0.5
        is_centred = abs(part["mean"]) < 4 * noise
        return bool(is_centred and abs(part["std"] / part["expected_std"] - 1) < 0.02)

    sizes = sorted(found, key=int)
    part = found[sizes[-1]]
    return Claim(
        "example", "Section 3, equation (14)",
        "Vectors of different tokens are almost orthogonal: mean 0, standard deviation 1/√L.",
        f"0 and {part['expected_std']:.5f} at L = {sizes[-1]}",
        f"{number(part['mean'], 5)} and {number(part['std'], 5)} at L = {sizes[-1]}",
        f"{part['pairs']:,} pairs of tokens at each L of {', '.join(sizes)}",
        verdict_of(all(holds(part) for part in found.values())),
        "Agrees if at every L the mean is within 4 standard errors of 0 and the standard deviation"
        " within 2 % of 1/√L.",
    )  # fmt: skip
