"""Runs of words that stand in several texts."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError, ParameterError
from addhash.logs import timed
from addhash.parameters import PASSAGES, check_values
from addhash.progress import Progress, no_progress
from addhash.runtime import native, resolve_threads, text_refusal
from addhash.search.duplicates.memory_limit import bytes_of, memory_in_use
from addhash.search.passages.result import Groups, Passages
from addhash.search.passages.saved_readings import SavedReadings
from addhash.search.text_digest import TextDigest
from addhash.text.reading import as_sequence, as_strings, as_texts, batches, bytes_in

READINGS = ("look", "count", "gather")
LEAST_FILTER = 1 << 16


def find_passages(
    texts: Any,
    *,
    min_words: int = 50,
    min_documents: int = 2,
    by: Iterable[Any] | None = None,
    lowercase: bool = True,
    memory: int | str | None = None,
    folder: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Passages:
    """Find the passages that stand in several texts: boilerplate, quotations, licences, templates.

    A passage is a run of at least `min_words` words that stands in `min_documents` texts, and in
    two places. Words are compared, not hashes of them; case, and what stands between words, does
    not count. It finds all places where a passage cannot be extended by a word on either side and
    still be one, and no others.

    Parameters
    ----------
    texts : iterable of str or bytes
    min_words : int, default=50
        The least length, in words; in scripts without spaces each character is a word.
    min_documents : int, default=2
        In how many texts a passage stands at least. With 1, it may repeat within a single text.
    by : iterable of hashable, optional
        A group for each text, such as its domain: texts are compared only within their group.
    lowercase : bool, default=True
        Whether to ignore case.
    memory : int or str, optional
        The most memory that the process may use, in bytes or as in "2GB". `texts` is then read
        three times instead of kept, and must be something that can be. About 25 bytes are needed
        for each word in a passage.
    folder : str or path-like, optional
        With `memory`, a dedicated folder for what each reading finds: 8 bytes for each window that
        recurs. A run that was stopped goes on after its last whole reading if it is started again
        with the same texts. Removing it is up to you.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.
    progress : callable, optional
        Called with a stage ("look", "count" or "gather"), how many texts are done, and the total
        or None.

    Returns
    -------
    passages : Passages

    Examples
    --------
    >>> from addhash import find_passages
    >>> texts = [
    ...     "All rights reserved. No part may be copied. It rains in Oslo.",
    ...     "The sun shines. All rights reserved; no part may be copied!",
    ... ]
    >>> found = find_passages(texts, min_words=5)
    >>> found
    <Passages: 1 in 2 of 2 texts; places: 2>
    >>> texts[1][found.places.start[1] : found.places.end[1]]
    'All rights reserved; no part may be copied'
    >>> list(found.clean(texts))
    ['All rights reserved. No part may be copied. It rains in Oslo.', 'The sun shines. ']
    """
    given = {"min_words": min_words, "min_documents": min_documents, "lowercase": lowercase}
    check_values("find_passages", PASSAGES, {**given, "n_jobs": n_jobs})
    groups = None if by is None else Groups.of(by)
    if memory is None:
        texts, limit = as_sequence(texts), None
        room = max(LEAST_FILTER, bytes_in(texts) // 2)
    else:
        texts = _rereadable(texts)
        limit = max(0, bytes_of(memory, "find_passages") - memory_in_use())
        room = limit // 4
    if folder is not None and memory is None:
        raise ParameterError("A folder is useful only with the 'memory' parameter; pass both.")
    readings = None
    if folder is not None:
        about = [int(min_words), int(min_documents), bool(lowercase)]
        readings = SavedReadings(Path(folder), [*about, None if groups is None else groups.digest])

    def new_finder() -> native.PassageFinder:
        return native.PassageFinder(
            words=int(min_words), texts=int(min_documents), filter_bytes=room
        )

    reader = _Reader(texts, groups, bool(lowercase), limit, resolve_threads(n_jobs))
    with timed("find_passages"):
        finder, count = reader.read(new_finder, readings, progress or no_progress)
    return Passages(finder, count, groups)


def _rereadable(texts: Any) -> Any:
    texts = as_texts(texts)
    if iter(texts) is texts:
        raise DocumentError(
            "With 'memory', texts are read three times, and an iterator can be read only once."
            " Pass an object whose __iter__ starts again, or leave 'memory' out."
        )
    return texts


class _Reader:
    """Texts that are read three times."""

    def __init__(
        self, texts: Any, groups: Groups | None, lowercase: bool, limit: int | None, threads: int
    ) -> None:
        self._texts = texts
        self._groups = groups
        self._lowercase = lowercase
        self._limit = limit
        self._threads = threads

    def read(
        self,
        new_finder: Callable[[], native.PassageFinder],
        saved: SavedReadings | None,
        progress: Progress,
    ) -> tuple[native.PassageFinder, int]:
        """Show all texts to a finder; return it, and how many texts there are."""
        finder = new_finder()
        ended, total = (0, None) if saved is None else saved.resume(finder)
        is_resumed = ended > 0
        for number, reading in enumerate(READINGS[ended:], ended + 1):
            done = 0
            digest = TextDigest()
            for batch in batches(self._texts):
                if saved is not None:
                    digest.add(batch)
                self._show(finder, reading, batch, done)
                done += len(batch)
                progress(reading, done, total)
            if is_resumed and saved is not None and not saved.is_of(done, digest):
                saved.forget()  # the run that was stopped had other texts
                return self.read(new_finder, saved, progress)
            if total is not None and done != total:
                raise DocumentError(
                    f"There were {total} texts when they were read first, and {done} when they"
                    " were read again. Pass texts that stay as they are."
                )
            total, is_resumed = done, False
            self._check_groups(total)
            finder.end_reading()
            if saved is not None and number < len(READINGS):
                saved.save(number, finder, total, digest)
        return finder, total or 0

    def _show(self, finder: native.PassageFinder, reading: str, batch: Any, start: int) -> None:
        try:
            getattr(finder, reading)(
                as_strings(batch, start),
                groups=self._groups_of(start, len(batch)),
                lowercase=self._lowercase,
                threads=self._threads,
            )
        except native.Failure as failure:
            if failure.status == native.Status.too_many:
                raise DocumentError(
                    "There are more than 2**31 texts, or words in passages; use fewer texts, or a"
                    " greater 'min_words'."
                ) from None
            raise text_refusal(failure, "Document", start) from None
        if self._limit is not None and finder.nbytes > self._limit:
            raise ParameterError.of(
                "find_passages",
                "memory",
                f"is too little: {self._limit:,} bytes of it were free, and the passages need"
                " more. Allow more, or raise 'min_words' or 'min_documents'.",
            )

    def _groups_of(self, start: int, count: int) -> npt.NDArray[np.uint32]:
        if self._groups is None:
            return np.empty(0, np.uint32)
        numbers = self._groups.numbers[start : start + count]
        if len(numbers) < count:
            self._check_groups(start + count)
        return numbers

    def _check_groups(self, count: int) -> None:
        if self._groups is not None and len(self._groups.numbers) != count:
            raise ParameterError.of(
                "find_passages",
                "by",
                f"must have one group for each text. Got {len(self._groups.numbers)} for {count}"
                " texts.",
            )
