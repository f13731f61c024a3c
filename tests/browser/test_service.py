"""The page of the server in a real browser: all its parts, by keyboard and mouse."""

import re

import pytest

from addhash import TextClassifier, languages
from tests.browser.pages import DESK, LABELS, MAIL, PARTS, SMALL, TEXTS, WAIT_MS, Gate, Page
from tests.service.running import InThread, Running


def drop_file(page, name, content):
    """Give the page a file, and agree to its preview."""
    content = content if isinstance(content, bytes) else content.encode()
    file = {"name": name, "mimeType": "text/plain", "buffer": content}
    page.set_input_files(".drop input[type=file]", files=[file])
    page.locator(".preview button.main:enabled").click()


# The five parts.


def test_the_answer_comes_while_one_types(opened, server):
    page = opened("ask", "languages").page
    page.keyboard.type("Where is the nearest station?")  # the field has the focus
    page.wait_for_selector(".answer >> text=English")
    page.wait_for_function(
        "() => document.querySelector('.letters').innerText === 'Where is the nearest station?'"
    )
    assert page.locator(".letters .for").count() > 0
    assert page.locator(".letters span").count() == len("Where is the nearest station?")
    shares = page.locator(".bars .number").all_inner_texts()
    assert len(shares) == 6
    assert all(re.fullmatch(r"\d+\.\d %", share) for share in shares)
    page.wait_for_selector(".near li")
    page.locator("#text").fill("Où est la gare ? 😀")
    page.wait_for_selector(".answer >> text=French")
    page.wait_for_function("() => document.querySelectorAll('.letters span').length === 18")
    assert "French" in page.locator("#said").text_content()
    page.get_by_text("The strongest words").click()
    asked = {"text": "Où est la gare ? 😀", "count": 12}
    rows = server.ask("POST", "/v1/models/languages/explain", asked)[1]["rows"]
    assert page.locator("details td.mono").count() == len(rows) > 3
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
        page.get_by_role("link", name="New model").click()
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
            if label not in known:  # keys are those of the order in which labels first came
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
        # Until the model was asked again, the guess is an old one.
        page.wait_for_selector(".legend")
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
    with InThread(data) as server:
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
        page.get_by_role("button", name="Export for a spreadsheet").click()
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
    page.get_by_role("button", name="Merge", exact=True).click()
    page.wait_for_selector("td >> text=german")
    assert server.ask("GET", path)[1]["digest"] == fetched.merge(other).digest()


def test_the_map_is_read_by_mouse_and_keys(opened, server):
    page = opened("map", "languages").page
    dots = page.locator("circle")
    about = server.ask("GET", "/v1/models/languages")[1]
    assert dots.count() == about["taught"] >= 120
    page.wait_for_function(
        "() => !document.querySelector('[data-part=map]').innerText.includes('Sharpening')"
    )
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
    english = about["counts"][about["classes"].index("English")]
    assert page.locator("circle.faded").count() == english >= 10


def test_the_map_follows_what_is_taught(opened, server, mail):
    path = f"/v1/models/{mail}/examples"
    texts = [f"{text} {i}" for i in range(6) for text in ("win a prize", "see you at lunch")]
    page = opened("map", mail).page
    page.wait_for_selector("text=at least two examples")
    server.ask("POST", path, {"texts": texts, "labels": ["a", "b"] * 6})
    page.wait_for_function("() => document.querySelectorAll('.map circle').length === 12")
    page.wait_for_function("() => !document.querySelector('.map + p').textContent")
    page.get_by_role("button", name="b", exact=True).click()
    # Dots stay the same ones, and go on being faded.
    page.evaluate("for (const dot of document.querySelectorAll('circle')) dot.seen = true")
    server.ask("POST", path, {"texts": ["win a prize 7"], "labels": ["c"]})
    page.wait_for_function("() => document.querySelectorAll('.map circle').length === 13")
    seen = "all => all.filter(dot => dot.seen).length"
    assert page.eval_on_selector_all("circle", seen) == 12
    assert page.locator("circle.faded").count() == 6
    assert page.locator(".keys button").count() == 3


