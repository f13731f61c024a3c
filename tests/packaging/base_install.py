"""What works after `pip install addhash` alone; `make wheel` runs this with nothing else."""

import importlib.util
import inspect
import subprocess
import sys
import tempfile
from pathlib import Path

import addhash

TEXTS = ["good morning to you", "good night to you all", "bonjour à vous", "bonne nuit à vous tous"]
LABELS = ["en", "en", "fr", "fr"]


def run(*arguments, code=0):
    program = Path(sys.executable).with_name("addhash")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return " ".join((done.stdout + done.stderr).split())


def check_nothing_else_is_installed():
    assert addhash.__file__.startswith(sys.prefix), addhash.__file__
    for package in ("scipy", "sklearn", "pyarrow", "openpyxl", "starlette", "matplotlib"):
        assert importlib.util.find_spec(package) is None, package


def check_library():
    classifier = addhash.TextClassifier().fit(TEXTS, LABELS)
    assert classifier.predict(["good day"]).tolist() == ["en"]
    for method in ("nearest", "centroid"):
        assert addhash.TextClassifier(method).fit(TEXTS, LABELS).predict(TEXTS).tolist() == LABELS
    assert addhash.find_duplicates([*TEXTS, TEXTS[0]]).n_pairs == 1
    index = addhash.Index(n_features=2048)
    index.add(addhash.TextVectorizer().transform(TEXTS))
    assert index.search(addhash.TextVectorizer().transform(TEXTS), k=1).ids[:, 0].tolist() == [
        0,
        1,
        2,
        3,
    ]
    assert addhash.languages.detect(["Where is the railway station, please?"])[0].code == "eng"


def check_names():
    everything = {}
    exec("from addhash import *", everything)
    assert "TextClassifier" in everything
    assert "HashingVectorizer" not in everything
    assert dict(inspect.getmembers(addhash))["TextClassifier"] is addhash.TextClassifier
    for name, extra in [("HashingVectorizer", "sklearn"), ("paper", "paper"), ("service", "serve")]:
        said = ""
        try:
            getattr(addhash, name)
        except ImportError as error:
            said = str(error)
        assert said.endswith(f"pip install 'addhash[{extra}]'"), (name, said)


def check_commands(folder):
    rows = "".join(f"{text}\t{label}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    (folder / "train.tsv").write_text("text\tlabel\n" + rows, encoding="utf-8")
    (folder / "texts.txt").write_text("\n".join([*TEXTS, TEXTS[0]]), encoding="utf-8")
    run("fit", folder / "train.tsv", "-o", folder / "some.model")
    assert "en" in run("predict", folder / "some.model", folder / "texts.txt")
    assert "eng" in run("detect", folder / "texts.txt")
    run("dedupe", folder / "texts.txt", "-o", folder / "kept.txt")
    assert len((folder / "kept.txt").read_text(encoding="utf-8").splitlines()) == len(TEXTS)
    run("vectorize", folder / "texts.txt", "-o", folder / "vectors.npy")
    run("demo")
    for arguments, extra in [
        (["similarity", "a", "b", "--method", "ht"], "sklearn"),
        (
            ["predict", folder / "some.model", folder / "texts.txt", "-o", folder / "x.xlsx"],
            "files",
        ),
        (["reproduce", "example", "--out", folder / "out"], "paper"),
        (["serve", folder / "models"], "serve"),
    ]:
        assert run(*arguments, code=1).endswith(f"pip install 'addhash[{extra}]'"), arguments


if __name__ == "__main__":
    check_nothing_else_is_installed()
    check_library()
    check_names()
    with tempfile.TemporaryDirectory() as folder:
        check_commands(Path(folder))
    print("The base install works.")
