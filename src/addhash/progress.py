"""Telling how far a long task has come."""

from collections.abc import Callable

# Called with a stage, how much of it is done, and the total if known.
Progress = Callable[[str, int, int | None], None]


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Show nothing."""
