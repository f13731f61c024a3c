"""What the server logs: plain lines, or JSON for a collector of logs. Never a text of a request."""

import json
import logging
import time
from typing import Any

log = logging.getLogger("addhash.service")
requests = logging.getLogger("addhash.service.requests")


class _JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, message, and what else is known."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.gmtime(record.created)
        content: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', moment)}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        return json.dumps(content | getattr(record, "details", {}))


def set_up(*, as_json: bool, logs_requests: bool) -> None:
    """Log to standard error; each request only if asked for."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        _JsonFormatter() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    )
    log.handlers = [handler]
    log.propagate = False
    log.setLevel(logging.INFO)
    requests.setLevel(logging.INFO if logs_requests else logging.WARNING)
