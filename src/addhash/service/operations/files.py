"""Files of texts, read by the reader of the command line."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from addhash import tables
from addhash.errors import TableError
from addhash.service import messages as m
from addhash.service.operation import Call, operation
from addhash.service.problems import ClientGoneError, RequestError

MOST_ROWS = 500_000
ENCODINGS = ("utf-8", "windows-1252", "iso-8859-1", "utf-16")
PARAMETERS = ("name", "text", "label", "encoding", "header")


@asynccontextmanager
async def received(call: Call, most: int) -> AsyncIterator[tuple[Path, bytes]]:
    """Receive an uploaded file; give it with its digest, and remove it in the end."""
    services, size = call.services, 0
    digest = hashlib.sha256()
    file = services.registry.folder.new_upload()
    try:
        with file:
            more = True
            while more:
                with services.in_time():
                    message = await call.receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                piece = message.get("body", b"")
                size += len(piece)
                if size > most:
                    raise RequestError(
                        413,
                        f"Expected a file of at most {most} bytes, got more.",
                        {"Connection": "close"},
                        limit=most,
                        value=size,
                    )
                digest.update(piece)
                file.write(piece)
                more = message.get("more_body", False)
        yield Path(file.name), digest.digest()
    finally:
        Path(file.name).unlink()


@operation("POST", "/v1/tables", "write", takes="file", gives=m.Table, query=PARAMETERS)
async def read_table(call: Call) -> m.Table:
    """Read the texts and labels of a file, without keeping or learning them."""
    query = call.query()
    if "name" not in query:
        raise RequestError(422, "Expected the parameter name, that of the file.")
    if query.get("encoding", "utf-8") not in ENCODINGS:
        raise RequestError(422, f"Expected one of the encodings {', '.join(ENCODINGS)}.")
    async with received(call, call.services.settings.max_body) as (path, _):

        def work() -> m.Table:
            with path.open("rb") as file:
                return _read(query, file)

        return await call.services.work(work)


def _read(query: dict[str, str], file: BinaryIO) -> m.Table:
    name = query["name"]
    reading = tables.Reading(
        encoding=query.get("encoding", "utf-8"),
        text_columns=(query["text"],) if query.get("text") else (),
        has_header=query.get("header") != "0",
    )
    try:
        columns = [column.name for column in tables.preview(name, reading, file=file).columns]
        file.seek(0)
        try:
            documents = _documents(name, reading, query.get("label"), file)
        except TableError as error:
            return m.Table(columns, None, None, [], str(error))
        rows = [m.TableRow(d.text, d.label) for d in chain.from_iterable(documents)][:MOST_ROWS]
    except TableError as error:
        raise RequestError(422, " ".join(str(error).split()), value=error.line) from error
    text = documents.text_columns[0]
    return m.Table(columns, text, documents.label_column, rows, None)


def _documents(
    name: str, reading: tables.Reading, label: str | None, file: BinaryIO
) -> tables.Documents:
    return tables.Documents(
        name,
        reading,
        labels="ignored" if label == "" else "wanted",
        labelling=tables.Labelling(column=label or None),
        file=file,
    )
