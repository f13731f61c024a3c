"""Whatever the vectors, every instruction set finds what the documented formula says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import addhash
from addhash import Index

# Of every kind that rows are kept as, and often alike: ties and near-ties are what matters.
values = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 127.0, -127.0, 128.0, 31750.0, -31751.0, 0.5, 1 / 3, 1e9]),
    st.integers(-200, 200).map(float),
)


def score(a, b):
    """The documented sum of 16 partial sums, one number after the other."""

    def dot(x, y):
        lanes = [0.0] * 16
        for i in range(len(x)):
            lanes[i % 16] += x[i] * y[i]
        while len(lanes) > 1:
            lanes = [lanes[i] + lanes[i + 1] for i in range(0, len(lanes), 2)]
        return lanes[0]

    norms = np.sqrt(dot(a, a)) * np.sqrt(dot(b, b))
    return dot(a, b) / norms if norms else 0.0


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(1, 40), st.integers(1, 40), st.integers(1, 6))
def test_search_follows_the_formula(data, width, count, k):
    rows = data.draw(arrays(np.float64, (count, width), elements=values))
    queries = data.draw(arrays(np.float64, (3, width), elements=values))
    index = Index(width)
    index.add(rows)
    expected = []
    for query in queries.tolist():
        scores = [float(score(query, row)) for row in rows.tolist()]
        order = sorted(range(count), key=lambda i: (-scores[i], i))[:k]
        expected.append([(i, scores[i]) for i in order])
    try:
        for name in addhash.info()["instruction_sets"]:
            addhash.set_instruction_set(name)
            found = index.search(queries, k, n_jobs=1)
            got = [
                list(zip(ids, scores, strict=True))
                for ids, scores in zip(found.ids.tolist(), found.scores.tolist(), strict=True)
            ]
            assert got == expected
    finally:
        addhash.set_instruction_set(None)
