"""Rows selected by their values."""

from collections.abc import Sequence
from typing import Any

from addhash.errors import Parameter, TableChoiceError, TableError

MOST_SEEN = 8


class Where:
    """The conditions on rows.

    Examples
    --------
    >>> where = Where(["lang=en", "lang=de", "kind=mail"])
    >>> where.columns
    ['lang', 'kind']
    >>> where.matches(["de", "mail"]), where.matches(["fr", "mail"])
    (True, False)
    """

    def __init__(self, conditions: Sequence[str] | None) -> None:
        self._wanted: dict[str, set[str]] = {}
        for condition in conditions or ():
            column, sign, value = condition.partition("=")
            if not sign or not column:
                raise TableChoiceError(
                    Parameter("where"),
                    " must be a column and a value, such as ",
                    Parameter("where", "language=English"),
                    f". Got {condition!r} instead.",
                )
            self._wanted.setdefault(column, set()).add(value)
        self._seen: dict[str, None] = {}

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at."""
        return list(self._wanted)

    def matches(self, values: Sequence[Any]) -> bool:
        """Return whether a row with these values of the columns is wanted."""
        shown = ["" if value is None else str(value) for value in values]
        for value, wanted in zip(shown, self._wanted.values(), strict=True):
            if value not in wanted:
                if len(self._seen) < MOST_SEEN:
                    self._seen[value] = None
                return False
        return True

    def nothing_found(self, source: str) -> TableError:
        """Return what to raise if no row is wanted."""
        conditions = " and ".join(
            " or ".join(f"{column}={value}" for value in sorted(values))
            for column, values in self._wanted.items()
        )
        seen = ", ".join(repr(value[:40]) for value in self._seen)
        return TableError(f"No row of {source} has {conditions}. Values found instead: {seen}.")
