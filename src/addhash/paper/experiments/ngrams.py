"""Lengths of n-grams, and where the results for each length are kept."""

from typing import Any

# The length that the paper uses, and all the lengths that are tried.
MAIN_N = 3
NGRAMS = (1, 2, 3, 4, 5)


def placed(n: int, found: dict[str, Any]) -> dict[str, Any]:
    """Return results with those for the paper's n at the top and all others under "ngrams".

    >>> placed(3, {"ah": 1}), placed(2, {"ah": 1})
    ({'ah': 1}, {'ngrams': {'2': {'ah': 1}}})
    """
    return found if n == MAIN_N else {"ngrams": {str(n): found}}


def by_n(part: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return placed results by n, in ascending order.

    >>> by_n({"ah": 1, "ngrams": {"2": {"ah": 4}}})
    {2: {'ah': 4}, 3: {'ah': 1, 'ngrams': {'2': {'ah': 4}}}}
    """
    others = {int(n): found for n, found in part.get("ngrams", {}).items()}
    return dict(sorted((others | ({MAIN_N: part} if "ah" in part else {})).items()))
