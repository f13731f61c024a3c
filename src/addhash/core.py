"""The native core: which instruction set it uses, and how many threads."""

import os
from typing import Any

from addhash import __version__
from addhash import _native as native
from addhash.errors import ParameterError

__all__ = ["info", "native", "resolve_threads", "set_instruction_set"]

ENVIRONMENT_VARIABLE = "ADDHASH_INSTRUCTION_SET"


def _available_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _choose(name: str, source: str) -> None:
    available = native.available_instruction_sets()
    if name not in available:
        raise ParameterError(
            f"{source} must be one of {', '.join(map(repr, available))} on this processor."
            f" Got {name!r} instead."
        )
    native.choose_instruction_set(name)


def set_instruction_set(name: str | None) -> None:
    """Choose the instruction set that the native core uses.

    The widest one is used from the start; results never depend on it. The environment variable
    ``ADDHASH_INSTRUCTION_SET`` makes the same choice for a whole process.

    Parameters
    ----------
    name : {"baseline", "avx2", "avx512", "avx512vnni"} or None
        An instruction set that this processor has, or None for the widest.

    Examples
    --------
    >>> import addhash
    >>> addhash.set_instruction_set("baseline")
    >>> addhash.info()["instruction_set"]
    'baseline'
    >>> addhash.set_instruction_set(None)
    """
    if name is None:
        native.choose_widest_instruction_set()
    else:
        _choose(name, "The instruction set")


def info() -> dict[str, Any]:
    """Tell the version, the instruction sets and the cores that addhash has here.

    Examples
    --------
    >>> import addhash
    >>> sorted(addhash.info())
    ['cores', 'instruction_set', 'instruction_sets', 'version']
    """
    return {
        "version": __version__,
        "instruction_set": native.active_instruction_set(),
        "instruction_sets": native.available_instruction_sets(),
        "cores": _available_cores(),
    }


def resolve_threads(n_jobs: int | None) -> int:
    """Turn a checked ``n_jobs`` into a number of threads; None and -1 mean all cores."""
    cores = _available_cores()
    if n_jobs is None:
        return cores
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


_wanted = os.environ.get(ENVIRONMENT_VARIABLE)
if _wanted:
    _choose(_wanted, f"The environment variable {ENVIRONMENT_VARIABLE}")
