"""Attacks on the file format. Each must be refused with a ModelFileError, and cost no memory.

`pytest tests/attacks` runs them all. Those under "raw" change the bytes of a file; those under
"forged" give hostile values a correct digest, as somebody would who knows the format.
"""

import json
import tracemalloc

import numpy as np
import pytest

from addhash import (
    CentroidClassifier,
    CountVectorizer,
    Index,
    NearestNeighborClassifier,
    TextClassifier,
    TextIndex,
    TfidfVectorizer,
)
from addhash.errors import AddhashError, ModelFileError
from addhash.files.model_file import read_model, write_model

RNG = np.random.default_rng(0)
VECTORS = np.concatenate([RNG.integers(-900, 901, (20, 6)), RNG.normal(size=(20, 6))])


def make_index():
    index = Index(6)
    index.add(VECTORS)
    return index


def make_text_index():
    index = TextIndex()
    index.add([f"text {i}" for i in range(12)])
    return index


def make_texts(method="nearest"):
    texts = [f"text {i}" for i in range(12)]
    return TextClassifier(method, keep_texts=method == "nearest").fit(texts, ["a", "b", "c"] * 4)


MODELS = {
    "Index": make_index,
    "NearestNeighborClassifier": lambda: NearestNeighborClassifier().fit(
        VECTORS, RNG.integers(0, 3, 40)
    ),
    "CentroidClassifier": lambda: CentroidClassifier().fit(VECTORS, ["a", "b"] * 20),
    "TextClassifier": make_texts,
    "TextClassifier of centroids": lambda: make_texts("centroid"),
    "TextClassifier of counts": lambda: make_texts("bayes"),
    "TextIndex": lambda: make_text_index(),
    "CountVectorizer": lambda: CountVectorizer().fit(["to be", "or not to be"]),
    "TfidfVectorizer": lambda: TfidfVectorizer().fit(["to be", "or not to be"]),
}
CLASSES = {
    c.__name__: c
    for c in (
        Index,
        NearestNeighborClassifier,
        CentroidClassifier,
        TextClassifier,
        TextIndex,
        CountVectorizer,
        TfidfVectorizer,
    )
}


def load(name, path):
    return CLASSES[name.split()[0]].load(path)


@pytest.fixture
def valid(tmp_path):
    path = tmp_path / "valid"
    make_index().save(path)
    return path.read_bytes()


