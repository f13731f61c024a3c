"""Languages on the command line: detect, languages, build, save."""

import csv
import io
import json
import lzma

import pytest

from addhash import TextClassifier, languages
from tests.cli.program import call, fails, run, run_on_terminal

LINES = "Wer reitet so spät durch Nacht und Wind?\nTo be or not to be, that is the question.\n123\n"


def test_a_column_is_added_and_all_are_kept(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text(
        'id;text;probability\n7;"Wer reitet; so spät durch Nacht und Wind?";x\n8;12;y\n'
    )
    code, out, _ = call("detect", path, "--format", "csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["7", "8"]
    assert [row["probability"] for row in rows] == ["x", "y"]
    assert [row["predicted_language"] for row in rows] == ["deu", ""]
    assert float(rows[0]["predicted_probability"]) > 0.5
    assert rows[1]["predicted_probability"] == ""
    target = tmp_path / "out.csv"
    assert call("detect", path, "--name", "lang", "-o", target)[0] == 0
    header = target.read_text().partition("\n")[0]
    assert header == "id;text;probability;lang;lang_probability"


def test_standard_input_and_the_likeliest():
    code, out, _ = call("detect", "-", "--top", "2", "--languages", "en, German", stdin=LINES)
    assert code == 0
    rows = [line.split("\t") for line in out.removesuffix("\n").split("\n")]
    assert [row[::2] for row in rows] == [["deu", "eng"], ["eng", "deu"], ["", ""]]
    assert float(rows[0][1]) + float(rows[0][3]) == pytest.approx(1, abs=1e-5)


def test_segments():
    text = "The weather is fine today. Das Wetter ist heute wirklich sehr schön."
    arguments = ("detect", "-", "--segments", "--languages", "en,de", "--format", "jsonl")
    code, out, _ = call(*arguments, stdin=text + "\n12\n")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["language"] for row in rows] == ["eng", "deu"]
    assert [text[row["start"] : row["end"]].strip()[:3] for row in rows] == ["The", "Das"]


def test_a_terminal_shows_names(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text(LINES)
    shown = run_on_terminal("detect", path)
    assert "German" in shown
    assert "Wer reitet" in shown


def test_the_list_of_languages():
    code, out, _ = call("languages", "--format", "csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == len(languages.known())
    assert {"code": "deu", "short": "de", "name": "German", "own_name": "Deutsch"}.items() <= (
        next(row for row in rows if row["code"] == "deu").items()
    )


def test_teach_your_own_variety(tmp_path):
    model, lesson = tmp_path / "mine.model", tmp_path / "lesson.csv"
    lesson.write_text("text,label\nnuqneH jIyajbe',tlh\nQapla' batlh je,tlh\n")
    assert call("languages", "save", model)[0] == 0
    assert TextClassifier.load(model).digest() == languages.load().digest()
    assert call("learn", model, lesson)[0] == 0
    code, out, _ = call("detect", "-", "--model", model, stdin="Qapla' batlh je jIyajbe' nuqneH\n")
    assert (code, out.split("\t")[0]) == (0, "tlh")


def test_build_from_texts(tmp_path):
    """Stand-ins of the form of the data."""
    sentences = {
        "deu": "der Hund und die Katze",
        "eng": "the dog and the cat",
        "gsw": "dr Hund un d Chatz",
    }
    data = tmp_path / "data"
    (data / "languages").mkdir(parents=True)
    (data / "udhr").mkdir()
    lines = [f"{code}\tLatn\ttatoeba\t{text}" for code, text in sentences.items()] * 20
    (data / "languages" / "sentences.tsv.xz").write_bytes(
        lzma.compress(("\n".join(lines) + "\n").encode())
    )
    (data / "languages" / "words.tsv.xz").write_bytes(
        lzma.compress(b"deu\tLatn\tunilex\tHund\t1000\n")
    )
    header = "iso639-3\tbcp47\tname\ttext"
    (data / "udhr" / "paragraphs.tsv").write_text(f"{header}\neng\ten\tEnglish\tthe cat\n")
    one, two = tmp_path / "one.model", tmp_path / "two.model"
    for path in (one, two):
        assert call("languages", "build", "--data", data, "-o", path)[0] == 0
    assert one.read_bytes() == two.read_bytes()
    built = TextClassifier.load(one)
    assert built.classes_.tolist() == ["deu", "eng", "gsw"]
    assert "Tatoeba" in built.metadata["sources"]
    code, out, _ = call("detect", "-", "--model", one, stdin="the cat\n")
    assert (code, out.split("\t")[0]) == (0, "eng")


def test_a_text_instead_of_a_file():
    code, out, _ = call("detect", "Buongiorno a tutti")
    assert (code, out.split("\t")[0]) == (0, "ita")
    code, out, _ = call("detect", "Kako si danas, prijatelju?", "--groups")
    assert (code, out.split("\t")[0]) == (0, "hbs")
    assert "there is no such file" in fails("detect", "missing.csv")


def test_errors(tmp_path):
    said = fails("detect", "-", "--languages", "elvish", code=2, stdin="hello\n")
    assert "elvish" in said
    assert "addhash languages lists them" in " ".join(said.split())
    assert "cannot be combined" in fails("detect", "-", "--segments", "--top", "2", code=2)
    assert "is missing" in fails("languages", "build", "--data", tmp_path, "-o", tmp_path / "m")
    text = tmp_path / "a.txt"
    text.write_text("hello\n")
    assert "not a" in fails("detect", text, "--model", text)
    assert fails("detect", text, "-o", text.with_suffix(".xyz"), code=2)


def test_nothing_heavy_is_imported():
    done = run("detect", "-", stdin="hello\n", PYTHONPROFILEIMPORTTIME="1")
    modules = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert "addhash.languages.detection" in modules
    assert not {name for name in modules if name.split(".")[0] in ("sklearn", "scipy", "pandas")}


def test_a_model_that_was_taught_is_not_replaced_unasked(tmp_path):
    model = tmp_path / "mine.model"
    model.write_bytes(b"taught for weeks")
    for arguments in (
        ("languages", "save", model),
        ("languages", "build", "--data", tmp_path / "nothing", "-o", model),
    ):
        message = fails(*arguments, code=2)
        assert "exists already" in message
        assert "--force" in message
        assert model.read_bytes() == b"taught for weeks"
    assert call("languages", "save", model, "--force")[0] == 0
    assert TextClassifier.load(model).digest() == languages.load().digest()


def test_texts_are_given_as_to_predict():
    shown = call("detect", "--text", "Wer reitet so spät durch Nacht und Wind?", "--text", "123")
    assert [line.split("\t")[0] for line in shown[1].splitlines()] == ["deu", ""]
    assert "--text" in fails("detect", code=2)
    assert "Give only one of them" in fails("detect", "Guten Tag", "--text", "Guten Tag", code=2)
