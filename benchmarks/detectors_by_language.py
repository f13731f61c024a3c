"""All languages at once, by length of text and by language, in five-fold cross-validation.

Every text of head-235 and of the Universal Declaration is held back once. The last row of each
length is the official test part of subset-21, by the model that comes with addhash.
"""

from collections import Counter, defaultdict
from typing import Any

from addhash import languages
from addhash.languages.codes import wili_code
from benchmarks.detectors import FOLDS, LENGTHS, Texts, cut, fold, subset_21, trained

SURE = 0.9
WRONG_AS = 3


class Tally:
    """How often answers are right, and how often those that seem sure are."""

    def __init__(self) -> None:
        self.asked = self.right = self.sure = self.right_of_sure = self.unsure = 0
        self.mistakes: Counter[str] = Counter()

    def add(self, found: Any, code: str) -> None:
        self.asked += 1
        is_right = found is not None and found.code == code
        self.right += is_right
        if found is not None and found.probability > SURE:
            self.sure += 1
            self.right_of_sure += is_right
        if not is_right:
            self.mistakes[found.code if found else ""] += 1

    def row(self, data: str, length: str, language: str) -> dict[str, Any]:
        return {
            "data": data,
            "length": length,
            "language": language,
            "texts": self.asked,
            "right": self.right / self.asked,
            f"probability above {SURE}": self.sure / self.asked,
            "right of these": self.right_of_sure / self.sure if self.sure else None,
            "mistaken for": " ".join(code for code, _ in self.mistakes.most_common(WRONG_AS)),
        }


def _tally(tallies: dict[Any, Tally], data: str, pieces: dict[str, Texts], how: Any) -> None:
    for length, (texts, codes) in pieces.items():
        answers = languages.detect(texts, threshold=0, **how)
        for answer, code in zip(answers, codes, strict=True):
            tallies[data, length, "all"].add(answer, code)
            if data == "head-235":
                tallies[data, length, code].add(answer, code)


def run() -> list[dict[str, Any]]:
    tallies: dict[Any, Tally] = defaultdict(Tally)
    for number in range(FOLDS):
        rest, texts, codes, is_wili = fold(number)
        how = {"model": trained(rest)}
        for data, wanted in (("head-235", True), ("udhr", False)):
            chosen = [i for i, is_one in enumerate(is_wili) if is_one == wanted]
            pieces = cut([texts[i] for i in chosen], [codes[i] for i in chosen])
            _tally(tallies, data, pieces, how)
            if wanted:
                own = sorted({wili_code(code) for code in pieces["paragraph"][1]})
                _tally(tallies, "head-235, of its languages", pieces, how | {"languages": own})
    pieces = cut(*subset_21())
    _tally(tallies, "subset-21", pieces, {})
    own = sorted(set(pieces["paragraph"][1]))
    _tally(tallies, "subset-21, of its languages", pieces, {"languages": own})
    order = {length: i for i, length in enumerate(LENGTHS)}
    keys = sorted(tallies, key=lambda key: (key[2] != "all", key[2], key[0], order[key[1]]))
    return [tallies[key].row(*key) for key in keys]
