"""The native core: its instruction set, its threads, and the memory it caches."""

import os
import sys
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from addhash import __version__
from addhash import _native as native
from addhash.errors import (
    AddhashError,
    DocumentError,
    ParameterError,
    SumOverflowError,
    VectorError,
    WeightError,
)

__all__ = [
    "FieldsOnly",
    "info",
    "native",
    "refusal",
    "release_memory",
    "resolve_threads",
    "set_instruction_set",
    "text_refusal",
    "unless_surrogate",
]

ENVIRONMENT_VARIABLE = "ADDHASH_INSTRUCTION_SET"


class FieldsOnly:
    """Copies and pickles of a dataclass contain its fields; anything derived is recomputed."""

    def __getstate__(self) -> dict[str, Any]:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}


def _available_cores() -> int:
    """Count the cores available to this process, by its affinity and its control group."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, min(cores, _granted_cores(), _environment_limit()))


@cache
def _granted_cores() -> int:
    """Return the CPU time granted by the container, in whole cores."""
    for path in ("/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"):
        with suppress(OSError, ValueError):
            words = Path(path).read_text().split()
            if len(words) == 1:
                words.append(Path(path).with_name("cpu.cfs_period_us").read_text())
            quota, period = int(words[0]), int(words[1])
            if quota > 0:
                return max(1, -(-quota // period))
    return sys.maxsize


def _environment_limit() -> int:
    """Return the limit set by OMP_NUM_THREADS, as in other numeric libraries."""
    try:
        limit = int(os.environ.get("OMP_NUM_THREADS", "").partition(",")[0])
    except ValueError:
        return sys.maxsize
    return limit if limit > 0 else sys.maxsize


def _choose(name: str, source: str) -> None:
    available = native.available_instruction_sets()
    if name not in available:
        raise ParameterError(
            f"{source} must be one of {', '.join(map(repr, available))} on this processor."
            f" Got {name!r} instead."
        )
    native.choose_instruction_set(name)


def set_instruction_set(name: str | None) -> None:
    """Choose the instruction set of the native core.

    By default, the widest one is used; results never depend on it. The environment variable
    ``ADDHASH_INSTRUCTION_SET`` makes the same choice for a whole process.

    Parameters
    ----------
    name : str or None
        An instruction set that this processor supports, or None for the widest: "baseline"; on
        x86-64 "avx2", "avx2vaes", "avx512", "avx512vnni", "avx512vaes"; on 64-bit ARM "neon",
        "neondotprod", "neonsha3".

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
    """Return the version, the instruction sets and the number of cores that addhash uses.

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


def release_memory() -> None:
    """Free the memory that the native core caches for speed.

    It caches the rows of hashed tokens and result buffers, per thread and key. They are rebuilt
    when needed.

    Examples
    --------
    >>> import addhash
    >>> addhash.release_memory()
    """
    native.release_memory()


# What the native core refuses, and what to tell the caller.
_REFUSALS: dict[native.Status, tuple[type[AddhashError], str]] = {
    native.Status.not_text: (DocumentError, "{where} is not a str."),
    native.Status.not_utf8: (
        DocumentError,
        "{where} is not valid UTF-8. Read it with the right encoding, as str.",
    ),
    native.Status.not_record: (DocumentError, "{where} does not match input_type."),
    native.Status.surrogate: (
        DocumentError,
        "{where} has a token with a lone surrogate, which has no UTF-8 form.",
    ),
    native.Status.too_long: (DocumentError, "{where} has a token longer than 2 GiB."),
    native.Status.too_many: (
        DocumentError,
        "{where} has more than 2 GiB of tokens; use shorter n-grams, or split it.",
    ),
    native.Status.overflow: (
        SumOverflowError,
        "{where} has a sum that does not fit {dtype}; use {wider}.",
    ),
    native.Status.fractional: (
        WeightError,
        "{where} has weights that are not integers, which {dtype} cannot represent; use a float"
        " dtype.",
    ),
    native.Status.not_finite: (
        WeightError,
        "{where} has an infinite or NaN weight; weights must be finite.",
    ),
    native.Status.nan: (
        VectorError,
        "{where} holds NaN; expected finite numbers. Drop the row, or replace the missing values.",
    ),
    native.Status.infinite: (
        VectorError,
        "{where} holds inf; expected finite numbers. Drop the row, or clip its values.",
    ),
    native.Status.too_large: (
        VectorError,
        "{where} holds an integer beyond 2**53, the largest that is exact; pass floats instead.",
    ),
    native.Status.out_of_range: (
        VectorError,
        "{where} has its largest magnitude outside 1e-120 to 1e120; rescale it, which does not"
        " change the cosine.",
    ),
}


def refusal(status: native.Status, where: str, dtype: str = "") -> AddhashError:
    """Return the exception for a failure of the native core.

    Parameters
    ----------
    status : Status
        The failure.
    where : str
        Where it occurred, such as "Document 7".
    dtype : str
        The name of the requested result type.
    """
    kind, text = _REFUSALS[status]
    wider = "float64" if dtype == "int64" else "a wider dtype, such as int64"
    return kind(text.format(where=where, dtype=dtype, wider=wider))


def text_refusal(failure: native.Failure, noun: str, start: int) -> AddhashError:
    """Return the exception for a text that cannot be read as a sequence of words."""
    where = f"{noun} {start + failure.position}"
    if failure.status == native.Status.not_utf8:
        return refusal(failure.status, where)
    return DocumentError(f"{where} is longer than 400 million characters.")


def unless_surrogate(failure: native.Failure, start: int = 0) -> None:
    """Raise the exception for a text, unless a lone surrogate is all that is wrong with it."""
    if failure.status != native.Status.surrogate:
        raise refusal(failure.status, f"Document {start + failure.position}") from None


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for a checked ``n_jobs``; None and -1 mean all cores."""
    if n_jobs is not None and n_jobs > 0:
        return n_jobs
    cores = _available_cores()
    return cores if n_jobs is None else max(1, cores + 1 + n_jobs)


_wanted = os.environ.get(ENVIRONMENT_VARIABLE)
if _wanted:
    _choose(_wanted, f"The environment variable {ENVIRONMENT_VARIABLE}")
