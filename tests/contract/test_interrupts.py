"""Every change is complete or absent: it is interrupted at each line that it can be."""

import copy
import linecache
import re
import sys

import numpy as np
import pytest

from addhash import (
    CentroidClassifier,
    DocumentHash,
    Index,
    NearestNeighborClassifier,
    RollingHash,
    TextClassifier,
    TextIndex,
)

X = np.arange(1, 25).reshape(6, 4)
Y = np.array(list("aabbcc"))
TEXTS = ["one text", "two texts", "three", "fourth of all", "five", "and six"]
LABELS = list("aabbcc")


# Where objects that change are; what they call elsewhere does not know them.
KEEPERS = re.compile(r"addhash/(documents|estimators|learning|search)/")


class Interrupted(BaseException):
    """What Ctrl-C would raise."""


def lines_of(change):
    """Return how many lines of addhash a change runs through."""
    return _run(change, None)


def _run(change, stop_at):
    """Run a change; raise at its line number `stop_at`. Return how many lines were run."""
    count = 0
    entered = set()

    def trace(frame, event, argument):
        nonlocal count
        path, line = frame.f_code.co_filename, frame.f_lineno
        if not KEEPERS.search(path):
            return None
        if event == "line":
            if linecache.getline(path, line).lstrip().startswith("with "):
                # Leaving such a block is a line too, at which no signal is ever delivered.
                # The frame is kept: another could have its id.
                if (frame, line) in entered:
                    return trace
                entered.add((frame, line))
            count += 1
            if count == stop_at:
                sys.settrace(None)
                raise Interrupted
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        change()
    finally:
        sys.settrace(before)
    return count


def text_classifier(method, **parameters):
    return TextClassifier(method, n_jobs=1, **parameters).fit(TEXTS[:4], LABELS[:4])


def index_state(index):
    found = index.search(X, k=10)
    vectors = [v.tolist() for _, v in index.batches()]
    return index.ids.tolist(), found.ids.tolist(), found.scores.tolist(), vectors


def text_index():
    index = TextIndex(n_jobs=1)
    index.add(TEXTS[:4])
    return index


def filled_index():
    index = Index(4, n_jobs=1)
    index.add(X[:4])
    return index


def rolling():
    rolling = RollingHash(3, 64)
    rolling.extend(["a", "b", "c"])
    return rolling


def text_state(classifier):
    scores = [(p.label, p.score) for p in classifier.predict_scores(TEXTS)]
    return classifier.digest(), classifier.class_counts_.tolist(), scores


def vector_state(model):
    return model.classes_.tolist(), model.predict_proba(X).tolist(), model.n_features_in_


def document_state(document):
    return document.to_bytes()


def rolling_state(rolling):
    held = rolling.document().to_bytes(), len(rolling)
    for token in "xyz":
        rolling.push(token)  # the tokens that leave must be those that were there
    assert rolling.document() == DocumentHash(64).update(list("xyz"))
    return held


def other_texts(method):
    return TextClassifier(method, n_jobs=1).fit(["other"], ["d"])


