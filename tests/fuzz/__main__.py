"""Fuzz what Python reads of foreign bytes: atheris brings libFuzzer to Python.

``python -m tests.fuzz document_blobs -runs=1000000 FOUND``: a target, libFuzzer's options, and the
folder for what is found. The golden files are the seeds.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["addhash.documents", "addhash.files", "addhash.search"]):
    from addhash import DocumentHash, errors
    from addhash.documents import blob
    from addhash.files import model_file
    from tests.golden.make_files import FOLDER, KEY, MODELS
    from tests.golden.test_documents import BLOBS

KINDS = sorted({type(make()) for make in MODELS.values()}, key=lambda kind: kind.__name__)


def document_blobs(data):
    """With the right checksum, whatever is read is written again as it was."""
    whole = data + blob._checksum(data)
    for key in (None, KEY):
        try:
            document = DocumentHash.from_bytes(whole, key)
        except (errors.BlobError, errors.ConfigurationMismatchError):
            continue
        assert document.to_bytes() == whole


def model_files(data):
    """With the right digest, a file is refused by an error of addhash, or its model is loaded."""
    for kind in KINDS:
        if kind.__name__.encode() not in data:
            continue
        try:
            kind.from_bytes(data)
        except errors.AddhashError:
            continue


SEEDS = {
    document_blobs: [bytes.fromhex(text)[: -blob.CHECKSUM_BYTES] for text in BLOBS.values()],
    model_files: [(FOLDER / name).read_bytes() for name in MODELS],
}


def main(name, found, options):
    target = {function.__name__: function for function in SEEDS}[name]
    # An attacker makes the digest fit.
    model_file._digest = lambda about, arrays: about["digest"]
    found.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(SEEDS[target]):
        (found / f"seed-{i}").write_bytes(seed)
    atheris.Setup([name, *options, str(found)], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[-1]), sys.argv[2:-1])
