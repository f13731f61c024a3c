"""People made up for linking: a table of originals and damaged copies, with the truth.

Each person has a first name, a last name, a street, a town, a postcode, a date of birth and a phone
number. A copy has typing errors, swapped names, abbreviated streets, dates with day and month
exchanged, and missing fields; `damage` is how many of these it has, on average.

    python -m benchmarks.people 1000 2.0 > people.csv
"""

import csv
import sys
from typing import Any

import numpy as np

FIRST = ("b", "br", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w")
MIDDLE = ("a", "e", "i", "o", "u", "ei", "au")
LAST = ("", "n", "r", "l", "s", "t", "ck", "rt")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
KINDS = {"street": "st", "road": "rd", "avenue": "ave", "lane": "ln", "close": "cl"}
FIELDS = ("first", "last", "street", "town", "postcode", "born", "phone")

Person = dict[str, Any]


def _names(random: np.random.Generator, count: int) -> list[str]:
    return [
        "".join(
            str(random.choice(FIRST)) + str(random.choice(MIDDLE)) + str(random.choice(LAST))
            for _ in range(int(random.integers(1, 4)))
        )
        for _ in range(count)
    ]


def _typo(random: np.random.Generator, text: str) -> str:
    at = int(random.integers(len(text)))
    letter = LETTERS[int(random.integers(26))] if text[at].isalpha() else str(random.integers(10))
    kind = int(random.integers(4))
    if kind == 0:
        return text[:at] + letter + text[at:]
    if kind == 1 and len(text) > 2:
        return text[:at] + text[at + 1 :]
    if kind == 2 and at + 1 < len(text):
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + letter + text[at + 1 :]


def _damaged(random: np.random.Generator, person: Person, damage: float) -> Person:
    copy = dict(person)
    for _ in range(int(random.poisson(damage))):
        kind = random.random()
        field = FIELDS[int(random.integers(len(FIELDS)))]
        if kind < 0.6 and copy[field]:
            copy[field] = _typo(random, copy[field])
        elif kind < 0.7:
            copy["first"], copy["last"] = copy["last"], copy["first"]
        elif kind < 0.8 and copy["street"]:
            words = copy["street"].split()
            copy["street"] = " ".join([*words[:-1], KINDS.get(words[-1], words[-1])])
        elif kind < 0.85 and copy["born"] and copy["born"].count("-") == 2:
            year, month, day = copy["born"].split("-")
            copy["born"] = f"{year}-{day}-{month}"
        else:
            copy[field] = ""
    return copy


def generate(
    count: int, damage: float = 2.0, share: float = 0.3, seed: int = 0
) -> tuple[list[Person], set[tuple[int, int]]]:
    """Return records in random order, and the pairs that are one person."""
    random = np.random.default_rng(seed)
    firsts, lasts = _names(random, 400), _names(random, 4_000)
    streets, towns = _names(random, 3_000), _names(random, 500)
    people: list[Person] = []
    originals = round(count * (1 - share))
    skew = random.random((originals, 5)) ** 2  # some names are common
    for i in range(originals):
        town = int(500 * skew[i, 3])
        kind = list(KINDS)[int(random.integers(len(KINDS)))]
        people.append(
            {
                "first": firsts[int(400 * skew[i, 0])],
                "last": lasts[int(4_000 * skew[i, 1])],
                "street": f"{random.integers(1, 200)} {streets[int(3_000 * skew[i, 2])]} {kind}",
                "town": towns[town],
                "postcode": f"{1000 + 13 * town + int(random.integers(10)):05}",
                "born": f"{random.integers(1930, 2010)}-{random.integers(1, 13):02}"
                f"-{random.integers(1, 29):02}",
                "phone": f"{random.integers(10**8, 10**9)}",
            }
        )
    owners = list(range(originals))
    for _ in range(count - originals):
        owner = int(random.integers(originals))
        people.append(_damaged(random, people[owner], damage))
        owners.append(owner)
    order = random.permutation(count).tolist()
    families: dict[int, list[int]] = {}
    for place, i in enumerate(order):
        families.setdefault(owners[i], []).append(place)
    pairs = {
        (a, b) for family in families.values() for k, b in enumerate(family) for a in family[:k]
    }
    return [people[i] for i in order], pairs


if __name__ == "__main__":
    table, _ = generate(int(sys.argv[1]), float(sys.argv[2]))
    writer = csv.DictWriter(sys.stdout, ["id", *FIELDS])
    writer.writeheader()
    writer.writerows({"id": f"p{i}"} | person for i, person in enumerate(table))
