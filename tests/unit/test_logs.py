"""Debug lines of what takes time, for those who ask."""

import logging
import re
import subprocess
import sys

from addhash import TextClassifier, find_duplicates
from addhash.logs import timed

TEXTS, LABELS = ["good morning", "bonjour"], ["en", "fr"]


def test_what_takes_time_is_logged(caplog, tmp_path):
    with caplog.at_level(logging.DEBUG, "addhash"):
        classifier = TextClassifier("centroid").fit(TEXTS, LABELS)
        classifier.tune(TEXTS, LABELS)
        classifier.save(tmp_path / "model")
        TextClassifier.load(tmp_path / "model")
        find_duplicates(TEXTS)
    lines = [record.getMessage() for record in caplog.records]
    chosen = [line for line in lines if line.startswith("chose ")]
    assert len(chosen) == 2
    assert all(re.fullmatch(r"chose (nothing|[\w ]+ [-\d.e]+.*)", line) for line in chosen)
    lines = [line for line in lines if line not in chosen]
    for line, start in zip(
        lines,
        [
            "fit, method centroid: ",
            "tune, method centroid: ",
            f"load TextClassifier from {tmp_path / 'model'}: ",
            "find_duplicates, 2 texts, in memory: ",
        ],
        strict=True,
    ):
        assert line.startswith(start)
        assert line.endswith(" s")


def test_what_fails_is_not_timed(caplog):
    with caplog.at_level(logging.DEBUG, "addhash"):
        try:
            with timed("fail"):
                raise ValueError
        except ValueError:
            pass
    assert not caplog.records


def test_nothing_is_shown_unasked():
    code = "from addhash import TextClassifier; TextClassifier().fit(['a', 'b'], [1, 2])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
