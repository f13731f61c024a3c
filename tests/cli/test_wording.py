"""What the program says is in its own words, and about what there is."""

import re

import pytest
import typer

from addhash.cli.app import OTHER_NAMES, app
from tests.cli.program import fails, works


def facts(path):
    return dict(line.split("\t", 1) for line in works("inspect", path).splitlines())


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "in.csv").write_text("text,label\nwin a prize,spam\nsee you at noon,ham\n")
    for method in ("bayes", "nearest", "centroid"):
        works("fit", folder / "in.csv", "-o", folder / method, "--method", method)
    return folder


def test_a_model_shows_what_its_method_uses(models):
    bayes, nearest, centroid = (facts(models / name) for name in ("bayes", "nearest", "centroid"))
    assert bayes["buckets"] == "1048576"
    assert "smoothing" in bayes
    assert not {"features", "randomizer", "neighbors", "keep texts"} & bayes.keys()
    assert (nearest["neighbors"], nearest["features"]) == ("1", "2048")
    assert not {"buckets", "smoothing"} & nearest.keys()
    assert centroid["randomizer"] == "shake256"
    assert not {"buckets", "smoothing", "neighbors", "keep texts"} & centroid.keys()


def test_languages_are_listed_by_a_command():
    message = fails("detect", "-", "--languages", "klingonese", stdin="a text\n", code=2)
    assert "addhash languages" in message
    assert "known()" not in message


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_what_was_never_learnt_cannot_be_forgotten(models, tmp_path, method):
    """As far as a model can know: counts and sums refuse what they cannot contain."""
    model = tmp_path / "m.model"
    model.write_bytes((models / method).read_bytes())
    text = tmp_path / "in.txt"
    text.write_text("quixotic zebras jump over many lazy foxes\n")
    fails("forget", model, text, "--label", "spam")
    fails("forget", model, text, "--label", "other")
    assert model.read_bytes() == (models / method).read_bytes()


def test_a_name_that_is_nearly_right_is_offered(models, tmp_path):
    shown = "Did you mean"
    assert f"{shown} {models / 'bayes'}?" in fails("predict", models / "bayess", models / "in.csv")
    assert f"{shown} {models / 'in.csv'}?" in fails("predict", models / "bayes", models / "inn.csv")
    message = fails("predict", models / "bayes", "a text")
    assert shown not in message
    assert "--text 'a text'" in message
    assert "Check the name." in fails("explain", tmp_path / "nowhere" / "m", "a text")


def test_a_missing_model_is_said_before_a_missing_file(tmp_path):
    model = tmp_path / "m"
    assert f"Cannot read {model}: there is no such file" in fails("predict", model, "some text")


def test_what_typer_asks_ends_with_one_mark():
    message = fails("predct", "a", "b", code=2)
    assert "Did you mean 'predict', 'inspect'? See 'addhash --help'." in message


def test_a_table_from_a_pipe_needs_its_format(tmp_path):
    table = "text,label\nwin a prize,spam\nsee you at noon,ham\n"
    message = fails("fit", "-", "-o", tmp_path / "m", stdin=table, code=2)
    assert "--input-format csv" in message
    works("fit", "-", "-o", tmp_path / "m", "--input-format", "csv", stdin=table)


def test_a_model_is_not_a_file_of_documents(models, tmp_path):
    model = tmp_path / "m.model"
    model.write_bytes((models / "bayes").read_bytes())
    for command in (["search", model, "hello"], ["dedupe", model, "--dry-run"]):
        assert f"{model} is a model. Name a file of documents." in fails(*command, code=2)


@pytest.mark.parametrize(("typed", "meant"), OTHER_NAMES.items())
def test_names_that_others_give_to_commands(typed, meant):
    message = fails(typed, "in.csv", code=2)
    assert f"No such command '{typed}'. Did you mean '{meant}'? See 'addhash --help'." in message
    works(*([meant] if meant.startswith("--") else [meant, "--help"]))


def test_a_mistake_in_an_option_names_the_command():
    message = fails("dedupe", "in.csv", "--pairs", code=2)
    assert "requires an argument. See 'addhash dedupe --help'." in message


def commands(group, names=()):
    """Yield what to type for each command, and what it says of itself."""
    for name, command in group.commands.items():
        yield (*names, name), command.help or ""
        yield from commands(command, (*names, name)) if hasattr(command, "commands") else ()


@pytest.mark.parametrize(("names", "said"), [*commands(typer.main.get_command(app))])
def test_no_word_of_the_help_is_lost(names, said):
    """What is in brackets would be taken for markup."""
    assert set(re.findall(r"\w+", said)) <= set(re.findall(r"\w+", works(*names, "--help")))
