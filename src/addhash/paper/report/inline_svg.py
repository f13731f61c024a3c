"""SVG files prepared for a page: themable colours, unique ids, nothing external."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

__all__ = ["inlined", "with_fonts"]

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_FONT_FAMILY = re.compile(r"font-family: [^;\"]+")
_FONT = re.compile(r"(font: [^;\"]*?\d(?:\.\d+)?px) [^;\"]+")
_LOCAL_URL = re.compile(r"url\(#")
# Not needed in a page, which has its own title and styles.
_LEFT_OUT = ("metadata", "style", "title")


def with_fonts(svg: str) -> str:
    """Return an SVG file whose text uses the system font of the reader."""
    return _FONT.sub(rf"\1 {FONTS}", _FONT_FAMILY.sub(f"font-family: {FONTS}", svg))


def inlined(svg: str, name: str, label: str, colors: Mapping[str, str]) -> str:
    """Return an SVG file as an element for a page.

    Parameters
    ----------
    svg : str
    name : str
        The prefix of all ids, so that those of several figures do not clash.
    label : str
        A description of the figure, for readers who cannot see it.
    colors : mapping of str to str
        Replacements for some colours.

    Examples
    --------
    >>> file = '<svg width="9pt" viewBox="0 0 9 9"><path id="a" style="fill: #123456"/></svg>'
    >>> print(inlined(file, "bar", "One bar", {"#123456": "currentColor"}))
    <svg role="img" aria-label="One bar" class="drawing" viewBox="0 0 9 9"
    stroke-linejoin="round"><path id="bar-a" style="fill: currentColor" /></svg>
    """
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in _LEFT_OUT or child.get("id") == "paper":
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.text = (element.text or "").strip() or None
        element.tail = None
        element.attrib = {
            _local(key): _adapted(_local(key), value, name, colors)
            for key, value in element.attrib.items()
        }
    root.attrib = {
        "role": "img",
        "aria-label": label,
        "class": "drawing",
        "viewBox": root.attrib["viewBox"],
        # From the style sheet of the file.
        "stroke-linejoin": "round",
    }
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    """Return a name without its namespace, which HTML does not need."""
    return name.rpartition("}")[2]


def _adapted(key: str, value: str, name: str, colors: Mapping[str, str]) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return value.replace("#", f"#{name}-", 1)
    if key == "d":
        return " ".join(value.split())
    value = _LOCAL_URL.sub(f"url(#{name}-", value)
    for old, new in colors.items():
        value = value.replace(old, new)
    return value
