"""Naive Bayes on exact counts: against a slow oracle, and the laws of every memory."""

import math
from collections import Counter, defaultdict
from copy import deepcopy

import numpy as np
import pytest

from addhash import TextClassifier
from addhash.errors import DocumentError, ExampleError, MergeError, ModelFileError, ParameterError
from addhash.hashing.vectorizer import TextVectorizer
from addhash.learning.view_weights import usual_weights
from tests.oracle import log_odds

ENGLISH = ["the cat sat on the mat", "a dog in the garden", "she walks to school", "what is it?"]
FRENCH = ["le chat est sur la table", "un chien dans le jardin", "elle marche", "qu'est-ce ?"]
GERMAN = ["die Katze sitzt hier", "ein Hund im Garten", "sie geht zur Schule", "was ist das?"]
TEXTS = ENGLISH + FRENCH + GERMAN
LABELS = ["en"] * 4 + ["fr"] * 4 + ["de"] * 4
ASKED = ["the dog is here", "le chien", "der Hund", "", "zzz qqq", "x", "a cat  and\ta mat"]
CUTS = [
    {"analyzer": "text", "ngram_range": (1, 5)},
    {"analyzer": "char", "ngram_range": (1, 5)},
    {"analyzer": "char", "ngram_range": (2, 3)},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
    {"analyzer": "word", "ngram_range": (1, 2)},
    {"analyzer": str.split},
]


def rounded(value):
    """The nearest whole number, half up."""
    return math.floor(value + 0.5)


def units(count):
    """log2(count) in units of 2^-16, on straight lines between 4,096 steps of an octave."""
    octave = count.bit_length() - 1
    step, between = divmod((count - 2**octave << 28) >> octave, 2**16)
    low, high = [rounded(2**20 * math.log2(1 + i / 4096)) for i in (step, step + 1)]
    return 65536 * octave + ((low + ((high - low) * between >> 16) + 8) >> 4)


def sum_of(logarithm):
    """log2(1 + 2^logarithm) in units of 2^-16, on straight lines between steps of 1/64."""
    step, between = divmod(logarithm, 1024)
    low, high = [rounded(65536 * math.log2(1 + 2 ** (i / 64))) for i in (step, step + 1)]
    return low + (high - low) * between // 1024


def level(total):
    """4 log2(total), rounded half up."""
    return rounded(4 * math.log2(total))


class Oracle:
    """The same rule by words in dictionaries: no hashing, so no collisions."""

    def __init__(self, cut, texts, labels, smoothing):
        self.analysis = TextVectorizer(lowercase=True, **cut).analysis()
        self.weights = usual_weights(self.analysis.orders)
        self.smoothing = smoothing
        self.of_class = defaultdict(Counter)
        self.texts = Counter(labels)
        for text, label in zip(texts, labels, strict=True):
            self.of_class[label].update(self.tokens(text))
        self.all = sum(self.of_class.values(), Counter())

    def tokens(self, text):
        tokens = self.analysis.tokens(text)
        return [token.decode() if isinstance(token, bytes) else token for token in tokens]

    def order(self, token):
        if callable(self.analysis.analyzer):
            return 0
        low, high = self.analysis.ngram_range
        if self.analysis.analyzer == "word":
            return len(token.split(" ")) - low
        if token.startswith("\x1f"):
            return high - low + token.count("\x1f")
        return len(token) - low if len(token) > low else 0

    def length(self, counter, order):
        return sum(count for token, count in counter.items() if self.order(token) == order)

    def more(self, logarithm):
        """log2(1 + 2^logarithm / smoothing) in units of 2^-16."""
        return sum_of(logarithm - rounded(65536 * math.log2(self.smoothing)))

    def bits(self, count):
        """The same of a count, in units of 2^-9, rounded half up."""
        return self.more(units(count)) + 64 >> 7 if count else 0

    def expected(self, total, tokens, every):
        """The evidence to be expected of so many of an order's tokens."""
        return self.more(2**14 * level(total) + units(tokens) - units(every)) if tokens else 0

    def scores(self, text):
        result = {}
        common = level(max(8, math.ceil(self.texts.total() / 20)))
        tokens = Counter(self.tokens(text))
        for label in sorted(self.texts):
            mine = self.of_class[label]
            mean = self.texts.total() // len(self.texts)
            score = 0.5 * math.log(2) / 65536 * units(self.texts[label] + mean)
            for order in range(len(self.analysis.orders)):
                length = self.length(tokens, order)
                share = self.length(mine, order)
                every = self.length(self.all, order)
                sums = [0, 0]
                for token, count in tokens.items():
                    total = self.all[token]
                    if self.order(token) != order or not total:
                        continue
                    # What others lack is left out of tokens of many classes: there are few here.
                    lacked = self.bits(total) - self.bits(total - mine[token])
                    value = 128 * (self.bits(mine[token]) + 2 * lacked)
                    value -= self.expected(total, share, every)
                    value -= 2 * self.expected(total, every, every)
                    value += 2 * self.expected(total, every - share, every)
                    sums[level(total) >= common] += count * value
                for is_common in (0, 1):
                    if length:
                        weight = self.weights[2 * order + is_common]
                        score += weight * sums[is_common] / 65536 / math.sqrt(length)
            result[label] = score
        recalled = [
            (mine.total(), label)
            for label, mine in self.of_class.items()
            if tokens and self.texts[label] <= 32 and tokens <= mine
        ]
        if recalled:
            _, best = min(recalled)
            others = [score for label, score in result.items() if label != best]
            result[best] = max(result[best], max(others) + 2)
        return result


