"""How texts become vectors: the options that several commands share."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import UsageError, worded
from addhash.errors import ExampleError

PANEL = "Hashing"
MOST_CHARACTERS = 1_000_000

# The options that set the parameters of vectorizers.
_OPTIONS = {
    "n_features": "--features",
    "n_buckets": "--features",
    "ngram_range": "--ngrams",
    "dtype": "--dtype",
    "norm": "--norm",
    "weights": "--idf",
}


AnalyzerOption = Annotated[
    Literal["char", "char_wb", "word"],
    typer.Option(help="Make tokens of characters, of characters inside words, or of words."),
]


def parse_ngrams(words: str) -> tuple[int, int]:
    """Return the least and the greatest length of n-grams.

    >>> parse_ngrams("3"), parse_ngrams("1-3")
    ((3, 3), (1, 3))
    """
    match = re.fullmatch(r"(\d{1,7})(?:-(\d{1,7}))?", words)
    if match is not None:
        low, high = int(match[1]), int(match[2] or match[1])
        if 1 <= low <= high <= MOST_CHARACTERS:
            return low, high
    raise UsageError(
        f"--ngrams must be a number such as 3, or a range such as 1-3. Got {words!r} instead."
    )


@dataclass(frozen=True, kw_only=True)
class HashingOptions:
    """The options of additive hashing."""

    panel = PANEL
    analyzer: AnalyzerOption = "char"
    ngrams: Annotated[
        str | None,
        typer.Option(
            metavar="N|N-M",
            help="How many characters or words make a token.",
            show_default="3; 1 for words",
        ),
    ] = None
    features: Annotated[
        int, typer.Option(metavar="N", help="The number of components of a vector.")
    ] = 2048
    lowercase: Annotated[bool, typer.Option(help="Ignore case.")] = False
    randomizer: Annotated[
        Literal["shake256", "aes128"],
        typer.Option(help="The hash function of additive hashing: the paper's, or a faster one."),
    ] = "shake256"

    idf: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Give rare tokens more weight: a file written by addhash idf.",
            show_default=False,
        ),
    ] = None

    @property
    def ngram_range(self) -> tuple[int, int]:
        """The fewest and the most characters or words in a token."""
        if self.ngrams is None:
            return (1, 1) if self.analyzer == "word" else (3, 3)
        return parse_ngrams(self.ngrams)

    def make_vectorizer(self, **more: Any) -> Any:
        """Build the vectorizer that the options describe, and check them."""
        return _text_vectorizer(self.idf, self._parameters(), randomizer=self.randomizer, **more)

    def _parameters(self) -> dict[str, Any]:
        return {
            "analyzer": self.analyzer,
            "ngram_range": self.ngram_range,
            "n_features": self.features,
            "lowercase": self.lowercase,
        }


@dataclass(frozen=True, kw_only=True)
class ClassifierHashingOptions:
    """The options of a classifier, whose defaults depend on its method."""

    panel = PANEL
    analyzer: Annotated[
        Literal["text", "char", "char_wb", "word"] | None,
        typer.Option(
            help="Make tokens of characters and words together, of characters, of characters"
            " inside words, or of words.",
            show_default="text for bayes, else char",
        ),
    ] = None
    ngrams: Annotated[
        str | None,
        typer.Option(
            metavar="N|N-M",
            help="How many characters or words make a token; with text, how many characters.",
            show_default="1-5 for bayes, else 3; 1-2 and 1 for words",
        ),
    ] = None
    features: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="The number of buckets for bayes, or of vector components for the other methods.",
            show_default="1048576 for bayes, else 2048",
        ),
    ] = None
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--keep-case",
            help="Ignore case, or not.",
            show_default="--lowercase for bayes",
        ),
    ] = None
    randomizer: Annotated[
        Literal["shake256", "aes128"] | None,
        typer.Option(
            help="The hash function of additive hashing, for nearest and centroid: the paper's,"
            " or a faster one.",
            show_default="shake256",
        ),
    ] = None

    idf: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Give rare tokens more weight, for nearest and centroid: a file written by"
            " addhash idf.",
            show_default=False,
        ),
    ] = None

    def make_classifier(self, method: Literal["bayes", "nearest", "centroid"], **more: Any) -> Any:
        """Build the classifier that the options describe, and check them."""
        import addhash

        is_bayes = method == "bayes"
        if is_bayes and self.randomizer is not None:
            raise UsageError("--randomizer is for --method nearest and centroid.")
        if is_bayes and self.idf is not None:
            raise UsageError("--idf is for --method nearest and centroid; bayes needs no weights.")
        analyzer = self.analyzer or ("text" if is_bayes else "char")
        usual = ("1-2" if is_bayes else "1") if analyzer == "word" else ("1-5" if is_bayes else "3")
        parameters = {
            "analyzer": analyzer,
            "ngram_range": parse_ngrams(self.ngrams or usual),
            "n_features": 2048 if is_bayes or self.features is None else self.features,
            "lowercase": is_bayes if self.lowercase is None else self.lowercase,
            "randomizer": self.randomizer or "shake256",
        }
        vectorizer = _text_vectorizer(self.idf, parameters, norm=None, dtype="int32")
        if is_bayes and self.features is not None:
            more["n_buckets"] = self.features
        classifier = addhash.TextClassifier(method, vectorizer=vectorizer, **more)
        return _in_words_of_options(classifier, lambda: classifier.learn([], []))


@dataclass(frozen=True, kw_only=True)
class TrickHashingOptions(HashingOptions):
    """The options of additive hashing, or of the hashing trick."""

    panel = PANEL
    method: Annotated[
        Literal["ah", "ht"], typer.Option(help="Additive hashing, or the hashing trick.")
    ] = "ah"

    def make_vectorizer(self, **more: Any) -> Any:
        """Build the vectorizer that the options describe, and check them."""
        if self.method == "ah":
            return super().make_vectorizer(**more)
        if self.randomizer != "shake256":
            raise UsageError("--randomizer is for --method ah; the hashing trick has its own hash.")
        if self.idf is not None:
            raise UsageError("--idf is for --method ah.")
        import addhash

        return _checked(addhash.HashingVectorizer(**self._parameters(), **more))


def _text_vectorizer(idf: str | None, parameters: dict[str, Any], **more: Any) -> Any:
    import addhash

    vectorizer = addhash.TextVectorizer(**parameters, **more)
    if idf is not None:
        frequencies = addhash.DocumentFrequencies.load(idf)
        vectorizer.set_params(weights=frequencies, sublinear_tf=True)
    return _checked(vectorizer)


def _checked(vectorizer: Any) -> Any:
    """Return the vectorizer, or raise an error in terms of the options."""
    return _in_words_of_options(vectorizer, lambda: vectorizer.transform([""]))


def _in_words_of_options(made: Any, attempt: Callable[[], Any]) -> Any:
    # There may be nothing to learn.
    with suppress(ExampleError), worded(_OPTIONS):
        attempt()
    return made
