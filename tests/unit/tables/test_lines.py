"""Lines of bytes, however they arrive."""

from types import SimpleNamespace

import pytest

from addhash.errors import TableError
from addhash.tables.lines import Lines
from addhash.tables.reading import Decoding


def lines_of(*pieces, encoding="utf-8", limit=None):
    """Return the lines of bytes that arrive piece by piece."""
    arriving = iter(pieces)
    opened = SimpleNamespace(
        source="in", size=None, limit=limit, read_available=lambda: next(arriving, b"")
    )
    return Lines(opened, Decoding(encoding=encoding))


@pytest.mark.parametrize(
    ("text", "expected", "end"),
    [
        ("a\nb\n", ["a", "b"], "\n"),
        ("a\r\nb\r\n", ["a\r", "b\r"], "\r\n"),
        ("a\rb\rc", ["a", "b", "c"], "\r"),
        ("a\rb\nc\nd\n", ["a\rb", "c", "d"], "\n"),
        ("", [], "\n"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_ends_and_marks_are_no_text(text, expected, end, mark, encoding):
    lines = lines_of((mark + text).encode(encoding), encoding=encoding)
    assert list(lines) == expected
    assert lines.line_end == end


@pytest.mark.parametrize("at", range(1, 8))
def test_a_line_end_may_arrive_in_two_pieces(at):
    data = b"ab\r\nc\r\nd"
    lines = lines_of(data[:at], data[at:])
    assert [line.removesuffix("\r") for line in lines] == ["ab", "c", "d"]
    assert lines.number == 3


@pytest.mark.parametrize("pieces", [(b"a\nb\n", b"x" * 30), (b"a\nb\n" + b"x" * 30 + b"\nc\n",)])
def test_a_line_that_is_too_long_is_named_by_its_number(pieces):
    with pytest.raises(TableError, match="line 3: this record is longer than the limit") as caught:
        list(lines_of(*pieces, limit=20))
    assert caught.value.line == 3
