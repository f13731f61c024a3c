"""The options that several commands share, with one meaning everywhere."""

from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import UsageError
from addhash.cli.reading import Errors, Reading
from addhash.cli.sources import Kind
from addhash.cli.writing import Format

__all__ = [
    "Analyzer",
    "Case",
    "Encoding",
    "Features",
    "Handling",
    "Header",
    "In",
    "InputFormat",
    "Label",
    "LabelColumn",
    "Labels",
    "Method",
    "Model",
    "Ngrams",
    "Output",
    "OutputFormat",
    "Randomizer",
    "TextColumn",
    "make_vectorizer",
    "reading_of",
]

INPUT = "Reading"
HASHING = "Hashing"

In = Annotated[
    str,
    typer.Argument(
        metavar="IN",
        help="Documents: .txt (one a line), .csv, .tsv, .jsonl or .parquet, plain or followed by"
        " .gz or .zst; - is standard input.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A model that addhash fit wrote.", show_default=False),
]
TextColumn = Annotated[
    str | None,
    typer.Option(help="The column of the texts.", show_default="found", rich_help_panel=INPUT),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(help="The column of the labels.", show_default="found", rich_help_panel=INPUT),
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="A file with a label a line, for texts without.", rich_help_panel=INPUT
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="One label for all documents.", rich_help_panel=INPUT),
]
InputFormat = Annotated[
    Kind | None,
    typer.Option(
        help="What the input is, whatever its name.",
        show_default="by extension; txt for -",
        rich_help_panel=INPUT,
    ),
]
Header = Annotated[
    bool,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of .csv and .tsv names the columns; without, they are numbered"
        " from 1.",
        rich_help_panel=INPUT,
    ),
]
Encoding = Annotated[str, typer.Option(help="The encoding of text files.", rich_help_panel=INPUT)]
Handling = Annotated[
    Errors,
    typer.Option(
        "--errors", help="What to do with bytes that are not valid in it.", rich_help_panel=INPUT
    ),
]
OutputFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="How results are written. Only csv has a row of names.",
        show_default="table on a terminal, else tsv",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write to a .tsv, .csv or .jsonl file instead."
    ),
]
Method = Annotated[
    Literal["ah", "ht"],
    typer.Option(help="Additive hashing, or the hashing trick.", rich_help_panel=HASHING),
]
Analyzer = Annotated[
    Literal["char", "char_wb", "word"],
    typer.Option(
        help="Tokens are runs of characters, of characters inside words, or of words.",
        rich_help_panel=HASHING,
    ),
]
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="N or N-M",
        help="How many characters or words make a token.",
        show_default="3; 1 for words",
        rich_help_panel=HASHING,
    ),
]
Features = Annotated[
    int, typer.Option(help="The number of components of a vector.", rich_help_panel=HASHING)
]
Case = Annotated[bool, typer.Option("--lowercase", help="Ignore case.", rich_help_panel=HASHING)]
Randomizer = Annotated[
    Literal["shake256", "siphash128"],
    typer.Option(
        help="What additive hashing hashes with: the paper's, or a faster one.",
        rich_help_panel=HASHING,
    ),
]


def reading_of(
    text_column: str | None,
    label_column: str | None,
    labels: str | None,
    input_format: Kind | None,
    header: bool,
    encoding: str,
    errors: Errors,
    label: str | None = None,
) -> Reading:
    """Put the options of reading together."""
    given = [
        f"--{name}"
        for name, value in [("label", label), ("labels", labels), ("label-column", label_column)]
        if value is not None
    ]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} all say what the labels are. Give one of them.")
    return Reading(text_column, label_column, labels, input_format, header, encoding, errors, label)


def _ngram_range(analyzer: str, ngrams: str | None) -> tuple[int, int]:
    if ngrams is None:
        return (1, 1) if analyzer == "word" else (3, 3)
    low, _, high = ngrams.partition("-")
    if low.isdecimal() and (high or low).isdecimal() and 1 <= int(low) <= int(high or low):
        return int(low), int(high or low)
    raise UsageError(
        f"--ngrams must be a number such as 3, or a range such as 1-3. Got {ngrams!r} instead."
    )


def make_vectorizer(
    method: str,
    analyzer: str,
    ngrams: str | None,
    features: int,
    lowercase: bool,
    randomizer: str = "shake256",
    **more: Any,
) -> Any:
    """Build the vectorizer that the options of hashing describe."""
    import addhash

    settings: dict[str, Any] = {
        "analyzer": analyzer,
        "ngram_range": _ngram_range(analyzer, ngrams),
        "n_features": features,
        "lowercase": lowercase,
        **more,
    }
    if method == "ah":
        return addhash.AdditiveHashingVectorizer(randomizer=randomizer, **settings)
    if randomizer != "shake256":
        raise UsageError("--randomizer is for --method ah; the hashing trick has its own hash.")
    return addhash.HashingVectorizer(**settings)
