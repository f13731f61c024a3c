"""`addhash vectorize`: documents in, a file of vectors out."""

from contextlib import closing
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.model_files import save_model
from addhash.cli.options.arguments import DocumentsArgument, output_option
from addhash.cli.options.hashing import PANEL, TrickHashingOptions
from addhash.cli.options.reading import LabelOptions, ReadOptions
from addhash.cli.options.writing import ColumnOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.targets import check_target, extension_of, open_target
from addhash.cli.output.terminal import say

PLACE = "ids are"
INDEX_EXTENSION = ".index"
WITH_COLUMNS = (".parquet", ".jsonl")
EXTENSIONS = (".npy", ".npz", *WITH_COLUMNS, INDEX_EXTENSION)

Dtype = Literal["float32", "float64", "float16", "int64", "int32", "int16", "bits"]


def vectorize(
    documents: DocumentsArgument,
    output: Annotated[str, output_option("A .npy, .npz, .parquet, .jsonl or .index file.", "OUT")],
    norm: Annotated[
        Literal["l2", "l1", "none"],
        typer.Option(help="How vectors are scaled.", rich_help_panel=PANEL),
    ] = "l2",
    dtype: Annotated[
        Dtype,
        typer.Option(
            help="The type of the components: integers need --norm none, bits are packed signs.",
            rich_help_panel=PANEL,
        ),
    ] = "float32",
    keep_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The input columns to write to .parquet or .jsonl too: all, none, or names"
            " separated by commas.",
            show_default="all if the input has columns",
        ),
    ] = None,
    *,
    hashing: TrickHashingOptions,
    labelling: LabelOptions,
    reading: ReadOptions,
) -> None:
    """Turn documents into vectors, one row each, in order.

    .npy is one NumPy array. .npz contains it as "vectors"; for --method ht it is a sparse matrix
    for scipy.sparse.load_npz. .parquet and .jsonl have a column "vector" next to the input columns,
    and "label" for --labels. Memory does not grow with the input, except for .index, the format of
    "addhash search", whose vectors and texts are kept in memory; --keep-columns none leaves the
    texts out.

    Example:

        addhash vectorize reviews.csv -o reviews.npy
    """
    extension = extension_of(output, EXTENSIONS)
    check_target(output, [documents, labelling.labels])
    is_textless_index = extension == INDEX_EXTENSION and keep_columns == "none"
    if keep_columns is not None and extension not in WITH_COLUMNS and not is_textless_index:
        raise UsageError(f"--keep-columns needs a .parquet or .jsonl file, not {extension}.")
    if hashing.method == "ht" and dtype not in ("float32", "float64"):
        raise UsageError(f"--method ht writes float32 or float64. Got --dtype {dtype} instead.")
    if extension == INDEX_EXTENSION:
        if hashing.method == "ht":
            raise UsageError("An .index file needs --method ah.")
        norm, dtype = "none", "int32"
    from addhash.cli.output.vector_files import VECTOR, open_vector_file

    # Find a wrong option before reading any file.
    vectorizer = hashing.make_vectorizer(norm=None if norm == "none" else norm, dtype=dtype)
    keep = ColumnOptions(keep_columns=keep_columns).kept if extension in WITH_COLUMNS else ()
    with closing(Documents(documents, reading, labelling, "wanted", keep)) as source:
        if extension in WITH_COLUMNS and keep != () and VECTOR in source.columns:
            raise UsageError(
                f"{source.source} already has a column 'vector'. Leave it out with --keep-columns."
            )
        if extension == INDEX_EXTENSION:
            _write_index(source, vectorizer, keep_columns is None, output)
            return
        adds_label = labelling.labels is not None and extension in WITH_COLUMNS
        with open_target(output) as file:
            vectors = open_vector_file(file, extension, hashing.method == "ht")
            for batch in watched(source, "Vectorizing"):
                rows = [_row(document, adds_label) for document in batch]
                vectors.write(rows, vectorizer.transform([document.text for document in batch]))
            vectors.finish()
    say(f"Wrote {source.count:,} vectors to {output}.")


def _row(document: Document, adds_label: bool) -> dict[str, Any]:
    return {**document.kept, "label": document.label} if adds_label else dict(document.kept)


def _write_index(source: Documents, vectorizer: Any, keep_texts: bool, output: str) -> None:
    import addhash

    index = addhash.TextIndex(vectorizer, keep_texts=keep_texts)
    for batch in watched(source, "Vectorizing"):
        index.add([d.text for d in batch], ids=[d.line for d in batch])
    # What the ids mean, for later searches.
    save_model(index, output, {PLACE: source.places[-1]})
    say(f"Wrote {source.count:,} texts to {output}. Next: addhash search {output} QUERY")