def parted(content):
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def joined(header, data, padding=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += padding
    return len(text).to_bytes(8, "little") + text + data


def edit(change):
    """An attack that changes the header's JSON."""

    def attack(content):
        header, data = parted(content)
        change(header)
        return joined(header, data)

    return attack


def entry(header, name="rows.codes"):
    return header[name]


def deep(content):
    return joined(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b"")


def twice(content):
    header, data = parted(content)
    text = json.dumps(header)[:-1] + ',"ids":' + json.dumps(header["ids"]) + "}"
    return joined(text.encode(), data)


RAW = {
    "empty file": lambda c: b"",
    "a few bytes": lambda c: c[:7],
    "length only": lambda c: c[:8],
    "cut in the header": lambda c: c[:100],
    "cut in the data": lambda c: c[:-1],
    "half": lambda c: c[: len(c) // 2],
    "one byte more": lambda c: c + b"\0",
    "another file behind": lambda c: c + c,
    "zeros": lambda c: bytes(len(c)),
    "a pickle": lambda c: b"\x80\x04cos\nsystem\n(S'echo'\ntR.",
    "a zip file": lambda c: b"PK\x03\x04" + bytes(200),
    "a NumPy file": lambda c: b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}" + bytes(100),
    "header longer than the file": lambda c: (len(c) - 7).to_bytes(8, "little") + c[8:],
    "header of 2**63 bytes": lambda c: (2**63).to_bytes(8, "little") + c[8:],
    "header of 2**64 - 1 bytes": lambda c: (2**64 - 1).to_bytes(8, "little") + c[8:],
    "header of two megabytes": lambda c: joined(parted(c)[0], parted(c)[1], b" " * (2 << 20)),
    "header is no JSON": lambda c: joined(b"{" * 50, b""),
    "header is no UTF-8": lambda c: joined(b"\xff\xfe{}", b""),
    "header is a list": lambda c: joined(b"[]", b""),
    "header is a number": lambda c: joined(b"7", b""),
    "header is NaN": lambda c: joined(b"NaN", b""),
    "header is empty": lambda c: joined(b"{}", b""),
    "header nested 100,000 deep": deep,
    "a name twice": twice,
    "a number of 5,000 digits": lambda c: joined(b'{"a":' + b"9" * 5000 + b"}", b""),
    "no metadata": edit(lambda h: h.pop("__metadata__")),
    "metadata of another program": edit(lambda h: h.update(__metadata__={"format": "pt"})),
    "metadata with more": edit(lambda h: h["__metadata__"].update(more="x")),
    "description is no JSON": edit(lambda h: h["__metadata__"].update(addhash="{")),
    "description is a list": edit(lambda h: h["__metadata__"].update(addhash="[]")),
    "description is empty": edit(lambda h: h["__metadata__"].update(addhash="{}")),
    "shape of 2**62 rows": edit(lambda h: entry(h).update(shape=[2**62, 6])),
    "shape that wraps around": edit(lambda h: entry(h).update(shape=[2**61, 8])),
    "negative shape": edit(lambda h: entry(h).update(shape=[-40, -6])),
    "shape of fractions": edit(lambda h: entry(h).update(shape=[40.0, 6])),
    "shape of a text": edit(lambda h: entry(h).update(shape="40,6")),
    "shape of 50 dimensions": edit(lambda h: entry(h).update(shape=[1] * 48 + [40, 6])),
    "zero rows of 2**62": edit(
        lambda h: h.update(x={"dtype": "I8", "shape": [0, 2**62], "data_offsets": [0, 0]})
    ),
    "offsets beyond the file": edit(lambda h: entry(h).update(data_offsets=[2**40, 2**40 + 240])),
    "offsets backwards": edit(lambda h: entry(h)["data_offsets"].reverse()),
    "negative offsets": edit(lambda h: entry(h).update(data_offsets=[-240, 0])),
    "offsets that overlap": edit(lambda h: entry(h).update(data_offsets=[0, 240])),
    "three offsets": edit(lambda h: entry(h)["data_offsets"].append(0)),
    "no offsets": edit(lambda h: entry(h).pop("data_offsets")),
    "unknown type": edit(lambda h: entry(h).update(dtype="PICKLE")),
    "type of objects": edit(lambda h: entry(h).update(dtype="O")),
    "another type of the same size": edit(lambda h: entry(h).update(dtype="U8")),
    "an array renamed": edit(lambda h: h.update(other=h.pop("ids"))),
    "an array missing": edit(lambda h: h.pop("ids")),
    "an array is null": edit(lambda h: h.update(ids=None)),
    "a flipped bit of data": lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:],
}


