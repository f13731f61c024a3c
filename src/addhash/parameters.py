"""The allowed values of all parameters: one table, one message."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from addhash.errors import ParameterError

Analyzer = Literal["word", "char", "char_wb", "text"]
ClusterKind = Literal["representative", "connected"]
DecodeError = Literal["strict", "ignore", "replace"]
FieldKind = Literal["auto", "name", "text", "code", "date", "number"]
Input = Literal["filename", "file", "content"]
InputType = Literal["dict", "pair", "string"]
Measure = Literal["jaccard", "containment", "cosine"]
Method = Literal["bayes", "nearest", "centroid", "mixture"]
PartsOfText = Literal["words", "tokens"]
NormName = Literal["l1", "l2"]
RandomizerName = Literal["shake256", "aes128"]
UnitAnalyzer = Literal["auto", "word", "char", "char_wb"]
Weights = Literal["uniform", "similarity"]

# The number of each randomizer in document files.
RANDOMIZERS: dict[RandomizerName, int] = {"shake256": 1, "aes128": 3}
MAX_FEATURES = 2**20
# scikit-learn's.
DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"


@dataclass(frozen=True)
class Rule:
    """The allowed values of a parameter, in words and as a test."""

    allowed: str
    accepts: Callable[[Any], bool]


def is_integer(value: Any) -> bool:
    """Return whether a value's type is an integer type; bool is not."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _one_of(*names: Any, or_none: bool = False, or_callable: bool = False) -> Rule:
    words = ", ".join(map(repr, names))
    words += ", a callable" if or_callable else ""
    words += " or None" if or_none else ""

    def accepts(value: Any) -> bool:
        if isinstance(value, str):
            return value in names
        return (or_none and value is None) or (or_callable and callable(value))

    return Rule(words if len(names) + or_none + or_callable == 1 else f"one of {words}", accepts)


def _instance(kind: type, words: str, or_none: bool = False) -> Rule:
    suffix = " or None" if or_none else ""
    return Rule(words + suffix, lambda v: isinstance(v, kind) or (or_none and v is None))


def _integer(allowed: str, low: int, high: float = math.inf) -> Rule:
    return Rule(allowed, lambda v: is_integer(v) and low <= v <= high)