def fitted(cut, texts=TEXTS, labels=LABELS, **parameters):
    vectorizer = TextVectorizer(lowercase=True, **cut)
    return TextClassifier(vectorizer=vectorizer, n_buckets=2**28, smoothing=0.25, **parameters).fit(
        texts, labels
    )


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_scores_are_the_oracles(cut, threads):
    oracle = Oracle(cut, TEXTS, LABELS, 0.25)
    decisions = fitted(cut, n_jobs=threads).decision_function(ASKED)
    for text, row in zip(ASKED, decisions, strict=True):
        expected = log_odds(list(oracle.scores(text).values()))
        np.testing.assert_allclose(row, expected, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_left_out_equals_never_learnt(cut):
    texts, labels = [*TEXTS, TEXTS[0], "only one"], [*LABELS, "en", "xx"]
    model = fitted(cut, texts, labels)
    result = model.leave_one_out(texts, labels)
    for i in range(len(texts)):
        rest = fitted(cut, texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :])
        answer = rest.predict_scores([texts[i]])[0]
        assert result.answers[i] == answer.label
        assert result.scores[i] == answer.score
    assert result.per_class()[-1].recall == 0
    assert result.confusion().sum() == len(texts)


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_left_out_equals_refitting_with_every_method(method):
    model = TextClassifier(method).fit(TEXTS, LABELS)
    result = model.leave_one_out(TEXTS, LABELS)
    for i in range(len(TEXTS)):
        rest = TextClassifier(method).fit(TEXTS[:i] + TEXTS[i + 1 :], LABELS[:i] + LABELS[i + 1 :])
        answer = rest.predict_scores([TEXTS[i]])[0]
        assert result.answers[i] == answer.label
        assert result.scores[i] == pytest.approx(answer.score, abs=1e-12)
    assert result.rejection()[-1].coverage == 1
    assert result.rejection()[-1].accuracy == result.accuracy


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_two_hundred_left_out_one_by_one_equal_models_without_them(method):
    """By forgetting, which equals never having learnt."""
    texts, labels = many_texts(seed=5, times=17)
    model = TextClassifier(method).fit(texts, labels)
    result = model.leave_one_out(texts[:200], labels[:200])
    for i in range(200):
        model.forget(texts[i : i + 1], labels[i : i + 1])
        answer = model.predict_scores(texts[i : i + 1])[0]
        model.learn(texts[i : i + 1], labels[i : i + 1])
        assert result.answers[i] == answer.label
        assert result.scores[i] == pytest.approx(answer.score, abs=1e-12)


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_only_what_was_learnt_can_be_left_out(method):
    model = TextClassifier(method).fit(TEXTS, LABELS)
    with pytest.raises(ExampleError):
        model.leave_one_out(["never seen before"], ["xx"])
    assert (
        TextClassifier(method).fit(["a b c"], ["x"]).leave_one_out(["a b c"], ["x"]).accuracy == 0
    )


