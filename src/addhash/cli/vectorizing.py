"""`addhash vectorize`: documents in, a file of vectors out."""

from typing import Annotated, Any, Literal

import typer

from addhash.cli import options as use
from addhash.cli.errors import UsageError
from addhash.cli.models import save_model
from addhash.cli.progress import watched
from addhash.cli.reading import Documents
from addhash.cli.targets import atomic_file, check_target, extension_of
from addhash.cli.writing import say

__all__ = ["INDEX_EXTENSION", "vectorize"]

INDEX_EXTENSION = ".index"
EXTENSIONS = (".npy", ".npz", ".parquet", ".jsonl", INDEX_EXTENSION)

Dtype = Literal["float32", "float64", "float16", "int64", "int32", "int16", "bits"]


def vectorize(
    documents: use.In,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="OUT", help="A .npy, .npz, .parquet, .jsonl or .index file."
        ),
    ],
    method: use.Method = "ah",
    analyzer: use.Analyzer = "char",
    ngrams: use.Ngrams = None,
    features: use.Features = 2048,
    lowercase: use.Case = False,
    randomizer: use.Randomizer = "shake256",
    norm: Annotated[
        Literal["l2", "l1", "none"],
        typer.Option(help="How vectors are scaled.", rich_help_panel=use.HASHING),
    ] = "l2",
    dtype: Annotated[
        Dtype,
        typer.Option(
            help="The type of components: integers need --norm none, bits are packed signs.",
            rich_help_panel=use.HASHING,
        ),
    ] = "float32",
    keep_text: Annotated[
        bool, typer.Option("--keep-text", help="Write the texts too, to .parquet or .jsonl.")
    ] = False,
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    labels: use.Labels = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Turn documents into vectors, in order, a row each.

    .npy is one NumPy array. .npz holds it as "vectors"; for --method ht it is a sparse matrix
    that scipy.sparse.load_npz reads. .parquet and .jsonl have a column "vector", and "label"
    where the input has labels. Memory does not grow with the input. .index is for "addhash search";
    it holds exact sums, and memory for them is needed.

    Example:

        addhash vectorize reviews.csv -o reviews.npy
    """
    extension = extension_of(output, EXTENSIONS)
    check_target(output)
    if keep_text and extension not in (".parquet", ".jsonl"):
        raise UsageError(f"--keep-text needs a .parquet or .jsonl file, not {extension}.")
    if method == "ht" and dtype not in ("float32", "float64"):
        raise UsageError(f"--method ht writes float32 or float64. Got --dtype {dtype} instead.")
    if extension == INDEX_EXTENSION:
        if method == "ht":
            raise UsageError("An .index file needs --method ah.")
        norm, dtype = "none", "int32"
    reading = use.reading_of(
        text_column, label_column, labels, input_format, header, encoding, errors
    )
    from addhash.cli.vector_files import open_vector_file

    vectorizer = use.make_vectorizer(
        method,
        analyzer,
        ngrams,
        features,
        lowercase,
        randomizer,
        norm=None if norm == "none" else norm,
        dtype=dtype,
    ).fit([""])  # a wrong option is found before a file is read
    source = Documents(documents, reading, "wanted")
    if extension == INDEX_EXTENSION:
        _write_index(source, vectorizer, output)
        return
    with atomic_file(output) as file:
        vectors = open_vector_file(file, extension, method == "ht", source.has_labels, keep_text)
        for batch in watched(source, "Vectorizing"):
            vectors.write(batch, vectorizer.transform([document.text for document in batch]))
        vectors.finish()
    say(f"Wrote {source.count:,} vectors to {output}.")


def _write_index(source: Documents, vectorizer: Any, output: str) -> None:
    import addhash

    index = addhash.Index(vectorizer.n_features)
    for batch in watched(source, "Vectorizing"):
        lines = [document.number for document in batch]
        index.add(vectorizer.transform([document.text for document in batch]), ids=lines)
    save_model(index, output)
    say(f"Wrote {source.count:,} vectors to {output}. Next: addhash search {output} QUERY")