CHANGES = {
    "Index.add": (filled_index, lambda i: i.add(X[4:]), index_state),
    "Index.remove": (filled_index, lambda i: i.remove([1, 2]), index_state),
    "TextIndex.add": (
        text_index,
        lambda i: i.add(TEXTS[4:]),
        lambda i: (i.ids.tolist(), i.search(TEXTS, 6)),
    ),
    "DocumentHash.update": (
        lambda: DocumentHash(64).update(list("abc")),
        lambda d: d.update(list("bcd")),
        document_state,
    ),
    "DocumentHash.replace": (
        lambda: DocumentHash(64).update(list("abc")),
        lambda d: d.replace("a", "z"),
        document_state,
    ),
    "strict DocumentHash.edit": (
        lambda: DocumentHash(64, strict=True).update(list("abc")),
        lambda d: d.edit(list("ab"), list("xyz")),
        document_state,
    ),
    "strict DocumentHash.replace": (
        lambda: DocumentHash(64, strict=True).update(list("abc")),
        lambda d: d.replace("a", "z"),
        document_state,
    ),
    "RollingHash.push": (rolling, lambda r: r.push("d"), rolling_state),
    "RollingHash.extend": (rolling, lambda r: r.extend(list("defgh")), rolling_state),
}
for kind in (NearestNeighborClassifier, CentroidClassifier):
    fitted = lambda kind=kind: kind(n_jobs=1).fit(X[:4], Y[:4])  # noqa: E731
    CHANGES |= {
        f"{kind.__name__}.fit": (fitted, lambda m: m.fit(X[::-1], Y), vector_state),
        f"{kind.__name__}.partial_fit": (
            fitted,
            lambda m: m.partial_fit(X[4:], Y[4:], classes=["q"]),
            vector_state,
        ),
        f"{kind.__name__}.forget": (fitted, lambda m: m.forget(X[2:4], Y[2:4]), vector_state),
        f"{kind.__name__}.merge": (
            fitted,
            lambda m, kind=kind: m.merge(kind(n_jobs=1).fit(X[4:], Y[4:])),
            vector_state,
        ),
    }
for method in ("bayes", "nearest", "centroid"):
    made = lambda method=method: text_classifier(method)  # noqa: E731
    CHANGES |= {
        f"TextClassifier.fit {method}": (made, lambda c: c.fit(TEXTS, LABELS), text_state),
        f"TextClassifier.learn {method}": (
            made,
            lambda c: c.learn(TEXTS[4:], list("cc")),
            text_state,
        ),
        f"TextClassifier.forget {method}": (
            made,
            lambda c: c.forget(TEXTS[2:4], list("bb")),
            text_state,
        ),
        f"TextClassifier.merge {method}": (
            made,
            lambda c, method=method: c.merge(other_texts(method)),
            text_state,
        ),
    }


@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupted_change_is_complete_or_absent(name):
    fresh, change, state_of = CHANGES[name]
    template = fresh()

    def make():
        return copy.deepcopy(template)

    before = state_of(make())
    changed = make()
    change(changed)
    after = state_of(changed)
    assert before != after
    victim = make()
    total = lines_of(lambda: change(victim))
    assert total > 5
    outcomes = set()
    for line in range(1, total + 1):
        victim = make()
        with pytest.raises(Interrupted):
            _run(lambda: change(victim), line)  # noqa: B023
        found = state_of(victim)
        assert found in (before, after), f"interrupted at line {line} of {total}"
        outcomes.add(found == after)
        if found == before and line % 5 == 0:
            # It can still be changed.
            victim = make()
            with pytest.raises(Interrupted):
                _run(lambda: change(victim), line)  # noqa: B023
            change(victim)
            assert state_of(victim) == after
    assert False in outcomes


REFUSED = {
    "continuous labels": lambda m: m.fit([[1, 2, 3]], [0.5]),
    "a huge value": lambda m: m.fit([[1e200, 1, 1], [1, 1, 1]], ["a", "b"]),
    "NaN": lambda m: m.partial_fit([[np.nan, 1, 1, 1]], ["a"]),
    "another width": lambda m: m.partial_fit([[1, 2]], ["a"]),
    "None as a label": lambda m: m.partial_fit(X[:1], [None]),
    "NaN as a label": lambda m: m.partial_fit(X[:1], [float("nan")]),
    "labels of another kind": lambda m: m.partial_fit(X[:1], [3]),
    "forgetting too much": lambda m: m.forget(X[[0, 0]], Y[[0, 0]]),
}


@pytest.mark.parametrize("reason", REFUSED)
@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_a_refused_change_leaves_the_model_and_its_file(kind, reason, tmp_path):
    model = kind(n_jobs=1).fit(X[:4], Y[:4])
    before = vector_state(model)
    model.save(tmp_path / "before")
    with pytest.raises((ValueError, TypeError)):
        REFUSED[reason](model)
    assert vector_state(model) == before
    model.save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    assert vector_state(kind.load(tmp_path / "after", n_jobs=1)) == before