@pytest.mark.parametrize("attack", RAW)
def test_raw(attack, valid, tmp_path):
    path = tmp_path / "hostile"
    path.write_bytes(RAW[attack](valid))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="Cannot load"):
            Index.load(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Parsing a header takes a few times its size, never what it claims.
    assert peak < 20 * path.stat().st_size + (1 << 20)


def put(name, position, value):
    def change(about, arrays):
        array = arrays[name].copy()
        array[position] = value
        arrays[name] = array

    return change


def describe(**values):
    return lambda about, arrays: about.update(values)


def parameter(**values):
    return lambda about, arrays: about["parameters"].update(values)


def vectorizer(**values):
    return lambda about, arrays: about["vectorizer"].update(values)


def words(**values):
    return vectorizer(analyzer="word", **values)


def plain(**values):
    return lambda about, arrays: about["plain"].update(values)


def cut(**values):
    return lambda about, arrays: about["cut"].update(values)


def weights(**values):
    return lambda about, arrays: about["weights"].update(values)


def array(name, value):
    return lambda about, arrays: arrays.update({name: value})


def text(name, value):
    return array(name, np.frombuffer(value, np.uint8))


FORGED = [
    ("Index", "tail beyond the tails", put("rows.places", 0, 20)),
    ("Index", "tail far beyond", put("rows.places", 0, 2**62)),
    ("Index", "wide beyond the wides", put("rows.places", 25, -22)),
    ("Index", "wide far beyond", put("rows.places", 25, -(2**63))),
    ("Index", "lossless with a scale", put("rows.places", 0, -1)),
    ("Index", "scale is NaN", put("rows.scales", 0, np.nan)),
    ("Index", "scale is negative", put("rows.scales", 0, -1.0)),
    ("Index", "scale of a tail is huge", put("rows.scales", 0, 1e100)),
    ("Index", "norm is infinite", put("rows.norms", 3, np.inf)),
    ("Index", "norm is NaN", put("rows.norms", 3, np.nan)),
    ("Index", "slack is negative", put("rows.slacks", 3, -0.5)),
    ("Index", "wide value is NaN", put("rows.wides", (0, 0), np.nan)),
    ("Index", "wide value is infinite", put("rows.wides", (0, 0), np.inf)),
    ("Index", "wide value is huge", put("rows.wides", (0, 0), 1e300)),
    ("Index", "ids that are not unique", put("ids", 0, 1)),
    ("Index", "an id beyond the next", put("ids", 0, 10**6)),
    ("Index", "another width", describe(n_features=7)),
    ("Index", "width is a text", describe(n_features="6")),
    ("Index", "no width at all", lambda about, arrays: [
        describe(n_features=0)(about, arrays),
        *(arrays.update({key: arrays[key][:, :0]}) for key in arrays if arrays[key].ndim == 2)]),
    ("Index", "width is true", describe(n_features=True)),
    ("Index", "more in the description", describe(more=1)),
    ("Index", "nothing in the description", lambda about, arrays: about.clear()),
    ("Index", "one more array", array("more", np.zeros(3))),
    ("Index", "fewer ids", array("ids", np.arange(3))),
    ("Index", "ids of another type", array("ids", np.arange(40, dtype=np.int32))),
    ("Index", "no tails", array("rows.tails", np.empty((0, 6), np.int8))),
    ("Index", "tails of another width", array("rows.tails", np.zeros((20, 5), np.int8))),
    ("Index", "rows of bytes", array("rows.codes", np.zeros((40, 6), np.uint8))),
    ("NearestNeighborClassifier", "label beyond the classes", put("labels", 0, 3)),
    ("NearestNeighborClassifier", "negative label", put("labels", 0, -1)),
    ("NearestNeighborClassifier", "unknown parameter", parameter(more=1)),
    ("NearestNeighborClassifier", "n_neighbors of 0", parameter(n_neighbors=0)),
    ("NearestNeighborClassifier", "n_neighbors is a list", parameter(n_neighbors=[1])),
    ("NearestNeighborClassifier", "classes are no JSON", text("classes", b"[")),
    ("NearestNeighborClassifier", "classes are no list", text("classes", b'{"a": 1}')),
    ("NearestNeighborClassifier", "classes are lists", text("classes", b"[[1], [2], [3]]")),
    ("NearestNeighborClassifier", "classes are mixed", text("classes", b'["a", 1, 2]')),
    ("NearestNeighborClassifier", "classes out of order", text("classes", b"[3, 2, 1]")),
    ("NearestNeighborClassifier", "classes twice", text("classes", b"[1, 1, 1]")),
    ("NearestNeighborClassifier", "no classes", text("classes", b"null")),
    ("NearestNeighborClassifier", "classes nested deeply", text("classes", b"[" * 5000)),
    ("NearestNeighborClassifier", "names of features", describe(feature_names=["a"])),
    ("NearestNeighborClassifier", "names are numbers", describe(feature_names=[1] * 6)),
    ("CentroidClassifier", "negative count", put("counts", 0, -1)),
    ("CentroidClassifier", "limbs out of order", lambda a, x: put(
        "sums.limbs", 0, x["sums.limbs"][1])(a, x)),
    ("CentroidClassifier", "limb beyond the largest", put("sums.limbs", -1, 10**6)),
    ("CentroidClassifier", "negative limb", put("sums.limbs", 0, -1)),
    ("CentroidClassifier", "limb of zeros", put("sums.digits", 0, 0)),
    ("CentroidClassifier", "sums that are too large", put("sums.limbs", -1, 70)),
    ("TextClassifier", "unknown method", describe(method="magic")),
    ("TextClassifier", "threshold is a text", describe(reject_below="0")),
    ("TextClassifier", "threshold of 7", describe(reject_below=7.0)),
    ("TextClassifier", "texts without being kept", describe(keep_texts=False)),
    ("TextClassifier", "ends out of order", put("texts.ends", 0, 50)),
    ("TextClassifier", "negative end", put("texts.ends", 0, -5)),
    ("TextClassifier", "end beyond the bytes", put("texts.ends", -1, 10**9)),
    ("TextClassifier", "texts are no UTF-8", put("texts.bytes", 0, 255)),
    ("TextClassifier", "unknown randomizer", vectorizer(randomizer="md5")),
    ("TextClassifier", "width of another vectorizer", vectorizer(n_features=1024)),
    ("TextClassifier", "ngram_range is a number", vectorizer(ngram_range=3)),
    ("TextClassifier", "ngram_range is backwards", vectorizer(ngram_range=[3, 1])),
    ("TextClassifier", "dtype of objects", vectorizer(dtype="O")),
    ("TextClassifier", "unknown parameter", vectorizer(more=1)),
    ("TextClassifier", "no vectorizer", describe(vectorizer=None)),
    ("TextClassifier", "an analyzer to import", vectorizer(analyzer="os.system")),
    ("TextClassifier", "a pattern that is none", words(token_pattern="(")),
    ("TextClassifier", "a pattern of two groups", words(token_pattern="(a)(b)")),
    ("TextClassifier", "a pattern nested deeply", words(token_pattern="(" * 3000)),
    ("TextClassifier", "a pattern that is too long", words(token_pattern="a{9999999999}")),
    ("TextClassifier", "stop words are lists", words(stop_words=[["a"]])),
    ("TextIndex", "fewer texts", array("texts.ends", np.arange(3))),
    ("TextIndex", "texts without being kept", describe(keep_texts=False)),
    ("TextIndex", "an id beyond the next", put("ids", 0, 10**6)),
    ("TextIndex", "width of another vectorizer", vectorizer(n_features=1024)),
    ("TextIndex", "vectors that are bits", vectorizer(dtype="bits")),
    ("TextClassifier of centroids", "texts of a centroid", describe(keep_texts=True)),
    ("TextClassifier of centroids", "the other method", describe(method="nearest")),
    ("TextClassifier of counts", "negative count", put("counts", 0, -1)),
    ("TextClassifier of counts", "counts beyond 64 bits", array("counts", np.full(3, 2**62))),
    ("TextClassifier of counts", "a negative total", put("tokens", (0, 0), -1)),
    ("TextClassifier of counts", "totals beyond 64 bits", array("tokens", np.full((3, 7), 2**62))),
    ("TextClassifier of counts", "totals of other buckets", put("tokens", (0, 0), 33)),
    ("TextClassifier of counts", "smoothing is NaN", put("scale", 0, np.nan)),
    ("TextClassifier of counts", "smoothing is negative", put("scale", 0, -1.0)),
    ("TextClassifier of counts", "a weight is infinite", put("scale", 5, np.inf)),
    ("TextClassifier of counts", "a bias is huge", put("scale", -1, 1e300)),
    ("TextClassifier of counts", "no weights", array("scale", np.zeros(0))),
    ("TextClassifier of counts", "one more weight", array("scale", np.full(62, 0.5))),
    ("TextClassifier of counts", "no buckets", text("buckets", b"")),
    ("TextClassifier of counts", "buckets that never end", text("buckets", b"\xff" * 50)),
    ("TextClassifier of counts", "no number of buckets", describe(n_buckets=0)),
    ("TextClassifier of counts", "fewer buckets", describe(n_buckets=8)),
    ("TextClassifier of counts", "2**40 buckets", describe(n_buckets=2**40)),
    ("TextClassifier of counts", "smoothing is a text", describe(smoothing="x")),
    ("TextClassifier of counts", "fit_prior is a number", describe(fit_prior=1)),
    ("TextClassifier of counts", "texts of counts", describe(keep_texts=True)),
    ("TextClassifier of counts", "the other method", describe(method="nearest")),
    ("TextClassifier of counts", "fewer classes", text("classes", b'["a", "b"]')),
    ("TextClassifier of counts", "declared is no list", text("declared", b"{}")),
    ("CountVectorizer", "more terms than there are", describe(terms=5)),
    ("CountVectorizer", "no terms", describe(terms=0)),
    ("CountVectorizer", "2**40 terms", describe(terms=2**40)),
    ("CountVectorizer", "number of terms is true", describe(terms=True)),
    ("CountVectorizer", "a column twice", put("columns", 0, 0)),
    ("CountVectorizer", "a column beyond the terms", put("columns", 0, 4)),
    ("CountVectorizer", "a negative column", put("columns", 0, -1)),
    ("CountVectorizer", "a term twice", text("texts.bytes", b"bebebebe")),
    ("CountVectorizer", "terms are no UTF-8", put("texts.bytes", 0, 255)),
    ("CountVectorizer", "ends out of order", put("texts.ends", 0, 9)),
    ("CountVectorizer", "dtype of objects", describe(dtype="|O")),
    ("CountVectorizer", "dtype of texts", describe(dtype="<U9")),
    ("CountVectorizer", "is_fixed is a number", describe(is_fixed=1)),
    ("CountVectorizer", "weights", describe(weights={})),
    ("CountVectorizer", "one more array", array("idf", np.ones(4))),
    ("CountVectorizer", "min_df is a text", plain(min_df="1")),
    ("CountVectorizer", "max_df is negative", plain(max_df=-1)),
    ("CountVectorizer", "unknown parameter", plain(more=1)),
    ("CountVectorizer", "input is unknown", plain(input="socket")),
    ("CountVectorizer", "encoding is a number", plain(encoding=3)),
    ("CountVectorizer", "ngram_range is backwards", cut(ngram_range=[3, 1])),
    ("CountVectorizer", "an analyzer to import", cut(analyzer="os.system")),
    ("CountVectorizer", "a pattern that is none", cut(token_pattern="(")),
    ("CountVectorizer", "stop words are lists", cut(stop_words=[["a"]])),
    ("TfidfVectorizer", "idf is NaN", put("idf", 0, np.nan)),
    ("TfidfVectorizer", "idf is infinite", put("idf", 0, np.inf)),
    ("TfidfVectorizer", "fewer idf", array("idf", np.ones(3))),
    ("TfidfVectorizer", "idf of integers", array("idf", np.ones(4, np.int64))),
    ("TfidfVectorizer", "no idf", lambda about, arrays: arrays.pop("idf")),
    ("TfidfVectorizer", "idf that is not used", weights(use_idf=False)),
    ("TfidfVectorizer", "norm is unknown", weights(norm="max")),
    ("TfidfVectorizer", "no weights", lambda about, arrays: about.pop("weights")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "attack", "change"), FORGED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_forged(name, attack, change, tmp_path):
    path = tmp_path / "model"
    MODELS[name]().save(path)
    model = read_model(path, name.split()[0])
    change(model.settings, model.arrays)
    write_model(path, name.split()[0], model.settings, model.arrays)
    with pytest.raises(ModelFileError, match="Cannot load"):
        load(name, path)


@pytest.mark.parametrize("depth", [50, *range(900, 1000)])
def test_settings_nested_as_deep_as_the_stack(depth, valid):
    """Reading, writing and showing them takes different amounts of the stack."""
    header, data = parted(valid)
    about = json.loads(header["__metadata__"]["addhash"])
    about["settings"]["n_features"] = "deep"
    text = json.dumps(about).replace('"deep"', "[" * depth + "]" * depth)
    header["__metadata__"]["addhash"] = text
    with pytest.raises(ModelFileError, match="Cannot load"):
        Index.from_bytes(joined(header, data))


def test_a_stored_function_name_is_never_looked_up(tmp_path):
    path = tmp_path / "model"
    make_texts().save(path)
    model = read_model(path, "TextClassifier")
    model.settings["vectorizer"]["analyzer"] = {"callable": "os.system"}
    write_model(path, "TextClassifier", model.settings, model.arrays)
    with pytest.raises(AddhashError, match="pass analyzer="):
        TextClassifier.load(path)


@pytest.mark.parametrize("name", MODELS)
def test_mutated_files_are_refused(name, tmp_path):
    """Bytes changed, cut out, doubled or exchanged: refused, or the same model again."""
    path = tmp_path / "model"
    MODELS[name]().save(path)
    content = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(400):
        mutated = bytearray(content)
        # Headers are short beside the data, and worth more.
        reach = len(content) if rng.random() < 0.5 else 8 + int.from_bytes(content[:8], "little")
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(0, reach))
            kind = rng.integers(0, 4)
            if kind == 0:
                mutated[at : at + 1] = bytes([int(rng.integers(0, 256))])
            elif kind == 1:
                del mutated[at : at + int(rng.integers(1, 20))]
            elif kind == 2:
                mutated[at:at] = mutated[at : at + int(rng.integers(1, 20))]
            else:
                mutated[at : at + 1] = (
                    rng.choice(list(b'0123456789{}[]",:'), 1).astype("u1").tobytes()
                )
        path.write_bytes(mutated)
        try:
            loaded = load(name, path)
        except ModelFileError:
            refused += 1
            continue
        loaded.save(path)
        assert path.read_bytes() == content
    assert refused > 300


@pytest.mark.parametrize("name", MODELS)
def test_mutated_values_are_refused_or_harmless(name, tmp_path):
    """With a correct digest: whatever the arrays hold, a loaded model answers and ends."""
    path = tmp_path / "model"
    model = MODELS[name]()
    model.save(path)
    kind = name.split()[0]
    file = read_model(path, kind)
    arrays = {key: np.array(value) for key, value in file.arrays.items()}
    rng = np.random.default_rng(2)
    loaded_some = 0
    for _ in range(150):
        changed = dict(arrays)
        for key in rng.choice(sorted(arrays), 2):
            data = bytearray(arrays[key].tobytes())
            for _ in range(int(rng.integers(1, 4)) if data else 0):
                data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
            changed[key] = np.frombuffer(bytes(data), arrays[key].dtype).reshape(arrays[key].shape)
        write_model(path, kind, file.settings, changed)
        try:
            loaded = load(name, path)
        except ModelFileError:
            continue
        loaded_some += 1
        if kind == "Index":
            loaded.search(VECTORS, 5)
        elif kind == "TextIndex":
            loaded.search(["text 1", "other"], 5)
        elif kind == "TextClassifier":
            loaded.predict_scores(["text 1", "other"])
        elif kind in ("CountVectorizer", "TfidfVectorizer"):
            loaded.transform(["to be", "other"])
        else:
            loaded.predict(VECTORS)
    assert loaded_some > 0
