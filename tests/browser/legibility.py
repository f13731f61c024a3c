"""What a page shows, and how well it stands out from what is behind it."""

# Every text that is seen: its colour, that of what is behind it, and its size.
TEXTS = """() => {
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility({visibilityProperty: true})) continue;
    const style = getComputedStyle(element);
    let behind = element, back = "rgba(0, 0, 0, 0)";
    while (behind && back === "rgba(0, 0, 0, 0)") {
      back = getComputedStyle(behind).backgroundColor;
      behind = behind.parentElement;
    }
    found.push({
      text: element.textContent.trim().slice(0, 40),
      tag: element.localName, css: element.getAttribute("class") || "",
      color: element.localName === "text" ? style.fill : style.color, back,
      size: parseFloat(style.fontSize), inTable: !!element.closest("table"),
      inFigure: !!element.closest("svg"),
    });
  }
  return found;
}"""


def luminance(color):
    """The relative luminance of a colour as WCAG defines it."""
    channels = [int(float(part)) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(color, other):
    """The contrast of two colours as WCAG defines it: from 1 to 21."""
    low, high = sorted([luminance(color), luminance(other)])
    return (high + 0.05) / (low + 0.05)
