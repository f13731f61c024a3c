"""Writes the table of languages that the detector knows: ``python -m docs.make_language_table``.

Needs ``pip install langcodes language-data iso639-lang``, which carry the names and the numbers of
writers of Unicode CLDR, the names of the IANA registry, and the codes of ISO 639-3. A name that
CLDR has for a wider language, as Serbian for Montenegrin, is replaced by that of ISO 639-3.
"""

from pathlib import Path

from addhash.languages.codes import udhr_code, wili_code
from benchmarks.harness import lines

TABLE = Path(__file__).parents[1] / "src" / "addhash" / "languages" / "table.tsv"
INDIVIDUAL = " (individual language)"
HEADER = "code\tshort\tname\town_name\twriters"


def _codes() -> list[str]:
    rows = [row.split("\t") for row in lines("wili-2018/labels.csv")]
    codes = {wili_code(row[0].split(";")[0]) for row in rows[1:]}
    found = (udhr_code(row.split("\t")[0]) for row in lines("udhr/paragraphs.tsv")[1:])
    return sorted(codes | {code for code in found if code})


def _row(code: str) -> str:
    from iso639 import Lang
    from langcodes import Language
    from language_data.names import code_to_names

    iso, cldr = Lang(code), Language.get(code)
    is_same = cldr.to_tag() == (iso.pt1 or code)
    name = cldr.display_name() if is_same else iso.name
    own = code_to_names(cldr.language).get(cldr.language, "") if is_same else ""
    population = cldr.writing_population()
    writers = round(population, 2 - len(str(population)))
    return "\t".join([code, iso.pt1, name.removesuffix(INDIVIDUAL), own, str(writers)])


if __name__ == "__main__":
    TABLE.write_text("\n".join([HEADER, *map(_row, _codes())]) + "\n", encoding="utf-8")
