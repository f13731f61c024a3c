"""Data files are found in all the places where people put them, and checked to the last bit."""

import gc
import hashlib
import http.server
import io
import sys
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from addhash.errors import DataFileError
from addhash.paper import data_source
from addhash.paper.catalogue import SMS, WILI, Archive, DataFile
from addhash.paper.data_source import DataSource

CONTENT = "first line\nzweite Zeile ä\n".encode()
ARCHIVE = Archive(
    "set.zip", "http://127.0.0.1:9/set.zip", "a public place", "http://127.0.0.1:9", "the set"
)


def digest(content):
    return hashlib.sha256(content).hexdigest()


FILE = DataFile("set/texts.txt", len(CONTENT), digest(CONTENT), ARCHIVE)


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_txt", ".txt"), content)
    return buffer.getvalue()


def put(folder, name, content):
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["set/texts.txt", "texts.txt"])
def test_unpacked_files_are_found(tmp_path, name):
    put(tmp_path, name, CONTENT)
    assert DataSource(tmp_path).has(FILE)
    assert DataSource(tmp_path).read(FILE) == CONTENT


@pytest.mark.parametrize("name", ["set.zip", "set/set.zip"])
@pytest.mark.parametrize("member", ["texts_txt", "inside__deep__texts_txt"])
def test_zipped_files_are_found(tmp_path, name, member):
    put(tmp_path, name, zipped(readme=b"hello", **{member: CONTENT}))
    assert DataSource(tmp_path).has(FILE)
    assert DataSource(tmp_path).read(FILE) == CONTENT


def test_the_place_may_be_a_zip_file(tmp_path):
    path = put(tmp_path, "any name", zipped(texts_txt=CONTENT))
    files = DataSource(path)
    assert files.has(FILE)
    assert files.read(FILE) == CONTENT
    other = replace(FILE, path="set/labels.txt")
    assert not files.has(other)
    with pytest.raises(DataFileError, match=r"labels\.txt"):
        files.read(other)
    path.write_bytes(b"no zip file")
    with pytest.raises(DataFileError, match="not a complete zip file"):
        DataSource(path).read(FILE)


def test_archives_are_known_by_their_old_names(tmp_path):
    put(tmp_path, "old.zip", zipped(texts_txt=CONTENT))
    file = replace(FILE, archive=replace(ARCHIVE, old_name="old.zip"))
    assert DataSource(tmp_path).read(file) == CONTENT
    assert not DataSource(tmp_path).has(FILE)


def refusal(folder, file=FILE):
    with pytest.raises(DataFileError) as caught:
        DataSource(folder).read(file)
    message = str(caught.value)
    assert file.sha256 in message
    assert file.archive.url in message
    return message


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (CONTENT[:-1], "truncated"),
        (b"", "truncated"),
        (CONTENT.replace(b"first", b"First"), "altered"),
        (CONTENT + b"\n", "altered"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, how):
    path = put(tmp_path, "set/texts.txt", content)
    message = refusal(tmp_path)
    assert how in message
    assert repr(str(path)) in message
    assert digest(content) in message
    assert f"{len(content):,} bytes" in message


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT.replace(b"first", b"First")])
def test_damaged_members_are_refused(tmp_path, content):
    path = put(tmp_path, "set.zip", zipped(texts_txt=content))
    message = refusal(tmp_path)
    assert f"{path}/texts.txt" in message
    assert digest(content) in message


def test_a_member_that_is_too_large_is_not_read_whole(tmp_path):
    put(tmp_path, "set.zip", zipped(texts_txt=CONTENT + b"\0" * 10**7))
    assert f"got {len(CONTENT) + 1:,} bytes" in refusal(tmp_path)


def test_missing_files_are_named(tmp_path):
    message = refusal(tmp_path)
    assert str(tmp_path / "set/texts.txt") in message
    assert "neither was set.zip" in message
    assert f"Expected {len(CONTENT)} bytes" in message


