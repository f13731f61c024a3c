"""The pictures of the documents are those that their scripts draw."""

import re
from pathlib import Path

import pytest

from docs import make_charts, make_terminal

ROOT = Path(__file__).resolve().parents[2]


def test_charts_are_drawn_from_the_results():
    drawn = make_charts.charts()
    assert set(drawn) == {path.name for path in make_charts.PICTURES.glob("[!t]*.svg")}
    for name, content in drawn.items():
        committed = (make_charts.PICTURES / name).read_text(encoding="utf-8")
        assert committed == content, "run `python -m docs.make_charts`"


def test_charts_show_every_ratio():
    drawn = make_charts.charts()["ratios-light.svg"]
    shown = sorted(re.findall(r">([\d.]+)x<", drawn))
    measured = sorted(f"{row[make_charts.RATIO]:.1f}" for row in make_charts.rows())
    assert shown == measured


def test_the_terminal_shows_what_the_commands_show():
    session = make_terminal.session()
    assert "German" in session.plain
    for theme in make_terminal.THEMES:
        path = make_terminal.PICTURES / f"terminal-{theme}.svg"
        committed = path.read_text(encoding="utf-8")
        drawn = make_terminal.picture(session, theme)
        assert make_terminal.words_of(committed) == make_terminal.words_of(drawn), (
            "run `python -m docs.make_terminal`"
        )
        assert "http" not in committed.replace("http://www.w3.org/", "")


@pytest.mark.parametrize("page", ["README.md", "docs/benchmarks.md"])
def test_pictures_exist_for_light_and_dark(page):
    path = ROOT / page
    text = path.read_text(encoding="utf-8")
    found = re.findall(r'(?:srcset|src)="([^"]+\.svg)"', text)
    assert found
    for name in found:
        assert (path.parent / name).is_file()
        other = name.replace("light", "dark") if "light" in name else name.replace("dark", "light")
        assert other in found
