"""What an experiment consists of: steps that are run one at a time and kept when finished."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from addhash.paper.progress import Tick


@dataclass(frozen=True)
class Settings:
    """The settings of a run; results of different settings are never mixed."""

    seed: int = 0
    quick: bool = False


@dataclass(frozen=True)
class Step:
    """A part of an experiment whose results are kept once it is finished.

    `run` takes a callback for the fraction done, and returns what is to be merged into the
    experiment's results. `seconds` is roughly how long it takes on two cores.
    """

    name: str
    seconds: float
    run: Callable[[Tick], dict[str, Any]]
