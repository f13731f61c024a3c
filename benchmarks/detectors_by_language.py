"""The detector alone, on every set: how often it is right, how sure it is, and where it is weak."""

from collections import Counter
from typing import Any

from addhash import languages
from benchmarks.detector_texts import Texts, all_sets, head_235, merged

SURE = 0.9
WRONG_AS = 3


def _row(data: str, language: str, answers: list[Any], codes: list[str]) -> dict[str, Any]:
    right = [
        found is not None and merged(found.code) == merged(code)
        for found, code in zip(answers, codes, strict=True)
    ]
    # Of languages that count as one, the group is what is sure.
    sure = [
        hit
        for hit, found in zip(right, answers, strict=True)
        if found is not None and _share(found) > SURE
    ]
    mistakes = Counter(
        found.code if found else "none"
        for hit, found in zip(right, answers, strict=True)
        if not hit
    )
    return {
        "data": data,
        "language": language,
        "texts": len(codes),
        "right": sum(right) / len(codes),
        f"probability above {SURE}": len(sure) / len(codes),
        "right of these": sum(sure) / len(sure) if sure else None,
        "mistaken for": " ".join(code for code, _ in mistakes.most_common(WRONG_AS)),
    }


def _share(found: Any) -> float:
    return float(found.group_probability if merged(found.code) != found.code else found.probability)


def _rows(data: str, texts: Texts, own: bool, with_languages: bool) -> list[dict[str, Any]]:
    asked, codes = texts
    answers = languages.detect(asked, sorted(set(codes)) if own else None, threshold=0)
    rows = [_row(data, "all", answers, codes)]
    for code in sorted(set(codes)) if with_languages else []:
        places = [i for i, other in enumerate(codes) if other == code]
        rows.append(_row(data, code, [answers[i] for i in places], [code] * len(places)))
    return rows


def run() -> list[dict[str, Any]]:
    rows = []
    for data, texts in all_sets().items():
        rows += _rows(data, texts, own=False, with_languages=data == "news")
        rows += _rows(f"{data}, of its languages", texts, own=True, with_languages=False)
    return [
        *rows,
        *_rows("head-235, of its languages", head_235(), own=True, with_languages=True),
    ]
