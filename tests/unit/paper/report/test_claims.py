"""Verdicts follow from the figures: good ones agree, bad ones do not."""

import copy
import json
import re
from pathlib import Path

import pytest

from addhash.paper.report.claims import claims_of

RESULTS = Path(__file__).resolve().parents[4] / "docs" / "reproduction" / "results.json"


@pytest.fixture
def results():
    """The committed results, to be changed as one likes."""
    return json.loads(RESULTS.read_text())


def verdicts(results, statement):
    found = [claim.verdict for claim in claims_of(results) if claim.statement.startswith(statement)]
    assert found, statement
    return found


def test_nothing_is_claimed_of_no_results():
    assert claims_of({"about": {}, "finished": {}}) == []


@pytest.mark.parametrize("name", ["example", "synthetic", "languages", "sms"])
def test_experiments_stand_alone(results, name):
    alone = {name: results[name]}
    found = claims_of(alone)
    assert found == [claim for claim in claims_of(results) if claim.experiment == name]
    assert all(text for claim in found for text in vars(claim).values())


def test_experiments_that_have_just_begun_have_fewer_claims(results):
    for name in ("synthetic", "languages", "sms"):
        begun = copy.deepcopy(results)
        begun[name] = {}
        assert len(claims_of(begun)) < len(claims_of(results))


# A change to the results, and the claim that then differs.
CHANGES = [
    (("example", "ah", 0), 0.7779, "Similarities of the three documents by additive"),
    (("example", "ht", 1), 1e-9, "Similarities of the three documents by the hashing trick"),
    (("example", "matrix", 0, 0), 2, "The documents give a vocabulary"),
    (("example", "algorithms", "1", "is_equal"), False, "The algorithms"),
    (("example", "incremental", "is_equal"), False, "Changing a word"),
    (("example", "orthogonality", "32", "std"), 0.2, "Vectors of different tokens"),
    (("example", "orthogonality", "2048", "mean"), 0.01, "Vectors of different tokens"),
    (("synthetic", "ah", "1024", -1, 1), 0.1, "The similarity falls"),
    (("synthetic", "ah", "1024", 0, 1), 0.99, "The similarity falls"),
    (("synthetic", "ht", "128", -1, 1), 0.1, "The similarity falls"),
    (("sms", "ah", "4096", "acc"), 97.2, "Spam detection by AH, nearest neighbour, L = 4096"),
    (("sms", "ah", "4096", "sc"), 86.0, "Spam detection by AH, nearest neighbour, L = 4096"),
    (("sms", "ah", "8192", "bh"), 1.5, "Spam detection by AH, nearest neighbour, L = 8192"),
    (("sms", "reference", "svm", "first", "acc"), 99.0, "The support vector machine"),
    (("sms", "reference", "ah", "random", "acc"), 96.0, "Without learning"),
]


@pytest.mark.parametrize(("place", "value", "statement"), CHANGES, ids=lambda v: str(v)[:50])
def test_claims_can_fail(results, place, value, statement):
    assert verdicts(results, statement) == ["agrees"]
    part = results
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    assert verdicts(results, statement) == ["differs"]


@pytest.mark.parametrize(
    ("interval", "verdict"), [([-0.07, 0.01], "undecided"), ([-0.07, -0.01], "differs")]
)
def test_equivalence_is_tested(results, interval, verdict):
    statement = "AH and HT are equivalent for n = 3"
    assert verdicts(results, statement) == ["agrees"]
    results["synthetic"]["difference"]["256"] |= {"interval": interval, "farthest": 0.07}
    assert verdicts(results, statement) == [verdict]


@pytest.mark.parametrize(
    ("place", "value", "statement"),
    [
        (("ngrams", "5", "ah", "2048", "accuracy"), 99.0, "n = 3 gives the best results"),
    ],
)
def test_claims_on_languages_can_fail(results, place, value, statement):
    part = results["languages"]["head-235"]
    for name in place[:-1]:
        part = part[name]
    before = verdicts(results, statement)[1]
    part[place[-1]] = value
    assert (before, verdicts(results, statement)[1]) == ("agrees", "differs")


def test_the_full_set(results):
    statement = "The accuracy of language recognition"
    assert verdicts(results, statement)[0] == "not run"
    results["languages"]["full"] = copy.deepcopy(results["languages"]["subset-21"])
    for accuracy, verdict in ((92.2, "agrees"), (90.0, "differs")):
        results["languages"]["full"]["ah"]["2048"] = {"accuracy": accuracy, "se": 0.08}
        assert verdicts(results, statement)[0] == verdict


def claim_on(results, statement, data=""):
    (found,) = [
        claim
        for claim in claims_of(results)
        if claim.statement.startswith(statement) and claim.data.startswith(data)
    ]
    return found


@pytest.mark.parametrize("size", [2**e for e in range(4, 14)])
def test_sameness_is_judged_at_every_size(results, size):
    """One L at which AH and HT are apart is enough, and it is named."""
    for part, measure, statement, data in (
        (results["sms"], "acc", "AH and HT achieve the same accuracy", ""),
        (results["languages"]["subset-21"], "accuracy", "AH and HT are almost", "subset-21"),
    ):
        differences = part["difference"]
        for one in differences.values():
            one[measure] = 0.1
        claim = claim_on(results, statement, data)
        assert claim.verdict == "agrees"
        assert f"every L from 16 to {max(map(int, differences))}" in claim.why
        if str(size) in differences:
            differences[str(size)][measure] = -0.6
            claim = claim_on(results, statement, data)
            assert claim.verdict == "differs"
            assert f"not at L = {size}." in claim.why
            assert f"at L = {size} (the largest)" in claim.ours


@pytest.mark.parametrize(
    ("accuracy", "verdict"), [(90.5, "agrees"), (89.99, "undecided"), (88.0, "differs")]
)
@pytest.mark.parametrize("method", ["ah", "ht"])
@pytest.mark.parametrize("size", ["2048", "4096"])
def test_the_network_is_compared_with_both_methods_at_both_sizes(
    results, method, size, accuracy, verdict
):
    part = results["languages"]["subset-21"]
    part["network"] |= {"accuracy": 90.0, "se": 0.4}
    part[method][size] = {"accuracy": accuracy, "se": 0.3}
    claim = claim_on(results, "AH and HT are better than the neural network", "subset-21")
    assert claim.verdict == verdict
    assert f"{method.upper()}, L = {size}" in claim.ours


def test_no_text_has_a_hyphen_for_a_minus_or_a_negative_zero(results):
    results["example"]["orthogonality"]["2048"]["mean"] = -1e-9
    texts = [text for claim in claims_of(results) for text in vars(claim).values()]
    assert any("−" in text for text in texts)
    for text in texts:
        assert not re.search(r"(^|[ (])-\d|[-−]0\.0+(?!\d)", text), text