def test_any_history_gives_the_same_bytes(tmp_path):
    whole = TextClassifier().fit(TEXTS, LABELS)
    whole.save(tmp_path / "whole")
    one_by_one = TextClassifier().fit([TEXTS[5]], [LABELS[5]])
    for i in (11, 0, 3, 7, 8, 1, 2, 10, 4, 9, 6):
        one_by_one.learn([TEXTS[i]], [LABELS[i]])
    one_by_one.learn(["quatsch", "ein Satz zu viel"], ["xx", "de"])
    one_by_one.forget(["ein Satz zu viel", "quatsch"], ["de", "xx"])
    one_by_one.save(tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    first, second = (
        TextClassifier().learn(TEXTS[i::2], LABELS[i::2]).save(tmp_path / str(i))
        or TextClassifier.load(tmp_path / str(i))
        for i in (0, 1)
    )
    digests = {
        TextClassifier.load(tmp_path / "0").merge(second).digest(),
        TextClassifier.load(tmp_path / "1").merge(first).digest(),
    }
    assert digests == {whole.digest()}
    loaded = TextClassifier.load(tmp_path / "whole")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), whole.predict_proba(ASKED))


def test_many_small_changes_equal_one_large():
    """More than the layer of recent changes holds."""
    random = np.random.default_rng(3)
    texts = ["".join(map(chr, random.integers(97, 123, 400))) for _ in range(120)]
    labels = [f"c{i % 7}" for i in range(120)]
    model = TextClassifier(smoothing=0.25).fit(texts[:20], labels[:20])
    for i in range(20, 120):
        model.learn(texts[i : i + 1], labels[i : i + 1])
    whole = TextClassifier(smoothing=0.25).learn(texts[:1], labels[:1]).learn(texts[1:], labels[1:])
    assert model.digest() == whole.digest()
    np.testing.assert_array_equal(model.decision_function(texts), whole.decision_function(texts))
    model.forget(texts[5:], labels[5:])
    assert model.digest() == TextClassifier(smoothing=0.25).fit(texts[:5], labels[:5]).digest()


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["never learnt"], ["en"]),
        ([ENGLISH[0]], ["fr"]),
        ([ENGLISH[0]] * 2, ["en"] * 2),
        (["x"], ["nobody"]),
        ([""] * 4, ["en"] * 4),
    ],
)
def test_what_the_counts_cannot_hold_is_not_forgotten(texts, labels):
    model = TextClassifier().fit(TEXTS, LABELS)
    before = model.digest()
    with pytest.raises(ExampleError, match="nothing was forgotten"):
        model.forget(texts, labels)
    assert model.digest() == before


def crossed():
    """A classifier whose classes hear of each other, and its texts and labels."""
    texts = [f"{text} {i} {i % 7}" for i in range(20) for text in TEXTS]
    labels = [*LABELS, *LABELS[::-1]] * 10
    return TextClassifier(n_jobs=1).fit(texts, labels), texts, labels


