"""Documents are answered as they come, in flat memory, for programs and for people."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest

from addhash.sample import load_languages
from tests.cli.program import ADDHASH, WAIT, environment, run, run_on_terminal, works

SENTENCES = ["Where is my hat?", "Wo ist mein Hut?", "Où est mon chapeau ?"]
LANGUAGES = ["English", "German", "French"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streaming")
    works("demo", "--sample", folder)
    works("fit", folder / "languages.tsv", "-o", folder / "m", "--method", "centroid")
    return folder / "m"


def start(*arguments, **pipes):
    return subprocess.Popen([ADDHASH, *map(str, arguments)], env=environment(), **pipes)


def read_within(file, seconds):
    ready, _, _ = select.select([file], [], [], seconds)
    return os.read(file, 65536) if ready else b""


def test_three_lines_in_three_lines_out(model):
    stdin = "\n".join(SENTENCES) + "\n"
    lines = run("predict", model, "-", "--format", "tsv", stdin=stdin).out.splitlines()
    assert [line.split("\t")[0] for line in lines] == LANGUAGES


@pytest.mark.parametrize("kind", ["txt", "csv", "jsonl"])
def test_each_line_is_answered_before_the_next_one_comes(model, kind):
    process = start(
        "predict", model, "-", "--format", "tsv", "--input-format", kind,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    out = process.stdout.fileno()
    if kind == "csv":
        process.stdin.write(b"text\n")
    for sentence, language in zip(SENTENCES, LANGUAGES, strict=True):
        line = f'{{"text": "{sentence}"}}' if kind == "jsonl" else sentence
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        answer = read_within(out, WAIT)
        label = answer.split(b"\t")[0 if kind == "txt" else 1]
        assert label == language.encode()
        assert answer.count(b"\n") == 1
    process.stdin.close()
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.wait(WAIT) == 0


def test_head_closes_the_pipe_without_a_complaint(model, tmp_path):
    (tmp_path / "many.txt").write_text("Where is my hat?\n" * 30_000)
    process = start(
        "predict", model, tmp_path / "many.txt", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline().startswith(b"English")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(WAIT) == 0


class Terminal:
    """A person at a pseudo-terminal who types and reads."""

    def __init__(self, *arguments):
        self.leader, follower = pty.openpty()
        # A session of its own makes the terminal its controlling one: Ctrl-C becomes a signal.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", ADDHASH, *map(str, arguments)],
            stdin=follower, stdout=follower, stderr=follower, env=environment(),
        )  # fmt: skip
        os.close(follower)
        self.shown = ""

    def type(self, keys):
        os.write(self.leader, keys.encode())

    def read(self, until, seconds=WAIT):
        deadline = time.monotonic() + seconds
        while until not in self.shown and time.monotonic() < deadline:
            try:
                self.shown += read_within(self.leader, 0.1).decode(errors="replace")
            except OSError:
                break

    def see(self, text):
        self.read(text)
        assert text in self.shown

    def end(self, code):
        assert self.process.wait(WAIT) == code
        os.close(self.leader)


def test_a_conversation_on_a_terminal(model):
    terminal = Terminal("predict", model, "-")
    terminal.type("Where is my hat?\n")
    terminal.see("English")
    assert "score" in terminal.shown
    terminal.type("Wo ist mein Hut?\n")
    terminal.see("German")
    terminal.type("Gostaria de um café com leite, por favor, minha senhora.\n")
    terminal.see("Portuguese")  # in full, though the column was narrower
    terminal.type("\x04")
    terminal.end(0)


def test_ctrl_c_on_a_terminal(model):
    terminal = Terminal("predict", model, "-")
    terminal.type("Where is my hat?\n")
    terminal.see("English")
    # Python looks for signals, then waits for a line: one in between is seen with the next.
    while "Stopped." not in terminal.shown and terminal.process.poll() is None:
        terminal.type("\x03")
        terminal.read("Stopped.", seconds=1)
    terminal.see("Stopped.")
    terminal.end(130)
    assert "Traceback" not in terminal.shown


def test_tables_on_a_terminal(model, tmp_path):
    sample = model.parent / "languages.tsv"
    test = tmp_path / "test.csv"
    test.write_text("text,label\nWhere is my hat?,English\nWhere is my coat?,Dutch\n")
    shown = run_on_terminal("evaluate", model, test, COLUMNS="80")
    assert "Evaluating" in shown
    assert "precision" in shown
    assert "Accuracy 50.00%: 1 of 2 right" in shown
    assert "most confused" in shown
    shown = run_on_terminal("fit", sample, "-o", tmp_path / "m")
    assert "Learning" in shown
    assert "480 examples of 12 classes. Next: addhash predict" in shown
    shown = run_on_terminal("explain", model, "Where is my hat?")
    assert "more than for" in shown
    assert "'hat'" in shown
    assert "\x1b" not in run_on_terminal("explain", model, "hat", NO_COLOR="1", TERM="dumb")


def test_the_bar_is_gone_when_an_error_is_said(model, tmp_path):
    unknown = tmp_path / "unknown.txt"
    unknown.write_text("bore da\n")
    shown = run_on_terminal("forget", model, unknown, "--label", "Welsh", code=1)
    assert "Forgetting" in shown
    assert "Forgetting" not in shown.partition("Error: ")[2]
    assert "\x1b[?25h" in shown.partition("Error: ")[0]  # the cursor is back


def test_wide_characters_and_escapes_keep_the_table_straight(model, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("日本語の文章です" * 20 + "\n\x1b[31mred\x07\n", encoding="utf-8")
    shown = run_on_terminal("predict", model, texts, COLUMNS="60", NO_COLOR="1")
    assert "…" in shown
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def peak_memory(*arguments, code=0):
    """Run the program and return the most memory that it held, in MB."""
    # A new process counts what its parent held; so its parent is a small one.
    script = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
assert done.returncode == int(sys.argv[1]), done
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
    command = [sys.executable, "-S", "-c", script, str(code), ADDHASH, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=True, env=environment())
    return float(done.stdout)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A small file, one of 40 MB, and one of 200 MB."""
    folder = tmp_path_factory.mktemp("memory")
    paragraph = " ".join(load_languages()[0])[:4000] + "\n"
    (folder / "small.txt").write_text(paragraph * 500, encoding="utf-8")
    (folder / "middle.txt").write_text(paragraph * 10_000, encoding="utf-8")
    block = (paragraph * 1000).encode()
    with open(folder / "big.txt", "wb") as file:
        for _ in range(200_000_000 // len(block) + 1):
            file.write(block)
    yield folder
    shutil.rmtree(folder)


def test_memory_does_not_grow_with_the_input(model, inputs, tmp_path):
    small = tmp_path / "small.model"
    options = ["--method", "centroid", "--features", "64", "--randomizer", "aes128"]
    works("fit", model.parent / "languages.tsv", "-o", small, *options)
    assert (inputs / "big.txt").stat().st_size >= 200_000_000
    before = peak_memory("predict", small, inputs / "small.txt")
    after = peak_memory("predict", small, inputs / "big.txt")
    assert after - before < 50
    assert after < 400


def test_memory_of_vectorize_does_not_grow_with_the_input(inputs, tmp_path):
    options = ["--features", "2048", "--randomizer", "aes128", "-o", tmp_path / "out.npy"]
    before = peak_memory("vectorize", inputs / "small.txt", *options)
    after = peak_memory("vectorize", inputs / "middle.txt", *options)
    # Neither the texts, 40 MB, nor their vectors, 80 MB, are held.
    assert (tmp_path / "out.npy").stat().st_size > 80_000_000
    assert after - before < 30