def test_every_part_is_reached_by_keys_alone(opened):
    page = opened("ask", "languages").page
    for part in PARTS[1:]:
        page.evaluate("document.querySelector('#tabs [aria-current]').focus()")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(f".part[data-part={part}][data-ready]")
        focused = (
            "document.activeElement.id || document.activeElement.closest('.mistakes')?.className"
        )
        assert page.evaluate(focused) in ("content", "text", "mistakes")


def test_a_token_is_asked_for_and_not_kept_as_a_cookie(browser, tmp_path):
    with InThread(tmp_path / "data", read_token="open", write_token="w") as server:
        opened = Page(browser, server)
        page = opened.page
        page.goto(opened.address)
        for wrong, words in [("no", "did not accept"), ("ünicode", "letters, digits")]:
            page.wait_for_selector("#token[open]")
            page.keyboard.type(wrong)
            page.keyboard.press("Enter")
            page.wait_for_selector(f"#token-why >> text={words}")
        page.keyboard.type("w")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="New model").click()
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
    (one,) = [one for one in answer["models"] if one["id"] == mail]
    one["problems"] = {"ledger": "the ledger is damaged"}
    one["condition"] = "read-only"
    page.unroute("**/v1/models")
    page.route("**/v1/models", lambda route: route.fulfill(json=answer))
    page.reload()
    page.wait_for_selector("#trouble:not([hidden])")
    assert "the ledger is damaged" in page.locator("#trouble").inner_text()


# The first screen.


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    with InThread(tmp_path_factory.mktemp("first") / "data", languages=True) as server:
        yield server


def test_the_first_screen_answers_as_the_library_does(browser, detector):
    opened = Page(browser, detector)
    page = opened.page
    page.goto(opened.address)
    opened.ready("home")
    page.get_by_role("button", name="¿Dónde está la biblioteca?").click()
    page.wait_for_selector(".answer:not(.stale) >> text=Spanish")
    first = languages.detect("¿Dónde está la biblioteca?", top=5)
    names = page.locator(".bars .name").all_inner_texts()
    assert names == [one.name for one in first]
    share = page.locator(".bars .number").first.inner_text()
    assert share == f"{first[0].probability * 100:.1f} %"
    page.get_by_text("Use it in a program").click()
    code = page.locator(".use pre").inner_text()
    assert code.startswith(f"curl {opened.address}v1/detect")
    for name in ("Python", "JavaScript"):
        page.get_by_role("button", name=name).click()
        assert "biblioteca" in page.locator(".use pre").inner_text()
    opened.check()
    page.close()


def test_a_model_is_made_from_the_sample_in_three_clicks(browser, detector):
    opened = Page(browser, detector)
    page = opened.page
    page.goto(opened.address)
    page.locator("#sample").click()
    page.get_by_role("button", name="Learn 150 examples").click()
    page.wait_for_selector(".note >> text=150 learnt")
    assert page.url.endswith("#messages/teach")
    status, answer = detector.ask("GET", "/v1/models/messages")
    assert (status, answer["taught"]) == (200, 150)
    opened.check()
    page.close()


# The address, reloads and lost connections.


def test_a_reload_stays_with_the_model_and_keeps_what_waits(opened, server, mail):
    page = opened("teach", mail).page
    drop_file(page, "texts.txt", "\n".join(TEXTS[:20]))
    page.wait_for_selector("#current")
    page.wait_for_selector("text=20 waiting")
    page.reload()
    page.wait_for_selector("text=20 waiting")
    assert page.locator("#picker option:checked").inner_text() == mail
    page.get_by_role("link", name="Map").click()
    page.wait_for_selector(".part[data-part=map][data-ready]")
    assert page.url.endswith(f"#{mail}/map")
    page.select_option("#picker", label="New model …")
    page.wait_for_selector("#name")
    page.get_by_role("link", name="addhash").click()
    page.wait_for_selector(".part[data-part=home][data-ready]")
    page.goto(page.url.partition("#")[0] + "#nothing/ask")
    page.wait_for_selector(".error >> text=There is no model nothing")


