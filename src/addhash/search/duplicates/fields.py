"""The fields of records: how each is cut into tokens, and how much it counts."""

import datetime
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError, ParameterError
from addhash.parameters import FIELD, FieldKind, check_values
from addhash.runtime import native
from addhash.search.duplicates.token_sets import Cutting

MOST_FIELDS = 32
# The mean number of words from which "auto" takes a column of strings for texts.
TEXT_WORDS = 8
# A field never weighs nothing, even if all records agree in it.
LEAST_BITS = 0.1

CUTTINGS = {
    "name": Cutting("char_wb", (2, 2), True),
    "text": Cutting("auto", (1, 1), True),
    "code": Cutting("auto", (1, 1), True),
    "date": Cutting("auto", (1, 1), True),
}


@dataclass(frozen=True)
class Field:
    """How a field of records is compared.

    Parameters
    ----------
    kind : {"auto", "name", "text", "code", "date", "number"}, default="auto"
        What two values share: "name", pairs of neighbouring characters of words, which forgives
        typing errors; "text", words; "code", all or nothing, apart from case, spaces and
        punctuation; "date", year, month and day; "number", nothing from the tolerance on.
        "auto" is "date" for dates, "number" for floats, "code" for other numbers, "text" for
        strings with more than 8 words on average, and "name" for other strings.
    weight : float, optional
        How much the field counts. By default, the bits of information in it: -log2 of the chance
        that two records drawn at random agree.
    tolerance : float, default=0
        For numbers, and for dates in days: the distance at which values share nothing; closer
        values share 1 - distance / tolerance. 0 means equal or not; for dates, it means that year,
        month and day are compared.

    Examples
    --------
    >>> from addhash import Field
    >>> Field("number", weight=2, tolerance=0.5)
    Field(kind='number', weight=2, tolerance=0.5)
    """

    kind: FieldKind = "auto"
    weight: float | None = None
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        check_values("Field", FIELD, vars(self))
        if self.tolerance and self.kind not in ("number", "date"):
            raise ParameterError.of(
                "Field",
                "tolerance",
                f"is for the kinds 'number' and 'date'. Got {self.tolerance!r} for {self.kind!r}.",
            )


def fields_of(fields: Any, owner: str = "find_duplicates") -> dict[str, Field]:
    """Check a user's fields: names with a weight, a kind, a Field or None each."""
    if isinstance(fields, str) or not isinstance(fields, (Mapping, Sequence)):
        raise ParameterError.of(
            owner,
            "fields",
            "must be a dict of column names with a weight, a kind or a Field each, or a list of"
            f" names. Got {fields!r:.80} instead.",
        )
    names = list(fields)
    if not 1 <= len(names) <= MOST_FIELDS or len(set(names)) < len(names):
        raise ParameterError.of(
            owner,
            "fields",
            f"must name 1 to {MOST_FIELDS} different columns. Got {names!r:.200} instead.",
        )
    given = fields if isinstance(fields, Mapping) else dict.fromkeys(names)
    return {name: _field(name, given[name], owner) for name in names}


def settled_fields(fields: Any, owner: str) -> dict[str, Field]:
    """Check fields whose kinds and weights no records to come can change."""
    settled = fields_of(fields, owner)
    for name, field in settled.items():
        missing = "a kind" if field.kind == "auto" else "a weight" if field.weight is None else None
        if missing:
            raise ParameterError.of(
                owner,
                "fields",
                f"must give {name!r} {missing}, such as Field('name', weight=2): records that come"
                " and go would change what is chosen by default. A search over many records chooses"
                " well: find_duplicates(records, fields=...).fields.",
            )
    return settled


def refuse(owner: str, given: Mapping[str, bool], meant_for: str, kind: str) -> None:
    """Refuse parameters that are given and have no meaning for texts, or for records."""
    for name, is_given in given.items():
        if is_given:
            raise ParameterError.of(owner, name, f"is for {meant_for}. Leave it out for {kind}.")


