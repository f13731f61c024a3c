"""200 files as people have them: tables with whatever can be odd or wrong about them.

The generator writes the bytes itself, so it knows what is in a file: the texts and labels, and
whether a row or the whole file is broken.
"""

import gzip
import io
import json
import random
from dataclasses import dataclass, field

COUNT = 200
LABELS = ("ham", "spam", "neither, nor", "Ärger")
TEXTS = (
    "Where is my hat?", "a, b; c | d\te", 'say "no"', '"', '""quoted""', "two\nlines", "=1+1", "1",
    " padded ", "naïve café €", "日本語のテキスト", "Привет", "NUL \0 inside", "x" * 100_000, "'",
    "\\n \\", "'=HYPERLINK()", "null", "a\u2028b\x85c\x0bd", "#REF!", "{}", "🙂 emoji", "-",
)  # fmt: skip


@dataclass(frozen=True)
class MessyFile:
    """A file, what is in it, and what is wrong with it.

    Attributes
    ----------
    name : str
        Its name.
    data : bytes
        Its bytes.
    rows : tuple of (text, label)
        The documents that can be read.
    bad_rows : tuple of int
        The lines of the rows that cannot be read.
    fault : str
        Why the whole file is refused; empty if it is not.
    needs : dict
        The parameters without which it is refused, by a message that names them.
    """

    name: str
    data: bytes
    rows: tuple[tuple[str, str], ...] = ()
    bad_rows: tuple[int, ...] = ()
    fault: str = ""
    needs: dict[str, str] = field(default_factory=dict)


def messy_files():
    """Yield the files, the same every time."""
    for number in range(COUNT):
        yield make_file(number, random.Random(number))


def make_file(number, chance):
    makers = [table] * 12 + [json_lines] * 3 + [plain, broken, workbook]
    return makers[number % len(makers)](f"{number:03}", chance)


def some_rows(chance, is_allowed):
    texts = [text for text in TEXTS if is_allowed(text)]
    return [(chance.choice(texts), chance.choice(LABELS)) for _ in range(chance.randint(1, 12))]


def encoded(chance, text):
    """Return bytes in an encoding that can hold the text, and what is needed to read them."""
    encodings = [
        ("utf-8", {}),
        ("utf-8-sig", {}),
        ("utf-8", {}),
        ("utf-16", {"encoding": "utf-16"}),
    ]
    encodings.append(("utf-16-le", {"encoding": "utf-16-le"}))
    encodings.append(("cp1252", {"encoding": "cp1252"}))
    name, needs = chance.choice(encodings)
    try:
        data = text.encode(name)
    except UnicodeEncodeError:
        return text.encode(), {}
    if name == "cp1252" and text.isascii():
        needs = {}
    if name == "utf-16-le" and not text[:2000].isascii():
        return text.encode(), {}
    return data, needs


def field_of(chance, value, delimiter, how):
    special = any(c in value for c in (delimiter, '"', "\n", "\r")) or value != value.strip()
    # A lone value of a record would be an empty line.
    if how == "all" or special or (how == "some" and chance.random() < 0.3):
        return '"' + value.replace('"', '""') + '"'
    return value


def table(name, chance):
    """A .csv or .tsv file; some of its rows may have too few or too many fields."""
    is_tsv = chance.random() < 0.2
    end = chance.choice(["\n", "\r\n", "\n", "\r"])
    delimiter = "\t" if is_tsv else chance.choice(",;|\t")
    how = chance.choice(["all", "some", "few"])
    space = " " if not is_tsv and how == "all" and chance.random() < 0.4 else ""
    header = chance.choice(
        [["id", "text", "label"], ["", "Text", "Label"], [" ID ", "message", "Category"],
         ["note", "text", "label", "note"], ["x y", "tweet", "Sentiment"]]
    )  # fmt: skip

    def is_allowed(text):
        if is_tsv:
            return not set(text) & set("\n\r\t")
        return "\r" not in text and not (end == "\r" and "\n" in text)

    rows = some_rows(chance, is_allowed)
    bad = chance.random() < 0.25
    lines, kept, bad_rows, number = [], [], [], 1

    def put(values):
        nonlocal number
        fields = [v if is_tsv else field_of(chance, v, delimiter, how) for v in values]
        line = (delimiter + space).join(fields)
        lines.append(line + end)
        number += line.count("\n") + 1

    put(header)
    for i, (text, label) in enumerate(rows):
        values = [str(i), text, label, "a note"][: len(header)]
        if bad and i % 4 == 1:
            bad_rows.append(number)
            put(chance.choice([values[:1], values[:-1], [*values, "extra"]]))
        else:
            kept.append((text, label))
            put(values)
    text = "".join(lines)
    if chance.random() < 0.2:
        text = text.removesuffix(end)
    data, needs = encoded(chance, text)
    if "tweet" in header:
        needs = {**needs, "text_column": "tweet"}
    suffix = "tsv" if is_tsv else "csv"
    if chance.random() < 0.1:
        suffix, data = suffix + ".gz", gzip.compress(data)
    return MessyFile(f"{name}.{suffix}", data, tuple(kept), tuple(bad_rows), "", needs)


