"""What a document is at one moment: its exact sums and its number of tokens."""

from typing import NamedTuple

import numpy as np

from addhash.documents.sums import Sums, largest_magnitude
from addhash.documents.token_sums import Token, edit_sums
from addhash.errors import SumOverflowError
from addhash.hashing.configuration import HashConfiguration

LARGEST = 2**62 - 1  # the largest magnitude of a document's count and of its sums


class DocumentState(NamedTuple):
    """Sums and a count that belong together. States are immutable: an edit returns a new one."""

    configuration: HashConfiguration
    sums: Sums
    tokens: int
    bound: int  # no less than the magnitude of the count and of every sum

    @classmethod
    def empty(cls, configuration: HashConfiguration) -> "DocumentState":
        """Return the state of no tokens."""
        return cls(configuration, np.zeros(configuration.n_features, np.int64), 0, 0)

    @classmethod
    def of(cls, configuration: HashConfiguration, sums: Sums, tokens: int) -> "DocumentState":
        """Return the state of given sums, which must not be changed from then on."""
        bound = max(largest_magnitude(sums), abs(tokens))
        if bound > LARGEST:
            raise SumOverflowError(_no_room(bound))
        return cls(configuration, sums, tokens, bound)

    def edited(
        self, tokens: tuple[Token, ...], weights: tuple[int, ...], total: int, magnitude: int
    ) -> "DocumentState":
        """Add a few tokens with weights that sum to `total`, their magnitudes to `magnitude`."""
        if magnitude > LARGEST:
            raise SumOverflowError(_no_room(magnitude))
        sums = self.sums.copy()
        edit_sums(sums, self.configuration.hasher, tokens, weights)
        if self.bound + magnitude <= LARGEST:
            return DocumentState(
                self.configuration, sums, self.tokens + total, self.bound + magnitude
            )
        # Only the result shows whether it fits.
        return self.of(self.configuration, sums, self.tokens + total)

    def moved(self, sums: Sums, tokens: int) -> "DocumentState":
        """Add sums and a count, all below 2**62: nothing overflows."""
        return self.of(self.configuration, self.sums + sums, self.tokens + tokens)


def _no_room(magnitude: int) -> str:
    return (
        f"The document would have a sum or a count of magnitude {magnitude}, but exact sums"
        " end at 2**62 - 1. Keep several documents instead."
    )