def test_a_file_goes_on_after_a_reload_and_counts_once(opened, server, mail):
    page = opened("teach", mail).page
    rows = [f"ham,text number {i} of the file" for i in range(700)]
    calls = []

    def slow(route):
        calls.append(route.request)
        if len(calls) == 3:
            return  # never answered
        route.continue_()

    page.route("**/examples", slow)
    drop_file(page, "rows.csv", "\n".join(["label,text", *rows]))
    while len(calls) < 3:
        page.wait_for_timeout(50)
    page.unroute("**/examples")
    page.on("dialog", lambda dialog: dialog.accept())  # it warns before it is left
    page.reload()
    page.wait_for_selector(".note >> text=rows.csv: 700 learnt")
    path = f"/v1/models/{mail}/examples?limit=1"
    assert server.ask("GET", path)[1]["total"] == 700
    # The same file again: nothing is learnt twice.
    drop_file(page, "rows.csv", "\n".join(["label,text", *rows]))
    page.wait_for_selector(".note >> text=0 learnt, 700 known already")
    assert server.ask("GET", path)[1]["total"] == 700
    # A file is undone as a file, after a question, and redone.
    page.keyboard.press("u")
    page.wait_for_selector("#question >> text=Forget the 700 examples of rows.csv?")
    page.get_by_role("button", name="Cancel").last.click()
    page.wait_for_selector("#question", state="hidden")
    assert server.ask("GET", path)[1]["total"] == 700
    page.keyboard.press("u")
    page.get_by_role("button", name="Forget them").click()
    page.wait_for_function("() => document.getElementById('said').textContent === 'Undone'")
    assert server.ask("GET", path)[1]["total"] == 0
    page.wait_for_selector("text=redo rows.csv")
    page.keyboard.press("r")
    page.wait_for_function("() => document.getElementById('said').textContent === 'Redone'")
    assert server.ask("GET", path)[1]["total"] == 700


def test_a_lost_connection_is_shown_and_mended(opened, server, mail):
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": TEXTS, "labels": LABELS})
    made = opened("ask", mail)
    page = made.page
    page.locator("#text").fill("win a prize")
    page.wait_for_selector(".answer:not(.stale) .chip")
    page.route("**/v1/**", lambda route: route.abort())
    page.locator("#text").fill("see you at lunch")
    page.wait_for_selector("#connection:not([hidden])")
    assert page.locator(".answer.stale").count() == 1
    page.unroute("**/v1/**")
    page.wait_for_selector("#connection[hidden]", state="attached")
    page.wait_for_selector(".answer:not(.stale) .chip")
    made.complaints.clear()  # the browser logs each failed request


def test_a_merge_whose_answer_is_lost_counts_once(opened, server, mail, tmp_path):
    made = opened("model", mail)
    page = made.page
    TextClassifier().partial_fit(["one", "two"], ["a", "b"]).save(tmp_path / "other.model")
    sent = []

    def lose(route):
        sent.append(route.request)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/merge", lose)
    page.set_input_files("#merge", tmp_path / "other.model")
    page.get_by_role("button", name="Merge", exact=True).click()
    page.wait_for_selector("td >> text=b")
    assert server.ask("GET", f"/v1/models/{mail}")[1]["counts"] == [1, 1]
    assert len(sent) == 2
    made.complaints.clear()


def test_two_tabs_undo_only_their_own(opened, server, mail):
    tabs = [opened("teach", mail).page for _ in range(2)]
    for page, text in zip(tabs, ["from one", "from two"], strict=True):
        page.get_by_label("A text to teach").fill(text)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#current >> text={text}")
        page.locator("#new-label").fill("a")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Done: nothing left to label")
    tabs[0].keyboard.press("u")
    tabs[0].wait_for_selector("#current >> text=from one")
    found = server.ask("GET", f"/v1/models/{mail}/examples")[1]["examples"]
    assert [e["text"] for e in found] == ["from two"]


def test_tabs_of_one_browser_keep_what_waits_apart(browser, server, mail):
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    one, two = context.new_page(), context.new_page()
    address = f"http://127.0.0.1:{server.port}/#{mail}/teach"

    def waiting(page):
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector(".part[data-part=teach][data-ready]")
        return int(page.locator("text=/^\\d+ waiting$/").inner_text().split()[0])

    one.goto(address)
    drop_file(one, "one.txt", "\n".join(TEXTS[:20]))
    one.wait_for_selector("text=20 waiting")
    two.goto(address)
    two.wait_for_selector("text=Nothing to label yet")
    drop_file(two, "two.txt", "\n".join(TEXTS[20:25]))
    two.wait_for_selector("text=5 waiting")
    assert waiting(one) == 20
    assert waiting(two) == 5
    # The next one takes over what closed ones have left.
    two.close()
    assert waiting(one) == 25
    context.close()


