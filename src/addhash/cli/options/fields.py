"""Which fields of records are compared: the options that several commands share."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from addhash.cli.errors import UsageError, worded
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.similarity import SimilarityOptions

KINDS = ("name", "text", "code", "date", "number")


@dataclass(frozen=True, kw_only=True)
class FieldOptions:
    """The fields of records, with kinds and weights."""

    panel = "Similarity"
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            metavar="NAME[:KIND][:WEIGHT[:TOLERANCE]]",
            help="Compare records by this column, in its own way: name (forgives typing errors),"
            " text (words), code (all or nothing), date or number. Repeat it for each column, such"
            " as --field name:2 --field born:date --field income:number:1:500.",
            show_default="kind by the values, weight by how much the column tells",
        ),
    ] = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name, as `find_duplicates` takes them."""
        import addhash

        fields: dict[str, Any] = {}
        for given in self.field or []:
            name, *more = given.split(":")
            kinds = [part for part in more if part in KINDS]
            numbers = [_number(given, part) for part in more if part not in KINDS]
            if not name or len(kinds) > 1 or len(numbers) > 2:
                raise _refused(given)
            if name in fields:
                raise UsageError(f"--field {name} is given twice. Give each column once.")
            weight, tolerance = [*numbers, None, None][:2]
            kind: Any = kinds[0] if kinds else "auto"
            with worded(dict.fromkeys(("weight", "tolerance"), f"--field {name}")):
                fields[name] = addhash.Field(kind, weight, tolerance or 0.0)
        return fields

    def parameters(self, similarity: SimilarityOptions) -> dict[str, Any]:
        """Return the parameters of `find_duplicates`, for records or for texts."""
        if not self.field:
            return similarity.parameters
        usual = SimilarityOptions()
        for name in ("measure", "analyzer", "ngrams", "match_case"):
            if getattr(similarity, name) != getattr(usual, name):
                option = f"--{name.replace('_', '-')}"
                raise UsageError(
                    f"{option} is about texts and --field about records. Give only one."
                )
        return {"fields": self.fields, "threshold": similarity.threshold}

    def reading(self, reading: ReadOptions) -> ReadOptions:
        """Return how a table is read whose text is in these fields."""
        if not self.field:
            return reading
        if reading.text_column:
            raise UsageError(
                "--text-column is about texts and --field about records. Give only one of them."
            )
        return replace(reading, text_column=list(self.fields))


def _number(given: str, part: str) -> float:
    try:
        return float(part)
    except ValueError:
        raise _refused(given) from None


def _refused(given: str) -> UsageError:
    return UsageError(
        "--field must be NAME, NAME:KIND, NAME:WEIGHT, NAME:KIND:WEIGHT or"
        f" NAME:KIND:WEIGHT:TOLERANCE, with a kind of {', '.join(KINDS)}. Got {given!r} instead."
    )
