"""The core as WebAssembly under Node and in Chromium answers as Python does, to the bit."""

import base64
import json
import random
import subprocess
from hashlib import shake_256
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest

import addhash.languages
from addhash import (
    AdditiveHashingVectorizer,
    TextClassifier,
    TextVectorizer,
    find_duplicates,
    languages,
)
from addhash.errors import ModelFileError
from tests.browser.pages import new_page
from tests.golden import make_files
from tests.golden.make_files import LABELS, PROBES, TEXTS
from tests.golden.test_golden import VECTORS
from tests.web import hostile
from tests.web.texts import PLAIN, texts_of_languages


def in_a_page(browser):
    def serve(route):
        path, _, name = route.request.url.removeprefix(ORIGIN).partition("?")
        if not path:
            route.fulfill(body="<!DOCTYPE html>", content_type="text/html")
        elif path.endswith(".js"):
            route.fulfill(path=path, content_type="text/javascript")
        else:
            route.fulfill(path=unquote(name) or path)

    page = new_page(browser)
    page.route(f"{ORIGIN}**", serve)
    page.goto(ORIGIN)
    return page


def key_block(randomizer, key):
    """As in make_randomizer."""
    if randomizer == "aes128":
        return shake_256(b"addhash/aes128/" + key).digest(80)
    return (bytes([len(key)]) + key).ljust(136, b"\0") if key else b""


HERE = Path(__file__).parent
# A secure context, since digests need one. Nothing is served there: files come from this folder.
ORIGIN = "http://localhost/"
ASK = """async ([what, question]) => {
    const { open } = await import("./web/addhash.js");
    const { answersOf } = await import("./tests/web/questions.js");
    const read = async (path) => (await fetch("file?" + encodeURIComponent(path))).arrayBuffer();
    self.answers ??= answersOf(await open("./build/web/addhash.wasm"), read);
    return self.answers[what](question);
}"""
FIELDS = ("code", "short", "name", "ownName", "group", "probability", "groupProbability")
WASM = Path("build/web/addhash.wasm")
GOLDEN = "tests/golden/files/bayes"
LANGUAGES = Path(addhash.languages.__file__).parent


@pytest.fixture(scope="module", params=["node", "chromium"])
def ask(request, tmp_path_factory):
    """Return what asks a question of the module, in Node and in a page."""
    if request.param == "chromium":
        page = in_a_page(request.getfixturevalue("browser"))
        yield lambda what, **question: page.evaluate(ASK, [what, question])
        page.close()
        return
    path = tmp_path_factory.mktemp("web") / "question.json"

    def answer(what, **question):
        path.write_text(json.dumps({"what": what, **question}), encoding="ascii")
        command = ["node", "--no-warnings", str(HERE / "answers.mjs"), str(WASM), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    yield answer


@pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda v: f"{v['randomizer']}-{v['key']}-{v['bits']}"
)
def test_golden_digests(ask, vector):
    block = key_block(vector["randomizer"], bytes.fromhex(vector["key"] or ""))
    found = ask(
        "digests",
        tokens=list(vector["digests"]),
        bits=vector["bits"],
        randomizer=vector["randomizer"],
        keyBlock=block.hex(),
    )
    assert found == list(vector["digests"].values())


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_vectors(ask, analyzer, lowercase):
    options = {"analyzer": analyzer, "lowercase": lowercase}
    for norm, dtype in (("l2", "float64"), ("l1", "float32"), (None, "int32")):
        own = AdditiveHashingVectorizer(
            **options, ngram_range=(1, 3), n_features=512, norm=norm, dtype=np.dtype(dtype)
        )
        asked = {**options, "ngramRange": [1, 3], "nFeatures": 512, "norm": norm, "dtype": dtype}
        expected = [row.tobytes().hex() for row in own.transform(PLAIN)]
        assert ask("vectors", texts=PLAIN, options=asked) == expected


@pytest.mark.parametrize("threshold", [0.3, 0.8, 1])
def test_duplicates(ask, threshold):
    chosen = random.Random(3)
    words = [*Path("README.md").read_text("utf-8").split(), "ΟΔΟΣ", "İ", "日本語のテキスト", "ไทย"]
    texts = [" ".join(chosen.choices(words, k=chosen.randint(0, 30))) for _ in range(300)]
    for text in chosen.choices(texts, k=600):
        place = chosen.randint(0, len(text))
        texts.append(text[:place] + chosen.choice(["", ".", " x ", "É"]) + text[place:].upper())
    texts += PLAIN
    own = find_duplicates(texts, threshold=threshold)
    representatives, similarity = ask("duplicates", texts=texts, options={"threshold": threshold})
    assert representatives == own.representatives.tolist()
    assert similarity == own.similarity.tobytes().hex()
    assert 0 < np.count_nonzero(own.keep) < len(texts) - 100


