"""Each of 200 messy files is read rightly, or refused in words; none is changed."""

import pytest

from addhash.errors import Parameter, TableError
from addhash.tables import Documents, Reading, preview
from tests.unit.tables.messy import COUNT, messy_files

FILES = list(messy_files())


def read(path, **how):
    texts = how.pop("text_column", None)
    reading = Reading(text_columns=(texts,) if texts else (), **how)
    documents = Documents(str(path), reading, labels="wanted")
    found = [(d.text, d.label or "") for batch in documents for d in batch]
    return found, documents.skipped


def fault_of(path, **how):
    with pytest.raises(TableError) as caught:
        read(path, **how)
    message = str(caught.value)
    assert path.name in message
    assert message.endswith((".", "?"))
    assert "Traceback" not in message
    return caught.value


def test_there_are_enough_of_them():
    assert len(FILES) == COUNT
    assert len({file.data for file in FILES}) > 0.9 * COUNT
    assert sum(bool(file.bad_rows) for file in FILES) >= 20
    assert sum(bool(file.needs) for file in FILES) >= 30


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_messy_file(tmp_path, file):
    path = tmp_path / file.name
    path.write_bytes(file.data)
    try:
        check(path, file)
    finally:
        assert path.read_bytes() == file.data


def check(path, file):
    if file.fault:
        assert file.fault in str(fault_of(path))
        return
    needs = {}
    # Each message names the parameter that is missing, and a value that works.
    while needs != file.needs:
        error = fault_of(path, **needs)
        named = {part.name: part.value for part in error.parts if isinstance(part, Parameter)}
        helpful = {name for name in file.needs if name in named and name not in needs}
        assert helpful, (str(error), file.needs)
        for name in helpful:
            if name == "encoding":
                assert named[name] == file.needs[name]
            needs[name] = file.needs[name]
    if not file.bad_rows:
        found, skipped = read(path, **needs)
        assert skipped.count == 0
    else:
        assert fault_of(path, **needs).line == file.bad_rows[0]
        found, skipped = read(path, on_bad_rows="skip", **needs)
        assert skipped.count == len(file.bad_rows)
        assert skipped.lines == file.bad_rows[:5]
    assert found == list(file.rows)
    texts = needs.pop("text_column", None)
    seen = preview(str(path), Reading(text_columns=(texts,) if texts else (), **needs))
    assert seen.columns
    assert seen.text_columns
