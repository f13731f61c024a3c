"""How much of some texts, such as a benchmark's, other texts hold."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.errors import DocumentError
from addhash.frames import data_frame
from addhash.logs import timed
from addhash.parameters import PASSAGES, check_values
from addhash.progress import Progress, no_progress
from addhash.runtime import native, resolve_threads, text_refusal
from addhash.text.reading import as_strings, as_texts, batches


class OverlapMatches(NamedTuple):
    """Which text holds how many n-grams of which test item, and where.

    In the order of the texts. `start` and `end` enclose these n-grams in the text, in characters.
    """

    document: Ids
    test: Ids
    ngrams: Ids
    start: Ids
    end: Ids


class Overlap:
    """How much of each test item the texts hold.

    Attributes
    ----------
    matches : OverlapMatches
        Every text and test item that have an n-gram in common.
    ngrams : ndarray of shape (n_tests,)
        How many n-grams each test item has; none if it has fewer words than an n-gram.
    held : ndarray of shape (n_tests,)
        How many of them the texts hold, all together.
    n_documents : int
        How many texts were searched.
    """

    def __init__(self, matches: OverlapMatches, ngrams: Ids, held: Ids, n_documents: int) -> None:
        self.matches = matches
        self.ngrams = ngrams
        self.held = held
        self.n_documents = n_documents

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """For each test item the share of its n-grams that the texts hold; NaN if it has none."""
        return _share(self.held, self.ngrams)

    def documents(self, least: float = 0.0) -> Ids:
        """Return the texts to drop.

        Parameters
        ----------
        least : float, default=0.0
            The share of a test item's n-grams that a text must hold, at least; any if it is 0.

        Returns
        -------
        documents : ndarray of int
            Their numbers, ascending.
        """
        check_values("documents", PASSAGES, {"least": least})
        matches = self.matches
        is_dropped = np.zeros(self.n_documents, bool)
        share = _share(matches.ngrams, self.ngrams[matches.test])
        is_dropped[matches.document[share >= least]] = True
        return np.flatnonzero(is_dropped)

    def to_frame(self) -> Any:
        """Return the matches as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of `matches`, and the share of the test item's n-grams.
        """
        share = _share(self.matches.ngrams, self.ngrams[self.matches.test])
        return data_frame({**self.matches._asdict(), "share": share})

    def __repr__(self) -> str:
        return f"<Overlap: {self}>"

    def __str__(self) -> str:
        return (
            f"{np.count_nonzero(self.held):,} of {len(self.held):,} test items share n-grams with"
            f" {len(self.documents()):,} of {self.n_documents:,} texts"
        )


def _share(part: Ids, whole: Ids) -> npt.NDArray[np.float64]:
    share = np.full(len(whole), np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share


def find_overlap(
    texts: Iterable[Any],
    tests: Iterable[Any],
    *,
    ngrams: int = 13,
    lowercase: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Overlap:
    """Find out how much of each test item texts hold, such as those that a model is trained on.

    An n-gram is a run of n words. Words are compared, not hashes of them, so nothing is found that
    is not there. Case, and what stands between words, does not count.

    Parameters
    ----------
    texts : iterable of str or bytes
        Read once, batch by batch: a generator may yield more than fits in memory.
    tests : iterable of str or bytes
        The test items.
    ngrams : int, default=13
        How many words an n-gram has; in scripts without spaces each character is a word. Test items
        with fewer words have none.
    lowercase : bool, default=True
        Whether to ignore case.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.
    progress : callable, optional
        Called with "scan", how many texts are done, and None.

    Returns
    -------
    overlap : Overlap

    Examples
    --------
    >>> from addhash import find_overlap
    >>> tests = ["What is the capital of Norway?", "How many trams are there?"]
    >>> texts = ["It rains.", "Quiz: what is the capital of Sweden? Stockholm."]
    >>> found = find_overlap(texts, tests, ngrams=3)
    >>> found.share
    array([0.75, 0.  ])
    >>> found.documents()
    array([1])
    """
    check_values(
        "find_overlap", PASSAGES, {"ngrams": ngrams, "lowercase": lowercase, "n_jobs": n_jobs}
    )
    index = native.NgramIndex(words=int(ngrams))
    count = 0
    for batch in batches(as_texts(tests)):
        _read(index.add, batch, count, "Test item", lowercase=bool(lowercase))
        count += len(batch)
    joining = _Joining(index)
    options = {"lowercase": bool(lowercase), "threads": resolve_threads(n_jobs)}
    show = progress or no_progress
    done = 0
    with timed("find_overlap, %d test items", count):
        for batch in batches(as_texts(texts)):
            joining.add(*_read(index.scan, batch, done, "Document", **options), done)
            done += len(batch)
            show("scan", done, None)
    return Overlap(*joining.result(), done)


def _read(method: Any, batch: Any, start: int, noun: str, **options: Any) -> Any:
    try:
        return method(as_strings(batch, start), **options)
    except native.Failure as failure:
        if failure.status == native.Status.too_many:
            raise DocumentError("The test items have more than 2**31 n-grams; use fewer.") from None
        raise text_refusal(failure, noun, start) from None


class _Joining:
    """Places of n-grams in texts to matches of texts and test items."""

    def __init__(self, index: native.NgramIndex) -> None:
        numbers, ends = index.ngrams()
        self._numbers = numbers.astype(np.int64)
        self._sizes: Ids = np.diff(ends, prepend=np.uint64(0)).astype(np.int64)
        self._is_held = np.zeros(len(index), bool)
        # The test items of each n-gram one after the other; one that has it twice is there twice.
        self._tests = np.repeat(np.arange(len(ends)), self._sizes)[
            np.argsort(self._numbers, kind="stable")
        ]
        self._counts = np.bincount(self._numbers, minlength=len(index))
        self._starts = np.cumsum(self._counts) - self._counts
        self._matches: list[tuple[Ids, ...]] = []

    def add(self, *places: Any) -> None:
        """Add the places of a batch of texts: text, n-gram, start, end; and the first text."""
        document, ngram, start, end = (column.astype(np.int64) for column in places[:4])
        if not len(document):
            return
        self._is_held[ngram] = True
        # One entry for each test item of each place, then one for each text and test item.
        counts = self._counts[ngram]
        entry = np.repeat(np.arange(len(ngram)), counts)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
        test = self._tests[self._starts[ngram[entry]] + within]
        order = np.lexsort((start[entry], test, document[entry]))
        document, test = document[entry][order], test[order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = (np.diff(document) != 0) | (np.diff(test) != 0)
        first = np.flatnonzero(is_first)
        self._matches.append(
            (
                document[first] + places[4],
                test[first],
                np.diff(first, append=len(order)),
                start[entry][order][first],
                np.maximum.reduceat(end[entry][order], first),
            )
        )

    def result(self) -> tuple[OverlapMatches, Ids, Ids]:
        """Return all matches, and how many n-grams each test item has and how many are held."""
        empty: Ids = np.empty(0, np.int64)
        columns = zip(*self._matches, strict=True) if self._matches else [(empty,)] * 5
        ends = np.cumsum(self._sizes)
        held = np.concatenate([[0], np.cumsum(self._is_held[self._numbers])])
        return (
            OverlapMatches(*(np.concatenate(column) for column in columns)),
            self._sizes,
            held[ends] - held[ends - self._sizes],
        )
