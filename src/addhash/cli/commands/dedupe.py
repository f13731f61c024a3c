"""`addhash dedupe`: find, show and drop near-duplicates."""

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from addhash.cli.commands.duplicates import Likeness
from addhash.cli.errors import CommandError, UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.reading import Reading
from addhash.cli.input.records import Kept
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.output.documents import document_format, open_documents
from addhash.cli.output.progress import Update, progress_bar
from addhash.cli.output.rows import Output, file_format, open_file
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import note
from addhash.errors import ParameterError

__all__ = ["dedupe"]

SHOWN_CLUSTERS = 5
SORTED_PAIRS = 5_000_000
BATCH = 4096


def dedupe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Documents: .txt (one per line), .csv, .tsv, .jsonl, .xlsx or .parquet, plain"
            " or compressed. Several files with the same columns count as one.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the kept documents, with all columns: .txt, .csv, .tsv, .jsonl, .xlsx or"
            " .parquet.",
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what was found; write nothing.")
    ] = False,
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
            "--connected",
            help="Let clusters chain: a document joins if it is similar to any member, not just"
            " to the one that is kept.",
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
    *,
    likeness: Likeness,
    reading: Reading,
) -> None:
    """Drop near-duplicates, or show them.

    Finds every pair of documents at least as similar as the threshold, and no others. One document
    per cluster is kept; every dropped one is at least that similar to the one kept in its place.
    The input files stay as they are. Memory grows with the documents, unless --memory sets a limit;
    the rest then goes to files. See also: addhash dedupe tune (which threshold?) and addhash dedupe
    explain (why these two?).

    Example:

        addhash dedupe news.csv -o kept.csv
    """
    targets = {"--output": output, "--pairs": pairs, "--clusters": clusters}
    given = {option: path for option, path in targets.items() if path is not None}
    _check(files, given, dry_run, against, connected)
    kind, column = _parse_keep(keep, against)
    folder = None if memory is None else _work_folder(output or pairs or clusters)
    corpus = _Corpus(files, reading)
    reference = None if against is None else _Corpus([against], reading)
    preference = kind if column is None else corpus.numbers(column)
    try:
        found = _found(corpus, reference, likeness, preference, connected, memory, folder)
    except ParameterError as error:
        raise UsageError(_in_options(str(error))) from error
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.") from error
    finally:
        _drop_unused(folder)
    with ExitStack() as opened:
        # All files are opened first: none gets its name before the others are complete.
        kept_rows = None
        if output is not None:
            like = Documents(files[0], reading, keep=())
            opened.callback(like.close)
            kept_rows = opened.enter_context(open_documents(output, like, reading.encoding))
        tables = {
            option: opened.enter_context(open_file(path, None))
            for option, path in given.items()
            if option != "--output"
        }
        if "--pairs" in tables:
            _write_pairs(found, tables["--pairs"])
        if "--clusters" in tables:
            _write_clusters(found, tables["--clusters"])
        largest = [] if against is not None else found.largest(SHOWN_CLUSTERS)
        shown = {cluster.representative: "" for cluster in largest}
        _write_kept(corpus, found.keep, kept_rows, shown)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    note(f"{found}.")
    for cluster in largest:
        least = f"{cluster.least_similarity:.2f}" if cluster.least_similarity >= 0 else "unknown"
        words = " ".join(shown[cluster.representative].split())
        note(
            f"  {len(cluster):,} texts, similar to the one kept by {cluster.similarity:.2f} or"
            f" more, to each other by {least}: {fit_cells(words, 60)}"
        )


def _in_options(message: str) -> str:
    """Rephrase a message in terms of the options."""
    return re.sub(r"The '(\w+)' parameter of \w+", r"--\1", message)


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
    inputs = [*files, *([against] if against else [])]
    for option, path in given.items():
        if option == "--output":
            document_format(path)
        else:
            file_format(path, None)
        others = [other for name, other in given.items() if name != option]
        check_target(path, [*inputs, *others])


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


