"""What the fuzz targets are given is worth reading: most of it gets past the header."""

from random import Random

import pytest

from addhash import DocumentHash
from addhash.documents import blob
from addhash.errors import AddhashError, BlobError, ConfigurationMismatchError
from addhash.files import model_file
from addhash.files.model_file import ModelBytes
from tests.fuzz import mutations
from tests.golden.make_files import FOLDER, KEY, MODELS
from tests.golden.test_documents import BLOBS

CHANGES = 200


def changed(change, data):
    """Yield what becomes of bytes."""
    for seed in range(CHANGES):
        random = Random(seed)

        def blind(part, random=random):
            at = random.randint(0, len(part))
            return part[:at] + random.randbytes(random.randrange(3)) + part[at + 1 :]

        yield change(data, random, blind)


@pytest.mark.parametrize("name", MODELS)
def test_changed_model_files_are_read_and_some_are_loaded(name, monkeypatch):
    monkeypatch.setattr(model_file, "_digest", lambda about, arrays: about["digest"])
    data = (FOLDER / name).read_bytes()
    kind = type(MODELS[name]())
    options = {"key": KEY} if name == "keyed" else {}
    read, loaded = 0, set()
    for content in changed(mutations.change_model_file, data):
        try:
            model_file._read(ModelBytes(content))
            read += 1
            kind.from_bytes(content, **options)
            loaded.add(content)
        except AddhashError:
            continue
    assert read > CHANGES / 2
    assert len(loaded - {data}) > CHANGES / 40


@pytest.mark.parametrize("name", BLOBS)
def test_changed_documents_are_read_and_some_are_loaded(name, monkeypatch):
    checksum = bytes(blob.CHECKSUM_BYTES)
    monkeypatch.setattr(blob, "_checksum", lambda data: checksum)
    data = bytes.fromhex(BLOBS[name])[: -blob.CHECKSUM_BYTES]
    loaded, problems = set(), set()
    for content in changed(mutations.change_document, data):
        try:
            DocumentHash.from_bytes(content + checksum, KEY if content[11] & 1 else None)
            loaded.add(content)
        except BlobError as error:
            problems.add(str(error).split(": ")[1])
        except ConfigurationMismatchError:
            continue
    assert len(loaded - {data}) > CHANGES / 20
    assert len(problems) > 8
