r"""Tables of documents as people have them: CSV, TSV, JSON Lines, Excel, Parquet, plain text.

Files are read a few rows at a time, whatever their format and compression. Columns, delimiters and
byte order marks are detected; what cannot be told is an error that says what to choose.

Examples
--------
>>> import io
>>> from addhash import tables
>>> documents = tables.Documents("mail.csv", file=io.BytesIO(b"id;text\n1;Hello, you"))
>>> documents.columns
['id', 'text']
>>> [document.text for batch in documents for document in batch]
['Hello, you']
"""

from addhash.tables.compression import packed
from addhash.tables.documents import Document, Documents, Labelling, Skipped, read_text
from addhash.tables.packages import require
from addhash.tables.preview import Column, Preview, preview
from addhash.tables.reading import Decoding, Kind, Reading
from addhash.tables.records import Kept, Layout
from addhash.tables.sources import Source

__all__ = [
    "Column",
    "Decoding",
    "Document",
    "Documents",
    "Kept",
    "Kind",
    "Labelling",
    "Layout",
    "Preview",
    "Reading",
    "Skipped",
    "Source",
    "packed",
    "preview",
    "read_text",
    "require",
]
