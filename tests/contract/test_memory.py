"""Memory stays near what the result takes. Each case runs in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="memory is read from Linux's /proc"
)

PRELUDE = """
import numpy as np
from addhash import AdditiveHashingVectorizer, HashingVectorizer

def high_water():
    # Not from getrusage: that would begin with what the parent held when it forked.
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024

AdditiveHashingVectorizer(n_features=64).transform(["warm up"])
HashingVectorizer().transform(["warm up"])
"""

MANY = """
texts = (f"short document number {{i}}" for i in range({count}))
before = high_water()
"""


def used_beyond_result(code):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 2**20


@pytest.mark.parametrize(("count", "n_features"), [(1_000_000, 64), (150_000, 512)])
def test_many_short_documents(count, n_features):
    code = f"""
vectorizer = AdditiveHashingVectorizer(n_features={n_features}, randomizer="aes128")
{MANY.format(count=count)}
result = vectorizer.transform(texts)
assert result.shape == ({count}, {n_features})
print(high_water() - before - result.nbytes)
"""
    assert used_beyond_result(code) < 100


def test_a_million_short_documents_in_buckets():
    code = f"""
{MANY.format(count=1_000_000)}
X = HashingVectorizer().transform(texts)
assert X.shape[0] == 1_000_000
print(high_water() - before - X.data.nbytes - X.indices.nbytes - X.indptr.nbytes)
"""
    assert used_beyond_result(code) < 100


@pytest.mark.parametrize("randomizer", ["shake256", "aes128"])
def test_a_document_of_100_megabytes(randomizer):
    code = f"""
text = "The same sentence, again and again. " * 2_800_000
assert len(text) > 100_000_000
before = high_water()
vectorizer = AdditiveHashingVectorizer(
    analyzer="char", ngram_range=(3, 3), randomizer="{randomizer}", norm=None, dtype=np.int64
)
result = vectorizer.transform([text])
one = vectorizer.transform([text[:38]])  # a period and the two characters after it
assert np.abs(result[0] - 2_800_000 * one[0].astype(np.int64)).max() <= 4
print(high_water() - before)
"""
    assert used_beyond_result(code) < 100


def test_a_document_of_100_megabytes_in_buckets():
    code = """
text = "The same sentence, again and again. " * 2_800_000
before = high_water()
X = HashingVectorizer(norm=None).transform([text])
assert sorted(X.data.tolist()) in (
    sorted([s * 2_800_000 * n for s, n in signs])
    for signs in [[(s1, 1), (s2, 1), (s3, 1), (s4, 2), (s5, 1)]
                  for s1 in (1, -1) for s2 in (1, -1) for s3 in (1, -1)
                  for s4 in (1, -1) for s5 in (1, -1)]
)
print(high_water() - before)
"""
    assert used_beyond_result(code) < 200


@pytest.mark.parametrize("analyzer", ["char", "word"])
def test_a_long_text_among_duplicates_costs_little_per_ngram(analyzer):
    """Docs/duplicates.md states the cost: about 16 bytes for each n-gram of a text."""
    code = f"""
import random
from addhash import find_duplicates

text = random.Random(1).randbytes(2_000_000).hex()
text = text if "{analyzer}" == "char" else " ".join(text[i : i + 7] for i in range(0, len(text), 7))
find_duplicates(["warm up", text[:1000]], analyzer="{analyzer}")
before = high_water()
find_duplicates([text, "another text"], analyzer="{analyzer}")
print(high_water() - before)
"""
    assert used_beyond_result(code) < 24 * 4 + 64