@pytest.mark.parametrize("is_crossed", [False, True])
def test_explanation_adds_up(is_crossed):
    model = crossed()[0] if is_crossed else TextClassifier().fit(TEXTS, LABELS)
    assert np.any(model.memory.crosses) == is_crossed
    for text in ASKED:
        why = model.explain(text)
        evidence = sum(share.evidence for share in why.tokens) + why.prior
        assert evidence == pytest.approx(why.evidence, abs=1e-12)
        margin = sum(share.evidence_margin for share in why.tokens) + why.prior_margin
        assert margin == pytest.approx(why.evidence_margin, abs=1e-12)
        if is_crossed:
            scores = model.decision_function([text])[0]
        else:
            scores = Oracle(CUTS[0], TEXTS, LABELS, 0.5).scores(text).values()
        best, second, _ = sorted(scores, reverse=True)
        assert why.evidence == pytest.approx(best, abs=1e-12)
        assert why.evidence_margin == pytest.approx(best - second, abs=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
def test_usual_weights_are_as_sure_as_the_spread_of_scores_allows(threads):
    """Only probabilities are: the same labels win."""
    texts, labels = many_texts(seed=3, times=5)
    model = TextClassifier(n_jobs=threads).learn(texts, labels)
    assert np.isnan(model.memory.biases).all()
    oracle = Oracle(CUTS[0], texts, labels, 0.5)
    shares = model.predict_proba(ASKED)
    for text, row, answer in zip(ASKED, shares, model.predict_scores(ASKED), strict=True):
        scores = np.array(list(oracle.scores(text).values()))
        expected = np.exp(log_odds(scores))
        np.testing.assert_allclose(row, expected / expected.sum(), rtol=1e-12)
        order = np.argsort(-scores, kind="stable")
        assert answer.label == model.classes_[order[0]] == model.classes_[row.argmax()]
        assert (answer.score, answer.runner_up) == (row.max(), model.classes_[order[1]])


@pytest.mark.parametrize("classes", [2, 6, 50, 1000])
def test_more_evidence_makes_surer_with_usual_weights(classes):
    sure = []
    for lead in range(80):
        odds = np.exp(log_odds([lead / 2] + [0] * (classes - 1)))
        sure.append(odds[0] / odds.sum())
    assert sure == sorted(sure)


def test_fitted_weights_are_sure_by_themselves():
    model, texts, _ = crossed()
    scores = model.decision_function(texts)
    why = model.explain(texts[0])
    assert why.evidence == pytest.approx(scores[0].max(), abs=1e-12)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        model.predict_proba(texts), shares / shares.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_views_of_other_classes_are_kept_as_far_as_the_classes_are(tmp_path):
    classifier, texts, labels = crossed()
    memory = classifier.memory
    assert memory.crosses.shape == (14, 3, 3)
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.memory.crosses, memory.crosses)
    # A class that comes later neither hears nor is heard of, wherever it stands.
    more = loaded.learn(["zz top", "aa meeting"], ["zz", "aa"])
    assert np.array_equal(more.memory.crosses, memory.crosses)
    fewer = classifier.restricted(["de", "fr"])
    assert np.array_equal(fewer.memory.crosses, memory.crosses[:, ::2][:, :, ::2])
    left_out = classifier.leave_one_out(texts[:20], labels[:20])
    for i in range(20):
        never = TextClassifier.load(tmp_path / "model").forget(texts[i : i + 1], labels[i : i + 1])
        assert never.predict(texts[i : i + 1])[0] == left_out.answers[i]
        assert never.predict_proba(texts[i : i + 1]).max() == left_out.scores[i]


def test_merged_models_keep_what_their_classes_hear_of_each_other():
    classifier, texts, labels = crossed()
    own = classifier.memory.crosses
    others = {"en": "it", "fr": "es", "de": "fr"}
    other = TextClassifier(n_jobs=1).fit(texts[:180], [others[label] for label in labels[:180]])
    for merged in (
        deepcopy(classifier).merge(other),
        deepcopy(other).merge(classifier),
    ):
        crosses = merged.memory.crosses
        assert merged.classes_.tolist() == ["de", "en", "es", "fr", "it"]
        # Those of the larger model: de, en and fr.
        assert np.array_equal(crosses[np.ix_(range(14), [0, 1, 3], [0, 1, 3])], own)
        # Of the other one, es and it, which come before and after fr.
        rest = other.memory.crosses[:, ::2][:, :, ::2]
        assert np.array_equal(crosses[np.ix_(range(14), [2, 4], [2, 4])], rest)
        assert not crosses[np.ix_(range(14), [0, 1, 3], [2, 4])].any()


