"""The data sets from the shell alone, as documented, give the figures of the Python API."""

import json

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, TextClassifier
from tests.cli.program import run


def accuracy(*arguments):
    first = run("evaluate", *arguments, "--format", "jsonl").out.splitlines()[0]
    return json.loads(first)["value"]


def read_lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_languages(data_folder, tmp_path):
    folder = data_folder / "wili-2018" / "subset-21"
    model = tmp_path / "languages.model"
    run("fit", folder / "x_train.txt", "--labels", folder / "y_train.txt", "-o", model)
    found = accuracy(model, folder / "x_test.txt", "--labels", folder / "y_test.txt")
    classifier = TextClassifier().fit(
        read_lines(folder / "x_train.txt"), read_lines(folder / "y_train.txt")
    )
    expected = classifier.score(
        read_lines(folder / "x_test.txt"), read_lines(folder / "y_test.txt")
    )
    assert found == expected
    assert found == pytest.approx(0.9386, abs=0.0005)


def test_messages(data_folder, tmp_path):
    lines = read_lines(data_folder / "sms-spam" / "SMSSpamCollection")
    parts = {"train": lines[0::2], "test": lines[1::2]}
    for name, part in parts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in part), encoding="utf-8")
    columns = ["--input-format", "tsv", "--no-header", "--label-column", "1", "--text-column", "2"]
    model = tmp_path / "spam.model"
    options = ["--lowercase", "--features", "4096"]
    run("fit", tmp_path / "train", *columns, *options, "-o", model)
    found = accuracy(model, tmp_path / "test", *columns)
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), n_features=4096, norm=None, dtype=np.int32
    )
    rows = {name: [line.split("\t") for line in part] for name, part in parts.items()}
    classifier = TextClassifier(vectorizer=vectorizer).fit(
        [text for _, text in rows["train"]], [label for label, _ in rows["train"]]
    )
    expected = classifier.score(
        [text for _, text in rows["test"]], [label for label, _ in rows["test"]]
    )
    assert found == expected
    assert found == pytest.approx(0.974, abs=0.01)
