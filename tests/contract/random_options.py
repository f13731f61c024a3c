"""Random parameters and hostile texts: ours and scikit-learn's must agree, errors included.

`python -m tests.contract.random_options 100000 SEED` runs so many, and stops at a difference.
"""

import random
import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np
import sklearn.feature_extraction.text as peers

import addhash
from tests.texts import HOSTILE, SCRIPTS

KINDS = ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"]
LETTERS = (
    "abcdeABC éÉñß ΣςσİıŁǅЖж中文あ한ﬁ²½१_'-.,;  \n\t\x00\x1c\x85\u00a0\u0301\u0300\u200d\u2028😀"
)
SURROGATE = "\ud800"
PIECES = ["to be or not to be", "the cat", "", " ", "a", "The", *HOSTILE, *SCRIPTS]
SHARED: dict[str, list[Any]] = {
    "analyzer": ["word", "word", "word", "char", "char_wb", str.split],
    "ngram_range": [(1, 1), (1, 2), (2, 3), (1, 5), (3, 2), (2, 2)],
    "lowercase": [True, False],
    "strip_accents": [None, "unicode", "ascii"],
    "stop_words": [None, "english", ["to", "a", "Σ"], ["THE"], []],
    "token_pattern": [
        *(r"(?u)\b\w\w+\b", r"\b\w+\b", r"\w+", r"\S+", r"(?u)\b(\w\w+)\b", r"(\S+)"),
        *(r"[a-z]+", r"(\w)\w", r"\w{3,}", "a|b"),
    ],
    "preprocessor": [None, None, None, str.upper],
    "tokenizer": [None, None, None, str.split],
    "binary": [True, False],
    "dtype": [np.int64, np.float64, np.float32, np.int32, np.int16, np.float16],
    "decode_error": ["strict", "ignore", "replace"],
    "encoding": ["utf-8", "latin-1"],
}
OWN: dict[str, dict[str, list[Any]]] = {
    "HashingVectorizer": {
        "n_features": [1, 2, 7, 64, 2**20],
        "norm": ["l1", "l2", None],
        "alternate_sign": [True, False],
    },
    "CountVectorizer": {
        "min_df": [1, 2, 0.5, 0, 1.0],
        "max_df": [1.0, 0.6, 1, 3, 0.0],
        "max_features": [None, None, 1, 5, 100],
        "vocabulary": [None, None, ["be", "to"], {"cat": 1, "the": 0}, {"a": 1}, {"to"}, []],
    },
}
OWN["TfidfVectorizer"] = OWN["CountVectorizer"] | {
    "norm": ["l1", "l2", None],
    "use_idf": [True, False],
    "smooth_idf": [True, False],
    "sublinear_tf": [True, False],
}


def matrix(X: Any) -> Any:
    X = X.copy()
    return type(X), X.shape, X.dtype, X.indices.dtype, *map(bytes, (X.indptr, X.indices, X.data))


def draw_texts(rng: random.Random) -> list[Any]:
    texts: list[Any] = []
    for _ in range(rng.choice([0, 1, 2, 3, 5, 9, 80])):
        pieces = rng.choices(PIECES, k=rng.randrange(3))
        if rng.random() < 0.5:
            pieces.append("".join(rng.choices(LETTERS, k=rng.randrange(30))))
        text = rng.choice(["", " ", "\n"]).join(pieces)[:300]
        if rng.random() < 0.01:
            text += SURROGATE
        texts.append(text.encode("utf-8", "ignore") if rng.random() < 0.05 else text)
    return texts


def draw(rng: random.Random) -> tuple[str, dict[str, Any], list[Any], list[Any]]:
    """Return a class, parameters, texts to learn and others."""
    kind = rng.choice(KINDS)
    choices = SHARED | OWN[kind]
    options = {
        name: rng.choice(choices[name]) for name in rng.sample(sorted(choices), k=rng.randrange(7))
    }
    # scikit-learn ends with a bare StopIteration if there is nothing to hash.
    least = [""] if kind == "HashingVectorizer" else []
    return kind, options, draw_texts(rng) or least, draw_texts(rng) or least


def outcome(module: Any, kind: str, options: dict[str, Any], texts: Any, other: Any) -> Any:
    """Return all that fitting and transforming gives, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            vectorizer = getattr(module, kind)(**options)
            result = [matrix(vectorizer.fit_transform(texts)), matrix(vectorizer.transform(other))]
            if kind != "HashingVectorizer":
                vocabulary = vectorizer.vocabulary_
                result += [list(vocabulary.items()), {type(v) for v in vocabulary.values()}]
                result.append(vectorizer.get_feature_names_out().tolist())
            if hasattr(vectorizer, "idf_"):
                result.append(bytes(vectorizer.idf_))
        except (ValueError, TypeError, AttributeError, UnicodeError) as error:
            result = [type(error).__name__, str(error)]
    return result, [str(warning.message) for warning in caught]


def check(rng: random.Random) -> str:
    """Compare one combination; return what came of it."""
    kind, options, texts, other = draw(rng)
    expected = outcome(peers, kind, options, texts, other)
    found = outcome(addhash, kind, options, texts, other)
    if found == expected:
        return f"{kind}: {'error' if isinstance(expected[0][0], str) else 'result'}"
    raise AssertionError(f"{kind}(**{options})\n{texts!r}\n{other!r}\n{expected}\n{found}")


def main() -> None:
    count, seed = int(sys.argv[1]), sys.argv[2]
    came: Counter[str] = Counter()
    for i in range(count):
        came[check(random.Random(f"{seed} {i}"))] += 1
        if i % 5000 == 4999:
            print(i + 1, dict(came), flush=True)
    print("all equal:", count, dict(came))


if __name__ == "__main__":
    main()
