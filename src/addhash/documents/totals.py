"""Sums of many documents."""

from collections.abc import Iterable, Iterator
from typing import Any

from addhash.documents.document_hash import DocumentHash
from addhash.errors import DocumentError


def sum_documents(documents: Iterable[DocumentHash]) -> DocumentHash:
    """Return the document of all tokens of many documents.

    Sums are exact: the bits are the same in whatever order and grouping documents are added.

    Parameters
    ----------
    documents : iterable of DocumentHash
        At least one. They are read one after the other and not changed; about log2(number of
        documents) sums are held at a time.

    Examples
    --------
    >>> from addhash import DocumentHash, sum_documents
    >>> pages = [DocumentHash().update(page.split()) for page in ["to be", "or not", "to be"]]
    >>> sum_documents(pages) == DocumentHash().update("to be or not to be".split())
    True
    """
    # Pairs, then pairs of pairs: strict documents are merged with fewer others. As in a binary
    # counter, number k is the sum of 2**k documents, or missing.
    sums: list[DocumentHash | None] = []
    for document in _checked(documents):
        carry = document.copy()
        for k, held in enumerate(sums):
            if held is None:
                sums[k] = carry
                break
            carry = held.merge(carry)
            sums[k] = None
        else:
            sums.append(carry)
    total, *others = (held for held in sums if held is not None)
    for other in others:
        total.merge(other)
    return total


def _checked(documents: Any) -> Iterator[DocumentHash]:
    """Yield documents, of which there must be at least one."""
    if isinstance(documents, DocumentHash) or not isinstance(documents, Iterable):
        raise DocumentError(
            f"Expected an iterable of DocumentHash, got {documents!r:.80} of type"
            f" {type(documents).__name__}. Put a single one in a list."
        )
    position = -1
    for position, document in enumerate(documents):
        if not isinstance(document, DocumentHash):
            raise DocumentError(
                f"Document {position} is {document!r:.80} of type {type(document).__name__};"
                " expected a DocumentHash."
            )
        yield document
    if position < 0:
        raise DocumentError(
            "Expected at least one document to sum, got none: an empty sum has no configuration."
            " Start with an empty DocumentHash."
        )
