"""The report as a reader sees it, in a real browser."""

import io

import pytest

from addhash.paper.report import page as report

PHONE = {"width": 360, "height": 800}
DESK = {"width": 1200, "height": 800}
SCHEMES = ["light", "dark"]
FIGURES = 6

# All elements that have text of their own and are seen, with the colours of text and background.
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
LINES = """() => [...document.querySelectorAll(".drawing path, .drawing use")]
  .map(element => getComputedStyle(element).stroke).filter(stroke => stroke.startsWith("rgb"))"""


@pytest.fixture(scope="module")
def address(tmp_path_factory, made_up_results, drawn):
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.write(made_up_results, drawn[0], path)
    return path.as_uri()


@pytest.fixture(scope="module")
def opened(browser, address):
    """Return a function that opens the report, with all details shown, once for each setting."""
    pages = {}

    def open_page(viewport, scheme="light"):
        key = (viewport["width"], scheme)
        if key not in pages:
            page = pages[key] = browser.new_page(viewport=viewport, color_scheme=scheme)
            page.goto(address)
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        return pages[key]

    yield open_page
    for page in pages.values():
        page.close()


def luminance(color):
    channels = [int(float(part)) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(color, other):
    """The contrast of two colours as WCAG defines it: from 1 to 21."""
    low, high = sorted([luminance(color), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)


def test_nothing_but_the_page_is_asked_for_and_nothing_is_complained_about(browser, address):
    page = browser.new_page()
    requests, complaints = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address, wait_until="networkidle")
    assert requests == [address]
    assert complaints == []
    assert page.title() == "Additive Feature Hashing, reproduced"
    page.close()


@pytest.mark.parametrize(
    ("viewport", "scheme"), [(PHONE, "light"), (DESK, "dark")], ids=["phone", "desk"]
)
def test_every_figure_is_there_to_see(opened, viewport, scheme):
    page = opened(viewport, scheme)
    drawings = page.locator("figure > svg").all()
    assert len(drawings) == FIGURES
    for drawing in drawings:
        box = drawing.bounding_box()
        assert 300 <= box["width"] <= min(viewport["width"], 520)
        assert 0.8 <= box["height"] / box["width"] <= 1.8
        assert 0 <= box["x"] <= viewport["width"] - box["width"]
        assert drawing.get_attribute("aria-label")
        assert colors_of(drawing.screenshot()) > 50


def colors_of(picture):
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as opened:
        return len(opened.convert("RGB").getcolors(1 << 24))


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_text_in_figures_is_not_cut_off_and_large_enough(opened, viewport):
    page = opened(viewport)
    outside, sizes = page.evaluate("""() => {
      const outside = [], sizes = [];
      for (const drawing of document.querySelectorAll("figure > svg")) {
        const frame = drawing.getBoundingClientRect();
        const scale = frame.width / drawing.viewBox.baseVal.width;
        for (const text of drawing.querySelectorAll("text")) {
          const box = text.getBoundingClientRect();
          sizes.push(parseFloat(getComputedStyle(text).fontSize) * scale);
          if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
              box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
            outside.push(text.textContent);
        }
      }
      return [outside, sizes];
    }""")
    assert outside == []
    assert len(sizes) > 100
    assert min(sizes) >= 10.5


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("window.scrollTo(1000, 0)")
    assert page.evaluate("window.scrollX") == 0


def test_wide_tables_scroll_within_themselves_and_by_keyboard(opened):
    page = opened(PHONE)
    wide = page.evaluate("""() => [...document.querySelectorAll(".scroll")]
      .filter(s => s.scrollWidth > s.clientWidth).map(s => [s.tabIndex, s.ariaLabel])""")
    assert wide
    assert all(index == 0 and label for index, label in wide)
    clipped = page.evaluate("""() => [...document.querySelectorAll("td, th, p, li, dd, summary")]
      .filter(e => e.checkVisibility() && !e.closest(".scroll, .claims thead"))
      .filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.textContent)""")
    assert clipped == []


def edge_colors(element):
    """The colours at the left and right edge of an element, near its bottom."""
    from PIL import Image

    with Image.open(io.BytesIO(element.screenshot())) as picture:
        pixels = picture.convert("RGB")
        y = pixels.height - 25
        return pixels.getpixel((1, y)), pixels.getpixel((pixels.width - 2, y))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tables_show_that_there_is_more_at_their_sides(opened, scheme):
    page = opened(PHONE, scheme)
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    plain = tuple(map(int, back[4:-1].split(",")))
    tables = page.locator(".scroll")
    widths = tables.evaluate_all("all => all.map(s => s.scrollWidth - s.clientWidth)")
    wide, narrow = (tables.nth(widths.index(width)) for width in (max(widths), min(widths)))
    assert max(widths) > 100
    assert min(widths) == 0
    left, right = edge_colors(wide)
    assert left == plain
    assert contrast(f"rgb{right}", back) > 1.2
    wide.evaluate("s => s.scrollTo(s.scrollWidth, 0)")
    left, right = edge_colors(wide)
    assert contrast(f"rgb{left}", back) > 1.2
    assert right == plain
    wide.evaluate("s => s.scrollTo(0, 0)")
    assert edge_colors(narrow) == (plain, plain)


@pytest.mark.parametrize(("viewport", "limit"), [(PHONE, 2400), (DESK, 1300)])
def test_the_first_figure_is_near_the_top(opened, viewport, limit):
    page = opened(viewport)
    page.evaluate("window.scrollTo(0, 0)")
    assert page.locator("figure").first.bounding_box()["y"] < limit


def test_what_differs_leads_to_its_row(opened):
    page = opened(DESK)
    links = page.locator(".differences a")
    assert links.count() > 3
    for link in links.all():
        link.click()
        row = page.locator(".claims tr:target")
        assert " ".join(link.inner_text().split()) in " ".join(row.inner_text().split())
        assert 0 <= row.bounding_box()["y"] < DESK["height"]
        assert row.locator(".verdict").inner_text().split()[-1] in ("differs", "undecided")
    page.locator(".counts .differs a").click()
    assert 0 <= page.locator("#differences").bounding_box()["y"] < DESK["height"]
    page.goto(page.url.partition("#")[0])
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")


@pytest.mark.parametrize("width", [320, 360, 1200])
def test_commands_break_between_words_only(opened, width):
    page = opened({"width": width, "height": 800})
    lines = page.evaluate("""() => [...document.querySelectorAll("code span")]
      .map(word => word.getClientRects().length)""")
    assert len(lines) > 5
    assert set(lines) == {1}


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_text_is_large_enough(opened, viewport):
    texts = opened(viewport).evaluate(TEXTS)
    plain = [one for one in texts if one["tag"] in ("p", "li", "dd", "summary")]
    in_tables = [one for one in texts if one["inTable"]]
    others = [one for one in texts if not one["inFigure"]]
    assert len(plain) > 10
    assert len(in_tables) > 100
    assert min(one["size"] for one in plain) >= 16
    assert min(one["size"] for one in in_tables) >= 14
    assert min(one["size"] for one in others) >= 14


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_text_stands_out_from_what_is_behind_it(opened, viewport, scheme):
    texts = opened(viewport, scheme).evaluate(TEXTS)
    assert {"verdict agrees", "verdict other", "verdict not-run", "where", "why"} <= {
        one["css"] for one in texts
    }
    assert sum(one["inFigure"] for one in texts) > 100
    for one in texts:
        assert contrast(one["color"], one["back"]) >= 4.5, one


@pytest.mark.parametrize("scheme", SCHEMES)
def test_curves_stand_out_from_what_is_behind_them(opened, scheme):
    page = opened(DESK, scheme)
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    grid = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--figure-grid')"
    )
    lines = set(page.evaluate(LINES))
    # AH, HT, the ink of what is stated, the axes, and the grid, which alone is faint.
    assert len(lines) == 5
    faint = [line for line in lines if contrast(line, back) < 3]
    assert [f"#{bytes(map(int, line[4:-1].split(','))).hex()}" for line in faint] == [grid]