def bits(number):
    return np.float64(number).tobytes().hex()


def test_languages_of_3000_texts(ask):
    texts = texts_of_languages() + PLAIN
    where = {"path": str(LANGUAGES / "model.safetensors"), "table": str(LANGUAGES / "table.tsv")}
    for own, asked in (
        ({"top": 3}, {"top": 3}),
        ({"languages": ["deu", "eng", "fra"]}, {"languages": ["deu", "eng", "fra"]}),
    ):
        found = ask("detect", **where, texts=texts, options=asked)
        expected = languages.detect(texts, **own)
        assert len(found) == len(expected) == len(texts)
        for text, rows, named in zip(texts, found, expected, strict=True):
            if named is None:
                assert rows is None, text
                continue
            named = named if isinstance(named, list) else [named]
            assert [
                [
                    d.code,
                    d.short,
                    d.name,
                    d.own_name,
                    d.group,
                    bits(d.probability),
                    bits(d.group_probability),
                ]
                for d in named
            ] == [[row[name] for name in FIELDS] for row in rows], text


def test_segments_of_mixed_texts(ask):
    where = {"path": str(LANGUAGES / "model.safetensors"), "table": str(LANGUAGES / "table.tsv")}
    pieces = [
        "The weather is fine today.",
        "Das Wetter ist heute wirklich sehr schön!",
        "Сегодня очень хорошая погода.\n",
        "今日はとても天気がいいです。明日は雨が降るでしょう。",
        "«Il fait très beau aujourd’hui, n’est-ce pas?»\x1c\u3000",
        "12 345 — 😀",
    ]
    chosen = random.Random(32)
    texts = [" ".join(chosen.choices(pieces, k=chosen.randint(1, 6))) for _ in range(60)]
    texts += [*PLAIN, *texts_of_languages()[:60]]
    parts = 0
    for asked in (None, ["deu", "eng", "rus"]):
        found = ask("segments", **where, texts=texts, options={"languages": asked})
        for text, rows in zip(texts, found, strict=True):
            expected = languages.segments(text, asked)
            assert rows == [[text[s.start : s.end], s.code, bits(s.probability)] for s in expected]
            parts += len(rows)
    assert parts > 400


def probabilities(model, texts):
    return [row.tobytes().hex() for row in model.predict_proba(texts)]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "fitted"
    words = Path("README.md").read_text("utf-8").split()
    texts = [" ".join(words[i : i + 6]) for i in range(0, 1200, 6)]
    model = TextClassifier().fit(texts, [f"class {i % 12:02}" for i in range(len(texts))])
    model.save(path, metadata={"note": "größer 😀"})
    return SimpleNamespace(path=str(path), model=model, texts=texts)


def test_classifiers_that_python_saved(ask, fitted):
    golden = TextClassifier.load(GOLDEN)
    for path, model, texts in (
        (GOLDEN, golden, [*PROBES, *TEXTS, *PLAIN]),
        (fitted.path, fitted.model, [*fitted.texts, *PLAIN]),
    ):
        assert ask("predict", path=path, texts=texts) == model.predict(texts).tolist()
        assert ask("probabilities", path=path, texts=texts) == probabilities(model, texts)
        assert bytes.fromhex(ask("saved", path=path)) == Path(path).read_bytes()


SHARES = ("text", "occurrences", "evidence", "evidence_margin")
PARTS = (
    "text", "label", "score", "runner_up", "margin", "evidence", "evidence_margin", "words",
    "tokens", "characters", "character_margins", "unplaced", "unplaced_margin", "prior",
    "prior_margin",
)  # fmt: skip


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def as_bits(value):
    if isinstance(value, np.ndarray):
        return value.tobytes().hex()
    return bits(value) if isinstance(value, float) else value


def explained(why):
    """What the page should say, with the names that it uses."""
    parts = {camel(name): as_bits(getattr(why, name)) for name in PARTS}
    for name in ("words", "tokens"):
        parts[name] = [
            {camel(field): as_bits(getattr(share, field)) for field in SHARES}
            for share in parts[name]
        ]
    return parts


