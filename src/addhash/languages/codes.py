"""Which ISO 639-3 code the labels of the sources stand for.

WiLI-2018 labels some of its languages with Wikipedia's codes, which can mean another language in
ISO 639-3: its `als` is Alemannic, while `als` in the Universal Declaration is Tosk Albanian.
"""

__all__ = ["MACROLANGUAGES", "UNDETERMINED", "udhr_code", "wili_code"]

UNDETERMINED = "und"

# Labels of WiLI-2018 that are not the codes of their languages.
WILI = {
    "als": "gsw",  # Alemannic German
    "be-tarask": "bel",  # Belarusian in the orthography of Taraškievič
    "map-bms": "jav",  # Banyumasan, a dialect of Javanese
    "nds-nl": "nds",  # Low Saxon of the Netherlands
    "nrm": "nrf",  # Norman
    "roa-tara": "nap",  # Tarantino, a dialect of Neapolitan
    "zh-yue": "yue",  # Cantonese
}

# Members of macrolanguages in the Universal Declaration that WiLI-2018 means by the macrolanguage:
# they are learnt as one language. Other members keep their codes.
MACROLANGUAGES = {
    "als": "sqi",
    "arb": "ara",
    "ayr": "aym",
    "azj": "aze",
    "cmn": "zho",
    "ekk": "est",
    "gaz": "orm",
    "gug": "grn",
    "khk": "mon",
    "kmr": "kur",
    "lvs": "lav",
    "npi": "nep",
    "pbu": "pus",
    "pes": "fas",
    "plt": "mlg",
    "src": "srd",
    "swh": "swa",
    "uzn": "uzb",
    "ydd": "yid",
    "zlm": "msa",
}


def wili_code(label: str) -> str:
    """Return the code of a language of WiLI-2018.

    >>> wili_code("als"), wili_code("deu")
    ('gsw', 'deu')
    """
    return WILI.get(label, label)


def udhr_code(label: str) -> str | None:
    """Return the code of a language of the Universal Declaration; None if it has none.

    >>> udhr_code("als"), udhr_code("deu"), udhr_code("und")
    ('sqi', 'deu', None)
    """
    return None if label == UNDETERMINED else MACROLANGUAGES.get(label, label)
