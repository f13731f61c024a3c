"""All claims of the paper that some results can be compared with."""

from collections.abc import Callable, Iterator

from addhash.paper.report.example_claims import example_claims
from addhash.paper.report.language_claims import language_claims
from addhash.paper.report.sms_claims import sms_claims
from addhash.paper.report.synthetic_claims import synthetic_claims
from addhash.paper.report.verdicts import Claim, Results

PARTS: dict[str, Callable[[Results], Iterator[Claim]]] = {
    "example": example_claims,
    "synthetic": synthetic_claims,
    "languages": language_claims,
    "sms": sms_claims,
}


def claims_of(results: Results) -> list[Claim]:
    """Return the paper's claims that the results bear on, in the order of the paper.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, for any of the experiments.
    """
    return [
        claim for name, part in PARTS.items() if name in results for claim in part(results[name])
    ]
