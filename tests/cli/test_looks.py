"""What people see: colours on any background, marks without, straight tables, plain help."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from addhash.cli.app import COMMANDS
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import cells
from tests.cli.program import ADDHASH, WAIT, environment, fails, run, run_on_terminal, works

TEXT = "Am Sonntag gehen wir in den Zoo."


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("looks")
    works("demo", "--sample", folder)
    works("fit", folder / "languages.tsv", "-o", folder / "m", "--method", "centroid")
    return folder / "m"


@pytest.mark.parametrize(
    "terminal",
    [
        {"TERM": "xterm"},
        {"TERM": "xterm-256color"},
        {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    ],
)
def test_colours_are_the_terminals_own(model, terminal):
    """Those of the palette, 30 to 37, suit the background; no colour is fixed, none is black."""
    shown = run_on_terminal("explain", model, TEXT, **terminal)
    codes = {code for match in re.findall(r"\x1b\[([\d;]+)m", shown) for code in match.split(";")}
    assert {"31", "32", "7"} <= codes  # red, green, and reversed where they are strong
    assert not codes & {"30", "37", "38", "40", "47", "48"}
    assert "green" in shown


def test_marks_where_there_are_no_colours(model):
    shown = run_on_terminal("explain", model, TEXT, NO_COLOR="1")
    assert not re.search(r"\x1b\[[\d;]*(3[0-7]|7)m", shown)
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()]
    at = lines.index(TEXT)
    assert re.fullmatch(r"[ +#=-]+", lines[at + 1])
    assert set("+#") & set(lines[at + 1])
    assert "+ and # for German" in shown
    assert "\x1b" not in run_on_terminal("explain", model, TEXT, NO_COLOR="1", TERM="dumb")


def test_marks_stand_below_their_characters(model):
    """Also below wide ones, and in each line of a long text."""
    wide = "日本語の文章 " + "und wir gehen in den Zoo " * 8
    shown = run_on_terminal("explain", model, wide, NO_COLOR="1", COLUMNS="40")
    lines = re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()
    del lines[: next(i for i, line in enumerate(lines) if line.startswith("日本"))]
    texts = [line for line in lines if set(line) - set(" +#=-")]
    assert all(cells(line) <= 40 for line in lines)
    joined = "".join(texts[: texts.index(next(t for t in texts if "for German" in t))])
    assert joined.replace(" ", "") == wide.replace(" ", "")
    first, marks = lines[0], lines[1]
    assert not set(marks[: cells("日本語の文章")]) - set(" +#=-")
    assert cells(first) >= len(marks.rstrip())


def test_cells_of_scripts():
    assert cells("naïve") == 5
    assert cells("日本") == 4
    assert cells("हिंदी") >= 4  # marks beside their letter may take a cell of their own
    assert fit_cells("日本語の文章", 7) == "日本語…"
    assert cells(fit_cells("हिंदी और उर्दू" * 10, 20)) <= 20


@pytest.mark.parametrize("width", [40, 80, 120])
def test_rows_of_any_script_take_one_line(model, tmp_path, width):
    sentences = ["日本語の文章です。" * 20, "हिंदी और उर्दू के एक मिले जुले रूप " * 10,
                 "ภาษาไทยเป็นภาษาที่มีระดับเสียง" * 10, "plain text " * 40]  # fmt: skip
    (tmp_path / "in.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    shown = run_on_terminal("predict", model, tmp_path / "in.txt", COLUMNS=str(width), NO_COLOR="1")
    lines = re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()
    assert len(lines) == 5
    assert all(cells(line) <= width for line in lines)
    starts = {line.index(sentence[0]) for line, sentence in zip(lines[1:], sentences, strict=True)}
    assert len({cells(line[: min(starts)]) for line in lines}) == 1


def test_facts_are_never_cut(model):
    shown = run_on_terminal("inspect", model, COLUMNS="40", NO_COLOR="1")
    digest = works("inspect", model).split("digest\t")[1][:64]
    assert digest in shown
    assert "…" not in shown


def on_terminal(script, columns=80):
    """Run a shell's script on a terminal of its own; return all that it shows."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", script],
        stdin=follower, stdout=follower, stderr=follower, env=environment(), close_fds=True,
    )  # fmt: skip
    os.close(follower)
    shown = b""
    while True:
        try:
            shown += os.read(leader, 65536)
        except OSError:  # Linux says so when the last writer has gone
            break
    os.close(leader)
    assert process.wait(WAIT) == 0
    return shown.decode()


def test_progress_leaves_no_line_behind(model, tmp_path):
    (tmp_path / "many.txt").write_text("Where is my hat?\n" * 20_000)
    shown = on_terminal(f"{ADDHASH} predict {model} {tmp_path / 'many.txt'} | head -2")
    assert "Predicting" not in shown
    assert shown.count("English") == 2
    shown = on_terminal(f"{ADDHASH} predict {model} {tmp_path / 'many.txt'} > {tmp_path / 'out'}")
    assert "Predicting" in shown
    # What was drawn last is erased: only spaces and movements of the cursor follow.
    tail = shown[shown.rindex("Predicting") :]
    assert "\x1b[2K" in tail
    assert re.sub(r"\x1b\[[?\d;]*[A-Za-z]|\s", "", tail.rpartition("\x1b[2K")[2]) == ""


def test_help_has_words_people_know(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    shown = works("--help")
    first = next(line.strip() for line in shown.splitlines() if line.strip().startswith("Classify"))
    assert "addhash demo" in first
    for name, _, _ in COMMANDS:
        text = works(name, "--help")
        assert not re.search(r"<\w+|INTEGER|FLOAT|int range|\{", text), name
    assert re.search(r"--top +-k +N\b", works("search", "--help"))


ABOUT = ("info", "demo", "reproduce", "languages", "languages build", "languages save")


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_commands_that_stream_say_what_grows(name):
    """Every command that reads a file of documents says what its memory depends on."""
    if name in (*ABOUT, "explain", "dedupe explain"):
        return
    function = next(function for known, function, _ in COMMANDS if known == name)
    assert re.search(r"[Mm]emory", function.__doc__), name


def test_names_of_files_cannot_move_the_cursor(model, tmp_path):
    evil = "no\x1b]0;title\x07such\x9b31mfile.txt"
    message = fails("predict", model, tmp_path / evil)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", message)
    target = tmp_path / "out\x1b[31m.csv"
    (tmp_path / "in.txt").write_text("x y z\n")
    shown = run_on_terminal("fit", model.parent / "languages.tsv", "-o", target, TERM="dumb")
    assert "Wrote" in shown
    assert "\x1b[31m" not in shown


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl"])
def test_texts_cannot_move_the_cursor_in_any_format(model, tmp_path, kind):
    source = tmp_path / "in.txt"
    source.write_text("one \x1b[31m two \x9b5m three \u202e four\n", encoding="utf-8")
    arguments = ["predict", model, source, "--keep-columns", "text", "--format", kind]
    shown = run_on_terminal(*arguments, TERM="dumb")
    assert not re.search("[\x1b\x9b\u202e]", shown)
    assert "four" in shown
    # A program gets the text as it is.
    if kind != "jsonl":
        assert "\x1b[31m two \x9b5m three \u202e four" in run(*arguments).out