class _Corpus:
    """The documents of several files, which can be read more than once."""

    def __init__(self, files: Sequence[str], reading: Reading) -> None:
        self._files = files
        self._reading = reading

    def batches(self, keep: Kept = ()) -> Iterator[tuple[Documents, list[Document]]]:
        """Yield documents in batches, with the file they come from."""
        names: list[str] | None = None
        for path in self._files:
            source = Documents(path, self._reading, keep=keep)
            names = source.columns if names is None else names
            if set(names) != set(source.columns):
                source.close()
                raise CommandError(
                    f"{path} has the columns {', '.join(source.columns)}, but {self._files[0]} has"
                    f" {', '.join(names)}. Give files with the same columns."
                )
            for batch in source:
                yield source, batch

    def texts(self, update: Update, doing: str) -> Iterator[str]:
        """Yield the texts."""
        count, start = 0, time.monotonic()
        for source, batch in self.batches():
            yield from (document.text for document in batch)
            count += len(batch)
            rate = count / max(time.monotonic() - start, 1e-3)
            done, total = source.progress()
            words = f"{count:,} documents, {rate:,.0f} per second"
            update(doing, done / total if total else None, words)

    def numbers(self, column: str) -> list[float]:
        """Return the numbers of a column."""
        return [
            _number(document.kept[column], source, document)
            for source, batch in self.batches([column])
            for document in batch
        ]


def _number(value: Any, source: Documents, document: Document) -> float:
    try:
        number = float("-inf") if value in (None, "") else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if number != number:
        place = ", ".join(f"{name} {at}" for name, at in source.place(document).items())
        raise CommandError(
            f"{source.source}, {place}: --keep max: needs a number, got {value!r:.60}. An empty"
            " field counts as the lowest."
        )
    return number


def _work_folder(target: str | None) -> str:
    if target is None:
        raise UsageError("--memory keeps its files next to the output. Name an --output.")
    folder, name = os.path.split(os.path.realpath(target))
    return os.path.join(folder, f".{name}.dedupe")


def _drop_unused(folder: str | None) -> None:
    """Remove the folder of a run that got nowhere: there is nothing to resume."""
    if folder is not None and not os.path.exists(os.path.join(folder, "state.json")):
        shutil.rmtree(folder, ignore_errors=True)


def _found(
    corpus: _Corpus,
    reference: _Corpus | None,
    likeness: Likeness,
    keep: str | list[float] | None,
    connected: bool,
    memory: str | None,
    folder: str | None,
) -> Any:
    import addhash

    with progress_bar() as update:

        def show(stage: str, done: int, total: int | None) -> None:
            if stage == "compare":
                update("Comparing", done / total if total else None, "")

        return addhash.find_duplicates(
            corpus.texts(update, "Reading"),
            **likeness.parameters,
            clusters="connected" if connected else "representative",
            keep=keep,
            against=None if reference is None else reference.texts(update, "Reading the reference"),
            memory=memory,
            folder=folder,
            progress=show,
        )


def _write_pairs(found: Any, output: Output) -> None:
    blocks = [found.pairs] if found.n_pairs <= SORTED_PAIRS else found.pair_blocks()
    for block in blocks:
        for start in range(0, len(block.left), BATCH):
            part = slice(start, start + BATCH)
            columns = (block.left[part] + 1, block.right[part] + 1, block.similarity[part])
            output.write(
                [
                    {"left": left, "right": right, "similarity": value}
                    for left, right, value in zip(*(c.tolist() for c in columns), strict=True)
                ]
            )


def _write_clusters(found: Any, output: Output) -> None:
    numbers = range(1, len(found) + 1)
    for start in range(0, len(found), BATCH):
        part = slice(start, start + BATCH)
        kept = found.representatives[part].tolist()
        columns = {
            "document": numbers[part],
            "cluster": (found.clusters[part] + 1).tolist(),
            "kept": found.keep[part].tolist(),
            "kept_document": [i + 1 if i >= 0 else None for i in kept],
            "similarity": found.similarity[part].tolist(),
        }
        output.write(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )


def _write_kept(corpus: _Corpus, keep: Any, output: Output | None, shown: dict[int, str]) -> None:
    """Write the kept documents, and find the texts to show."""
    number = 0
    for _, batch in corpus.batches("all" if output is not None else ()):
        rows = []
        for document in batch:
            if number < len(keep) and keep[number]:
                rows.append(document.kept)
            if number in shown:
                shown[number] = document.text
            number += 1
        if output is not None:
            output.write(rows)
    if number != len(keep):
        raise CommandError("The input changed while it was read; nothing was written. Try again.")