def _field(name: Any, value: Any, owner: str) -> Field:
    if not isinstance(name, str):
        raise ParameterError.of(
            owner, "fields", f"must name columns by strings. Got {name!r} instead."
        )
    if isinstance(value, Field):
        return value
    if value is None:
        return Field()
    if isinstance(value, str):
        return Field(value)  # type: ignore[arg-type]
    return Field(weight=value)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one field in all records, ready to be compared.

    `sets` are the token sets, or None for numbers; a record without a value has a set, or a number,
    that nobody looks at.
    """

    name: str
    field: Field  # with its kind and weight
    present: npt.NDArray[np.bool_]
    sets: native.TokenSets | None
    numbers: npt.NDArray[np.float64]

    @classmethod
    def of(cls, name: str, field: Field, values: Sequence[Any], threads: int) -> "Column":
        """Cut the values of a field; None stands for a missing one."""
        kind = _kind_of(values) if field.kind == "auto" else field.kind
        present = np.array([value is not None for value in values], bool)
        if kind == "number" or (kind == "date" and field.tolerance):
            read = _day if kind == "date" else _number
            numbers = np.array(
                [0.0 if v is None else read(name, i, v) for i, v in enumerate(values)], np.float64
            )
            weight = field.weight or _bits(numbers[present].tolist())
            return cls(name, replace(field, kind=kind, weight=weight), present, None, numbers)
        texts = ["" if value is None else _as_text(kind, value) for value in values]
        sets = CUTTINGS[kind].sets(texts, threads)
        known = [text for text, there in zip(texts, present.tolist(), strict=True) if there]
        weight = field.weight or _bits(known)
        return cls(name, replace(field, kind=kind, weight=weight), present, sets, np.empty(0))


def _kind_of(values: Sequence[Any]) -> FieldKind:
    some = [value for value in values if value is not None]
    if some and all(isinstance(value, datetime.date) for value in some):
        return "date"
    if some and all(isinstance(value, (int, float, np.number)) for value in some):
        return "number" if any(isinstance(v, (float, np.floating)) for v in some) else "code"
    words = sum(len(str(value).split()) for value in some)
    return "text" if words > TEXT_WORDS * len(some) else "name"


def _bits(values: Sequence[Any]) -> float:
    """Return -log2 of the chance that two values drawn at random are equal."""
    count = len(values)
    if count < 2:
        return LEAST_BITS
    pairs = sum(n * (n - 1) for n in Counter(values).values())
    # As if one pair more agreed: all values may be different.
    return max(LEAST_BITS, -math.log2((pairs + 2) / (count * (count - 1) + 2)))


def _as_text(kind: str, value: Any) -> str:
    if kind == "date":
        return _date_parts(value)
    text = str(value)
    if kind == "code":
        return "".join(character for character in text if character.isalnum()) or text
    return text


def _date_parts(value: Any) -> str:
    """Return year, month and day as three words; other words of a date as they are."""
    date = _date(value)
    if date is None:
        return " ".join(re.findall(r"\w+", str(value))) or str(value)
    return f"y{date.year} m{date.month} d{date.day}"


def _date(value: Any) -> datetime.date | None:
    if isinstance(value, datetime.date):
        return value
    text = str(value).strip()
    for form in ("%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%Y/%m/%d"):
        try:
            return datetime.datetime.strptime(text, form).date()
        except ValueError:
            continue
    try:
        return datetime.datetime.fromisoformat(text).date()
    except ValueError:
        return None


def _day(name: str, position: int, value: Any) -> float:
    date = _date(value)
    if date is None:
        raise DocumentError(
            f"Record {position}: field {name!r} is {value!r:.60}; expected a date such as"
            " 2024-01-31. A date that may be written in any way needs a tolerance of 0.",
            position,
        )
    return float(date.toordinal())


def _number(name: str, position: int, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DocumentError(
            f"Record {position}: field {name!r} is {value!r:.60}; expected a number.", position
        )
    return number