def test_probabilities_are_finite_and_sum_to_one():
    model = TextClassifier().fit(TEXTS, LABELS)
    shares = model.predict_proba([*ASKED, "the cat sat " * 100_000])
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    assert model.predict(["the cat sat " * 100_000]).tolist() == ["en"]


def test_a_class_with_one_empty_text():
    model = TextClassifier().fit([*TEXTS, ""], [*LABELS, "empty"])
    assert model.predict(ENGLISH).tolist() == ["en"] * 4
    model.forget([""], ["empty"])
    assert model.digest() == TextClassifier().fit(TEXTS, LABELS).digest()


def test_classes_that_are_only_declared_are_never_answers():
    model = TextClassifier().partial_fit(TEXTS, LABELS, classes=["aa", "de", "en", "fr"])
    assert model.predict_proba(["zzz"])[0, 0] == 0
    assert "aa" not in model.predict(ASKED)


def test_long_and_many_labels():
    label = "x" * 2**20
    model = TextClassifier().fit(["a b", "c d"], [label, "y"])
    assert model.predict(["a b"]).tolist() == [label]
    many = TextClassifier(n_jobs=1).fit([f"{i}" for i in range(20_000)], np.arange(20_000))
    assert many.predict(["12345", "17708"]).tolist() == [12345, 17708]


def test_as_many_classes_as_fit_into_16_bits():
    numbers = np.arange(2**16)
    vectorizer = TextVectorizer(analyzer="word", ngram_range=(1, 1))
    model = TextClassifier(vectorizer=vectorizer, n_buckets=2**31 - 1, n_jobs=2)
    model.fit([f"w{i}" for i in numbers], numbers)
    assert model.predict(["w12345", "w65535"]).tolist() == [12345, 65535]
    before = model.digest()
    with pytest.raises(ExampleError, match="at most 65536 classes, got 65537"):
        model.learn(["one more"], [2**16])
    assert model.digest() == before
    model.forget(["w12345"], [12345])
    assert len(model.classes_) == 2**16 - 1


