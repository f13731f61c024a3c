"""Documents from any source, as a stream of small batches."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, NoReturn

from addhash.cli.errors import CommandError, UsageError
from addhash.cli.input.columns import check_column, choose_columns
from addhash.cli.input.filters import Where
from addhash.cli.input.formats import open_records
from addhash.cli.input.lines import Lines
from addhash.cli.input.reading import Decoding, Labelling, Reading
from addhash.cli.input.records import Kept, Records
from addhash.cli.input.sources import STANDARD_INPUT, Source, open_source

__all__ = ["Document", "Documents", "read_text"]

BATCH_DOCUMENTS = 1024
BATCH_CHARACTERS = 1 << 21


class Document(NamedTuple):
    """A text, its label if it has one, its position in the source, and the columns to keep."""

    text: str
    label: str | None
    record: int
    line: int
    kept: Mapping[str, Any]


class Documents:
    """The documents of a source, in batches of whatever has arrived.

    A batch ends where more input would have to be waited for, so documents that trickle in are
    passed on one by one, and those of a file by the hundreds.

    Parameters
    ----------
    path : str
        A file, or "-" for standard input.
    reading : Reading
    labelling : Labelling
    labels : {"needed", "wanted", "ignored"}
        Whether documents need labels; "wanted" takes them if there are any.
    keep : "all", list of str, or None
        The columns that go to the output with each document; None means all if the source has
        columns.

    Attributes
    ----------
    count : int
        How many documents have been yielded.
    """

    def __init__(
        self,
        path: str,
        reading: Reading,
        labelling: Labelling | None = None,
        labels: Literal["needed", "wanted", "ignored"] = "ignored",
        keep: Kept | None = (),
    ) -> None:
        self.source = Source.named(path, reading.input_format)
        self.count = 0
        self._reading = reading
        self._labelling = labelling or Labelling()
        self._label_needed = labels == "needed"
        self._where = Where(reading.where)
        self._open = [open_source(self.source, reading.limit)]
        try:
            self._records: Records = open_records(self._open[0], reading)
            self._label_lines = None if labels == "ignored" else self._open_labels()
            self._columns = self._choose(labels) if self._records.names else []
            self._kept = self._choose_kept(keep)
        except BaseException:
            self.close()
            raise
        self.has_labels = len(self._columns) == 2 or self._is_labelled_apart()

    def _choose(self, labels: str) -> list[str]:
        names = self._records.names
        for column in self._where.columns:
            check_column(str(self.source), names, column, "--where")
        text, label = choose_columns(
            str(self.source),
            names,
            self._reading.text_column,
            self._labelling.label_column,
            needs_label=self._label_needed and not self._is_labelled_apart(),
        )
        takes_label = labels != "ignored" and not self._is_labelled_apart()
        return [text, label] if takes_label and label is not None else [text]

    def _choose_kept(self, keep: Kept | None) -> Kept:
        if keep is None:
            return "all" if self.has_columns else ()
        if keep != "all":
            for column in keep:
                check_column(str(self.source), self._records.names, column, "--keep-columns")
        return keep

    def _is_labelled_apart(self) -> bool:
        """Return whether labels come from somewhere other than a column."""
        return self._label_lines is not None or self._labelling.constant is not None

    def _open_labels(self) -> Lines | None:
        path = self._labelling.labels
        if path is None:
            return None
        if path == self.source.path == STANDARD_INPUT:
            raise UsageError("Texts and labels cannot both come from standard input.")
        self._open.append(open_source(Source.named(path, "txt"), self._reading.limit))
        return Lines(self._open[1], self._reading)

    @property
    def columns(self) -> list[str]:
        """The names of all columns of the source."""
        return self._records.names

    @property
    def places(self) -> tuple[str, ...]:
        """What identifies a document: "line", "row", or "record" and "line"."""
        return self._records.places

    @property
    def text_column(self) -> str:
        """The column of the texts."""
        return self._columns[0] if self._columns else "text"

    @property
    def has_columns(self) -> bool:
        """Whether the source itself names or numbers its columns."""
        return self._records.has_columns

    @property
    def delimiter(self) -> str | None:
        """What separates the fields of a .csv source."""
        return self._records.delimiter

    @property
    def has_mark(self) -> bool:
        """Whether the source begins with a byte order mark."""
        return self._records.has_mark

    @property
    def schema(self) -> Any:
        """The pyarrow schema of a .parquet source; None for others."""
        return getattr(self._records, "schema", None)

    def place(self, document: Document) -> dict[str, int]:
        """Return where a document is: its line or row, or record and line if they can differ."""
        numbers = {"record": document.record, "line": document.line, "row": document.line}
        return {name: numbers[name] for name in self._records.places}

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
        is_empty = True
        for document in self._documents():
            is_empty = False
            if document is not None:
                batch.append(document)
                characters += len(document.text)
            if batch and (
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
        if is_empty:
            raise CommandError(f"{self.source} is empty: it contains no documents. Check the file.")
        self._check_no_label_is_left()
        if self.count == 0:
            raise self._where.nothing_found(str(self.source))

    def _documents(self) -> Iterator[Document | None]:
        """Yield the documents, and None for each row that is not wanted."""
        if not self._columns:
            return
        asked = len(self._columns)
        for row in self._records.rows([*self._columns, *self._where.columns], self._kept):
            # Read first: the label file has one label per row, wanted or not.
            label = self._label_of(row.values[:asked])
            if not self._where.matches(row.values[asked:]):
                yield None
                continue
            text = row.values[0]
            if not isinstance(text, str):
                what = f"expected a text in {self._columns[0]!r}, got {text!r:.60}."
                self._fail(row.record, row.line, what)
            if not isinstance(label, str | int | float) or str(label) == "":
                if self._label_needed:
                    what = f"expected a label, got {label!r:.60}. Add it, or drop the text."
                    self._fail(row.record, row.line, what)
                label = None
            yield Document(
                text, None if label is None else str(label), row.record, row.line, row.kept
            )

    def close(self) -> None:
        """Close the files."""
        for opened in self._open:
            opened.close()

    def _label_of(self, values: Any) -> Any:
        if self._labelling.constant is not None:
            return self._labelling.constant
        if self._label_lines is not None:
            value = next(self._label_lines, None)
            if value is None:
                raise CommandError(
                    f"{self._labelling.labels} has {self._label_lines.number} labels, but"
                    f" {self.source} has more documents. Give a label for each."
                )
            return value.strip()
        return values[1] if len(values) == 2 else None

    def _fail(self, record: int, line: int, what: str) -> NoReturn:
        noun = self._records.places[-1]
        # A header makes them differ by one, which means nothing; quoted line breaks do.
        where = f"{noun} {line}" if line - record <= 1 else f"{noun} {line} (record {record})"
        raise CommandError(f"{self.source}, {where}: {what}")

    def _check_no_label_is_left(self) -> None:
        if self._label_lines is not None and next(self._label_lines, None) is not None:
            raise CommandError(
                f"{self._labelling.labels} has more labels than {self.source} has documents"
                f" ({self._label_lines.number - 1:,}). Give a label for each."
            )


def read_text(path: str, decoding: Decoding) -> str:
    """Return the whole of a file or of standard input as one text."""
    opened = open_source(Source.named(path, "txt"), decoding.limit)
    try:
        size = 0
        lines = []
        reader = Lines(opened, decoding)
        for line in reader:
            size += len(line) + 1
            if opened.limit and size > opened.limit:
                raise reader.too_long(reader.number, " The whole file is one text here.")
            lines.append(line)
        return "\n".join(lines)
    finally:
        opened.close()
