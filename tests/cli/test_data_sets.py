"""The data sets from the shell alone, as documented, give the figures of the Python API."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, TextClassifier
from docs.make_cli import PAGE
from tests.cli.program import ADDHASH, environment


def shown_accuracy(script, folder):
    """Run the documented commands in a folder; return the accuracy that the last one shows."""
    path = f"{Path(ADDHASH).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=environment(PATH=path),
        capture_output=True,
        check=True,
    )
    measure, *_, value, _ = done.stdout.decode().splitlines()[0].split("\t")
    assert measure == "accuracy"
    return value


def documented():
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def link(folder, *paths):
    for path in paths:
        (folder / path.name).symlink_to(path)


def read_lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_languages(data_folder, tmp_path, quick_run):
    """21 languages, official split, 2048 components: the model of the API, the paper's accuracy."""
    names = ["x_train.txt", "y_train.txt", "x_test.txt", "y_test.txt"]
    files = [data_folder.resolve() / "wili-2018" / "subset-21" / name for name in names]
    link(tmp_path, *files)
    found = shown_accuracy(documented()[0], tmp_path)
    subset = quick_run.results["languages"]["subset-21"]
    assert found == f"{subset['ah']['2048']['accuracy'] / 100:.6f}"
    assert float(found) == pytest.approx(0.9386, abs=0.0005)
    train_texts, train_labels, test_texts, test_labels = map(read_lines, files)
    classifier = TextClassifier("nearest").fit(train_texts, train_labels)
    classifier.save(tmp_path / "api.model")
    made = (tmp_path / "languages.model").read_bytes()
    assert (tmp_path / "api.model").read_bytes() == made
    some_texts, some_labels = test_texts[::20], test_labels[::20]
    right = np.mean(classifier.predict(some_texts) == np.array(some_labels))
    assert classifier.score(some_texts, some_labels) == right
    assert right == pytest.approx(0.9386, abs=0.03)


def test_messages(data_folder, tmp_path):
    source = data_folder.resolve() / "sms-spam" / "SMSSpamCollection"
    link(tmp_path, source)
    found = shown_accuracy(documented()[1], tmp_path)
    labels, texts = zip(*(line.split("\t") for line in read_lines(source)), strict=True)
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), n_features=4096, norm=None, dtype=np.int32
    )
    classifier = TextClassifier("nearest", vectorizer=vectorizer).fit(texts[0::2], labels[0::2])
    expected = classifier.score(texts[1::2], labels[1::2])
    assert found == f"{expected:.6f}"
    assert expected == pytest.approx(0.974, abs=0.01)
