import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from addhash.paper.report import figures, plotting
from addhash.paper.report.language_figures import language_drawings
from addhash.paper.report.sms_figures import sms_drawings
from addhash.paper.report.synthetic_figures import synthetic_drawings
from tests.paper_results import (
    LANGUAGE_SIZES,
    SMS_SIZES,
    SYNTHETIC_SIZES,
    language_results,
    official_part,
    sms_results,
    synthetic_results,
)

pytestmark = pytest.mark.slow

COLOR = {"ah": plotting.AH, "ht": plotting.HT}
MARKER = {"ah": "o", "ht": "s"}


@pytest.fixture(scope="module")
def results(made_up_results):
    return made_up_results


@pytest.fixture(scope="module")
def drawings(results):
    with plotting.settings():
        return {
            drawing.name: drawing
            for drawing in [
                *synthetic_drawings(results["synthetic"]),
                *language_drawings(results["languages"]),
                *sms_drawings(results["sms"]),
            ]
        }


def names(found):
    return [one.name for one in found]


def marked_line(axes, method):
    """The points of a method: x, y."""
    (line,) = [
        line
        for line in axes.lines
        if line.get_color() == COLOR[method] and line.get_marker() == MARKER[method]
    ]
    return list(line.get_xdata()), list(line.get_ydata())


def levels(axes):
    """What is drawn straight across the axes, by the text beside it."""
    return {text.get_text().replace("\n", " "): text.xy[1] for text in axes.texts}


def test_all_figures_come_in_the_order_of_the_paper(drawn):
    found, folder = drawn
    expected = [
        "synthetic",
        "synthetic-difference",
        "languages",
        "languages-ngrams",
        "languages-curve",
        "sms",
    ]
    assert names(found) == expected
    files = {path.name for path in folder.iterdir()}
    assert files == {f"{name}.{ext}" for name in expected for ext in ("png", "svg")}
    assert {one.experiment for one in found} == {"synthetic", "languages", "sms"}
    assert all(one.title and one.caption and one.alt for one in found)


def without(found, *keys):
    return {key: value for key, value in found.items() if key not in keys}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({}, []),
        ({"synthetic": {}}, []),
        ({"sms": sms_results()}, ["sms"]),
        ({"sms": without(sms_results(), "unique", "reference")}, ["sms"]),
        ({"sms": {"unique": sms_results()["unique"]}}, []),
        ({"synthetic": without(synthetic_results(), "ngrams")},
         ["synthetic", "synthetic-difference"]),
        # A run that was stopped before n = 3.
        ({"synthetic": {"ngrams": synthetic_results()["ngrams"]}}, ["synthetic-difference"]),
        # A quick run.
        (
            {
                "languages": {
                    name: without(part, "ngrams")
                    for name, part in language_results().items()
                    if name != "full"
                }
            },
            ["languages", "languages-curve"],
        ),
        ({"languages": {"full": {"not_run": "no data"}}}, []),
        ({"languages": {"head-235": language_results()["head-235"]}},
         ["languages", "languages-ngrams", "languages-curve"]),
        ({"languages": {"subset-21": {"curve": language_results()["subset-21"]["curve"]}}},
         ["languages-curve"]),
        ({"languages": {"subset-21": {"ngrams": language_results()["subset-21"]["ngrams"]}}},
         ["languages-ngrams"]),
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_drawn(part, expected, tmp_path, monkeypatch):
    # Which figures there are does not depend on their pictures, which take long.
    monkeypatch.setattr(plotting, "to_png", lambda canvas: b"picture")
    monkeypatch.setattr(plotting, "to_svg", lambda canvas, title: '<svg viewBox="0 0 1 1" />')
    assert names(figures.draw(part, tmp_path)) == expected
    assert len(list(tmp_path.iterdir())) == 2 * len(expected)


def test_similarities_are_drawn_as_they_are(results, drawings):
    canvas = drawings["synthetic"].canvas
    assert len(canvas.axes) == len(SYNTHETIC_SIZES)
    for axes, size in zip(canvas.axes, SYNTHETIC_SIZES, strict=True):
        assert axes.get_title(loc="left") == f"L = {size}"
        for method in ("ah", "ht"):
            curve = results["synthetic"][method][str(size)]
            assert marked_line(axes, method) == ([p for p, _, _ in curve], [m for _, m, _ in curve])
        (exact,) = [line for line in axes.lines if line.get_color() == plotting.INK]
        assert list(exact.get_ydata()) == [m for _, m, _ in results["synthetic"]["exact"]]
        # One standard deviation up and down.
        bands = [band.get_paths()[0].vertices for band in axes.collections]
        for band, method in zip(bands, ("ht", "ah"), strict=True):
            start = results["synthetic"][method][str(size)][0][1]
            ends = [y for x, y in band if x == 0]
            assert min(ends) == pytest.approx(start - 0.05)
            assert max(ends) == pytest.approx(start + 0.05)


