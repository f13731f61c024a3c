"""Which ISO 639-3 codes the detector uses, and which of them form a group."""

UNDETERMINED = "und"

# Labels of WiLI-2018, a test set, that are not the codes of their languages.
WILI = {
    "als": "gsw",  # Alemannic German
    "be-tarask": "bel",  # Belarusian in the orthography of Taraškievič
    "map-bms": "jav",  # Banyumasan, a dialect of Javanese
    "nds-nl": "nds",  # Low Saxon of the Netherlands
    "nrm": "nrf",  # Norman
    "roa-tara": "nap",  # Tarantino, a dialect of Neapolitan
    "zh-yue": "yue",  # Cantonese
}

# A standard variety is named by the code that has a two-letter form, even where ISO calls it a
# macrolanguage. Other members keep their codes.
MACROLANGUAGES = {
    "als": "sqi",
    "arb": "ara",
    "ayr": "aym",
    "azj": "aze",
    "cmn": "zho",
    "ekk": "est",
    "fil": "tgl",
    "gaz": "orm",
    "gug": "grn",
    "khk": "mon",
    "kmr": "kur",
    "lvs": "lav",
    "npi": "nep",
    "ory": "ori",
    "pbt": "pus",
    "pbu": "pus",
    "pes": "fas",
    "plt": "mlg",
    "src": "srd",
    "swh": "swa",
    "uzn": "uzb",
    "ydd": "yid",
    "zlm": "msa",
    "zsm": "msa",
}

# Groups besides the macrolanguages of the table.
GROUP_OF = {
    "cnr": "hbs",  # Montenegrin, with Bosnian, Croatian and Serbian
    "azb": "aze",
    "cjy": "zho",
    "gan": "zho",
    "hak": "zho",
    "hsn": "zho",
    "quz": "que",
    "qug": "que",
    "qva": "que",
    "qvh": "que",
    "qxu": "que",
    "rmn": "rom",
}

GROUP_NAMES = {
    "aka": "Akan",
    "bik": "Bikol",
    "bua": "Buriat",
    "chm": "Mari",
    "din": "Dinka",
    "ful": "Fulah",
    "gba": "Gbaya",
    "hbs": "Serbo-Croatian",
    "hmn": "Hmong",
    "iku": "Inuktitut",
    "kau": "Kanuri",
    "kln": "Kalenjin",
    "lah": "Lahnda",
    "luy": "Luyia",
    "nor": "Norwegian",
    "que": "Quechua",
    "rom": "Romany",
    "syr": "Syriac",
    "tmh": "Tamashek",
    "zap": "Zapotec",
    "zza": "Zaza",
}

# Dead and constructed languages: rare, whatever text there is.
NOT_EVERYDAY = frozenset(
    [
        "ang",
        "ave",
        "awk",
        "cop",
        "dif",
        "enm",
        "frm",
        "fro",
        "got",
        "grc",
        "hbo",
        "lut",
        "lzh",
        "nay",
        "non",
        "orv",
        "ota",
        "phn",
        "sux",
        "syc",
        "tmr",
        "tpn",
        "wro",
        "afh",
        "avk",
        "bzt",
        "dws",
        "ido",
        "ile",
        "ina",
        "jbo",
        "ldn",
        "lfn",
        "nov",
        "qya",
        "sjn",
        "tlh",
        "tok",
        "tzl",
        "vol",
    ]
)


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
    # "que" is several languages, of which others have texts of their own.
    return None if label in (UNDETERMINED, "que") else MACROLANGUAGES.get(label, label)
