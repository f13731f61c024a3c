"""The page of the server in a real browser: its five parts, by keyboard and mouse."""

import re

import pytest

from addhash import TextClassifier
from addhash.sample import load_languages, load_messages
from tests.browser.test_report import TEXTS as SEEN_TEXTS
from tests.browser.test_report import contrast, luminance
from tests.service.running import Running

TEXTS, LABELS = load_messages()
PHONE = {"width": 360, "height": 800}
DESK = {"width": 1200, "height": 800}
PARTS = ["ask", "teach", "examples", "model", "map"]
MAIL = "/v1/models/mail"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Running(tmp_path_factory.mktemp("page") / "data") as server:
        server.ask("POST", "/v1/models", {"name": "languages"})
        texts, labels = load_languages()
        lesson = {"texts": texts[::4], "labels": labels[::4]}
        server.ask("POST", "/v1/models/languages/examples", lesson)
        yield server


@pytest.fixture
def mail(server):
    """A model of its own for a test that teaches."""
    number = len(server.ask("GET", "/v1/models")[1]["data"])
    name = f"mail-{number}"
    server.ask("POST", "/v1/models", {"name": name})
    return name


class Page:
    """A page, all requests it made, and all that it complained about."""

    def __init__(self, browser, server, viewport=DESK, scheme="light"):
        self.page = browser.new_page(viewport=viewport, color_scheme=scheme)
        self.address = f"http://127.0.0.1:{server.port}/"
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, part, model=None):
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#{part}")
        self.ready(part)
        if model is not None:
            self.page.select_option("#model", model)
            self.page.wait_for_function("name => document.title.startsWith(name)", arg=model)
            self.ready(part)
        return self.page

    def ready(self, part):
        self.page.wait_for_selector(f".part[data-part={part}][data-ready]", timeout=30_000)

    def check(self):
        """Nothing left the host, and nobody complained: no error, no violation of the policy."""
        assert self.requests
        assert all(url.startswith((self.address, "blob:", "about:")) for url in self.requests)
        assert self.complaints == []


@pytest.fixture
def opened(browser, server):
    made = []

    def open_page(part, model=None, **settings):
        page = Page(browser, server, **settings)
        made.append(page)
        page.open(part, model)
        return page

    yield open_page
    for page in made:
        page.check()
        page.page.close()


def drop_file(page, name, content):
    file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files(".drop input[type=file]", files=[file])


# The five parts.


def test_the_answer_comes_while_one_types(opened):
    page = opened("ask", "languages").page
    page.keyboard.type("Where is the nearest station?")  # the field has the focus
    page.wait_for_selector(".answer >> text=English")
    page.wait_for_selector(".letters .for")
    assert page.locator(".letters").inner_text() == "Where is the nearest station?"
    assert page.locator(".letters span").count() == len("Where is the nearest station?")
    shares = page.locator(".bars .number").all_inner_texts()
    assert len(shares) == 6
    assert all(re.fullmatch(r"\d+\.\d %", share) for share in shares)
    page.wait_for_selector(".near li")
    page.locator("#text").fill("Où est la gare ? 😀")
    page.wait_for_selector(".answer >> text=French")
    page.wait_for_function("() => document.querySelectorAll('.letters span').length === 18")
    assert "French" in page.locator("#said").text_content()
    page.get_by_text("The strongest pieces").click()
    assert page.locator("details td.mono").count() == 12
    page.locator("#text").fill("")
    page.wait_for_function("() => !document.querySelector('.answer').childElementCount")


