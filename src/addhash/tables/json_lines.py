"""JSON Lines: one object, or one string, per line."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from addhash.errors import Parameter, TableError
from addhash.tables.lines import Lines
from addhash.tables.records import Kept, LineRecords, Row
from addhash.tables.sources import Opened


class JsonRecords(LineRecords):
    """Objects with the columns of the first one, or strings."""

    places = ("record", "line")

    def __init__(self, opened: Opened, lines: Lines, errors: str) -> None:
        super().__init__(opened, lines)
        self._errors = errors
        self._values = self._read()
        early: list[tuple[int, dict[str, Any] | str | TableError]] = []
        self.names = []
        # The columns are those of the first record that can be read.
        for number, value in self._values:
            early.append((number, value))
            if not isinstance(value, TableError):
                self.has_columns = isinstance(value, dict)
                self.names = list(value) if isinstance(value, dict) else ["text"]
                if not self.names:
                    raise self._fail(number, 'the object is empty. Expected {"text": "..."}.')
                break
        else:
            for _, fault in early:
                assert isinstance(fault, TableError)
                raise fault
        self._values = chain(early, self._values)

    def _read(self) -> Iterator[tuple[int, dict[str, Any] | str | TableError]]:
        for line in self._lines:
            number = self._lines.number
            if not line or line.isspace():
                continue
            try:
                value = _decode(line)
            except _RepeatedError as error:
                value = self._fail(number, f"the key {error.key!r:.60} occurs twice in an object.")
            except (ValueError, RecursionError) as error:
                message = getattr(error, "msg", "a number is too long, or it is nested too deeply")
                column = getattr(error, "colno", 1)
                value = self._fail(
                    number,
                    f"this is not valid JSON ({message} at column {column})."
                    " Expected one object per line.",
                )
            if not isinstance(value, dict | str | TableError):
                what = (
                    f'expected a JSON object, got {line.strip()[:40]!r}. Write {{"text": "..."}}.'
                )
                if isinstance(value, list) and any(isinstance(item, dict) for item in value):
                    what = (
                        "this is a list of objects, and each needs a line of its own, as"
                        " jq -c '.[]' writes them."
                    )
                value = self._fail(number, what)
            yield number, value if "\\u" not in line else self._whole(number, value)

    def _whole(self, number: int, value: Any) -> Any:
        """Return the value without lone surrogates, which no text file can contain."""
        if isinstance(value, TableError):
            return value
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            if self._errors == "strict":
                half = f"\\u{ord(error.object[error.start]):04x}"
                return self._fail(
                    number,
                    f"{half} is half of a character, and its other half is missing. Correct it, or"
                    " pass ",
                    Parameter("errors", "replace"),
                    ".",
                )
            with_halves = json.dumps(value, ensure_ascii=False)
            # Not "replace", which is "?" when encoding.
            mark = "\ufffd" if self._errors == "replace" else ""
            whole = "".join(mark if "\ud800" <= c <= "\udfff" else c for c in with_halves)
            return json.loads(whole)
        return value

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the records; columns to keep may be missing, others may not."""
        for record, (number, value) in enumerate(self._values, 1):
            if isinstance(value, TableError):
                yield value
                continue
            found = {"text": value} if isinstance(value, str) else value
            absent = next((column for column in columns if column not in found), None)
            if absent is not None:
                listed = ", ".join(map(repr, found)) or "nothing"
                yield self._fail(number, f"the object has no {absent!r}, only {listed}.")
                continue
            values = found if kept == "all" else {name: found.get(name) for name in kept}
            yield Row(record, number, [found[column] for column in columns], values)


class _RepeatedError(ValueError):
    """A key occurs twice, and one of the values would be lost."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object.

    >>> _object([("a", 1), ("b", 2), ("a", 3)])
    Traceback (most recent call last):
    ...
    addhash.tables.json_lines._RepeatedError: a
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for name in names if names.count(name) > 1))
    return found


_decode = json.JSONDecoder(object_pairs_hook=_object).decode