def test_differences_are_drawn_with_their_intervals_and_margins(results, drawings):
    canvas = drawings["synthetic-difference"].canvas
    for axes, size in zip(canvas.axes, SYNTHETIC_SIZES, strict=True):
        ((points, _, (bars,)),) = axes.containers
        assert list(points.get_xdata()) == [1, 2, 3, 4, 5]
        assert list(points.get_ydata()) == [0.3 / size] * 5
        for segment in bars.get_segments():
            assert segment[:, 1] == pytest.approx([-1.0 / size, 1.5 / size])
        (margin,) = axes.patches
        assert margin.get_y() == pytest.approx(-(size**-0.5))
        assert margin.get_height() == pytest.approx(2 * size**-0.5)
    assert "20 of 20" in drawings["synthetic-difference"].caption


def test_accuracies_are_drawn_as_they_are_beside_what_the_paper_states(results, drawings):
    drawing = drawings["languages"]
    assert len(drawing.canvas.axes) == 2
    for axes, name in zip(drawing.canvas.axes, ("subset-21", "head-235"), strict=True):
        assert axes.get_title(loc="left").startswith(name)
        assert axes.get_xscale() == "log"
        for method in ("ah", "ht"):
            expected = [
                results["languages"][name][method][str(size)]["accuracy"] for size in LANGUAGE_SIZES
            ]
            assert marked_line(axes, method) == (list(LANGUAGE_SIZES), expected)
        assert levels(axes) == {"paper 92.16": 92.16, "88.30 network": 88.30}
        across = [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
        assert {92.16, 88.30} <= set(across)
    assert "are for all of WiLI-2018" in drawing.caption
    assert "10,500 paragraphs for training" in drawing.caption
    assert "10 random splits" in drawing.caption


def test_the_full_set_is_drawn_if_it_was_run(results):
    found = results["languages"] | {"full": official_part(92, 3)}
    with plotting.settings():
        drawing = language_drawings(found)[0]
    titles = [axes.get_title(loc="left") for axes in drawing.canvas.axes]
    assert [title.partition(":")[0] for title in titles] == ["full", "subset-21", "head-235"]
    assert (
        marked_line(drawing.canvas.axes[0], "ah")[1][-1] == found["full"]["ah"]["4096"]["accuracy"]
    )


def test_other_n_are_drawn_at_one_size(results, drawings):
    for axes, name in zip(
        drawings["languages-ngrams"].canvas.axes, ("subset-21", "head-235"), strict=True
    ):
        part = results["languages"][name]
        for method in ("ah", "ht"):
            by_n = {1: part["ngrams"]["1"], 3: part, 5: part["ngrams"]["5"]}
            ns, accuracies = marked_line(axes, method)
            assert ns == [1, 2, 3, 4, 5]
            for n, one in by_n.items():
                assert accuracies[n - 1] == one[method]["2048"]["accuracy"]
    assert "n = 3" in drawings["languages-ngrams"].alt


def test_learning_curves_are_extrapolated_to_500(results, drawings):
    head, subset = drawings["languages-curve"].canvas.axes
    for axes, name in ((head, "head-235"), (subset, "subset-21")):
        for method in ("ah", "ht"):
            part = results["languages"][name]["curve"][method]
            points = part["points"].values()
            assert marked_line(axes, method) == (
                [point["count"] for point in points],
                [point["accuracy"] for point in points],
            )
            own = [line for line in axes.lines if line.get_color() == COLOR[method]]
            (law,) = [line for line in own if len(line.get_xdata()) > 10]
            assert law.get_xdata()[-1] == pytest.approx(500)
            assert law.get_ydata()[-1] == pytest.approx(100 * (1 - 0.4 * 500**-0.27))
            (end,) = [line for line in own if line.get_marker() == "D"]
            assert list(end.get_ydata()) == [part["at_500"]["accuracy"]]
            checks = [line.get_ydata()[0] for line in own if line.get_marker() == "*"]
            assert checks == ([part["measured"]] if name == "subset-21" else [])
    assert levels(head)["paper 92.16"] == 92.16
    assert "paper 92.16" not in levels(subset)
    assert "92.90 % is measured" in drawings["languages-curve"].caption


def test_spam_is_drawn_with_and_without_duplicates(results, drawings):
    found = results["sms"]
    stated = {"acc": 97.41, "sc": 87.5, "bh": 1.05}
    for axes, measure in zip(drawings["sms"].canvas.axes, stated, strict=True):
        for method in ("ah", "ht"):
            expected = [found[method][str(size)][measure] for size in SMS_SIZES]
            assert marked_line(axes, method) == (list(SMS_SIZES), expected)
            thin = [
                list(line.get_ydata())
                for line in axes.lines
                if line.get_color() == COLOR[method] and line.get_linewidth() < 1
            ]
            assert thin == [[found["unique"][method][str(size)][measure] for size in SMS_SIZES]]
        assert list(levels(axes).values()) == [stated[measure]]
        # Bars of one standard error around the first point of AH.
        bars = axes.containers[1][2][0].get_segments()[0][:, 1]
        assert bars[1] - bars[0] == pytest.approx(2 * found["ah"]["16"]["se"][measure])
    assert "5,574 messages" in drawings["sms"].caption
    assert "5,171 distinct messages" in drawings["sms"].caption


def test_an_unknown_error_is_drawn_as_none(results):
    part = official_part(95, 3)
    for one in part["ah"].values():
        one["se"] = None
    with plotting.settings():
        (drawing,) = language_drawings({"subset-21": part})
    bars = drawing.canvas.axes[0].containers[1][2][0].get_segments()
    assert all(bar[0][1] == bar[1][1] for bar in bars)


def test_every_figure_names_its_data_on_its_face(drawings):
    for drawing in drawings.values():
        header = drawing.canvas.get_suptitle()
        assert re.match("Random strings|WiLI-2018|SMS Spam Collection", header), drawing.name


def test_no_text_covers_another_or_leaves_the_figure(drawings, monkeypatch):
    drawn_texts = []
    draw = Text.draw

    def draw_and_note(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn_texts.append(text)
        draw(text, renderer)

    monkeypatch.setattr(Text, "draw", draw_and_note)
    for drawing in drawings.values():
        drawn_texts.clear()
        with plotting.settings():
            canvas = FigureCanvasAgg(drawing.canvas)
            canvas.draw()
        boxes = [(text.get_text(), text.get_window_extent()) for text in drawn_texts]
        assert len(boxes) > 10, drawing.name
        for name, box in boxes:
            place = (drawing.name, name)
            assert min(box.x0, box.y0) >= 0, place
            assert box.x1 <= drawing.canvas.bbox.width + 0.5, place
            assert box.y1 <= drawing.canvas.bbox.height + 0.5, place
        for (name, box), (other, other_box) in combinations(boxes, 2):
            assert not box.padded(-1).overlaps(other_box.padded(-1)), (drawing.name, name, other)


def test_files_are_a_picture_and_a_drawing_with_text(drawn):
    found, folder = drawn
    for one in found:
        picture = (folder / f"{one.name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG\r\n")
        assert int.from_bytes(picture[16:20]) == 880
        svg = (folder / f"{one.name}.svg").read_text(encoding="utf-8")
        root = ElementTree.fromstring(svg)
        space = "{http://www.w3.org/2000/svg}"
        assert root.find(f"{space}title").text == one.title
        texts = {"".join(text.itertext()) for text in root.iter(f"{space}text")}
        assert any(text.startswith(("AH", "margin")) for text in texts)
        assert "system-ui" in svg
        assert "DejaVu" not in svg


def test_drawing_again_gives_the_same_bytes_whatever_the_user_has_set(results, drawn, tmp_path):
    found, folder = drawn
    with matplotlib.rc_context({"font.size": 30, "axes.grid": False, "svg.fonttype": "path"}):
        again = figures.draw(results, tmp_path)
        assert matplotlib.rcParams["font.size"] == 30
    assert again == found
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError) as caught:
        figures.require_matplotlib()
    assert str(caught.value) == (
        "Drawing the figures needs the package matplotlib, which is not installed. Install it"
        " with: pip install 'addhash[paper]'"
    )
    with pytest.raises(ImportError, match="pip install"):
        figures.draw({}, tmp_path)


def test_matplotlib_is_loaded_only_to_draw():
    program = "import sys, addhash.paper; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
