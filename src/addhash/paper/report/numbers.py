"""Numbers as text: a true minus sign, no negative zero, the right plural."""

from collections.abc import Sequence


def number(value: float, digits: int = 2, sign: str = "") -> str:
    """Return a number with a fixed number of decimals.

    >>> number(-0.14159), number(0.5, 1, sign="+"), number(-0.0001, 3)
    ('−0.14', '+0.5', '0.000')
    """
    if float(f"{value:.{digits}f}") == 0:
        return f"{0:.{digits}f}"
    return f"{value:{sign}.{digits}f}".replace("-", "−")


def with_error(mean: float, error: float | None, digits: int = 2, sign: str = "") -> str:
    """Return a number with its standard error, if that is known.

    >>> with_error(97.4321, 0.0321), with_error(-1.5, None)
    ('97.43 ± 0.03', '−1.50')
    """
    text = number(mean, digits, sign)
    return text if error is None else f"{text} ± {error:.{digits}f}"


def in_words(items: Sequence[object]) -> str:
    """Return a list as one writes it in a sentence.

    >>> in_words([16]), in_words([16, 32]), in_words([16, 32, 64])
    ('16', '16 and 32', '16, 32 and 64')
    """
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def counted(count: int, one: str, many: str) -> str:
    """Return a count with the form of the noun or verb that goes with it.

    >>> counted(1, "was not run", "were not run"), counted(0, "agrees", "agree")
    ('1 was not run', '0 agree')
    """
    return f"{count:,} {one if count == 1 else many}"