# Mistakes, files and labels.


def test_wrong_labels_are_found_and_mended_by_keys(opened, server, mail):
    labels = list(LABELS)
    planted = [3, 40, 77]
    for i in planted:
        labels[i] = {"ham": "spam", "spam": "ham"}[labels[i]]
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": TEXTS, "labels": labels})
    page = opened("model", mail).page
    page.locator(".confusion td.wrong a").first.click()
    page.wait_for_selector(".mistakes li")
    page.get_by_role("link", name="Show all").click()
    page.wait_for_selector("text=Show all", state="detached")
    page.wait_for_selector(".mistakes li")
    seen = page.locator(".mistakes .text").all_inner_texts()
    assert {TEXTS[i] for i in planted} <= set(seen)
    first = seen[0]
    page.keyboard.press("Enter")
    page.wait_for_function(
        "text => document.querySelector('.mistakes .text').textContent !== text", arg=first
    )
    (found,) = server.ask("GET", f"/v1/models/{mail}/examples?limit=1")[1]["examples"]
    assert found["text"] == first
    relabelled = found["label"]
    page.keyboard.press("u")
    page.wait_for_function("() => document.getElementById('said').textContent === 'Undone'")
    (found,) = server.ask("GET", f"/v1/models/{mail}/examples?limit=1")[1]["examples"]
    assert (found["text"], found["label"] != relabelled) == (first, True)
    page.wait_for_selector(".mistakes:not([aria-busy]) li:focus")
    before = page.locator(".mistakes li").count()
    page.keyboard.press("k")
    page.wait_for_function("n => document.querySelectorAll('.mistakes li').length < n", arg=before)
    forgotten = page.locator(".mistakes li:focus .text").inner_text()
    page.keyboard.press("f")
    page.keyboard.press("f")
    # What the model gets wrong without it may be more or less.
    page.wait_for_function(
        "gone => [...document.querySelectorAll('.mistakes .text')].every("
        "e => e.textContent !== gone)",
        arg=forgotten,
    )
    assert server.ask("GET", f"/v1/models/{mail}/examples?limit=1")[1]["total"] == len(TEXTS) - 1


