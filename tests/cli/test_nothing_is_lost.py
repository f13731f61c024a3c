"""Whatever is asked for, and whatever goes wrong: no input and no model is ever lost."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from addhash import TextClassifier
from addhash.files import locked
from addhash.sample import load_languages
from tests.cli.program import ADDHASH, WAIT, environment, fails, run, works

TEXTS, LABELS = load_languages()


@pytest.fixture
def folder(tmp_path):
    works("demo", "--sample", tmp_path)
    works("fit", tmp_path / "languages.tsv", "-o", tmp_path / "m.model", "--method", "centroid")
    (tmp_path / "in.csv").write_text("id,text\n7,Where is my hat?\n8,Wo ist mein Hut?\n")
    return tmp_path


def names_of(path, kind):
    """Another name of a file: the same, through a folder, a symbolic link, a hard link."""
    other = path.with_name(f"other{path.suffix}")
    if kind == "dots":
        return path.parent / ".." / path.parent.name / path.name
    if kind == "symbolic":
        other.symlink_to(path)
    elif kind == "hard":
        os.link(path, other)
    return path if kind == "same" else other


@pytest.mark.parametrize("kind", ["same", "dots", "symbolic", "hard"])
def test_an_input_is_not_overwritten(folder, kind):
    for command, source in (("predict", "in.csv"), ("fit", "languages.tsv")):
        path = folder / source
        before = path.read_bytes()
        target = names_of(path, kind)
        arguments = [folder / "m.model"] if command == "predict" else []
        message = fails(command, *arguments, path, "-o", target, code=2)
        assert "is also an input" in message
        assert path.read_bytes() == before
        if kind in ("symbolic", "hard"):
            target.unlink()


def test_models_and_labels_are_inputs_too(folder):
    model = folder / "m.model"
    labels = folder / "labels.txt"
    labels.write_text("a\n")
    texts = folder / "texts.txt"
    texts.write_text("x\n")
    before = model.read_bytes()
    assert "is also an input" in fails(
        "predict", model, texts, "--format", "csv", "-o", model, code=2
    )
    assert "is also an input" in fails("fit", texts, "--labels", labels, "-o", labels, code=2)
    assert "is also an input" in fails("learn", model, texts, "--label", "x", "-o", texts, code=2)
    assert "is also an input" in fails("learn", model, texts, "--label", "x", "-o", model, code=2)
    assert "is also an input" in fails("evaluate", model, folder / "languages.tsv",
                                       "--mistakes", folder / "languages.tsv", code=2)  # fmt: skip
    assert "is also an input" in fails("search", folder / "in.csv", "x",
                                       "-o", folder / "in.csv", code=2)  # fmt: skip
    rows = folder / "rows.jsonl"
    rows.write_text('{"text": "x"}\n')
    assert "is also an input" in fails("vectorize", rows, "-o", rows, code=2)
    assert model.read_bytes() == before
    assert (texts.read_text(), labels.read_text()) == ("x\n", "a\n")


def test_nothing_is_read_before_it_is_refused(folder):
    """Standard input, which would be read, never ends."""
    process = subprocess.Popen(
        [ADDHASH, "fit", "-", "--labels", folder / "in.csv", "-o", folder / "in.csv"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.wait(WAIT) == 2
    process.stdin.close()
    process.stderr.close()


def test_an_existing_model_needs_force(folder):
    model = folder / "m.model"
    before = model.read_bytes()
    message = fails("fit", folder / "messages.tsv", "-o", model, code=2)
    assert message.endswith("exists already. Name another file, or replace it with --force.")
    assert model.read_bytes() == before
    works("fit", folder / "messages.tsv", "-o", model, "--force")
    assert TextClassifier.load(model).classes_.tolist() == ["ham", "spam"]


def test_merging_into_one_of_the_models(folder):
    one, two = folder / "m.model", folder / "two.model"
    two.write_bytes(one.read_bytes())
    before = one.read_bytes()
    assert "--in-place" in fails("merge", one, two, "-o", one, code=2)
    assert one.read_bytes() == before
    works("merge", one, two, "-o", one, "--in-place")
    expected = TextClassifier("centroid").fit(TEXTS * 2, LABELS * 2)
    assert TextClassifier.load(one).digest() == expected.digest()


def test_the_sample_does_not_replace_files_of_its_name(folder):
    own = folder / "languages.tsv"
    own.write_text("my own work\n")
    assert "exists already" in fails("demo", "--sample", folder, code=2)
    assert own.read_text() == "my own work\n"
    works("demo", "--sample", folder, "--force")
    works("demo", "--sample", folder)  # what is the sample already may be written again
    assert own.read_text(encoding="utf-8").count("\n") == 481


def test_in_place_adds_columns_and_keeps_everything(folder):
    source = folder / "in.csv"
    source.write_bytes('\ufeffid;text;note\n007;"two\nlines";café\n8;"a;b";\n'.encode())
    works("predict", folder / "m.model", source, "--in-place", "--name", "language")
    lines = source.read_text(encoding="utf-8-sig").split("\n")
    assert source.read_bytes().startswith(b"\xef\xbb\xbf")
    assert lines[0] == "id;text;note;language;language_score;language_margin"
    assert lines[1:3] == ['007;"two', lines[2]]
    assert lines[2].startswith('lines";café;')
    assert lines[3].startswith('8;"a;b";;')
    message = fails("predict", folder / "m.model", source, "--in-place", "--name", "language",
                    code=2)  # fmt: skip
    assert "already has a column 'language'" in message


def test_in_place_keeps_the_encoding_and_backslashes(folder):
    source = folder / "in.tsv"
    source.write_bytes("text\tpath\nWhere is my hat?\tC:\\new\nUn café\tx\n".encode("cp1252"))
    works("predict", folder / "m.model", source, "--in-place", "--encoding", "cp1252")
    lines = source.read_bytes().decode("cp1252").splitlines()
    assert lines[1].startswith("Where is my hat?\tC:\\new\tEnglish\t")
    assert lines[2].startswith("Un café\tx\t")


def test_in_place_refuses_what_would_lose_rows_or_columns(folder):
    source, model = folder / "in.csv", folder / "m.model"
    before = source.read_bytes()
    for options in (["--where", "id=7"], ["--keep-columns", "id"], ["-o", folder / "x.csv"]):
        assert "--in-place" in fails("predict", model, source, "--in-place", *options, code=2)
    texts = folder / "x.txt"
    texts.write_text("x\n")
    assert fails("predict", model, texts, "--in-place", code=2)
    assert (source.read_bytes(), texts.read_text()) == (before, "x\n")


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")


@needs_root
def test_a_device_is_written_to_and_stays_a_device(folder):
    node = folder / "devnull"
    os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    works("fit", folder / "languages.tsv", "-o", node)
    works("learn", folder / "m.model", folder / "in.csv", "--label", "x", "-o", node)
    works("merge", folder / "m.model", folder / "m.model", "-o", node)
    works("predict", folder / "m.model", folder / "in.csv", "-o", node, "--format", "csv")
    index = folder / "devnull.index"
    os.mknod(index, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    works("vectorize", folder / "in.csv", "-o", index)
    assert stat.S_ISCHR(node.stat().st_mode)
    assert stat.S_ISCHR(index.stat().st_mode)


def test_a_pipe_gets_the_model(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    works("fit", folder / "languages.tsv", "-o", pipe, "--method", "centroid")
    reader.join(WAIT)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert got == [(folder / "m.model").read_bytes()]
    done = run("fit", folder / "languages.tsv", "-o", "/dev/stdout", "--method", "centroid",
               decode=False)  # fmt: skip
    assert done.stdout == got[0]


def test_a_pipe_as_a_model_is_refused(folder):
    pipe = folder / "pipe.model"
    os.mkfifo(pipe)
    assert "a model must be a regular file" in fails("predict", pipe, folder / "in.csv")


def start(*arguments, **more):
    return subprocess.Popen(
        [ADDHASH, *map(str, arguments)], env=environment(), stderr=subprocess.PIPE, **more
    )


def test_two_that_learn_at_once_take_turns(folder):
    model = folder / "m.model"
    lessons = {f"Language {i}": f"text {i} of its own\n" for i in range(6)}
    processes = []
    for label, text in lessons.items():
        path = folder / f"{label}.txt"
        path.write_text(text)
        processes.append(start("learn", model, path, "--label", label))
    for process in processes:
        assert process.wait(WAIT) == 0
        process.stderr.close()
    learnt = TextClassifier("centroid").fit(TEXTS, LABELS)
    learnt.learn([text.rstrip("\n") for text in lessons.values()], list(lessons))
    learnt.save(folder / "expected")
    assert model.read_bytes() == (folder / "expected").read_bytes()
    assert not list(folder.glob(".*"))  # neither locks nor parts are left


def test_waiting_for_a_lock_ends_with_a_message(folder):
    model = folder / "m.model"
    before = model.read_bytes()
    first = start("learn", model, "-", "--label", "x", stdin=subprocess.PIPE)
    try:
        deadline = time.monotonic() + WAIT
        while not (folder / ".m.model.lock").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        message = fails("forget", model, folder / "in.csv", "--label", "x", "--wait", "0.2")
        assert "Another process has been changing" in message
        assert "--wait" in message
        assert model.read_bytes() == before
    finally:
        first.kill()
        first.communicate()
    # The lock of a killed process holds nobody up.
    works("learn", model, folder / "in.csv", "--label", "x")
    assert not list(folder.glob(".*.lock"))


def test_merging_waits_for_a_model_that_another_process_changes(folder):
    model, other = folder / "m.model", folder / "other.model"
    other.write_bytes(model.read_bytes())
    before = model.read_bytes()
    arguments = ("merge", model, other, "-o", model, "--in-place")
    with locked(model, 10):
        message = fails(*arguments, "--wait", "0.2")
        assert "Another process has been changing" in message
        assert model.read_bytes() == before
    works(*arguments)
    assert model.read_bytes() != before


def test_learning_with_output_closed_succeeds(folder):
    model = folder / "m.model"
    done = subprocess.run(
        ["bash", "-c", f"{ADDHASH} learn {model} {folder / 'in.csv'} --label Zed >&-"],
        env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Zed" in TextClassifier.load(model).classes_


@pytest.mark.parametrize(
    "command", ["predict {model} {texts}", "info", "--help", "inspect {model}"]
)
def test_results_with_output_closed_are_an_error(folder, command):
    arguments = command.format(model=folder / "m.model", texts=folder / "in.csv")
    done = subprocess.run(
        ["bash", "-c", f"{ADDHASH} {arguments} >&-"],
        env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"Error: Cannot write standard output: it is closed.\n"


def test_a_full_disk_under_standard_output(folder):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [ADDHASH, "predict", folder / "m.model", folder / "in.csv"],
            env=environment(), stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        "Error: Cannot write standard output: No space left on device."
    )


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.parametrize("command", ["fit", "learn", "predict", "vectorize"])
def test_a_disk_that_fills_up_leaves_the_old_file(folder, command):
    model, old = folder / "m.model", folder / f"old{'.npy' if command == 'vectorize' else '.csv'}"
    old.write_bytes(b"as it was")
    arguments = {
        "fit": [folder / "languages.tsv", "-o", old, "--force"],
        "learn": [model, folder / "in.csv", "--label", "x", "-o", old],
        "predict": [model, folder / "languages.tsv", "-o", old],
        "vectorize": [folder / "languages.tsv", "-o", old],
    }
    names = sorted(os.listdir(folder))
    done = subprocess.run(
        [ADDHASH, command, *arguments[command]],
        env=environment(), capture_output=True, check=False, preexec_fn=limit_files,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"Error: Cannot write {old}" in done.stderr.decode()
    assert "unexpected" not in done.stderr.decode()
    assert old.read_bytes() == b"as it was"
    assert sorted(os.listdir(folder)) == names


@pytest.mark.parametrize("is_model", [True, False])
def test_what_a_killed_run_leaves_is_removed_by_the_next(folder, is_model):
    target = folder / ("new.model" if is_model else "new.csv")
    leftover = folder / f".{target.name}.0123456789abcdef.part"
    leftover.write_bytes(b"half of it")
    if is_model:
        works("fit", folder / "languages.tsv", "-o", target)
    else:
        works("predict", folder / "m.model", folder / "in.csv", "-o", target)
    assert not leftover.exists()


def test_a_run_killed_while_it_writes(folder):
    target = folder / "out.csv"
    target.write_bytes(b"as it was")
    process = start(
        "predict", folder / "m.model", "-", "-o", target,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    process.stdin.write(b"Where is my hat?\n")
    process.stdin.flush()
    deadline = time.monotonic() + WAIT
    while not list(folder.glob(".out.csv.*.part")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert target.read_bytes() == b"as it was"
    assert list(folder.glob(".out.csv.*.part"))
    works("predict", folder / "m.model", folder / "in.csv", "-o", target)
    assert not list(folder.glob(".*"))
    assert target.read_text().startswith("id,text,label")


def test_a_folder_that_cannot_be_written(folder):
    if os.geteuid() != 0:
        closed = folder / "closed"
        closed.mkdir()
        closed.chmod(0o555)
        message = fails("fit", folder / "languages.tsv", "-o", closed / "m")
        assert "its folder is read-only" in message
    message = fails("fit", folder / "languages.tsv", "-o", "/proc/m")
    assert "Cannot write /proc/m" in message


def test_a_slow_reader_gets_everything(folder):
    (folder / "many.txt").write_text("Where is my hat?\n" * 3000)
    process = start("predict", folder / "m.model", folder / "many.txt", stdout=subprocess.PIPE)
    count = 0
    while chunk := process.stdout.read(4096):
        count += chunk.count(b"\n")
        if count < 300:
            time.sleep(0.01)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert (process.wait(WAIT), count) == (0, 3000)


def test_a_closed_pipe_under_the_help_is_fine():
    script = f"{ADDHASH} --help | true; exit ${{PIPESTATUS[0]}}"
    for _ in range(3):
        done = subprocess.run(["bash", "-c", script], env=environment(), capture_output=True,
                              check=False)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_while_the_program_loads_is_quiet():
    code = "import os, signal, sys; sys.argv = ['addhash', 'info'];" \
           "from addhash.cli import main;" \
           "sys.modules['typer'] = None;" \
           "import importlib.abc\n" \
           "class Finder(importlib.abc.MetaPathFinder):\n" \
           "    def find_spec(self, name, path, target=None):\n" \
           "        if name == 'addhash.cli.app': os.kill(os.getpid(), signal.SIGINT)\n" \
           "sys.meta_path.insert(0, Finder())\n" \
           "main()"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == b""
