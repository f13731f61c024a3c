"""The table of languages, and what people may call them by."""

import pytest

from addhash import languages
from addhash.errors import ParameterError
from addhash.languages.codes import MACROLANGUAGES, WILI
from addhash.languages.table import codes_of

TAUGHT = [language.code for language in languages.known()]


def test_the_table_is_what_the_model_knows():
    assert languages.load().classes_.tolist() == TAUGHT
    assert len(TAUGHT) == 1373


def test_codes_are_in_order_and_of_iso_639():
    assert sorted(set(TAUGHT)) == TAUGHT
    assert all(len(code) == 3 and code.isascii() and code.islower() for code in TAUGHT)
    shorts = [language.short for language in languages.known() if language.short]
    assert len(set(shorts)) == len(shorts)
    assert all(len(short) == 2 for short in shorts)
    assert all(language.name and language.speakers >= 0 for language in languages.known())
    assert all(language.tier in ("usual", "rare") for language in languages.known())
    assert sum(language.tier == "usual" for language in languages.known()) > 600


def test_labels_that_were_renamed_are_known_by_their_codes():
    assert set(WILI.values()) - set(TAUGHT) <= {"nrf", "nap"}
    assert set(MACROLANGUAGES.values()) - set(TAUGHT) <= {"srd"}
    # The Albanian that the Declaration calls als, not WiLI's Alemannic.
    assert codes_of(["als"], TAUGHT) == ("sqi",)


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (["en"], ("eng",)),
        (["ENG", "german"], ("deu", "eng")),
        (["日本語", "Français"], ("fra", "jpn")),
        (["no"], ("nno", "nob")),
        (["Serbo-Croatian"], ("bos", "cnr", "hrv", "srp")),
        (["cmn", "zh", "Chinese"], ("zho",)),
        (("de" for _ in range(2)), ("deu",)),
    ],
)
def test_languages_by_code_and_name(names, codes):
    assert codes_of(names, TAUGHT) == codes


def test_a_language_that_was_taught_is_known_by_its_label():
    assert codes_of(["tlh"], ["eng", "tlh"]) == ("tlh",)


@pytest.mark.parametrize("names", [["elvish"], [""], [None], [["en"]], [5], [b"en"]])
def test_an_unknown_language_is_refused(names):
    with pytest.raises(ParameterError, match="languages that the detector knows"):
        codes_of(names, TAUGHT)


def test_one_name_is_not_a_list():
    with pytest.raises(ParameterError, match="list of languages"):
        codes_of("en", TAUGHT)
    with pytest.raises(ParameterError, match="at least one"):
        codes_of([], TAUGHT)
