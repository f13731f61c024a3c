"""Writes the table of languages that the detector knows: ``python -m docs.make_language_table``.

From languages/languages.tsv and udhr/paragraphs.tsv of the data folder. What the former does not
know about a language of the latter is kept from the table that is there.
"""

from pathlib import Path

from addhash.languages.codes import GROUP_OF, NOT_EVERYDAY, udhr_code
from benchmarks.harness import lines

TABLE = Path(__file__).parents[1] / "src" / "addhash" / "languages" / "table.tsv"
HEADER = "code\tshort\tname\town_name\tspeakers\tscripts\tgroup\ttier"


def _rows() -> dict[str, list[str]]:
    old = TABLE.read_text(encoding="utf-8").removesuffix("\n").split("\n")[1:]
    kept = {row.split("\t")[0]: row.split("\t") for row in old}
    declared: dict[str, str] = {}
    for line in lines("udhr/paragraphs.tsv")[1:]:
        label, _, name, _ = line.split("\t")
        code = udhr_code(label)
        if code:
            declared.setdefault(code, name.partition(" (")[0])
    rows = {}
    for line in lines("languages/languages.tsv"):
        code, short, name, own, scripts, macro, speakers, sentences = line.split("\t")[:8]
        has_text = int(sentences) > 0 or code in declared
        tier = "usual" if has_text and code not in NOT_EVERYDAY else "rare"
        group = GROUP_OF.get(code, macro or code)
        rows[code] = [code, short, name, own, speakers or "0", scripts, group, tier]
    for code in declared.keys() - rows.keys():
        known = kept.get(code, [code, "", declared[code], "", "0"])
        rows[code] = [*known[:5], "", GROUP_OF.get(code, code), "usual"]
    return rows


if __name__ == "__main__":
    made = _rows()
    TABLE.write_text(
        "\n".join([HEADER, *("\t".join(made[code]) for code in sorted(made))]) + "\n",
        encoding="utf-8",
    )
