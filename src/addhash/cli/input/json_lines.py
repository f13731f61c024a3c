"""JSON Lines: one object, or one string, per line."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from addhash.cli.input.lines import Lines
from addhash.cli.input.records import Kept, LineRecords, Row
from addhash.cli.input.sources import Opened

__all__ = ["JsonRecords"]


class JsonRecords(LineRecords):
    """Objects with the columns of the first one, or strings."""

    places = ("record", "line")

    def __init__(self, opened: Opened, lines: Lines, errors: str) -> None:
        super().__init__(opened, lines)
        self._errors = errors
        self._values = self._read()
        first = next(self._values, None)
        self.names = []
        if first is not None:
            self.has_columns = isinstance(first[1], dict)
            self.names = list(first[1]) if isinstance(first[1], dict) else ["text"]
            self._values = chain([first], self._values)
            if not self.names:
                raise self._fail(first[0], 'the object is empty. Expected {"text": "..."}.')

    def _read(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        for line in self._lines:
            number = self._lines.number
            if not line or line.isspace():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                message = getattr(error, "msg", "a number is too long, or it is nested too deeply")
                column = getattr(error, "colno", 1)
                raise self._fail(
                    number,
                    f"this is not valid JSON ({message} at column {column})."
                    " Expected one object per line.",
                ) from error
            if not isinstance(value, dict | str):
                raise self._fail(
                    number,
                    f'expected a JSON object, got {line.strip()[:40]!r}. Write {{"text": "..."}}.',
                )
            yield number, value if "\\u" not in line else self._whole(number, value)

    def _whole(self, number: int, value: Any) -> Any:
        """Return the value without lone surrogates, which no text file can contain."""
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            if self._errors == "strict":
                half = f"\\u{ord(error.object[error.start]):04x}"
                raise self._fail(
                    number,
                    f"{half} is half of a character, and its other half is missing. Correct it, or"
                    " pass --errors replace.",
                ) from error
            with_halves = json.dumps(value, ensure_ascii=False)
            # Not "replace", which is "?" when encoding.
            mark = "\ufffd" if self._errors == "replace" else ""
            whole = "".join(mark if "\ud800" <= c <= "\udfff" else c for c in with_halves)
            return json.loads(whole)
        return value

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row]:
        """Yield the records; columns to keep may be missing, others may not."""
        for record, (number, value) in enumerate(self._values, 1):
            found = {"text": value} if isinstance(value, str) else value
            for column in columns:
                if column not in found:
                    raise self._fail(
                        number,
                        f"the object has no {column!r}, only"
                        f" {', '.join(map(repr, found)) or 'nothing'}.",
                    )
            values = found if kept == "all" else {name: found.get(name) for name in kept}
            yield Row(record, number, [found[column] for column in columns], values)
