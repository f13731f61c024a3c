"""How a text is cut into tokens: by the native core, or, with users' functions, here."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from addhash.arrow.texts import TextColumn
from addhash.errors import DocumentError, ParameterError
from addhash.parameters import DEFAULT_TOKEN_PATTERN, Analyzer, DecodeError, Input
from addhash.runtime import FieldsOnly, native, unless_surrogate
from addhash.text.ngrams import (
    MOST_LENGTHS,
    MOST_WORDS,
    character_ngrams,
    character_ngrams_in_words,
    text_ngrams,
    word_ngrams,
)
from addhash.text.reading import check_present
from addhash.text.stop_words import stop_list
from addhash.text.token_patterns import WordRule, word_rule
from addhash.text.tokens import noting, token_batches

Cut = Callable[[Any], Iterable[Any]]

# The native core's names of what `strip_accents` may be, other than a function.
NATIVE_ACCENTS = {None: "kept", "unicode": "unicode", "ascii": "ascii"}

# The parameters that may be users' functions.
FUNCTIONS = ("analyzer", "preprocessor", "strip_accents", "tokenizer")


def check_functions(where: str, functions: Mapping[str, Any]) -> None:
    """Refuse functions with other names, passed when a file is loaded."""
    unknown = set(functions) - set(FUNCTIONS)
    if unknown:
        raise ParameterError(
            f"{where} takes the functions {', '.join(FUNCTIONS)}."
            f" Got {', '.join(sorted(unknown))} instead."
        )


@dataclass(frozen=True)
class Analysis(FieldsOnly):
    """How texts are read and tokenized; each parameter means what it means in scikit-learn.

    `whole`, if given, is a function from a raw document to its tokens. It replaces all the rest: it
    is the analysis of a subclass that overrides scikit-learn's.

    Examples
    --------
    >>> from addhash.text.analysis import Analysis
    >>> Analysis(analyzer="char", ngram_range=(3, 3)).tokens("To be")
    [b'to ', b'o b', b' be']
    """

    input: Input = "content"
    encoding: str = "utf-8"
    decode_error: DecodeError = "strict"
    strip_accents: Any = None
    lowercase: bool = True
    preprocessor: Callable[[Any], Any] | None = None
    tokenizer: Cut | None = None
    stop_words: Any = None
    token_pattern: str | None = DEFAULT_TOKEN_PATTERN
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: Analyzer | Cut = "word"
    whole: Cut | None = None

    @classmethod
    def of(cls, parameters: Any, whole: Cut | None = None) -> "Analysis":
        """Return the analysis described by an object's attributes of the same names."""
        names = [field.name for field in fields(cls) if field.name != "whole"]
        return cls(**{name: getattr(parameters, name) for name in names}, whole=whole)

    def for_content(self) -> "Analysis":
        """Return the same analysis for texts that are already decoded."""
        return self if self.input == "content" else replace(self, input="content")

    @cached_property
    def is_native(self) -> bool:
        """Whether the native core tokenizes the texts."""
        if self.whole is not None or self.preprocessor is not None:
            return False
        if self.strip_accents not in NATIVE_ACCENTS:
            return False
        if self.analyzer == "word":
            return (
                self.tokenizer is None
                and self._word_rule is not None
                and all(type(word) is str for word in self._stop_list or ())
            )
        return self.analyzer in ("char", "char_wb", "text")

    @cached_property
    def _word_rule(self) -> WordRule | None:
        return word_rule(self.token_pattern)

    @cached_property
    def _stop_list(self) -> frozenset[Any] | None:
        return stop_list(self.stop_words)

    @property
    def keeps_spaces(self) -> bool:
        """Whether the core tokenizes, and white space stays what and where it is."""
        return self.is_native and not self.strip_accents

    @cached_property
    def native_options(self) -> native.TextOptions:
        """The parameters of the native analysis."""
        return self._options(*self.ngram_range)

    @cached_property
    def word_options(self) -> native.TextOptions:
        """The same for single words or characters."""
        return self._options(1, 1)

    def _options(self, min_n: int, max_n: int) -> native.TextOptions:
        assert isinstance(self.analyzer, str)
        rule = self._word_rule if self.analyzer == "word" else None
        return native.TextOptions(
            self.analyzer,
            int(min_n),
            int(max_n),
            bool(self.lowercase),
            accents=NATIVE_ACCENTS[self.strip_accents],
            is_any=rule.is_any if rule else False,
            least=rule.least if rule else 2,
            stop_words=self._native_stop_words() if rule else [],
        )

    def _native_stop_words(self) -> list[str]:
        """Return the stop words that a token of the core can equal: it has no lone surrogate."""
        words = self._stop_list or ()
        return [word for word in words if not any("\ud800" <= c <= "\udfff" for c in word)]

    @property
    def orders(self) -> tuple[str, ...]:
        """The kinds of tokens, each a length of n-grams: those of a function are of one kind."""
        if not self.is_native:
            return ("token",)
        low, high = self.ngram_range
        if high - low >= MOST_LENGTHS:
            raise ParameterError.of(
                "TextClassifier",
                "ngram_range",
                f"must have at most {MOST_LENGTHS} lengths, each of which is weighed on its own."
                f" Got {self.ngram_range!r} instead.",
            )
        unit = "word" if self.analyzer == "word" else "char"
        kinds = [f"{unit} {n}" for n in range(low, high + 1)]
        if self.analyzer == "text":
            kinds += [f"word {n}" for n in range(1, MOST_WORDS + 1)]
        return tuple(kinds)

    @property
    def is_plain(self) -> bool:
        """Whether no function of the user's and no removal of accents changes the text."""
        return (
            self.whole is None
            and self.preprocessor is None
            and not self.strip_accents
            and self.tokenizer is None
            and not callable(self.analyzer)
        )

    def decode(self, document: Any, position: int = 0) -> str:
        """Return the text of a document, which is number `position` of all."""
        if self.input == "content" and isinstance(document, str):
            return document
        check_present(document, position)
        if self.input == "filename":
            with open(document, "rb") as file:
                document = file.read()
        elif self.input == "file":
            document = document.read()
        if isinstance(document, bytes):
            try:
                document = document.decode(self.encoding, self.decode_error)
            except UnicodeDecodeError as error:
                error.add_note(
                    f"in document {position}; see the parameters encoding and decode_error"
                )
                raise
        if not isinstance(document, str):
            raise DocumentError(
                f"Document {position} is {document!r:.80} of type {type(document).__name__};"
                " expected a str or bytes."
            )
        return document

    def decode_batch(self, documents: Any, start: int) -> Any:
        """Return the texts of documents; the first one is number `start` of all.

        They are a list of str, or an Arrow column of UTF-8.
        """
        if isinstance(documents, TextColumn) and self.input == "content":
            is_utf8 = self.encoding.lower() in ("utf-8", "utf8") and self.decode_error == "strict"
            if is_utf8 or not documents.is_binary:
                return documents
        is_plain = self.input == "content" and isinstance(documents, list)
        if is_plain and native.text_length(documents) is not None:
            return documents
        return [self.decode(document, i) for i, document in enumerate(documents, start)]

    def tokens(self, document: Any) -> list[Any]:
        """Return the tokens of a document; those of the native core are UTF-8."""
        if self.is_native:
            text = self.decode(document)
            try:
                return native.tokens_of(text, self.native_options)
            except native.Failure as failure:
                unless_surrogate(failure)
            return list(self._cut_text(text))
        return list(self._cut(document, 0))

    def token_count(self, text: str) -> int | None:
        """Return the number of tokens of a text, or None if the native core cannot tokenize it."""
        if not self.is_native:
            return None
        try:
            return native.token_count(text, self.native_options)
        except native.Failure:
            return None

    def token_batches(self, documents: list[Any], start: int) -> Iterator[native.TokenBatch]:
        """Tokenize documents in Python; the first one is number `start` of all."""
        return token_batches(documents, start, self._cut)

    def retry(self, texts: list[str], start: int) -> Iterator[native.TokenBatch]:
        """Tokenize texts with a lone surrogate, which has no UTF-8 form, in Python.

        This raises what scikit-learn raises for it, unless no token contains it.
        """

        def cut(text: Any, position: int) -> Iterable[Any]:
            with noting(position, "document"):
                return self._cut_text(text)

        return token_batches(texts, start, cut)

    def prepare(self) -> None:
        """Raise now what the pattern or the stop words would raise with the first text."""
        if not self.is_native and self.whole is None and not callable(self.analyzer):
            self._cut_text  # noqa: B018  makes it

    def _cut(self, document: Any, position: int) -> Iterable[Any]:
        if self.whole is not None or callable(self.analyzer):
            with noting(position, "document"):
                return self._by_function(document)
        if not (self._takes_raw and self._is_raw(document)):
            document = self.decode(document, position)
        with noting(position, "document"):
            return self._cut_text(document)

    @cached_property
    def _takes_raw(self) -> bool:
        """Whether a user's function comes first, which may take documents of any type."""
        if self.preprocessor is not None:
            return True
        return self.tokenizer is not None and not self.lowercase and not self.strip_accents

    def _is_raw(self, document: Any) -> bool:
        """Return whether a document is passed to a user's function unread."""
        return self.input == "content" and not isinstance(document, bytes | float | None)

    def _by_function(self, document: Any) -> Iterable[Any]:
        """Tokenize a document with a user's function."""
        if self.whole is not None:
            return self.whole(document)
        assert callable(self.analyzer)
        return self.analyzer(document if self._is_raw(document) else self.decode(document))

    @cached_property
    def _cut_text(self) -> Cut:
        """The function from a text to its tokens."""
        prepare = self._preprocessor()
        low, high = self.ngram_range
        if self.analyzer == "char":
            return lambda text: character_ngrams(prepare(text), low, high)
        if self.analyzer == "char_wb":
            return lambda text: character_ngrams_in_words(prepare(text), low, high)
        if self.analyzer == "text":
            return lambda text: text_ngrams(prepare(text), low, high)
        tokenize = self._tokenizer()
        stop_words = self._stop_list
        return lambda text: word_ngrams(tokenize(prepare(text)), low, high, stop_words)

    def _preprocessor(self) -> Callable[[Any], Any]:
        if self.preprocessor is not None:
            return self.preprocessor
        strip = ACCENTS.get(self.strip_accents, self.strip_accents)
        if self.lowercase:
            return (lambda text: strip(text.lower())) if strip else str.lower
        return strip or (lambda text: text)

    def _tokenizer(self) -> Cut:
        if self.tokenizer is not None:
            return self.tokenizer
        if self.token_pattern is None:
            raise ParameterError(
                "The 'token_pattern' parameter must be a regular expression if there is no"
                " tokenizer. Got None instead."
            )
        pattern = re.compile(self.token_pattern)
        if pattern.groups > 1:
            raise ValueError(
                "More than 1 capturing group in token pattern. Only a single group should be"
                " captured."
            )
        return pattern.findall


def _without_marks(text: str) -> str:
    """Remove accents by Unicode's compatibility decomposition."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _ascii_only(text: str) -> str:
    """Remove accents, then drop everything that is not ASCII."""
    return unicodedata.normalize("NFKD", text).encode("ASCII", "ignore").decode("ASCII")


ACCENTS: dict[Any, Callable[[str], str] | None] = {
    None: None,
    "ascii": _ascii_only,
    "unicode": _without_marks,
}