def test_many_mistakes_are_counted_and_the_surest_shown(opened, server, mail):
    texts = [f"text {i}" for i in range(1200)]
    # Nothing tells the labels apart, so about half of the guesses are wrong.
    labels = ["ab"[(i * i // 7) % 2] for i in range(1200)]
    path = f"/v1/models/{mail}"
    server.ask("POST", f"{path}/examples", {"texts": texts, "labels": labels})
    found = server.ask("GET", f"{path}/mistakes")[1]
    assert found["matching"] > len(found["mistakes"]) == 200
    page = opened("mistakes", mail).page
    page.get_by_text(f"{found['matching']} of 1,200 examples; the surest 200 are shown").wait_for()
    assert page.locator(".mistakes li").count() == 200
    page.goto(page.url.replace("mistakes", "teach"))
    page.get_by_text("1,200 examples", exact=True).wait_for()


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.tsv", 'kind\tmessage\nham\t"stray quote\nspam\tx "y" z\n', ['"stray quote', 'x "y" z']),
        ("b.csv", "language;text\nGerman;Grüße, alle\n", ["Grüße, alle"]),
        ("c.jsonl", '{"text": "one", "label": "a"}\n', ["one"]),
    ],
)
def test_files_are_read_as_the_command_line_reads_them(
    opened, server, mail, name, content, expected
):
    page = opened("teach", mail).page
    file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files(".drop input[type=file]", files=[file])
    if name == "a.tsv":
        page.get_by_label("Labels").select_option("kind")
    page.get_by_role("button", name=f"Learn {len(expected)} example").click()
    page.wait_for_selector(f".note >> text={name}: {len(expected)} learnt")
    found = server.ask("GET", f"/v1/models/{mail}/examples")[1]["examples"]
    assert sorted(e["text"] for e in found) == sorted(expected)


def test_a_file_in_another_encoding_is_not_guessed(opened, server, mail):
    made = opened("teach", mail)
    page = made.page
    content = "label,text\na,Grüße\n".encode("cp1252")
    file = {"name": "old.csv", "mimeType": "text/csv", "buffer": content}
    page.set_input_files(".drop input[type=file]", files=[file])
    page.wait_for_selector(".preview .error >> text=not valid utf-8")
    page.get_by_label("Encoding").select_option("windows-1252")
    page.wait_for_selector(".preview >> text=Grüße")
    page.get_by_role("button", name="Learn 1 example").click()
    page.wait_for_selector(".note >> text=1 learnt")
    (found,) = server.ask("GET", f"/v1/models/{mail}/examples?limit=9")[1]["examples"]
    assert (found["text"], found["label"]) == ("Grüße", "a")
    made.complaints.clear()


def test_keys_stay_where_they_are_and_can_be_switched_off(opened, server, mail):
    lesson = {"texts": ["one", "two"], "labels": ["m", "n"]}
    server.ask("POST", f"/v1/models/{mail}/examples", lesson)
    page = opened("teach", mail).page
    drop_file(page, "texts.txt", "\n".join(TEXTS[:9]))
    page.wait_for_selector("#current")
    page.locator("#new-label").fill("a")  # sorts before the others
    page.get_by_role("button", name="Add “a”").click()
    page.wait_for_selector(".labels button >> nth=2")
    assert page.locator(".labels button").all_text_contents() == ["m1", "n2", "a3"]
    page.locator("#new-label").fill("N")
    assert page.locator(".labels button").all_text_contents()[0] == "n2"
    page.locator("#new-label").fill("")
    page.get_by_label("single-key shortcuts").uncheck()
    total = server.ask("GET", f"/v1/models/{mail}/examples?limit=1")[1]["total"]
    page.locator("h1").click()
    page.keyboard.press("u")
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert server.ask("GET", f"/v1/models/{mail}/examples?limit=1")[1]["total"] == total
    page.get_by_label("single-key shortcuts").check()


def test_any_label_is_taught_where_one_asks(opened, server, mail):
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": TEXTS, "labels": LABELS})
    page = opened("ask", mail).page
    page.locator("#text").fill("a strange text")
    page.get_by_role("button", name="another label").click()
    page.locator("#new-label").fill("strange")
    page.keyboard.press("Enter")
    page.wait_for_selector(".bars >> text=strange")
    assert "strange" in server.ask("GET", f"/v1/models/{mail}")[1]["classes"]


def test_large_numbers_and_other_scripts(opened, server, mail):
    large = 2**53 + 1
    lesson = {"texts": ["one", "two", "مرحبا بالعالم."], "labels": [large, large + 1, 7]}
    server.ask("POST", f"/v1/models/{mail}/examples", lesson)
    page = opened("ask", mail).page
    page.locator("#text").fill("one")
    page.wait_for_selector(f".bars >> text={large}")
    page.locator(".teach-it button").first.click()
    page.wait_for_function("() => document.getElementById('said').textContent.includes('%')")
    assert server.ask("GET", f"/v1/models/{mail}")[1]["classes"] == [7, large, large + 1]
    page.locator("#text").fill("مرحبا.")
    direction = "getComputedStyle(document.getElementById('text')).direction"
    assert page.evaluate(direction) == "rtl"


def test_labels_of_200_letters_stay_in_their_place(opened, server, mail):
    lesson = {"texts": TEXTS[:20], "labels": ["x" * 200 if i % 2 else "y" * 200 for i in range(20)]}
    server.ask("POST", f"/v1/models/{mail}/examples", lesson)
    for viewport in (DESK, SMALL):
        made = opened("ask", mail, viewport=viewport)
        for part in PARTS:
            page = made.go(f"{mail}/{part}")
            if part == "ask":
                page.locator("#text").fill("a text")
                page.wait_for_selector(".near li")
            assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"], part


def test_models_are_renamed_copied_and_deleted(opened, server, mail):
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": TEXTS[:9], "labels": LABELS[:9]})
    page = opened("model", mail).page
    page.get_by_role("button", name="Copy", exact=True).click()
    page.locator("#question-value").fill(f"{mail}-b")
    page.locator("#question-yes").click()
    page.wait_for_selector(f"h1 >> text={mail}-b")
    page.get_by_role("button", name="Rename").click()
    page.locator("#question-value").fill(f"{mail}-c")
    page.locator("#question-yes").click()
    page.wait_for_selector(f"h1 >> text={mail}-c")
    assert server.ask("GET", f"/v1/models/{mail}-c")[1]["taught"] == 9
    page.get_by_role("button", name="Delete").click()
    assert page.locator("#question-yes").is_disabled()
    page.locator("#question-value").fill(f"{mail}-c")
    page.locator("#question-yes").click()
    page.wait_for_selector(".part[data-part=home][data-ready]")
    names = [one["id"] for one in server.ask("GET", "/v1/models")[1]["models"]]
    assert mail in names
    assert f"{mail}-b" not in names
    assert f"{mail}-c" not in names


def test_arrow_keys_on_a_label_change_nothing_before_enter(opened, server, mail):
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": ["x", "y"], "labels": ["a", "b"]})
    page = opened("examples", mail).page
    page.locator("tbody select").first.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_timeout(200)
    path = f"/v1/models/{mail}"
    assert server.ask("GET", path)[1]["change"] == 1
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('said').textContent === 'Now a'")
    assert server.ask("GET", path)[1]["classes"] == ["a"]
    assert page.get_by_role("button", name="Show more").is_hidden()


def test_many_classes_are_shown_on_request(opened, server, mail):
    lesson = {"texts": [f"text {i}" for i in range(120)], "labels": [f"c{i}" for i in range(120)]}
    server.ask("POST", f"/v1/models/{mail}/examples", lesson)
    page = opened("model", mail).page
    rows = page.locator("tbody tr")
    assert rows.count() == 100
    page.get_by_role("button", name="Show all 120").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 120")
    assert page.get_by_role("button", name="Show all").count() == 0


# Snapshots.


def test_a_model_is_kept_compared_and_rolled_back(opened, server, mail):
    path = f"/v1/models/{mail}"
    server.ask("POST", f"{path}/examples", {"texts": TEXTS[:40], "labels": LABELS[:40]})
    before = server.ask("GET", path)[1]["digest"]
    made = opened("model", mail)
    page = made.page
    page.get_by_role("button", name="Take a snapshot").click()
    page.locator("#question-value").fill("good")
    page.keyboard.press("Enter")
    page.wait_for_selector(".snapshots li[data-name=good]")
    wrong = {"texts": TEXTS[:20], "labels": ["spam"] * 20}
    server.ask("POST", f"{path}/examples", wrong)
    page.get_by_role("link", name="Compare").click()
    made.ready("compare")
    found = server.ask("POST", f"{path}/compare", {"snapshot": "good"})[1]
    assert found["different"] > 0
    assert page.locator(".differences li").count() == found["different"]
    all_row = page.locator("tbody tr").first.inner_text()
    assert f"{found['accuracy'] * 100:.1f} %" in all_row
    assert f"{found['other_accuracy'] * 100:.1f} %" in all_row
    page.get_by_role("link", name="Back to the model").click()
    made.ready("model")
    page.get_by_role("button", name="Roll back").click()
    page.locator("#question-yes").click()
    page.wait_for_selector(".snapshots li[data-name=before-change-3]")
    assert server.ask("GET", path)[1]["digest"] == before
    with page.expect_download() as download:
        page.locator("[data-name=good]").get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"{mail}-good.backup"
    page.locator("[data-name=good]").get_by_role("button", name="Delete").click()
    page.locator("#question-yes").click()
    page.wait_for_selector("[data-name=good]", state="detached")
    names = [one["name"] for one in server.ask("GET", f"{path}/snapshots")[1]["snapshots"]]
    assert names == ["before-change-3"]
    assert page.locator("#compare-with option").count() > 1


def test_forgetting_names_the_snapshots_that_still_hold_the_text(opened, server, mail):
    path = f"/v1/models/{mail}"
    server.ask("POST", f"{path}/examples", {"texts": ["a secret", "lunch"], "labels": ["a", "b"]})
    server.ask("POST", f"{path}/snapshots", {"name": "good"})
    page = opened("examples", mail).page
    row = page.locator("tbody tr", has_text="a secret")
    row.get_by_role("button", name="Forget this example").click()
    row.get_by_role("button", name="Forget for good").click()
    page.wait_for_selector(".error >> text=The snapshot good still holds the text")
    assert server.ask("GET", f"{path}/examples?limit=1")[1]["total"] == 1


def test_a_merge_says_first_what_it_would_do(opened, server, mail, tmp_path):
    path = f"/v1/models/{mail}"
    server.ask("POST", f"{path}/examples", {"texts": TEXTS[:40], "labels": LABELS[:40]})
    page = opened("model", mail).page
    TextClassifier().partial_fit(["guten Tag"], ["german"]).save(tmp_path / "other.model")
    page.set_input_files("#merge", tmp_path / "other.model")
    page.wait_for_selector("#question[open]")
    words = page.locator("#question-more").inner_text()
    assert "adds 1 examples to the 40 here" in words
    assert "New classes: german" in words
    page.get_by_role("button", name="Cancel").click()
    assert server.ask("GET", path)[1]["change"] == 1
    TextClassifier("centroid").partial_fit(["guten Tag"], ["german"]).save(tmp_path / "c.model")
    page.set_input_files("#merge", tmp_path / "c.model")
    page.wait_for_selector(".error >> text=cannot be merged")


# What is slow, hidden, or out of focus.


def test_dots_on_the_same_place_can_each_be_reached(opened, server, mail):
    texts = ["win a prize"] * 3 + ["see you at lunch", "a third text"]
    labels = ["a", "b", "c", "d", "e"]
    server.ask("POST", f"/v1/models/{mail}/examples", {"texts": texts, "labels": labels})
    page = opened("map", mail).page
    where = "all => all.map(c => [c.cx.baseVal.value, c.cy.baseVal.value].join())"
    assert len(set(page.eval_on_selector_all(".map circle", where))) == 5


def test_a_slow_server_is_waited_for_visibly(browser, server, mail):
    made = Page(browser, server)
    page = made.page
    gate = Gate(page, "**/v1/**")
    page.goto(f"{made.address}#{mail}/teach")
    page.wait_for_selector("#loading >> text=Loading")
    gate.open()
    made.ready("teach")
    gate = Gate(page, f"**/v1/models/{mail}")
    page.get_by_role("link", name="Model").click()
    page.wait_for_selector(".part[data-part=model]")
    shown = "getComputedStyle(document.querySelector('.part'), '::before').content"
    assert page.evaluate(shown) == '"Loading …"'
    gate.open()
    made.ready("model")
    assert page.evaluate(shown) == "none"
    page.get_by_role("link", name="Teach").click()
    made.ready("teach")
    page.get_by_label("A text to teach").fill("win a prize")
    page.keyboard.press("Enter")
    page.wait_for_selector("#current >> text=win a prize")
    page.locator("#new-label").fill("spam")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Done: nothing left to label")
    page.get_by_label("A text to teach").fill("win two prizes")
    page.keyboard.press("Enter")
    page.wait_for_selector("#current >> text=win two prizes")
    gate = Gate(page, "**/examples")
    page.locator(".labels button", has_text="spam").click()
    page.wait_for_selector(".labels button.pressed")
    gate.open()
    page.wait_for_selector("text=Done: nothing left to label")
    made.check()
    page.close()


def test_the_focus_stays_where_one_works(opened, server, mail):
    path = f"/v1/models/{mail}/examples"
    server.ask("POST", path, {"texts": ["one", "two"], "labels": [1, 2]})
    page = opened("examples", mail).page
    # Whole numbers stay whole numbers, and "Another" does not stay in the list.
    page.locator("tbody select").first.select_option("Another …")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('said').textContent === 'Now 7'")
    assert server.ask("GET", f"/v1/models/{mail}")[1]["classes"] == [1, 7]
    assert page.evaluate("document.activeElement.localName") == "select"
