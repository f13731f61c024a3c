"""The examples most similar to a text."""

from collections.abc import Iterable, Sequence
from itertools import islice

from addhash import TextIndex
from addhash.service.ledger import Example

BATCH = 5000


class SimilarExamples:
    """An index of examples by id, built when it is first asked for."""

    def __init__(self) -> None:
        self._index: TextIndex | None = None

    @property
    def is_built(self) -> bool:
        """Whether `build` was called."""
        return self._index is not None

    def build(self, examples: Iterable[Example]) -> None:
        """Index all examples."""
        index = TextIndex(keep_texts=False)
        examples = iter(examples)
        while batch := list(islice(examples, BATCH)):
            index.add([e.text for e in batch], ids=[e.id for e in batch])
        self._index = index

    def update(self, added: Sequence[tuple[int, str]], removed: Sequence[int]) -> None:
        """Follow a change, if the index was built."""
        index = self._index
        if index is None:
            return
        known = set(index.ids.tolist())
        gone = [i for i in removed if i in known]
        if gone:
            index.remove(gone)
        new = {i: text for i, text in added if i not in known}
        if new:
            index.add(list(new.values()), ids=list(new))

    def search(self, texts: Sequence[str], k: int) -> list[list[tuple[int, float]]]:
        """Return ids and cosines of the most similar examples of each text."""
        index = self._index
        if index is None or not len(index):
            return [[] for _ in texts]
        return [[(match.id, match.score) for match in row] for row in index.search(texts, k)]
