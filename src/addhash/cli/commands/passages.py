"""`addhash passages`: what stands in several documents, and the documents without it."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import UsageError, worded
from addhash.cli.input.corpus import Corpus
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.arguments import FilesArgument, output_option
from addhash.cli.options.reading import ReadOptions
from addhash.cli.output.documents import check_outputs, open_documents
from addhash.cli.output.progress import progress_bar
from addhash.cli.output.rows import open_file, write_all
from addhash.cli.output.terminal import note
from addhash.cli.output.work import work_beside

SHOWN = 60  # characters of a passage in the report
OPTIONS = {
    "min_words": "--min-words",
    "min_documents": "--min-documents",
    "memory": "--memory",
    "above": "--above",
}
READINGS = {"look": "Reading", "count": "Counting", "gather": "Gathering"}


def passages(
    files: FilesArgument,
    output: Annotated[
        str | None,
        output_option(
            "Write the documents without what is cut, with all columns: .txt, .csv, .tsv,"
            " .jsonl, .xlsx or .parquet."
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write every place: document and row of its file (from 1), start and end in"
            " characters, passage, its words, in how many documents it stands, its first place,"
            " and how it begins.",
        ),
    ] = None,
    min_words: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="The least words of a passage; in scripts without spaces, each character is one.",
        ),
    ] = 50,
    min_documents: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="In how many documents a passage stands at least; 1: it may repeat in one.",
        ),
    ] = 2,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Compare only documents with the same value in this column, such as a domain.",
        ),
    ] = None,
    keep: Annotated[
        Literal["first", "all"],
        typer.Option(
            metavar="WHICH",
            help="Which places stay in the output: the first of each passage, or all (for"
            " --above).",
        ),
    ] = "first",
    above: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Cut what stands in more than this share of the documents, or of those of its"
            " group, everywhere: 0.5 means more than half.",
        ),
    ] = None,
    mark: Annotated[
        str, typer.Option(metavar="TEXT", help="What to put where something was cut.")
    ] = "",
    match_case: Annotated[bool, typer.Option(help="Distinguish upper and lower case.")] = False,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="The most memory to use, such as 2GB. The files are then read three times"
            " instead of kept, and running the same command again resumes a stopped run.",
        ),
    ] = None,
    *,
    reading: ReadOptions,
) -> None:
    """Find passages that stand in several documents, and cut them.

    A passage is a run of words that stands in several documents, such as a licence, a quotation or
    a page's navigation. Every place is found where it cannot be extended on either side, and no
    others; words are compared, not hashes of them. The input files stay as they are. Memory grows
    with the documents, unless --memory sets a limit.

    Example:

        addhash passages pages.jsonl --by domain -o cleaned.jsonl --report passages.csv
    """
    import addhash

    if output is not None and len(reading.text_column or ()) > 1:
        raise UsageError("Texts of several columns cannot be cut. Name one --text-column.")
    targets = {"--output": output, "--report": report}
    given = {option: path for option, path in targets.items() if path is not None}
    _check(files, given, keep, above)
    corpus = Corpus(files, reading)
    texts: Any = _Texts(corpus)
    if memory is None:
        texts = list(texts)
    with ExitStack() as opened:
        folder = opened.enter_context(work_beside(output or report, "passages", memory))
        with progress_bar() as update, worded(OPTIONS):
            found = addhash.find_passages(
                texts,
                min_words=min_words,
                min_documents=min_documents,
                by=None if by is None else corpus.column(by, "--by"),
                lowercase=not match_case,
                memory=memory,
                folder=folder,
                progress=lambda stage, done, total: update(
                    READINGS[stage], done / total if total else None, f"{done:,} documents"
                ),
            )
            cuts = found.cuts(keep=keep, above=above)
        # Both are opened first: neither gets its name before the other is complete.
        table = opened.enter_context(open_file(report, None)) if report else None
        documents = None
        if output is not None:
            like = Documents(files[0], reading, keep=())
            opened.callback(like.close)
            documents = opened.enter_context(open_documents(output, like, reading.encoding))
        if table is not None:
            write_all(table, _report_rows(corpus, found))
        if documents is not None:
            rule = {"keep": keep, "above": above, "mark": mark}
            write_all(documents, _cleaned_rows(corpus, found, rule))
    cut = int((cuts.end - cuts.start).sum())
    note(f"Passages: {found}. Cut: {cut:,} characters in {len(cuts.document):,} places.")


def _check(files: list[str], given: dict[str, str], keep: str, above: float | None) -> None:
    if STANDARD_INPUT in files:
        raise UsageError(
            "Standard input can be read only once, and documents are read again to cut them. Put"
            " them in a file."
        )
    if not given:
        raise UsageError("Name a file with --output for the documents, or with --report.")
    if "--output" in given and keep == "all" and above is None:
        raise UsageError("With --keep all and without --above, nothing is cut. Give --above.")
    check_outputs(given, files, "--output")


class _Texts:
    """The texts of a corpus, from the beginning whenever they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._reports = True

    def __iter__(self) -> Iterator[str]:
        reports, self._reports = self._reports, False
        for _, batch in self._corpus.batches(reports=reports):
            yield from (document.text for document in batch)


def _report_rows(corpus: Corpus, found: Any) -> Iterator[dict[str, Any]]:
    """Yield the places as the documents come."""
    import numpy as np

    places, table = found.places, found.table
    bounds = np.searchsorted(places.document, range(found.n_documents + 1)).tolist()
    documents = ((source, document) for source, batch in corpus.batches() for document in batch)
    for number, (source, document) in enumerate(documents):
        for at in range(bounds[number], bounds[number + 1]):
            start, end = int(places.start[at]), int(places.end[at])
            passage = places.passage[at]
            yield {
                "file": str(source.source),
                "row": document.record,
                "start": start,
                "end": end,
                "passage": int(passage) + 1,
                "words": int(table.words[passage]),
                "documents": int(table.documents[passage]),
                "first_document": int(table.first_document[passage]) + 1,
                "first_start": int(table.first_start[passage]),
                "text": document.text[start : min(end, start + SHOWN)],
            }


def _cleaned_rows(corpus: Corpus, found: Any, rule: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting: deque[tuple[str, Document]] = deque()  # those that were read and not yet cleaned

    def texts() -> Iterator[str]:
        for source, batch in corpus.batches("all"):
            for document in batch:
                waiting.append((source.text_columns[0], document))
                yield document.text

    for text in found.clean(texts(), **rule):
        column, document = waiting.popleft()
        yield document.kept if text == document.text else {**document.kept, column: text}
