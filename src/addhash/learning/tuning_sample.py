"""The examples that a classifier is tuned on: the same ones in whatever order they come."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

MOST_EXAMPLES = 8000


def tuning_sample(texts: Sequence[Any], labels: Sequence[Any], size: int) -> list[int]:
    """Return the positions of up to `size` examples.

    Each class has as many of them as the others, as far as it has examples.
    """

    def key(i: int) -> bytes:
        text = texts[i]
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        return hashlib.blake2b(data + b"\0" + repr(labels[i]).encode(), digest_size=8).digest()

    order = sorted(range(len(texts)), key=key)
    if len(order) <= size:
        return order
    taken: Counter[Any] = Counter()
    ranks = []
    for i in order:
        taken[labels[i]] += 1
        ranks.append(taken[labels[i]])
    # In the order of the keys within a rank: sorting is stable.
    chosen = sorted(range(len(order)), key=ranks.__getitem__)[:size]
    return [order[i] for i in chosen]


class TuningSample:
    """The sample of examples that come in parts; it is all that has to be kept of them.

    >>> sample = TuningSample()
    >>> sample.add(["a text"], ["a label"])
    >>> sample.texts, sample.labels
    (['a text'], ['a label'])
    """

    def __init__(self) -> None:
        self.texts: list[Any] = []
        self.labels: list[Any] = []

    def add(self, texts: Sequence[Any], labels: Sequence[Any]) -> None:
        """Look at more examples."""
        texts, labels = [*self.texts, *texts], [*self.labels, *labels]
        chosen = tuning_sample(texts, labels, MOST_EXAMPLES)
        self.texts, self.labels = [texts[i] for i in chosen], [labels[i] for i in chosen]
