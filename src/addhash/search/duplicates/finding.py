"""Every pair of similar texts among many."""

import tempfile
import uuid
import weakref
from collections.abc import Iterable, Iterator, Sized
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.errors import ParameterError
from addhash.files.work_folder import remove_work_folder
from addhash.logs import timed
from addhash.parameters import DUPLICATES, ClusterKind, Measure, UnitAnalyzer, check_values
from addhash.progress import Progress, no_progress
from addhash.runtime import native, resolve_threads
from addhash.search.duplicates.fields import refuse
from addhash.search.duplicates.grouping import (
    SimilarSets,
    check_keep,
)
from addhash.search.duplicates.memory_limit import bytes_of
from addhash.search.duplicates.on_disk import SetsOnDisk
from addhash.search.duplicates.records import (
    LEAST_WEIGHT,
    RECORD_THRESHOLD,
    find_record_duplicates,
)
from addhash.search.duplicates.result import Duplicates
from addhash.search.duplicates.similarity import TEXT_THRESHOLD, Similarity
from addhash.search.duplicates.token_sets import Cutting
from addhash.text.reading import as_texts

# They take 12 bytes each.
MOST_PAIRS = 1 << 30


class SetsInMemory:
    """The sets of texts, for further comparisons."""

    def __init__(self, sets: native.TokenSets, similarity: Similarity, threads: int) -> None:
        self._sets = sets
        self._similarity = similarity
        self._threads = threads

    def join(self, references: int | None, progress: Progress) -> SimilarSets:
        """Find all similar sets; with references, only pairs of a reference and another text."""
        progress("compare", 0, None)
        first, left, right, shared, is_complete = native.join_sets(
            self._sets,
            **self._similarity.native_options,
            boundary=references,
            most_pairs=MOST_PAIRS,
            threads=self._threads,
        )
        if not is_complete:
            raise ParameterError(
                f"There are more than {MOST_PAIRS:,} pairs of similar texts. Raise the"
                " 'threshold' parameter of find_duplicates, or use fewer texts."
            )
        return SimilarSets(first, self._sets.sizes(0, len(self._sets)), left, right, shared)

    def shared(self, left: Ids, right: Ids) -> npt.NDArray[np.uint32]:
        """Return how many tokens each pair of texts shares."""
        a, b = left.astype(np.uint32), right.astype(np.uint32)
        return self._sets.shared(a, b, threads=self._threads)


