"""What an experiment is made of: steps that can be run one at a time, and again later."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Settings", "Step", "Tick"]

Tick = Callable[[float], None]


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
