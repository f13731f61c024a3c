"""The columns that a command adds to its input's."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.reading import Reading
from addhash.cli.output.rows import Output, file_format, open_file, open_output
from addhash.cli.output.writing import Format, Writing

__all__ = ["Names", "beside", "kept_names", "opened_beside"]


@dataclass(frozen=True)
class Names:
    """The names of the columns that predictions add to the input's."""

    label: str = "label"
    prefix: str = ""

    @classmethod
    def chosen(
        cls, name: str | None, taken: Sequence[str], added: Sequence[str], usual: str = "label"
    ) -> "Names":
        """Choose names that the input does not have.

        >>> Names.chosen(None, ["id", "label"], ["score"])
        Names(label='predicted_label', prefix='predicted_')
        >>> Names.chosen("language", ["id", "label"], ["score"])["score"]
        'language_score'
        """
        options = (
            [cls(name, f"{name}_")]
            if name
            else [cls(usual), cls(f"predicted_{usual}", "predicted_")]
        )
        for names in options:
            if not {names.label, *(names[column] for column in added)} & set(taken):
                return names
        raise UsageError(
            f"The input already has a column {options[-1].label!r}, or one of its scores. Name the"
            " new ones with --name."
        )

    def __getitem__(self, column: str) -> str:
        return f"{self.prefix}{column}"


def kept_names(source: Documents, keep: Any) -> Sequence[str]:
    """Return the names of the columns that are kept."""
    if keep is None:
        return source.columns if source.has_columns else ()
    return source.columns if keep == "all" else keep


@contextmanager
def opened_beside(
    writing: Writing, source: Documents, in_place: bool, reading: Reading, rounded: list[str]
) -> Iterator[Output]:
    """Open the output for rows of an input with columns added."""
    if writing.output is None:
        with open_output(writing.output_format, writing, rounded=rounded) as output:
            yield output
        return
    kind: Format = file_format(writing.output, writing.output_format)
    details: dict[str, Any] = {"is_escaped": source.source.kind != "tsv", "rounded": rounded}
    if kind == "csv" and source.delimiter:
        details["delimiter"] = source.delimiter
    if in_place:
        if source.source.kind != kind:
            raise UsageError(f"--in-place cannot write {source.source.kind} files. Use --output.")
        details |= {
            "has_mark": source.has_mark or writing.bom,
            "encoding": reading.encoding,
            "has_names": not reading.no_header,
        }
    if kind in ("xlsx", "jsonl"):
        details = {}
    with open_file(writing.output, writing.output_format, writing, **details) as output:
        yield output


def beside(
    document: Document, answer: Mapping[str, Any], is_table: bool, shows_text: bool
) -> dict[str, Any]:
    """Return a row: a document's kept columns and the answer, which comes first in a table."""
    if shows_text:
        return {**answer, "text": document.text}
    return {**answer, **document.kept} if is_table else {**document.kept, **answer}