def test_counts_near_the_limit(tmp_path):
    """Counts of 2^62 are added up as long as their sum fits, and refused beyond."""
    from addhash.files.model_file import read_model, write_model

    vectorizer = TextVectorizer(analyzer=str.split)
    TextClassifier(vectorizer=vectorizer).fit(["a", "b"], [0, 1]).save(tmp_path / "model")
    file = read_model(tmp_path / "model", "TextClassifier")
    coded = file.arrays["buckets"].tolist()
    # A bucket of one class and count: its distance, 1, the class, and 2^62 - 2 in seven-bit groups.
    ends = [i for i in range(len(coded)) if coded[i] == 1 and coded[i + 1 : i + 2] in ([0], [2])]
    large = []
    for i, byte in enumerate(coded):
        if i - 1 in ends:
            large += [byte + 1, 0xFE, *[0xFF] * 7, 0x3F]
        else:
            large.append(byte)
    arrays = dict(file.arrays) | {
        "buckets": np.array(large, np.uint8),
        "tokens": np.full((2, 1), 2**62, np.int64),
    }
    write_model(tmp_path / "large", "TextClassifier", file.settings, arrays, {})
    with pytest.raises(ModelFileError):  # 2^63 in all
        TextClassifier.load(tmp_path / "large", analyzer=str.split)
    half = large[: len(large) // 2]
    one = {"buckets": np.array(half, np.uint8), "tokens": np.array([[2**62], [0]])}
    one["tokens"] = one["tokens"] if half[2] == 1 else one["tokens"][::-1].copy()
    write_model(tmp_path / "half", "TextClassifier", file.settings, dict(arrays) | one, {})
    model = TextClassifier.load(tmp_path / "half", analyzer=str.split)
    assert np.isfinite(model.decision_function(["a", "b"])).all()
    before = model.digest()
    with pytest.raises(ExampleError, match=r"2\*\*63"):
        model.merge(model)
    assert model.digest() == before
    model.learn(["a b"], [1])


@pytest.mark.slow
def test_ten_megabytes_of_text():
    model = TextClassifier().fit(TEXTS, LABELS)
    text = "the cat sat on the mat, " * (10 * 2**20 // 24)
    shares = model.predict_proba([text, "x" * 10 * 2**20])
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    assert model.predict([text]).tolist() == ["en"]


def test_priors_can_be_left_out():
    texts, labels = ["a b", "a b", "a b", "a c"], ["x", "x", "x", "y"]
    with_priors = TextClassifier().fit(texts, labels)
    without = TextClassifier(fit_prior=False).fit(texts, labels)
    assert with_priors.digest() == without.digest()
    assert with_priors.decision_function([""])[0] < 0
    assert with_priors.explain("a").prior == 0.5 * math.log(2) / 65536 * units(3 + 2)
    assert without.explain("a").prior == 0
    alone = without.leave_one_out(["a c"], ["y"])
    assert alone.answers.tolist() == ["x"]  # nobody else has the class


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_restricted_is_never_having_learnt_the_others(method):
    model = TextClassifier(method).learn(TEXTS, LABELS)
    kept = [i for i, label in enumerate(LABELS) if label != "fr"]
    rest = TextClassifier(method).learn([TEXTS[i] for i in kept], [LABELS[i] for i in kept])
    restricted = model.restricted(["en", "de"])
    assert restricted.digest() == rest.digest()
    assert restricted.predict(ASKED).tolist() == rest.predict(ASKED).tolist()
    assert set(model.classes_) == {"de", "en", "fr"}
    with pytest.raises(ExampleError, match="got 'xx'"):
        model.restricted(["en", "xx"])
    with pytest.raises(ExampleError, match="got none"):
        model.restricted([])


def many_texts(seed=0, times=20):
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(t.split(), 4)) for t in TEXTS for _ in range(times)]
    return texts, [label for label in LABELS for _ in range(times)]


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_fit_is_learn_and_tune(method, tmp_path):
    texts, labels = many_texts()
    fitted_at_once = TextClassifier(method).fit(texts, labels)
    by_parts = TextClassifier(method)
    for i in range(0, len(texts), 50):
        by_parts.learn(texts[i : i + 50], labels[i : i + 50])
    assert by_parts.digest() == fitted_at_once.digest()  # of what was learnt
    by_parts.tune(texts, labels)
    for name, model in (("fit", fitted_at_once), ("tune", by_parts)):
        model.save(tmp_path / name)
    assert (tmp_path / "fit").read_bytes() == (tmp_path / "tune").read_bytes()
    loaded = TextClassifier.load(tmp_path / "fit")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), by_parts.predict_proba(ASKED))


@pytest.mark.parametrize("n_neighbors", [1, 5])
@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_probabilities_are_calibrated_by_every_method(method, n_neighbors):
    if method != "nearest" and n_neighbors > 1:
        pytest.skip("only examples have neighbours")
    random = np.random.default_rng(1)
    words = {label: random.choice([*"abcdefghijklmnop"], (40, 5)) for label in sorted(set(LABELS))}
    common = random.choice([*"abcdefghijklmnop"], (60, 5))

    def some_text(label):
        own = random.choice(words[label], 2)
        return " ".join("".join(word) for word in [*own, *random.choice(common, 8)])

    labels = [random.choice(LABELS) for _ in range(1200)]
    texts = [some_text(label) for label in labels]
    model = TextClassifier(method, n_neighbors=n_neighbors).fit(texts[::2], labels[::2])
    shares = model.predict_proba(texts[1::2])
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)
    best = model.classes_[shares.argmax(axis=1)]
    assert (best == model.predict(texts[1::2])).mean() > 0.98  # but for equal votes
    right = best == np.array(labels[1::2])
    assert abs(right.mean() - shares.max(axis=1).mean()) < 0.05


