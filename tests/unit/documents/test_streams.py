import copy
import pickle
import random
import tracemalloc
from collections import deque

import numpy as np
import pytest

from addhash import DocumentHash, RollingHash, errors, sum_documents


def documents(count, **parameters):
    rng = random.Random(count)
    return [
        DocumentHash(64, **parameters).update([f"t{rng.randrange(9)}" for _ in range(i % 5)])
        for i in range(count)
    ]


class TestRollingHash:
    @pytest.mark.parametrize("window", [1, 2, 7, 100])
    @pytest.mark.parametrize("randomizer", ["shake256", "aes128"])
    def test_each_step_equals_the_window_from_scratch(self, window, randomizer):
        rng = random.Random(window)
        rolling = RollingHash(window, 64, randomizer=randomizer, key=b"k")
        last = deque(maxlen=window)
        for _ in range(300):
            token = rng.choice(["a", b"b", "größe", ""])
            rolling.push(token)
            last.append(token)
            expected = DocumentHash(64, randomizer=randomizer, key=b"k").update(last)
            assert rolling.document() == expected
            assert np.array_equal(rolling.sums, expected.sums)
            assert rolling.vector().tobytes() == expected.vector().tobytes()
            assert len(rolling) == len(last)

    @pytest.mark.parametrize("window", [1, 3, 10, 1000])
    def test_extend_equals_push(self, window):
        rng = random.Random(window)
        pushed, extended = RollingHash(window, 64), RollingHash(window, 64)
        for size in (0, 1, 2, 9, 10, 11, 500, 3, 2000, 1):
            tokens = [f"t{rng.randrange(20)}" for _ in range(size)]
            for token in tokens:
                pushed.push(token)
            extended.extend(iter(tokens))
            assert extended.document() == pushed.document()
            assert len(extended) == len(pushed)

    def test_a_million_tokens_do_not_drift(self):
        rng = random.Random(5)
        rolling = RollingHash(1000, 256, randomizer="aes128")
        for _ in range(20):
            rolling.extend([f"t{rng.randrange(10**6)}" for _ in range(50_000)])
        last = [f"end {i}" for i in range(1000)]
        for token in last:
            rolling.push(token)
        assert rolling.document() == DocumentHash(256, randomizer="aes128").update(last)

    def test_tokens_that_left_are_not_kept(self):
        rolling = RollingHash(10, 8)
        tracemalloc.start()
        for i in range(20_000):
            rolling.push(f"token {i}")
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert held < 100_000

    def test_the_document_does_not_roll_on(self):
        rolling = RollingHash(2, 64)
        rolling.extend(["a", "b"])
        document = rolling.document()
        rolling.push("c")
        assert document == DocumentHash(64).update(["a", "b"])
        document.add("d")
        assert rolling.document() == DocumentHash(64).update(["b", "c"])

    def test_bad_tokens_change_nothing(self):
        rolling = RollingHash(3, 64)
        rolling.extend(["a", "b", "c"])
        before = rolling.document()
        for call in (
            lambda: rolling.push(5),
            lambda: rolling.extend(["d", 5]),
            lambda: rolling.extend([5, "d", "e", "f", "g"]),
            lambda: rolling.extend("text"),
            lambda: rolling.extend(5),
        ):
            with pytest.raises(errors.DocumentError):
                call()
            assert rolling.document() == before
            assert len(rolling) == 3
        with pytest.raises(UnicodeEncodeError):
            rolling.push("\ud800")
        rolling.extend(["x", "y", "z"])
        assert rolling.document() == DocumentHash(64).update(["x", "y", "z"])

    @pytest.mark.parametrize("window", [0, -1, 1.0, "3", True, None])
    def test_windows_are_positive_integers(self, window):
        with pytest.raises(errors.ParameterError, match="'window' parameter of RollingHash"):
            RollingHash(window)

    def test_other_parameters_are_checked(self):
        with pytest.raises(errors.ParameterError, match="'n_features' parameter"):
            RollingHash(3, 63)
        assert RollingHash(3, 64).window == 3
        assert "window=3" in repr(RollingHash(3, 64, key=b"sesame"))
        assert "sesame" not in repr(RollingHash(3, 64, key=b"sesame"))


class TestSums:
    @pytest.mark.parametrize("parameters", [{}, {"strict": True}, {"key": b"k", "modulus": 97}])
    @pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 31, 32, 33, 100])
    def test_however_the_work_is_split(self, count, parameters):
        parts = documents(count, **parameters)
        before = [part.to_bytes() for part in parts]
        expected = parts[0].copy()
        for part in parts[1:]:
            expected = expected + part
        rng = random.Random(count)
        for _ in range(5):
            rng.shuffle(parts)
            cut = rng.randrange(count)
            found = [sum_documents(parts), sum_documents(iter(parts))]
            if cut:
                found.append(
                    sum_documents([sum_documents(parts[cut:]), sum_documents(parts[:cut])])
                )
            for document in found:
                assert document.to_bytes() == expected.to_bytes()
        assert sorted(part.to_bytes() for part in parts) == sorted(before)

    def test_the_sum_of_one_is_a_copy(self):
        document = DocumentHash(64).add("a")
        sum_documents([document]).add("b")
        assert document == DocumentHash(64).add("a")

    def test_what_is_refused(self):
        with pytest.raises(errors.DocumentError, match="at least one document"):
            sum_documents([])
        with pytest.raises(errors.DocumentError, match="Document 1 is 'a' of type str"):
            sum_documents([DocumentHash(64), "a"])
        with pytest.raises(errors.DocumentError, match="Put a single one in a list"):
            sum_documents(DocumentHash(64))
        with pytest.raises(errors.DocumentError, match="got 5 of type int"):
            sum_documents(5)
        with pytest.raises(errors.ConfigurationMismatchError, match="n_features"):
            sum_documents([DocumentHash(64), DocumentHash(72)])


def test_copies_of_a_window_roll_on_alone():
    for duplicate in (copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))):
        rolling = RollingHash(window=3, n_features=64)
        rolling.extend(["a", "b", "c", "d"])
        other = duplicate(rolling)
        for mine, theirs in zip("efghi", "uvxyz", strict=True):
            rolling.push(mine)
            other.push(theirs)
        assert rolling.document() == DocumentHash(64).update(["g", "h", "i"])
        assert other.document() == DocumentHash(64).update(["x", "y", "z"])
        other.extend(["u", "v", "w"])
        assert other.document() == DocumentHash(64).update(["u", "v", "w"])
