"""Documents from any source, as a stream of small batches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, NamedTuple

from addhash.errors import Parameter, TableError
from addhash.tables.column_choice import Choice, Columns
from addhash.tables.filters import Where
from addhash.tables.formats import open_records
from addhash.tables.lines import Lines
from addhash.tables.reading import Decoding, Reading
from addhash.tables.records import Kept, Layout, Records, Row
from addhash.tables.sources import Source, open_source
from addhash.tables.workbooks import WorkbookRecords

BATCH_DOCUMENTS = 1024
BATCH_CHARACTERS = 1 << 21
MOST_LINES = 5


@dataclass(frozen=True)
class Skipped:
    """Rows that were left out because they could not be read.

    Attributes
    ----------
    count : int
        How many there are.
    lines : tuple of int
        Where the first five are.
    first : TableError or None
        What is wrong with the first.
    """

    count: int = 0
    lines: tuple[int, ...] = ()
    first: TableError | None = None

    def and_also(self, fault: TableError) -> "Skipped":
        """Return these and one more."""
        lines = self.lines if fault.line is None else (*self.lines, fault.line)[:MOST_LINES]
        return Skipped(self.count + 1, lines, self.first or fault)


class Document(NamedTuple):
    """A text, its label if it has one, its position in the source, and the columns to keep."""

    text: str
    label: str | None
    record: int
    line: int
    kept: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """Where the labels of documents are, if not in a column with a usual name.

    Parameters
    ----------
    column : str or None
        The label column.
    lines : str, Source or None
        A text file with one label per line.
    file : binary file or None
        Its bytes, if they are open already.
    constant : str or None
        One label for all documents.
    """

    column: str | None = None
    lines: str | Source | None = None
    file: BinaryIO | None = None
    constant: str | None = None


class Documents:
    r"""The documents of a source, in batches of whatever has arrived.

    A batch ends where more input would have to be waited for, so documents that trickle in are
    passed on one by one, and those of a file by the hundreds.

    Parameters
    ----------
    source : str or Source
        A path; or, with `file`, any name, whose extension says what is in it.
    reading : Reading
        How it is read.
    labels : {"needed", "wanted", "ignored"}
        Whether documents need labels; "wanted" takes them if there are any.
    labelling : Labelling
        Where the labels are.
    keep : "all", list of str, or None
        The columns that go to the output with each document; None means all if the source has
        columns.
    file : binary file, optional
        The bytes to read; it stays open.

    Attributes
    ----------
    source : Source
        What is read.
    count : int
        How many documents have been yielded.
    skipped : Skipped
        The rows that were left out because they could not be read.
    has_labels : bool
        Whether the documents have labels.

    Examples
    --------
    >>> import io
    >>> from addhash.tables import Documents
    >>> upload = io.BytesIO(b"kind;message\nspam;Win!\nham;See you at noon\n")
    >>> documents = Documents(
    ...     "mail.csv", labels="wanted", labelling=Labelling(column="kind"), file=upload
    ... )
    >>> [(document.text, document.label) for batch in documents for document in batch]
    [('Win!', 'spam'), ('See you at noon', 'ham')]
    """

    def __init__(
        self,
        source: str | Source,
        reading: Reading | None = None,
        *,
        labels: Literal["needed", "wanted", "ignored"] = "ignored",
        labelling: Labelling | None = None,
        keep: Kept | None = (),
        file: BinaryIO | None = None,
    ) -> None:
        self._reading = reading = reading or Reading()
        self.source = Source.named(source, reading.kind) if isinstance(source, str) else source
        self.count = 0
        self.skipped = Skipped()
        self._labelling = labelling or Labelling()
        self._label_needed = labels == "needed"
        self._where = Where(reading.where)
        self._open = [open_source(self.source, reading.limit, file)]
        try:
            self._records: Records = open_records(self._open[0], reading)
            self._label_lines = None if labels == "ignored" else self._open_labels()
            names = Columns(str(self.source), self._records.names, self._records.layout.header)
            self._asked = [names.named(c, "where") for c in self._where.columns if self.columns]
            self._choice = self._choose(names, labels) if self.columns else Choice((), None)
            self._kept = self._choose_kept(names, keep)
        except BaseException:
            self.close()
            raise
        self.has_labels = self._choice.label is not None or self._is_labelled_apart()

    def _choose(self, names: Columns, labels: str) -> Choice:
        choice = names.choose(
            self._reading.text_columns,
            self._labelling.column,
            needs_label=self._label_needed and not self._is_labelled_apart(),
            usual=self._reading.usual_text_columns,
        )
        takes_label = labels != "ignored" and not self._is_labelled_apart()
        if takes_label and choice.label is not None and self._labelling.column is None:
            names.named(choice.label, "label_column")
        return choice if takes_label else choice._replace(label=None)

    def _choose_kept(self, names: Columns, keep: Kept | None) -> Kept:
        if keep is None:
            return "all" if self.has_columns else ()
        return keep if keep == "all" else [names.named(column, "keep") for column in keep]

    def _is_labelled_apart(self) -> bool:
        """Return whether labels come from somewhere other than a column."""
        return self._label_lines is not None or self._labelling.constant is not None

    def _open_labels(self) -> Lines | None:
        labels = self._labelling.lines
        if labels is None:
            return None
        source = Source.named(labels, "txt") if isinstance(labels, str) else labels
        file = self._labelling.file
        self._open.append(open_source(source, self._reading.limit, file))
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
    def text_columns(self) -> tuple[str, ...]:
        """The columns of the texts."""
        return self._choice.texts or ("text",)

    @property
    def kept_columns(self) -> list[str]:
        """The columns that documents keep, by name, in the order in which they were asked for."""
        return self.columns if self._kept == "all" else list(self._kept)

    @property
    def label_column(self) -> str | None:
        """The column of the labels, if they are in one and are read."""
        return self._choice.label

    @property
    def has_columns(self) -> bool:
        """Whether the source itself names or numbers its columns."""
        return self._records.has_columns

    @property
    def layout(self) -> Layout:
        """How the source is laid out."""
        return self._records.layout

    @property
    def delimiter(self) -> str | None:
        """What separates the fields of a .csv source."""
        return self.layout.delimiter

    @property
    def schema(self) -> Any:
        """The pyarrow schema of a .parquet source; None for others."""
        return getattr(self._records, "schema", None)

    @property
    def sheet(self) -> WorkbookRecords:
        """The sheet of an .xlsx source, which no other kind has."""
        assert isinstance(self._records, WorkbookRecords)
        return self._records

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
            raise TableError(
                f"{self.source} is empty: it contains no documents. Check the file.",
            )
        self._check_no_label_is_left()
        if self.count == 0:
            raise self.skipped.first or self._where.nothing_found(str(self.source))

    def _documents(self) -> Iterator[Document | None]:
        """Yield the documents, and None for each row that is not wanted."""
        if not self._choice.texts:
            return
        texts, label_column = self._choice
        labelled = [] if label_column is None else [label_column]
        asked = len(texts) + len(labelled)
        for row in self._records.rows([*texts, *labelled, *self._asked], self._kept):
            # Read first: the label file has one label per row, wanted or not.
            apart = self._label_apart()
            if isinstance(row, TableError):
                self._skip(row)
                yield None
                continue
            if not self._where.matches(row.values[asked:]):
                yield None
                continue
            label = row.values[len(texts)] if labelled else apart
            document = self._document(row, row.values[: len(texts)], label)
            if isinstance(document, TableError):
                self._skip(document)
                yield None
            else:
                yield document

    def _document(self, row: Row, values: Sequence[Any], label: Any) -> Document | TableError:
        """Return a row as a document, or what is wrong with it."""
        is_joined = len(values) > 1
        for column, value in zip(self.text_columns, values, strict=True):
            is_joinable = is_joined and (value is None or isinstance(value, int | float))
            if not isinstance(value, str) and not is_joinable:
                return self._fault(row, f"expected a text in {column!r}, got {_shown(value)}.")
        if not isinstance(label, str | int | float) or str(label) == "":
            if self._label_needed:
                what = f"expected a label, got {_shown(label)}. Add it, or drop the text."
                return self._fault(row, what)
            label = None
        text = values[0]
        if is_joined:
            text = " ".join(str(value) for value in values if value not in (None, ""))
        return Document(text, None if label is None else str(label), *row[:2], row.kept)

    def _skip(self, fault: TableError) -> None:
        """Leave out a row, or stop, as the reading says."""
        if self._reading.on_bad_rows == "stop":
            skip = Parameter("on_bad_rows", "skip")
            advice = (" To leave such rows out, pass ", skip, ".")
            raise TableError(*fault.parts, *advice, line=fault.line)
        self.skipped = self.skipped.and_also(fault)

    def close(self) -> None:
        """Close the files."""
        for opened in self._open:
            opened.close()

    def _label_apart(self) -> str | None:
        """Return the label of the next row, if labels are not in a column."""
        if self._labelling.constant is not None or self._label_lines is None:
            return self._labelling.constant
        value = next(self._label_lines, None)
        if value is None:
            raise TableError(
                f"{self._labelling.lines} has {self._label_lines.number} labels, but"
                f" {self.source} has more documents. Give a label for each.",
            )
        return value.strip()

    def _fault(self, row: Row, what: str) -> TableError:
        noun = self._records.places[-1]
        line, record = row.line, row.record
        # A header makes them differ by one, which means nothing; quoted line breaks do.
        where = f"{noun} {line}" if line - record <= 1 else f"{noun} {line} (record {record})"
        return TableError(f"{self.source}, {where}: {what}", line=line)

    def _check_no_label_is_left(self) -> None:
        if self._label_lines is not None and next(self._label_lines, None) is not None:
            raise TableError(
                f"{self._labelling.lines} has more labels than {self.source} has documents"
                f" ({self._label_lines.number - 1:,}). Give a label for each."
            )


def _shown(value: Any) -> str:
    return "null" if value is None else repr(value)[:60]


def read_text(
    source: str | Source, decoding: Decoding | None = None, *, file: BinaryIO | None = None
) -> str:
    """Return the whole of a text file as one text."""
    decoding = decoding or Decoding()
    source = Source.named(source, "txt") if isinstance(source, str) else source
    opened = open_source(source, decoding.limit, file)
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
