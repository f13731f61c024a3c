import re
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest

from addhash.paper.report import page as report
from addhash.paper.report.claims import claims_of
from addhash.paper.report.markdown import anchor
from addhash.paper.report.tables import TABLES
from addhash.paper.report.verdicts import Claim, Verdict
from tests.paper_results import full_results, official_part

pytestmark = pytest.mark.slow

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def results(made_up_results):
    return made_up_results


@pytest.fixture
def written(tmp_path, drawn):
    def write(results, some_figures=drawn[0]):
        path = tmp_path / "report.md"
        report.write(results, some_figures, path)
        return path.read_text(encoding="utf-8")

    return write


def headings(text):
    return re.findall(r"^(#+) (.+)$", text, re.M)


def sections(text):
    return [title for level, title in headings(text) if level == "##"]


def rows_of(text):
    """The cells of each row of a table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in lines[2:]]


def titled(text, title):
    """The rows of the table under a heading that starts with some words."""
    found = re.search(rf"^### {re.escape(title)}.*?\n\n((?:\|.*\n?)+)", text, re.M)
    return rows_of(found[1])


def test_headings_come_in_order_and_links_lead_somewhere(results, written):
    text = written(results)
    levels = [len(level) for level, _ in headings(text)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    inside = {link[1:] for link in links if link.startswith("#")}
    assert inside <= {anchor(title) for _, title in headings(text)}
    outside = {link for link in links if not link.startswith(("#", "figures/"))}
    assert outside == {
        "results.json",
        "https://arxiv.org/abs/2102.03943",
        "https://archive.ics.uci.edu/dataset/228/sms+spam+collection",
        "https://zenodo.org/records/841984",
    }


def test_every_row_of_a_table_has_as_many_cells_as_its_header(results, written):
    tables = re.findall(r"(?:^\|.*\n)+", written(results), re.M)
    assert len(tables) > 10
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_every_claim_stands_there_with_its_verdict(results, written):
    text = written(results)
    found = claims_of(results)
    assert len(found) > 15
    for claim in found:
        cells = (claim.where, claim.statement, claim.paper, claim.ours, claim.data)
        row = " | ".join([*cells, f"**{claim.verdict}**", claim.why])
        assert f"| {row} |" in text, row


def test_verdicts_are_counted(results, written, monkeypatch):
    claim = Claim("sms", "Section 4", "It works.", "1", "2", "some", "agrees", "Because.")
    verdicts = ["agrees", "differs", "differs", "not run", "differs", "agrees"]
    made_up = [replace(claim, verdict=verdict) for verdict in verdicts]
    monkeypatch.setattr(report, "claims_of", lambda results: made_up)
    assert (
        "Of 6 comparisons, 2 agree with the paper, 3 differ from the paper and 1 was not run."
        in written(results)
    )


def test_every_verdict_has_words():
    assert list(report.VERDICTS) == list(get_args(Verdict))
    assert list(report.TITLES) == list(report.ABOUT) == list(TABLES)


def test_sections_are_those_of_the_results(results, written):
    def shown(*experiments):
        kept = {key: results[key] for key in ("about", "finished", *experiments)}
        return sections(written(kept, []))

    titles = report.TITLES
    assert shown("sms", "example") == ["In short", titles["example"], titles["sms"], "The run"]
    assert shown("languages", "synthetic")[1:-1] == [titles["synthetic"], titles["languages"]]


@pytest.mark.parametrize(
    "part",
    [
        {"synthetic": {"ngrams": full_results()["synthetic"]["ngrams"]}},
        {"languages": {"full": {"not_run": "No data."}}},
        {"languages": {"subset-21": official_part(95, 3)}},
        {"sms": {"reference": full_results()["sms"]["reference"]}},
        {"sms": {"not_run": "No data."}},
    ],
)
def test_a_run_that_was_stopped_is_reported_as_far_as_it_went(results, written, part):
    kept = {key: results[key] for key in ("about", "finished")}
    (name,) = part
    assert sections(written(kept | part, [])) == ["In short", report.TITLES[name], "The run"]


def test_every_figure_stands_in_its_section_with_its_caption(results, written, drawn):
    text = written(results)
    assert len(drawn[0]) == 6
    for one in drawn[0]:
        section = text.split(f"## {report.TITLES[one.experiment]}\n")[1].split("\n## ")[0]
        assert f"![{one.alt}](figures/{one.name}.svg)" in section
        assert f"*{one.title}.* {one.caption}" in section


def test_the_settings_of_the_run_stand_there(results, written):
    text = written(results)
    for words in ("0.1.0", "avx2", "2 cores", "Python 3.11.7", "numpy 2.4.6", "1,234 seconds"):
        assert words in text, words
    assert "| Kind of run | full |" in text
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    assert "| Kind of run | quick" in written(quick)


def test_the_date_and_the_command_stand_there(results, written):
    assert "with addhash 0.1.0 by `addhash reproduce all --out DIR`." in written(results)
    other = deepcopy(results)
    other["about"] |= {"date": "2026-02-28", "seed": 7, "quick": True}
    del other["languages"], other["sms"]
    text = written(other)
    assert "on 2026-02-28 with addhash 0.1.0" in text
    for experiment in ("example", "synthetic"):
        assert f"addhash reproduce {experiment} --out DIR --quick --seed 7" in text
    assert "reproduce sms" not in text
    assert "| Date | 2026-02-28 |" in text


def test_what_differs_is_listed_with_links_to_its_section(results, written):
    text = written(results)
    listed = re.findall(r"^- \[(.+?)\]\(#(.+?)\)", text, re.M)
    differing = [c for c in claims_of(results) if c.verdict in ("differs", "undecided")]
    assert len(differing) > 3
    assert listed == [(c.statement, anchor(report.TITLES[c.experiment])) for c in differing]
    assert text.index("What differs") < text.index("![")


def test_where_nothing_differs_nothing_is_listed(results, written):
    kept = {key: results[key] for key in ("about", "finished", "example")}
    assert "What differs" not in written(kept, [])


def test_a_quick_run_is_warned_about(results, written):
    assert "quick run" not in written(results)
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    text = written(quick)
    assert text.index("This was a quick run.") < text.index("In short")
    assert "a claim can agree here that a full run contradicts" in text


def test_no_number_is_a_negative_zero_or_has_a_hyphen_for_a_minus(results, written):
    changed = deepcopy(results)
    changed["synthetic"]["ah"]["1024"][-1][1] = -0.0001
    changed["synthetic"]["difference"]["1024"]["largest"] = -0.00001
    text = written(changed)
    assert not re.search(r"[-−]0\.0+(?!\d)", text)
    assert not re.search(r"(?<![\w,.])-\d", text)


def test_a_full_set_that_was_not_run_is_said_to_be_so(results, written):
    text = written(results)
    assert "**The full data set was not run.** The data folder has no x_train.txt." in text
    assert "`addhash reproduce languages --out DIR`" in text
    quick = deepcopy(results)
    quick["about"]["quick"] = True
    del quick["languages"]["full"]
    assert "not run.** Quick runs leave it out." in written(quick)
    whole = deepcopy(results)
    whole["languages"]["full"] = official_part(92, 3)
    assert "The full data set was not run" not in written(whole)


def test_an_experiment_without_data_is_said_not_to_be_run(results, written):
    missing = deepcopy(results)
    missing["sms"] = {"not_run": "There is no SMSSpamCollection."}
    text = written(missing)
    assert "**This experiment was not run.** There is no SMSSpamCollection." in text
    assert "`addhash reproduce sms --out DIR`" in text


def test_tables_hold_the_numbers_of_the_results(results, written):
    text = written(results)
    part = results["languages"]["subset-21"]
    accuracies = titled(text, "Accuracy in percent ± standard error, subset-21")
    assert len(accuracies) == 5 * 9
    assert accuracies[2 * 9 + 7] == [
        "3",
        "2048",
        f"{part['ah']['2048']['accuracy']:.2f} ± 0.20",
        f"{part['ht']['2048']['accuracy']:.2f} ± 0.20",
        "+0.40 ± 0.10",
    ]
    halves = titled(text, "Means of 100 random halves of 5,171 messages without duplicates")
    spam = results["sms"]["unique"]["ht"]["8192"]
    assert halves[-1][:3] == ["8192", "HT", f"{spam['acc']:.2f} ± 0.03"]
    networks = titled(text, "Accuracy of the neural network")
    assert networks == [
        ["subset-21", "84.00", "2,379", "20", "0.001", "3"],
        ["head-235", "84.00 ± 0.30", "2,379", "20", "0.001", "3"],
    ]
    curves = titled(text, "Accuracy in percent ± standard error by training paragraphs")
    assert ["subset-21", "AH", "500", "92.90", "measured"] in curves
    assert ["head-235", "HT", "500", "92.10 ± 0.20", "power law"] in curves
    vectors = titled(text, "Vectors before normalisation")
    components = " ".join(map(str, results["example"]["algorithms"]["additive"]["vectors"][2]))
    assert vectors[-1][2].replace("−", "-") == components
    similarities = titled(text, "Similarities at L = 32")
    assert similarities[0] == ["1 and 2", "0.730297", "0.777806"]


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
    text = written(hostile, [replace(one, title=HOSTILE, caption=HOSTILE) for one in drawn[0]])
    assert "<" not in text
    assert text.count(HOSTILE.replace("<", "&lt;")) == 5 + 1 + 1 + 1 + 3 + 6 + 2 * 6


def test_writing_again_gives_the_same_bytes(results, drawn, tmp_path):
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    report.write(results, drawn[0], first)
    report.write(deepcopy(results), drawn[0], second)
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["first.md", "second.md"]
