"""The logger "addhash": debug lines of timings and choices, silent unless a program asks."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

MOST_CHOICES = 40

logger = logging.getLogger("addhash")
logger.addHandler(logging.NullHandler())


@contextmanager
def timed(what: str, *values: Any) -> Iterator[None]:
    """Log how long something took, if it succeeds.

    Parameters
    ----------
    what : str
        A format, as for `logging`.
    *values
        What it refers to.

    Examples
    --------
    >>> import logging
    >>> from addhash.logs import logger, timed
    >>> with timed("count to %d", 3):
    ...     _ = sum(range(3))
    """
    if not logger.isEnabledFor(logging.DEBUG):
        yield
        return
    start = time.perf_counter()
    yield
    logger.debug(what + ": %.3f s", *values, time.perf_counter() - start)


def log_choices(numbers: Mapping[str, float]) -> None:
    """Log the first of the numbers that a model chose from its examples."""
    shown = ", ".join(f"{name} {value:g}" for name, value in islice(numbers.items(), MOST_CHOICES))
    logger.debug("chose %s", shown or "nothing")
