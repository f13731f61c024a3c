"""Documents that a vectorizer makes of texts, and updates."""

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, DocumentHash, errors


class TestText:
    TEXT = "The old man, the SEA; and  a\tfish! Größe ΟΔΥΣΣΕΥΣ 語学 " * 3

    @pytest.mark.parametrize(
        "parameters",
        [
            {},
            {"ngram_range": (1, 3)},
            {"analyzer": "char", "ngram_range": (2, 4)},
            {"analyzer": "char_wb", "ngram_range": (3, 3)},
            {"lowercase": False, "randomizer": "aes128", "key": b"k"},
            {"token_pattern": r"[^ ]+"},
            {"stop_words": "english"},
            {"analyzer": str.split},
            {"strip_accents": "unicode"},
        ],
    )
    @pytest.mark.parametrize(("norm", "dtype"), [("l2", np.float32), (None, np.int64)])
    def test_documents_have_the_vectors_of_texts(self, parameters, norm, dtype):
        vectorizer = AdditiveHashingVectorizer(**parameters, norm=norm, dtype=dtype)
        document = vectorizer.document(self.TEXT)
        expected = vectorizer.transform([self.TEXT])[0]
        assert np.array_equal(document.vector(norm, dtype), expected)
        assert len(document) == len(vectorizer.build_analyzer()(self.TEXT))
        new = self.TEXT.replace("man", "woman", 1) + "the end"
        edited = vectorizer.edit(document, self.TEXT, new)
        assert edited is document
        assert edited == vectorizer.document(new)
        assert not vectorizer.edit(document, new, "")

    def test_bytes_and_files(self, tmp_path):
        vectorizer = AdditiveHashingVectorizer(encoding="latin-1")
        assert vectorizer.document("größe".encode("latin-1")) == vectorizer.document("größe")
        path = tmp_path / "text"
        path.write_text("some words", encoding="utf-8")
        by_name = AdditiveHashingVectorizer(input="filename")
        assert by_name.document(path) == vectorizer.document("some words")
        assert (
            not by_name.edit(by_name.document(path), path, path).similarity(
                vectorizer.document("other")
            )
            > 0.5
        )

    def test_surrogates_that_no_token_holds(self):
        vectorizer = AdditiveHashingVectorizer()
        document = vectorizer.document("one \ud800 two")
        assert document == vectorizer.document("one two")
        assert vectorizer.edit(document, "one \ud800 two", "one three") == vectorizer.document(
            "three one"
        )
        with pytest.raises(UnicodeEncodeError):
            AdditiveHashingVectorizer(analyzer="char").document("one \ud800 two")

    def test_missing_texts_are_refused(self):
        for vectorizer in (
            AdditiveHashingVectorizer(),
            AdditiveHashingVectorizer(stop_words=["a"]),
        ):
            with pytest.raises(errors.DocumentError, match="Document 0 is None"):
                vectorizer.document(None)

    def test_other_configurations_are_refused(self):
        vectorizer = AdditiveHashingVectorizer(n_features=64, key=b"k")
        with pytest.raises(errors.ConfigurationMismatchError, match=r"n_features.*key"):
            vectorizer.edit(DocumentHash(72), "a", "b")
        with pytest.raises(errors.ParameterError, match="DocumentHash to edit, got 'a'"):
            vectorizer.edit("a", "a", "b")
        with_modulus = DocumentHash(64, key=b"k", modulus=97).update(["one", "two"])
        assert vectorizer.edit(with_modulus, "one two", "one").count == 1

    @pytest.mark.parametrize("parameters", [{"binary": True}, {"alternate_sign": False}])
    def test_what_cannot_be_edited_is_refused(self, parameters):
        (name,) = parameters
        vectorizer = AdditiveHashingVectorizer(**parameters)
        for call in (
            lambda: vectorizer.document("a text"),
            lambda: vectorizer.edit(DocumentHash(), "a", "b"),
        ):
            with pytest.raises(errors.ParameterError, match=f"The {name!r} parameter"):
                call()

    def test_strict_documents_refuse_other_texts(self):
        vectorizer = AdditiveHashingVectorizer(n_features=64)
        document = DocumentHash(64, strict=True).update(["some", "words"])
        with pytest.raises(errors.AbsentTokenError):
            vectorizer.edit(document, "other words", "new words")
        assert vectorizer.edit(document, "some words", "new words").count == 2