def json_lines(name, chance):
    """A .jsonl file; some of its lines may not be objects with a text."""
    lines, rows, bad_rows = [], [], []
    for i, (text, label) in enumerate(some_rows(chance, lambda text: True)):
        if i % 5 == 3:
            bad_rows.append(len(lines) + 1)
            lines.append(chance.choice(["{nope", "[1, 2]", "17", '{"other": 1}', '{"text": null}']))
        if i % 4 == 2:
            lines.append("")
        rows.append((text, label))
        row = {"text": text, "n": i, "label": label, "more": {"deep": [i]}}
        lines.append(json.dumps(row, ensure_ascii=chance.random() < 0.5))
    end = chance.choice(["\n", "\r\n"])
    return MessyFile(f"{name}.jsonl", end.join(lines).encode(), tuple(rows), tuple(bad_rows))


def plain(name, chance):
    """A .txt file, of which every line is a document."""
    rows = some_rows(chance, lambda text: not set(text) & set("\n\r"))
    end = chance.choice(["\n", "\r\n", "\r"])
    data, needs = encoded(chance, end.join(text for text, _ in rows) + end)
    return MessyFile(f"{name}.txt", data, tuple((text, "") for text, _ in rows), (), "", needs)


def workbook(name, chance):
    """A workbook with an empty row, numbers as texts, and maybe a row that is too long."""
    import openpyxl

    rows = some_rows(
        chance, lambda text: text[0] != "=" and len(text) < 1000 and not set("\0\x0b") & set(text)
    )
    book = openpyxl.Workbook()
    book.active.append(["id", "text", "label"])
    kept, bad_rows = [], []
    for i, (text, label) in enumerate(rows):
        book.active.append([i, text, label])
        if i % 5 == 2:
            book.active.cell(book.active.max_row, 5, "far away")
            bad_rows.append(book.active.max_row)
        else:
            kept.append((text, label))
    out = io.BytesIO()
    book.save(out)
    return MessyFile(f"{name}.xlsx", out.getvalue(), tuple(kept), tuple(bad_rows))


def broken(name, chance):
    """A file that nothing can be read from."""
    good = b"text,label\na,b\n" * 50
    cases = [
        ("csv", b"", "is empty"),
        ("csv", b"\xef\xbb\xbf", "is empty"),
        ("csv", b"text,label\n", "is empty"),
        ("jsonl", b"\n\n", "is empty"),
        ("csv", b"text,text,label\na,b,c\n", "has 2 columns named 'text': columns 1 and 2"),
        ("csv", b"text,label,label\na,b,c\n", "has 2 columns named 'label': columns 2 and 3"),
        ("csv", b'text,label\n"never closed,b\nc,d\n', "not valid CSV"),
        ("csv", b"text,label\n\xff\xfe\xfa,b\n", "not valid utf-8"),
        ("xlsx", good, "not an .xlsx workbook"),
        ("parquet", good, "not a Parquet file"),
        ("csv.gz", gzip.compress(good)[:-9], "Cannot decompress"),
        ("csv.gz", good, "Cannot decompress"),
        ("docx", good, "the extension .docx is unknown"),
    ]
    suffix, data, fault = cases[int(name) % len(cases)]
    return MessyFile(f"{name}.{suffix}", data, fault=fault)
