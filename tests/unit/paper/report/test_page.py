import re
from copy import deepcopy
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from typing import get_args

import pytest

from addhash.paper.report import figures, sections
from addhash.paper.report import page as report
from addhash.paper.report.claims import claims_of
from addhash.paper.report.verdicts import Claim, Verdict
from tests.paper_results import full_results, official_part

pytestmark = pytest.mark.slow

VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = '<script>alert("1")</script>'


class Page(HTMLParser):
    """The elements of a page, each with its ancestors' names; fails if they are not nested."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.elements = []
        self.texts = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        """All text, with plain spaces and hyphens."""
        return " ".join(" ".join(self.texts).split()).replace("\N{NON-BREAKING HYPHEN}", "-")

    def all(self, tag):
        return [attrs for name, attrs, _ in self.elements if name == tag]


@pytest.fixture
def results(made_up_results):
    return made_up_results


@pytest.fixture
def written(tmp_path, drawn):
    def write(results, some_figures=drawn[0]):
        path = tmp_path / "report.html"
        report.write(results, some_figures, path)
        return path.read_text(encoding="utf-8")

    return write


def test_the_page_is_well_formed_and_speaks_its_language(results, written):
    text = written(results)
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>\n")
    assert page.all("html") == [{"lang": "en"}]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
        "meta"
    )
    assert len(page.all("h1")) == len(page.all("main")) == 1
    assert "$" not in page.text


def test_headings_come_in_order(results, written):
    page = Page(written(results))
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_links_lead_to_them(results, written):
    page = Page(written(results))
    ids = [attrs["id"] for _, attrs, _ in page.elements if "id" in attrs]
    assert len(ids) > 100
    assert len(ids) == len(set(ids))
    links = {attrs["href"] for _, attrs, _ in page.elements if "href" in attrs}
    inside = {link for link in links if link.startswith("#")}
    assert {link[1:] for link in inside} <= set(ids)
    assert links - inside == {
        "results.json",
        "https://arxiv.org/abs/2102.03943",
        "https://archive.ics.uci.edu/dataset/228/sms+spam+collection",
        "https://zenodo.org/records/841984",
    }
    named = [attrs["aria-labelledby"] for attrs in page.all("section")]
    assert set(named) <= set(ids)


def test_the_page_loads_nothing(results, written):
    text = written(results)
    page = Page(text)
    names = {tag for tag, _, _ in page.elements}
    assert not names & {"link", "script", "iframe", "img", "object", "embed", "base", "form"}
    attributes = {key for _, attrs, _ in page.elements for key in attrs}
    assert not attributes & {"src", "srcset", "action", "data", "poster", "background"}
    assert not [key for key in attributes if key.startswith("on")]
    assert "@import" not in text
    # Only links, which load nothing until they are followed, lead elsewhere.
    assert text.count("http") == text.count('<a href="http')
    assert set(re.findall(r"url\((.)", text)) == {"#"}


def test_tables_have_captions_and_headers(results, written):
    text = written(results)
    tables = re.findall(r"<table.*?</table>", text, re.S)
    assert len(tables) > 10
    for table in tables:
        assert re.match(r"<table[^>]*><caption[^>]*>[^<]+</caption>", table)
        assert len(re.findall('scope="col"', table)) == table.split("</thead>")[0].count("<th ")
        body = table.split("</thead>")[1]
        assert body.count('scope="row"') == body.count("<tr") > 0


def test_every_claim_stands_there_with_its_verdict(results, written):
    page = Page(written(results))
    found = claims_of(results)
    assert len(found) > 15
    for claim in found:
        for part in (claim.statement, claim.where, claim.paper, claim.ours, claim.data, claim.why):
            assert " ".join(part.split()) in page.text, part
    rows = [attrs for attrs in page.all("tr") if attrs.get("role") == "row"]
    assert len(rows) == len(found) + 4


def test_verdicts_are_counted(results, written, monkeypatch):
    claim = Claim("sms", "Section 4", "It works.", "1", "2", "some", "agrees", "Because.")
    verdicts = ["agrees", "differs", "differs", "not run", "differs", "agrees"]
    made_up = [replace(claim, verdict=verdict) for verdict in verdicts]
    monkeypatch.setattr(report, "claims_of", lambda results: made_up)
    text = written(results)
    counts = re.findall(
        r'<li class="([\w-]+)"><a href="#([\w-]+)"><span class="count">(\d+)</span>'
        r' <span aria-hidden="true">.</span> ([\w ]+)</a>',
        text,
    )
    assert counts == [
        ("agrees", "claim-1", "2", "agree with the paper"),
        ("differs", "differences", "3", "differ from the paper"),
        ("not-run", "claim-4", "1", "was not run"),
    ]
    assert "6 comparisons with the paper" in text
    # Each says in words, and with a sign of its own, what its colour says.
    signs = re.findall(
        r'<span class="verdict [\w-]+"><span aria-hidden="true">(.)</span> ([\w ]+)<', text
    )
    assert [verdict for _, verdict in signs] == verdicts
    assert len(set(signs)) == 3


def test_every_verdict_has_words():
    assert list(sections.VERDICTS) == list(get_args(Verdict))


def test_sections_are_those_of_the_results(results, written):
    def shown(*experiments):
        kept = {key: results[key] for key in ("about", "finished", *experiments)}
        return [attrs["id"] for attrs in Page(written(kept, [])).all("section")]

    assert shown() == ["run"]
    assert shown("sms", "example") == ["example", "sms", "run"]
    assert shown("languages", "synthetic") == ["synthetic", "languages", "run"]


@pytest.mark.parametrize(
    "part",
    [
        {"synthetic": {"ngrams": full_results()["synthetic"]["ngrams"]}},
        {"languages": {"full": {"not_run": "No data."}}},
        {"languages": {"subset-21": official_part(95, 3)}},
        {"sms": {"reference": full_results()["sms"]["reference"]}},
    ],
)
def test_a_run_that_was_stopped_is_reported_as_far_as_it_went(results, written, part):
    kept = {key: results[key] for key in ("about", "finished")}
    (name,) = part
    assert [one["id"] for one in Page(written(kept | part, [])).all("section")] == [name, "run"]


def test_the_figures_of_the_paper_come_first_the_others_in_their_sections(results, written, drawn):
    text = written(results)
    assert len(drawn[0]) == 6
    for one in drawn[0]:
        place = "figures" if one.name in ("synthetic", "languages", "sms") else one.experiment
        section = re.search(rf'<section id="{place}".*?</section>', text, re.S).group()
        figure = re.search(rf'<figure id="figure-{one.name}">.*?</figure>', section, re.S).group()
        assert one.svg in figure
        assert " ".join(one.caption.split()) in Page(figure).text
        assert one.title in figure
    ids = [attrs["id"] for attrs in Page(text).all("section")]
    assert ids == ["figures", "example", "synthetic", "languages", "sms", "run"]


def test_the_settings_of_the_run_stand_there(results, written):
    page = Page(written(results))
    for words in ("0.1.0", "avx2", "2 cores", "Python 3.11.7", "numpy 2.4.6", "1,234 seconds"):
        assert words in page.text, words
    assert "Kind of run full" in page.text
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    assert "Kind of run quick" in Page(written(quick)).text


def test_the_date_and_the_command_stand_there(results, written):
    assert (
        "Made with addhash 0.1.0 by addhash reproduce all --out DIR ."
        in Page(written(results)).text
    )
    other = deepcopy(results)
    other["about"] |= {"date": "2026-02-28", "seed": 7, "quick": True}
    del other["languages"], other["sms"]
    page = Page(written(other))
    assert "Made on 2026-02-28 with addhash 0.1.0" in page.text
    for experiment in ("example", "synthetic"):
        assert f"addhash reproduce {experiment} --out DIR --quick --seed 7" in page.text
    assert "reproduce sms" not in page.text
    assert "Date 2026-02-28" in page.text


def test_options_are_never_broken_at_their_dashes(results, written):
    text = written(results)
    without_spans = re.sub(r"<span>--\w+</span>", "", text.split("</style>")[1])
    assert not re.search(r"[> ]--\w", without_spans)
    assert "code span { white-space: nowrap; }" in text


def test_what_differs_is_listed_with_links_to_the_rows(results, written):
    text = written(results)
    found = claims_of(results)
    listed = re.findall(r'<li><a href="#(claim-\d+)">(.*?)</a>', text)
    differing = [claim for claim in found if claim.verdict in ("differs", "undecided")]
    assert len(differing) > 3
    assert [unescape(words).replace("\xa0", " ") for _, words in listed] == [
        claim.statement for claim in differing
    ]
    for (key, _), claim in zip(listed, differing, strict=True):
        row = re.search(rf'<tr role="row" id="{key}">.*?</tr>', text, re.S).group()
        assert claim.why in Page(row).text
    assert text.index('id="differences"') < text.index("<figure") < text.index('id="claim-1"')


def test_where_nothing_differs_nothing_is_listed(results, written):
    kept = {key: results[key] for key in ("about", "finished", "example")}
    assert 'id="differences"' not in written(kept, [])


def test_a_quick_run_is_warned_about(results, written):
    assert "quick run" not in Page(written(results)).text
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    page = Page(written(quick)).text
    assert page.index("This was a quick run.") < page.index("Summary")
    assert "a claim can agree here that a full run contradicts" in page


def test_no_number_is_a_negative_zero_or_has_a_hyphen_for_a_minus(results, written):
    changed = deepcopy(results)
    changed["synthetic"]["ah"]["1024"][-1][1] = -0.0001
    changed["synthetic"]["difference"]["1024"]["largest"] = -0.00001
    text = Page(written(changed)).text
    assert not re.search(r"[-−]0\.0+(?!\d)", text)
    assert not re.search(r"(?<![\w,.])-\d", text)


def test_a_full_set_that_was_not_run_is_said_to_be_so(results, written):
    page = Page(written(results))
    assert "The full data set was not run. The data folder has no x_train.txt." in page.text
    assert "addhash reproduce languages --out DIR" in page.text
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    del quick["languages"]["full"]
    assert "not run. Quick runs leave it out." in Page(written(quick)).text
    whole = deepcopy(results)
    whole["languages"]["full"] = official_part(92, 3)
    assert "The full data set was not run" not in Page(written(whole)).text


def cells(text, caption):
    """The rows of the table with this caption, as lists of text."""
    table = re.search(rf"<caption>{re.escape(caption)}.*?</table>", text, re.S).group()
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)
    return [[unescape(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def test_tables_hold_the_numbers_of_the_results(results, written):
    text = written(results)
    part = results["languages"]["subset-21"]
    accuracies = cells(text, "Accuracy in percent ± standard error, subset-21")
    assert len(accuracies) == 1 + 5 * 9
    assert accuracies[1 + 2 * 9 + 7] == [
        "3",
        "2048",
        f"{part['ah']['2048']['accuracy']:.2f} ± 0.20",
        f"{part['ht']['2048']['accuracy']:.2f} ± 0.20",
        "+0.40 ± 0.10",
    ]
    halves = cells(text, "Means of 100 random halves of 5,171 messages without duplicates")
    spam = results["sms"]["unique"]["ht"]["8192"]
    assert halves[-1][:3] == ["8192", "HT", f"{spam['acc']:.2f} ± 0.03"]
    networks = cells(text, "Accuracy of the network in percent")
    assert networks[1:] == [
        ["subset-21", "84.00", "2,379", "20", "0.001", "3"],
        ["head-235", "84.00 ± 0.30", "2,379", "20", "0.001", "3"],
    ]
    curves = cells(text, "Accuracy in percent ± standard error by training paragraphs")
    assert ["subset-21", "AH", "500", "92.90", "measured"] in curves
    assert ["head-235", "HT", "500", "92.10 ± 0.20", "power law"] in curves
    vectors = cells(text, "Vectors before normalisation")
    components = " ".join(map(str, results["example"]["algorithms"]["additive"]["vectors"][2]))
    assert vectors[-1][2].replace("−", "-") == components
    similarities = cells(text, "Similarities at L = 32")
    assert similarities[1] == ["1 and 2", "0.730297", "0.777806"]


def test_hostile_text_stays_text(results, drawn, written, monkeypatch):
    hostile = deepcopy(results)
    hostile["about"]["addhash"] = HOSTILE
    hostile["about"]["machine"]["instruction_set"] = HOSTILE
    hostile["about"]["machine"]["versions"] = {HOSTILE: HOSTILE}
    hostile["example"]["documents"][0] = HOSTILE
    hostile["example"]["vocabulary"][0] = HOSTILE
    hostile["languages"]["full"]["not_run"] = HOSTILE
    claim = Claim("sms", *[HOSTILE] * 5, "differs", HOSTILE)
    monkeypatch.setattr(report, "claims_of", lambda results: [claim])
    named = [replace(one, title=HOSTILE, caption=HOSTILE) for one in drawn[0]]
    text = written(hostile, named)
    assert "<script" not in text
    assert 'alert("' not in text
    assert Page(text).text.count(HOSTILE) == 5 + 1 + 1 + 1 + 7 + 2 * 6


def test_hostile_text_stays_text_in_figures(results, tmp_path):
    hostile = figures.draw({"synthetic": results["synthetic"] | {"length": HOSTILE}}, tmp_path)
    assert "<script" not in hostile[0].svg
    assert "&lt;script" in hostile[0].svg
    assert "<script" not in (tmp_path / "synthetic.svg").read_text(encoding="utf-8")


def test_writing_again_gives_the_same_bytes(results, drawn, tmp_path):
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    report.write(results, drawn[0], first)
    report.write(deepcopy(results), drawn[0], second)
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["first.html", "second.html"]
