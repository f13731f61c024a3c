"""An index of texts that finds the most similar ones and knows how they were hashed."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from addhash.arrays import Ids
from addhash.errors import IdError, ParameterError
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel
from addhash.hashing.dense import is_bits
from addhash.hashing.vectorizer import TextVectorizer
from addhash.locks import exclusive
from addhash.parameters import NEIGHBORS, TEXT_INDEX, check_values
from addhash.runtime import resolve_threads
from addhash.search.encoded_vectors import EncodedVectors
from addhash.search.index_state import IndexState
from addhash.text.analysis import check_functions
from addhash.text.reading import as_sequence, batches


class TextMatch(NamedTuple):
    """A match: its id, its cosine with the query, and its text if texts are kept."""

    id: int
    score: float
    text: str | None


class TextIndex(SavedModel):
    """Texts and their ids, searched by the exact cosine of their vectors.

    Texts are hashed as `vectorizer` says, both when they are added and when they are searched for,
    and the file contains all of it: queries are always hashed the way the index was. Any number of
    threads can search at a time, even while others add or remove.

    Parameters
    ----------
    vectorizer : AdditiveHashingVectorizer or None, default=None
        How texts become vectors; by default character 3-grams, 2048 components.
    keep_texts : bool, default=True
        Whether to keep texts, to show them when they are found.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

    Examples
    --------
    >>> from addhash import TextIndex
    >>> index = TextIndex()
    >>> index.add(["John likes movies", "Mary likes music", "It rains in Oslo"])
    array([0, 1, 2])
    >>> for match in index.search(["movies that John likes"], k=2)[0]:
    ...     print(match.id, round(match.score, 2), match.text)
    0 0.74 John likes movies
    1 0.29 Mary likes music
    """

    _kind = "TextIndex"

    def __init__(
        self,
        vectorizer: TextVectorizer | None = None,
        *,
        keep_texts: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        check_values("TextIndex", TEXT_INDEX, {"keep_texts": keep_texts, "n_jobs": n_jobs})
        if vectorizer is None:
            vectorizer = TextVectorizer(
                analyzer="char", ngram_range=(3, 3), lowercase=False, norm=None, dtype=np.int32
            )
        if not isinstance(vectorizer, TextVectorizer) or is_bits(vectorizer.dtype):
            raise ParameterError.of(
                "TextIndex",
                "vectorizer",
                "must be an AdditiveHashingVectorizer"
                f" of numbers, or None. Got {vectorizer!r:.200} instead.",
            )
        self.vectorizer = vectorizer
        self.keep_texts = keep_texts
        self.n_jobs = n_jobs
        # Later changes to the vectorizer do not affect the index.
        self._settings = vectorizer.settings()
        self._arrays = vectorizer.parts()
        self._analysis, self._hashing = vectorizer.analysis(), vectorizer.hashing()
        self._state = IndexState.empty(self._hashing.configuration.n_features, keep_texts)

    def __len__(self) -> int:
        return len(self._state.ids)

    def __repr__(self) -> str:
        return f"<TextIndex of {len(self)} texts, {self.vectorizer!r}>"

    @property
    def ids(self) -> Ids:
        """The ids in the order in which they were added."""
        return self._state.ids.copy()

    def add(self, texts: Iterable[Any], ids: Any = None) -> Ids:
        """Add texts.

        Parameters
        ----------
        texts : iterable of str or bytes
        ids : array-like of integers, optional
            Their ids, all new. By default, numbering continues after the largest id ever used.

        Returns
        -------
        ids : ndarray
        """
        decoded = self._analysis.decode_batch(as_sequence(texts), 0)
        rows = self._encoded(decoded, "texts")
        kept = tuple(decoded) if self.keep_texts else None
        with exclusive(self):
            self._state, new = self._state.added(rows, ids, kept)
        return new

    def _encoded(self, texts: Any, what: str) -> EncodedVectors:
        """Hash texts, in batches, as decoded texts."""
        threads = resolve_threads(self.n_jobs)
        rows = EncodedVectors.empty(self._hashing.configuration.n_features)
        content = self._analysis.for_content()
        for batch in batches(texts):
            vectors = self._hashing.of_texts(content, batch, threads)
            rows = rows.appended(EncodedVectors.encode(vectors, rows.n_features, threads, what))
        return rows

    def remove(self, ids: Any) -> None:
        """Remove texts. It copies the others, so remove many at once rather than one by one.

        Parameters
        ----------
        ids : array-like of integers
            Ids in the index. If one is missing, nothing is removed.
        """
        with exclusive(self):
            self._state = self._state.removed(ids)

    def text(self, id: int) -> str:
        """Return the text with an id, if texts are kept."""
        state = self._state
        found = int(state.positions_of(np.array([id], np.int64))[0])
        if state.texts is None or found < 0:
            raise IdError(
                f"The index has no id {id}."
                if state.texts is not None
                else "The index keeps no texts; make it with keep_texts=True."
            )
        return state.texts[found]

    def search(self, texts: Iterable[Any], k: int = 10) -> list[list[TextMatch]]:
        """Find the texts with the highest cosine to each query.

        Parameters
        ----------
        texts : iterable of str or bytes
            The queries.
        k : int, default=10
            How many to find; all if the index has fewer.

        Returns
        -------
        matches : list of lists of TextMatch
            Best first; ties in the order in which the texts were added.
        """
        check_values("TextIndex.search", NEIGHBORS, {"k": k})
        state = self._state
        queries = self._encoded(self._analysis.decode_batch(as_sequence(texts), 0), "queries")
        positions, scores = state.rows.nearest(queries, int(k), resolve_threads(self.n_jobs))
        ids = state.ids.tolist()
        return [
            [
                TextMatch(ids[at], score, None if state.texts is None else state.texts[at])
                for at, score in zip(found, cosines, strict=True)
            ]
            for found, cosines in zip(positions.tolist(), scores.tolist(), strict=True)
        ]

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        state = self._state
        settings = {
            "next_id": state.next_id,
            "keep_texts": bool(self.keep_texts),
            "vectorizer": self._settings,
        }
        return settings, state.parts() | self._arrays

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        require(settings.keys() == {"next_id", "keep_texts", "vectorizer"}, "settings")
        keep_texts = member(settings, "keep_texts", bool)
        vectorizer = TextVectorizer.from_settings(
            member(settings, "vectorizer", dict), options["key"], options["functions"], parts
        )
        require(not is_bits(vectorizer.dtype), "vectors: they are bits")
        index = cls(vectorizer, keep_texts=keep_texts, n_jobs=options["n_jobs"])
        width = index._state.rows.n_features
        index._state = IndexState.from_parts(parts, settings, width, keep_texts)
        return index

    @classmethod
    def load(
        cls, path: Any, *, key: bytes | None = None, n_jobs: int | None = None, **functions: Any
    ) -> Self:
        """Load an index that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of a TextIndex raises ModelFileError.
        key : bytes, optional
            The vectorizer's key, if it had one.
        n_jobs : int or None, default=None
            As for a new index.
        **functions : callables
            The vectorizer's `analyzer`, `preprocessor`, `strip_accents` or `tokenizer`, if it was a
            function.

        Returns
        -------
        index : TextIndex
        """
        check_values("TextIndex.load", TEXT_INDEX, {"n_jobs": n_jobs})
        check_functions("TextIndex.load", functions)
        return cls._load(path, key=key, n_jobs=n_jobs, functions=functions)
