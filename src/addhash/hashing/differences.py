"""What keeps two models, or two counts, from being merged."""

from collections.abc import Mapping
from typing import Any

from addhash.errors import MergeError
from addhash.hashing.parametrized import same_setting

__all__ = ["raise_difference"]


def raise_difference(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], what: str = "models"
) -> None:
    """Raise a MergeError that names every difference between two configurations.

    Examples
    --------
    >>> from addhash.hashing.differences import raise_difference
    >>> raise_difference({"width": 8}, {"width": 16})
    Traceback (most recent call last):
    ...
    addhash.errors.MergeError: The models differ in width: 8 here, 16 there; nothing was merged.
    """
    differences = [
        f"{name}: {mine.get(name)!r:.80} here, {theirs.get(name)!r:.80} there"
        for name in {**mine, **theirs}
        if not same_setting(mine.get(name), theirs.get(name))
    ]
    if differences:
        raise MergeError(f"The {what} differ in {'; '.join(differences)}; nothing was merged.")
