"""How far a run has come, told to whoever listens."""

from collections.abc import Callable

# Called with the fraction done of one piece of work.
Tick = Callable[[float], None]
# Called with what is being done, and the fraction done of the whole run.
Watch = Callable[[str, float], None]


def unheard(fraction: float) -> None:
    """Ignore progress: the tick to use when nobody listens."""


def unwatched(doing: str, fraction: float) -> None:
    """Ignore progress: the watch to use when nobody listens."""