def test_teaching_by_keys_is_there_after_a_kill(browser, tmp_path):
    data = tmp_path / "data"
    chosen = range(0, 60, 2)
    with Running(data) as server:
        opened = Page(browser, server)
        page = opened.page
        page.goto(opened.address)
        # No model yet: one is started on the page.
        page.wait_for_selector("#name")
        page.keyboard.type("mail")
        page.keyboard.press("Enter")
        opened.ready("teach")
        drop_file(page, "texts.txt", "\n".join(TEXTS[i] for i in chosen))
        page.wait_for_selector("#current")
        labels = dict(zip(TEXTS, LABELS, strict=True))
        for step in range(12):
            text = page.locator("#current").inner_text()
            label = labels[text]
            known = page.locator(".labels button .chip").all_inner_texts()
            if label not in known:
                page.locator("#new-label").fill(label)
                page.keyboard.press("Enter")
            else:
                page.evaluate("document.activeElement.blur()")
                page.keyboard.press(str(known.index(label) + 1))
            page.wait_for_function(
                "text => document.getElementById('current')?.textContent !== text", arg=text
            )
            assert server.ask("GET", f"{MAIL}/examples?limit=1")[1]["total"] == step + 1
        page.wait_for_selector(".plot .curve")
        page.wait_for_selector(".plot[aria-label$='with 12 examples']")
        # U takes back, Enter accepts the guess.
        before = page.locator("#current").inner_text()
        page.keyboard.press("u")
        page.wait_for_function(
            "text => document.getElementById('current')?.textContent !== text", arg=before
        )
        assert server.ask("GET", f"{MAIL}/examples?limit=1")[1]["total"] == 11
        guess = page.locator(".labels .suggested .chip").inner_text()
        text = page.locator("#current").inner_text()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "text => document.getElementById('current')?.textContent !== text", arg=text
        )
        latest = server.ask("GET", f"{MAIL}/examples?limit=1")[1]["examples"][0]
        assert (latest["text"], latest["label"]) == (text, guess)
        digest = server.ask("GET", MAIL)[1]["digest"]
        opened.check()
        page.close()
        server.kill()
    with Running(data) as server:
        opened = Page(browser, server)
        page = opened.open("examples", "mail")
        assert page.locator("tbody tr").count() == 12
        assert text in page.locator("tbody").inner_text()
        assert server.ask("GET", MAIL)[1]["digest"] == digest
        opened.check()
        page.close()


def test_labelled_rows_are_learnt_at_once(opened, server, mail):
    page = opened("teach", mail).page
    rows = ["text,label", '"a ""quoted"" prize, now",spam', "see you,ham", "no label,"]
    drop_file(page, "rows.csv", "\r\n".join(rows))
    page.wait_for_selector("#current >> text=no label")
    found = server.ask("GET", f"/v1/models/{mail}/examples")[1]["examples"]
    assert {(e["text"], e["label"]) for e in found} == {
        ('a "quoted" prize, now', "spam"),
        ("see you", "ham"),
    }
    assert page.locator(".labels button").count() == 2


def test_the_most_uncertain_text_comes_first(opened, server, mail):
    lesson = {"texts": TEXTS[:100], "labels": LABELS[:100]}
    server.ask("POST", f"/v1/models/{mail}/examples", lesson)
    page = opened("teach", mail).page
    drop_file(page, "texts.txt", "\n".join(TEXTS[100:]))
    page.wait_for_selector("#current")
    page.wait_for_selector(".labels .suggested")
    answers = TextClassifier().partial_fit(*lesson.values()).predict_scores(TEXTS[100:])
    least = min(zip(answers, TEXTS[100:], strict=True), key=lambda pair: pair[0].margin)
    assert page.locator("#current").inner_text() == least[1]


def test_examples_are_searched_relabelled_forgotten_and_exported(opened, server, mail):
    path = f"/v1/models/{mail}/examples"
    server.ask("POST", path, {"texts": TEXTS[:80], "labels": LABELS[:80]})
    page = opened("examples", mail).page
    assert page.locator("tbody tr").count() == 50
    page.get_by_role("button", name="Show more").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 80")
    page.get_by_role("searchbox").fill(TEXTS[3])
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 1")
    row = page.locator("tbody tr")
    other = {"ham": "spam", "spam": "ham"}[LABELS[3]]
    row.locator("select").select_option(other)
    page.wait_for_function("() => document.getElementById('said').textContent.startsWith('Now')")
    found = server.ask("GET", f"{path}?label={other}&limit=1")[1]["examples"][0]
    assert found["text"] == TEXTS[3]
    # Twice: once could be a slip.
    row.get_by_role("button", name="Forget this example").click()
    assert server.ask("GET", path)[1]["total"] == 80
    row.get_by_role("button", name="Forget for good").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 0")
    assert server.ask("GET", path)[1]["total"] == 79
    with page.expect_download() as download:
        page.get_by_role("button", name="Export .csv").click()
    assert download.value.suggested_filename == f"{mail}.csv"
    assert TEXTS[4] in download.value.path().read_text()


