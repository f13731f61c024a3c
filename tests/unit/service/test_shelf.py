import pytest

from addhash import TextClassifier
from addhash.service.ledger import Ledger
from addhash.service.problems import RequestError
from addhash.service.shelf import Shelf


def empty():
    return TextClassifier().partial_fit([], [])


@pytest.fixture
def shelf(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.open()
    yield shelf
    shelf.close()


def test_models_are_named_after_their_files_or_as_one_likes(tmp_path):
    for name in ("a b.model", ".hidden.model", "mail.model"):
        empty().save(tmp_path / name)
    given = [f"{tmp_path}/a b.model", f"{tmp_path}/.hidden.model", f"post={tmp_path}/mail.model"]
    shelf = Shelf(tmp_path / "data", given)
    shelf.open()
    assert [name for name, _ in shelf] == ["a-b", "hidden", "post"]
    shelf.close()


def test_a_model_whose_creation_was_killed_is_gone(tmp_path):
    folder = tmp_path / "models" / "mail"
    folder.mkdir(parents=True)
    Ledger(folder / "ledger.sqlite").close()
    shelf = Shelf(tmp_path)
    shelf.open()
    assert list(shelf) == []
    assert not folder.exists()
    shelf.create("mail", empty())
    assert [name for name, _ in shelf] == ["mail"]
    shelf.close()


@pytest.mark.parametrize("name", ["", ".x", "a/b", "x" * 65, "a b", "ü"])
def test_odd_names_are_refused(shelf, name):
    with pytest.raises(RequestError, match="Expected a name"):
        shelf.create(name, empty())


def test_unknown_models_are_told_with_those_that_are_known(shelf):
    shelf.create("mail", empty())
    with pytest.raises(RequestError, match="there are: mail"):
        _ = shelf["post"]


def test_the_detector_of_languages_is_served_where_there_is_no_model(tmp_path):
    shelf = Shelf(tmp_path, with_languages=True)
    shelf.open()
    [(name, writer)] = shelf
    assert name == "languages"
    assert len(writer.model.view.classifier.classes_) > 500
    shelf.close()
    again = Shelf(tmp_path, with_languages=True)
    again.open()
    assert [name for name, _ in again] == ["languages"]
    again.close()