def find_duplicates(
    texts: Any,
    *,
    fields: Any = None,
    threshold: float | None = None,
    measure: Measure = "jaccard",
    analyzer: UnitAnalyzer = "auto",
    ngram_range: tuple[int, int] = (3, 3),
    lowercase: bool = True,
    clusters: ClusterKind = "representative",
    keep: Any = None,
    against: Iterable[Any] | None = None,
    least_weight: float | None = None,
    memory: int | str | None = None,
    folder: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Duplicates:
    """Find all near-duplicates among texts, or among records of several fields.

    A text becomes the set of its n-grams, each hashed to 64 bits. It finds every pair of texts
    whose sets are at least as similar as the threshold, and no others: the result equals that of
    comparing every pair of texts, and does not depend on the number of threads.

    Parameters
    ----------
    texts : iterable of str or bytes
        With `fields`, records: an Arrow, pandas or Polars table, a dict of columns, or dicts.
    fields : dict of str to float, str, Field or None; or list of str, optional
        The columns of records to compare, with a weight, a kind or a `Field` each. The similarity
        of two records is the weighted mean of their fields' similarities, over the fields that both
        have: sum(w_f s_f) / sum(w_f). See `Field` for s_f and for the default weights. None, NaN
        and blank strings are missing values.
    threshold : float, optional
        The lowest similarity of duplicates, above 0 and up to 1; by default 0.8, of records
        0.6. Low values are slow.
    measure : {"jaccard", "containment", "cosine"}, default="jaccard"
        The tokens that two sets share, divided by those in either set, those in the smaller set, or
        the geometric mean of their sizes.
    analyzer : {"auto", "word", "char", "char_wb"}, default="auto"
        What n-grams are made of. "auto": words, or characters in scripts without spaces; a text
        with fewer words than an n-gram has a single token of all its words. The others are as in
        the vectorizers. A text without tokens is a duplicate only of identical texts.
    ngram_range : tuple (min_n, max_n), default=(3, 3)
        How many words or characters a token has.
    lowercase : bool, default=True
        Whether to ignore case.
    clusters : {"representative", "connected"}, default="representative"
        Whether a text joins a cluster only if it is similar enough to the text that is kept, or if
        it is similar to any member, which allows chains.
    keep : {"first", "last", "longest"} or array of n numbers, default=None
        Which text of a cluster is kept; ties go to the first. "longest" is the one with the most
        distinct n-grams; with numbers, the text with the greatest one. None means "longest" for
        containment, so that no text is dropped in favour of an excerpt from it, otherwise "first".
    against : iterable of str or bytes, optional
        A reference collection: only pairs of a text here and one there count, and `keep` is False
        for texts with a near-duplicate in the reference. Pairs have the text on the left. Of
        records, a table with the same fields.
    least_weight : float, optional
        Of records: the share of all weight that the fields must have that two records both have,
        by default 0.5. Records with less in common are not compared.
    memory : int or str, optional
        The most memory that the process may use, in bytes or as in "2GB". The sets of the texts are
        then kept in files, and texts may be a generator that never holds all of them. The result is
        the same. About 100 bytes per text are needed.
    folder : str or path-like, optional
        Where to keep these files: a dedicated folder, by default a temporary one. An interrupted
        run resumes there if it is started again with the same texts. Removing it is up to you.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.
    progress : callable, optional
        Called with a stage, how much of it is done, and the total or None.

    Returns
    -------
    duplicates : Duplicates
        Of records, a `RecordDuplicates`, which can also explain pairs.

    Examples
    --------
    >>> from addhash import find_duplicates
    >>> found = find_duplicates(
    ...     [
    ...         "The cat sat on the mat and looked at the dog",
    ...         "the cat sat on the mat and looked at the dog!",
    ...         "It rains in Oslo",
    ...         "The cat sat on the mat and looked at the bird",
    ...     ],
    ...     threshold=0.7,
    ... )
    >>> found
    <Duplicates: 2 of 4 texts (50.0 %) are near-duplicates; pairs: 3, clusters: 1>
    >>> found.pairs
    Pairs(left=array([0, 0, 1]), right=array([1, 3, 3]), similarity=array([1. , 0.8, 0.8]))
    >>> found.clusters
    array([0, 0, 2, 0])
    >>> found.keep
    array([ True, False,  True, False])
    """
    if fields is not None:
        given = {"measure": measure != "jaccard", "analyzer": analyzer != "auto"}
        given |= {"ngram_range": tuple(ngram_range) != (3, 3), "lowercase": lowercase is not True}
        given |= {"memory": memory is not None, "folder": folder is not None}
        refuse("find_duplicates", given, "texts, and 'fields' is given", "records")
        check_values("find_duplicates", DUPLICATES, {"clusters": clusters, "n_jobs": n_jobs})
        least = LEAST_WEIGHT if least_weight is None else least_weight
        check_values("find_duplicates", DUPLICATES, {"least_weight": least})
        return find_record_duplicates(
            texts,
            fields,
            threshold=RECORD_THRESHOLD if threshold is None else threshold,
            least_weight=least,
            clusters=clusters,
            keep=keep,
            against=against,
            threads=resolve_threads(n_jobs),
            progress=progress or no_progress,
        )
    refuse("find_duplicates", {"least_weight": least_weight is not None}, "records", "texts")
    similarity = Similarity.of(measure, TEXT_THRESHOLD if threshold is None else threshold)
    cutting = Cutting.of(analyzer, ngram_range, lowercase)
    check_values("find_duplicates", DUPLICATES, {"clusters": clusters, "n_jobs": n_jobs})
    check_keep(keep)
    texts = as_texts(texts)
    threads = resolve_threads(n_jobs)
    show = progress or no_progress
    total = len(texts) if isinstance(texts, Sized) else None
    reference: _Counted | None = None
    if against is not None:
        against = as_texts(against)
        total = total + len(against) if total is not None and isinstance(against, Sized) else None
        reference = _Counted(against)
        texts = chain(reference, texts)
    held: SetsInMemory | SetsOnDisk
    if memory is None and folder is None:
        sets = cutting.sets(texts, threads, show, total)
        held, count = SetsInMemory(sets, similarity, threads), len(sets)
    elif memory is None:
        raise ParameterError("A folder is useful only with the 'memory' parameter; pass both.")
    else:
        limit = bytes_of(memory)
        # Created with the first file: a refused run leaves no folder.
        place = Path(folder or Path(tempfile.gettempdir(), f"addhash-{uuid.uuid4().hex}"))
        held = SetsOnDisk(place, cutting, similarity, limit, threads)
        if folder is None:
            weakref.finalize(held, remove_work_folder, place)
        count = held.read(texts, total, show)
    references = None if reference is None else reference.count
    check_keep(keep, count - (references or 0))
    with timed("find_duplicates, %d texts, %s", count, "on disk" if memory else "in memory"):
        found = held.join(references, show)
    return Duplicates(found, similarity, clusters, keep, held, references)


class _Counted:
    """Texts, counted as they pass."""

    def __init__(self, texts: Iterable[Any]) -> None:
        self._texts = texts
        self.count = 0

    def __iter__(self) -> Iterator[Any]:
        for text in self._texts:
            self.count += 1
            yield text
