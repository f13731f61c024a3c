import copy
import math
import pickle
from collections import Counter
from hashlib import shake_256

import numpy as np
import pytest

from addhash import AdditiveFeatureHasher, DocumentHash, errors
from addhash.documents.blob import LARGEST
from addhash.documents.strict_tokens import StrictTokens
from addhash.documents.sums import scaled
from addhash.documents.token_sums import CHUNK
from tests import oracle

TOKENS = ["to", "be", "or", "not", "to", "be", "größe", "語", "", "x" * 300, b"\xff\x00raw"]


def paper_value(tokens, n_features, modulus):
    """Equation (7), literally."""
    encoded = [t.encode() if isinstance(t, str) else t for t in tokens]
    digests = [shake_256(t).digest(n_features // 8) for t in encoded]
    return sum(int.from_bytes(digest, "little") for digest in digests) % modulus


class TestPaper:
    @pytest.mark.parametrize("n_features", [8, 64, 72, 1000, 2048, 4096])
    @pytest.mark.parametrize("modulus", [None, 2, 97, 2**61 - 1, 2**127, 3**700])
    def test_value_is_equation_7(self, n_features, modulus):
        document = DocumentHash(n_features, modulus=modulus).update(TOKENS)
        n = 2**n_features if modulus is None else modulus
        assert document.modulus == n
        assert document.value == paper_value(TOKENS, n_features, n)
        assert int.from_bytes(document.digest(), "little") == document.value
        assert len(document.digest()) == math.ceil((n - 1).bit_length() / 8)

    def test_the_digest_of_one_token_is_its_hash(self):
        for n_features in (8, 2048):
            digest = DocumentHash(n_features).add("token").digest()
            assert digest == shake_256(b"token").digest(n_features // 8)

    def test_removing_adds_the_inverse(self):
        h = int.from_bytes(shake_256(b"token").digest(256), "little")
        assert DocumentHash().remove("token").value == -h % 2**2048
        assert DocumentHash(modulus=1009).add("token", -5).value == -5 * h % 1009

    def test_value_of_large_counts(self):
        h = int.from_bytes(shake_256(b"token").digest(256), "little")
        for count in (LARGEST, -LARGEST, LARGEST - 1, 2**53 + 1):
            document = DocumentHash(modulus=2**4096).add("token", count)
            assert document.value == count * h % 2**4096

    @pytest.mark.parametrize("randomizer", oracle.DIGESTS)
    @pytest.mark.parametrize("key", [None, b"k", b"0123456789abcdef"])
    def test_every_randomizer_and_key(self, instruction_set, randomizer, key):
        document = DocumentHash(520, randomizer=randomizer, key=key).update(TOKENS[:-1])
        digests = [oracle.DIGESTS[randomizer](t.encode(), 520, key) for t in TOKENS[:-1]]
        assert document.value == sum(int.from_bytes(d, "little") for d in digests) % 2**520
        assert np.array_equal(document.sums, sum(map(oracle.signs, digests)))


class TestEdits:
    def test_every_edit_returns_the_document(self):
        document = DocumentHash(64)
        assert document.add("a").remove("a").replace("a", "b").update(["c"]) is document
        assert document.downdate(["c"]).edit(["b"], ["d"]).merge(document) is document
        assert document.subtract(document) is document
        assert document == DocumentHash(64)

    def test_str_and_its_bytes_are_one_token(self):
        assert DocumentHash().add("größe") == DocumentHash().add("größe".encode())

    def test_counts(self):
        document = DocumentHash().add("a", 3).add("b", np.int32(2)).remove("a", 2).add("c", 0)
        assert document == DocumentHash().update(["a", "b", "b"])
        assert (document.count, len(document)) == (3, 3)

    def test_long_lists_and_generators(self):
        tokens = [f"token {i % 5000}" for i in range(40_000)]
        expected = DocumentHash(256)
        for token, count in Counter(tokens).items():
            expected.add(token, count)
        assert DocumentHash(256).update(tokens) == expected
        assert DocumentHash(256).update(t for t in tokens) == expected
        assert DocumentHash(256).update(Counter(tokens).elements()) == expected
        assert DocumentHash(256).update(set(tokens)).count == 5000
        assert DocumentHash(256).update(np.array(tokens)) == expected

    def test_counters_are_ambiguous(self):
        with pytest.raises(errors.DocumentError, match="a Counter, which may mean its keys or"):
            DocumentHash(64).update(Counter(["a", "a"]))

    def test_negative_counts_have_no_length(self):
        document = DocumentHash().remove("a", 3)
        assert document.count == -3
        with pytest.raises(errors.AbsentTokenError, match="holds -3 tokens"):
            len(document)

    def test_truth(self):
        assert not DocumentHash()
        assert DocumentHash().add("a")
        assert DocumentHash().replace("a", "b")  # no tokens, but not empty
        assert not DocumentHash().replace("a", "a")

    @pytest.mark.parametrize("strict", [False, True])
    @pytest.mark.parametrize("bad", [None, 5, 1.5, ["a"], bytearray(b"a")])
    def test_bad_tokens_change_nothing(self, bad, strict):
        document = DocumentHash(64, strict=strict).update(["a", "b"])
        before = document.to_bytes()
        for edit in (
            lambda: document.add(bad),
            lambda: document.remove(bad),
            lambda: document.replace("a", bad),
            lambda: document.replace(bad, "a"),
            lambda: document.update(["a", bad]),
            lambda: document.update(iter(["a"] * 10_000 + [bad])),
            lambda: document.edit(["a"], [bad]),
            lambda: document.estimate(bad),
            lambda: document.decode(["a", bad]),
        ):
            with pytest.raises(errors.DocumentError, match="expected a str or bytes"):
                edit()
            assert document.to_bytes() == before

    def test_the_bad_token_is_named(self):
        for position in (9000, 40_000):  # of tokens that are read together, and of later ones
            tokens = ["a"] * position + [7]
            for given in (tokens, tuple(tokens), iter(tokens)):
                with pytest.raises(errors.DocumentError, match=f"Token {position} is 7 of type"):
                    DocumentHash(64).update(given)

    @pytest.mark.parametrize("single", ["token", b"token"])
    @pytest.mark.parametrize("strict", [False, True])
    def test_a_single_token_is_no_list(self, single, strict):
        with pytest.raises(errors.DocumentError, match="Put it in a list, or use add"):
            DocumentHash(strict=strict).update(single)
        with pytest.raises(errors.DocumentError, match="iterable of tokens, got 5"):
            DocumentHash(strict=strict).update(5)

    def test_lone_surrogates_are_refused(self):
        document = DocumentHash(64)
        for edit in (document.add, lambda t: document.update([t]), document.remove):
            with pytest.raises(UnicodeEncodeError):
                edit("\ud800")
        assert not document

    @pytest.mark.parametrize("count", [1.0, "1", None, True])
    def test_counts_are_integers(self, count):
        with pytest.raises(errors.ParameterError, match="'count' parameter of add"):
            DocumentHash().add("a", count)

    def test_sums_are_a_copy(self):
        document = DocumentHash(64).add("a")
        document.sums[:] = 0
        assert document.estimate("a").count == 1
        assert document.sums.dtype == np.int64

    def test_copies_are_independent(self):
        document = DocumentHash(64, strict=True).add("a")
        for other in (document.copy(), copy.copy(document), copy.deepcopy(document)):
            assert other == document
            assert other.strict
            other.remove("a")
            assert document.count == 1

    def test_documents_are_not_hashable(self):
        with pytest.raises(TypeError):
            hash(DocumentHash())

    def test_equality_with_something_else(self):
        assert DocumentHash() != 0
        assert DocumentHash(64) != DocumentHash(72)
        assert DocumentHash(64) == DocumentHash(64, strict=True)

    def test_subclasses_stay_what_they_are(self):
        class Page(DocumentHash):
            pass

        page = Page(64).add("a")
        for other in (page.copy(), page + page, Page.from_bytes(page.to_bytes())):
            assert type(other) is Page


class TestLimits:
    def test_sums_never_overflow(self):
        document = DocumentHash(64).add("a", LARGEST)
        for edit in (
            lambda: document.add("b"),
            lambda: document.remove("b"),
            lambda: document.update(["b"]),
            lambda: document.merge(DocumentHash(64).add("b")),
            lambda: document.add("a", 10**30),
        ):
            with pytest.raises(errors.SumOverflowError, match=r"exact sums end at 2\*\*62 - 1"):
                edit()
        assert document == DocumentHash(64).add("a", LARGEST)

    def test_room_is_found_again(self):
        """The bound that is kept is not the sums themselves."""
        document = DocumentHash(64)
        half = LARGEST // 2
        for _ in range(10):
            document.add("a", half).remove("a", half)
        assert not document
        assert document.add("a", LARGEST).count == LARGEST

    def test_vectors_and_cosines_of_large_counts(self):
        document = DocumentHash(256).add("a", 2**60).add("b", 2**60)
        small = DocumentHash(256).update(["a", "b"])
        assert document.similarity(small) == 1.0
        assert np.array_equal(document.vector(), small.vector())
        assert np.array_equal(document.vector("l1"), small.vector("l1"))
        assert abs(document.estimate("a").count / 2**60 - small.estimate("a").count) < 1e-12

    def test_half_precision_is_rounded_from_single_as_by_the_vectorizers(self):
        total = 10**9 + 7
        share = 2049 * total // 4096 + 1  # just above the middle of two halves
        found = scaled("vector", np.array([share, total - share]), "l1", "float16")
        assert found[0] == np.float16(np.float32(share / total)) != np.float16(share / total)


class TestStrict:
    def test_absent_tokens_are_not_removed(self):
        document = DocumentHash(64, strict=True).update(["a", "a", "b"])
        before = document.to_bytes()
        for edit in (
            lambda: document.remove("c"),
            lambda: document.remove("a", 3),
            lambda: document.add("b", -2),
            lambda: document.replace("c", "a"),
            lambda: document.replace("c", "c"),
            lambda: document.downdate(["a", "b", "b"]),
            lambda: document.edit(["c"], ["c"]),
            lambda: document.subtract(DocumentHash(64, strict=True).add("a", 3)),
        ):
            with pytest.raises(errors.AbsentTokenError, match="Cannot remove b'"):
                edit()
            assert document.to_bytes() == before
        document.downdate(["a", b"a", "b"])
        assert not document

    def test_a_refused_sum_leaves_the_tokens(self):
        document = DocumentHash(64, strict=True).add("a", LARGEST)
        for edit in (lambda: document.add("b"), lambda: document.update(["b"])):
            with pytest.raises(errors.SumOverflowError):
                edit()
        assert document.remove("a", LARGEST).add("b") == DocumentHash(64).add("b")

    def test_tokens_are_as_before_if_what_follows_fails(self):
        def fail():
            raise KeyboardInterrupt

        tokens = StrictTokens({b"a": 2})
        with pytest.raises(KeyboardInterrupt):
            tokens.change([(b"a", -2), (b"b", 1)], fail)
        assert tokens.counts == {b"a": 2}

    def test_merges_keep_the_tokens(self):
        a = DocumentHash(64, strict=True).update(["x", "y"])
        b = DocumentHash(64, strict=True).update(["y", "z"])
        merged = (a + b).remove("y", 2).remove("z")
        assert merged == DocumentHash(64).add("x")
        assert ((a + b) - b).downdate(["x", "y"]) == DocumentHash(64)

    def test_strict_and_other_documents_do_not_mix(self):
        with pytest.raises(errors.ConfigurationMismatchError, match="strict"):
            DocumentHash(strict=True) + DocumentHash()
        with pytest.raises(errors.ConfigurationMismatchError, match="strict"):
            DocumentHash() - DocumentHash(strict=True)


class TestMixing:
    BASE = DocumentHash(64, key=b"key one", modulus=97)

    @pytest.mark.parametrize(
        ("other", "named"),
        [
            (DocumentHash(72, key=b"key one", modulus=97), "n_features (64 and 72)"),
            (
                DocumentHash(64, randomizer="aes128", key=b"key one", modulus=97),
                "randomizer ('shake256' and 'aes128')",
            ),
            (DocumentHash(64, key=b"key two", modulus=97), "key (fingerprint"),
            (DocumentHash(64, modulus=97), "and none)"),
            (DocumentHash(64, key=b"key one", modulus=98), "modulus (97 and 98)"),
            (DocumentHash(64, key=b"key one"), "modulus (97 and 2**64)"),
            (DocumentHash(64, key=b"key one", modulus=10**30), "a number of 100 bits"),
        ],
    )
    def test_what_differs_is_named(self, other, named):
        for mix in (
            lambda: self.BASE + other,
            lambda: self.BASE - other,
            lambda: self.BASE.copy().merge(other),
            lambda: self.BASE.similarity(other),
        ):
            with pytest.raises(errors.ConfigurationMismatchError) as caught:
                mix()
            assert named in str(caught.value)
            assert "key one" not in str(caught.value)
        assert other != self.BASE

    def test_a_default_modulus_is_named_once(self):
        with pytest.raises(errors.ConfigurationMismatchError) as caught:
            DocumentHash(64) + DocumentHash(72)
        assert "modulus" not in str(caught.value)
        assert DocumentHash(64) + DocumentHash(64, modulus=2**64) == DocumentHash(64)

    def test_only_documents_mix(self):
        with pytest.raises(TypeError):
            DocumentHash() + 1
        with pytest.raises(TypeError):
            DocumentHash() - "token"
        for method in ("merge", "subtract", "similarity"):
            with pytest.raises(errors.ParameterError, match="Expected a DocumentHash, got 'a'"):
                getattr(DocumentHash(), method)("a")

    def test_augmented_assignment(self):
        document = same = DocumentHash(64).add("a")
        same += DocumentHash(64).add("b")
        same -= DocumentHash(64).add("a")
        assert document is same
        assert document == DocumentHash(64).add("b")


class TestVectors:
    @pytest.mark.parametrize("randomizer", ["shake256", "aes128"])
    @pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 1000, 40_000])
    @pytest.mark.parametrize("n_features", [8, 1000, 2048])
    def test_the_same_bits_as_the_vectorizers(self, randomizer, count, n_features):
        tokens = [f"token {i * i % 1000}" for i in range(count)]
        document = DocumentHash(n_features, randomizer=randomizer).update(tokens)
        for norm, dtype in [
            *((norm, f"float{bits}") for norm in ("l1", "l2", None) for bits in (16, 32, 64)),
            *((None, f"int{bits}") for bits in (16, 32, 64)),
            (None, "bits"),
        ]:
            if dtype == "int16" and count > 32767:
                continue
            hasher = AdditiveFeatureHasher(
                n_features, input_type="string", randomizer=randomizer, norm=norm, dtype=dtype
            )
            with np.errstate(over="ignore"):
                expected = hasher.transform([tokens])[0]
                found = document.vector(norm, dtype)
            assert found.dtype == expected.dtype
            assert found.tobytes() == expected.tobytes(), (norm, dtype)

    def test_parameters_are_checked(self):
        document = DocumentHash(64).add("a", 2**40)
        with pytest.raises(errors.ParameterError, match="'norm' parameter of vector"):
            document.vector("l3")
        with pytest.raises(errors.ParameterError, match="'dtype' parameter of vector"):
            document.vector(dtype="int8")
        with pytest.raises(errors.ParameterError, match="must be None with the integer"):
            document.vector(dtype=np.int64)
        with pytest.raises(errors.SumOverflowError, match=f"{2**40}.*does not fit int32"):
            document.vector(None, np.int32)
        low = DocumentHash(64).add("a", 2**15)
        with pytest.raises(errors.SumOverflowError):
            low.vector(None, np.int16)

    def test_similarity(self):
        a = DocumentHash().update(["john", "likes", "movies"])
        b = DocumentHash().update(["mary", "likes", "movies"])
        expected = a.vector(dtype=np.float64) @ b.vector(dtype=np.float64)
        assert abs(a.similarity(b) - expected) < 1e-15
        assert a.similarity(b) == b.similarity(a)
        assert a.similarity(a) == 1.0
        assert a.similarity(DocumentHash() - a) == -1.0
        assert a.similarity(a.copy().merge(a).merge(a)) == 1.0
        assert a.similarity(DocumentHash()) == 0.0


class TestBytes:
    def test_keys_are_given_again(self):
        document = DocumentHash(64, key=b"the right key").add("a")
        blob = document.to_bytes()
        assert b"the right key" not in blob
        read = DocumentHash.from_bytes(blob, key=b"the right key")
        assert read == document
        assert read.add("b") == document.copy().add("b")
        with pytest.raises(errors.ConfigurationMismatchError, match="none was given"):
            DocumentHash.from_bytes(blob)
        with pytest.raises(errors.ConfigurationMismatchError, match="expected that key") as caught:
            DocumentHash.from_bytes(blob, key=b"wrong key")
        assert "wrong key" not in str(caught.value)
        with pytest.raises(errors.ConfigurationMismatchError, match="made without a key"):
            DocumentHash.from_bytes(DocumentHash(64).to_bytes(), key=b"k")

    def test_strict_documents_stay_strict(self):
        document = DocumentHash(64, strict=True, modulus=10**9).update(["b", "a", "b", ""])
        read = DocumentHash.from_bytes(document.to_bytes())
        assert (read, read.strict, read.modulus) == (document, True, 10**9)
        with pytest.raises(errors.AbsentTokenError):
            read.remove("c")
        assert read.downdate(["a", "b", "b", ""]) == DocumentHash(64, modulus=10**9)

    def test_the_order_of_edits_leaves_no_trace(self):
        a = DocumentHash(64, strict=True).update(["x", "y", "z"]).remove("y")
        b = DocumentHash(64, strict=True).update(["z", "x"])
        assert a.to_bytes() == b.to_bytes()

    def test_small_documents_are_small(self):
        assert len(DocumentHash(2048).add("a").to_bytes()) == 2048 + 56 + 16
        assert len(DocumentHash(2048).add("a", 127).to_bytes()) == 2048 + 56 + 16
        assert len(DocumentHash(2048).add("a", 128).to_bytes()) == 2 * 2048 + 56 + 16

    def test_pickling(self):
        for document in (DocumentHash(64).add("a"), DocumentHash(64, strict=True).add("a")):
            read = pickle.loads(pickle.dumps(document))
            assert read == document
            assert read.strict == document.strict
        with pytest.raises(errors.ParameterError, match="cannot be pickled"):
            pickle.dumps(DocumentHash(64, key=b"secret"))


class TestParameters:
    @pytest.mark.parametrize(
        "parameters",
        [
            {"n_features": 0},
            {"n_features": 1001},
            {"n_features": 2**20 + 8},
            {"n_features": 64.0},
            {"n_features": True},
            {"randomizer": "md5"},
            {"key": "text"},
            {"key": b""},
            {"key": bytes(129)},
            {"modulus": 1},
            {"modulus": 0},
            {"modulus": -5},
            {"modulus": 2.0},
            {"modulus": True},
            {"strict": 1},
        ],
    )
    def test_bad_values_are_refused(self, parameters):
        (name,) = parameters
        with pytest.raises(errors.ParameterError, match=f"The {name!r} parameter of DocumentHash"):
            DocumentHash(**parameters)

    def test_the_key_is_not_shown(self):
        document = DocumentHash(64, key=b"sesame", modulus=97, strict=True)
        assert "sesame" not in repr(document)
        assert document.key_fingerprint.hex()[:16] in repr(document)
        assert DocumentHash(64).key_fingerprint is None
        assert "strict=True" in repr(document)
        assert "modulus=..." in repr(document)


@pytest.mark.parametrize("count", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_tokens_are_read_in_chunks(count):
    tokens = [f"t{i}" for i in range(count)]
    document = DocumentHash(64).update(tokens)
    assert document.count == count
    for same in (tuple(tokens), iter(tokens)):
        assert DocumentHash(64).update(same) == document
    assert document.downdate(tokens) == DocumentHash(64)
