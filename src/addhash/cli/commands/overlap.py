"""`addhash overlap`: how much of a benchmark the training texts hold."""

import bisect
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

import typer

from addhash.cli.errors import UsageError, worded
from addhash.cli.input.corpus import Corpus
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.arguments import output_option
from addhash.cli.options.reading import ReadOptions
from addhash.cli.output.documents import check_outputs
from addhash.cli.output.progress import progress_bar
from addhash.cli.output.rows import open_file, write_all
from addhash.cli.output.terminal import note


def overlap(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="The training texts: .txt (one per line), .csv, .tsv, .jsonl, .xlsx or .parquet,"
            " plain or compressed. Several files with the same columns count as one.",
            show_default=False,
        ),
    ],
    test: Annotated[
        list[str], typer.Option(metavar="FILE", help="The test items. Repeat it for more files.")
    ],
    ngrams: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="The words of an n-gram; in scripts without spaces, each character is one.",
        ),
    ] = 13,
    output: Annotated[
        str | None,
        output_option(
            "Write for each test item: its n-grams, how many of them the training texts hold,"
            " their share, and the training row that holds most: file, row, start and end in"
            " characters."
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the training rows to drop, each with the test item it holds most of.",
        ),
    ] = None,
    least: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Drop rows that hold at least this share of a test item's n-grams.",
            show_default="any",
        ),
    ] = 0.0,
    test_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The text column of the test items.",
            show_default="as --text-column",
        ),
    ] = None,
    match_case: Annotated[bool, typer.Option(help="Distinguish upper and lower case.")] = False,
    *,
    reading: ReadOptions,
) -> None:
    """Find out how much of a benchmark the training texts hold.

    An n-gram is a run of words. Words are compared, not hashes of them, so nothing is found that is
    not there. The training files are read once, batch by batch; they stay as they are. Memory grows
    with the test items and what is found of them.

    Example:

        addhash overlap train.jsonl --test benchmark.jsonl -o overlap.csv --rows drop.csv
    """
    import addhash

    targets = {"--output": output, "--rows": rows}
    given = {option: path for option, path in targets.items() if path is not None}
    if (*files, *test).count(STANDARD_INPUT) > 1:
        raise UsageError("Standard input can be read only once. Put the test items in a file.")
    check_outputs(given, [*files, *test], None)
    test_reading = replace(reading, where=None)
    if test_column is not None:
        test_reading = replace(test_reading, text_column=[test_column])
    texts, tests = (
        _Numbered(files, reading, "--text-column"),
        _Numbered(test, test_reading, "--test-column"),
    )
    with progress_bar() as update, worded({"ngrams": "--ngrams", "least": "--least"}):
        found = addhash.find_overlap(
            texts,
            tests,
            ngrams=ngrams,
            lowercase=not match_case,
            progress=lambda _, done, __: update("Scanning", None, f"{done:,} texts"),
        )
        dropped = found.documents(least).tolist()
    with ExitStack() as opened:
        # Both are opened first: neither gets its name before the other is complete.
        opened_files = {
            option: opened.enter_context(open_file(path, None)) for option, path in given.items()
        }
        if "--output" in opened_files:
            write_all(opened_files["--output"], _test_rows(found, texts, tests))
        if "--rows" in opened_files:
            write_all(opened_files["--rows"], _dropped_rows(found, dropped, texts, tests))
    note(f"{found}.")
    for line in [*_by_file(texts, dropped), *_too_short(found, ngrams)]:
        note(line)


class _Numbered:
    """The texts of files, which remembers where each of them is."""

    def __init__(self, files: Sequence[str], reading: ReadOptions, named: str) -> None:
        self.files = files
        self._corpus = Corpus(files, reading, named)
        self._starts: list[int] = []  # the number of each file's first text
        self._names: list[str] = []
        self._records = array("q")

    def __iter__(self) -> Iterator[str]:
        for source, batch in self._corpus.batches(reports=True):
            name = str(source.source)
            if not self._names or self._names[-1] != name:
                self._names.append(name)
                self._starts.append(len(self._records))
            self._records.extend(document.record for document in batch)
            yield from (document.text for document in batch)

    def place(self, number: int) -> tuple[str, int]:
        """Return the file and the row of a text."""
        return self.file(number), self._records[number]

    def file(self, number: int) -> str:
        """Return the file of a text."""
        return self._names[bisect.bisect_right(self._starts, number) - 1]

    def counts(self) -> dict[str, int]:
        """Return how many texts each file has."""
        ends = [*self._starts[1:], len(self._records)]
        sizes = (end - start for start, end in zip(self._starts, ends, strict=True))
        return dict(zip(self._names, sizes, strict=True))


def _best(found: Any, key: str) -> dict[int, int]:
    """Return for each text or test item the match with the most of it; ties go to the first."""
    best: dict[int, int] = {}
    matches = found.matches
    shares = (matches.ngrams / found.ngrams[matches.test]).tolist()
    for i, number in enumerate(getattr(matches, key).tolist()):
        if number not in best or shares[i] > shares[best[number]]:
            best[number] = i
    return best


def _test_rows(found: Any, texts: _Numbered, tests: _Numbered) -> Iterator[dict[str, Any]]:
    best, matches = _best(found, "test"), found.matches
    for test, share in enumerate(found.share.tolist()):
        file, row = tests.place(test)
        found_at: dict[str, Any] = dict.fromkeys(("in_file", "in_row", "start", "end"))
        if test in best:
            i = best[test]
            where = texts.place(int(matches.document[i]))
            values = (*where, int(matches.start[i]), int(matches.end[i]))
            found_at = dict(zip(found_at, values, strict=True))
        yield {
            "file": file,
            "row": row,
            "ngrams": int(found.ngrams[test]),
            "held": int(found.held[test]),
            "share": None if share != share else share,
            **found_at,
        }


def _dropped_rows(
    found: Any, dropped: list[int], texts: _Numbered, tests: _Numbered
) -> Iterator[dict[str, Any]]:
    best, matches = _best(found, "document"), found.matches
    for document in dropped:
        i = best[document]
        test = int(matches.test[i])
        file, row = texts.place(document)
        test_file, test_row = tests.place(test)
        yield {
            "file": file,
            "row": row,
            "test_file": test_file,
            "test_row": test_row,
            "ngrams": int(matches.ngrams[i]),
            "share": float(matches.ngrams[i] / found.ngrams[test]),
            "start": int(matches.start[i]),
            "end": int(matches.end[i]),
        }


def _by_file(texts: _Numbered, dropped: list[int]) -> Iterator[str]:
    counts = dict.fromkeys(texts.counts(), 0)
    for document in dropped:
        counts[texts.file(document)] += 1
    for name, total in texts.counts().items():
        yield f"  {name}: {counts[name]:,} of {total:,} rows to drop"


def _too_short(found: Any, ngrams: int) -> Iterator[str]:
    count = int((found.ngrams == 0).sum())
    if count:
        yield f"{count:,} test items have fewer than {ngrams} words: nothing is known about them."
