"""Documents in lots that are worth the fixed cost of a call."""

from collections.abc import Iterable, Iterator

from addhash.cli.input.documents import Document

__all__ = ["in_lots"]

LOT_DOCUMENTS = 16_384


def in_lots(batches: Iterable[list[Document]]) -> Iterator[list[Document]]:
    """Join batches into lots."""
    lot: list[Document] = []
    for batch in batches:
        lot += batch
        if len(lot) >= LOT_DOCUMENTS:
            yield lot
            lot = []
    if lot:
        yield lot
