"""scikit-learn's text vectorizers with their usual options, against ours, on one thread."""

import lzma
import time
from collections.abc import Callable
from typing import Any

import sklearn.feature_extraction.text as peers

import addhash
from benchmarks.harness import data_folder, sms, wili

# With OMP_NUM_THREADS=1 every class uses one thread, also those without n_jobs.
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    'stop_words="english"': {"stop_words": "english"},
    'strip_accents="unicode"': {"strip_accents": "unicode"},
    'strip_accents="ascii"': {"strip_accents": "ascii"},
    r'token_pattern=r"\w+"': {"token_pattern": r"\w+"},
    r'token_pattern=r"\S+"': {"token_pattern": r"\S+"},
    "tokenizer=str.split": {"tokenizer": str.split, "token_pattern": None},
}
ANALYSES: dict[str, dict[str, Any]] = {
    "word (1, 1)": {},
    "word (1, 2)": {"ngram_range": (1, 2)},
    "char_wb (2, 5)": {"analyzer": "char_wb", "ngram_range": (2, 5)},
}


def reviews() -> list[str]:
    """Return long English texts."""
    path = data_folder() / "classification" / "reviews.tsv.xz"
    rows = lzma.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")
    return [row.split("\t", 2)[2].replace("\\n", "\n") for row in rows]


def ratio(theirs: Callable[..., Any], ours: Callable[..., Any], texts: list[str]) -> float:
    """Return by how many times ours takes less CPU time, each at its best, in turns."""
    least = {theirs: float("inf"), ours: float("inf")}
    for _ in range(3):
        for call in (theirs, ours, ours):
            start = time.process_time()
            call(texts)
            least[call] = min(least[call], time.process_time() - start)
    return least[theirs] / least[ours]


def run() -> list[dict[str, Any]]:
    rows = []
    for data, texts in {
        "head-235": wili("head-235/x.txt")[:1000],
        "sms": sms()[:2500],
        "reviews": reviews()[:200],
    }.items():
        for kind, choices in (
            ("HashingVectorizer", OPTIONS),
            ("CountVectorizer", ANALYSES),
            ("TfidfVectorizer", ANALYSES),
        ):
            for name, options in choices.items():
                theirs, ours = (getattr(module, kind)(**options) for module in (peers, addhash))
                row = {"class": kind, "options": name, "data": data}
                if choices is ANALYSES:
                    row["fit_transform"] = ratio(theirs.fit_transform, ours.fit_transform, texts)
                    # Ours makes this dict when it is first looked at.
                    row["fit_transform, then vocabulary_"] = ratio(
                        *(
                            lambda texts, v=v: (v.fit_transform(texts), v.vocabulary_)
                            for v in (theirs, ours)
                        ),
                        texts,
                    )
                row["transform"] = ratio(theirs.transform, ours.transform, texts)
                rows.append(row)
        print(data, flush=True)
    return rows
