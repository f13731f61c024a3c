"""Which texts the native core cuts into tokens, and which Python does."""

from collections.abc import Iterable
from copy import copy
from typing import Any

from sklearn.feature_extraction.text import HashingVectorizer

from addhash.core import native
from addhash.documents import check_present
from addhash.errors import DocumentError

__all__ = [
    "analyzes_natively",
    "record_batch",
    "retry_in_python",
    "text_options",
    "token_batch",
    "tokens_of",
]

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"

# A subclass that overrides one of these wants its own analysis.
_HOOKS = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "get_stop_words",
    "_char_ngrams",
    "_char_wb_ngrams",
    "_word_ngrams",
)


def analyzes_natively(vectorizer: Any) -> bool:
    """Tell whether the native core has the analysis that the parameters describe."""
    if vectorizer.preprocessor is not None or vectorizer.strip_accents:
        return False
    for hook in _HOOKS:
        if getattr(type(vectorizer), hook) is not getattr(HashingVectorizer, hook):
            return False
    if vectorizer.analyzer == "word":
        return (
            vectorizer.tokenizer is None
            and vectorizer.stop_words is None
            and vectorizer.token_pattern == DEFAULT_TOKEN_PATTERN
        )
    return vectorizer.analyzer in ("char", "char_wb")


def text_options(vectorizer: Any) -> dict[str, Any]:
    """Return the parameters of the native analysis."""
    min_n, max_n = vectorizer.ngram_range
    return {
        "analyzer": vectorizer.analyzer,
        "min_n": int(min_n),
        "max_n": int(max_n),
        "lowercase": bool(vectorizer.lowercase),
    }


def token_batch(vectorizer: Any, documents: list[Any], position: int) -> native.TokenBatch:
    """Cut documents into tokens in Python; the first one is number `position` of all."""
    analyze = vectorizer.build_analyzer()
    batch = native.TokenBatch()
    for i, document in enumerate(documents, position):
        if not callable(vectorizer.analyzer):
            check_present(document, i)
        with _Noting(i, "document"):
            batch.append_strings(analyze(document))
    return batch


def tokens_of(vectorizer: Any, document: Any) -> list[Any]:
    """Cut one document into tokens. A text that the native core is to cut has been decoded."""
    if analyzes_natively(vectorizer):
        tokens = native.tokens_of(document, **text_options(vectorizer))
        if isinstance(tokens, list):
            return tokens
        vectorizer = _for_retry(vectorizer, tokens, 0)
    elif not callable(vectorizer.analyzer):
        check_present(document, 0)
    with _Noting(0, "document"):
        return list(vectorizer.build_analyzer()(document))


def record_batch(input_type: str, records: list[Any], position: int) -> native.TokenBatch:
    """Read records of the given type; the first one is number `position` of all."""
    batch = native.TokenBatch()
    for i, record in enumerate(records, position):
        with _Noting(i, "record"):
            if input_type == "string":
                batch.append_strings(record)
            else:
                batch.append_pairs(_items(record) if input_type == "dict" else record)
    return batch


def _items(record: Any) -> Iterable[tuple[Any, Any]]:
    if not hasattr(record, "items"):
        raise DocumentError(
            f"expected a dict, got {record!r:.80} of type {type(record).__name__};"
            " for other records set input_type to 'pair' or 'string'."
        )
    items: Iterable[tuple[Any, Any]] = record.items()
    return items


class _Noting:
    """Adds the position of a document to what is raised while it is read."""

    def __init__(self, position: int, noun: str) -> None:
        self._note = f"in {noun} {position}"

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            error.add_note(self._note)


def retry_in_python(
    vectorizer: Any, failure: tuple[str, int], texts: list[str], start: int
) -> native.TokenBatch:
    """Cut texts in Python that the native core could not cut.

    A lone surrogate has no UTF-8 form: this raises what scikit-learn raises for it, unless no
    token holds it.
    """
    return token_batch(_for_retry(vectorizer, failure, start), texts, start)


def _for_retry(vectorizer: Any, failure: tuple[str, int], start: int) -> Any:
    """Return a vectorizer for texts that are decoded already."""
    what, index = failure
    if what != "surrogate":
        raise DocumentError(f"Document {start + index} has a token longer than 2 GiB.")
    decoded = copy(vectorizer)
    decoded.input = "content"
    return decoded
