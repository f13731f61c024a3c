"""How confident the detector may be, by the length of a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.learning.calibration import LN2
from addhash.runtime import native

__all__ = ["Calibration", "pieces"]

Floats = npt.NDArray[np.float64]

ENTRY = "temperature"
FORMULA = " * (characters + 8) ** 0.7"
SCALES = np.arange(0.05, 5, 0.05).round(2)
# The texts that people ask about are more varied than the held-out ones.
CAUTION = 1.25


@dataclass(frozen=True)
class Calibration:
    """The evidence for a language is divided by `scale * (characters + 8) ** 0.7`.

    N-grams overlap and the words of a text are related, so their evidence is weaker than it seems,
    especially in long texts.
    """

    scale: float = 0.5

    def temperatures(self, lengths: Sequence[int]) -> Floats:
        """Return the divisors of the evidence for texts of some lengths."""
        powers: Floats = np.array(lengths, float) + 8
        native.logarithms(powers)
        powers *= 0.7
        native.exponentials(powers)
        powers *= self.scale
        return powers

    @classmethod
    def fitted(cls, evidence: Floats, lengths: Sequence[int], right: Any) -> "Calibration":
        """Return the calibration that fits held-out texts best, with some caution.

        `evidence` is in bits, a row per text; `right` has the column of the right class of each.
        """
        gaps = np.subtract(evidence, evidence.max(axis=1, keepdims=True), order="C")
        own = np.take_along_axis(gaps, np.asarray(right)[:, None], axis=1)[:, 0]

        def loss(scale: float) -> float:
            rates = LN2 / cls(scale).temperatures(lengths)
            shares = gaps * rates[:, None]
            native.exponentials(shares)
            masses = shares.sum(axis=1)
            native.logarithms(masses)
            return float((masses - own * rates).mean())

        return cls(round(CAUTION * min(SCALES.tolist(), key=loss), 4))

    @property
    def metadata(self) -> dict[str, str]:
        """The entry in a model file."""
        return {ENTRY: f"{self.scale:g}{FORMULA}"}

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> "Calibration":
        """Return the calibration of a model file, or the default.

        >>> Calibration.of(Calibration(1.25).metadata)
        Calibration(scale=1.25)
        """
        scale, formula, rest = metadata.get(ENTRY, "").partition(FORMULA)
        try:
            found = cls(float(scale))
        except ValueError:
            return cls()
        return found if formula and not rest and 0 < found.scale < 1e6 else cls()


def pieces(texts: Sequence[str], seed: int) -> Iterator[tuple[int, str]]:
    """Yield each text, and a sentence, two words and one word of it, with its position."""
    rng = np.random.default_rng(seed)
    for position, text in enumerate(texts):
        yield position, text
        words = text.split()
        for count in (20, 2, 1):
            if len(words) > count:
                start = int(rng.integers(len(words) - count))
                piece = " ".join(words[start : start + count])
                if any(map(str.isalpha, piece)):
                    yield position, piece
