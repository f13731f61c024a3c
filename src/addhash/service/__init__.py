"""A server for models that are taught while in use, over HTTP and on a web page.

`create_app` returns the ASGI application, `serve` runs it. Nothing acknowledged is ever lost, and
whatever is forgotten is erased from disk.
"""

from addhash.errors import MissingPackageError

try:
    import msgspec as _msgspec
    import prometheus_client as _prometheus
    import starlette as _starlette
    import uvicorn as _uvicorn
except ModuleNotFoundError as error:
    raise MissingPackageError.of(str(error.name), "serve", "The server") from error

from addhash.service.app import create_app
from addhash.service.errors import ServiceError
from addhash.service.server import serve
from addhash.service.settings import Settings

__all__ = ["ServiceError", "Settings", "create_app", "serve"]

_NEEDED = (_msgspec, _prometheus, _starlette, _uvicorn)
