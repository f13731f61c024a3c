"""What an experiment is made of: steps that can be run one at a time, and again later."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["MAIN_N", "NGRAMS", "Settings", "Step", "Tick", "by_n", "placed", "unheard"]

Tick = Callable[[float], None]

# The paper's length of n-grams, and all that are tried.
MAIN_N = 3
NGRAMS = (1, 2, 3, 4, 5)


def unheard(fraction: float) -> None:
    """Take the fraction done where nobody wants to know."""


@dataclass(frozen=True)
class Settings:
    """What a run is: results of different settings are never mixed."""

    seed: int = 0
    quick: bool = False


@dataclass(frozen=True)
class Step:
    """A part of an experiment whose results are kept once it is finished.

    `run` is given a function to tell the fraction done, and returns what is merged into the
    experiment's results. `seconds` is about what it takes on two cores.
    """

    name: str
    seconds: float
    run: Callable[[Tick], dict[str, Any]]


def placed(n: int, found: dict[str, Any]) -> dict[str, Any]:
    """Put results for the paper's n at the top, and those for others under "ngrams".

    >>> placed(3, {"ah": 1}), placed(2, {"ah": 1})
    ({'ah': 1}, {'ngrams': {'2': {'ah': 1}}})
    """
    return found if n == MAIN_N else {"ngrams": {str(n): found}}


def by_n(part: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the results that were placed, by their n.

    >>> by_n({"ah": 1, "ngrams": {"2": {"ah": 4}}})
    {2: {'ah': 4}, 3: {'ah': 1, 'ngrams': {'2': {'ah': 4}}}}
    """
    others = {int(n): found for n, found in part.get("ngrams", {}).items()}
    return dict(sorted((others | ({MAIN_N: part} if "ah" in part else {})).items()))
