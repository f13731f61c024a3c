"""Small bundled labelled samples to try things on: languages and messages.

All texts were written for addhash and are under its licence.

Examples
--------
>>> from addhash.sample import load_languages
>>> texts, labels = load_languages()
>>> len(texts), len(set(labels))
(480, 12)
"""

from importlib.resources import files

__all__ = ["load_languages", "load_messages"]


def load_languages() -> tuple[list[str], list[str]]:
    """Return 40 short sentences in each of 12 languages, and the languages' names.

    Examples
    --------
    >>> from addhash.sample import load_languages
    >>> texts, labels = load_languages()
    >>> labels[0], texts[0]
    ('English', 'Good morning, did you sleep well?')
    """
    return _load("languages.tsv")


def load_messages() -> tuple[list[str], list[str]]:
    """Return 150 short messages, and "spam" or "ham" for each.

    Examples
    --------
    >>> from addhash.sample import load_messages
    >>> texts, labels = load_messages()
    >>> labels.count("ham"), labels.count("spam")
    (90, 60)
    """
    return _load("messages.tsv")


def _load(name: str) -> tuple[list[str], list[str]]:
    content = files("addhash.sample").joinpath(name).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in content.split("\n")[1:-1]]
    return [text for _, text in rows], [label for label, _ in rows]
