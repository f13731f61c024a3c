"""Whatever extras are installed, names can be listed, and what is missing says its extra."""

import subprocess
import sys

import pytest

import addhash

# The modules that each extra installs.
EXTRAS = {
    "sklearn": ["scipy", "sklearn"],
    "files": ["backports.zstd", "openpyxl", "pyarrow"],
    "polars": ["polars"],
    "duckdb": ["duckdb", "pyarrow"],
    "spark": ["pyspark"],
    "paper": ["matplotlib", "pooch", "scipy", "sklearn"],
    "serve": ["msgspec", "prometheus_client", "starlette", "uvicorn"],
}
OPTIONAL = sorted(
    {module for modules in EXTRAS.values() for module in modules} | {"pandas", "safetensors"}
)
NEEDED = {
    "sklearn": {
        "AdditiveFeatureHasher",
        "AdditiveHashingVectorizer",
        "BayesClassifier",
        "CentroidClassifier",
        "CountVectorizer",
        "FeatureHasher",
        "HashingVectorizer",
        "NearestNeighborClassifier",
        "TfidfTransformer",
        "TfidfVectorizer",
    },
    "paper": {"paper"},
    "serve": {"service"},
}


def run(blocked, code):
    """Run code where some modules cannot be imported."""
    program = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in {blocked!r} or any(name.startswith(each + ".") for each in {blocked!r}):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
{code}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


LIST = """
import inspect, pydoc
import addhash
everything = {}
exec("from addhash import *", everything)
assert set(addhash.__all__) <= set(everything)
assert set(addhash.__all__) <= set(dir(addhash))
members = dict(inspect.getmembers(addhash))
assert set(addhash.__all__) <= set(members)
assert "TextClassifier" in pydoc.render_doc(addhash)
for name in addhash.__all__:
    assert everything[name] is members[name] is getattr(addhash, name)
print(*addhash.__all__)
"""


@pytest.mark.parametrize("installed", [(), *((extra,) for extra in EXTRAS), tuple(EXTRAS)])
def test_names_can_be_listed_with_any_extras(installed):
    present = {module for extra in installed for module in EXTRAS[extra]}
    if installed == tuple(EXTRAS):
        present.add("pandas")
    listed = set(run([m for m in OPTIONAL if m not in present], LIST).split())
    missing = {"sklearn": {"scipy", "sklearn"}, "paper": {"scipy", "sklearn"}}
    missing["serve"] = set(EXTRAS["serve"])
    absent = set()
    for extra, names in NEEDED.items():
        if not missing[extra] <= present:
            absent |= names
    assert listed == set(addhash.__all__) - absent


@pytest.mark.parametrize(
    ("extra", "name"), [(extra, name) for extra, names in NEEDED.items() for name in sorted(names)]
)
def test_a_name_that_needs_an_extra_says_which(extra, name):
    for statement in (f"from addhash import {name}", f"import addhash; addhash.{name}"):
        code = f"""
try:
    {statement}
except ImportError as error:
    print(type(error).__name__, error.extra, error)
"""
        kind, said, *words = run(OPTIONAL, code).split()
        assert (kind, said) == ("MissingPackageError", extra)
        assert " ".join(words).endswith(f"Install it with: pip install 'addhash[{extra}]'")


@pytest.mark.parametrize("engine", ["polars", "duckdb", "spark"])
def test_an_engine_that_is_missing_says_its_extra(engine):
    code = f"""
try:
    import addhash.engines.{engine}
except ImportError as error:
    print(error)
"""
    assert run(OPTIONAL, code).strip().endswith(f"pip install 'addhash[{engine}]'")


def test_everything_but_estimators_works_with_numpy_alone():
    code = """
import sys, tempfile
import addhash
texts, labels = ["good morning", "good night", "bonjour", "bonne nuit"], ["en", "en", "fr", "fr"]
for method in ("bayes", "nearest", "centroid"):
    classifier = addhash.TextClassifier(method).fit(texts, labels)
    assert classifier.predict(texts).tolist() == labels
    assert classifier.predict_proba(texts).shape == (4, 2)
    classifier.explain(texts[0])
    classifier.learn(["guten Tag"], ["de"]).forget(["guten Tag"], ["de"])
    assert 0 <= classifier.leave_one_out(texts, labels).accuracy <= 1
    with tempfile.TemporaryDirectory() as folder:
        classifier.save(f"{folder}/model")
        assert addhash.TextClassifier.load(f"{folder}/model").digest() == classifier.digest()
assert addhash.find_duplicates([*texts, texts[0]]).n_pairs == 1
vectors = addhash.TextVectorizer().transform(texts)
index = addhash.Index(n_features=2048)
index.add(vectors)
assert index.search(vectors, k=1).ids[:, 0].tolist() == [0, 1, 2, 3]
texts_index = addhash.TextIndex()
texts_index.add(texts)
assert texts_index.search(texts[:1], k=1)
addhash.DocumentHash().add("a token")
addhash.DocumentFrequencies().learn(texts)
assert addhash.languages.detect(["Where is the railway station?"])[0].code == "eng"
assert not {"scipy", "sklearn"} & set(sys.modules)
print("done")
"""
    assert run([*OPTIONAL, "typer", "rich"], code) == "done\n"