@pytest.mark.parametrize(
    "settings",
    [
        {"analyzer": "char", "ngram_range": (1, 3)},
        {"analyzer": "char_wb", "ngram_range": (2, 6), "lowercase": False},
        {"analyzer": "word", "ngram_range": (1, 2)},
        {"analyzer": "text", "ngram_range": (2, 3), "lowercase": False},
    ],
    ids=lambda settings: settings["analyzer"],
)
def test_explanations_of_other_analyzers(ask, fitted, tmp_path, settings):
    model = TextClassifier(vectorizer=TextVectorizer(**settings), fit_prior=False, n_buckets=999)
    model.fit(fitted.texts, [len(text) % 3 for text in fitted.texts]).save(tmp_path / "m")
    texts = [*fitted.texts[:20], *PLAIN, "  two  spaces\x1f here \u3000 ", "a"]
    found = ask("explain", path=str(tmp_path / "m"), texts=texts)
    for text, own in zip(texts, found, strict=True):
        own["label"], own["runnerUp"] = (
            int(np.frombuffer(bytes.fromhex(own[name]))[0]) for name in ("label", "runnerUp")
        )
        assert own == explained(model.explain(text)), text


def test_explanations(ask, fitted, tmp_path):
    TextClassifier().learn(["only one"], ["class"]).save(tmp_path / "one")
    for path, texts in (
        (GOLDEN, [*PROBES, *TEXTS, *PLAIN]),
        (fitted.path, [*fitted.texts[::5], *PLAIN, " ".join(fitted.texts)]),
        (str(tmp_path / "one"), ["only two", ""]),
    ):
        model = TextClassifier.load(path)
        found = ask("explain", path=path, texts=texts)
        for text, own in zip(texts, found, strict=True):
            assert own == explained(model.explain(text)), text


def test_what_is_taught_in_a_page_is_what_python_learns(ask, fitted):
    more = (["ein neuer Text", "noch einer"], ["class 03", "a new class"])
    expected = TextClassifier.load(fitted.path).learn(*more)
    saved = ask("taught", path=fitted.path, learn=[more], forget=[])
    assert bytes.fromhex(saved) == expected.to_bytes()
    saved = ask("taught", path=fitted.path, learn=[more], forget=[more])
    assert bytes.fromhex(saved) == Path(fitted.path).read_bytes()
    fresh = TextClassifier().learn(TEXTS, LABELS)
    saved = ask("taught", learn=[[TEXTS, LABELS]], forget=[])
    assert bytes.fromhex(saved) == fresh.to_bytes()


def test_damaged_files_are_refused_as_python_does(ask):
    content = Path(GOLDEN).read_bytes()
    chosen = random.Random(31)
    files = [content, content[:-1], content + b"\0", b"", content[:9]]
    for _ in range(2000):
        changed = bytearray(content)
        for _ in range(chosen.randint(1, 3)):
            changed[chosen.randrange(len(changed))] = chosen.randrange(256)
        files.append(bytes(changed))
    found = ask("loads", files=[base64.b64encode(file).decode() for file in files])
    for file, answer in zip(files, found, strict=True):
        try:
            expected = TextClassifier.from_bytes(file).predict(["a cat"]).tolist()
        except ModelFileError:
            expected = None
        assert answer == expected


def test_changed_files_that_are_signed_anew():
    found, memory = hostile.check([*hostile.SEEDS["model_files"], *hostile.hostile_files(1500)])
    assert found["right"] > 50
    assert found["refused by both"] > 500
    assert memory < 64 << 20


@pytest.mark.parametrize("name", make_files.MODELS)
def test_golden_models_are_loaded_or_refused_in_words(ask, name):
    path = make_files.FOLDER / name
    if name == "bayes":
        assert ask("loads", files=[base64.b64encode(path.read_bytes()).decode()]) != [None]
        return
    reason = ask("refusal", path=str(path))
    assert reason.startswith(("Cannot load the model: it holds a ", "A model of the method "))
    assert reason.endswith(".")


def test_what_is_fetched(ask):
    """From a URL, as the answer of a server, and as bytes; a server that has none is named."""
    data = base64.b64encode(Path(GOLDEN).read_bytes()).decode()
    expected = TextClassifier.load(GOLDEN).predict(["a cat"]).tolist()
    found = ask("fetched", data=data)
    assert found == [
        expected,
        expected,
        expected,
        expected,
        "Cannot load : the server answered 404.",
    ]


def test_closed_models_give_their_memory_back(ask, fitted):
    memory, _ = ask("closed", path=fitted.path, times=1)
    more, message = ask("closed", path=fitted.path, times=300)
    assert more < 2 * memory + (8 << 20)
    assert message == "This model was closed."
