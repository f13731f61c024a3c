"""`addhash dedupe`: find, show and drop near-duplicates."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, UsageError, worded
from addhash.cli.input.corpus import Corpus
from addhash.cli.input.documents import Documents
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.arguments import FilesArgument, output_option
from addhash.cli.options.fields import FieldOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.writing import WriteOptions
from addhash.cli.output.answer_columns import free_names, opened_beside
from addhash.cli.output.documents import check_outputs, open_documents
from addhash.cli.output.progress import progress_bar
from addhash.cli.output.rows import file_format, open_file, write_all
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import note
from addhash.cli.output.work import work_beside

SHOWN_CLUSTERS = 5
SORTED_PAIRS = 5_000_000
BATCH = 4096
MARKS = ("cluster", "representative", "similarity")
# The options that set the parameters of `find_duplicates`.
OPTIONS = {
    "threshold": "--threshold",
    "measure": "--measure",
    "analyzer": "--analyzer",
    "ngram_range": "--ngrams",
    "keep": "--keep",
    "memory": "--memory",
}


def dedupe(
    files: FilesArgument,
    output: Annotated[
        str | None,
        output_option(
            "Write the kept documents, with all columns: .txt, .csv, .tsv, .jsonl, .xlsx or"
            " .parquet."
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write all pairs: left, right (numbers from 1) and similarity."
        ),
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write for each document: its number, its cluster, whether it is kept, the"
            " document kept in its place, and their similarity.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Only show what was found; write nothing.")] = False,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Which document of a cluster to keep: first, last, longest, or max:COLUMN.",
            show_default="first; longest for containment",
        ),
    ] = None,
    connected: Annotated[
        bool,
        typer.Option(
            help="Let clusters chain: a document joins if it is similar to any member, not just"
            " to the one that is kept."
        ),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Drop documents that are also in this file, such as test data, instead of"
            " duplicates within the input.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="The most memory to use, such as 2GB. The rest is kept in files next to the"
            " output, and running the same command again resumes a stopped run.",
        ),
    ] = None,
    mark: Annotated[
        bool,
        typer.Option(
            help="Write all documents to the output, with the columns cluster, representative"
            " and similarity, instead of the kept ones."
        ),
    ] = False,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Name documents by this column in pairs, clusters and marks, instead of by"
            " numbers from 1.",
        ),
    ] = None,
    *,
    fields: FieldOptions,
    similarity: SimilarityOptions,
    reading: ReadOptions,
) -> None:
    """Drop near-duplicates, or show them.

    Finds every pair of documents at least as similar as the threshold, and no others. One document
    per cluster is kept; every dropped one is at least that similar to the one kept in its place.
    The input files stay as they are. Memory grows with the documents, unless --memory sets a limit;
    the rest then goes to files. See also: addhash dedupe tune (which threshold?) and addhash dedupe
    explain (why these two?).

    Example:

        addhash dedupe news.csv -o kept.csv
        addhash dedupe people.csv --field name:2 --field street --field born:date -o kept.csv
    """
    import addhash

    reading = fields.reading(reading)
    targets = {"--output": output, "--pairs": pairs, "--clusters": clusters}
    given = {option: path for option, path in targets.items() if path is not None}
    _check(files, given, dry_run, against, connected)
    _check_marks(mark, output, against)
    parameters = fields.parameters(similarity)
    if fields.field and memory is not None:
        raise UsageError("--memory is for texts; records are kept in memory. Leave it out.")
    kind, column = _parse_keep(keep, against)
    named = "--field" if fields.field else "--text-column"
    corpus = Corpus(files, reading, named)
    reference = None if against is None else Corpus([against], reading, named)
    preference = kind if column is None else corpus.numbers(column)
    with ExitStack() as opened:
        folder = opened.enter_context(work_beside(output or pairs or clusters, "dedupe", memory))
        with progress_bar() as update, worded(OPTIONS):

            def read(documents: Corpus, doing: str) -> Any:
                if fields.field:
                    return documents.records(list(fields.fields), update, doing)
                return documents.texts(update, doing)

            def show(stage: str, done: int, total: int | None) -> None:
                if stage == "compare":
                    update("Comparing", done / total if total else None, "")

            try:
                found = addhash.find_duplicates(
                    read(corpus, "Reading"),
                    **parameters,
                    clusters="connected" if connected else "representative",
                    keep=preference,
                    against=None if reference is None else read(reference, "Reading the reference"),
                    memory=memory,
                    folder=folder,
                    progress=show,
                )
            except OSError as error:
                raise CommandError(f"{error.filename}: {error.strerror}.") from error
        names = None if id_column is None else corpus.ids(id_column)
        others = None if id_column is None or reference is None else reference.ids(id_column)
        # All files are opened first: none gets its name before the others are complete.
        kept_rows: Any = None
        marks: dict[str, str] = {}
        if output is not None:
            like = Documents(files[0], reading, keep=())
            opened.callback(like.close)
            if mark:
                marks = free_names(MARKS, like, "all", "duplicate_")
            kept_rows = opened.enter_context(
                opened_beside(
                    WriteOptions(output=output),
                    like,
                    reading,
                    [marks["similarity"]],
                    keep="all",
                    encoding=reading.encoding,
                    is_one_each=len(files) == 1,
                )
                if mark
                else open_documents(output, like, reading.encoding)
            )
        tables = {
            option: opened.enter_context(open_file(path, None))
            for option, path in given.items()
            if option != "--output"
        }
        if "--pairs" in tables:
            write_all(tables["--pairs"], _pair_rows(found, names, others or names))
        if "--clusters" in tables:
            write_all(tables["--clusters"], _cluster_rows(found, names, others or names))
        largest = [] if against is not None else found.largest(SHOWN_CLUSTERS)
        shown = {cluster.representative: "" for cluster in largest}
        _write_kept(corpus, found, kept_rows, shown, marks, names)
    note(f"{found}.")
    for cluster in largest:
        least = f"{cluster.least_similarity:.2f}" if cluster.least_similarity >= 0 else "unknown"
        words = " ".join(shown[cluster.representative].split())
        note(
            f"  {len(cluster):,} texts, similar to the one kept by {cluster.similarity:.2f} or"
            f" more, to each other by {least}: {fit_cells(words, 60)}"
        )


def _check(
    files: Sequence[str], given: dict[str, str], dry_run: bool, against: str | None, connected: bool
) -> None:
    if STANDARD_INPUT in files or against == STANDARD_INPUT:
        raise UsageError(
            "Standard input can be read only once, and documents are read twice. Put them in a"
            " file."
        )
    if dry_run and given:
        raise UsageError(f"--dry-run writes nothing. Leave {' and '.join(given)} out.")
    if not dry_run and not given:
        raise UsageError(
            "Name a file for the kept documents with --output, or look first with --dry-run."
        )
    if against is not None and connected:
        raise UsageError(
            "--connected is about clusters, and --against makes none. Give only one of them."
        )
    check_outputs(given, [*files, *([against] if against else [])], "--output")


def _parse_keep(keep: str | None, against: str | None) -> tuple[str | None, str | None]:
    """Return which document to keep, or the column whose greatest value decides."""
    if keep is not None and against is not None:
        raise UsageError(
            "--keep chooses among the input's documents; --against does not. Give only one of them."
        )
    if keep is None or keep in ("first", "last", "longest"):
        return keep, None
    name, _, column = keep.partition(":")
    if name == "max" and column:
        return None, column
    raise UsageError(f"--keep must be first, last, longest or max:COLUMN. Got {keep!r} instead.")


def _check_marks(mark: bool, output: str | None, against: str | None) -> None:
    if mark and output is None:
        raise UsageError("--mark adds columns to the output. Name a file with --output.")
    if mark and against is not None:
        raise UsageError("--mark shows clusters, and --against makes none. Give only one of them.")
    if mark and output is not None:
        file_format(output, None)


def _named(numbers: Any, names: list[Any] | None) -> list[Any]:
    """Return the ids of documents, or their numbers from 1; None where there is no document."""
    return [None if i < 0 else i + 1 if names is None else names[i] for i in numbers.tolist()]


def _pair_rows(
    found: Any, names: list[Any] | None, others: list[Any] | None
) -> Iterator[dict[str, Any]]:
    for block in [found.pairs] if found.n_pairs <= SORTED_PAIRS else found.pair_blocks():
        for start in range(0, len(block.left), BATCH):
            part = slice(start, start + BATCH)
            left, right = _named(block.left[part], names), _named(block.right[part], others)
            for a, b, value in zip(left, right, block.similarity[part].tolist(), strict=True):
                yield {"left": a, "right": b, "similarity": value}


def _cluster_rows(
    found: Any, names: list[Any] | None, others: list[Any] | None
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(found), BATCH):
        part = slice(start, start + BATCH)
        kept = _named(found.representatives[part], others)
        columns = {
            "document": range(start + 1, start + 1 + len(kept)) if names is None else names[part],
            "cluster": (found.clusters[part] + 1).tolist(),
            "kept": found.keep[part].tolist(),
            "kept_document": kept,
            "similarity": found.similarity[part].tolist(),
        }
        yield from (
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        )


def _write_kept(
    corpus: Corpus,
    found: Any,
    output: Any,
    shown: dict[int, str],
    marks: dict[str, str],
    names: list[Any] | None,
) -> None:
    """Write the kept documents, or all of them with marks, and find the texts to show.

    `output` takes rows, or pairs of documents and answers where there are marks.
    """
    keep = found.keep
    number = 0
    for _, batch in corpus.batches("all" if output is not None else ()):
        rows: list[Any] = []
        for document in batch:
            if number < len(keep) and marks:
                values = _marks(found, number, names)
                rows.append((document, dict(zip(marks.values(), values, strict=True))))
            elif number < len(keep) and keep[number]:
                rows.append(document.kept)
            if number in shown:
                shown[number] = document.text
            number += 1
        if output is not None:
            output.write(rows)
    if number != len(keep):
        raise CommandError("The input changed while it was read; nothing was written. Try again.")


def _marks(found: Any, number: int, names: list[Any] | None) -> tuple[Any, ...]:
    """Return the values of MARKS for a document."""
    (representative,) = _named(found.representatives[number : number + 1], names)
    return int(found.clusters[number]) + 1, representative, float(found.similarity[number])