def test_the_model_is_shown_fetched_and_merged(opened, server, mail, tmp_path):
    path = f"/v1/models/{mail}"
    server.ask("POST", f"{path}/examples", {"texts": TEXTS[:80], "labels": LABELS[:80]})
    page = opened("model", mail).page
    page.wait_for_selector(".confusion")
    cells = [int(cell) for cell in page.locator(".confusion tbody td").all_inner_texts()]
    assert sum(cells) == 80
    digest = page.locator("dl code").inner_text()
    assert digest == server.ask("GET", path)[1]["digest"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the model").click()
    fetched = TextClassifier.load(download.value.path())
    assert fetched.digest() == digest
    other = TextClassifier().partial_fit(["ein Beispiel"], ["german"])
    other.save(tmp_path / "other.model")
    page.set_input_files("#merge", tmp_path / "other.model")
    page.wait_for_selector("td >> text=german")
    assert server.ask("GET", path)[1]["digest"] == fetched.merge(other).digest()


def test_the_map_is_read_by_mouse_and_keys(opened):
    page = opened("map", "languages").page
    dots = page.locator("circle")
    assert dots.count() == 120
    dots.nth(5).hover()
    assert page.locator(".tip").is_visible()
    page.locator(".map svg").focus()
    seen = set()
    for key in ["ArrowRight"] * 5 + ["ArrowDown"] * 5:
        page.keyboard.press(key)
        seen.add(page.locator("#said").text_content())
    assert len(seen) > 5
    assert page.locator("circle.chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".tip").is_hidden()
    page.get_by_role("button", name="English").click()
    assert page.locator("circle.faded").count() == 10


def test_every_part_is_reached_by_keys_alone(opened):
    page = opened("ask", "languages").page
    for part in PARTS[1:]:
        page.evaluate("document.querySelector('#tabs [aria-current]').focus()")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(f".part[data-part={part}][data-ready]", timeout=30_000)
        assert page.evaluate("document.activeElement.id") in ("content", "text")


def test_a_token_is_asked_for_and_not_kept_as_a_cookie(browser, tmp_path):
    with Running(
        tmp_path / "data", ADDHASH_SERVE_READ_TOKEN="open", ADDHASH_SERVE_WRITE_TOKEN="w"
    ) as s:
        opened = Page(browser, s)
        page = opened.page
        page.goto(opened.address)
        page.wait_for_selector("#token[open]")
        page.keyboard.type("w")
        page.keyboard.press("Enter")
        page.wait_for_selector("#name")
        page.keyboard.type("mail")
        page.keyboard.press("Enter")
        opened.ready("teach")
        assert page.context.cookies() == []
        page.close()


def test_a_problem_is_shown(opened, server, mail):
    page = opened("ask", mail).page
    page.route("**/v1/models", lambda route: route.abort())
    answer = server.ask("GET", "/v1/models")[1]
    answer["data"][0]["problems"] = {"ledger": "the ledger is damaged"}
    answer["data"][0]["condition"] = "read-only"
    page.unroute("**/v1/models")
    page.route("**/v1/models", lambda route: route.fulfill(json=answer))
    page.reload()
    page.wait_for_selector("#trouble:not([hidden])")
    assert "the ledger is damaged" in page.get_by_role("alert").inner_text()


# How it looks.


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [(DESK, "light"), (DESK, "dark"), (PHONE, "light"), (PHONE, "dark")],
    ids=["light", "dark", "phone", "phone-dark"],
)
def test_it_is_legible(opened, part, viewport, scheme):
    page = opened(part, "languages", viewport=viewport, scheme=scheme).page
    if part == "ask":
        page.locator("#text").fill("Where is the Bahnhof?")
        page.wait_for_selector(".letters span")
        page.wait_for_selector(".near li")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    back = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (back > 0.9) == (scheme == "light")
    texts = page.evaluate(SEEN_TEXTS)
    assert len(texts) > 10
    for one in texts:
        # Letters lie on the colours of their shares, which are never strong.
        if not one["back"].startswith("rgba") and not one["color"].startswith("oklch"):
            assert contrast(one["color"], one["back"]) >= 4.5, one
        assert one["size"] >= 11.5, one


def test_screen_readers_find_their_way(opened):
    page = opened("ask", "languages").page
    for part in PARTS:
        page.goto(f"{page.url.partition('#')[0]}#{part}")
        page.wait_for_selector(f".part[data-part={part}][data-ready]", timeout=30_000)
        assert page.get_by_role("heading", level=1).count() == 1
        nameless = page.evaluate("""() => [...document.querySelectorAll(
            "main button, main input, main select, main textarea, main [tabindex='0']")]
          .filter(e => e.checkVisibility())
          .filter(e => !(e.ariaLabel || e.labels?.length || e.textContent.trim()))
          .map(e => e.outerHTML)""")
        assert nameless == []
    assert page.locator("[aria-current=page]").inner_text() == "Map"
    assert page.get_by_role("navigation").count() == 1
    assert page.get_by_role("main").count() == 1
