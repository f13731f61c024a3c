import gzip

import pytest

from addhash.errors import TableError
from addhash.tables import Documents, preview


def test_what_was_read_before_a_file_breaks_off_is_shown(tmp_path):
    rows = "".join(f"{i},text number {i * 7919 % 10007}\n" for i in range(20_000))
    whole = gzip.compress(f"id,text\n{rows}".encode())
    (tmp_path / "broken.csv.gz").write_bytes(whole[: len(whole) // 200])
    found = preview(str(tmp_path / "broken.csv.gz"))
    assert [(column.name, column.type) for column in found.columns] == [
        ("id", "whole number"),
        ("text", "text"),
    ]
    assert found.rows[0] == {"id": "0", "text": "text number 0"}
    with pytest.raises(TableError):
        list(Documents(str(tmp_path / "broken.csv.gz")))