def test_archives_without_the_file_are_refused(tmp_path):
    put(tmp_path, "set.zip", zipped(other_txt=CONTENT))
    assert "does not contain texts.txt" in refusal(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no zip at all", zipped(texts_txt=CONTENT)[:-30]])
def test_damaged_archives_are_refused(tmp_path, content):
    put(tmp_path, "set.zip", content)
    assert "not a complete zip file" in refusal(tmp_path)


def test_archives_with_flipped_bytes_are_refused(tmp_path):
    whole = bytearray(zipped(texts_txt=CONTENT * 50))
    file = replace(FILE, size=len(CONTENT) * 50, sha256=digest(CONTENT * 50))
    put(tmp_path, "set.zip", bytes(whole))
    assert DataSource(tmp_path).read(file) == CONTENT * 50
    # The first bytes are the header of the member, the last ones the list of members.
    for position in range(40, 60):
        flipped = whole.copy()
        flipped[position] ^= 0xFF
        put(tmp_path, "set.zip", bytes(flipped))
        refusal(tmp_path, file)


def test_archives_are_checked_where_their_digest_is_known(tmp_path):
    content = zipped(texts_txt=CONTENT)
    known = replace(FILE, archive=replace(ARCHIVE, sha256=digest(content)))
    put(tmp_path, "set.zip", content)
    assert DataSource(tmp_path).read(known) == CONTENT
    other = zipped(texts_txt=CONTENT, more_txt=b"more")
    put(tmp_path, "set.zip", other)
    with pytest.raises(DataFileError) as caught:
        DataSource(tmp_path).read(known)
    assert digest(content) in str(caught.value)
    assert digest(other) in str(caught.value)


def test_parts_are_never_looked_for_in_the_archive(tmp_path):
    put(tmp_path, "set.zip", zipped(texts_txt=CONTENT))
    part = replace(FILE, is_published=False)
    assert not DataSource(tmp_path).has(part)
    assert "an excerpt of set.zip" in refusal(tmp_path, part)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataFileError, match="does not exist"):
        DataSource(tmp_path / "nowhere")


def test_the_environment_names_a_folder(elsewhere, tmp_path, monkeypatch):
    put(tmp_path / "data", "set/texts.txt", CONTENT)
    monkeypatch.setenv("ADDHASH_DATA", str(tmp_path / "data"))
    assert DataSource().read(FILE) == CONTENT
    # What it lacks may be downloaded, unlike what a folder that is passed lacks.
    other = replace(FILE, path="set/labels.txt")
    assert not DataSource().has(other)
    assert DataSource().can_download(other)
    assert not DataSource(tmp_path / "data").can_download(other)


def test_no_other_folder_is_searched(elsewhere, tmp_path):
    for place in ("here", ".", "shared/data", "data"):
        put(tmp_path / place, "set/texts.txt", CONTENT)
    assert not DataSource().has(FILE)


@pytest.mark.parametrize(
    "file", [SMS, *(f for n, f in WILI.items() if n not in ("x_train.txt", "x_test.txt"))],
    ids=lambda file: file.path,
)  # fmt: skip
def test_the_real_files_are_as_expected(data_folder, file):
    content = DataSource(data_folder).read(file)
    assert len(content) == file.size


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A machine with an empty cache and no data folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ADDHASH_DATA", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "cache" / "addhash"


@pytest.fixture
def server():
    """A server on this machine; returns a function that makes it serve some bytes."""
    served = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = served.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()

        def serve(content, sha256=None):
            served["/set.zip"] = content
            url = f"http://127.0.0.1:{running.server_port}/set.zip"
            return replace(FILE, archive=replace(ARCHIVE, url=url, sha256=sha256))

        yield serve, served
        running.shutdown()
        thread.join()


def test_missing_files_are_downloaded_once(elsewhere, server):
    serve, served = server
    content = zipped(texts_txt=CONTENT)
    file = serve(content, digest(content))
    ticks = []
    assert not DataSource().has(file)
    assert DataSource().can_download(file)
    assert DataSource().read(file, ticks.append) == CONTENT
    assert ticks[-1] == 1.0
    served.clear()
    assert DataSource().has(file)
    assert DataSource().read(file) == CONTENT
    assert [path.name for path in elsewhere.iterdir()] == ["set.zip"]


def test_downloads_that_are_altered_leave_nothing(elsewhere, server):
    serve, _ = server
    file = serve(zipped(texts_txt=CONTENT), digest(b"something else"))
    with pytest.raises(DataFileError, match=r"downloading set\.zip failed"):
        DataSource().read(file)
    assert list(elsewhere.iterdir()) == []


# The connection of a refused request is left to the garbage collector, which complains.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_downloads_that_fail_say_where_to_get_the_file(elsewhere, server):
    serve, served = server
    file = serve(b"")
    served.clear()
    with pytest.raises(DataFileError, match=r"downloading set\.zip failed") as caught:
        DataSource().read(file)
    assert file.archive.home in str(caught.value)
    assert file.sha256 in str(caught.value)
    del caught
    gc.collect()


def test_nothing_is_downloaded_where_a_folder_is_named(elsewhere, server, tmp_path):
    serve, _ = server
    file = serve(zipped(texts_txt=CONTENT))
    files = DataSource(tmp_path / "here")
    assert not files.can_download(file)
    with pytest.raises(DataFileError, match="was not found"):
        files.read(file)
    assert not elsewhere.exists()


def test_downloading_without_pooch_says_how_to_install_it(elsewhere, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DataFileError, match=r"pip install 'addhash\[paper\]'"):
        DataSource().read(FILE)


def test_the_cache_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(data_source.Path, "home", lambda: tmp_path)
    assert data_source._cache() == tmp_path / ".cache" / "addhash"
