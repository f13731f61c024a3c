"""Documents from any source, as a stream of small batches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

from addhash.cli.columns import choose_columns
from addhash.cli.errors import CommandError, UsageError
from addhash.cli.records import Records, open_records
from addhash.cli.sources import STANDARD_INPUT, Kind, Lines, Source, open_source

__all__ = ["Document", "Documents", "Reading", "read_text"]

BATCH_DOCUMENTS = 1024
BATCH_CHARACTERS = 1 << 21

Errors = Literal["strict", "replace", "ignore"]


class Document(NamedTuple):
    """A text, its label if it has one, and its line or row in the source."""

    text: str
    label: str | None
    number: int


@dataclass(frozen=True)
class Reading:
    """How the user wants a source to be read."""

    text_column: str | None = None
    label_column: str | None = None
    labels: str | None = None
    input_format: Kind | None = None
    has_header: bool = True
    encoding: str = "utf-8"
    errors: Errors = "strict"
    label: str | None = None


class Documents:
    """The documents of a source, in batches of what has come so far.

    A batch ends where the input has to be waited for, so that documents that trickle in are
    handed on one by one, and those of a file by the hundreds.

    Parameters
    ----------
    path : str
        A file, or "-" for standard input.
    reading : Reading
    labels : {"needed", "wanted", "ignored"}
        Whether documents need labels; "wanted" takes them where there are any.
    """

    def __init__(
        self,
        path: str,
        reading: Reading,
        labels: Literal["needed", "wanted", "ignored"] = "ignored",
    ) -> None:
        self.source = Source.named(path, reading.input_format)
        self.count = 0
        self._reading = reading
        self._label_needed = labels == "needed"
        self._open = [open_source(self.source)]
        try:
            self._prepare(labels)
        except BaseException:
            self.close()
            raise

    def _prepare(self, labels: str) -> None:
        reading = self._reading
        self._records: Records = open_records(
            self._open[0], reading.encoding, reading.errors, reading.has_header
        )
        self._label_lines = None if labels == "ignored" else self._open_labels()
        self._columns: list[str] = []
        if self._records.names:
            text, label = choose_columns(
                str(self.source),
                self._records.names,
                reading.text_column,
                reading.label_column,
                needs_label=self._label_needed and not self._is_labelled_apart(),
            )
            takes_label = labels != "ignored" and not self._is_labelled_apart()
            self._columns = [text, label] if takes_label and label is not None else [text]
        self.has_labels = len(self._columns) == 2 or self._is_labelled_apart()

    def _is_labelled_apart(self) -> bool:
        """Tell whether labels come from elsewhere than a column."""
        return self._label_lines is not None or self._reading.label is not None

    def _open_labels(self) -> Lines | None:
        path = self._reading.labels
        if path is None:
            return None
        if path == self.source.path == STANDARD_INPUT:
            raise UsageError("Texts and labels cannot both come from standard input.")
        self._open.append(open_source(Source.named(path, "txt")))
        return Lines(self._open[1], self._reading.encoding, self._reading.errors)

    @property
    def columns(self) -> list[str]:
        """The names of all columns of the source."""
        return self._records.names

    def progress(self) -> tuple[int, int | None]:
        """Return how much has been read, and how much there is if that is known."""
        return self._records.progress()

    def __iter__(self) -> Iterator[list[Document]]:
        try:
            yield from self._batches()
        finally:
            self.close()

    def _batches(self) -> Iterator[list[Document]]:
        batch: list[Document] = []
        characters = 0
        rows = self._records.rows(self._columns) if self._columns else iter(())
        for number, values in rows:
            text = self._text(number, values[0])
            batch.append(Document(text, self._label(number, values), number))
            characters += len(text)
            if (
                self._records.is_drained()
                or len(batch) >= BATCH_DOCUMENTS
                or characters >= BATCH_CHARACTERS
            ):
                self.count += len(batch)
                yield batch
                batch, characters = [], 0
        if batch:
            self.count += len(batch)
            yield batch
        if self.count == 0:
            raise CommandError(f"{self.source} is empty: it holds no document. Check the file.")
        self._check_no_label_is_left()

    def close(self) -> None:
        """Close the files."""
        for opened in self._open:
            opened.close()

    def _text(self, number: int, value: Any) -> str:
        if not isinstance(value, str):
            self._fail(number, f"expected a text in {self._columns[0]!r}, got {value!r:.60}.")
        return value

    def _label(self, number: int, values: Any) -> str | None:
        if self._reading.label is not None:
            return self._reading.label
        if self._label_lines is not None:
            value: Any = next(self._label_lines, None)
            if value is None:
                raise CommandError(
                    f"{self._reading.labels} has {self._label_lines.number} labels, but"
                    f" {self.source} has more documents. Give a label for each."
                )
            value = value.strip()
        elif len(values) == 2:
            value = values[1]
        else:
            return None
        if isinstance(value, str | int | float) and str(value) != "":
            return str(value)
        if self._label_needed:
            self._fail(number, f"expected a label, got {value!r:.60}. Add it, or drop the text.")
        return None

    def _fail(self, number: int, what: str) -> NoReturn:
        raise CommandError(f"{self.source}, {self._records.noun} {number}: {what}")

    def _check_no_label_is_left(self) -> None:
        if self._label_lines is not None and next(self._label_lines, None) is not None:
            raise CommandError(
                f"{self._reading.labels} has more labels than {self.source} has documents"
                f" ({self.count}). Give a label for each."
            )


def read_text(path: str, reading: Reading) -> str:
    """Return the whole of a file or of standard input as one text."""
    opened = open_source(Source.named(path, reading.input_format or "txt"))
    lines = "\n".join(Lines(opened, reading.encoding, reading.errors))
    opened.close()
    return lines
