"""The arguments that several commands share."""

from typing import Annotated, Any

import typer

_DOCUMENTS = (
    "Documents: .txt (one per line), .csv, .tsv, .jsonl, .xlsx or .parquet, plain or compressed"
    " (.gz, .zst); - is standard input."
)

DocumentsArgument = Annotated[
    str, typer.Argument(metavar="IN", help=_DOCUMENTS, show_default=False)
]
OptionalDocumentsArgument = Annotated[
    str | None, typer.Argument(metavar="[IN]", help=_DOCUMENTS, show_default=False)
]
FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Documents: .txt (one per line), .csv, .tsv, .jsonl, .xlsx or .parquet, plain"
        " or compressed. Several files with the same columns count as one.",
        show_default=False,
    ),
]
TextOption = Annotated[
    list[str] | None,
    typer.Option(
        "--text", metavar="TEXT", help="A text, instead of a file of documents. Can be repeated."
    ),
]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model written by addhash fit.", show_default=False)
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace the file if it exists.", show_default=False)
]


def output_option(said: str, metavar: str = "FILE", **shown: Any) -> Any:
    """Return the option that names the file to write, with its help."""
    return typer.Option("--output", "-o", metavar=metavar, help=said, **shown)