def test_light_and_dark_differ(opened):
    light, dark = (opened(DESK, scheme) for scheme in SCHEMES)
    backs = [
        luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for page in (light, dark)
    ]
    assert backs[0] > 0.9
    assert backs[1] < 0.05
    assert set(light.evaluate(LINES)).isdisjoint(dark.evaluate(LINES))
    shots = [page.locator("figure > svg").first.screenshot() for page in (light, dark)]
    assert shots[0] != shots[1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_printed_it_is_dark_on_white_and_all_of_it(browser, address, scheme):
    page = browser.new_page(viewport=DESK, color_scheme=scheme)
    page.goto(address)
    page.emulate_media(media="print", color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for one in page.evaluate(TEXTS):
        assert contrast(one["color"], one["back"]) >= 4.5, one
    # Details are printed although nobody has opened them.
    assert page.locator("text=Means of 100 random halves").first.bounding_box()["height"] > 10
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 50_000
    page.close()


def test_claims_become_cards_on_a_phone_and_stay_a_table_for_screen_readers(opened):
    phone, desk = opened(PHONE), opened(DESK)
    row = ".claims tbody tr"
    assert desk.locator(row).first.evaluate("e => getComputedStyle(e).display") == "table-row"
    assert phone.locator(row).first.evaluate("e => getComputedStyle(e).display") == "block"
    cells = phone.locator(row).first.get_by_role("cell")
    assert cells.count() == 4
    assert phone.get_by_role("columnheader", name="Paper").count() == 4
    labels = cells.first.evaluate("e => getComputedStyle(e, '::before').content")
    assert labels == '"Paper"'