def _number(allowed: str, accepts: Callable[[float], bool], *others: str | None) -> Rule:
    def is_accepted(value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value in others
        return isinstance(value, Real) and not isinstance(value, bool) and accepts(float(value))

    return Rule(allowed, is_accepted)


_BOOLEAN = Rule("True or False", lambda v: isinstance(v, bool | np.bool_))
_CALLABLE_OR_NONE = Rule("a callable or None", lambda v: v is None or callable(v))

_N_JOBS = Rule(
    "an integer other than 0, or None for all cores",
    lambda v: v is None or (is_integer(v) and v != 0 and abs(v) < 2**31),
)


def _is_ngram_range(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all(map(is_integer, value))
        and 1 <= value[0] <= value[1] < 2**31
    )


def _is_additive_dtype(value: Any) -> bool:
    if isinstance(value, str) and value == "bits":
        return True
    if isinstance(value, str) and value.startswith("a"):  # bytes: NumPy warns of that name
        return False
    try:
        return (
            value is not None
            and np.dtype(value).name in ADDITIVE_DTYPES
            and np.dtype(value).isnative
        )
    except (TypeError, ValueError, SyntaxError):  # whatever NumPy says of what is no type
        return False


ADDITIVE_DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16")

# How documents are read and tokenized.
TEXT = {
    "input": _one_of(*get_args(Input)),
    "encoding": _instance(str, "the name of an encoding"),
    "decode_error": _one_of(*get_args(DecodeError)),
    "strip_accents": _one_of("ascii", "unicode", or_callable=True, or_none=True),
    "lowercase": _BOOLEAN,
    "preprocessor": _CALLABLE_OR_NONE,
    "tokenizer": _CALLABLE_OR_NONE,
    "stop_words": Rule(
        "'english', a list of words or None",
        lambda v: v is None or isinstance(v, list | tuple | set | frozenset) or v == "english",
    ),
    "token_pattern": _instance(str, "a regular expression", or_none=True),
    "ngram_range": Rule("a tuple (min_n, max_n) with 1 <= min_n <= max_n", _is_ngram_range),
    "analyzer": _one_of(*get_args(Analyzer), or_callable=True),
    "binary": _BOOLEAN,
    "norm": _one_of(*get_args(NormName), or_none=True),
    "n_jobs": _N_JOBS,
}

# The hashing trick.
TRICK = {
    "n_features": _integer("an integer from 1 to 2147483647", 1, 2**31 - 1),
    "alternate_sign": _BOOLEAN,
}

# Additive hashing.
ADDITIVE = {
    "n_features": Rule(
        f"a multiple of 8 from 8 to {MAX_FEATURES}",
        lambda v: is_integer(v) and 8 <= v <= MAX_FEATURES and v % 8 == 0,
    ),
    "alternate_sign": _BOOLEAN,
    "norm": _one_of(*get_args(NormName), or_none=True),
    "dtype": Rule(f"one of {', '.join(ADDITIVE_DTYPES)} or 'bits'", _is_additive_dtype),
    "randomizer": _one_of(*RANDOMIZERS),
    "key": Rule("None or from 1 to 128 bytes", lambda v: v is None or v.is_valid),
    "n_jobs": _N_JOBS,
}

# Token weights.
WEIGHTING = {
    "weights": Rule(
        "DocumentFrequencies, their weights() or None", lambda v: v is None or hasattr(v, "table")
    ),
    "sublinear_tf": _BOOLEAN,
}
FREQUENCIES = {
    "n_buckets": _integer("an integer from 1 to 2**24", 1, 2**24),
    "n_jobs": _N_JOBS,
}

# Editable documents.
DOCUMENT = {
    "n_features": ADDITIVE["n_features"],
    "randomizer": ADDITIVE["randomizer"],
    "key": ADDITIVE["key"],
    "modulus": Rule(
        "None for 2**n_features, or an integer of at least 2",
        lambda v: v is None or (is_integer(v) and v >= 2),
    ),
    "strict": _BOOLEAN,
    "count": Rule("an integer", is_integer),
    "window": _integer("an integer from 1 to 2**48 - 1", 1, 2**48 - 1),
    "confidence": Rule(
        "a float between 0 and 1, exclusive", lambda v: isinstance(v, float) and 0 < v < 1
    ),
}

# Their vectors.
VECTOR = {"norm": ADDITIVE["norm"], "dtype": ADDITIVE["dtype"]}

# Records.
HASHER = {"input_type": _one_of(*get_args(InputType))}

_POSITIVE = _integer("an integer of at least 1", 1)

# Exact search.
INDEX = {
    "n_features": _integer(f"an integer from 1 to {MAX_FEATURES}", 1, MAX_FEATURES),
    "n_jobs": _N_JOBS,
}
NEIGHBORS = {"k": _POSITIVE, "size": _POSITIVE, "n_jobs": _N_JOBS}

# Classifiers.
CLASSIFIER = {
    "reject_below": _number("None or a number from -1 to 1", lambda v: -1 <= v <= 1, None),
    "n_neighbors": _POSITIVE,
    "weights": _one_of(*get_args(Weights)),
    "n_jobs": _N_JOBS,
}

TEXT_CLASSIFIER = {
    "method": _one_of(*get_args(Method)),
    "n_neighbors": _POSITIVE,
    "reject_below": CLASSIFIER["reject_below"],
    "reject_margin": _number("None or a number from 0 to 2", lambda v: 0 <= v <= 2, None),
    "n_nearest": _POSITIVE,
    "parts": _one_of(*get_args(PartsOfText)),
    "n_buckets": _integer("an integer from 1 to 2**31 - 1", 1, 2**31 - 1),
    "smoothing": _number("'auto' or a number from 1e-6 to 1e6", lambda v: 1e-6 <= v <= 1e6, "auto"),
    "fit_prior": _BOOLEAN,
    "keep_texts": _BOOLEAN,
    "n_jobs": _N_JOBS,
}


TEXT_INDEX = {"keep_texts": _BOOLEAN, "n_jobs": _N_JOBS}

# Near-duplicates.
DUPLICATES = {
    "threshold": _number("a number above 0 and up to 1", lambda v: 0 < v <= 1),
    "measure": _one_of(*get_args(Measure)),
    "analyzer": _one_of(*get_args(UnitAnalyzer)),
    "ngram_range": TEXT["ngram_range"],
    "lowercase": _BOOLEAN,
    "clusters": _one_of(*get_args(ClusterKind)),
    "least_weight": _number("a number from 0 to 1", lambda v: 0 <= v <= 1),
    "n_jobs": _N_JOBS,
}

# The fields of records.
FIELD = {
    "kind": _one_of(*get_args(FieldKind)),
    "weight": _number("a number above 0 or None", lambda v: 0 < v < math.inf, None),
    "tolerance": _number("a number of at least 0", lambda v: 0 <= v < math.inf),
}

# Repeated passages.
PASSAGES = {
    "min_words": _integer("an integer from 2 to 2**31 - 1", 2, 2**31 - 1),
    "min_documents": _integer("an integer from 1 to 2**31 - 1", 1, 2**31 - 1),
    "lowercase": _BOOLEAN,
    "keep": _one_of("first", "all"),
    "above": _number("a number from 0 to below 1, or None", lambda v: 0 <= v < 1, None),
    "ngrams": _integer("an integer from 1 to 2**31 - 1", 1, 2**31 - 1),
    "least": DUPLICATES["least_weight"],
    "mark": Rule("a str", lambda v: isinstance(v, str)),
    "n_jobs": _N_JOBS,
}


def check_parameters(estimator: Any, rules: Mapping[str, Rule]) -> None:
    """Raise a ParameterError for the first parameter that breaks its rule."""
    values = {name: getattr(estimator, name) for name in rules}
    check_values(type(estimator).__name__, rules, values)


def check_values(owner: str, rules: Mapping[str, Rule], values: Mapping[str, Any]) -> None:
    """Raise a ParameterError for the first value that breaks the rule for its name."""
    for name, value in values.items():
        rule = rules[name]
        if not rule.accepts(value):
            raise ParameterError.of(
                owner, name, f"must be {rule.allowed}. Got {_shown(value)} instead."
            )


def _shown(value: Any) -> str:
    """Return a value as Python would write it, even for NumPy's numbers."""
    return repr(value.item() if isinstance(value, np.generic) else value)