def test_a_key_or_kept_examples_are_refused():
    with pytest.raises(ParameterError, match="a key does not hide"):
        TextClassifier(vectorizer=TextVectorizer(key=b"secret")).fit(TEXTS, LABELS)
    with pytest.raises(ParameterError, match="keeps no examples"):
        TextClassifier(keep_texts=True).fit(TEXTS, LABELS)
    with pytest.raises(ParameterError, match="smoothing"):
        TextClassifier(smoothing=0).fit(TEXTS, LABELS)


def test_other_buckets_do_not_merge():
    with pytest.raises(MergeError, match="n_buckets"):
        TextClassifier().fit(TEXTS, LABELS).merge(TextClassifier(n_buckets=99).fit(TEXTS, LABELS))


def test_auto_chooses_and_records(tmp_path):
    texts, labels = many_texts(times=12)
    model = TextClassifier().fit(texts, labels)
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.smoothing == "auto"
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), model.predict_proba(ASKED))
    assert model.leave_one_out(texts, labels).calibration_error() < 0.1
    shuffled = np.random.default_rng(0).permutation(len(texts))
    again = TextClassifier().fit([texts[i] for i in shuffled], [labels[i] for i in shuffled])
    assert again.digest() == model.digest()


def test_files_that_do_not_add_up(tmp_path):
    from addhash.files.model_file import read_model, write_model

    TextClassifier().fit(TEXTS, LABELS).save(tmp_path / "model")
    file = read_model(tmp_path / "model", "TextClassifier")

    def damaged(**changes):
        arrays = {name: np.array(array) for name, array in file.arrays.items()}
        for name, change in changes.items():
            change(arrays[name])
        write_model(tmp_path / "bad", "TextClassifier", file.settings, arrays, {})
        with pytest.raises(ModelFileError):
            TextClassifier.load(tmp_path / "bad")

    damaged(tokens=lambda a: a.__setitem__(0, a[0] + 1))
    damaged(tokens=lambda a: a.__setitem__(0, -1))
    damaged(buckets=lambda a: a.__setitem__(1, 0))
    damaged(buckets=lambda a: a.__setitem__(-1, 255))
    damaged(counts=lambda a: a.__setitem__(0, -5))
    damaged(counts=lambda a: a.__setitem__(0, 0))
    damaged(scale=lambda a: a.__setitem__(0, np.nan))


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_tune_takes_what_learn_takes(method, tmp_path):
    texts, labels = many_texts()
    for i, text in enumerate(texts):
        (tmp_path / f"{i}").write_text(text)
    names = [str(tmp_path / f"{i}") for i in range(len(texts))]
    vectorizer = TextVectorizer(analyzer="char", ngram_range=(1, 3), input="filename")
    by_files = TextClassifier(method, vectorizer=vectorizer).learn(names, labels)
    by_files.tune(names, labels)
    whole = TextClassifier(method, vectorizer=vectorizer).fit(names, labels)
    np.testing.assert_array_equal(by_files.predict_proba(names), whole.predict_proba(names))
    with pytest.raises(DocumentError, match="a label for each of 240 texts, got 239"):
        by_files.tune(names, labels[:-1])


def test_the_numbers_that_were_chosen_are_told():
    texts, labels = TEXTS * 10, LABELS * 10
    classifier = TextClassifier().fit(texts, labels)
    memory = classifier.memory
    chosen = classifier.chosen_
    assert chosen["smoothing"] == memory.smoothing
    assert chosen["weight of char 1, rare"] == memory.weights[0]
    assert chosen["weight of word 2, common"] == memory.weights[-1]
    assert chosen["bias of en"] == memory.biases[1]
    assert chosen["weight of word 2, common for en"] == memory.own_weights[1, -1] != 0
    assert not [name for name in classifier.learn(["new"], ["xx"]).chosen_ if "xx" in name]
    centroid = TextClassifier("centroid").fit(texts, labels)
    assert centroid.chosen_ == {"temperature": centroid.memory.temperature}
