"""The page where one can try it, in Chromium: what it shows is what Python answers."""

import numpy as np

from addhash import TextClassifier, find_duplicates, languages
from tests.site.conftest import PHONE
from tests.web.texts import texts_of_languages

PATH = "try/index.html"
LINES = [
    "The cat sat on the mat and looked at the dog",
    "the cat sat on the mat and looked at the dog!",
    "It rains in Oslo",
    "The cat sat on the mat and looked at the bird",
]
# Runs in the page: the answers of a module of its own, as bits.
DETECT = """async (texts) => {
    const { open } = await import("./addhash.js");
    const addhash = await open();
    const model = await (await fetch("languages.model")).arrayBuffer();
    const detector = await addhash.load(model, await (await fetch("languages.tsv")).text());
    const hex = (value) => Array.from(new Uint8Array(Float64Array.of(value).buffer),
        (byte) => byte.toString(16).padStart(2, "0")).join("");
    return detector.detect(texts).map((row) => row && [row[0].code, hex(row[0].probability)]);
}"""


def shown(page, name):
    return page.locator(f"#{name}").inner_text()


def open_ready(opened, **settings):
    page = opened(PATH, **settings)
    page.wait_for_selector("body[data-ready]")
    return page


def test_languages_of_what_is_typed(opened):
    page = open_ready(opened)
    text = "Guten Morgen, wie geht es dir? 你好，今天天气很好。"
    page.fill("#text", text)
    parts = languages.segments(text)
    page.wait_for_selector(".segment small:text('German')")
    assert [part.name for part in parts] == ["German", "Chinese"]
    assert page.locator(".segment small").all_inner_texts() == [part.name for part in parts]
    best = languages.detect(text, top=3)[0]
    digits = 1 if best.probability > 0.995 else 0
    percent = f"{100 * best.probability:.{digits}f} %"
    assert shown(page, "languages").startswith(f"{best.name} {percent}")
    assert page.locator("#reasons span").count() == len(text)
    shades = "spans => new Set(spans.map(span => getComputedStyle(span).backgroundColor)).size"
    assert page.locator("#reasons span").evaluate_all(shades) > 3
    page.fill("#text", "123 !")
    page.wait_for_function("() => document.querySelectorAll('.segment').length == 0")
    assert "No words" in shown(page, "languages")


def test_3000_texts_have_the_bits_of_python(opened):
    texts = texts_of_languages()
    found = open_ready(opened).evaluate(DETECT, texts)
    expected = languages.detect(texts)
    assert len(found) == len(expected) == 3000
    for row, own in zip(found, expected, strict=True):
        assert row == (own and [own.code, np.float64(own.probability).tobytes().hex()])


def test_a_classifier_taught_in_the_page_is_that_of_python(opened, tmp_path):
    page = open_ready(opened, viewport=PHONE)
    labels = page.locator("#examples b").all_inner_texts()
    texts = page.locator("#examples li > span").all_inner_texts()
    assert len(texts) == len(labels) == 4
    page.fill("#example", "a label of white space is none")
    page.fill("#label", "  ")
    page.get_by_role("button", name="Learn").click()
    assert page.locator("#label").evaluate("input => input.validity.valueMissing")
    assert page.locator("#examples li").count() == 4
    page.fill("#example", "  Goal! 2:1 in the ninetieth minute ΟΔΟΣ")
    page.fill("#label", "football")
    page.get_by_role("button", name="Learn").click()
    page.wait_for_function("() => document.querySelectorAll('#examples li').length == 5")
    page.get_by_role("button", name=f"Forget: {texts[1]}").click()
    page.wait_for_function("() => document.querySelectorAll('#examples li').length == 4")
    own = TextClassifier().learn(texts, labels)
    own.learn(["  Goal! 2:1 in the ninetieth minute ΟΔΟΣ"], ["football"])
    own.forget([texts[1]], [labels[1]])
    page.fill("#question", "a goal in the last minute")
    page.wait_for_selector("#answer span:text-matches('^football')")
    assert own.predict(["a goal in the last minute"]) == ["football"]
    page.fill("#question", " ")
    page.wait_for_selector("#answer span:text('Ask it something')")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "taught.model")
    own.save(tmp_path / "own.model")
    assert (tmp_path / "taught.model").read_bytes() == (tmp_path / "own.model").read_bytes()


def test_near_duplicates_of_a_file(opened):
    page = open_ready(opened)
    file = {"name": "a.txt", "mimeType": "text/plain", "buffer": "\n".join(LINES).encode()}
    page.set_input_files("#file", file)
    page.wait_for_selector("#clusters li")
    own = find_duplicates(LINES, threshold=0.6)
    dropped = len(LINES) - np.count_nonzero(own.keep)
    assert f"a.txt: {dropped} of 4 lines are near-duplicates" in shown(page, "found")
    assert page.locator("#clusters ul li").all_inner_texts() == [
        f"{own.similarity[i]:.2f} {LINES[i]}" for i in np.flatnonzero(~own.keep)
    ]
    for encoding in ("utf-16-le", "utf-16-be"):
        data = ("\ufeff" + "Grüße an alle dort\n" * 3).encode(encoding)
        page.set_input_files("#file", {**file, "name": encoding, "buffer": data})
        page.wait_for_selector(f"#found:text('{encoding}: 2 of 3 lines')")
    page.set_input_files("#file", {**file, "buffer": b"\xff\xfe\x00"})
    page.wait_for_selector("#found:has-text('not a text file')")
