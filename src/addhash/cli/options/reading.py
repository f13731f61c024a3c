"""How a source is to be read: the options that every command with documents shares."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from addhash.cli.errors import UsageError
from addhash.tables import Decoding, Kind, Reading


@dataclass(frozen=True, kw_only=True)
class DecodeOptions:
    """How bytes become text."""

    panel = "Reading"
    encoding: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The encoding of text files, such as cp1252 for old Windows files."
        ),
    ] = "utf-8"
    errors: Annotated[
        Literal["strict", "replace", "ignore"],
        typer.Option(
            metavar="HOW",
            help="What to do with bytes that are not valid in that encoding: strict (fail), replace"
            " or ignore.",
        ),
    ] = "strict"
    max_size: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            help="Refuse longer records, and compressed files that unpack to more than this and"
            " to over 250 times their own size; 0 means no limit.",
        ),
    ] = "64M"

    @property
    def decoding(self) -> Decoding:
        """What these options ask for."""
        return Decoding(encoding=self.encoding, errors=self.errors, max_size=self.max_size)


@dataclass(frozen=True, kw_only=True)
class ReadOptions(DecodeOptions):
    """Which documents of a source are read, and how."""

    panel = "Reading"
    text_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The text column, by name or by number, such as '#2'. Repeat it to join the"
            " texts of several columns with a space.",
            show_default="what the model was made from, or detected",
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL=VALUE",
            help="Select rows with this value. Repeat it for other columns, which must match"
            " too, or for more values of the same column.",
        ),
    ] = None
    input_format: Annotated[
        Kind | None,
        typer.Option(
            metavar="FORMAT",
            help="Read the input as txt, csv, tsv, jsonl, xlsx or parquet, whatever its name.",
            show_default="by extension; txt for -",
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            help="The first row of .csv, .tsv and .xlsx is data, not a header; columns are"
            " numbered from 1."
        ),
    ] = False
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            help="The field separator of .csv: a character, or the word tab.",
            show_default="detected: , ; tab or |",
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The sheet of an .xlsx file.",
            show_default="the first that is not hidden",
        ),
    ] = None
    on_bad_rows: Annotated[
        Literal["stop", "skip"],
        typer.Option(
            metavar="HOW",
            help="What to do with a row that cannot be read, such as one with too few fields or"
            " without a label: stop, or skip it and say how many there were, and where.",
        ),
    ] = "stop"

    def settings(self, usual: tuple[str, ...] = ()) -> Reading:
        """Return what these options ask for.

        Parameters
        ----------
        usual : tuple of str
            The text columns that a model was made from.
        """
        return Reading(
            encoding=self.encoding,
            errors=self.errors,
            max_size=self.max_size,
            text_columns=tuple(self.text_column or ()),
            usual_text_columns=usual,
            where=tuple(self.where or ()),
            kind=self.input_format,
            has_header=not self.no_header,
            delimiter=self.delimiter,
            sheet=self.sheet,
            on_bad_rows=self.on_bad_rows,
        )


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Where the labels of documents are."""

    panel = "Labels"
    label_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="The label column.", show_default="detected")
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A file with one label per line, for texts without a label column."
        ),
    ] = None

    def __post_init__(self) -> None:
        given = {"--label": self.constant, "--labels": self.labels}
        given["--label-column"] = self.label_column
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise UsageError(f"{' and '.join(names)} all set the labels. Give only one of them.")

    @property
    def constant(self) -> str | None:
        """The label of all documents, if they share one."""
        return None


@dataclass(frozen=True, kw_only=True)
class TeachOptions(LabelOptions):
    """Where labels are, or the one label of all documents."""

    panel = "Labels"
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="One label for all documents.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.label is not None and not self.label.strip():
            raise UsageError(f"--label must be a name. Got {self.label!r} instead.")

    @property
    def constant(self) -> str | None:
        """The label of all documents, if they share one."""
        return self.label
