"""Documents made from texts and kept up to date with their edits."""

from collections import Counter
from typing import Any

import numpy as np

from addhash.documents.document_hash import DocumentHash
from addhash.documents.state import DocumentState
from addhash.documents.token_sums import as_bytes
from addhash.errors import ParameterError
from addhash.hashing.additive import AdditiveHashing
from addhash.hashing.configuration import check_alike
from addhash.text.analysis import Analysis
from addhash.text.edits import changed_parts

# What documents need, and why.
EDITABLE = {
    "binary": (False, ": removing a token must not depend on how often it occurs"),
    "sublinear_tf": (
        False,
        ": the effect of removing a token must not depend on how often it occurs",
    ),
    "weights": (None, ", whose tokens all count 1"),
    "alternate_sign": (True, ", whose components are +1 and -1"),
}


def document_of_text(analysis: Analysis, hashing: AdditiveHashing, text: Any) -> DocumentHash:
    """Return the document of a text's tokens."""
    _check_editable(hashing)
    configuration = hashing.configuration
    if analysis.is_native:
        text, analysis = analysis.decode(text), analysis.for_content()
        count = analysis.token_count(text)
        if count is not None:
            sums = AdditiveHashing(configuration, dtype=np.int64).of_texts(analysis, [text], 1)
            return DocumentHash.of_state(DocumentState.of(configuration, sums[0], count))
    return DocumentHash.of_state(DocumentState.empty(configuration)).update(analysis.tokens(text))


def edit_document(
    analysis: Analysis, hashing: AdditiveHashing, document: Any, old_text: Any, new_text: Any
) -> DocumentHash:
    """Update a document from one text to another, hashing only the tokens that differ."""
    _check_editable(hashing)
    if not isinstance(document, DocumentHash):
        raise ParameterError(
            f"Expected a DocumentHash to edit, got {document!r:.80} of type"
            f" {type(document).__name__}."
        )
    check_alike(document.configuration, hashing.configuration, with_modulus=False)
    old, new = old_text, new_text
    if analysis.keeps_spaces:
        old, new = changed_parts(analysis, analysis.decode(old), analysis.decode(new))
        analysis = analysis.for_content()
    before = Counter(map(as_bytes, analysis.tokens(old)))
    after = Counter(map(as_bytes, analysis.tokens(new)))
    return document.edit((before - after).elements(), (after - before).elements())


def _check_editable(hashing: AdditiveHashing) -> None:
    """Refuse settings under which sums of hashes cannot follow an edit."""
    for name, (wanted, why) in EDITABLE.items():
        value = getattr(hashing, name)
        if value != wanted:
            raise ParameterError.of(
                "AdditiveHashingVectorizer",
                name,
                f"must be {wanted} for documents{why}. Got {value!r} instead.",
            )
